// The reader: assert and raise. What the run decides of them it notes in a number, of which whoever
// runs the program makes the exception.
#include <algorithm>

#include "rewriter/reader/interpreter.hpp"

namespace rewriter {

using cudamat::misuse;

/// Of a call, the number of the exception that it raised first, from 1 on; 0: of none.
constexpr const char* kRaised = "<raised 0>";

std::string Interpreter::description(ast::ExprId exception) {
  if (exception == ast::kNoExpr) return "an exception";
  const auto text = tree_.source.text().substr(
      tree_[exception].span.begin, tree_[exception].span.end - tree_[exception].span.begin);
  return std::string(text);
}

Program::Exception Interpreter::exception_of(ast::ExprId id, int line) {
  Program::Exception result{.type = "RuntimeError", .text = {}, .line = line};
  if (id == ast::kNoExpr) return result;
  const bool is_call = tree_[id].kind == ast::ExprKind::Call;
  result.type = description(is_call ? tree_.children(id)[0] : id);
  if (is_call && tree_.children(id).size() > 1) result.text = message(tree_.children(id)[1]);
  return result;
}

/// A text that is known, or what the program has there.
std::string Interpreter::message(ast::ExprId id) {
  if (id == ast::kNoExpr) return {};
  try {
    const Value value = evaluate(id);
    if (const auto* text = value.as<std::string>()) return *text;
  } catch (const cudamat::CUDAMatException&) {  // it is of no interest here
  }
  return description(id);
}

void Interpreter::begin_exceptions() {
  if (options_.returns_exceptions) scope().names[kRaised] = {std::int64_t(0)};
}

void Interpreter::note_raised(const Value& number) {
  const Value* const before = find(kRaised);
  if (before == nullptr || truth_of(number) == false) return;
  const auto known = truth_of(*before);
  if (known == true) return;
  if (known == false) return bind_hidden(kRaised, number);
  const Array first = to_array(*before, "an exception");
  bind_hidden(kRaised,
              python_number(where(equal(first, 0), to_array(number, "an exception"), first)));
}

Value Interpreter::raised() {
  const Value* const number = find(kRaised);
  return number == nullptr ? Value{std::int64_t(0)} : *number;
}

void Interpreter::set_raised(const Value& number) {
  if (const auto found = scope().names.find(kRaised); found != scope().names.end())
    found->second = number;
}

/// Of what is known, it must hold.
void Interpreter::check_assertion(const ast::Statement& statement, std::uint32_t index) {
  const Value condition = evaluate(statement.value);
  std::optional<bool> truth;
  try {
    truth = truth_of(condition);
  } catch (const cudamat::CUDAMatException&) {
  }
  if (truth == true) return;
  Program::Exception exception{"AssertionError", {}, statement.line};
  if (truth == false && !options_.returns_exceptions)
    misuse("program", "the assertion does not hold");
  if (!options_.returns_exceptions) {
    result_.left_out.emplace(statement.line, "the assertion is of what the run computes");
    return;
  }
  exception.text = message(statement.annotation);
  if (truth) return raise(std::move(exception));
  const Span span = tree_[statement.value].span;
  const NodePtr holds = condition_node(condition, span);
  const NodePtr fails = logical_not(Array(holds)).node();
  result_.steps.push_back(fails);
  run_if(fails, span, index, index + 1, [&] {
    raise(exception);
    return Flow::Next;
  });
}

void Interpreter::raise(const ast::Statement& statement) {
  if (options_.returns_exceptions) return raise(exception_of(statement.value, statement.line));
  if (!is_perhaps())
    misuse("program", "the program raises an exception here: {}", description(statement.value));
  result_.left_out.emplace(statement.line, "that it is not raised is for the run to show");
}

/// Where the run decides whether it comes to that, what follows is computed all the same.
void Interpreter::raise(Program::Exception exception) {
  if (!is_perhaps()) throw ProgramRaises(std::move(exception));
  std::vector<Program::Exception>& known = result_.exceptions;
  const auto same = [&](const Program::Exception& other) {
    return other.line == exception.line && other.type == exception.type &&
           other.text == exception.text;
  };
  auto found = std::find_if(known.begin(), known.end(), same);
  if (found == known.end()) found = known.insert(known.end(), std::move(exception));
  note_raised({static_cast<std::int64_t>(found - known.begin() + 1)});
}

bool Interpreter::is_perhaps() const {
  return unsure_ > 0 || std::any_of(scopes_.begin(), scopes_.end(), [](const Scope& scope) {
           return std::any_of(scope.loops.begin(), scope.loops.end(), [](const LoopFrame* frame) {
             return frame->loop->form == LoopForm::If;
           });
         });
}

}  // namespace rewriter

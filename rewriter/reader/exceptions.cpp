// The reader: assert and raise. Under a run-time condition the list raises
// them.
#include <algorithm>

#include "rewriter/expr/integers.hpp"
#include "rewriter/reader/exchanged.hpp"
#include "rewriter/reader/interpreter.hpp"
#include "rewriter/reader/selection.hpp"

namespace rewriter {

using cudamat::misuse;

std::string Interpreter::description(ast::ExprId exception) {
  if (exception == ast::kNoExpr) return "an exception";
  const auto text = tree_.source.text().substr(
      tree_[exception].span.begin, tree_[exception].span.end - tree_[exception].span.begin);
  return std::string(text);
}

Value Interpreter::message(ast::ExprId text) {
  if (text == ast::kNoExpr) return {std::string()};
  try {
    const Value value = evaluate(text);
    (void)raise_node("Exception", value);  // whether it can be told
    return value;
  } catch (const cudamat::CUDAMatException&) {  // it is of no interest here
    return {description(text)};
  }
}

/// Of what is known, it must hold.
Interpreter::Flow Interpreter::check_assertion(const ast::Statement& statement,
                                               std::uint32_t index) {
  const Value condition = evaluate(statement.value);
  if (const auto* object = condition.as<ObjectPtr>();
      object != nullptr && (*object)->read().size() > 1)
    misuse("program",
           "the truth value of an array of shape {} is ambiguous; use np.any(...) or np.all(...)",
           to_string((*object)->shape()));
  std::optional<bool> truth;
  try {
    truth = truth_of(condition);
  } catch (const cudamat::CUDAMatException&) {
  }
  if (truth == true) return Flow::Next;
  if (!options_.raises) {
    if (truth == false) misuse("program", "the assertion does not hold");
    result_.left_out.emplace(statement.line,
                             "the assertion depends on a run-time value, and is not checked");
    return Flow::Next;
  }
  if (truth) return raise("AssertionError", statement.annotation);
  const Span span = tree_[statement.value].span;
  const NodePtr holds = condition_node(condition, span);
  const NodePtr fails = logical_not(Array(holds)).node();
  result_.steps.push_back(fails);
  run_if(fails, span, index, index + 1,
         [&] { return raise("AssertionError", statement.annotation); });
  return Flow::Next;
}

/// The exception itself, where a `try` around may catch it.
void Interpreter::throw_raised(const ast::Statement& statement) {
  if (statement.value == ast::kNoExpr) {
    if (caught_ == nullptr) misuse("program", "there is no exception to raise again");
    throw RaisedException(*caught_);
  }
  Value exception = evaluate(statement.value);
  if (const auto* type = exception.as<ClassPtr>()) {
    Call made{"", {}, {}, result_.steps};
    exception = objects_.instantiate(*type, made, ast::kNoExpr);
  }
  throw RaisedException(tree_.source, statement.span,
                        "the program raises an exception: " + description(statement.value),
                        exception);
}

bool Interpreter::handles(const ast::Statement& handler, const RaisedException& raised) {
  if (handler.value == ast::kNoExpr) return true;
  const Value asked = evaluate(handler.value);
  std::vector<Value> types{asked};
  if (const auto* several = asked.as<Sequence>())
    types.assign(several->items.begin(), several->items.end());
  return std::any_of(types.begin(), types.end(), [&](const Value& each) {
    const auto* type = each.as<ClassPtr>();
    return type != nullptr && raised.is_a(**type);
  });
}

Interpreter::Flow Interpreter::run_try(const ast::Statement& statement, std::uint32_t index) {
  Flow flow = Flow::Next;
  std::uint32_t otherwise = 0, last = 0;
  std::vector<std::uint32_t> handlers;
  for (std::uint32_t i = statement.end; i < statement.else_end; i = ast::after(tree_, i)) {
    const ast::StatementKind kind = tree_.statements[i].kind;
    if (kind == ast::StatementKind::Else) otherwise = i;
    if (kind == ast::StatementKind::Finally) last = i;
    if (kind == ast::StatementKind::Handler) handlers.push_back(i);
  }
  const auto run = [&](std::uint32_t part) {
    return part == 0 ? Flow::Next : execute_block(part + 1, tree_.statements[part].end);
  };
  try {
    std::optional<RaisedException> raised;
    try {
      const Exchanged tried(tried_, tried_ + (handlers.empty() ? 0 : 1));
      flow = execute_block(index + 1, statement.end);
    } catch (const RaisedException& error) {
      raised = error;
    }
    if (raised) {
      const auto handler = std::find_if(handlers.begin(), handlers.end(), [&](std::uint32_t each) {
        return handles(tree_.statements[each], *raised);
      });
      if (handler == handlers.end()) throw RaisedException(*raised);
      const ast::Statement& each = tree_.statements[*handler];
      for (const ast::ExprId target : tree_.targets(each)) assign(target, raised->exception());
      const Exchanged caught(caught_, &*raised);
      flow = execute_block(*handler + 1, each.end);
    } else {
      for (const std::uint32_t each : handlers)
        result_.left_out.emplace(tree_.statements[each].line, "nothing is raised in this `try`");
      if (flow == Flow::Next)
        flow = run(otherwise);
      else if (flow == Flow::Perhaps && otherwise != 0)
        flow = run_rest(otherwise + 1, tree_.statements[otherwise].end);
    }
  } catch (const RaisedException&) {
    (void)run(last);
    throw;
  }
  const Flow left = run(last);
  return left == Flow::Next ? flow : left;
}

Interpreter::Flow Interpreter::raise(const ast::Statement& statement) {
  const ast::ExprId exception = statement.value;
  if (tried_ > 0 && !is_library_) {
    if (is_perhaps())
      misuse("program",
             "whether this exception is raised is known only at run time, so the `try` around it "
             "cannot catch it; test the condition before the `try`");
    throw_raised(statement);
  }
  if (exception != ast::kNoExpr && !in_loop() && !is_perhaps() &&
      description(exception).starts_with("SystemExit")) {
    const ast::Expr& made = tree_[exception];
    if (made.kind == ast::ExprKind::Call) (void)evaluate(exception);
    throw Ended{};
  }
  if (is_library_ && !is_perhaps()) {
    const Value told = message(tree_.child(exception, 1));
    const auto* text = told.as<std::string>();  // unless it has a number of the run
    misuse("program", "{}", text != nullptr ? *text : description(tree_.child(exception, 1)));
  }
  if (!options_.raises && !is_library_) {
    if (!is_perhaps())
      misuse("program", "the program raises an exception: {}", description(exception));
    result_.left_out.emplace(statement.line,
                             "whether it is raised is known only at run time, and is not checked");
    return Flow::Next;
  }
  if (exception == ast::kNoExpr) misuse("program", "there is no exception to raise again");
  if (tree_[exception].kind != ast::ExprKind::Call)
    return raise(description(exception), ast::kNoExpr);
  const auto parts = tree_.children(exception);
  if (parts.size() > 2) {  // the text is that of a tuple, of which the arguments can be had
    std::vector<Value> told;
    for (const ast::ExprId part : parts.subspan(1)) told.push_back(message(part));
    const Value tuple = new_sequence(false, std::move(told));
    return raise_told(description(parts[0]), call_function({"str", {tuple}, {}, result_.steps}));
  }
  return raise(description(parts[0]), parts.size() > 1 ? parts[1] : ast::kNoExpr);
}

Interpreter::Flow Interpreter::raise(const std::string& type, ast::ExprId text) {
  if (tried_ > 0)
    misuse("program",
           "an exception in a `try` that has an `except` is not supported; test the condition "
           "before the `try`");
  return raise_told(type, message(text));
}

Interpreter::Flow Interpreter::raise_told(const std::string& type, const Value& told) {
  const bool is_first = std::none_of(result_.steps.begin(), result_.steps.end(),
                                     [](const NodePtr& step) { return is_raise(*step); });
  if (const auto* known = told.as<std::string>(); known != nullptr && is_first && !is_perhaps())
    throw ProgramRaises(type, *known, statement_place_.line);
  result_.steps.push_back(raise_node(type, told));
  if (is_perhaps()) return Flow::Next;
  scope().returned = Value{};  // the function ends here
  scope().returned_expr = ast::kNoExpr;
  return Flow::Return;
}

void Interpreter::check_power(const Value& base, const Value& exponent) {
  const auto* power = exponent.as<ObjectPtr>();
  const auto* array = base.as<ObjectPtr>();
  const auto selected = selection_of(exponent), base_selected = selection_of(base);
  if ((power == nullptr && !selected) || base.is_real() || !(base.is_data() || base_selected))
    return;
  const auto is_python = [](const Value& value, const ObjectPtr* object) {
    return object != nullptr ? (*object)->is_python() : !value.is_numpy;
  };
  if (!selected && !base_selected && is_python(exponent, power) && is_python(base, array)) return;
  const Array given = selected ? selected->with(Array(std::int64_t{0})) : (*power)->read();
  const auto is_of_ints = [](const Array& each) {
    return each.dtype() != DType::Float && each.size() > 0;
  };
  if (!is_of_ints(given) || (array != nullptr && !is_of_ints((*array)->read())) ||
      (base_selected && !is_of_ints(base_selected->whole)) ||
      detail::bounds(*given.node()).least >= 0)
    return;
  const std::string text = "Integers to negative integer powers are not allowed.";
  if (given.node()->kind == Kind::Number || given.node()->kind == Kind::Fill)
    return;  // the operator says it
  if (!options_.raises)
    misuse("power",
           "NumPy raises an error for negative integer powers of integers, and this power may be "
           "negative at run time; write the power as a float, or np.maximum(power, 0)");
  if (tried_ > 0)
    misuse("program",
           "a power of integers whose exponent may be negative is not supported in a `try` that "
           "has an `except`; write the power as a float");
  NodePtr fails = (given < Array(0)).node();
  if (given.size() > 1) fails = reduce(Op::any, Array(fails)).node();
  if (!Array(fails).shape().empty()) fails = Array(fails).reshape({}).node();
  result_.steps.push_back(fails);
  run_if(fails, tree_.statements[executing_].span, executing_, executing_ + 1, [&] {
    result_.steps.push_back(raise_node("ValueError", {text}));
    return Flow::Next;
  });
}

bool Interpreter::is_perhaps() const {
  const auto may_be_skipped = [](const LoopFrame* frame) {
    return frame->loop->form == LoopForm::If || frame->loop->form == LoopForm::While;
  };
  return unsure_ > 0 || std::any_of(scopes_.begin(), scopes_.end(), [&](const Scope& scope) {
           return std::any_of(scope.loops.begin(), scope.loops.end(), may_be_skipped);
         });
}

}  // namespace rewriter

// The reader: break, continue and return under run-time conditions.
#include <algorithm>

#include "rewriter/python/inlining.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/attempt.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

std::string hidden(std::string_view what, int level) {
  return fmt::format("<{} {}>", what, level);
}

constexpr int kMostLevels = 8;     // of loops that are left under a run-time condition
constexpr int kMostReturned = 16;  // values

}  // namespace

std::string Interpreter::jump_name(int level) {
  return hidden("jump", level);
}

std::string Interpreter::go_name(int level) {
  return hidden("go", level);
}

std::string Interpreter::choice_name(ast::ExprId choice) {
  return hidden("choice", static_cast<int>(choice));
}
std::string Interpreter::set_name(ast::ExprId choice) {
  return hidden("choice_set", static_cast<int>(choice));
}

const std::vector<std::string>& Interpreter::hidden_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (int level = 0; level <= kMostLevels; ++level)
      for (const char* what : {"go", "jump", "last", "condition"})
        result.push_back(hidden(what, level));
    for (int i = 0; i < kMostReturned; ++i) result.push_back(hidden("value", i));
    result.push_back(hidden("value_set", 0));
    return result;
  }();
  return names;
}

void Interpreter::bind_hidden(const std::string& name, const Value& value) {
  bind_part(name, value);
  step(value);
}

/// The same of what the statement that is read does not compute.
void Interpreter::bind_part(const std::string& name, const Value& value) {
  scope().names[name] = value;
  note_bound(name);
}

/// Its value; the name is as if it had never been bound.
Value Interpreter::take_hidden(const std::string& name) {
  const auto found = scope().names.find(name);
  if (found == scope().names.end()) throw cudamat::InternalError(name + " is not bound");
  Value value = std::move(found->second);
  scope().names.erase(found);
  for (LoopFrame* frame : scope().loops) {
    frame->read.erase(name);
    frame->rebound.erase(name);
    auto& order = frame->rebound_order;  // it was bound lately
    const auto place = std::find(order.rbegin(), order.rend(), name);
    if (place != order.rend()) order.erase(std::next(place).base());
  }
  return value;
}

Interpreter::JumpLevel::JumpLevel(Interpreter& reader, const Jumps& jumps, bool is_while)
    : reader_(reader),
      jumps_(jumps),
      is_own_(is_while || jumps.any() || reader.attempt_ != nullptr),
      number_(reader.scope().level + (is_own_ ? 1 : 0)) {
  if (!is_own_) return;
  if (number_ > kMostLevels)
    misuse("program", "more than {} nested loops with break, continue, return or while",
           kMostLevels);
  reader.scope().level = number_;
  begin();
}

Interpreter::JumpLevel::~JumpLevel() {
  end();
}

void Interpreter::JumpLevel::begin() const {
  if (is_own_) reader_.scope().names[go()] = {true};
}

void Interpreter::JumpLevel::end() {
  if (!std::exchange(is_own_, false)) return;
  reader_.scope().level = number_ - 1;
  for (const std::string& name : {go(), last(), condition(), jump_name(number_)})
    reader_.scope().names.erase(name);
}

std::string Interpreter::JumpLevel::go() const {
  return go_name(number_);
}
std::string Interpreter::JumpLevel::last() const {
  return hidden("last", number_);
}

std::string Interpreter::JumpLevel::condition() const {
  return hidden("condition", number_);
}

void Interpreter::JumpLevel::begin_iteration() const {
  if (is_own_) reader_.bind_hidden(jump_name(number_), {false});
}

/// What leave() binds.
std::vector<std::string> Interpreter::names_of_jumps(const Jumps& jumps) {
  std::vector<std::string> names;
  const int level = scope().level;
  if (jumps.any()) names.push_back(jump_name(level));
  if (jumps.leave_loop() && level > 0) names.push_back(hidden("go", level));
  if (!jumps.returns) return names;
  for (int k = level - 1; k >= 0; --k) {
    names.push_back(jump_name(k));
    if (k > 0) names.push_back(hidden("go", k));
  }
  for (std::size_t i = 0; i < scope().returns; ++i)
    names.push_back(hidden("value", static_cast<int>(i)));
  names.push_back(hidden("value_set", 0));
  return names;
}

void Interpreter::leave(Flow flow) {
  const int level = scope().level;
  switch (flow) {
    case Flow::Next:
    case Flow::Perhaps:
      return;
    case Flow::Break:
      bind_hidden(hidden("go", level), {false});
      [[fallthrough]];
    case Flow::Continue:
      return bind_hidden(jump_name(level), {true});
    case Flow::Return:
      if (!scope().returned) return;  // an exception, which leaves the function
      if (scope().returned_expr == ast::kNoExpr)
        leave_values();
      else
        located(tree_[scope().returned_expr].span, [&] { leave_values(); });
      for (int k = level; k > 0; --k) {
        bind_hidden(hidden("go", k), {false});
        bind_hidden(jump_name(k), {true});
      }
      return bind_hidden(jump_name(0), {true});
  }
}

/// What is returned under a run-time condition has one form in all places, or is None.
void Interpreter::leave_values() {
  Scope& call = scope();
  const Value value = *std::exchange(call.returned, std::nullopt);
  const std::string flag = hidden("value_set", 0);
  if (call.names.contains(flag)) {
    if (value.is_none()) return;
    bind_hidden(flag, {true});
  }
  const auto* tuple = value.as<Sequence>();
  const bool is_tuple = tuple != nullptr && !tuple->list;
  const std::size_t count = is_tuple ? tuple->items.size() : 1;
  if (call.returns != 0 && (call.returns != count || call.returns_tuple != is_tuple))
    misuse("program",
           "a function with returns that depend on a run-time condition must return the same "
           "number of values from each");
  if (count > kMostReturned)
    misuse("program", "more than {} values are returned under a run-time condition", kMostReturned);
  call.returns = count;
  call.returns_tuple = is_tuple;
  for (std::size_t i = 0; i < count; ++i) {
    const Value& item = is_tuple ? tuple->items[i] : value;
    if (!item.is_data())
      misuse("program",
             "a return under a run-time condition must return arrays and numbers; got {}",
             item.description());
    bind_hidden(hidden("value", static_cast<int>(i)), item);
  }
}

bool Interpreter::always_returns(std::uint32_t begin, std::uint32_t end) const {
  for (std::uint32_t i = begin; i < end;) {
    const ast::Statement& statement = tree_.statements[i];
    if (statement.kind == ast::StatementKind::Return || statement.kind == ast::StatementKind::Raise)
      return true;
    if ((statement.kind == ast::StatementKind::With || statement.kind == ast::StatementKind::Try) &&
        always_returns(i + 1, statement.end))
      return true;
    if (statement.kind == ast::StatementKind::If && always_returns(i + 1, statement.end) &&
        always_returns(statement.end, statement.else_end))
      return true;
    i = ast::after(tree_, i);
  }
  return false;
}

bool Interpreter::may_return_none(std::uint32_t begin, std::uint32_t end) const {
  if (!always_returns(begin, end)) return true;
  for (std::uint32_t i = begin; i < end;) {
    const ast::Statement& statement = tree_.statements[i];
    if (statement.kind == ast::StatementKind::Return &&
        (statement.value == ast::kNoExpr || tree_[statement.value].kind == ast::ExprKind::None))
      return true;
    i = ast::has_scope(statement) ? statement.end : i + 1;
  }
  return false;
}

void Interpreter::execute_body(const ast::Statement& def, std::uint32_t index) {
  scope().names[jump_name(0)] = raises() > 0 ? is_left() : Value{false};
  const std::string flag = hidden("value_set", 0);
  if (may_return_none(index + 1, def.end)) scope().names[flag] = {false};
  Flow flow = execute_block(index + 1, def.end);
  if (scope().returns == 0) return;
  if (flow == Flow::Return) leave(flow);
  std::vector<Value> values;
  for (std::size_t i = 0; i < scope().returns; ++i)
    values.push_back(scope().names.at(hidden("value", static_cast<int>(i))));
  const Value made = scope().returns_tuple ? new_sequence(false, std::move(values)) : values[0];
  scope().returned = made;
  const auto found = scope().names.find(flag);
  if (found == scope().names.end()) return;
  const Value is_set = found->second;
  if (const auto truth = truth_of(is_set))
    scope().returned = *truth ? made : Value{};
  else
    scope().returned = Value{Perhaps{*is_set.as<ObjectPtr>(), Items({made, Value{}})}};
}

Flow Interpreter::run_rest(std::uint32_t begin, std::uint32_t end) {
  if (begin == end) return Flow::Perhaps;
  const Value left = *find(jump_name(scope().level));
  if (const auto truth = truth_of(left)) return *truth ? Flow::Perhaps : execute_block(begin, end);
  const Span span = tree_.statements[begin].span;
  NodePtr goes_on;
  {
    const At at(place(span));
    goes_on = logical_not(to_array(left, "a jump")).node();
    result_.steps.push_back(goes_on);
  }
  run_if(goes_on, span, begin, end);
  return Flow::Perhaps;
}

/// A loop is over: its else runs unless a break left it, and what follows unless it returned.
Flow Interpreter::leave_loop(const ast::Statement& statement, JumpLevel& level) {
  const bool has_else = statement.end != statement.else_end;
  const Value goes_on = has_else && level.may_be_left() ? Value(*find(level.go())) : Value{true};
  level.end();
  Flow flow = Flow::Next;
  if (const auto truth = truth_of(goes_on)) {
    if (*truth) flow = run_else(statement);
  } else {
    run_if(to_array(goes_on, "a loop's end").node(), statement.span, statement.end,
           statement.else_end);
    flow = Flow::Perhaps;
  }
  if (flow == Flow::Perhaps && !jumps_in(statement.end, statement.else_end).any())
    flow = Flow::Next;
  return flow == Flow::Next && level.jumps().returns ? Flow::Perhaps : flow;
}

}  // namespace rewriter

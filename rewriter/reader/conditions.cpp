// The reader: what is decided at run time. The statements that may not run are a loop's
// body to the tree; loop_condition.cpp says what they leave.
#include <algorithm>

#include "rewriter/python/inlining.hpp"
#include "rewriter/reader/attempt.hpp"
#include "rewriter/reader/loop_run.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

std::string hidden(std::string_view what, int level) {
  return fmt::format("<{} {}>", what, level);
}

constexpr int kMostLevels = 8;     // of loops that are left under a run-time condition
constexpr int kMostReturned = 16;  // values

}  // namespace

NodePtr Interpreter::condition_node(const Value& value, Span span) {
  NodePtr result;
  located(span, [&] {
    const At at(place(span));
    Array condition = to_array(value, "a condition");
    if (condition.size() != 1)
      misuse("program",
             "the truth value of an array of shape {} is ambiguous; use np.any(...) or "
             "np.all(...)",
             to_string(condition.shape()));
    if (!condition.shape().empty()) condition = condition.reshape({});
    result = (condition.dtype() == DType::Bool ? condition : not_equal(condition, 0)).node();
    result_.steps.push_back(result);
  });
  return result;
}

/// Where loops are to be read iteration by iteration, if something in them is decided.
void Interpreter::refuse_in_loops(Span span) const {
  const auto stays = [](const Scope& each) {
    return std::any_of(each.loops.begin(), each.loops.end(), [](const LoopFrame* frame) {
      return frame->loop->form == LoopForm::For || frame->loop->form == LoopForm::ForWhile;
    });
  };
  if (deciding == Deciding::WithoutLoops && std::any_of(scopes_.begin(), scopes_.end(), stays))
    fail(span, "whether this holds may be known iteration by iteration");
}

Interpreter::Flow Interpreter::choose_at_run(const ast::Statement& statement, std::uint32_t index,
                                             const Value& condition) {
  const Span span = tree_[statement.value].span;
  refuse_in_loops(span);
  const NodePtr holds = condition_node(condition, span);
  NodePtr otherwise;
  if (statement.end != statement.else_end) {
    const At at(place(span));
    otherwise = logical_not(Array(holds)).node();
    result_.steps.push_back(otherwise);
  }
  const auto run_side = [&](const NodePtr& node, bool side, std::uint32_t begin,
                            std::uint32_t end) {
    const std::vector<std::string> set = names_set_where(statement.value, side);
    run_if(node, statement.span, begin, end, [&, begin, end] { return run_set(set, begin, end); });
  };
  run_side(holds, true, index + 1, statement.end);
  if (otherwise) run_side(otherwise, false, statement.end, statement.else_end);
  return jumps_in(index + 1, statement.else_end).any() ? Flow::Perhaps : Flow::Next;
}

void Interpreter::run_if(NodePtr condition, Span span, std::uint32_t begin, std::uint32_t end,
                         std::function<Flow()> run, ast::ExprId choice) {
  if (!run) run = [this, begin, end] { return execute_block(begin, end); };
  LoopBlock block;
  block.begin = begin;
  block.end = end;
  block.choice = choice;
  block.span = span;
  block.loop = {"", 0, 1, 1, LoopForm::If};
  block.run = [this, &run](const Affine&) { leave(run()); };
  block.condition = std::move(condition);
  run_with_condition(block);
}

bool Interpreter::is_choice(const ast::Expr& expr) {
  return expr.kind == ast::ExprKind::Conditional || expr.op == ast::Operator::And ||
         expr.op == ast::Operator::Or;
}

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

/// The statement whose text holds the expression: of a lambda's body not the one that calls it.
std::uint32_t Interpreter::statement_of(ast::ExprId id) {
  if (statements_of_.empty()) {
    statements_of_.resize(tree_.exprs.size(), ~std::uint32_t{0});
    for (std::uint32_t i = 0; i < tree_.statements.size(); ++i) {
      const auto [first, last] = expressions_of(i, i + 1);
      std::fill(statements_of_.begin() + first, statements_of_.begin() + last, i);
    }
  }
  const std::uint32_t found = statements_of_[id];
  return found < tree_.statements.size() ? found : executing_;
}

Value Interpreter::choose_value(ast::ExprId choice, const Value& condition,
                                const std::function<Value()>& value,
                                const std::function<Value()>& other) {
  const Span span = tree_[choice].span;
  const std::string name = choice_name(choice);
  const std::uint32_t at = statement_of(choice);
  const NodePtr holds = condition_node(condition, span);
  const NodePtr fails = logical_not(Array(holds)).node();
  result_.steps.push_back(fails);
  const std::string flag = set_name(choice);
  std::optional<Array> is_set;  // whether there is a value, where that may be None
  bool may_be_none = false;
  bool has_value = false;
  const auto take = [&](const NodePtr& node, const std::function<Value()>& side) {
    Value chosen;
    const auto run = [&] {
      chosen = side();
      if (chosen.is_none()) return Flow::Next;
      const auto* perhaps = chosen.as<Perhaps>();
      const Value taken = if_set(chosen);
      if (!taken.is_data())
        fail(span, fmt::format("a choice made at run time is between arrays and numbers; got {}",
                               taken.description()));
      bind_hidden(name, taken);
      if (perhaps != nullptr) bind_hidden(flag, {perhaps->is_set});
      return Flow::Next;
    };
    run_if(node, span, at, at + 1, run, choice);
    const bool is_perhaps = chosen.as<Perhaps>() != nullptr;
    may_be_none = may_be_none || is_perhaps || chosen.is_none();
    has_value = has_value || !chosen.is_none();
    if (!is_perhaps && !chosen.is_none())
      is_set = is_set ? logical_or(*is_set, Array(node)) : Array(node);
  };
  take(holds, value);
  take(fails, other);
  if (!has_value) return {};
  Value taken = take_hidden(name);
  if (!may_be_none) return taken;
  if (scope().names.contains(flag)) {
    const Array set = to_array(take_hidden(flag), "a condition");
    is_set = is_set ? logical_or(*is_set, set) : set;
  }
  return {Perhaps{*python_number(*is_set).as<ObjectPtr>(), Items({taken, Value{}})}};
}

/// Whether something may read what a body that may not run has made: all names of a module are
/// results.
bool Interpreter::is_left(const std::string& name, const LoopBlock& block) {
  if (name.starts_with('<'))
    return name.starts_with("<value") || name.starts_with("<choice") || name.starts_with("<part") ||
           is_attribute(name) ||
           (ast::is_inlined_name(name) && is_mentioned_outside(name, block.begin, block.end));
  return in_module() || scope().is_file || is_mentioned_outside(name, block.begin, block.end);
}

bool Interpreter::is_mentioned_outside(const std::string& name, std::uint32_t begin,
                                       std::uint32_t end) {
  if (mentions_.empty()) {
    for (std::uint32_t i = 0; i < tree_.statements.size(); ++i) {
      const ast::Statement& statement = tree_.statements[i];
      const auto note = [&](ast::ExprId id) {
        if (id == ast::kNoExpr) return;
        for (ast::ExprId part = tree_[id].first; part <= id; ++part) {
          if (tree_[part].kind != ast::ExprKind::Name) continue;
          auto& places = mentions_[tree_.string(part)];
          if (places.empty() || places.back() != i) places.push_back(i);
        }
      };
      note(statement.value);
      for (const ast::ExprId target : tree_.targets(statement)) note(target);
    }
  }
  const std::uint32_t first = in_module() ? 0 : scope().function + 1;
  const auto last = in_module() ? static_cast<std::uint32_t>(tree_.statements.size())
                                : tree_.statements[scope().function].end;
  const auto& places = mentions_[name];
  const auto is_within = [&](std::uint32_t from, std::uint32_t to) {
    auto next = std::lower_bound(places.begin(), places.end(), from);
    while (next != places.end() && *next < to && excludes(begin, *next)) ++next;
    return next != places.end() && *next < to;
  };
  return is_within(first, std::min(begin, last)) || is_within(std::max(first, end), last);
}

bool Interpreter::excludes(std::uint32_t one, std::uint32_t other) {
  if (!alternatives_) {
    alternatives_.emplace();
    const auto is_inlined = [&](std::uint32_t at) {
      return at < tree_.statements.size() &&
             tree_.statements[at].kind == ast::StatementKind::Inlined;
    };
    for (std::uint32_t i = 0; i < tree_.statements.size(); ++i) {
      std::uint32_t at = tree_.statements[i].else_end;
      if (tree_.statements[i].kind != ast::StatementKind::For || !is_inlined(at)) continue;
      alternatives_->push_back({i, at, i});
      for (; is_inlined(at); at = tree_.statements[at].end)
        alternatives_->push_back({at, tree_.statements[at].end, i});
    }
  }
  const auto holds = [](const Alternative& each, std::uint32_t at) {
    return each.begin <= at && at < each.end;
  };
  return std::any_of(alternatives_->begin(), alternatives_->end(), [&](const Alternative& mine) {
    return holds(mine, one) && !holds(mine, other) &&
           std::any_of(alternatives_->begin(), alternatives_->end(), [&](const Alternative& its) {
             return its.loop == mine.loop && holds(its, other);
           });
  });
}

// ---- break, continue, return

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

bool Interpreter::JumpLevel::may_be_left() const {
  return jumps_.leave_loop() || (is_own_ && truth_of(reader_.scope().names.at(go())) != true);
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

Interpreter::Flow Interpreter::run_rest(std::uint32_t begin, std::uint32_t end) {
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
Interpreter::Flow Interpreter::leave_loop(const ast::Statement& statement, JumpLevel& level) {
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

// ---- while

Value Interpreter::truth_value(const Value& value, Span span) {
  if (const auto truth = truth_of(value)) return {*truth};
  return python_number(Array(condition_node(value, span)));
}

Value both_hold(const Value& a, const Value& b) {
  if (const auto known = truth_of(a)) return *known ? b : a;
  if (const auto known = truth_of(b)) return *known ? a : b;
  return python_number(logical_and(to_array(a, "a condition"), to_array(b, "a condition")));
}

Value either_holds(const Value& a, const Value& b) {
  if (const auto known = truth_of(a)) return *known ? a : b;
  if (const auto known = truth_of(b)) return *known ? b : a;
  return python_number(logical_or(to_array(a, "a condition"), to_array(b, "a condition")));
}

Value negated(const Value& a) {
  if (const auto known = truth_of(a)) return {!*known};
  return python_number(logical_not(to_array(a, "a condition")));
}

void Interpreter::run_while_loop(const ast::Statement& statement, std::uint32_t index,
                                 const Value& condition, const JumpLevel& level,
                                 bool& leaves_at_once) {
  const Span span = tree_[statement.value].span;
  refuse_in_loops(span);
  LoopBlock block;
  block.begin = index + 1;
  block.end = statement.end;
  block.span = statement.span;
  block.loop = {"", 0, 1, 1, LoopForm::While};
  if (may_append(block.begin, block.end)) block.most = most_iterations(statement, block.begin);
  const bool has_else = statement.end != statement.else_end;
  const bool may_be_left = level.jumps().leave_loop();
  block.condition_name =
      has_else && (may_be_left || attempt_ != nullptr) ? level.condition() : level.go();
  bool never_ends = false;
  scope().names[block.condition_name] = truth_value(condition, span);
  block.run = [&](const Affine&) {
    level.begin_iteration();
    const Value went_on = scope().names.at(level.go());
    const Flow flow = execute_block(block.begin, block.end);
    if (flow == Flow::Break || flow == Flow::Return) {
      leaves_at_once = true;
      fail(block.span, "the first iteration leaves the loop");
    }
    const Value stays = scope().names.at(level.go());
    Value again;
    located(span, [&] { again = truth_value(evaluate(statement.value, true), span); });
    never_ends = truth_of(again) == true && is_same_value(went_on, stays, 0);
    if (may_be_left || !is_same_value(went_on, stays, 0)) again = both_hold(stays, again);
    bind_hidden(block.condition_name, again);
  };
  block.check = [&] {
    if (never_ends) fail(statement.span, "this loop never ends");
  };
  run_with_condition(block);
}

}  // namespace rewriter

// The reader: if and while with run-time conditions. The statements that may not run become the
// body of a loop of the tree; loops/loop_condition.cpp says what they leave.
#include <algorithm>

#include "rewriter/python/inlining.hpp"
#include "rewriter/reader/loops/loop_run.hpp"
#include "rewriter/reader/operators/perhaps.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/decisions.hpp"
#include "rewriter/reader/values/dtypes.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/attempt.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/scopes.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

NodePtr Interpreter::condition_node(const Value& value, Span span) {
  NodePtr result;
  located(span, [&] {
    const At at(place(span));
    Array condition = to_array(value, "a condition");
    if (condition.size() != 1)
      misuse(Exception::ValueError, "program",
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

Flow Interpreter::choose_at_run(const ast::Statement& statement, std::uint32_t index,
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

bool Interpreter::JumpLevel::may_be_left() const {
  return jumps_.leave_loop() || (is_own_ && truth_of(reader_.scope().names.at(go())) != true);
}

// ---- while

Value Interpreter::truth_value(const Value& value, Span span) {
  if (const auto truth = truth_of(value)) return {*truth};
  return python_number(Array(condition_node(value, span)));
}

Value Interpreter::while_condition(const ast::Statement& statement) {
  const std::size_t before = raises();
  const Span span = tree_[statement.value].span;
  if (attempt_ == nullptr) return evaluate(statement.value, true);
  const std::string name = fmt::format("<condition at {}>", statement.span.begin);
  bind_hidden(name, {false});
  Value condition;
  evaluate_then(
      statement.value,
      [&](const Value& value) {
        condition = value;
        if (raises() != before) bind_hidden(name, truth_value(value, span));
        return Flow::Next;
      },
      true);
  const Value held = take_hidden(name);
  if (raises() == before) return condition;
  if (statement.end != statement.else_end) refuse_raises(before, span);
  return both_hold(truth_value(held, span), negated(is_left()));
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
  // An `else` asks whether something has left the loop: that is not whether its condition holds.
  block.condition_name = has_else ? level.condition() : level.go();
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
    located(span, [&] { again = truth_value(while_condition(statement), span); });
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

// The reader: expressions of what may be None at run time.
#include <algorithm>

#include "rewriter/reader/loops/loop_run.hpp"
#include "rewriter/reader/operators/perhaps.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {

using cudamat::misuse;

/// Whether the expression hands such a value on as it is.
static bool hands_on(ast::ExprKind kind) {
  using enum ast::ExprKind;
  return kind == Tuple || kind == List || kind == Dict || kind == Keyword || kind == Named ||
         kind == Conditional || kind == Formatted || kind == Compare || kind == Lambda;
}

void Interpreter::settle_operands(const ast::Expr& expr, ast::ExprId id, ast::ExprId first,
                                  std::vector<Value>& values) {
  if (hands_on(expr.kind) || expr.kind == ast::ExprKind::Comprehension) return;
  const auto children = tree_.children(id);
  const auto value_of = [&](ast::ExprId child) -> Value& { return values[child - first]; };
  bool is_any = false;
  for (const ast::ExprId child : children)
    is_any = is_any || (child != ast::kNoExpr && value_of(child).as<Perhaps>() != nullptr);
  if (!is_any) return;
  if (expr.kind == ast::ExprKind::Call) {
    const Value& callee = value_of(children[0]);
    const auto* function = callee.as<Function>();
    if (function == nullptr && callee.as<Perhaps>() == nullptr) return;
    const Row* row = function != nullptr ? row_of(function->name) : nullptr;
    const unsigned facts = row != nullptr ? row->facts : 0;
    for (const ast::ExprId child : children) {
      if (value_of(child).as<Perhaps>() == nullptr) continue;
      if ((facts & kAsksType) != 0)
        misuse(function->name,
               "of {} is not supported: which of them it is is known only at run time",
               value_of(child).description());
      if ((facts & kPrints) != 0) continue;
      value_of(child) = (facts & kMakesText) != 0   ? chosen_text()
                        : (facts & kAsksTruth) != 0 ? truth_if_set(value_of(child))
                                                    : if_set(value_of(child));
    }
    return;
  }
  for (const ast::ExprId child : children) {
    if (child == ast::kNoExpr) continue;
    const auto* perhaps = value_of(child).as<Perhaps>();
    if (perhaps == nullptr) continue;
    const bool is_asked = expr.kind == ast::ExprKind::Unary && expr.op == ast::Operator::Not;
    const bool is_taken_from = expr.kind == ast::ExprKind::Subscript && child == children[0];
    value_of(child) = is_asked        ? truth_if_set(value_of(child))
                      : is_taken_from ? Value(perhaps->value())
                                      : if_set(value_of(child));
  }
}

std::vector<std::string> Interpreter::names_set_where(ast::ExprId condition, bool truth) const {
  using enum ast::Operator;
  const ast::Expr& expr = tree_[condition];
  if (expr.kind == ast::ExprKind::Name && truth) return {tree_.string(expr)};
  if (expr.kind == ast::ExprKind::Unary && expr.op == Not)
    return names_set_where(tree_.child(condition, 0), !truth);
  if (expr.op == (truth ? And : Or) && expr.child_count == 2) {
    std::vector<std::string> names = names_set_where(tree_.child(condition, 0), truth);
    for (std::string& name : names_set_where(tree_.child(condition, 1), truth))
      names.push_back(std::move(name));
    return names;
  }
  const bool asks = expr.kind == ast::ExprKind::Compare && expr.op == (truth ? IsNot : Is) &&
                    tree_[tree_.child(condition, 0)].kind == ast::ExprKind::Name &&
                    tree_[tree_.child(condition, 1)].kind == ast::ExprKind::None;
  if (!asks) return {};
  return {tree_.string(tree_[tree_.child(condition, 0)])};
}

Flow Interpreter::run_set(const std::vector<std::string>& set, std::uint32_t begin,
                          std::uint32_t end) {
  std::vector<std::pair<std::string, Value>> before;
  for (const std::string& name : set)
    if (const auto found = scope().names.find(name); found != scope().names.end())
      if (const auto* perhaps = found->second.as<Perhaps>()) {
        (void)find(name);
        before.emplace_back(name, found->second);
        found->second = Value(perhaps->value());
      }
  const Flow flow = execute_block(begin, end);
  for (const auto& [name, value] : before) {
    Value& now = scope().names.at(name);
    if (is_same_value(now, value.as<Perhaps>()->value(), 0)) now = value;
  }
  return flow;
}

/// print(...) of what may be None: where it is, the text says so.
bool Interpreter::print_perhaps(const Value& callee, const Call& made) {
  const auto* function = callee.as<Function>();
  const auto is_one = [](const Value& each) { return each.as<Perhaps>() != nullptr; };
  const auto found = std::find_if(made.arguments.begin(), made.arguments.end(), is_one);
  const Row* row = function != nullptr ? row_of(function->name) : nullptr;
  if (row == nullptr || !row->has(kPrints) || found == made.arguments.end()) return false;
  const Perhaps perhaps = *found->as<Perhaps>();
  const NodePtr is_set = perhaps.is_set->read().node();
  const NodePtr is_none = logical_not(Array(is_set)).node();
  result_.steps.push_back(is_none);
  const auto print = [&](const NodePtr& condition, const Value& value) {
    run_if(condition, tree_.statements[executing_].span, executing_, executing_ + 1, [&] {
      Call call = made;
      call.arguments[static_cast<std::size_t>(found - made.arguments.begin())] = value;
      (void)call_value(callee, call);
      return Flow::Next;
    });
  };
  print(is_set, perhaps.value());
  const bool was_empty = !perhaps.otherwise().is_none();
  print(is_none, was_empty ? perhaps.otherwise() : Value{std::string("None")});
  return true;
}

bool Interpreter::print_either(const Call& call) {
  for (const Value& argument : call.arguments) {
    const auto number = number_of_either_kind(argument);
    if (!number) continue;
    const NodePtr choice = (*number)->read().node();
    const Array holds(choice->args[0]);
    for (const std::size_t side : {1UL, 2UL}) {
      Call one{call.name, {}, call.keywords, result_.steps};
      for (const Value& each : call.arguments)
        one.arguments.push_back(with_number(each, *number, Array(choice->args[side])));
      run_if((side == 1 ? holds : logical_not(holds)).node(), tree_.statements[executing_].span,
             executing_, executing_ + 1, [&] {
               if (!print_either(one)) (void)call_function(one);
               return Flow::Next;
             });
    }
    return true;
  }
  return false;
}

/// The name of the module may have no value at the end.
void Interpreter::note_perhaps(const std::string& name) {
  if (!in_module() || name.starts_with('<')) return;
  const auto* perhaps = scope().names.at(name).as<Perhaps>();
  if (perhaps == nullptr) return;
  result_.perhaps.insert(name);
  if (perhaps->value().as<ObjectPtr>() != nullptr && known_.insert(name).second) {
    assigned_.push_back(name);
    last_[name] = {statement_place_, (*perhaps->value().as<ObjectPtr>())->read().node()};
  }
  note_name(name);
}

}  // namespace rewriter

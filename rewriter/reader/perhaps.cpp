// The reader: what is None, unless statements bound it at run time. It is
// asked whether it is None, and used where it is not: used where it is None it ends the program in
// Python, and is NaN or 0 here. chosen_values.cpp says how a name comes to be such a value.
#include <algorithm>

#include "rewriter/reader/loop_run.hpp"
#include "rewriter/reader/table.hpp"

namespace rewriter {

using cudamat::misuse;

Value if_set(const Value& value) {
  const auto* perhaps = value.as<Perhaps>();
  if (perhaps == nullptr) return value;
  if (!perhaps->otherwise().is_none())
    misuse("program",
           "this is {}; it can be indexed and tested by `if`. Otherwise assign None before, and "
           "ask whether it `is None`",
           value.description());
  return perhaps->value();
}

Value truth_if_set(const Value& value) {
  const auto* perhaps = value.as<Perhaps>();
  if (perhaps == nullptr) return value;
  const Value is_set{perhaps->is_set};
  if (const auto truth = truth_of(perhaps->value())) return *truth ? is_set : Value{false};
  const Array held = to_array(perhaps->value(), "a condition");
  if (held.size() != 1)
    misuse("program", "the truth value of an array of shape {} is ambiguous; write `is not None`",
           to_string(held.shape()));
  return python_number(
      logical_and(to_array(is_set, "a condition"), not_equal(held.reshape({}), 0)));
}

std::optional<Value> compared_with_none(ast::Operator op, const Value& left, const Value& right) {
  using enum ast::Operator;
  const bool is_same = op == Is || op == Equal;
  if (!is_same && op != IsNot && op != NotEqual) return std::nullopt;
  const auto* perhaps = left.is_none() ? right.as<Perhaps>() : left.as<Perhaps>();
  if (perhaps == nullptr || (!left.is_none() && !right.is_none())) return std::nullopt;
  if (!perhaps->otherwise().is_none()) return Value{!is_same};
  const auto* held = perhaps->value().as<ObjectPtr>();
  if (op != Is && op != IsNot && held != nullptr && !(*held)->is_python())
    misuse("program", "NumPy compares each element with None; write `is{} None`",
           op == Equal ? "" : " not");
  const Array is_set = perhaps->is_set->read();
  return python_number(is_same ? logical_not(is_set) : is_set);
}

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

Interpreter::Flow Interpreter::run_set(const std::vector<std::string>& set, std::uint32_t begin,
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

// ---- what represents it in lists and messages

std::string printed_name(const std::string& name) {
  if (!name.starts_with('<')) return name;
  if (is_attribute(name)) {  // "<attribute w of model 7>"
    const std::size_t of = name.find(" of ");
    const std::size_t begin = name.find(' ') + 1;
    if (number_of_attribute(name) == 0) return name.substr(begin, of - begin);  // a global
    return name.substr(of + 4, name.rfind(' ') - of - 4) + "_" + name.substr(begin, of - begin);
  }
  if (!name.starts_with("<part ")) return name.substr(1, name.find(' ') - 1);
  const std::size_t begin = name.find(" of ") + 4;
  return printed_name(name.substr(begin, name.rfind(' ') - begin));
}

std::string spoken(std::string text) {
  // The last ones first, which are within others.
  for (std::size_t begin = text.rfind('<'); begin != text.npos;
       begin = begin == 0 ? text.npos : text.rfind('<', begin - 1)) {
    const std::size_t end = text.find('>', begin);
    if (end == text.npos) continue;
    const std::string name = text.substr(begin, end - begin + 1);
    const std::string kind = name.substr(0, name.find(' '));
    const std::string words = kind == "<part"               ? "an item of " + printed_name(name)
                              : kind == "<attribute"        ? printed_name(name)
                              : kind.starts_with("<choice") ? "the value chosen"
                              : kind == "<value"            ? "the value returned"
                              : kind == "<last"             ? "the loop's variable"
                              : kind == "<go"               ? "whether the loop goes on"
                              : kind == "<jump"             ? "whether the rest runs"
                              : kind == "<condition"        ? "the loop's condition"
                                                            : name;
    text.replace(begin, name.size(), words);
  }
  return text;
}

}  // namespace rewriter

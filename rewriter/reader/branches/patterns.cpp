// The reader: the patterns of match statements. The parser makes an If of each case.
#include <algorithm>

#include "rewriter/reader/operators/perhaps.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"

namespace rewriter {

using cudamat::misuse;

/// Whether two truth values hold; `b` is asked for where the first may.
template <class F>
static Value both(const Value& a, const F& b) {
  if (const auto known = truth_of(a)) return *known ? b() : Value{false};
  const Value other = b();
  if (const auto known = truth_of(other)) return *known ? a : Value{false};
  return python_number(logical_and(to_array(a, "a condition"), to_array(other, "a condition")));
}

Value Interpreter::match_case(ast::ExprId id) {
  const auto parts = tree_.children(id);
  Value matched = matches(parts[1], evaluate(parts[0]));
  if (parts.size() == 2) return matched;
  return both(matched, [&] { return truth_value(evaluate(parts[2], true), tree_[parts[2]].span); });
}

Value Interpreter::matches(ast::ExprId pattern, const Value& value) {
  const ast::Expr& expr = tree_[pattern];
  const auto parts = tree_.children(pattern);
  const auto equals = [&](const Value& other) {
    if (value.is_none()) return Value{other.is_none()};
    if (is_text(value) != is_text(other) && value.as<InstancePtr>() == nullptr) return Value{false};
    const bool is_container = value.as<Sequence>() != nullptr || value.as<Dict>() != nullptr;
    if (is_container && other.as<Sequence>() == nullptr && other.as<Dict>() == nullptr)
      return Value{false};
    const auto known = known_equal(value, other);
    return known ? Value{*known} : objects_.truth(binary(ast::Operator::Equal, value, other));
  };
  switch (expr.kind) {
    case ast::ExprKind::Name:
      if (tree_.string(expr) != "_") bind(tree_.string(expr), value);
      return {true};
    case ast::ExprKind::None: {
      const auto of_perhaps = compared_with_none(ast::Operator::Is, value, Value{});
      return of_perhaps ? *of_perhaps : Value{value.is_none()};
    }
    case ast::ExprKind::True:
    case ast::ExprKind::False: {
      const auto* truth = value.as<bool>();
      if (truth == nullptr && value.as<ObjectPtr>() != nullptr)
        misuse("program", "'case True' needs a value that is known when the program is read");
      return {truth != nullptr && *truth == (expr.kind == ast::ExprKind::True)};
    }
    case ast::ExprKind::Attribute:
    case ast::ExprKind::Number:
    case ast::ExprKind::String:
    case ast::ExprKind::Unary:
      return equals(evaluate(pattern));
    case ast::ExprKind::Binary: {
      if (expr.op != ast::Operator::BitOr) return equals(evaluate(pattern));
      Value left = matches(parts[0], value);
      if (truth_of(left) == true) return left;
      Value right = matches(parts[1], value);
      if (truth_of(left) == false || truth_of(right) == true) return right;
      return python_number(
          logical_or(to_array(left, "a condition"), to_array(right, "a condition")));
    }
    case ast::ExprKind::Tuple:
    case ast::ExprKind::List:
      return matches_all(parts, value);
    case ast::ExprKind::Call:
      return matches_class(pattern, value);
    case ast::ExprKind::Dict: {
      const auto* dict = value.as<Dict>();
      Value result{dict != nullptr};
      for (std::size_t i = 0; i < parts.size() && truth_of(result) != false; i += 2) {
        if (parts[i] == ast::kNoExpr) misuse("program", "'**' in a pattern is not supported");
        const Value* held = find_key(*dict, evaluate(parts[i]));
        if (held == nullptr) return {false};
        const Value found = *held;
        result = both(result, [&] { return matches(parts[i + 1], found); });
      }
      return result;
    }
    default:
      misuse("program", "this pattern is not supported");
  }
}

/// Of the items of a list or a tuple; one pattern may have a star.
Value Interpreter::matches_all(std::span<const ast::ExprId> patterns, const Value& value) {
  const auto* object = value.as<InstancePtr>();
  if (object != nullptr && (*object)->type->kind != Class::Kind::Tuple) return {false};
  const Value over = objects_.iterable(value);
  const auto* sequence = over.as<Sequence>();
  if (sequence == nullptr || sequence->is_set) return {false};
  const std::vector<Value> items(sequence->items.begin(), sequence->items.end());
  const auto is_starred = [&](ast::ExprId id) { return tree_[id].kind == ast::ExprKind::Starred; };
  const bool has_star = std::any_of(patterns.begin(), patterns.end(), is_starred);
  if (has_star ? items.size() + 1 < patterns.size() : items.size() != patterns.size())
    return {false};
  Value result{true};
  std::size_t next = 0;
  for (const ast::ExprId pattern : patterns) {
    if (truth_of(result) == false) return result;
    if (is_starred(pattern)) {
      const std::size_t count = items.size() + 1 - patterns.size();
      const auto first = items.begin() + static_cast<std::ptrdiff_t>(next);
      (void)matches(tree_.child(pattern, 0),
                    new_sequence(true, {first, first + static_cast<std::ptrdiff_t>(count)}));
      next += count;
      continue;
    }
    const Value& item = items[next++];
    result = both(result, [&] { return matches(pattern, item); });
  }
  return result;
}

/// C(a, b, name=c)
Value Interpreter::matches_class(ast::ExprId pattern, const Value& value) {
  const auto parts = tree_.children(pattern);
  const Value type = evaluate(parts[0]);
  const auto* of_program = type.as<ClassPtr>();
  const auto* object = value.as<InstancePtr>();
  if (of_program == nullptr && (object != nullptr || value.is_none())) return {false};
  if (of_program != nullptr && (object == nullptr || !(*object)->type->is_a(**of_program)))
    return {false};
  if (of_program == nullptr)
    if (truth_of(call_function({"isinstance", {value, type}, {}, result_.steps})) != true)
      return {false};
  Value result{true};
  std::size_t position = 0;
  for (const ast::ExprId part : parts.subspan(1)) {
    if (truth_of(result) == false) return result;
    if (tree_[part].kind != ast::ExprKind::Keyword && of_program == nullptr) {
      result = both(result, [&] { return matches(part, value); });
      continue;
    }
    ast::ExprId inner = part;
    std::string name;
    if (tree_[part].kind == ast::ExprKind::Keyword) {
      name = tree_.string(part);
      inner = tree_.child(part, 0);
    } else if (position < (*of_program)->fields.size()) {
      name = (*of_program)->fields[position++].name;
    } else {
      misuse("program", "{} accepts no such positional pattern", (*of_program)->name);
    }
    Call asks{"hasattr", {value, Value{name}}, {}, result_.steps};
    if (truth_of(*objects_.call_builtin(asks)) != true) return {false};
    const Value held = attribute(value, name);
    result = both(result, [&] { return matches(inner, held); });
  }
  return result;
}

}  // namespace rewriter

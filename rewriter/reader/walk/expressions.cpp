// The reader: expressions. `values` holds one value for each expression of a statement.
#include <algorithm>
#include <iterator>
#include <utility>

#include "rewriter/expr/build.hpp"
#include "rewriter/python/inlining.hpp"
#include "rewriter/reader/operators/characters.hpp"
#include "rewriter/reader/operators/complex.hpp"
#include "rewriter/reader/operators/perhaps.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/selections/run_slices.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/decisions.hpp"
#include "rewriter/reader/values/dtypes.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/known_values.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/attempt.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/outside.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

Value number_value(const ast::Number& number) {
  switch (number.kind) {
    case ast::Number::Kind::Integer:
      return {number.integer};
    case ast::Number::Kind::Real:
      return {number.real};
    case ast::Number::Kind::Imaginary:
      return new_complex({0.0}, {number.real});
    default:
      misuse("program", "the integer exceeds 64 bits; write a float");
  }
}

/// Only np.r_ and its kin count in steps that are no ints.
void refuse_fractions(const std::vector<Value>& index) {
  for (const Value& each : index)
    if (const auto* slice = each.as<Slice>(); slice != nullptr && !slice->numbers.empty())
      for (const Value& bound : slice->numbers)
        if (!bound.is_none() && !is_run_bound(bound)) (void)bound.affine("a bound of a slice");
}

Value subscripted(const Value& object, const std::vector<Value>& index) {
  if (auto made = index_trick(object, index)) return std::move(*made);
  refuse_fractions(index);
  return subscript(object, index);
}

/// What a call gives, with arrays in the places of selections of which it is known what they are.
Value with_known_selections(Value value) {
  if (deciding == Deciding::AtRun) return value;
  if (const auto* tuple = value.as<Sequence>(); tuple != nullptr && !tuple->list) {
    Sequence made = *tuple;
    for (std::size_t i = 0; i < made.items.size(); ++i)
      if (is_selection(made.items[i])) made.items.own()[i] = with_known_selections(made.items[i]);
    return {std::move(made)};
  }
  const auto selection = selection_of(value);
  auto places = selection ? known_places(selection->mask) : std::nullopt;
  if (!places) return value;
  std::vector<Value> index(static_cast<std::size_t>(selection->first), Value{Slice{}});
  std::move(places->begin(), places->end(), std::back_inserter(index));
  return subscript(new_array(selection->whole), index);
}

}  // namespace

/// A mask has the extents of the axes that it indexes; those after `...` are left to subscript().
static void check_masks(const ObjectPtr& array, const std::vector<Value>& index) {
  const Dims& dims = array->shape();
  std::size_t axis = 0;
  for (const Value& each : index) {
    if (each.as<EllipsisValue>() != nullptr) return;
    const auto* mask = each.as<ObjectPtr>();
    if (mask == nullptr || (*mask)->read().dtype() != DType::Bool) {
      axis += each.is_none() ? 0 : 1;
      continue;
    }
    if (axis + (*mask)->shape().size() > dims.size()) return;  // too many indices
    for (const Index extent : (*mask)->shape()) {
      if (dims[axis] != extent)
        misuse(Exception::IndexError, "index",
               "boolean index did not match indexed array along dimension {}; dimension is {} but "
               "corresponding boolean dimension is {}",
               axis, dims[axis], extent);
      ++axis;
    }
  }
}

/// Of an array: x[(i, j)] is x[i, j].
static void spread(const Value& object, std::vector<Value>& index) {
  const auto* tuple = index.size() == 1 ? index[0].as<Sequence>() : nullptr;
  if (tuple == nullptr || tuple->list || !(object.is_data() || object.as<Selected>() != nullptr))
    return;
  const Items items = tuple->items;
  index.assign(items.begin(), items.end());
}

/// The object and the indices of x[...], not yet applied.
std::pair<Value, std::vector<Value>> Interpreter::evaluate_subscript(ast::ExprId target) {
  const auto parts = tree_.children(target);
  Value object = evaluate(parts[0]);
  if (const auto* perhaps = object.as<Perhaps>()) object = Value(perhaps->value());
  std::vector<Value> index;
  for (const ast::ExprId part : parts.subspan(1)) index.push_back(if_set(evaluate(part)));
  spread(object, index);
  if (object.as<Dict>() == nullptr)
    for (Value& each : index) each = whole_of(each);
  refuse_fractions(index);
  if (const auto* array = object.as<ObjectPtr>(); contents_are_known && array != nullptr) {
    check_masks(*array, index);
    index = with_known_places(std::move(index));
  }
  return {object, std::move(index)};
}

/// x[index] = value
void Interpreter::store(ast::ExprId target, const Value& value) {
  auto [object, index] = evaluate_subscript(target);
  if (object.as<Ignored>() != nullptr) return leave_out("an item of an ignored value");
  if (objects_.set_item(object, index, value)) return;
  const std::size_t before = raises();
  if (attempt_ != nullptr) attempt_->catch_index_error(*this, object, index, tree_[target].span);
  unless_raised(before, [&, &object = object, &index = index] {
    if (list_number(object)) {
      set_item(object, index, value);
    } else {
      assign_subscript(object, index, if_set(value));
      written(object);
    }
    return Flow::Next;
  });
}

/// object[index] op= value
Flow Interpreter::augment_item(const ast::Statement& statement) {
  const ast::ExprId target = tree_.targets(statement)[0];
  auto [object, index] = evaluate_subscript(target);
  const std::size_t before = raises();
  if (attempt_ != nullptr) attempt_->catch_index_error(*this, object, index, tree_[target].span);
  return unless_raised(before, [&, &object = object, &index = index] {
    return augment_item(statement, object, index);
  });
}

void Interpreter::compute(ast::ExprId id, ast::ExprId first, std::vector<Value>& values) {
  const ast::Expr& expr = tree_[id];
  const At at(place(expr.token));
  located(expr.span, [&] {
    settle_operands(expr, id, first, values);
    values[id - first] = computed(id, first, values);
  });
}

/// Only the comparison sees it.
static void bind_middle(std::vector<std::pair<std::string, Value>>& inner, const std::string& name,
                        const Value& value) {
  const auto found = std::find_if(inner.begin(), inner.end(),
                                  [&](const auto& each) { return each.first == name; });
  if (found == inner.end())
    inner.emplace_back(name, value);
  else
    found->second = value;
}

/// Of an expression whose parts have values; each of these is used once, by it.
Value Interpreter::computed(ast::ExprId id, ast::ExprId first, std::vector<Value>& values) {
  const ast::Expr& expr = tree_[id];
  const auto child = [&](std::size_t i) -> Value& { return values[tree_.child(id, i) - first]; };
  switch (expr.kind) {
    case ast::ExprKind::Number:
      return number_value(tree_.number(expr));
    case ast::ExprKind::String:
      return {tree_.string(expr)};
    case ast::ExprKind::Name:
      return lookup(expr);
    case ast::ExprKind::None:
      return {NoneValue{}};
    case ast::ExprKind::True:
      return {true};
    case ast::ExprKind::False:
      return {false};
    case ast::ExprKind::Ellipsis:
      return {EllipsisValue{}};
    case ast::ExprKind::Unary:
      return unary(expr.op, child(0));
    case ast::ExprKind::Binary:
    case ast::ExprKind::Compare:
      if (auto of_none = compared_with_none(expr.op, child(0), child(1))) return *of_none;
      return binary(expr.op, if_set(child(0)), if_set(child(1)));
    case ast::ExprKind::Conditional:
      return conditional(child(0), child(1), child(2));
    case ast::ExprKind::Attribute:
      return attribute(child(0), tree_.string(expr));
    case ast::ExprKind::Call:
      return with_known_selections(call(id, first, values));
    case ast::ExprKind::Subscript:
      return item(child(0), elements_from(1, id, first, values), expr.span);
    case ast::ExprKind::Slice:
      return slice(id, first, values);
    case ast::ExprKind::Tuple:
      return {Sequence{false, elements_from(0, id, first, values)}};
    case ast::ExprKind::List:
      return new_growing({Sequence{true, elements_from(0, id, first, values)}});
    case ast::ExprKind::Set:
      return call_function({"set",
                            {new_sequence(true, elements_from(0, id, first, values))},
                            {},
                            result_.steps,
                            nullptr,
                            this});
    case ast::ExprKind::Dict:
      return dictionary(id, first, values);
    case ast::ExprKind::Keyword:
    case ast::ExprKind::Starred:
    case ast::ExprKind::DoubleStarred:
      return std::move(child(0));
    case ast::ExprKind::Named:
      if (ast::is_middle_name(tree_.string(expr)))
        bind_middle(scope().inner, tree_.string(expr), child(0));
      else
        bind(tree_.string(expr), child(0));
      return std::move(child(0));
    case ast::ExprKind::Lambda:
      return new_lambda(id, first, values);
    case ast::ExprKind::Comprehension:
      return static_cast<ast::Bracket>(expr.payload) == ast::Bracket::Generator
                 ? generator_expression(id)
                 : comprehension(id);
    case ast::ExprKind::Case:
      return match_case(id);
    case ast::ExprKind::Generator:
      return {};
    case ast::ExprKind::Joined:
      return joined_text(id, first, values);
    case ast::ExprKind::Formatted:
      return formatted(id, first, values);
  }
  return {};
}

/// The children of an expression from that number on, with the items of those that have a star.
std::vector<Value> Interpreter::elements_from(std::size_t begin, ast::ExprId id, ast::ExprId first,
                                              std::vector<Value>& values) {
  std::vector<Value> result;
  for (std::size_t i = begin; i < tree_[id].child_count; ++i) {
    const ast::ExprId child = tree_.child(id, i);
    Value& value = values[child - first];
    if (tree_[child].kind == ast::ExprKind::Starred)
      for (Value& item : elements_of(objects_.iterable(value))) result.push_back(std::move(item));
    else
      result.push_back(std::move(value));
  }
  return result;
}

Value Interpreter::unary(ast::Operator op, const Value& value) {
  if (is_outside(value) && op != ast::Operator::Not)
    return ask_python(std::string("unary ").append(ast::spelling(op)), {value});
  if (auto made = objects_.unary(op, value)) return std::move(*made);
  return unary_operator(op, value);
}

/// object[index]
Value Interpreter::item(Value& object, std::vector<Value> index, Span where) {
  if (const auto* type = object.as<Function>();
      type != nullptr && has_word(" dict frozenset list set tuple type ", type->name))
    return std::move(object);  // dict[str, float]
  spread(object, index);
  if (is_outside(object)) {
    index.insert(index.begin(), object);
    return ask_python("index", index);
  }
  if (object.as<Dict>() == nullptr)
    for (Value& each : index) each = whole_of(each);
  if (const auto* array = object.as<ObjectPtr>()) {
    check_masks(*array, index);
    index = with_known_places(std::move(index));
  }
  if (attempt_ != nullptr) attempt_->catch_index_error(*this, object, index, where);
  auto made = objects_.item(object, index);
  if (!made) made = missing_item(object, index);
  Value value = made ? std::move(*made) : with_known_selections(subscripted(object, index));
  if (is_library_) settle(value);
  return value;
}

Value Interpreter::dictionary(ast::ExprId id, ast::ExprId first, std::vector<Value>& values) {
  Dict dict;
  for (std::size_t i = 0; i < tree_[id].child_count; i += 2) {
    const ast::ExprId key = tree_.child(id, i);
    const Value& value = values[tree_.child(id, i + 1) - first];
    if (key != ast::kNoExpr) {
      set_key(dict, values[key - first], value);
      continue;
    }
    const Dict other = dict_of(value);
    for (std::size_t k = 0; k < other.keys.size(); ++k)
      set_key(dict, other.keys[k], other.values[k]);
  }
  return {std::move(dict)};
}

/// What stands for an expression in an f-string.
Value Interpreter::formatted(ast::ExprId id, ast::ExprId first, std::vector<Value>& values) {
  const Value& value = values[tree_.child(id, 0) - first];
  const std::string& conversion = tree_.string(tree_[id]);
  std::string how;
  if (const ast::ExprId format = tree_.child(id, 1); format != ast::kNoExpr) {
    const auto* text = values[format - first].as<std::string>();
    if (text == nullptr) misuse("program", "a format must be known when the program is read");
    how = *text;
  }
  if (is_outside(value)) return ask_python("format", {value, {how}, {conversion}});
  if (value.as<Perhaps>() != nullptr) return chosen_text();
  if (conversion.empty()) return objects_.formatted(value, how);
  if (const Value shown = objects_.text(value, conversion != "s");
      !is_text(value) && is_text(shown))
    return formatted_value(shown, "", how);
  return formatted_value(value, conversion, how);
}

/// Where it is known what a mask selects, the indices represent it: the selection has a length
/// then.
std::vector<Value> Interpreter::with_known_places(std::vector<Value> index) {
  std::vector<Value> made;
  for (Value& each : index) {
    const auto* object = each.as<ObjectPtr>();
    const bool is_mask = object != nullptr && (*object)->read().dtype() == DType::Bool;
    auto places = is_mask ? known_places((*object)->read()) : std::nullopt;
    if (!places)
      made.push_back(std::move(each));
    else
      std::move(places->begin(), places->end(), std::back_inserter(made));
  }
  return made;
}

/// What NumPy and Python call a function or a type: of an alias the name of what it stands for.
static std::string own_name(const Function& function) {
  constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
      {"np.abs", "absolute"},   {"np.true_divide", "divide"}, {"np.mod", "remainder"},
      {"np.conj", "conjugate"}, {"np.bitwise_not", "invert"}, {"np.acos", "arccos"},
      {"np.asin", "arcsin"},    {"np.atan", "arctan"},        {"np.atan2", "arctan2"},
      {"np.pow", "power"},      {"np.float_", "float64"},     {"np.int_", "int64"},
      {"np.double", "float64"}, {"np.single", "float32"}};
  if (has_word(" np.max np.min np.round np.bool_ np.bool ", function.name))
    misuse("program", "the __name__ of {} is another one in other versions of NumPy",
           function.name);
  for (const auto& [alias, own] : kAliases)
    if (function.name == alias) return std::string(own);
  return function.name.substr(function.name.rfind('.') + 1);
}

Value Interpreter::attribute(const Value& object, const std::string& name) {
  if (const auto* function = object.as<Function>();
      function != nullptr && !function->self && name == "__name__")
    return {own_name(*function)};
  if (auto value = objects_.attribute(object, objects_.mangled(name))) return std::move(*value);
  if (is_outside(object)) return ask_python("attribute", {object, {name}});
  if (const auto* module = object.as<Module>()) return member(*module, name);
  if (const auto* function = object.as<Function>();
      function != nullptr && function->dtype != Function::Dtype::No)
    return dtype_attribute(*function, name);
  if (const auto* function = object.as<Function>();
      function != nullptr && is_function(function->name + "." + name))
    return {Function{function->name + "." + name, nullptr}};
  if (object.as<Complex>() != nullptr || is_selection(object))
    if (auto value = array_attribute(object, name)) return *std::move(value);
  if (object.as<Complex>() != nullptr) return {Method{name, Items({object})}};
  if (const auto* user = object.as<UserFunction>(); user != nullptr && name == "__name__")
    return {!user->shown.empty()           ? user->shown
            : user->lambda != ast::kNoExpr ? "<lambda>"
                                           : user->name};
  if (auto value = characters_attribute(object, name)) return *std::move(value);
  if (auto method = container_method(object, name)) return *std::move(method);
  if (has_word(" __getitem__ __len__ __contains__ ", name) &&
      (list_number(object) || object.as<Sequence>() != nullptr ||
       object.as<std::string>() != nullptr))
    return {Method{"container." + name, Items({object})}};
  if (list_number(object) && name == "append")
    misuse("program",
           "append() returns None; write it as a statement of its own: list.append(number)");
  if (const auto* ignored = object.as<Ignored>();
      ignored != nullptr && ignored->name == "dataclasses")
    if (const ClassPtr error = objects_.exception_class(name)) return {error};
  if (const auto* ignored = object.as<Ignored>())
    return ignored->is_text ? Value{Ignored{ignored->name + "." + name, true}}
                            : left_out_member(ignored->name + "." + name);
  // tqdm(items) is the items, which have no bar.
  if (has_word(" set_description set_description_str set_postfix set_postfix_str refresh ", name))
    return {Ignored{"tqdm." + name}};
  if (is_selection(object) && is_function("." + name))
    return {Function{"." + name, nullptr, *object.as<Selected>()}};
  if (object.is_numpy && object.is_number()) {  // what is computed is a scalar, a fill an array
    const Array number = to_array(object, "a number");
    const Array filled = full({}, number.node()->number, number.dtype());
    const bool is_truth = object.as<bool>() != nullptr;
    return attribute(new_array(is_truth ? logical_or(filled, filled) : filled * Array(1)), name);
  }
  const auto* array = object.as<ObjectPtr>();
  const std::string none = fmt::format("{} has no attribute {}", object.description(), name);
  if (object.is_none() || object.is_number() || object.as<std::string>() != nullptr ||
      list_number(object))
    throw PythonError("AttributeError", "program", none, {chosen_text()});
  if (array == nullptr) misuse("program", "{}", none);
  if ((*array)->is_python())
    misuse(Exception::AttributeError, "program",
           "a Python number has no attribute {}; np.array(number) makes an array", name);
  if (auto value = array_attribute(object, name)) return *std::move(value);
  if (is_function("." + name)) return {Function{"." + name, *array}};
  refuse_function("program", "." + name);
}

Value Interpreter::slice(ast::ExprId id, ast::ExprId first, std::vector<Value>& values) {
  Slice result;
  std::vector<Value> numbers(3);
  for (std::size_t i = 0; i < 3; ++i)
    if (const ast::ExprId child = tree_.child(id, i); child != ast::kNoExpr)
      numbers[i] = values[child - first];
  const auto is_no_known_int = [](const Value& bound) {
    return bound.is_real() || bound.as<Complex>() != nullptr || is_run_bound(bound);
  };
  if (std::any_of(numbers.begin(), numbers.end(), is_no_known_int)) {
    result.numbers = std::move(numbers);
    return {result};
  }
  std::optional<Affine>* const parts[] = {&result.start, &result.stop, &result.step};
  for (std::size_t i = 0; i < 3; ++i) {
    const ast::ExprId child = tree_.child(id, i);
    if (child == ast::kNoExpr || values[child - first].is_none()) continue;
    *parts[i] = values[child - first].affine("a bound of a slice");
  }
  return {result};
}

}  // namespace rewriter

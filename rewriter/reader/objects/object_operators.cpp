// The reader: operators and subscripts of objects, by special methods.
#include <algorithm>

#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/table/keys.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/objects.hpp"

namespace rewriter {

using cudamat::misuse;

/// "__add__" and "__radd__" of +.
static std::pair<std::string_view, std::string_view> names_of(ast::Operator op) {
  using enum ast::Operator;
  switch (op) {
    case Add:
      return {"add", "radd"};
    case Subtract:
      return {"sub", "rsub"};
    case Multiply:
      return {"mul", "rmul"};
    case Divide:
      return {"truediv", "rtruediv"};
    case FloorDivide:
      return {"floordiv", "rfloordiv"};
    case Modulo:
      return {"mod", "rmod"};
    case MatMul:
      return {"matmul", "rmatmul"};
    case Power:
      return {"pow", "rpow"};
    case BitAnd:
      return {"and", "rand"};
    case BitOr:
      return {"or", "ror"};
    case BitXor:
      return {"xor", "rxor"};
    case LeftShift:
      return {"lshift", "rlshift"};
    case RightShift:
      return {"rshift", "rrshift"};
    case Less:
      return {"lt", "gt"};
    case LessEqual:
      return {"le", "ge"};
    case Greater:
      return {"gt", "lt"};
    case GreaterEqual:
      return {"ge", "le"};
    case Equal:
      return {"eq", "eq"};
    case NotEqual:
      return {"ne", "ne"};
    default:
      return {};
  }
}

static bool is_not_implemented(const std::optional<Value>& value) {
  const auto* ignored = value ? value->as<Ignored>() : nullptr;
  return !value || (ignored != nullptr && ignored->name == "builtins.NotImplemented");
}

/// A binary operation of two values, of which one may be an object or hold some.
struct Objects::Operation {
  using enum ast::Operator;

  Objects& objects;
  ast::Operator op;
  const Value& left;
  const Value& right;
  const Instance* of_left = instance_of(left);
  const Instance* of_right = instance_of(right);

  [[nodiscard]] bool orders() const {
    return op == Less || op == LessEqual || op == Greater || op == GreaterEqual;
  }

  /// `in` and `not in`
  std::optional<Value> contains() {
    if (!is_object(right) && right.as<Sequence>() == nullptr && right.as<Dict>() == nullptr)
      return std::nullopt;
    if (const auto found = objects.call_method(right, "__contains__", {left}))
      return op == In ? objects.truth(*found) : unary_operator(Not, objects.truth(*found));
    const Value items = is_object(right) ? objects.iterator_or_self(right) : right;
    if (objects.is_iterator(items)) return Value{is_among_next(items) == (op == In)};
    const bool among = is_object(left) && right.as<Sequence>() != nullptr;
    if (!is_object(right) && !among) return std::nullopt;
    const Value all = objects.iterable(items);
    const auto& each_once = any_order(all);
    const bool found = std::any_of(each_once.begin(), each_once.end(), [&](const Value& each) {
      const auto equal = is_object(left) || is_object(each)
                             ? objects.binary(Equal, left, each)
                             : std::optional(binary_operator(Equal, left, each));
      return equal && truth_of(*equal) == true;
    });
    return Value{found == (op == In)};
  }

  bool is_among_next(const Value& iterator) {
    while (const auto item = objects.next(iterator)) {
      const auto is_equal = truth_of(objects.reader_.binary(Equal, left, *item));
      if (!is_equal) misuse("program", "'in' needs values that are known when the program is read");
      if (*is_equal) return true;
    }
    return false;
  }

  /// `is` and `is not`
  std::optional<Value> is_one() {
    const auto marks = [](const Value& value) {
      return value.as<Ignored>() != nullptr && is_not_implemented(value);
    };
    if (marks(left) || marks(right)) return Value{(marks(left) && marks(right)) == (op == Is)};
    if (!is_object(left) && !is_object(right)) return std::nullopt;
    return Value{are_one_object(left, right) == (op == Is)};
  }

  /// Comparisons of lists and tuples.
  std::optional<Value> of_sequences() {
    const auto is_sequence = [](const Value& value) {
      const auto* sequence = value.as<Sequence>();
      return sequence != nullptr && !sequence->is_set;
    };
    if (!is_sequence(left) || !is_sequence(right)) return std::nullopt;
    if (orders()) {
      const std::string name = fmt::format("'{}'", ast::spelling(op));
      const Call call{name, {}, {}, objects.reader_.result_.steps, nullptr, &objects.reader_};
      const bool swaps = op == Greater || op == LessEqual;
      const bool is_less =
          swaps ? is_known_less(call, right, left) : is_known_less(call, left, right);
      return Value{is_less == (op == Less || op == Greater)};
    }
    if ((op != Equal && op != NotEqual) || (!holds_objects(left) && !holds_objects(right)))
      return std::nullopt;
    const Value equal = objects.equal_sequences(left, right);
    return op == Equal ? equal : unary_operator(Not, equal);
  }

  /// A text % values.
  std::optional<Value> formatted() {
    const auto* tuple = right.as<Sequence>();
    std::vector<Value> values{right};
    if (tuple != nullptr && !tuple->list) values.assign(tuple->items.begin(), tuple->items.end());
    const auto is_shown = [](const Value& each) { return is_object(each) || holds_objects(each); };
    const auto* format = left.as<std::string>();
    if (format == nullptr || std::none_of(values.begin(), values.end(), is_shown))
      return std::nullopt;
    std::string how = *format;  // in which %r of an object is %s of its repr()
    std::size_t k = 0;
    for (std::size_t at = how.find('%'); at != std::string::npos && k < values.size();
         at = how.find('%', at + 1)) {
      at = std::min(how.find_first_not_of("+- .0123456789", at + 1), how.size() - 1);
      if (how[at] == '%') continue;
      Value& value = values[k++];
      if (!is_shown(value)) continue;
      value = how[at] == 'r' ? objects.repr(value) : objects.text(value);
      if (how[at] == 'r') how[at] = 's';
    }
    return binary_operator(op, {how}, new_sequence(false, std::move(values)));
  }

  std::optional<Value> call(const Value& self, std::string_view method, const Value& other) {
    auto result = objects.call_method(self, fmt::format("__{}__", method), {other});
    return is_not_implemented(result) ? std::nullopt : result;
  }

  /// By __add__ and __radd__; that of a class derived from the other's comes first.
  std::optional<Value> by_methods() {
    const auto [name, reflected] = names_of(op);
    const std::string other_name = fmt::format("__{}__", reflected);
    const bool is_first = of_left != nullptr && of_right != nullptr &&
                          of_left->type != of_right->type && of_right->type->is_a(*of_left->type) &&
                          of_right->type->member(other_name) != of_left->type->member(other_name);
    if (is_first)
      if (auto result = call(right, reflected, left)) return result;
    if (auto result = call(left, name, right)) return result;
    return is_first ? std::nullopt : call(right, reflected, left);
  }

  /// functools.total_ordering: by the comparison that the class has, and by ==.
  std::optional<Value> by_other_order() {
    if (!orders() || of_left == nullptr || of_left->type->member("(total ordering)") == nullptr)
      return std::nullopt;
    constexpr std::pair<ast::Operator, ast::Operator> kOpposites[] = {
        {Less, GreaterEqual}, {LessEqual, Greater}, {Greater, LessEqual}, {GreaterEqual, Less}};
    for (const auto& [known, opposite] : kOpposites) {
      const std::string method = fmt::format("__{}__", names_of(known).first);
      if (known == op || of_left->type->member(method) == nullptr) continue;
      const auto made = objects.call_method(left, method, {right});
      if (is_not_implemented(made)) return std::nullopt;
      if (op == opposite) return unary_operator(Not, objects.truth(*made));
      const bool is_strict = known == Less || known == Greater;
      const bool same_way =
          (known == Less || known == LessEqual) == (op == Less || op == LessEqual);
      const Value equal = objects.truth(*objects.binary(Equal, left, right));
      const Value holds =
          same_way ? objects.truth(*made) : unary_operator(Not, objects.truth(*made));
      const Value other = is_strict == same_way ? equal : unary_operator(Not, equal);
      return binary_operator(is_strict == same_way ? BitOr : BitAnd, holds, other);
    }
    return std::nullopt;
  }

  /// Of two objects of one class of data, or one named tuple: of their fields.
  std::optional<Value> of_fields() {
    const bool has_fields = of_left != nullptr && (of_left->type->kind == Class::Kind::Data ||
                                                   of_left->type->kind == Class::Kind::Tuple);
    if (!has_fields || of_right == nullptr || of_left->type != of_right->type || op == Add ||
        !of_left->type->compares_fields)
      return std::nullopt;
    return objects.reader_.binary(op, new_sequence(false, objects.field_values(left, true)),
                                  new_sequence(false, objects.field_values(right, true)));
  }

  Value of_objects() {
    if (auto result = by_methods()) return *result;
    if (op == NotEqual)
      if (const auto equal = objects.binary(Equal, left, right))
        return unary_operator(Not, objects.truth(*equal));
    if (auto result = by_other_order()) return *result;
    if (auto result = of_fields()) return *result;
    if (orders() || op == Equal) {
      const Value x = objects.as_container(left), y = objects.as_container(right);
      if (!is_object(x) && !is_object(y)) return objects.reader_.binary(op, x, y);
    }
    if (op == Equal) return Value{are_one_object(left, right)};
    raise_type_error(fmt::format("unsupported operand types for {}: {} and {}", ast::spelling(op),
                                 left.description(), right.description()));
  }
};

std::optional<Value> Objects::binary(ast::Operator op, const Value& left, const Value& right) {
  using enum ast::Operator;
  if (auto flag = binary_of_flags(op, left, right)) return flag;
  Operation operation{*this, op, left, right};
  if (op == In || op == NotIn) return operation.contains();
  if (op == Is || op == IsNot) return operation.is_one();
  if (auto result = operation.of_sequences()) return result;
  if (op == Modulo && is_text(left)) return operation.formatted();
  if (!is_object(left) && !is_object(right)) return std::nullopt;
  const Value a = whole_of(left), b = whole_of(right);
  if (!is_object(a) && !is_object(b)) return reader_.binary(op, a, b);
  return operation.of_objects();
}

std::optional<Value> Objects::in_place(ast::Operator op, const Value& left, const Value& right) {
  const Instance* object = instance_of(left);
  if (object == nullptr) return std::nullopt;
  auto result = call_method(left, fmt::format("__i{}__", names_of(op).first), {right});
  return is_not_implemented(result) ? std::nullopt : result;
}

std::optional<Value> Objects::unary(ast::Operator op, const Value& operand) {
  using enum ast::Operator;
  if (op == Not && operand.as<RunList>() != nullptr) return unary_operator(Not, truth(operand));
  if (!is_object(operand)) return std::nullopt;
  if (const Value whole = whole_of(operand); !is_object(whole)) return unary_operator(op, whole);
  if (op == Not) return unary_operator(Not, truth(operand));
  if (op == Invert)
    if (auto flag = inverted_flag(operand)) return flag;
  const char* name = op == Negative ? "__neg__" : op == Positive ? "__pos__" : "__invert__";
  if (auto result = call_method(operand, name, {})) return result;
  misuse("program", "bad operand type for unary {}: {}", ast::spelling(op), operand.description());
}

static Value key_of(const std::vector<Value>& index) {
  return index.size() == 1 ? index[0] : new_sequence(false, index);
}

std::optional<Value> Objects::item(const Value& object, const std::vector<Value>& index) {
  if (const auto* type = object.as<ClassPtr>()) {
    const auto* key = index[0].as<std::string>();
    if ((*type)->kind == Class::Kind::Enum && key != nullptr) {
      if (!(*type)->members.contains(*key))
        throw PythonError("KeyError", "program",
                          fmt::format("{} has no member {}", (*type)->name, *key), {{*key}});
      return attribute(object, *key);
    }
    return object;  // Generic[T]
  }
  if (instance_of(object) == nullptr) return std::nullopt;
  if (auto result = call_method(object, "__getitem__", {key_of(index)})) return result;
  if (instance_of(object)->type->kind == Class::Kind::Tuple)
    return subscript(new_sequence(false, field_values(object)), index);
  if (instance_of(object)->type->container) {
    const Value items = items_of(object);
    const auto* dict = items.as<Dict>();
    if (dict != nullptr && instance_of(object)->type->member("__missing__") != nullptr &&
        find_key(*dict, key_of(index)) == nullptr)
      return call_method(object, "__missing__", {key_of(index)});
    return item_of(items, index);
  }
  raise_type_error(
      fmt::format("'{}' object is not subscriptable", instance_of(object)->type->name));
}

bool Objects::set_item(const Value& object, const std::vector<Value>& index, const Value& value) {
  if (instance_of(object) == nullptr) return false;
  if (call_method(object, "__setitem__", {key_of(index), value})) return true;
  if (instance_of(object)->type->container)
    reader_.set_item(items_of(object), index, value);
  else
    raise_type_error(fmt::format("'{}' object does not support item assignment",
                                 instance_of(object)->type->name));
  return true;
}

bool Objects::remove_item(const Value& object, const std::vector<Value>& index) {
  const Instance* instance = instance_of(object);
  if (instance == nullptr) return false;
  if (call_method(object, "__delitem__", {key_of(index)})) return true;
  if (!instance->type->container)
    raise_type_error(
        fmt::format("'{}' object does not support item deletion", instance->type->name));
  reader_.delete_item(items_of(object), index);
  return true;
}

}  // namespace rewriter

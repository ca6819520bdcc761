// The reader: what operators, loops and functions of Python ask of objects, by special methods.
#include <algorithm>

#include "rewriter/reader/compose.hpp"
#include "rewriter/reader/exchanged.hpp"
#include "rewriter/reader/interpreter.hpp"
#include "rewriter/reader/objects.hpp"
#include "rewriter/reader/outside.hpp"

namespace rewriter {

using cudamat::misuse;

static const Instance* instance_of(const Value& value) {
  const auto* object = value.as<InstancePtr>();
  return object == nullptr ? nullptr : object->get();
}

static bool is_object(const Value& value) {
  return value.as<InstancePtr>() != nullptr || value.as<ClassPtr>() != nullptr;
}

static bool is_same(const Value& a, const Value& b) {
  if (const auto* x = a.as<InstancePtr>())
    return b.as<InstancePtr>() != nullptr && *x == *b.as<InstancePtr>();
  if (const auto* x = a.as<ClassPtr>())
    return b.as<ClassPtr>() != nullptr && *x == *b.as<ClassPtr>();
  return false;
}

/// Special methods are those of the class. Nothing where it has none.
std::optional<Value> Objects::call_method(const Value& object, const std::string& name,
                                          std::vector<Value> arguments) {
  const Instance* instance = instance_of(object);
  const Value* method = instance == nullptr ? nullptr : instance->type->member(name);
  if (method == nullptr || method->is_none()) return std::nullopt;
  arguments.insert(arguments.begin(), object);
  Call made{instance->type->name + "." + name, std::move(arguments), {}, reader_.result_.steps};
  return reader_.call_value(*method, made);
}

std::vector<Value> Objects::field_values(const Value& object, bool compared) {
  std::vector<Value> values;
  for (const Field& field : instance_of(object)->type->fields)
    if (field.is_compared || !compared) values.push_back(*attribute(object, field.name));
  return values;
}

// ---- operators ----

static bool holds_objects(const Value& value);

[[noreturn]] static void raise_type_error(const std::string& message) {
  throw PythonError("TypeError", "program", message, {chosen_text()});
}

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

/// Whether a class is one of Python's: `list` of `class Stack(list)`, `tuple` of a named tuple.
static bool has_base_of_python(const Class& type, const Value& asked) {
  const auto* ignored = asked.as<Ignored>();
  if (ignored != nullptr)
    return type.kind == Class::Kind::Enum &&
           (ignored->name == "enum.Enum" ||
            (type.holds_numbers && ignored->name == "enum.IntEnum"));
  const auto* function = asked.as<Function>();
  if (function == nullptr) return false;
  const std::string& name = function->name;
  if (name == "object" || (name == "int" && type.holds_numbers)) return true;
  if (name == "tuple") return type.kind == Class::Kind::Tuple;
  const auto* container = type.container ? type.container->as<Function>() : nullptr;
  return container != nullptr &&
         (container->name == name || (name == "dict" && container->name != "list"));
}

std::optional<Value> Objects::binary(ast::Operator op, const Value& left, const Value& right) {
  using enum ast::Operator;
  if (op == In || op == NotIn) {
    if (!is_object(right) && right.as<Sequence>() == nullptr && right.as<Dict>() == nullptr)
      return std::nullopt;
    if (const auto found = call_method(right, "__contains__", {left}))
      return op == In ? truth(*found) : unary_operator(Not, truth(*found));
    const Value items = is_object(right) ? iterator_or_self(right) : right;
    if (is_iterator(items)) {
      while (const auto item = next(items)) {
        const Value equal = reader_.binary(Equal, left, *item);
        const auto known = truth_of(equal);
        if (!known) misuse("program", "'in' needs values that are known when the program is read");
        if (*known) return Value{op == In};
      }
      return Value{op == NotIn};
    }
    const bool among = is_object(left) && right.as<Sequence>() != nullptr;
    if (!is_object(right) && !among) return std::nullopt;
    const Value all = iterable(items);
    for (const Value& each : any_order(all)) {
      const auto equal = is_object(left) || is_object(each) ? binary(Equal, left, each)
                                                            : binary_operator(Equal, left, each);
      if (equal && truth_of(*equal) == true) return Value{op == In};
    }
    return Value{op == NotIn};
  }
  if (op == Is || op == IsNot) {
    const auto marks = [](const Value& value) {
      return value.as<Ignored>() != nullptr && is_not_implemented(value);
    };
    if (marks(left) || marks(right)) return Value{(marks(left) && marks(right)) == (op == Is)};
  }
  const bool orders = op == Less || op == LessEqual || op == Greater || op == GreaterEqual;
  const auto is_tuple = [](const Value& value) {
    const auto* sequence = value.as<Sequence>();
    return sequence != nullptr && !sequence->is_set;
  };
  if (orders && is_tuple(left) && is_tuple(right)) {
    const Call call{
        fmt::format("'{}'", ast::spelling(op)), {}, {}, reader_.result_.steps, nullptr, &reader_};
    const bool swaps = op == Greater || op == LessEqual;
    const bool is_less =
        swaps ? is_known_less(call, right, left) : is_known_less(call, left, right);
    return Value{is_less == (op == Less || op == Greater)};
  }
  if ((op == Equal || op == NotEqual) && is_tuple(left) && is_tuple(right) &&
      (holds_objects(left) || holds_objects(right))) {
    const Value equal = equal_sequences(left, right);
    return op == Equal ? equal : unary_operator(Not, equal);
  }
  if (op == Modulo && is_text(left)) {  // a format
    const auto* tuple = right.as<Sequence>();
    const bool is_several = tuple != nullptr && !tuple->list;
    std::vector<Value> values{right};
    if (is_several) values.assign(tuple->items.begin(), tuple->items.end());
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
      value = how[at] == 'r' ? repr(value) : text(value);
      if (how[at] == 'r') how[at] = 's';
    }
    return binary_operator(op, {how}, new_sequence(false, std::move(values)));
  }
  if (!is_object(left) && !is_object(right)) return std::nullopt;
  if (op != Is && op != IsNot) {
    const Value a = whole_of(left), b = whole_of(right);
    if (a.as<InstancePtr>() == nullptr && b.as<InstancePtr>() == nullptr && !is_object(a) &&
        !is_object(b))
      return reader_.binary(op, a, b);
  }
  if (op == Is || op == IsNot) return Value{is_same(left, right) == (op == Is)};
  const auto [name, reflected] = names_of(op);
  const auto call = [&](const Value& self, std::string_view method, const Value& other) {
    auto result = call_method(self, fmt::format("__{}__", method), {other});
    return is_not_implemented(result) ? std::nullopt : result;
  };
  const Instance* of_left = instance_of(left);
  const Instance* of_right = instance_of(right);
  const std::string other_name = fmt::format("__{}__", reflected);
  const bool is_first = of_left != nullptr && of_right != nullptr &&
                        of_left->type != of_right->type && of_right->type->is_a(*of_left->type) &&
                        of_right->type->member(other_name) != of_left->type->member(other_name);
  if (is_first)
    if (auto result = call(right, reflected, left)) return result;
  if (auto result = call(left, name, right)) return result;
  if (!is_first)
    if (auto result = call(right, reflected, left)) return result;
  if (op == NotEqual)
    if (const auto equal = binary(Equal, left, right)) return unary_operator(Not, truth(*equal));
  /// functools.total_ordering: by the comparison that the class has, and by ==.
  const auto totally_ordered = [&]() -> std::optional<Value> {
    constexpr std::pair<ast::Operator, ast::Operator> kOpposites[] = {
        {Less, GreaterEqual}, {LessEqual, Greater}, {Greater, LessEqual}, {GreaterEqual, Less}};
    for (const auto& [known, opposite] : kOpposites) {
      const std::string method = fmt::format("__{}__", names_of(known).first);
      if (known == op || of_left->type->member(method) == nullptr) continue;
      const auto made = call_method(left, method, {right});
      if (is_not_implemented(made)) return std::nullopt;
      if (op == opposite) return unary_operator(Not, truth(*made));
      const bool is_strict = known == Less || known == Greater;
      const bool same_way =
          (known == Less || known == LessEqual) == (op == Less || op == LessEqual);
      const Value equal = truth(*binary(Equal, left, right));
      const Value holds = same_way ? truth(*made) : unary_operator(Not, truth(*made));
      const Value other = is_strict == same_way ? equal : unary_operator(Not, equal);
      return binary_operator(is_strict == same_way ? BitOr : BitAnd, holds, other);
    }
    return std::nullopt;
  };
  if (orders && of_left != nullptr && of_left->type->member("(total ordering)") != nullptr)
    if (auto result = totally_ordered()) return result;
  const Instance* a = instance_of(left);
  const Instance* b = instance_of(right);
  const bool has_fields =
      a != nullptr && (a->type->kind == Class::Kind::Data || a->type->kind == Class::Kind::Tuple);
  if (has_fields && b != nullptr && a->type == b->type && op != Add)
    return reader_.binary(op, new_sequence(false, field_values(left, true)),
                          new_sequence(false, field_values(right, true)));
  if (orders || op == Equal) {
    const Value x = as_container(left), y = as_container(right);
    if (!is_object(x) && !is_object(y)) return reader_.binary(op, x, y);
  }
  if (op == Equal) return Value{is_same(left, right)};
  raise_type_error(fmt::format("unsupported operand types for {}: {} and {}", ast::spelling(op),
                               left.description(), right.description()));
}

/// Whether two tuples or two lists that hold objects are equal.
Value Objects::equal_sequences(const Value& left, const Value& right) {
  const Sequence& a = *left.as<Sequence>();
  const Sequence& b = *right.as<Sequence>();
  if (a.list != b.list || a.items.size() != b.items.size()) return {false};
  std::optional<Array> all;  // of those that are known only at run time
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (is_same(a.items[i], b.items[i])) continue;
    const bool has_objects = is_object(a.items[i]) || is_object(b.items[i]) ||
                             holds_objects(a.items[i]) || holds_objects(b.items[i]);
    const Value equal = has_objects
                            ? truth(reader_.binary(ast::Operator::Equal, a.items[i], b.items[i]))
                            : equal_items(a.items[i], b.items[i]);
    if (truth_of(equal) == false) return {false};
    if (truth_of(equal) == true) continue;
    const Array one = to_array(equal, "a comparison");
    all = all ? logical_and(*all, one) : one;
  }
  return all ? python_number(*all) : Value{true};
}

/// Of an object that Python compares as the tuple, list or dictionary that it is: that; other
/// values themselves.
Value Objects::as_container(const Value& value) {
  const Instance* object = instance_of(value);
  if (object == nullptr) return value;
  if (object->type->kind == Class::Kind::Tuple) return new_sequence(false, field_values(value));
  return object->type->container ? items_of(value) : value;
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

Value Objects::iterable(const Value& value) {
  if (const auto* type = value.as<ClassPtr>())
    if ((*type)->kind == Class::Kind::Enum) return (*type)->members.at("__members__");
  if (is_outside(value)) return reader_.ask_python("items", {value});
  const Instance* object = instance_of(value);
  if (object == nullptr) return value;
  Value items = iterator_or_self(value);
  if (is_iterator(items)) return gone_through(rest_of(items));
  if (items.as<InstancePtr>() == nullptr) return items;
  if (object->type->kind == Class::Kind::Tuple) return new_sequence(false, field_values(value));
  if (object->type->container) return items_of(value);
  const auto length = call_method(value, "__len__", {});
  if (!length || object->type->member("__getitem__") == nullptr)
    raise_type_error(fmt::format("'{}' object is not iterable", object->type->name));
  std::vector<Value> elements;
  for (Index i = 0; i < length->integer("a length"); ++i)
    elements.push_back(*call_method(value, "__getitem__", {{i}}));
  return new_sequence(false, std::move(elements));
}

Value Objects::truth(const Value& value) {
  if (const auto* list = value.as<RunList>()) return python_number(list->count->read() > 0);
  if (!is_object(value)) return value;
  if (const Value whole = whole_of(value); !is_object(whole)) return whole;
  if (auto held = call_method(value, "__bool__", {})) return *held;
  if (const auto length = call_method(value, "__len__", {}))
    return reader_.binary(ast::Operator::NotEqual, *length, Value{std::int64_t{0}});
  if (const Instance* object = instance_of(value); object != nullptr && object->type->container)
    return items_of(value);
  return {true};
}

// ---- texts ----

/// Whether it is a list, a tuple or a dictionary that holds objects.
static bool holds_objects(const Value& value) {
  bool any = false;
  if (value.as<Sequence>() == nullptr && value.as<Dict>() == nullptr) return false;
  for_each_part(value, [&](const Value& part) { any = any || is_object(part); });
  return any;
}

Value Objects::repr(const Value& value) {
  const bool is_made = is_object(value) || holds_objects(value);
  return is_made ? text(value, true) : formatted_value(value, "r", "");
}

/// Of a list, a tuple or a dictionary: each of its items as repr() shows it.
Value Objects::text_of_items(const Value& value) {
  const auto* sequence = value.as<Sequence>();
  const auto* dict = value.as<Dict>();
  if ((sequence != nullptr && sequence->is_set) || (dict != nullptr && !dict->type.empty()))
    misuse("print", "str() of {} is not supported", value.description());
  const Items& items = dict != nullptr ? dict->values : sequence->items;
  const std::string_view ends = dict != nullptr ? "{}" : sequence->list ? "[]" : "()";
  Value result{std::string(1, ends[0])};
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) result = joined_texts(result, {std::string(", ")});
    if (dict != nullptr)
      result = joined_texts(joined_texts(result, repr(dict->keys[i])), {std::string(": ")});
    result = joined_texts(result, repr(items[i]));
  }
  const bool is_single = ends == "()" && items.size() == 1;
  return joined_texts(result, {(is_single ? "," : "") + std::string(1, ends[1])});
}

Value Objects::text(const Value& value, bool is_repr) {
  const Instance* object = instance_of(value);
  if (const auto* type = value.as<ClassPtr>()) {
    if (exception_class((*type)->name) == *type)
      return {fmt::format("<class '{}'>", (*type)->name)};
    return {fmt::format("<class '__main__.{}'>", (*type)->name)};
  }
  if (object == nullptr) return holds_objects(value) ? text_of_items(value) : value;
  if (!is_repr)
    if (auto made = call_method(value, "__str__", {})) return *made;
  if (auto made = call_method(value, "__repr__", {})) return *made;
  const Class& type = *object->type;
  if (object->whole && !is_repr) return {std::to_string(*object->whole)};
  if (type.kind == Class::Kind::Enum) {
    const std::string name = *attribute(value, "name")->as<std::string>();
    if (!is_repr) return {fmt::format("{}.{}", type.name, name)};
    return joined_texts(
        joined_texts({fmt::format("<{}.{}: ", type.name, name)}, repr(*attribute(value, "value"))),
        {std::string(">")});
  }
  if (type.kind == Class::Kind::Exception) {
    const Value args = *attribute(value, "args");
    const Items& given = args.as<Sequence>()->items;
    if (is_repr && given.size() != 1)
      return joined_texts({type.name}, given.empty() ? Value{"()"} : text_of_items(args));
    if (is_repr)
      return joined_texts(joined_texts({type.name + "("}, repr(given[0])), {std::string(")")});
    if (given.empty()) return {std::string()};
    if (given.size() > 1) return text_of_items(args);
    const bool is_key = object->type->is_a(*exception_class("KeyError"));
    if (is_key) return repr(given[0]);
    const Value made = text(given[0]);
    return is_text(made) ? made : formatted_value(made, "", "");
  }
  if (type.kind != Class::Kind::Data && type.kind != Class::Kind::Tuple) return chosen_text();
  Value result{type.name + "("};
  bool first = true;
  for (const Field& field : type.fields) {
    result = joined_texts(result, {(first ? "" : ", ") + field.name + "="});
    result = joined_texts(result, repr(*attribute(value, field.name)));
    first = false;
  }
  return joined_texts(result, {std::string(")")});
}

Value Objects::formatted(const Value& value, const std::string& how) {
  if (instance_of(value) == nullptr) return formatted_value(text(value), "", how);
  if (auto made = call_method(value, "__format__", {{how}})) return *made;
  if (const Value whole = whole_of(value); !is_object(whole))
    return formatted_value(whole, "", how);
  const Value made = text(value);
  if (how.empty()) return made;
  throw PythonError("TypeError", "program",
                    fmt::format("unsupported format string passed to {}.__format__",
                                instance_of(value)->type->name));
}

// ---- copies ----

Value Objects::deep_copy(const Value& value) {
  if (copies_ != nullptr) return reader_.deep_copy(value);
  std::unordered_map<const void*, Value> copies;
  const Exchanged made(copies_, &copies);
  return reader_.deep_copy(value);
}

Value Objects::copied(const Value& value, bool is_deep) {
  const auto* object = value.as<InstancePtr>();
  if (object == nullptr || (*object)->type->kind == Class::Kind::Enum) return value;
  const std::string own = is_deep ? "__deepcopy__" : "__copy__";
  if ((*object)->type->member(own) != nullptr)
    return *call_method(value, own, is_deep ? std::vector<Value>{{Dict{}}} : std::vector<Value>{});
  if (!is_deep && (*object)->type->container)
    misuse("copy.copy", "of an object that is a dict or a list is not supported");
  const Value copy = new_object((*object)->type, (*object)->name);
  if (copies_ != nullptr && is_deep) copies_->emplace(object->get(), copy);
  const InstancePtr& made = *copy.as<InstancePtr>();
  const bool sets_state = (*object)->type->member("__setstate__") != nullptr;
  if (const auto state = call_method(value, "__getstate__", {}); state || sets_state) {
    Dict all;
    for (const auto& [name, held] : attributes_of(**object)) set_key(all, {name}, *read(held));
    const Value now = state ? *state : Value{all};
    const Value given = is_deep ? reader_.deep_copy(now) : now;
    if (sets_state) return (void)call_method(copy, "__setstate__", {given}), copy;
    const Dict attributes = dict_of(given);
    for (std::size_t i = 0; i < attributes.keys.size(); ++i)
      set_own(*made, made, *attributes.keys[i].as<std::string>(), attributes.values[i]);
    return copy;
  }
  for (const auto& [name, held] : attributes_of(**object)) {
    const Value now = *read(held);
    set_own(*made, made, name, is_deep ? reader_.deep_copy(now) : now);
  }
  return copy;
}

// ---- functions ----

std::optional<Value> Objects::call(const Value& callee, Call& call, std::uint32_t expression) {
  if (const auto* type = callee.as<ClassPtr>()) return instantiate(*type, call, expression);
  if (const auto* getter = callee.as<Method>();
      getter != nullptr && getter->name.starts_with("operator.") && call.arguments.size() == 1) {
    std::vector<Value> got;
    for (const Value& key : getter->self) {
      Value now = call.arguments[0];
      if (getter->name == "operator.itemgetter()") {
        const auto held = item(now, {key});
        got.push_back(held ? *held : subscript(now, {key}));
        continue;
      }
      for (std::string_view path = *key.as<std::string>(); !path.empty();) {
        const std::size_t end = std::min(path.find('.'), path.size());
        now = reader_.attribute(now, std::string(path.substr(0, end)));
        path.remove_prefix(std::min(end + 1, path.size()));
      }
      got.push_back(now);
    }
    return got.size() == 1 ? got[0] : new_sequence(false, std::move(got));
  }
  if (const Instance* object = instance_of(callee)) {
    const Value* method = object->type->member("__call__");
    if (method == nullptr)
      raise_type_error(fmt::format("'{}' object is not callable", object->type->name));
    call.arguments.insert(call.arguments.begin(), callee);
    call.name = object->type->name + ".__call__";
    return reader_.call_value(*method, call);
  }
  const auto* module = callee.as<Module>();
  const auto* ignored = callee.as<Ignored>();
  if (const auto* bound = callee.as<Method>();
      bound != nullptr &&
      (bound->name == "functools.wraps()" || bound->name.starts_with("container.") ||
       bound->name.starts_with("iterator."))) {
    call.arguments.insert(call.arguments.begin(), bound->self.begin(), bound->self.end());
    return call_imported(bound->name, call, expression);
  }
  if (module != nullptr) return call_imported(module->name, call, expression);
  if (ignored != nullptr) return call_imported(ignored->name, call, expression);
  return std::nullopt;
}

/// super() in a method.
static Value super_of(const ClassPtr& type, const Value& self) {
  return {Super{type, Items({self})}};
}

std::optional<Value> Objects::call_builtin(Call& call) {
  const std::string& name = call.name;
  auto& arguments = call.arguments;
  if (name == "super") {
    if (arguments.size() == 2) return super_of(*arguments[0].as<ClassPtr>(), arguments[1]);
    const std::uint32_t function = reader_.scope().function;
    const auto type = class_of_.find(function);
    if (type == class_of_.end()) misuse("super", "super() must be called in a method of a class");
    const auto parameters = reader_.tree_.parameters_of(reader_.tree_.statements[function]);
    return super_of(type->second, reader_.scope().names.at(parameters[0].name));
  }
  if (auto made = call_iteration(call)) return made;
  const auto named = [&]() -> const std::string& {
    const auto* text = arguments.size() < 2 ? nullptr : arguments[1].as<std::string>();
    if (text == nullptr) misuse(name, "takes an object and the name of an attribute, a string");
    return *text;
  };
  if (name == "hasattr" || name == "getattr") {
    const std::string attribute_name = named();
    const Exchanged tried(reader_.tried_, reader_.tried_ + 1);
    try {
      Value value = reader_.attribute(arguments[0], attribute_name);
      return name == "hasattr" ? Value{true} : value;
    } catch (const cudamat::CUDAMatException&) {
      if (name == "hasattr") return Value{false};
      if (arguments.size() < 3) throw;
      return arguments[2];
    }
  }
  if (name == "setattr" || name == "delattr") {
    if (name == "setattr" && arguments.size() != 3)
      misuse(name, "takes an object, the name of an attribute and its value");
    name == "setattr" ? set(arguments[0], named(), arguments[2]) : remove(arguments[0], named());
    return Value{};
  }
  if (name == "callable" && arguments.size() == 1) {
    const Value& x = arguments[0];
    const Instance* object = instance_of(x);
    return Value{x.as<UserFunction>() != nullptr || x.as<Function>() != nullptr ||
                 x.as<Method>() != nullptr || x.as<ClassPtr>() != nullptr ||
                 (object != nullptr && object->type->member("__call__") != nullptr)};
  }
  if (name == "id" && arguments.size() == 1 && instance_of(arguments[0]) != nullptr)
    return Value{static_cast<std::int64_t>(instance_of(arguments[0])->number)};
  const auto is_or_holds = [](const Value& value) {
    const auto* through = value.as<Iteration>();
    const Value& held = through != nullptr && !through->parts.empty() ? through->parts[0] : value;
    return is_object(value) || holds_objects(held);
  };
  if (name == "sum" && !arguments.empty()) {
    const Value items = arguments[0] = iterable(arguments[0]);
    const auto length = iteration_length(items);
    const bool of_objects = arguments.size() > 1 && is_object(arguments[1]);
    if (length && (of_objects || (*length > 0 && is_object(iteration_element(items, {0, {}}))))) {
      Value total = arguments.size() > 1 ? arguments[1] : Value{std::int64_t{0}};
      for (const Value& each : elements_of(items))
        total = reader_.binary(ast::Operator::Add, total, each);
      return total;
    }
  }
  if (!has_word(" print isinstance issubclass type vars callable id str repr ", name))
    for (Value& each : arguments) each = whole_of(each);
  if (name == "itertools.chain.from_iterable" && arguments.size() == 1) {
    std::vector<Value> parts;
    for (const Value& each : elements_of(iterable(arguments[0]))) parts.push_back(iterable(each));
    arguments[0] = new_sequence(true, std::move(parts));
    return std::nullopt;
  }
  if (std::none_of(arguments.begin(), arguments.end(), is_or_holds)) return std::nullopt;
  if ((name == "str" || name == "repr") && arguments.size() == 1)
    return text(arguments[0], name == "repr");
  if (name == "format" && (arguments.size() == 1 || arguments[1].as<std::string>() != nullptr))
    return formatted(arguments[0],
                     arguments.size() > 1 ? *arguments[1].as<std::string>() : std::string());
  if ((name == "any" || name == "all") && arguments.size() == 1 && is_iterator(arguments[0])) {
    std::vector<Value> open;  // known at run time only
    while (const auto item = next(arguments[0])) {
      const Value held = truth(*item);
      const auto known = truth_of(held);
      if (known && *known == (name == "any")) return Value{*known};
      if (!known) open.push_back(held);
    }
    arguments[0] = new_sequence(true, std::move(open));
    return std::nullopt;
  }
  if ((name == "any" || name == "all") && arguments.size() == 1) {
    std::vector<Value> truths;
    for (const Value& each : elements_of(iterable(arguments[0]))) truths.push_back(truth(each));
    arguments[0] = new_sequence(true, std::move(truths));
    return std::nullopt;
  }
  if (name == "print") {
    for (Value& each : arguments) each = text(each);
    return std::nullopt;
  }
  if (name == "isinstance" || name == "issubclass") {
    if (arguments.size() != 2) misuse(name, "takes a value and its types");
    std::vector<Value> types{arguments[1]};
    if (const auto* several = arguments[1].as<Sequence>())
      types.assign(several->items.begin(), several->items.end());
    const Instance* object = instance_of(arguments[0]);
    const auto* given = arguments[0].as<ClassPtr>();
    const bool asks_class = given != nullptr && name == "issubclass";
    const ClassPtr type = object != nullptr ? object->type : asks_class ? *given : nullptr;
    if (given != nullptr && !asks_class) {
      const auto is_type = [](const Value& each) {
        const auto* function = each.as<Function>();
        return function != nullptr && function->name == "type";
      };
      return Value{std::any_of(types.begin(), types.end(), is_type)};
    }
    for (const Value& each : types) {
      const auto* asked = each.as<ClassPtr>();
      if (asked != nullptr && type != nullptr && type->is_a(**asked)) return Value{true};
      if (asked == nullptr && type != nullptr && has_base_of_python(*type, each))
        return Value{true};
      if (type == nullptr && asked == nullptr) {
        Call other{name, {arguments[0], each}, {}, call.steps};
        if (truth_of(call_function(other)) == true) return Value{true};
      }
    }
    return Value{false};
  }
  if (!is_object(arguments[0]) && name != "zip") return std::nullopt;
  if (name == "type" && arguments.size() == 1 && instance_of(arguments[0]) != nullptr)
    return Value{instance_of(arguments[0])->type};
  if (name == "vars") return attribute(arguments[0], "__dict__");
  if (name == "len" || name == "abs" || name == "float" || name == "int" || name == "round") {
    if (auto result = call_method(arguments[0], fmt::format("__{}__", name), {})) return result;
    if (name == "len") return Value{static_cast<Index>(elements_of(iterable(arguments[0])).size())};
    misuse(name, "{} has no method __{}__", arguments[0].description(), name);
  }
  if (name == "bool") {
    arguments[0] = truth(arguments[0]);
    return std::nullopt;
  }
  if ((name == "min" || name == "max") && arguments.size() > 1) return std::nullopt;
  if (name == "str" || name == "repr") return text(arguments[0], name == "repr");
  if (name == "hash") {
    if (auto made = call_method(arguments[0], "__hash__", {})) return made;
    misuse("hash", "is supported of objects with a method __hash__");
  }
  if (name == "reversed")
    if (auto made = call_method(arguments[0], "__reversed__", {})) return iterator_or_items(*made);
  for (Value& each : arguments)
    if (auto array = call_method(each, "__array__", {}))
      each = *array;
    else if (is_object(each))
      each = iterable(each);
  return std::nullopt;
}

Value Objects::named_tuple(const Call& call) {
  const auto bound = call.bind({"typename", "field_names", "defaults"}, 2);
  const auto made = std::make_shared<Class>();
  const auto* name = bound[0]->as<std::string>();
  if (name == nullptr) misuse("namedtuple", "takes the name of the class, a string");
  made->name = *name;
  made->kind = Class::Kind::Tuple;
  made->number = ++made_;
  std::vector<std::string> names;
  if (const auto* text = bound[1]->as<std::string>()) {
    std::string word;
    for (const char c : *text + " ") {
      if (c != ' ' && c != ',') {
        word += c;
      } else if (!word.empty()) {
        names.push_back(std::exchange(word, {}));
      }
    }
  } else {
    for (const Value& each : elements_of(*bound[1])) names.push_back(*each.as<std::string>());
  }
  std::vector<Value> defaults;
  if (bound[2] != nullptr) defaults = elements_of(*bound[2]);
  for (std::size_t i = 0; i < names.size(); ++i) {
    Field field{names[i]};
    if (i + defaults.size() >= names.size())
      field.standard = defaults[i + defaults.size() - names.size()];
    made->fields.push_back(std::move(field));
  }
  return {made};
}

Value Objects::namespace_of(const Call& call) {
  if (!namespace_) {
    namespace_ = std::make_shared<Class>();
    namespace_->name = "SimpleNamespace";
  }
  const Value object = new_object(namespace_, "namespace");
  const InstancePtr& self = *object.as<InstancePtr>();
  for (const auto& [name, value] : call.keywords) set_own(*self, self, name, value);
  return object;
}

static std::optional<ast::Operator> operator_of(std::string_view name) {
  using enum ast::Operator;
  constexpr std::pair<std::string_view, ast::Operator> kOperators[] = {
      {"add", Add},
      {"sub", Subtract},
      {"mul", Multiply},
      {"truediv", Divide},
      {"floordiv", FloorDivide},
      {"mod", Modulo},
      {"matmul", MatMul},
      {"pow", Power},
      {"lt", Less},
      {"le", LessEqual},
      {"gt", Greater},
      {"ge", GreaterEqual},
      {"eq", Equal},
      {"ne", NotEqual},
      {"and_", BitAnd},
      {"or_", BitOr},
      {"xor", BitXor},
  };
  for (const auto& [spelled, op] : kOperators)
    if (name == spelled) return op;
  return std::nullopt;
}

bool Objects::is_known_import(const std::string& name) {
  return has_word(
             " collections.namedtuple types.SimpleNamespace itertools.count itertools.cycle "
             "itertools.pairwise itertools.accumulate "
             "bisect.bisect bisect.bisect_left bisect.bisect_right "
             "functools.wraps functools.update_wrapper functools.cached_property "
             "functools.total_ordering operator.itemgetter operator.attrgetter ",
             name) ||
         (name.starts_with("operator.") && operator_of(name.substr(9)));
}

/// What the value is now, whatever its lists and dictionaries become.
static Value as_now(Value value) {
  const auto keep = [](Items& items) {
    std::vector<Value> kept;
    std::transform(items.begin(), items.end(), std::back_inserter(kept), as_now);
    items = Items(std::move(kept));
  };
  if (auto* list = std::get_if<Sequence>(&value.held)) keep(list->items);
  if (auto* dict = std::get_if<Dict>(&value.held)) {
    dict->keys = Items(std::vector<Value>(dict->keys.begin(), dict->keys.end()));
    keep(dict->values);
  }
  return value;
}

/// object.__new__(C), object.__setattr__(x, "w", value)
Value Objects::call_of_object(std::string_view name, const Call& call, std::uint32_t expression) {
  const Value& first = call.arguments.empty() ? Value{} : call.arguments[0];
  const auto* type = first.as<ClassPtr>();
  if (name == "__new__" && type != nullptr) {
    if (!(*type)->unusable.empty()) misuse("program", "{}", (*type)->unusable);
    return new_object(*type, name_for(expression));
  }
  const auto* self = first.as<InstancePtr>();
  const auto* attribute =
      call.arguments.size() == 3 ? call.arguments[1].as<std::string>() : nullptr;
  if (name != "__setattr__" || self == nullptr || attribute == nullptr)
    misuse("program", "object.{} of these arguments is not supported", name);
  set_own(**self, *self, *attribute, call.arguments[2]);
  constexpr std::size_t kOfCaller = 3;  // the module, the caller, its call
  if (reader_.scopes_.size() <= kOfCaller)
    given_[(*self)->number].emplace_back(*attribute, as_now(call.arguments[2]));
  return {};
}

std::optional<Value> Objects::call_imported(const std::string& name, const Call& call,
                                            std::uint32_t expression) {
  if (name.starts_with("builtins.object.__"))
    return call_of_object(std::string_view(name).substr(16), call, expression);
  if (name == "object.init") return Value{};
  if (name == "exception.init") {
    const auto* self = call.arguments.empty() ? nullptr : call.arguments[0].as<InstancePtr>();
    if (self == nullptr) misuse("program", "__init__ of an exception needs the exception");
    set_own(**self, *self, "args",
            new_sequence(false, {call.arguments.begin() + 1, call.arguments.end()}));
    return Value{};
  }
  if (name == "exception.itself") return call.arguments.at(0);
  if (name == "namedtuple.make")
    return instantiate(*call.arguments.at(0).as<ClassPtr>(),
                       {name, elements_of(iterable(call.arguments.at(1))), {}, call.steps},
                       expression);
  if (name == "sys.exit" && !reader_.in_loop() && !reader_.is_perhaps()) {
    const auto* status = call.arguments.empty() ? nullptr : call.arguments[0].as<std::int64_t>();
    if (status != nullptr && *status != 0)
      misuse("program", "sys.exit() ends the program with the status {}", *status);
    throw Interpreter::Ended{};
  }
  if (name == "functools.wraps")
    return Value{Method{"functools.wraps()", Items({call.arguments.at(0)})}};
  if (name == "functools.update_wrapper" && !call.arguments.empty() &&
      call.arguments[0].as<InstancePtr>() != nullptr) {
    const Value& wrapped = call.arguments.at(1);
    const auto* of = wrapped.as<UserFunction>();
    set(call.arguments[0], "__wrapped__", wrapped);
    if (of != nullptr)
      set(call.arguments[0], "__name__", {of->shown.empty() ? of->name : of->shown});
    return call.arguments[0];
  }
  if (name == "functools.update_wrapper")
    return call_imported("functools.wraps()",
                         {name, {call.arguments.at(1), call.arguments.at(0)}, {}, call.steps},
                         expression);
  if (name == "functools.wraps()") {  // the function gets the other one's name
    Value made = call.arguments.at(1);
    const auto* of = call.arguments[0].as<UserFunction>();
    auto* function = std::get_if<UserFunction>(&made.held);
    if (function != nullptr && of != nullptr)
      function->shown = of->shown.empty() ? of->name : of->shown;
    return made;
  }
  if (name.starts_with("bisect.bisect")) {
    if (call.arguments.size() != 2 || !call.keywords.empty())
      misuse(name, "takes a sorted list and a number");
    Call search{"np.searchsorted",
                {new_array(to_array(call.arguments[0], "the list")), call.arguments[1]},
                {{"side", Value{std::string(name == "bisect.bisect_left" ? "left" : "right")}}},
                call.steps};
    return python_int(to_array(call_function(search), "a place"));
  }
  if (name.starts_with("iterator.")) return call_of_iterator(name.substr(9), call);
  if (name == "container.__init__") {
    const InstancePtr& self = *call.arguments.at(0).as<InstancePtr>();
    make_items(
        self,
        {name, {call.arguments.begin() + 1, call.arguments.end()}, call.keywords, call.steps});
    return Value{};
  }
  if (name == "container.__getitem__")
    return item_of(items_of(call.arguments.at(0)), {call.arguments.at(1)});
  if (name == "container.__setitem__") {
    reader_.set_item(items_of(call.arguments.at(0)), {call.arguments.at(1)}, call.arguments.at(2));
    return Value{};
  }
  if (name == "container.__contains__")
    return reader_.binary(ast::Operator::In, call.arguments.at(1), items_of(call.arguments.at(0)));
  if (name == "container.__len__")
    return call_function({"len", {items_of(call.arguments.at(0))}, {}, call.steps});
  if (name == "container.__iter__") return items_of(call.arguments.at(0));
  if (name == "itertools.count") {
    std::vector<Value> parts{{Index{0}}, {Index{1}}};
    for (std::size_t i = 0; i < call.arguments.size(); ++i) parts.at(i) = call.arguments[i];
    return new_iterator("count", parts);
  }
  if (name == "itertools.pairwise") {
    const std::vector<Value> items = elements_of(iterable(call.arguments.at(0)));
    std::vector<Value> pairs;
    for (std::size_t i = 1; i < items.size(); ++i)
      pairs.push_back(new_sequence(false, {items[i - 1], items[i]}));
    return gone_through(std::move(pairs));
  }
  if (name == "itertools.accumulate") {
    std::vector<Value> items = elements_of(iterable(call.arguments.at(0)));
    for (std::size_t i = 1; i < items.size(); ++i) {
      Call made{"", {items[i - 1], items[i]}, {}, call.steps};
      items[i] = call.arguments.size() > 1
                     ? reader_.call_value(call.arguments[1], made)
                     : reader_.binary(ast::Operator::Add, items[i - 1], items[i]);
    }
    return gone_through(std::move(items));
  }
  if (name == "itertools.cycle") return new_iterator("cycle", {iterable(call.arguments.at(0))});
  if (name == "operator.itemgetter" || name == "operator.attrgetter")
    return Value{Method{name + "()", Items(std::vector(call.arguments))}};
  if (name.starts_with("operator.") && call.arguments.size() == 2)
    if (const auto op = operator_of(name.substr(9)))
      return reader_.binary(*op, call.arguments[0], call.arguments[1]);
  if (name == "collections.namedtuple") return named_tuple(call);
  if (name == "types.SimpleNamespace") return namespace_of(call);
  if (name == "dataclasses.field") {
    Dict told;
    told.type = name;
    for (const auto& [keyword, value] : call.keywords) set_key(told, {keyword}, value);
    return Value{told};
  }
  const bool is_copy = name == "copy.copy" || name == "copy.deepcopy";
  if (call.arguments.empty() || instance_of(call.arguments[0]) == nullptr) return std::nullopt;
  const Value& object = call.arguments[0];
  if (is_copy) return name == "copy.copy" ? copied(object, false) : deep_copy(object);
  if (name == "dataclasses.replace") {
    for (const char* method : {"__copy__", "__getstate__", "__setstate__"})
      if (instance_of(object)->type->member(method) != nullptr)
        misuse(name, "of a class with the method {} is not supported", method);
    Value copy = copied(object, false);
    for (const auto& [keyword, value] : call.keywords) {
      const InstancePtr& self = *copy.as<InstancePtr>();
      set_own(*self, self, keyword, value);
    }
    if (instance_of(copy)->type->member("__post_init__") != nullptr)
      (void)call_method(copy, "__post_init__", {});
    return copy;
  }
  if (name == "dataclasses.asdict") {
    Dict dict;
    for (const Field& field : instance_of(object)->type->fields)
      set_key(dict, {field.name}, *attribute(object, field.name));
    return Value{dict};
  }
  if (name == "dataclasses.astuple") return new_sequence(false, field_values(object));
  return std::nullopt;
}

// ---- with ----

Value Objects::entered(const Value& manager) {
  if (is_iterator(manager)) return next(manager).value_or(Value{});
  if (instance_of(manager) == nullptr) return manager;
  auto value = call_method(manager, "__enter__", {});
  if (!value)
    misuse("program", "'{}' object does not support the context manager protocol",
           instance_of(manager)->type->name);
  return *value;
}

bool Objects::takes(const Value& manager, const RaisedException& raised) {
  if (is_iterator(manager)) {  // the exception is raised at its `yield`
    const InstancePtr& self = *manager.as<InstancePtr>();
    if (self->name != "generator" || self->type != iterator_)
      misuse("program", "an exception in a `with` of an iterator is not supported");
    if (next_of_generator(self, {}, &raised))
      misuse("program", "the generator of a context manager yields again after an exception");
    return true;
  }
  if (instance_of(manager) == nullptr) return false;
  const ClassPtr own = raised.type();
  const Value type = own != nullptr ? Value{own} : Value{};
  const auto result = call_method(manager, "__exit__", {type, raised.exception(), Value{}});
  return result && truth_of(truth(*result)) == true;
}

void Objects::exited(const Value& manager) {
  if (is_iterator(manager))
    (void)next(manager);
  else if (instance_of(manager) != nullptr)
    (void)call_method(manager, "__exit__", {Value{}, Value{}, Value{}});
}

}  // namespace rewriter

// The reader: what operators, loops and functions of Python ask of objects, by special methods.
#include <algorithm>

#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/exchanged.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/objects.hpp"
#include "rewriter/reader/walk/outside.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

const Instance* instance_of(const Value& value) {
  const auto* object = value.as<InstancePtr>();
  return object == nullptr ? nullptr : object->get();
}

bool is_object(const Value& value) {
  return value.as<InstancePtr>() != nullptr || value.as<ClassPtr>() != nullptr;
}

bool are_one_object(const Value& a, const Value& b) {
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

[[noreturn]] void raise_type_error(const std::string& message) {
  throw PythonError("TypeError", "program", message, {chosen_text()});
}

/// Whether two tuples or two lists that hold objects are equal.
Value Objects::equal_sequences(const Value& left, const Value& right) {
  const Sequence& a = *left.as<Sequence>();
  const Sequence& b = *right.as<Sequence>();
  if (a.list != b.list || a.items.size() != b.items.size()) return {false};
  std::optional<Array> all;  // of those that are known only at run time
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (are_one_object(a.items[i], b.items[i])) continue;
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
  if (const Instance* flag = instance_of(value); flag != nullptr && flag->type->is_flag)
    return *attribute(value, "value");
  if (auto held = call_method(value, "__bool__", {})) return *held;
  if (const auto length = call_method(value, "__len__", {}))
    return reader_.binary(ast::Operator::NotEqual, *length, Value{std::int64_t{0}});
  if (const Instance* object = instance_of(value); object != nullptr && object->type->container)
    return items_of(value);
  return {true};
}

// ---- texts ----

bool holds_objects(const Value& value) {
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
  if (!is_repr && type.is_reprs) {
    if (object->text) return {*object->text};
    if (object->whole) return {std::to_string(*object->whole)};
  }
  if (type.kind == Class::Kind::Enum) {
    const Value of_member = *attribute(value, "name");  // None: of no flags
    const auto* member = of_member.as<std::string>();
    const Value held = *attribute(value, "value");
    const std::string name = member == nullptr ? type.name : type.name + "." + *member;
    if (!is_repr && member != nullptr) return {name};
    if (!is_repr) return joined_texts(joined_texts({name + "("}, repr(held)), {std::string(")")});
    return joined_texts(joined_texts({fmt::format("<{}: ", name)}, repr(held)), {std::string(">")});
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
  if (!type.shows_fields) return chosen_text();
  for (const Field& field : type.fields) {
    if (!field.is_shown) continue;
    result = joined_texts(result, {(first ? "" : ", ") + field.name + "="});
    result = joined_texts(result, repr(*attribute(value, field.name)));
    first = false;
  }
  return joined_texts(result, {std::string(")")});
}

Value Objects::formatted(const Value& value, const std::string& how) {
  if (instance_of(value) == nullptr) return formatted_value(text(value), "", how);
  if (auto made = call_method(value, "__format__", {{how}})) return *made;
  const bool is_mixed = instance_of(value)->whole || instance_of(value)->text;
  if (const Value made = text(value); is_mixed && !how.empty())
    return formatted_value(instance_of(value)->text ? made : whole_of(value), "", how);
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
  Value copy = new_object((*object)->type, (*object)->name);
  if (copies_ != nullptr && is_deep) copies_->emplace(object->get(), copy);
  const InstancePtr& made = *copy.as<InstancePtr>();
  const bool sets_state = (*object)->type->member("__setstate__") != nullptr;
  if (const auto state = call_method(value, "__getstate__", {}); state || sets_state) {
    Dict all;
    for (const auto& [name, held] : attributes_of(**object)) set_key(all, {name}, *read(held));
    const Value now = state ? *state : Value{all};
    const Value given = is_deep ? reader_.deep_copy(now) : now;
    if (sets_state) {
      (void)call_method(copy, "__setstate__", {given});
      return copy;
    }
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

// ---- with ----

Value Objects::entered(const Value& manager) {
  if (is_iterator(manager)) return next(manager).value_or(Value{});
  if (instance_of(manager) == nullptr) return manager;
  auto value = call_method(manager, "__enter__", {});
  if (!value)
    misuse(Exception::TypeError, "program",
           "'{}' object does not support the context manager protocol",
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

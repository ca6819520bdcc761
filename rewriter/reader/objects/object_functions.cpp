// The reader: functions of Python that ask for objects.
#include <algorithm>
#include <span>
#include <unordered_map>

#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/exchanged.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/objects.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

/// Whether a class is one of Python's: `list` of `class Stack(list)`, `tuple` of a named tuple.
static bool has_base_of_python(const Class& type, const Value& asked) {
  const auto* ignored = asked.as<Ignored>();
  if (ignored != nullptr)
    return type.kind == Class::Kind::Enum &&
           (ignored->name == "enum.Enum" || (type.is_flag && ignored->name == "enum.Flag") ||
            (type.holds_numbers && ignored->name == "enum.IntEnum"));
  const auto* function = asked.as<Function>();
  if (function == nullptr) return false;
  const std::string& name = function->name;
  if (name == "object" || (name == "int" && type.holds_numbers)) return true;
  if (name == "str" && type.holds_texts) return true;
  if (name == "tuple") return type.kind == Class::Kind::Tuple;
  const auto* container = type.container ? type.container->as<Function>() : nullptr;
  return container != nullptr &&
         (container->name == name || (name == "dict" && container->name != "list"));
}

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

/// A call of one of Python's functions that ask for objects.
struct Objects::Asked {
  using Answer = std::optional<Value> (Asked::*)();
  using Table = std::unordered_map<std::string_view, Answer>;

  Objects& objects;
  Call& call;
  const std::string& name = call.name;
  std::vector<Value>& arguments = call.arguments;

  // ---- of any values

  std::optional<Value> super() {
    if (arguments.size() == 2)
      return Value{Super{*arguments[0].as<ClassPtr>(), Items({arguments[1]})}};
    Interpreter& reader = objects.reader_;
    const std::uint32_t function = reader.scope().function;
    const auto type = objects.class_of_.find(function);
    if (type == objects.class_of_.end())
      misuse("super", "super() must be called in a method of a class");
    const auto parameters = reader.tree_.parameters_of(reader.tree_.statements[function]);
    return Value{Super{type->second, Items({reader.scope().names.at(parameters[0].name)})}};
  }

  [[nodiscard]] const std::string& attribute_name() const {
    const auto* text = arguments.size() < 2 ? nullptr : arguments[1].as<std::string>();
    if (text == nullptr) misuse(name, "takes an object and the name of an attribute, a string");
    return *text;
  }

  /// Nothing where there is none of that name.
  std::optional<Value> attribute_if_there() {
    Interpreter& reader = objects.reader_;
    const std::string attribute = attribute_name();
    const Exchanged tried(reader.tried_, reader.tried_ + 1);
    try {
      return reader.attribute(arguments[0], attribute);
    } catch (const cudamat::CUDAMatException&) {
      if (name == "getattr" && arguments.size() < 3) throw;
      return std::nullopt;
    }
  }
  std::optional<Value> has_attribute() { return Value{attribute_if_there().has_value()}; }
  std::optional<Value> get_attribute() {
    const auto value = attribute_if_there();
    return value ? *value : arguments[2];
  }
  std::optional<Value> set_attribute() {
    if (arguments.size() != 3)
      misuse(name, "takes an object, the name of an attribute and its value");
    objects.set(arguments[0], attribute_name(), arguments[2]);
    return Value{};
  }
  std::optional<Value> delete_attribute() {
    objects.remove(arguments[0], attribute_name());
    return Value{};
  }

  std::optional<Value> is_callable() {
    if (arguments.size() != 1) return std::nullopt;
    const Value& x = arguments[0];
    const Instance* object = instance_of(x);
    return Value{x.as<UserFunction>() != nullptr || x.as<Function>() != nullptr ||
                 x.as<Method>() != nullptr || x.as<ClassPtr>() != nullptr ||
                 (object != nullptr && object->type->member("__call__") != nullptr)};
  }

  std::optional<Value> identity() {
    if (arguments.size() != 1 || instance_of(arguments[0]) == nullptr) return std::nullopt;
    return Value{static_cast<std::int64_t>(instance_of(arguments[0])->number)};
  }

  std::optional<Value> sum() {
    if (arguments.empty()) return std::nullopt;
    const Value items = arguments[0] = objects.iterable(arguments[0]);
    const auto length = iteration_length(items);
    const auto begins_with_object = [&] {
      return *length > 0 && is_object(iteration_element(items, {0, {}}));
    };
    const bool of_objects = arguments.size() > 1 && is_object(arguments[1]);
    if (!length || (!of_objects && !begins_with_object())) return std::nullopt;
    Value total = arguments.size() > 1 ? arguments[1] : Value{std::int64_t{0}};
    for (const Value& each : elements_of(items))
      total = objects.reader_.binary(ast::Operator::Add, total, each);
    return total;
  }

  std::optional<Value> chain() {
    if (arguments.size() != 1) return std::nullopt;
    std::vector<Value> parts;
    for (const Value& each : elements_of(objects.iterable(arguments[0])))
      parts.push_back(objects.iterable(each));
    arguments[0] = new_sequence(true, std::move(parts));
    return std::nullopt;
  }

  // ---- of values among which are objects, or lists that hold some

  std::optional<Value> text() {
    if (arguments.size() != 1) return std::nullopt;
    return objects.text(arguments[0], name == "repr");
  }

  std::optional<Value> format() {
    const auto* how = arguments.size() > 1 ? arguments[1].as<std::string>() : nullptr;
    if (arguments.size() > 1 && how == nullptr) return std::nullopt;
    return objects.formatted(arguments[0], how != nullptr ? *how : std::string());
  }

  /// any and all, which leave an iterator where they end.
  std::optional<Value> truths() {
    if (arguments.size() != 1) return std::nullopt;
    std::vector<Value> open;  // of an iterator those that are known at run time only
    if (objects.is_iterator(arguments[0])) {
      while (const auto item = objects.next(arguments[0])) {
        const Value held = objects.truth(*item);
        const auto known = truth_of(held);
        if (known && *known == (name == "any")) return Value{*known};
        if (!known) open.push_back(held);
      }
    } else {
      for (const Value& each : elements_of(objects.iterable(arguments[0])))
        open.push_back(objects.truth(each));
    }
    arguments[0] = new_sequence(true, std::move(open));
    return std::nullopt;
  }

  /// A function, and what it gets the items of.
  std::optional<Value> of_function() { return as_arrays_or_items(1); }

  /// functools.reduce: what it begins with stays an object.
  std::optional<Value> reduce() {
    if (arguments.size() > 1 && is_object(arguments[1]))
      arguments[1] = objects.iterable(arguments[1]);
    return std::nullopt;
  }

  std::optional<Value> print() {
    for (Value& each : arguments) each = objects.text(each);
    return std::nullopt;
  }

  std::optional<Value> is_of_class() {
    if (arguments.size() != 2) misuse(Exception::TypeError, name, "takes a value and its types");
    std::vector<Value> types{arguments[1]};
    if (const auto* several = arguments[1].as<Sequence>())
      types.assign(several->items.begin(), several->items.end());
    const Instance* object = instance_of(arguments[0]);
    const auto* given = arguments[0].as<ClassPtr>();
    if (given != nullptr && name == "isinstance")
      return Value{std::any_of(types.begin(), types.end(), [](const Value& each) {
        const auto* function = each.as<Function>();
        return function != nullptr && function->name == "type";
      })};
    const ClassPtr type = object != nullptr ? object->type : given != nullptr ? *given : nullptr;
    return Value{std::any_of(types.begin(), types.end(),
                             [&](const Value& each) { return is_of_class(type, each); })};
  }

  /// `type`: the class of the first argument, if it has one of the program's.
  bool is_of_class(const ClassPtr& type, const Value& asked) {
    const auto* asked_class = asked.as<ClassPtr>();
    if (type != nullptr)
      return asked_class != nullptr ? type->is_a(**asked_class) : has_base_of_python(*type, asked);
    return asked_class == nullptr &&
           truth_of(call_function({name, {arguments[0], asked}, {}, call.steps})) == true;
  }

  // ---- of an object

  std::optional<Value> type() {
    if (arguments.size() != 1 || instance_of(arguments[0]) == nullptr) return as_arrays_or_items();
    return Value{instance_of(arguments[0])->type};
  }

  std::optional<Value> attributes() { return objects.attribute(arguments[0], "__dict__"); }

  std::optional<Value> special_method() {
    auto result = objects.call_method(arguments[0], fmt::format("__{}__", name), {});
    if (!result) misuse(name, "{} has no method __{}__", arguments[0].description(), name);
    return result;
  }

  std::optional<Value> length() {
    if (auto result = objects.call_method(arguments[0], "__len__", {})) return result;
    return Value{static_cast<Index>(elements_of(objects.iterable(arguments[0])).size())};
  }

  std::optional<Value> truth() {
    arguments[0] = objects.truth(arguments[0]);
    return std::nullopt;
  }

  std::optional<Value> extreme() {
    return arguments.size() > 1 ? std::nullopt : as_arrays_or_items();
  }

  std::optional<Value> hash() {
    if (auto made = objects.call_method(arguments[0], "__hash__", {})) return made;
    misuse("hash", "is supported of objects with a method __hash__");
  }

  std::optional<Value> reversed() {
    if (const auto made = objects.call_method(arguments[0], "__reversed__", {}))
      return objects.iterator_or_items(*made);
    return as_arrays_or_items();
  }

  /// Other functions get what the objects from `first` on give as arrays, or their items.
  std::optional<Value> as_arrays_or_items(std::size_t first = 0) {
    for (Value& each : std::span(arguments).subspan(first))
      if (const auto array = objects.call_method(each, "__array__", {}))
        each = *array;
      else if (is_object(each))
        each = objects.iterable(each);
    return std::nullopt;
  }

  static const Table& of_any();
  static const Table& of_holders();
  static const Table& of_objects();

  /// What the table's function gives; nothing where it has none of the name.
  std::optional<std::optional<Value>> by(const Table& table) {
    const auto found = table.find(name);
    if (found == table.end()) return std::nullopt;
    return (this->*found->second)();
  }
};

const Objects::Asked::Table& Objects::Asked::of_any() {
  static const Table functions{
      {"callable", &Asked::is_callable},  {"delattr", &Asked::delete_attribute},
      {"getattr", &Asked::get_attribute}, {"hasattr", &Asked::has_attribute},
      {"id", &Asked::identity},           {"itertools.chain.from_iterable", &Asked::chain},
      {"setattr", &Asked::set_attribute}, {"sum", &Asked::sum},
      {"super", &Asked::super},
  };
  return functions;
}

const Objects::Asked::Table& Objects::Asked::of_holders() {
  static const Table functions{
      {"all", &Asked::truths},
      {"any", &Asked::truths},
      {"filter", &Asked::of_function},
      {"format", &Asked::format},
      {"functools.reduce", &Asked::reduce},
      {"isinstance", &Asked::is_of_class},
      {"issubclass", &Asked::is_of_class},
      {"itertools.dropwhile", &Asked::of_function},
      {"itertools.filterfalse", &Asked::of_function},
      {"itertools.starmap", &Asked::of_function},
      {"itertools.takewhile", &Asked::of_function},
      {"map", &Asked::of_function},
      {"print", &Asked::print},
      {"repr", &Asked::text},
      {"str", &Asked::text},
  };
  return functions;
}

const Objects::Asked::Table& Objects::Asked::of_objects() {
  static const Table functions{
      {"abs", &Asked::special_method},
      {"bool", &Asked::truth},
      {"float", &Asked::special_method},
      {"hash", &Asked::hash},
      {"int", &Asked::special_method},
      {"len", &Asked::length},
      {"max", &Asked::extreme},
      {"min", &Asked::extreme},
      {"reversed", &Asked::reversed},
      {"round", &Asked::special_method},
      {"type", &Asked::type},
      {"vars", &Asked::attributes},
  };
  return functions;
}

std::optional<Value> Objects::call_builtin(Call& call) {
  Asked asked{*this, call};
  auto& arguments = call.arguments;
  if (auto made = call_iteration(call)) return made;
  if (auto made = call_descriptor(call)) return made;
  if (auto made = asked.by(Asked::of_any()); made && *made) return std::move(*made);
  if (!has_word(" print isinstance issubclass type vars callable id str repr ", call.name))
    for (Value& each : arguments) each = whole_of(each);
  const auto is_or_holds = [](const Value& value) {
    const auto* through = value.as<Iteration>();
    const Value& held = through != nullptr && !through->parts.empty() ? through->parts[0] : value;
    return is_object(value) || holds_objects(held);
  };
  if (std::none_of(arguments.begin(), arguments.end(), is_or_holds)) return std::nullopt;
  if (auto made = asked.by(Asked::of_holders())) return std::move(*made);
  if (!is_object(arguments[0]) && call.name != "zip") return std::nullopt;
  if (auto made = asked.by(Asked::of_objects())) return std::move(*made);
  return asked.as_arrays_or_items();
}

}  // namespace rewriter

// The reader: functions of Python and of its modules that ask for objects.
#include <algorithm>
#include <span>

#include "rewriter/reader/builtins/regex.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/exchanged.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/objects.hpp"

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
  if (auto made = call_descriptor(call)) return made;
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
    const auto is_type = [](const Value& each) {
      const auto* function = each.as<Function>();
      return function != nullptr && function->name == "type";
    };
    if (given != nullptr && !asks_class) {
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
  const bool takes_function = has_word(
      " map filter functools.reduce itertools.starmap itertools.takewhile itertools.dropwhile "
      "itertools.filterfalse ",
      name);
  if (!is_object(arguments[0]) && name != "zip" && !takes_function) return std::nullopt;
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
  for (Value& each : std::span(arguments).subspan(takes_function ? 1 : 0))
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
             "functools.total_ordering operator.itemgetter operator.attrgetter _sre.match "
             "_sre.groups ",
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
  if (name.starts_with("_sre.")) return regex_call(name, call);
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

}  // namespace rewriter

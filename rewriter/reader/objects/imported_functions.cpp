// The reader: functions of Python's modules that make or ask objects, and the calls that the reader
// itself makes of classes of Python: "container.__len__", "exception.init".
#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "rewriter/reader/builtins/regex.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/objects.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

constexpr std::string_view kOperatorModule = "operator.";

std::optional<ast::Operator> imported_operator(std::string_view name) {
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
  if (!name.starts_with(kOperatorModule)) return std::nullopt;
  for (const auto& [spelled, op] : kOperators)
    if (name.substr(kOperatorModule.size()) == spelled) return op;
  return std::nullopt;
}

/// What the value is now, whatever its lists and dictionaries become.
Value as_now(Value value) {
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

const std::string& shown_name(const UserFunction& function) {
  return function.shown.empty() ? function.name : function.shown;
}

/// The names in "x, y z", or in a list of texts.
std::vector<std::string> field_names(const Value& given) {
  std::vector<std::string> names;
  const auto* text = given.as<std::string>();
  if (text == nullptr) {
    for (const Value& each : elements_of(given)) names.push_back(*each.as<std::string>());
    return names;
  }
  constexpr std::string_view kBetween = " ,";
  for (std::size_t at = text->find_first_not_of(kBetween); at != std::string::npos;) {
    const std::size_t end = std::min(text->find_first_of(kBetween, at), text->size());
    names.push_back(text->substr(at, end - at));
    at = text->find_first_not_of(kBetween, end);
  }
  return names;
}

}  // namespace

/// A call of one of these functions.
struct Objects::Imported {
  struct Row {
    std::optional<Value> (Imported::*call)();
    bool is_name = false;  ///< that an import gives
  };

  Objects& objects;
  const std::string& name;
  const Call& call;
  std::uint32_t expression;

  [[nodiscard]] const Value& argument(std::size_t i) const { return call.arguments.at(i); }
  [[nodiscard]] std::vector<Value> from(std::size_t i) const {
    return {call.arguments.begin() + static_cast<std::ptrdiff_t>(i), call.arguments.end()};
  }
  [[nodiscard]] bool asks_object() const {
    return !call.arguments.empty() && instance_of(call.arguments[0]) != nullptr;
  }

  // ---- classes of Python as bases

  std::optional<Value> nothing() { return Value{}; }

  std::optional<Value> exception_init() {
    const auto* self = call.arguments.empty() ? nullptr : argument(0).as<InstancePtr>();
    if (self == nullptr) misuse("program", "__init__ of an exception needs the exception");
    objects.set_own(**self, *self, "args", new_sequence(false, from(1)));
    return Value{};
  }

  std::optional<Value> itself() { return argument(0); }

  std::optional<Value> make_named_tuple() {
    return objects.instantiate(*argument(0).as<ClassPtr>(),
                               {name, elements_of(objects.iterable(argument(1))), {}, call.steps},
                               expression);
  }

  std::optional<Value> container_init() {
    objects.make_items(*argument(0).as<InstancePtr>(), {name, from(1), call.keywords, call.steps});
    return Value{};
  }
  std::optional<Value> container_get() {
    return objects.item_of(objects.items_of(argument(0)), {argument(1)});
  }
  std::optional<Value> container_set() {
    objects.reader_.set_item(objects.items_of(argument(0)), {argument(1)}, argument(2));
    return Value{};
  }
  std::optional<Value> container_contains() {
    return objects.reader_.binary(ast::Operator::In, argument(1), objects.items_of(argument(0)));
  }
  std::optional<Value> container_length() {
    return call_function({"len", {objects.items_of(argument(0))}, {}, call.steps});
  }
  std::optional<Value> container_items() { return objects.items_of(argument(0)); }

  // ---- functools

  std::optional<Value> wraps() { return Value{Method{"functools.wraps()", Items({argument(0)})}}; }

  /// The function gets the other one's name.
  std::optional<Value> wrapped() {
    Value made = argument(1);
    const auto* of = argument(0).as<UserFunction>();
    auto* function = std::get_if<UserFunction>(&made.held);
    if (function != nullptr && of != nullptr) function->shown = shown_name(*of);
    return made;
  }

  std::optional<Value> update_wrapper() {
    if (!asks_object())
      return Imported{objects, name, {name, {argument(1), argument(0)}, {}, call.steps}, expression}
          .wrapped();
    objects.set(argument(0), "__wrapped__", argument(1));
    if (const auto* of = argument(1).as<UserFunction>())
      objects.set(argument(0), "__name__", {shown_name(*of)});
    return argument(0);
  }

  // ---- itertools, operator, bisect

  std::optional<Value> count() {
    std::vector<Value> parts{{Index{0}}, {Index{1}}};
    for (std::size_t i = 0; i < call.arguments.size(); ++i) parts.at(i) = call.arguments[i];
    return objects.new_iterator("count", parts);
  }

  std::optional<Value> cycle() {
    return objects.new_iterator("cycle", {objects.iterable(argument(0))});
  }

  std::optional<Value> pairwise() {
    const std::vector<Value> items = elements_of(objects.iterable(argument(0)));
    std::vector<Value> pairs;
    for (std::size_t i = 1; i < items.size(); ++i)
      pairs.push_back(new_sequence(false, {items[i - 1], items[i]}));
    return gone_through(std::move(pairs));
  }

  std::optional<Value> accumulate() {
    std::vector<Value> items = elements_of(objects.iterable(argument(0)));
    const Value* function = call.arguments.size() > 1 ? &call.arguments[1] : call.keyword("func");
    if (const Value* initial = call.keyword("initial")) items.insert(items.begin(), *initial);
    if (function != nullptr && function->is_none()) function = nullptr;
    for (std::size_t i = 1; i < items.size(); ++i) {
      Call step{"", {items[i - 1], items[i]}, {}, call.steps};
      items[i] = function != nullptr
                     ? objects.reader_.call_value(*function, step)
                     : objects.reader_.binary(ast::Operator::Add, items[i - 1], items[i]);
    }
    return gone_through(std::move(items));
  }

  std::optional<Value> getter() { return Value{Method{name + "()", Items(call.arguments)}}; }

  /// Of numbers, texts and tuples that are known when the program is read.
  std::optional<Index> known_place(bool is_left) {
    const auto* list = argument(0).as<Sequence>();
    const auto is_known = [](const Value& value) {
      bool all = true;
      for_each_part(value, [&](const Value& part) {
        all = all && (part.is_number() || part.as<std::string>() != nullptr ||
                      part.as<Sequence>() != nullptr);
      });
      return all;
    };
    if (list == nullptr || !is_known(argument(0)) || !is_known(argument(1))) return std::nullopt;
    Index first = call.arguments.size() > 2 ? argument(2).integer("lo") : 0;
    Index last = call.arguments.size() > 3 ? argument(3).integer("hi") : std::ssize(list->items);
    while (first < last) {
      const Index middle = (first + last) / 2;
      const Value& item = list->items[static_cast<std::size_t>(middle)];
      const auto less =
          truth_of(is_left ? known_less(item, argument(1)) : known_less(argument(1), item));
      if (!less) return std::nullopt;
      (*less == is_left ? first : last) = *less == is_left ? middle + 1 : middle;
    }
    return first;
  }

  std::optional<Value> search() {
    if (call.keywords.empty() && call.arguments.size() >= 2 && call.arguments.size() <= 4)
      if (const auto known = known_place(name.ends_with("_left"))) return Value{*known};
    if (call.arguments.size() != 2 || !call.keywords.empty())
      misuse(name, "takes a sorted list and a number");
    const std::string side = name == "bisect.bisect_left" ? "left" : "right";
    const Call search{"np.searchsorted",
                      {new_array(to_array(argument(0), "the list")), argument(1)},
                      {{"side", Value{side}}},
                      call.steps};
    return python_int(to_array(call_function(search), "a place"));
  }

  std::optional<Value> insert_in_order() {
    const std::string search =
        name.ends_with("_left") ? "bisect.bisect_left" : "bisect.bisect_right";
    Call made{search, {argument(0), argument(1)}, {}, call.steps};
    const Value place = *objects.call_imported(search, made, ast::kNoExpr);
    Call insertion{"", {place, argument(1)}, {}, call.steps};
    return objects.reader_.call_value({Method{"list.insert", Items({argument(0)})}}, insertion);
  }

  // ---- collections, types, dataclasses, copy

  std::optional<Value> named_tuple() {
    const auto bound = call.bind({"typename", "field_names", "defaults"}, 2);
    const auto* type_name = bound[0]->as<std::string>();
    if (type_name == nullptr) misuse("namedtuple", "takes the name of the class, a string");
    const auto made = std::make_shared<Class>();
    made->name = *type_name;
    made->kind = Class::Kind::Tuple;
    made->number = ++objects.made_;
    const std::vector<std::string> names = field_names(*bound[1]);
    const std::vector<Value> defaults =
        bound[2] != nullptr ? elements_of(*bound[2]) : std::vector<Value>();
    for (std::size_t i = 0; i < names.size(); ++i) {
      Field field{names[i]};
      if (i + defaults.size() >= names.size())
        field.standard = defaults[i + defaults.size() - names.size()];
      made->fields.push_back(std::move(field));
    }
    return Value{made};
  }

  std::optional<Value> simple_namespace() {
    if (!objects.namespace_) {
      objects.namespace_ = std::make_shared<Class>();
      objects.namespace_->name = "SimpleNamespace";
    }
    Value object = objects.new_object(objects.namespace_, "namespace");
    set_keywords(object);
    return object;
  }

  void set_keywords(const Value& object) {
    const InstancePtr& self = *object.as<InstancePtr>();
    for (const auto& [keyword, value] : call.keywords) objects.set_own(*self, self, keyword, value);
  }

  std::optional<Value> field() {
    Dict told;
    told.type = name;
    for (const auto& [keyword, value] : call.keywords) set_key(told, {keyword}, value);
    return Value{told};
  }

  std::optional<Value> replace() {
    if (!asks_object()) return std::nullopt;
    const Class& type = *instance_of(argument(0))->type;
    for (const char* method : {"__copy__", "__getstate__", "__setstate__"})
      if (type.member(method) != nullptr)
        misuse(name, "of a class with the method {} is not supported", method);
    Value copy = objects.copied(argument(0), false);
    set_keywords(copy);
    if (type.member("__post_init__") != nullptr)
      (void)objects.call_method(copy, "__post_init__", {});
    return copy;
  }

  /// The object's fields, by their names or without; of dataclasses what they hold, too, copied.
  Value fields_of(const Value& value, bool named) {
    const auto* self = instance_of(value);
    const auto within = [&](const Items& items) {
      std::vector<Value> made;
      for (const Value& each : items) made.push_back(fields_of(each, named));
      return made;
    };
    if (const auto* sequence = value.as<Sequence>();
        sequence != nullptr && !sequence->is_set && sequence->kin.empty())
      return new_sequence(sequence->list, within(sequence->items));
    if (const auto* dict = value.as<Dict>(); dict != nullptr && dict->type.empty())
      return {Dict{dict->keys, Items(within(dict->values))}};
    if (self == nullptr || self->type->kind != Class::Kind::Data) return objects.deep_copy(value);
    const std::vector<Value> held = within(Items(objects.field_values(value)));
    if (!named) return new_sequence(false, held);
    Dict dict;
    for (std::size_t i = 0; i < held.size(); ++i)
      set_key(dict, {self->type->fields[i].name}, held[i]);
    return {std::move(dict)};
  }

  std::optional<Value> as_dict() {
    if (!asks_object()) return std::nullopt;
    if (instance_of(argument(0))->type->kind == Class::Kind::Data)
      return fields_of(argument(0), true);
    Dict dict;
    for (const Field& each : instance_of(argument(0))->type->fields)
      set_key(dict, {each.name}, *objects.attribute(argument(0), each.name));
    return Value{dict};
  }

  std::optional<Value> as_tuple() {
    if (!asks_object()) return std::nullopt;
    return fields_of(argument(0), false);
  }

  std::optional<Value> copy() {
    return asks_object() ? std::optional(objects.copied(argument(0), false)) : std::nullopt;
  }
  std::optional<Value> deep_copy() {
    return asks_object() ? std::optional(objects.deep_copy(argument(0))) : std::nullopt;
  }

  // ---- sys

  std::optional<Value> exit() {
    if (objects.reader_.in_loop() || objects.reader_.is_perhaps()) return std::nullopt;
    const auto* status = call.arguments.empty() ? nullptr : argument(0).as<std::int64_t>();
    if (status != nullptr && *status != 0)
      misuse("program", "sys.exit() ends the program with the status {}", *status);
    throw Interpreter::Ended{};
  }

  // ---- object

  std::optional<Value> object_new() {
    const auto* type = call.arguments.empty() ? nullptr : argument(0).as<ClassPtr>();
    if (type == nullptr) return of_object();
    if (!(*type)->unusable.empty()) misuse("program", "{}", (*type)->unusable);
    return objects.new_object(*type, objects.name_for(expression));
  }

  std::optional<Value> object_set() {
    const auto* self = call.arguments.empty() ? nullptr : argument(0).as<InstancePtr>();
    const auto* attribute = call.arguments.size() == 3 ? argument(1).as<std::string>() : nullptr;
    if (self == nullptr || attribute == nullptr) return of_object();
    objects.set_own(**self, *self, *attribute, argument(2));
    constexpr std::size_t kOfCaller = 3;  // the module, the caller, its call
    if (objects.reader_.scopes_.size() <= kOfCaller)
      objects.given_[(*self)->number].emplace_back(*attribute, as_now(argument(2)));
    return Value{};
  }

  [[noreturn]] std::optional<Value> of_object() {
    misuse("program", "{} of these arguments is not supported", name.substr(name.find('.') + 1));
  }

  static const std::unordered_map<std::string_view, Row>& table();
};

const std::unordered_map<std::string_view, Objects::Imported::Row>& Objects::Imported::table() {
  static const std::unordered_map<std::string_view, Row> rows{
      {"builtins.object.__new__", {&Imported::object_new}},
      {"builtins.object.__setattr__", {&Imported::object_set}},
      {"bisect.bisect", {&Imported::search, true}},
      {"bisect.bisect_left", {&Imported::search, true}},
      {"bisect.bisect_right", {&Imported::search, true}},
      {"bisect.insort", {&Imported::insert_in_order, true}},
      {"bisect.insort_left", {&Imported::insert_in_order, true}},
      {"bisect.insort_right", {&Imported::insert_in_order, true}},
      {"collections.namedtuple", {&Imported::named_tuple, true}},
      {"container.__contains__", {&Imported::container_contains}},
      {"container.__getitem__", {&Imported::container_get}},
      {"container.__init__", {&Imported::container_init}},
      {"container.__iter__", {&Imported::container_items}},
      {"container.__len__", {&Imported::container_length}},
      {"container.__setitem__", {&Imported::container_set}},
      {"copy.copy", {&Imported::copy}},
      {"copy.deepcopy", {&Imported::deep_copy}},
      {"dataclasses.asdict", {&Imported::as_dict}},
      {"dataclasses.astuple", {&Imported::as_tuple}},
      {"dataclasses.field", {&Imported::field}},
      {"dataclasses.replace", {&Imported::replace}},
      {"exception.init", {&Imported::exception_init}},
      {"exception.itself", {&Imported::itself}},
      {"functools.update_wrapper", {&Imported::update_wrapper, true}},
      {"functools.wraps", {&Imported::wraps, true}},
      {"functools.wraps()", {&Imported::wrapped}},
      {"itertools.accumulate", {&Imported::accumulate, true}},
      {"itertools.count", {&Imported::count, true}},
      {"itertools.cycle", {&Imported::cycle, true}},
      {"itertools.pairwise", {&Imported::pairwise, true}},
      {"namedtuple.make", {&Imported::make_named_tuple}},
      {"object.init", {&Imported::nothing}},
      {"operator.attrgetter", {&Imported::getter, true}},
      {"operator.itemgetter", {&Imported::getter, true}},
      {"sys.exit", {&Imported::exit}},
      {"types.SimpleNamespace", {&Imported::simple_namespace, true}},
  };
  return rows;
}

bool Objects::is_known_import(const std::string& name) {
  const auto found = Imported::table().find(name);
  return (found != Imported::table().end() && found->second.is_name) || imported_operator(name) ||
         has_word(" functools.cached_property functools.total_ordering _sre.match _sre.groups ",
                  name);
}

std::optional<Value> Objects::call_imported(const std::string& name, const Call& call,
                                            std::uint32_t expression) {
  if (const auto op = imported_operator(name); op && call.arguments.size() == 2)
    return reader_.binary(*op, call.arguments[0], call.arguments[1]);
  if (name.starts_with("_sre.")) return regex_call(name, call);
  if (name.starts_with("iterator.")) return call_of_iterator(name.substr(9), call);
  Imported made{*this, name, call, expression};
  const auto found = Imported::table().find(name);
  if (found != Imported::table().end()) return (made.*found->second.call)();
  return name.starts_with("builtins.object.__") ? made.of_object() : std::nullopt;
}

}  // namespace rewriter

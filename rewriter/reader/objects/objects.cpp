// The reader: the names by which objects hold their attributes, and how objects are made.
#include "rewriter/reader/walk/objects.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/ranges.h>
#include <set>

#include "rewriter/reader/operators/perhaps.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

bool Class::is_a(const Class& other) const {
  return this == &other || std::any_of(bases.begin(), bases.end(),
                                       [&](const ClassPtr& base) { return base.get() == &other; });
}

const Value* Class::member(const std::string& wanted) const {
  if (const auto found = members.find(wanted); found != members.end()) return &found->second;
  for (const ClassPtr& base : bases)
    if (const auto found = base->members.find(wanted); found != base->members.end())
      return &found->second;
  return nullptr;
}

Value whole_of(const Value& value) {
  const auto* object = value.as<InstancePtr>();
  if (object != nullptr && (*object)->text) return {*(*object)->text};
  return object != nullptr && (*object)->whole ? Value{*(*object)->whole} : value;
}

// ---- names of attributes ----

constexpr std::string_view kAttribute = "<attribute ";

bool is_attribute(const std::string& name) {
  return name.starts_with(kAttribute);
}

std::uint64_t number_of_attribute(const std::string& name) {
  const std::size_t end = name.find('>');  // after it there may be which part of the value
  return std::stoull(name.substr(name.rfind(' ', end) + 1));
}

static std::string hidden(const std::string& attribute, const std::string& of,
                          std::uint64_t number) {
  return fmt::format("{}{} of {} {}>", kAttribute, attribute, of, number);
}

std::string attribute_name(const Instance& object, const std::string& attribute) {
  return hidden(attribute, object.name, object.number);
}

std::string attribute_name(const Class& type, const std::string& attribute) {
  return hidden(attribute, type.name, type.number);
}

/// The value of an attribute that has one; it counts as read.
const Value* Objects::read(const std::string& name) {
  const auto& names = reader_.scope().names;
  const auto found = names.find(name);
  if (found == names.end()) return nullptr;
  reader_.note_read(name);
  return &found->second;
}

/// Of a class or the first of its bases that has it.
const Value* Objects::read(const Class& type, const std::string& name) {
  const auto of = [&](const Class& each) -> const Value* {
    if (const Value* value = read(attribute_name(each, name))) return value;
    const auto found = each.members.find(name);
    return found == each.members.end() ? nullptr : &found->second;
  };
  if (const Value* value = of(type)) return value;
  for (const ClassPtr& base : type.bases)
    if (const Value* value = of(*base)) return value;
  return nullptr;
}

void Objects::miss(const std::string& held) {
  for (auto& scope : reader_.scopes_)
    for (auto* frame : scope.loops) frame->missed.insert(held);
}

void Objects::refuse_shadowing(const Value& object, const std::string& name,
                               const std::string& held) {
  if (!reader_.in_loop() || reader_.scope().names.contains(held)) return;
  const auto* type = object.as<ClassPtr>();
  const Class& of = type != nullptr ? **type : *(*object.as<InstancePtr>())->type;
  const Value* other = read(of, name);
  if (other == nullptr || other->as<UserFunction>() != nullptr ||
      other->as<Descriptor>() != nullptr)
    return;
  misuse("program",
         "{} has no attribute {} of its own before this condition or loop, only its class has; "
         "assign it before",
         object.description(), name);
}

void Objects::bind(const std::string& name, const Value& value) {
  if (reader_.unsure_ > 0) Interpreter::refuse_effect("assigns an attribute");
  if (!reader_.scope().names.contains(name))
    for (const auto& scope : reader_.scopes_)
      for (const auto* frame : scope.loops)
        if (frame->missed.contains(name))
          misuse("program",
                 "{} is first assigned in an iteration that has read the class attribute", name);
  reader_.scope().names[name] = value;
  reader_.note_bound(name);
  if (const auto* array = value.as<ObjectPtr>())
    reader_.result_.assignments.push_back({printed_name(name), (*array)->read().node()});
  reader_.step(value);
}

/// The names of the module that functions bind are as attributes: loops of callers see them.
std::string Objects::global_name(const std::string& name, const ClassPtr& module) {
  if (module != nullptr) return enter(module, name);
  std::string held = hidden(name, "module", 0);
  if (globals_.insert(name).second) names_.emplace_back(module_, held);
  return held;
}

ClassPtr Objects::new_namespace(const std::string& name) {
  const auto made = std::make_shared<Class>();
  made->name = name;
  made->number = ++made_;
  return made;
}

/// The class has an attribute of that name, or gets one: what the calls that are read call it.
std::string Objects::enter(const ClassPtr& type, const std::string& name) {
  std::string held = attribute_name(*type, name);
  auto& known = type->attributes;
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    known.push_back(name);
    names_.emplace_back(type, held);
  }
  return held;
}

void Objects::adopt(const ClassPtr& module, const std::string& name, Value value) {
  const bool may_change = value.as<ObjectPtr>() != nullptr || value.as<Sequence>() != nullptr ||
                          value.as<Dict>() != nullptr || value.as<InstancePtr>() != nullptr ||
                          value.as<Selected>() != nullptr || value.as<Complex>() != nullptr ||
                          value.is_number();
  if (may_change)
    reader_.scope().names[enter(module, name)] = std::move(value);
  else
    module->members[name] = std::move(value);
}

std::string Objects::attribute_of(const UserFunction& function, const std::string& name) {
  const std::uint64_t text =
      function.lambda != ast::kNoExpr ? ~std::uint64_t{function.lambda} : function.statement;
  const auto [known, is_new] = functions_.try_emplace({text, function.enclosing.get()}, 0);
  if (is_new) known->second = ++made_;
  return hidden(name, function.name, known->second);
}

void Objects::forget_after(std::uint64_t count) {
  if (made_ == count) return;
  made_ = count;
  std::erase_if(functions_, [&](const auto& each) { return each.second > count; });
  std::erase_if(names_, [&](const auto& each) { return number_of_attribute(each.second) > count; });
}

void Objects::move(std::unordered_map<std::string, Value>& from,
                   std::unordered_map<std::string, Value>& to) {
  constexpr std::size_t kSweep = 256;
  if (names_.size() > 2 * swept_ + kSweep) {  // what no value refers to has no attributes
    std::erase_if(names_, [&](const auto& each) {
      if (!each.first.expired()) return false;
      from.erase(each.second);
      return true;
    });
    swept_ = names_.size();
  }
  for (const auto& [object, name] : names_)
    if (auto held = from.extract(name)) to.insert(std::move(held));
}

std::vector<std::pair<std::string, std::string>> Objects::attributes_of(
    const Instance& object) const {
  std::vector<std::pair<std::string, std::string>> result;
  for (const std::string& name : object.attributes)
    if (std::string held = attribute_name(object, name); reader_.scope().names.contains(held))
      result.emplace_back(name, std::move(held));
  return result;
}

// ---- objects that are containers ----

Value Objects::items_of(const Value& object) {
  const auto* self = object.as<InstancePtr>();
  return self == nullptr ? object : *read(attribute_name(**self, std::string(kItems)));
}

Value Objects::item_of(const Value& items, const std::vector<Value>& index) {
  if (auto made = reader_.missing_item(items, index)) return *std::move(made);
  return subscript(items, index);
}

void Objects::make_items(const InstancePtr& self, const Call& call) {
  Call made = call;
  set_own(*self, self, std::string(kItems), reader_.call_value(*self->type->container, made));
}

// ---- objects ----

void Objects::suggest(std::uint32_t expression, std::string name) {
  named_expression_ = expression;
  suggested_ = std::move(name);
}

std::string Objects::name_for(std::uint32_t expression) {
  if (expression == ast::kNoExpr || expression != named_expression_) return {};
  named_expression_ = ast::kNoExpr;
  return std::exchange(suggested_, {});
}

Value Objects::new_object(const ClassPtr& type, std::string name) {
  const auto object = std::make_shared<Instance>();
  object->type = type;
  object->number = ++made_;
  object->name = std::move(name);
  if (object->name.empty())
    for (const char c : type->name)
      object->name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return {object};
}

/// What a dataclass or a named tuple does with its arguments.
void Objects::bind_fields(const Value& object, const Call& call) {
  const InstancePtr& self = *object.as<InstancePtr>();
  const Class& type = *self->type;
  std::vector<std::string_view> parameters;
  for (const Field& field : type.fields)
    if (field.is_argument) parameters.emplace_back(field.name);
  if (call.arguments.size() > (type.takes_names ? 0 : parameters.size()))
    misuse(Exception::TypeError, type.name, "takes {} arguments; got {}", parameters.size(),
           call.arguments.size());
  for (const auto& [keyword, value] : call.keywords)
    if (std::find(parameters.begin(), parameters.end(), keyword) == parameters.end())
      misuse(Exception::TypeError, type.name, "got an unexpected keyword argument '{}'", keyword);
  std::size_t position = 0;
  for (const Field& field : type.fields) {
    const auto keyword = std::find_if(call.keywords.begin(), call.keywords.end(),
                                      [&](const auto& each) { return each.first == field.name; });
    if (field.is_argument && position < call.arguments.size()) {
      if (keyword != call.keywords.end())
        misuse(Exception::TypeError, type.name, "got multiple values for argument '{}'",
               field.name);
      set_own(*self, self, field.name, call.arguments[position]);
    } else if (field.is_argument && keyword != call.keywords.end()) {
      set_own(*self, self, field.name, keyword->second);
    } else if (field.standard && field.is_made) {
      Call made{"", {}, {}, reader_.result_.steps};
      set_own(*self, self, field.name, reader_.call_value(*field.standard, made));
    } else if (field.standard) {
      set_own(*self, self, field.name, *field.standard);
    } else if (field.is_argument) {
      misuse(Exception::TypeError, type.name, "needs the argument '{}'", field.name);
    }
    position += field.is_argument ? 1 : 0;
  }
}

/// Of a class with abc.ABC or abc.ABCMeta, a method of which is abstract: Python makes no object.
void Objects::refuse_abstract(const Class& type) const {
  std::vector<const Class*> classes{&type};
  for (const ClassPtr& base : type.bases) classes.push_back(base.get());
  const auto is_any = [](const Class* each) { return each->is_abstract; };
  if (std::none_of(classes.begin(), classes.end(), is_any)) return;
  std::set<std::string> known, abstract;
  for (const Class* each : classes) {  // in the order in which attributes are looked up
    for (const auto& [name, member] : each->members) {
      if (!known.insert(name).second) continue;
      const auto* descriptor = member.as<Descriptor>();
      const Value& made = descriptor != nullptr && !descriptor->functions.empty()
                              ? descriptor->functions[0]
                              : member;
      const auto* function = made.as<UserFunction>();
      if (function != nullptr && abstract_.contains(function->statement)) abstract.insert(name);
    }
    known.insert(each->attributes.begin(), each->attributes.end());
  }
  if (abstract.empty()) return;
  throw PythonError(
      "TypeError", "program",
      fmt::format("{} is an abstract class: it lacks {}", type.name, fmt::join(abstract, ", ")),
      {chosen_text()});
}

Value Objects::instantiate(const ClassPtr& type, const Call& call, std::uint32_t expression) {
  if (!type->unusable.empty()) misuse("program", "{}", type->unusable);
  if (type->kind == Class::Kind::Enum) {
    for (const Value& each : type->members.at("__members__").as<Sequence>()->items)
      if (!call.arguments.empty() &&
          known_equal(*attribute(each, "value"), whole_of(call.arguments[0])) == true)
        return each;
    if (type->is_flag && call.arguments.size() == 1)
      if (const auto made = flag_of(type, whole_of(call.arguments[0]).integer("a flag")))
        return *made;
    const Value given = call.arguments.empty() ? Value{} : repr(call.arguments[0]);
    throw PythonError("ValueError", type->name, "has no such value",
                      {joined_texts(given, {" is not a valid " + type->name})});
  }
  refuse_abstract(*type);
  const Value object = new_object(type, name_for(expression));
  const Value* const init = type->member("__init__");
  if (type->kind == Class::Kind::Exception) {  // before its own __init__
    const InstancePtr& self = *object.as<InstancePtr>();
    set_own(*self, self, "args", new_sequence(false, call.arguments));
  }
  if (type->container) {
    Call made{type->name, {}, {}, call.steps, call.written};
    if (init == nullptr) made.arguments = call.arguments, made.keywords = call.keywords;
    make_items(*object.as<InstancePtr>(), made);
    if (init == nullptr) return object;
  }
  const bool has_fields = type->kind == Class::Kind::Data || type->kind == Class::Kind::Tuple;
  if (init != nullptr) {
    Call made{type->name + ".__init__", {object}, call.keywords, call.steps, call.written};
    made.arguments.insert(made.arguments.end(), call.arguments.begin(), call.arguments.end());
    (void)reader_.call_value(*init, made);
  } else if (has_fields) {
    bind_fields(object, call);
    if (type->member("__post_init__") != nullptr) (void)call_method(object, "__post_init__", {});
  } else if (type->kind == Class::Kind::Exception) {
    if (!call.keywords.empty())
      misuse(Exception::TypeError, type->name, "takes no keyword arguments; got {}",
             call.keywords[0].first);
  } else if (!call.arguments.empty() || !call.keywords.empty()) {
    misuse(Exception::TypeError, type->name, "takes no arguments");
  }
  return object;
}

}  // namespace rewriter

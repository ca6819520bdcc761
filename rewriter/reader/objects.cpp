// The reader: classes and the attributes of objects.
#include "rewriter/reader/objects.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/ranges.h>
#include <set>

#include "rewriter/reader/exchanged.hpp"
#include "rewriter/reader/loop_run.hpp"

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
  return object != nullptr && (*object)->whole ? Value{*(*object)->whole} : value;
}

// ---- names of attributes ----

constexpr std::string_view kAttribute = "<attribute ";
constexpr std::string_view kItems = "(items)";  // what an object holds that is a container

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

static std::string hidden(const std::string& attribute, const Instance& object) {
  return attribute_name(object, attribute);
}

std::string attribute_name(const Class& type, const std::string& attribute) {
  return hidden(attribute, type.name, type.number);
}

static std::string hidden(const std::string& attribute, const Class& type) {
  return attribute_name(type, attribute);
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
    if (const Value* value = read(hidden(name, each))) return value;
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
  std::string held = hidden(name, *type);
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

/// In the body of a class: of a private name the one that Python gives it.
static std::string mangled_in(const Class& type, const std::string& name) {
  return name.starts_with("__") && !name.ends_with("__") ? "_" + type.name + name : name;
}

std::string Objects::mangled(const std::string& name) const {
  const auto type = class_of_.find(reader_.scope().function);
  return type == class_of_.end() ? name : mangled_in(*type->second, name);
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
    if (std::string held = hidden(name, object); reader_.scope().names.contains(held))
      result.emplace_back(name, std::move(held));
  return result;
}

// ---- attributes ----

/// functools.partial(function, first)
static Value with(const Value& function, const Value& first) {
  return {Method{"functools.partial()",
                 Items({function, new_sequence(false, {first}), Value{Dict{}}})}};
}

/// A function as a method of what it is taken from.
Value Objects::bound(const Value& member, const Value& self, const ClassPtr& type) {
  if (member.as<UserFunction>() != nullptr) return with(member, self);
  const auto* descriptor = member.as<Descriptor>();
  if (descriptor == nullptr) return member;
  switch (descriptor->kind) {
    case Descriptor::Kind::Static:
      return descriptor->functions[0];
    case Descriptor::Kind::OfClass:
      return with(descriptor->functions[0], {type});
    case Descriptor::Kind::Cached:
    case Descriptor::Kind::Property: {
      Call made{"", {self}, {}, reader_.result_.steps};
      return reader_.call_value(descriptor->functions[0], made);
    }
  }
  return member;
}

/// The property of that name, unless a class before the one that has it binds something else.
static const Descriptor* property_of(Objects& objects, const Class& type, const std::string& name) {
  const Value* member = type.member(name);
  if (member == nullptr || member->as<Descriptor>() == nullptr) return nullptr;
  member = objects.read(type, name);
  const auto* descriptor = member == nullptr ? nullptr : member->as<Descriptor>();
  return descriptor != nullptr && descriptor->kind == Descriptor::Kind::Property ? descriptor
                                                                                 : nullptr;
}

/// The object that a class has under the name, if its own class has the method: a descriptor.
static const Value* object_with(Objects& objects, const Class& type, const std::string& name,
                                const std::string& method) {
  const auto names = [&](const Class& each) {
    return std::find(each.attributes.begin(), each.attributes.end(), name) != each.attributes.end();
  };
  if (!names(type) && std::none_of(type.bases.begin(), type.bases.end(),
                                   [&](const ClassPtr& base) { return names(*base); }))
    return nullptr;
  const Value* value = objects.read(type, name);
  const auto* object = value == nullptr ? nullptr : value->as<InstancePtr>();
  return object != nullptr && (*object)->type->member(method) != nullptr ? value : nullptr;
}

/// type.__mro__
static Value order_of_bases(const ClassPtr& type) {
  std::vector<Value> order{{type}};
  for (const ClassPtr& base : type->bases) order.push_back({base});
  const auto object = std::make_shared<Class>();
  object->name = "object";
  order.push_back({object});
  return new_sequence(false, std::move(order));
}

static Value names_of_fields(const Class& type) {
  std::vector<Value> names;
  for (const Class::Field& field : type.fields) names.push_back({field.name});
  return new_sequence(false, std::move(names));
}

/// Of an enum.
static Value members_by_name(const Class& type) {
  Dict members;
  for (const Class::Field& field : type.fields)
    if (const auto found = type.members.find(field.name); found != type.members.end())
      set_key(members, {field.name}, found->second);
  return {members};
}

std::optional<Value> Objects::attribute(const Value& object, const std::string& name) {
  if (const auto* super = object.as<Super>()) {
    const Value& self = super->self[0];
    const auto* instance = self.as<InstancePtr>();
    const ClassPtr& type = instance != nullptr ? (*instance)->type : *self.as<ClassPtr>();
    const auto below = std::find(type->bases.begin(), type->bases.end(), super->below);
    for (auto base = below == type->bases.end() ? type->bases.begin() : std::next(below);
         base != type->bases.end(); ++base)
      if (const Value* held = read(hidden(name, **base)))
        return *held;
      else if (const auto found = (*base)->members.find(name); found != (*base)->members.end())
        return instance != nullptr || found->second.as<Descriptor>() != nullptr
                   ? bound(found->second, self, type)
                   : found->second;
    if (type->container &&
        has_word(" __init__ __getitem__ __setitem__ __contains__ __len__ __iter__ ", name))
      return Value{Method{"container." + name, Items({self})}};
    if (type->container) return reader_.attribute(items_of(self), name);
    if (name == "__init__" && type->kind == Class::Kind::Exception)
      return with({Ignored{"exception.init"}}, self);
    if (name.starts_with("__init") || name == "__post_init__") {
      refuse_outside(*type, name);
      return Value{Ignored{"object.init"}};
    }
    if (name == "__setattr__") return with({Ignored{"builtins.object.__setattr__"}}, self);
    refuse_outside(*type, name);
    misuse("program", "'super' object has no attribute '{}'", name);
  }
  if (const auto* type = object.as<ClassPtr>()) {
    if (!(*type)->unusable.empty()) misuse("program", "{}", (*type)->unusable);
    if (name == "__name__" || name == "__qualname__") return Value{(*type)->name};
    if (name == "__mro__") return order_of_bases(*type);
    if (name == "__members__" && (*type)->kind == Class::Kind::Enum) return members_by_name(**type);
    if (name == "_fields" && (*type)->kind == Class::Kind::Tuple) return names_of_fields(**type);
    if (name == "_make" && (*type)->kind == Class::Kind::Tuple)
      return with({Ignored{"namedtuple.make"}}, object);
    if (const Value* descriptor = object_with(*this, **type, name, "__get__"))
      return call_method(Value(*descriptor), "__get__", {Value{}, object});
    const Value* value = read(**type, name);
    if (value == nullptr && name == "__init__" && (*type)->outside.empty())
      return Value{
          Ignored{(*type)->kind == Class::Kind::Exception ? "exception.init" : "object.init"}};
    if (value == nullptr) {
      const std::string message =
          fmt::format("type object '{}' has no attribute '{}'", (*type)->name, name);
      if (name.starts_with("__")) misuse("program", "{}", message);  // one of Python's own
      refuse_outside(**type, name);
      miss(hidden(name, **type));
      throw PythonError("AttributeError", "program", message);
    }
    const auto* descriptor = value->as<Descriptor>();
    return descriptor != nullptr && (descriptor->kind == Descriptor::Kind::Static ||
                                     descriptor->kind == Descriptor::Kind::OfClass)
               ? bound(*value, object, *type)
               : *value;
  }
  if (const auto* descriptor = object.as<Descriptor>();
      descriptor != nullptr && has_word(" fget func ", name))
    return descriptor->functions[0];
  if (const auto* method = object.as<Method>();
      method != nullptr && method->name == "functools.partial()" && name == "__func__")
    return method->self[0];
  if (const auto* function = object.as<UserFunction>()) {
    if (name.starts_with("__")) return std::nullopt;
    const std::string held = attribute_of(*function, name);
    if (const Value* value = read(held)) return *value;
    miss(held);
    throw PythonError("AttributeError", "program",
                      fmt::format("'function' object has no attribute '{}'", name));
  }
  const auto* self = object.as<InstancePtr>();
  if (self == nullptr) return std::nullopt;
  const Instance& instance = **self;
  const Class& type = *instance.type;
  if (property_of(*this, type, name) != nullptr)
    return bound(*type.member(name), object, instance.type);
  const Value* getter = object_with(*this, type, name, "__get__");
  const auto got = [&] {
    return call_method(Value(*getter), "__get__", {object, Value{instance.type}});
  };
  if (getter != nullptr && object_with(*this, type, name, "__set__") != nullptr) return got();
  const std::string own = hidden(name, instance);
  if (const Value* value = read(own)) return *value;
  if (getter != nullptr) return got();
  if (const Value* member = type.member(name); member != nullptr)
    if (const auto* cached = member->as<Descriptor>();
        cached != nullptr && cached->kind == Descriptor::Kind::Cached) {
      miss(own);
      Value made = bound(*member, object, instance.type);
      set_own(**self, *self, name, made);
      return made;
    }
  if (const Value* value = read(type, name)) {
    Value found = bound(*value, object, instance.type);
    if (value->as<UserFunction>() == nullptr && value->as<Descriptor>() == nullptr) miss(own);
    return found;
  }
  if (name == "__class__") return Value{instance.type};
  if (name == "__dict__") {
    Dict dict;
    for (const auto& [attribute, held] : attributes_of(instance))
      if (attribute != kItems) set_key(dict, {attribute}, *read(held));
    reader_.frozen_.insert(dict.number);
    return Value{dict};
  }
  if (type.kind == Class::Kind::Tuple && name == "_fields") return names_of_fields(type);
  if (type.kind == Class::Kind::Tuple && (name == "_replace" || name == "_asdict")) {
    return with({Ignored{name == "_replace" ? "dataclasses.replace" : "dataclasses.asdict"}},
                object);
  }
  if (name == "with_traceback" && type.kind == Class::Kind::Exception)
    return with({Ignored{"exception.itself"}}, object);
  if (self->get()->type == iterator_ && has_word(" send close __next__ ", name))
    return Value{Method{"iterator." + name, Items({object})}};
  if (type.container && !name.starts_with("__"))
    if (type.member("__getattr__") == nullptr || container_method(items_of(object), name))
      return reader_.attribute(items_of(object), name);
  if (type.member("__getattr__") != nullptr && !name.starts_with("__"))
    return call_method(object, "__getattr__", {{name}});
  refuse_outside(type, name);
  miss(own);
  throw PythonError("AttributeError", "program",
                    fmt::format("'{}' object has no attribute '{}'", type.name, name));
}

void Objects::refuse_outside(const Class& type, const std::string& name) {
  const auto is_outside = [&](const Class& each) {
    if (!each.outside.empty())
      misuse("program", "{} may come from {}, a base of the class {}, whose source is not read",
             name, each.outside, each.name);
  };
  is_outside(type);
  for (const ClassPtr& base : type.bases) is_outside(*base);
}

/// Whether the class and its bases have `__slots__`, none of them with the attribute.
template <class Slots>
static bool lacks_slot(const Class& type, const std::string& name, const Slots& slots_of) {
  const auto lacks = [&](const Class& each) {
    const Value* slots = slots_of(each);
    if (slots == nullptr) return false;
    const std::vector<Value> names =
        slots->as<std::string>() != nullptr ? std::vector{*slots} : elements_of(*slots);
    return std::none_of(names.begin(), names.end(), [&](const Value& slot) {
      const auto* text = slot.as<std::string>();
      return text == nullptr || *text == name || *text == "__dict__" || name.starts_with('_');
    });
  };
  return type.kind == Class::Kind::Plain && !type.container && lacks(type) &&
         std::all_of(type.bases.begin(), type.bases.end(),
                     [&](const ClassPtr& base) { return lacks(*base); });
}

void Objects::set(const Value& object, const std::string& name, const Value& value) {
  if (const auto* module = object.as<Module>())
    if (const auto file = reader_.modules_.find(module->name); file != reader_.modules_.end())
      return reader_.set_global(file->second, name, value);
  if (const auto* type = object.as<ClassPtr>()) {
    if ((*type)->is_callers && !reader_.in_module())
      misuse("program", "a converted function cannot change attributes of a class: {}.{}",
             (*type)->name, name);
    if (value.as<UserFunction>() != nullptr || value.as<Descriptor>() != nullptr) {
      (*type)->members[name] = value;
      return;
    }
    refuse_shadowing(object, name, hidden(name, **type));
    return bind(enter(*type, name), value);
  }
  if (const auto* function = object.as<UserFunction>()) {
    const std::string held = attribute_of(*function, name);
    if (!reader_.scope().names.contains(held)) {
      if (function->enclosing != nullptr)
        names_.emplace_back(function->enclosing, held);
      else
        names_.emplace_back(module_, held);
    }
    return bind(held, value);
  }
  const auto* self = object.as<InstancePtr>();
  if (self == nullptr)
    misuse("program", "the attributes of {} cannot be assigned", object.description());
  Instance& instance = **self;
  refuse_frozen(*instance.type, name, "assign to");
  if (const Descriptor* property = property_of(*this, *instance.type, name)) {
    if (property->functions.size() < 2 || property->functions[1].is_none())
      throw PythonError(
          "AttributeError", "program",
          fmt::format("property '{}' of '{}' object has no setter", name, instance.type->name));
    Call made{"", {object, value}, {}, reader_.result_.steps};
    (void)reader_.call_value(property->functions[1], made);
    return;
  }
  if (const Value* descriptor = object_with(*this, *instance.type, name, "__set__")) {
    (void)call_method(Value(*descriptor), "__set__", {object, value});
    return;
  }
  if (instance.type->member("__setattr__") != nullptr) {
    (void)call_method(object, "__setattr__", {{name}, value});
    return;
  }
  const auto& held = instance.attributes;
  if (std::find(held.begin(), held.end(), name) == held.end()) {
    const auto slots_of = [&](const Class& type) {
      const auto own = type.members.find("__slots__");
      return own != type.members.end() ? &own->second : read(hidden("__slots__", type));
    };
    if (lacks_slot(*instance.type, name, slots_of))
      throw PythonError(
          "AttributeError", "program",
          fmt::format("'{}' object has no attribute '{}'", instance.type->name, name));
    if (instance.type->kind != Class::Kind::Enum)
      refuse_shadowing(object, name, hidden(name, instance));
  }
  set_own(instance, *self, name, value);
}

void Objects::refuse_frozen(const Class& type, const std::string& name, const char* what) {
  if (type.kind == Class::Kind::Tuple)
    throw PythonError("AttributeError", "program", "can't set attribute");
  const bool is_frozen =
      type.is_frozen || std::any_of(type.bases.begin(), type.bases.end(),
                                    [](const ClassPtr& base) { return base->is_frozen; });
  if (is_frozen)
    throw PythonError("FrozenInstanceError", "program",
                      fmt::format("cannot {} field '{}'", what, name));
}

void Objects::refuse_perhaps(const Instance& instance, const std::string& name,
                             const std::string& held) const {
  if (!reader_.options_.returns_selections || reader_.scope().names.contains(held)) return;
  for (const auto& scope : reader_.scopes_)
    for (const auto* frame : scope.loops)
      if (frame->loop->form != LoopForm::For && instance.number <= frame->objects)
        misuse("program",
               "whether {} gets an attribute {} is known only at run time; assign it before, "
               "unconditionally",
               instance.name, name);
}

void Objects::set_own(Instance& instance, const InstancePtr& self, const std::string& name,
                      const Value& value) {
  const std::string held = hidden(name, instance);
  refuse_perhaps(instance, name, held);
  auto& known = instance.attributes;
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    known.push_back(name);
    names_.emplace_back(self, held);
  }
  bind(held, value);
}

void Objects::remove(const Value& object, const std::string& name) {
  const auto* self = object.as<InstancePtr>();
  if (self != nullptr) refuse_frozen(*(*self)->type, name, "delete");
  if (const Descriptor* property =
          self != nullptr ? property_of(*this, *(*self)->type, name) : nullptr) {
    if (property->functions.size() < 3 || property->functions[2].is_none())
      throw PythonError(
          "AttributeError", "program",
          fmt::format("property '{}' of '{}' object has no deleter", name, (*self)->type->name));
    Call made{"", {object}, {}, reader_.result_.steps};
    (void)reader_.call_value(property->functions[2], made);
    return;
  }
  const std::string held = self != nullptr ? hidden(name, **self) : "";
  if (self == nullptr || read(held) == nullptr)
    misuse("program", "{} has no attribute '{}' of its own", object.description(), name);
  if (reader_.in_loop()) misuse("program", "del in a loop that is not unrolled is not supported");
  reader_.scope().names.erase(held);
}

// ---- objects that are containers ----

Value Objects::items_of(const Value& object) {
  return *read(hidden(std::string(kItems), **object.as<InstancePtr>()));
}

Value Objects::item_of(const Value& items, const std::vector<Value>& index) {
  if (auto made = reader_.missing_item(items, index)) return *std::move(made);
  return subscript(items, index);
}

void Objects::make_items(const InstancePtr& self, const Call& call) {
  Call made = call;
  set_own(*self, self, std::string(kItems), reader_.call_value(*self->type->container, made));
}

// ---- classes ----

/// Python's order of the bases: of each before its own bases, and as the class names them.
static std::vector<ClassPtr> order_of(const std::string& name, const std::vector<ClassPtr>& bases) {
  std::vector<std::vector<ClassPtr>> lists;
  for (const ClassPtr& base : bases) {
    lists.push_back({base});
    lists.back().insert(lists.back().end(), base->bases.begin(), base->bases.end());
  }
  lists.push_back(bases);
  std::vector<ClassPtr> order;
  while (true) {
    std::erase_if(lists, [](const auto& list) { return list.empty(); });
    if (lists.empty()) return order;
    const auto is_free = [&](const ClassPtr& head) {
      return std::none_of(lists.begin(), lists.end(), [&](const auto& list) {
        return std::find(list.begin() + 1, list.end(), head) != list.end();
      });
    };
    const auto next = std::find_if(lists.begin(), lists.end(),
                                   [&](const auto& list) { return is_free(list.front()); });
    if (next == lists.end())
      misuse("program", "the bases of class {} have no consistent order", name);
    const ClassPtr head = next->front();
    order.push_back(head);
    for (auto& list : lists)
      if (list.front() == head) list.erase(list.begin());
  }
}

void Objects::set_bases(Class& made, std::uint32_t statement) {
  const ast::Program& tree = reader_.tree_;
  const ast::ExprId header = tree.statements[statement].value;
  std::vector<ClassPtr> bases;
  if (tree[header].kind == ast::ExprKind::Call)
    for (ast::ExprId part : tree.children(header).subspan(1)) {
      if (tree[part].kind == ast::ExprKind::Keyword) {
        if (tree.string(part) != "metaclass") continue;
        const Value meta = reader_.evaluate(tree.child(part, 0));
        const auto* ignored = meta.as<Ignored>();
        if (ignored == nullptr) misuse("program", "a metaclass of the program is not supported");
        made.is_abstract = made.is_abstract || ignored->name == "abc.ABCMeta";
        continue;
      }
      if (tree[part].kind == ast::ExprKind::Subscript) part = tree.child(part, 0);  // Generic[T]
      const Value base = reader_.evaluate(part);
      if (const auto* type = base.as<ClassPtr>()) {
        if (!(*type)->unusable.empty()) misuse("program", "{}", (*type)->unusable);
        made.is_abstract = made.is_abstract || (*type)->is_abstract;
        if (made.kind == Class::Kind::Plain) made.kind = (*type)->kind;
        for (const Field& field : (*type)->fields) made.fields.push_back(field);
        if (!made.container) made.container = (*type)->container;
        made.holds_numbers = made.holds_numbers || (*type)->holds_numbers;
        bases.push_back(*type);
        continue;
      }
      if (const auto* function = base.as<Function>();
          function != nullptr &&
          has_word(
              " dict list collections.Counter collections.OrderedDict collections.defaultdict ",
              function->name)) {
        made.container = base;
        continue;
      }
      const auto* ignored = base.as<Ignored>();
      const std::string name = ignored != nullptr ? ignored->name : "";
      made.is_abstract = made.is_abstract || name == "abc.ABC";
      if (name == "typing.NamedTuple") made.kind = Class::Kind::Tuple;
      if (name == "enum.IntEnum" || name == "enum.IntFlag") made.holds_numbers = true;
      if (name.starts_with("enum.")) made.kind = Class::Kind::Enum;
      if (const auto* outside = base.as<Module>())
        made.outside = outside->name;
      else if (const auto* of_python = base.as<OutsideObject>())
        made.outside = of_python->told;
      else if (ignored == nullptr)
        misuse("program", "a class with the base {} is not supported", base.description());
    }
  made.bases = order_of(made.name, bases);
}

/// The names that the body declares or binds, in their order.
void Objects::take_fields(Class& made, std::uint32_t statement) {
  const ast::Program& tree = reader_.tree_;
  const bool is_enum = made.kind == Class::Kind::Enum;
  const std::uint32_t end = tree.statements[statement].end;
  for (std::uint32_t i = statement + 1; i < end; i = ast::after(tree, i)) {
    const ast::Statement& line = tree.statements[i];
    const bool declares = line.kind == ast::StatementKind::Annotation;
    if (!declares && !(is_enum && line.kind == ast::StatementKind::Assign)) continue;
    const ast::ExprId target = tree.targets(line)[0];
    if (tree[target].kind != ast::ExprKind::Name) continue;
    if (declares && tree.text(line.annotation).find("ClassVar") != std::string_view::npos) continue;
    Field field{tree.string(target)};
    const auto same = [&](const Field& each) { return each.name == field.name; };
    const auto standard = reader_.scope().names.find(field.name);
    if (standard != reader_.scope().names.end()) {
      field.standard = standard->second;
      if (const auto* told = standard->second.as<Dict>();
          told != nullptr && told->type == "dataclasses.field") {
        const Value* given = find_key(*told, {std::string("default")});
        const Value* factory = find_key(*told, {std::string("default_factory")});
        const Value* init = find_key(*told, {std::string("init")});
        field.is_made = factory != nullptr;
        field.is_argument = init == nullptr || truth_of(*init) != false;
        const Value* compare = find_key(*told, {std::string("compare")});
        field.is_compared = compare == nullptr || truth_of(*compare) != false;
        const Value* chosen = factory != nullptr ? factory : given;
        field.standard = chosen != nullptr ? std::optional(*chosen) : std::nullopt;
        reader_.scope().names.erase(standard);
      }
    }
    const auto known = std::find_if(made.fields.begin(), made.fields.end(), same);
    if (known != made.fields.end())
      *known = field;
    else
      made.fields.push_back(field);
  }
}

/// Methods that Python calls by itself, and this reader does not.
constexpr std::string_view kUnsupported =
    " __new__ __del__ __delattr__ __delete__ __getattribute__ "
    " __class_getitem__ ";

/// Runs a class statement, whose body binds names as a call does.
void Objects::define(std::uint32_t statement) {
  const ast::Program& tree = reader_.tree_;
  const ast::Statement& header = tree.statements[statement];
  const auto made = std::make_shared<Class>();
  made->name = tree.string(tree.targets(header)[0]);
  made->number = ++made_;
  Value result{made};
  try {
    if (header.end > statement + 1 &&
        tree.statements[statement + 1].kind == ast::StatementKind::Unread)
      misuse("program", "{}", tree.string(tree.statements[statement + 1].value));
    set_bases(*made, statement);
    auto members = reader_.run_class_body(statement, [&] { take_fields(*made, statement); });
    for (auto& [name, value] : members) {
      if (is_attribute(name)) continue;
      const auto* function = value.as<UserFunction>();
      if (function != nullptr) class_of_[function->statement] = made;
      if (const auto* descriptor = value.as<Descriptor>())
        for (const Value& each : descriptor->functions)
          if (const auto* method = each.as<UserFunction>()) class_of_[method->statement] = made;
      if (has_word(kUnsupported, name)) misuse("program", "the method {} is not supported", name);
      const bool is_fixed = function != nullptr || value.as<Descriptor>() != nullptr ||
                            value.as<ClassPtr>() != nullptr || value.as<Method>() != nullptr ||
                            value.as<Function>() != nullptr || value.as<std::string>() != nullptr;
      const bool is_field = made->kind == Class::Kind::Enum &&
                            std::any_of(made->fields.begin(), made->fields.end(),
                                        [&, &key = name](const Field& f) { return f.name == key; });
      if (is_field) continue;
      const std::string known_as = mangled_in(*made, name);
      if (is_fixed)
        made->members[known_as] = value;
      else
        set(result, known_as, value);
    }
    for (const auto& [name, value] : members)
      if (!is_attribute(name) && value.as<InstancePtr>() != nullptr)
        (void)call_method(value, "__set_name__", {result, {name}});
    if (made->kind == Class::Kind::Enum) make_members(made);
    if (reader_.options_.function.empty()) init_subclass(made, header.value);  // else it has run
    result = decorated(statement, result);
  } catch (const cudamat::CUDAMatException& error) {
    made->unusable = fmt::format("the class {} is not supported: {}", made->name, error.message());
    result = Value{made};
  }
  made->is_callers = reader_.options_.raises && reader_.in_module();
  reader_.bind(made->name, result);
}

/// What a base does with each class that it is a base of.
void Objects::init_subclass(const ClassPtr& made, std::uint32_t header) {
  const Value* init = nullptr;
  for (const ClassPtr& base : made->bases)
    if (const auto found = base->members.find("__init_subclass__");
        init == nullptr && found != base->members.end())
      init = &found->second;
  if (init == nullptr) return;
  const ast::Program& tree = reader_.tree_;
  Call call{"__init_subclass__", {{made}}, {}, reader_.result_.steps};
  for (const ast::ExprId part : tree.children(header).subspan(1))
    if (tree[part].kind == ast::ExprKind::Keyword && tree.string(part) != "metaclass")
      call.keywords.emplace_back(tree.string(part), reader_.evaluate(tree.child(part, 0)));
  (void)reader_.call_value(*init, call);
}

/// Of an enum: an object for each value.
void Objects::make_members(const ClassPtr& made) {
  std::int64_t next = 1;
  std::vector<Value> all;
  for (const Field& field : made->fields) {
    if (!field.standard) continue;
    Value value = *field.standard;
    const auto* ignored = value.as<Ignored>();
    if (ignored != nullptr && ignored->name == "enum.auto()") value = {next};
    if (const auto* number = value.as<std::int64_t>()) next = *number + 1;
    const Value object = new_object(made, field.name);
    made->members[field.name] = object;
    auto& instance = *object.as<InstancePtr>();
    if (made->holds_numbers) instance->whole = value.integer("the value of an IntEnum's member");
    set_own(*instance, instance, "name", {field.name});
    set_own(*instance, instance, "value", value);
    if (made->member("__init__") != nullptr) {
      const auto* several = value.as<Sequence>();
      (void)call_method(
          object, "__init__",
          several != nullptr && !several->list ? elements_of(value) : std::vector<Value>{value});
    }
    all.push_back(object);
  }
  made->members["__members__"] = new_sequence(false, std::move(all));
}

/// What gets a property, sets it and deletes it.
constexpr std::size_t kPropertyFunctions = 3;

Value Objects::decorated(std::uint32_t statement, Value value) {
  const ast::Program& tree = reader_.tree_;
  const auto decorators = tree.decorators_of(tree.statements[statement]);
  for (std::size_t i = decorators.size(); i-- > 0;) {
    const ast::Expr& expr = tree[decorators[i]];
    if (expr.kind == ast::ExprKind::Name && reader_.find(tree.string(expr)) == nullptr) {
      const std::string& name = tree.string(expr);
      using enum Descriptor::Kind;
      if (name == "property" || name == "staticmethod" || name == "classmethod") {
        const auto kind = name == "property" ? Property : name == "classmethod" ? OfClass : Static;
        value = {Descriptor{kind, Items({value})}};
        continue;
      }
    }
    if (expr.kind == ast::ExprKind::Attribute &&
        has_word(" getter setter deleter ", tree.string(expr))) {
      const Value before = reader_.evaluate(tree.child(decorators[i], 0));
      const auto* property = before.as<Descriptor>();
      if (property == nullptr)
        misuse("program", "{} has no {}", before.description(), tree.string(expr));
      std::vector<Value> functions(property->functions.begin(), property->functions.end());
      functions.resize(kPropertyFunctions);
      functions[tree.string(expr) == "getter" ? 0 : tree.string(expr) == "setter" ? 1 : 2] = value;
      value = {Descriptor{Descriptor::Kind::Property, Items(std::move(functions))}};
      continue;
    }
    const ast::Expr& named =
        tree[expr.kind == ast::ExprKind::Call ? tree.child(decorators[i], 0) : decorators[i]];
    const bool has_name =
        named.kind == ast::ExprKind::Name || named.kind == ast::ExprKind::Attribute;
    if (has_name && has_word(" lru_cache cache ", tree.string(named))) {
      if (auto* function = std::get_if<UserFunction>(&value.held)) function->is_cached = true;
      continue;
    }
    const Value decorator = reader_.evaluate(decorators[i]);
    if (const auto* module = decorator.as<Module>();
        module != nullptr && module->name == "functools.cached_property") {
      value = {Descriptor{Descriptor::Kind::Cached, Items({value})}};
      continue;
    }
    if (decorator.as<Module>() != nullptr &&
        decorator.as<Module>()->name == "functools.total_ordering") {
      if (const auto* type = value.as<ClassPtr>()) (*type)->members["(total ordering)"] = {true};
      continue;
    }
    if (const auto* ignored = decorator.as<Ignored>()) {
      if (ignored->name.starts_with("abc.abstract")) abstract_.insert(statement);
      if (ignored->name.starts_with("dataclasses.dataclass")) {
        if (expr.kind == ast::ExprKind::Call)
          for (const ast::ExprId part : tree.children(decorators[i]).subspan(1))
            if (tree[part].kind == ast::ExprKind::Keyword && tree.string(part) == "frozen")
              (*value.as<ClassPtr>())->is_frozen =
                  truth_of(reader_.evaluate(tree.child(part, 0))) == true;
        const ClassPtr& type = *value.as<ClassPtr>();
        if (type->kind == Class::Kind::Plain) type->kind = Class::Kind::Data;
      }
      continue;
    }
    Call made{"", {value}, {}, reader_.result_.steps};
    value = reader_.call_value(decorator, made);
  }
  return value;
}

// ---- exceptions ----

/// Python's classes of exceptions, each with its base.
constexpr std::pair<std::string_view, std::string_view> kExceptions[] = {
    {"BaseException", ""},
    {"Exception", "BaseException"},
    {"GeneratorExit", "BaseException"},
    {"StopIteration", "Exception"},
    {"BufferError", "Exception"},
    {"EOFError", "Exception"},
    {"MemoryError", "Exception"},
    {"ArithmeticError", "Exception"},
    {"FloatingPointError", "ArithmeticError"},
    {"OverflowError", "ArithmeticError"},
    {"ZeroDivisionError", "ArithmeticError"},
    {"AssertionError", "Exception"},
    {"AttributeError", "Exception"},
    {"FrozenInstanceError", "AttributeError"},
    {"ImportError", "Exception"},
    {"ModuleNotFoundError", "ImportError"},
    {"LookupError", "Exception"},
    {"IndexError", "LookupError"},
    {"KeyError", "LookupError"},
    {"NameError", "Exception"},
    {"UnboundLocalError", "NameError"},
    {"OSError", "Exception"},
    {"IOError", "Exception"},
    {"FileNotFoundError", "OSError"},
    {"FileExistsError", "OSError"},
    {"PermissionError", "OSError"},
    {"TimeoutError", "OSError"},
    {"ConnectionError", "OSError"},
    {"RuntimeError", "Exception"},
    {"NotImplementedError", "RuntimeError"},
    {"RecursionError", "RuntimeError"},
    {"TypeError", "Exception"},
    {"ValueError", "Exception"},
    {"UnicodeError", "ValueError"},
    {"LinAlgError", "ValueError"},
    {"Warning", "Exception"},
    {"UserWarning", "Warning"},
    {"RuntimeWarning", "Warning"},
    {"DeprecationWarning", "Warning"},
    {"FutureWarning", "Warning"},
    {"KeyboardInterrupt", "BaseException"},
    {"SystemExit", "BaseException"},
};

ClassPtr Objects::exception_class(const std::string& name) {
  const auto* const known = std::find_if(std::begin(kExceptions), std::end(kExceptions),
                                         [&](const auto& each) { return each.first == name; });
  if (known == std::end(kExceptions)) return nullptr;
  ClassPtr& made = exceptions_[name];
  if (made) return made;
  const auto type = std::make_shared<Class>();
  type->name = name;
  type->kind = Class::Kind::Exception;
  if (!known->second.empty()) {
    const ClassPtr base = exception_class(std::string(known->second));
    type->bases = {base};
    type->bases.insert(type->bases.end(), base->bases.begin(), base->bases.end());
  }
  return made = type;
}

Value Objects::exception(const std::string& type, std::vector<Value> arguments) {
  const Call made{type, std::move(arguments), {}, reader_.result_.steps};
  return instantiate(exception_class(type), made, ast::kNoExpr);
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
  if (call.arguments.size() > parameters.size())
    misuse(type.name, "takes {} arguments; got {}", parameters.size(), call.arguments.size());
  for (const auto& [keyword, value] : call.keywords)
    if (std::find(parameters.begin(), parameters.end(), keyword) == parameters.end())
      misuse(type.name, "got an unexpected keyword argument '{}'", keyword);
  std::size_t position = 0;
  for (const Field& field : type.fields) {
    const auto keyword = std::find_if(call.keywords.begin(), call.keywords.end(),
                                      [&](const auto& each) { return each.first == field.name; });
    if (field.is_argument && position < call.arguments.size()) {
      if (keyword != call.keywords.end())
        misuse(type.name, "got multiple values for argument '{}'", field.name);
      set_own(*self, self, field.name, call.arguments[position]);
    } else if (field.is_argument && keyword != call.keywords.end()) {
      set_own(*self, self, field.name, keyword->second);
    } else if (field.standard && field.is_made) {
      Call made{"", {}, {}, reader_.result_.steps};
      set_own(*self, self, field.name, reader_.call_value(*field.standard, made));
    } else if (field.standard) {
      set_own(*self, self, field.name, *field.standard);
    } else if (field.is_argument) {
      misuse(type.name, "needs the argument '{}'", field.name);
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
      misuse(type->name, "takes no keyword arguments; got {}", call.keywords[0].first);
  } else if (!call.arguments.empty() || !call.keywords.empty()) {
    misuse(type->name, "takes no arguments");
  }
  return object;
}

}  // namespace rewriter

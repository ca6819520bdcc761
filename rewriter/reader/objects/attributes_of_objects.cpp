// The reader: attributes of objects, found, set and removed as Python does.
#include <algorithm>

#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/python_types.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/objects.hpp"
#include "rewriter/reader/walk/outside.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

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

Value Objects::annotations_of(const UserFunction& function) {
  Dict types;
  if (function.lambda != ast::kNoExpr || function.owner != &reader_) return {types};
  const ast::Statement& def = reader_.tree_.statements[function.statement];
  reader_.in_scope_of(function, [&] {
    for (const ast::Parameter& each : reader_.tree_.parameters_of(def)) {
      if (each.annotation == ast::kNoExpr) continue;
      try {
        set_key(types, {each.name}, reader_.evaluate(each.annotation));
      } catch (const cudamat::CUDAMatException&) {  // nothing depends on what is not asked for
      }
    }
  });
  return {types};
}

/// A reading of an attribute.
struct Objects::Attribute {
  Objects& objects;
  const Value& object;
  const std::string& name;

  [[nodiscard]] bool is_special() const { return name.starts_with("__"); }

  /// The loops around see that it was asked for.
  [[noreturn]] void raise_missing(const std::string& held, const std::string& owner) {
    objects.miss(held);
    throw PythonError("AttributeError", "program",
                      fmt::format("{} has no attribute '{}'", owner, name));
  }

  Value of_super(const Super& super) {
    const Value& self = super.self[0];
    const auto* instance = self.as<InstancePtr>();
    const ClassPtr& type = instance != nullptr ? (*instance)->type : *self.as<ClassPtr>();
    const auto below = std::find(type->bases.begin(), type->bases.end(), super.below);
    for (auto base = below == type->bases.end() ? type->bases.begin() : std::next(below);
         base != type->bases.end(); ++base)
      if (const Value* held = objects.read(attribute_name(**base, name)))
        return *held;
      else if (const auto found = (*base)->members.find(name); found != (*base)->members.end())
        return instance != nullptr || found->second.as<Descriptor>() != nullptr
                   ? objects.bound(found->second, self, type)
                   : found->second;
    return of_super_of_python(*type, self);
  }

  /// Where no base of the program has it.
  Value of_super_of_python(const Class& type, const Value& self) {
    if (type.container &&
        has_word(" __init__ __getitem__ __setitem__ __contains__ __len__ __iter__ ", name))
      return {Method{"container." + name, Items({self})}};
    if (type.container) return objects.reader_.attribute(objects.items_of(self), name);
    if (name == "__init__" && type.kind == Class::Kind::Exception)
      return with({Ignored{"exception.init"}}, self);
    if (name == "__setattr__") return with({Ignored{"builtins.object.__setattr__"}}, self);
    refuse_outside(type, name);
    if (name.starts_with("__init") || name == "__post_init__") return {Ignored{"object.init"}};
    misuse(Exception::AttributeError, "program", "'super' object has no attribute '{}'", name);
  }

  Value of_class(const ClassPtr& type) {
    if (!type->unusable.empty()) misuse("program", "{}", type->unusable);
    if (name == "__name__" || name == "__qualname__") return {type->name};
    if (name == "__mro__") return order_of_bases(type);
    if (name == "__members__" && type->kind == Class::Kind::Enum) return members_by_name(*type);
    if (name == "_fields" && type->kind == Class::Kind::Tuple) return names_of_fields(*type);
    if (name == "_make" && type->kind == Class::Kind::Tuple)
      return with({Ignored{"namedtuple.make"}}, object);
    if (const Value* descriptor = object_with(objects, *type, name, "__get__"))
      return *objects.call_method(Value(*descriptor), "__get__", {Value{}, object});
    const Value* value = objects.read(*type, name);
    if (value == nullptr) return missing_in_class(*type);
    const auto* descriptor = value->as<Descriptor>();
    return descriptor != nullptr && (descriptor->kind == Descriptor::Kind::Static ||
                                     descriptor->kind == Descriptor::Kind::OfClass)
               ? objects.bound(*value, object, type)
               : *value;
  }

  Value missing_in_class(const Class& type) {
    if (name == "__init__" && type.outside.empty())
      return {Ignored{type.kind == Class::Kind::Exception ? "exception.init" : "object.init"}};
    const std::string owner = fmt::format("type object '{}'", type.name);
    if (is_special())
      misuse(Exception::AttributeError, "program", "{} has no attribute '{}'", owner,
             name);  // Python's own
    refuse_outside(type, name);
    raise_missing(attribute_name(type, name), owner);
  }

  std::optional<Value> of_function(const UserFunction& function) {
    if (name == "__annotations__") return objects.annotations_of(function);
    if (is_special()) {
      const Value* given = objects.read(objects.attribute_of(function, name));
      return given != nullptr ? std::optional(*given) : std::nullopt;
    }
    const std::string held = objects.attribute_of(function, name);
    if (const Value* value = objects.read(held)) return *value;
    raise_missing(held, "'function' object");
  }

  /// In Python's order: data descriptors of the class, the object's own, the class's others.
  Value of_object(const InstancePtr& self) {
    const ClassPtr& type = self->type;
    if (property_of(objects, *type, name) != nullptr)
      return objects.bound(*type->member(name), object, type);
    const Value* getter = object_with(objects, *type, name, "__get__");
    const auto got = [&] {
      return *objects.call_method(Value(*getter), "__get__", {object, Value{type}});
    };
    if (getter != nullptr && object_with(objects, *type, name, "__set__") != nullptr) return got();
    const std::string own = attribute_name(*self, name);
    if (const Value* value = objects.read(own)) return *value;
    if (getter != nullptr) return got();
    const Value* member = type->member(name);
    const auto* cached = member == nullptr ? nullptr : member->as<Descriptor>();
    if (cached != nullptr && cached->kind == Descriptor::Kind::Cached) {
      objects.miss(own);
      Value made = objects.bound(*member, object, type);
      objects.set_own(*self, self, name, made);
      return made;
    }
    if (const Value* value = objects.read(*type, name)) {
      Value found = objects.bound(*value, object, type);
      if (value->as<UserFunction>() == nullptr && value->as<Descriptor>() == nullptr)
        objects.miss(own);
      return found;
    }
    if (auto given = given_by_python(*self)) return *given;
    refuse_outside(*type, name);
    raise_missing(own, fmt::format("'{}' object", type->name));
  }

  /// What neither the object nor its class binds.
  std::optional<Value> given_by_python(const Instance& self) {
    const ClassPtr& type = self.type;
    if (name == "__class__") return Value{type};
    if (name == "__dict__") return dict_of(self);
    if (type->kind == Class::Kind::Tuple && name == "_fields") return names_of_fields(*type);
    if (type->kind == Class::Kind::Tuple && (name == "_replace" || name == "_asdict"))
      return with({Ignored{name == "_replace" ? "dataclasses.replace" : "dataclasses.asdict"}},
                  object);
    if (name == "with_traceback" && type->kind == Class::Kind::Exception)
      return with({Ignored{"exception.itself"}}, object);
    if (type->kind == Class::Kind::Exception && name == "__cause__") return Value{};
    if (type->name == "StopIteration" && name == "value") {
      const Value given = objects.reader_.attribute(object, "args");
      const Items& items = given.as<Sequence>()->items;
      const auto* text = items.empty() ? nullptr : items[0].as<std::string>();
      return items.empty() || (text != nullptr && text->empty()) ? Value{} : items[0];
    }
    if (type->kind == Class::Kind::Exception && name == "__suppress_context__") return Value{false};
    if (type == objects.iterator_ && has_word(" send close __next__ ", name))
      return Value{Method{"iterator." + name, Items({object})}};
    if (is_special()) return std::nullopt;
    const bool has_getattr = type->member("__getattr__") != nullptr;
    if (type->container && (!has_getattr || container_method(objects.items_of(object), name)))
      return objects.reader_.attribute(objects.items_of(object), name);
    if (has_getattr) return objects.call_method(object, "__getattr__", {{name}});
    if (self.text) return objects.reader_.attribute({*self.text}, name);
    return std::nullopt;
  }

  Value dict_of(const Instance& self) {
    Dict dict;
    for (const auto& [attribute, held] : objects.attributes_of(self))
      if (attribute != kItems) set_key(dict, {attribute}, *objects.read(held));
    objects.reader_.frozen_.insert(dict.number);
    return {dict};
  }
};

std::optional<Value> Objects::attribute(const Value& object, const std::string& name) {
  Attribute asked{*this, object, name};
  if (const auto* super = object.as<Super>()) return asked.of_super(*super);
  if (const auto* type = object.as<ClassPtr>()) return asked.of_class(*type);
  if (const auto* function = object.as<UserFunction>()) return asked.of_function(*function);
  if (const auto* self = object.as<InstancePtr>()) return asked.of_object(*self);
  if (const auto* descriptor = object.as<Descriptor>();
      descriptor != nullptr && has_word(" fget func ", name))
    return descriptor->functions[0];
  if (const auto* method = object.as<Method>();
      method != nullptr && method->name == "functools.partial()" && name == "__func__")
    return method->self[0];
  return std::nullopt;
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
  const bool has_own = type.kind == Class::Kind::Plain || type.kind == Class::Kind::Data;
  return has_own && !type.container && lacks(type) &&
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
    refuse_shadowing(object, name, attribute_name(**type, name));
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
    misuse(takes_no_attributes(object) ? Exception::AttributeError : Exception::None, "program",
           "the attributes of {} cannot be assigned", object.description());
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
      return own != type.members.end() ? &own->second : read(attribute_name(type, "__slots__"));
    };
    if (lacks_slot(*instance.type, name, slots_of))
      throw PythonError(
          "AttributeError", "program",
          fmt::format("'{}' object has no attribute '{}'", instance.type->name, name));
    if (instance.type->kind != Class::Kind::Enum)
      refuse_shadowing(object, name, attribute_name(instance, name));
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
  const std::string held = attribute_name(instance, name);
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
  const std::string held = self != nullptr ? attribute_name(**self, name) : "";
  if (self == nullptr || read(held) == nullptr)
    misuse("program", "{} has no attribute '{}' of its own", object.description(), name);
  if (reader_.in_loop()) misuse("program", "del in a loop that is not unrolled is not supported");
  reader_.scope().names.erase(held);
}

}  // namespace rewriter

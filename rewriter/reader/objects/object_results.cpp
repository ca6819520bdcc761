// What a function returns of objects, and what it changes of its caller's.
#include <algorithm>
#include <fmt/format.h>

#include "rewriter/reader/loops/loop_run.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/objects.hpp"

namespace rewriter {

using Returned = Program::Returned;

/// Its attributes are described once.
Returned Interpreter::returned_object(const std::string& name, const Value& object) {
  const Instance& instance = **object.as<InstancePtr>();
  const bool is_of_program = instance.type->number != 0 || instance.type->name == "SimpleNamespace";
  if (!is_of_program || instance.type->kind == Class::Kind::Exception)
    return {.kind = Returned::Kind::Other, .text = object.description()};
  const auto number = static_cast<std::int64_t>(instance.number);
  if (returned_objects_.insert(instance.number).second) {
    const bool is_tuple = instance.type->kind == Class::Kind::Tuple;
    Returned made{.text = (is_tuple ? "namedtuple " : "") + instance.type->name};
    for (const auto& [attribute, held] : objects_.attributes_of(instance)) {
      made.parts.push_back({.kind = Returned::Kind::Text, .text = attribute});
      const std::string_view shown =
          attribute.starts_with('(') ? "items" : std::string_view(attribute);
      made.parts.push_back(returned(fmt::format("{}_{}", name, shown), scope().names.at(held)));
    }
    result_.new_objects[number] = std::move(made);
  }
  return {.kind = Returned::Kind::Object, .integer = number};
}

std::vector<InstancePtr> Interpreter::objects_of_caller() {
  std::vector<InstancePtr> objects;
  for (const std::string& name : options_.objects) {
    const auto own = scope().names.find(name);
    const Value& held = own != scope().names.end() ? own->second : module().names.at(name);
    objects.push_back(*held.as<InstancePtr>());
    returned_objects_.insert(objects.back()->number);
  }
  return objects;
}

/// Whether it is what it was, all parts of it.
static bool is_unchanged(const Value& before, const Value& now) {
  constexpr auto kAnyList =
      static_cast<std::uint64_t>(-1);  // lists are the same only if they are one
  if (is_same_value(before, now, kAnyList)) return true;
  if (before.held.index() != now.held.index() || list_number(before) != list_number(now))
    return false;
  const auto are_unchanged = [](const Items& x, const Items& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), is_unchanged);
  };
  if (const auto* list = before.as<Sequence>())
    return are_unchanged(list->items, now.as<Sequence>()->items);
  if (const auto* dict = before.as<Dict>())
    return are_unchanged(dict->keys, now.as<Dict>()->keys) &&
           are_unchanged(dict->values, now.as<Dict>()->values);
  if (const auto* function = before.as<UserFunction>()) {
    const auto& other = *now.as<UserFunction>();
    return function->statement == other.statement && function->lambda == other.lambda &&
           function->enclosing == other.enclosing;
  }
  if (const auto* type = before.as<ClassPtr>()) return *type == *now.as<ClassPtr>();
  if (before.as<InstancePtr>() != nullptr) return false;
  if (const auto* method = before.as<Method>())
    return method->name == now.as<Method>()->name &&
           are_unchanged(method->self, now.as<Method>()->self);
  const bool has_no_value = !before.is_number() && before.as<ObjectPtr>() == nullptr &&
                            before.as<std::string>() == nullptr && before.as<Complex>() == nullptr;
  return has_no_value && before.description() == now.description();
}

/// The attributes that are not what they were, and the names of the module that functions bind.
void Interpreter::return_objects(const std::vector<InstancePtr>& objects) {
  if (!globals_.empty() && options_.returns_selections) {
    auto& changed = result_.objects.emplace_back();
    for (const std::string& name : globals_[0])
      if (const auto held = scope().names.find(objects_.global_name(name));
          held != scope().names.end())
        changed.attributes.push_back({name, returned(name, held->second)});
  }
  for (const InstancePtr& object : objects) {
    auto& changed = result_.objects.emplace_back();
    changed.number = static_cast<std::int64_t>(object->number);
    const auto& given = objects_.given(*object);
    const auto now = objects_.attributes_of(*object);
    for (const auto& [attribute, before] : given)
      if (std::none_of(now.begin(), now.end(),
                       [&, &gone = attribute](const auto& each) { return each.first == gone; }))
        changed.attributes.push_back({attribute});
    for (const auto& [attribute, held] : now) {
      const Value value = scope().names.at(held);
      const auto before =
          std::find_if(given.begin(), given.end(),
                       [&, &made = attribute](const auto& each) { return each.first == made; });
      const bool was = before != given.end();
      const auto list = list_number(value);
      const bool is_same_list = was && list && list == list_number(before->second);
      if (is_same_list) changed.lists.emplace_back(attribute, *list);
      if (was && is_unchanged(before->second, value)) continue;
      changed.attributes.push_back({attribute,
                                    returned(fmt::format("{}_{}", object->name, attribute), value),
                                    is_same_list});
    }
  }
}

}  // namespace rewriter

// Whether what was assumed at the start of a loop's body holds at its end.
#include <algorithm>

#include "rewriter/loop_run.hpp"

namespace rewriter {

namespace {

/// Known values that are the same: numbers, texts, tuples of such.
bool same_value(const Value& a, const Value& b) {
  if (a.is_integer() && b.is_integer()) return a.affine("") == b.affine("");
  if (a.held.index() != b.held.index()) return false;
  if (a.is_real()) return a.real() == b.real();
  if (const auto* text = a.as<std::string>()) return *text == *b.as<std::string>();
  if (const auto* object = a.as<ObjectPtr>()) return *object == *b.as<ObjectPtr>();
  if (const auto* function = a.as<Function>()) return function->name == b.as<Function>()->name;
  if (const auto* module = a.as<Module>()) return module->name == b.as<Module>()->name;
  if (const auto* items = a.as<Sequence>())
    return std::equal(items->items.begin(), items->items.end(), b.as<Sequence>()->items.begin(),
                      b.as<Sequence>()->items.end(), same_value);
  return a.is_none();
}

std::optional<Affine> list_length(const Value& value) {
  if (const auto* list = value.as<NumberList>()) return list->length;
  const auto* sequence = value.as<Sequence>();
  if (sequence == nullptr || !sequence->list) return std::nullopt;
  return Affine{std::ssize(sequence->items), {}};
}

}  // namespace

bool LoopRun::review() {
  bool right = true;
  for (const Saved& saved : saved_) {
    if (carry_of(saved.root) != nullptr || saved.root->writes() == saved.writes) continue;
    plan_.written.push_back(saved.root);
    right = false;
  }
  for (const Carry& carry : carries_) {
    if (!carry.name.empty() || carry.written() || lists_.contains(carry.cell.get())) continue;
    std::erase(plan_.written, carry.cell);
    right = false;
  }
  for (const std::string& name : frame_.rebound_order) {
    const Value* value = before(name);
    if (value == nullptr || plan_.rebound_set.contains(name)) continue;
    if (plan_.kept.contains(name) && same_value(*value, names().at(name))) continue;
    plan_.kept.erase(name);
    plan_.add_rebound(name);
    right = false;
  }
  for (const std::string& name : std::vector(plan_.rebound)) {
    const Value* value = before(name);
    if (value != nullptr && is_read(name) && name != variable())
      right = review_name(name, *value) && right;
  }
  return right;
}

// Of a name that is read before it is assigned.
bool LoopRun::review_name(const std::string& name, const Value& was) {
  const Value& now = names().at(name);
  const auto* object = now.as<ObjectPtr>();
  const bool now_number = now.is_number() || now.is_integer();
  if (carry_of(name) != nullptr) {
    if (object == nullptr && !now_number)
      fail(fmt::format("{} is {} at the start of an iteration and {} at its end", name,
                       was.description(), now.description()));
    return review_array(name, was, now);
  }
  if (now.is_integer() && was.is_integer()) return review_integer(name, was, now);
  const auto length = list_length(was);
  if (const auto longer = list_length(now); length && longer && !(*length == *longer))
    return review_list(name, *length, *longer);
  if (same_value(was, now)) return true;
  if ((was.is_number() || was.is_integer()) && (now_number || object != nullptr)) {
    const Array array = to_array(now, name);
    plan_.arrays[name] = array.shape();
    plan_.dtypes[name] = std::max(array.dtype(), to_array(was, name).dtype());
    return false;
  }
  fail(
      fmt::format("{} is {} at the start of an iteration and {} at its end; in a loop a name "
                  "stands for arrays of one shape, for numbers, or always for the same thing",
                  name, was.description(), now.description()));
}

bool LoopRun::review_integer(const std::string& name, const Value& was, const Value& now) {
  const auto known = plan_.delta.find(name);
  const Index delta = known == plan_.delta.end() ? 0 : known->second;
  const Affine change = now.affine("") - (was.affine("") + counted(delta));
  if (change == Affine{delta, {}}) return true;
  if (known == plan_.delta.end() && change.known()) {
    plan_.add_delta(name, change.constant, loop_->step);
  } else {
    plan_.delta.erase(name);
    plan_.arrays[name] = {};
  }
  return false;
}

bool LoopRun::review_list(const std::string& name, const Affine& was, const Affine& now) {
  const auto known = plan_.delta.find(name);
  const Index delta = known == plan_.delta.end() ? 0 : known->second;
  const Affine growth = now - (was + counted(delta));
  if (known != plan_.delta.end() && growth == Affine{delta, {}}) return true;
  if (known != plan_.delta.end() || !growth.known() || growth.constant < 0)
    fail(fmt::format("the list {} does not grow by the same number in every iteration", name));
  plan_.add_delta(name, growth.constant, loop_->step);
  return false;
}

bool LoopRun::review_array(const std::string& name, const Value& was, const Value& now) {
  const Carry& carry = *carry_of(name);
  const Array next = to_array(now, name);
  const bool becomes_array = next.is_number() && plan_.arrays.contains(name);
  if (next.shape() != carry.node->dims && !becomes_array)
    fail(
        fmt::format("{} has the shape {} at the start of an iteration and {} at its end; in a "
                    "loop the shape of an array stays the same",
                    name, to_string(carry.node->dims), to_string(next.shape())));
  const auto* object = now.as<ObjectPtr>();
  const bool keeps = object != nullptr && *object == carry.cell && is_rebound(name) &&
                     was.as<ObjectPtr>() != nullptr;
  if (keeps && plan_.kept.insert(name).second) {
    plan_.rebound_set.erase(name);
    std::erase(plan_.rebound, name);
    return false;
  }
  bool right = true;
  if (next.dtype() > carry.node->dtype) {
    plan_.dtypes[name] = next.dtype();
    right = false;
  }
  const bool scalar = next.is_number() || is_numpy_scalar(next);
  if (scalar != carry.node->is_scalar && loop_->count() > 1 &&
      plan_.scalars.try_emplace(name, scalar).second) {
    if (scalar && carry.written() && shares_at_start(name))
      fail(
          fmt::format("{0} shares its memory with another name when the first iteration starts, "
                      "and only then; make it a copy: {0} = {0}.copy()",
                      name));
    right = false;
  }
  if (object != nullptr && !(*object)->contiguous() && carry.cell->contiguous()) {
    plan_.scattered.insert(name);
    right = false;
  }
  return right;
}

bool LoopRun::shares_at_start(const std::string& name) const {
  const auto* own = before(name)->as<ObjectPtr>();
  if (own == nullptr) return false;
  bool shares = false;
  const auto compare = [&](const std::string& other, const Value& value) {
    for_each_object(value, [&](const ObjectPtr& object) {
      shares =
          shares || (other != name && ArrayObject::root_of(object) == ArrayObject::root_of(*own));
    });
  };
  for (const auto& [other, value] : saved_names_) compare(other, value);
  for (const auto& [other, value] : reader_.scope().names)
    if (!saved_names_.contains(other) && !is_rebound(other)) compare(other, value);
  return shares;
}

}  // namespace rewriter

// Whether what was assumed at the start of a loop's body holds at its end.
#include <algorithm>

#include "rewriter/reader/loops/loop_run.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/loop_trace.hpp"

namespace rewriter {

bool is_same_value(const Value& a, const Value& b, std::uint64_t begin) {
  const auto list = list_number(a);
  if (const auto other = list_number(b); list && other && list != other && *other < begin)
    return false;
  const auto is_truth = [](const Value& value) { return value.as<bool>() != nullptr; };
  if (a.is_numpy != b.is_numpy || is_truth(a) != is_truth(b)) return false;
  if (a.is_integer() && b.is_integer()) return a.affine("") == b.affine("");
  if (a.held.index() != b.held.index()) return false;
  if (a.is_real()) return a.real() == b.real();
  if (const auto* text = a.as<std::string>()) return *text == *b.as<std::string>();
  if (const auto* object = a.as<ObjectPtr>()) return *object == *b.as<ObjectPtr>();
  if (const auto* object = a.as<InstancePtr>()) return *object == *b.as<InstancePtr>();
  if (const auto* function = a.as<Function>())
    return function->name == b.as<Function>()->name && function->dtype == b.as<Function>()->dtype;
  if (const auto* outside = a.as<OutsideObject>())
    return outside->number == b.as<OutsideObject>()->number;
  if (const auto* module = a.as<Module>()) return module->name == b.as<Module>()->name;
  const auto are_same = [&](const Items& x, const Items& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [&](const Value& p, const Value& q) { return is_same_value(p, q, begin); });
  };
  if (const auto* perhaps = a.as<Perhaps>())
    return perhaps->is_set == b.as<Perhaps>()->is_set &&
           are_same(perhaps->parts, b.as<Perhaps>()->parts);
  if (const auto* dict = a.as<Dict>(); dict != nullptr && dict->number == b.as<Dict>()->number)
    return are_same(dict->keys, b.as<Dict>()->keys) && are_same(dict->values, b.as<Dict>()->values);
  if (const auto* items = a.as<Sequence>()) return are_same(items->items, b.as<Sequence>()->items);
  if (const auto* z = a.as<Complex>()) return are_same(z->parts, b.as<Complex>()->parts);
  return a.is_none() || (is_chosen_text(a) && is_chosen_text(b));
}

namespace {

std::optional<Affine> list_length(const Value& value) {
  if (const auto* list = value.as<NumberList>()) return list->length;
  const auto* sequence = value.as<Sequence>();
  if (sequence == nullptr || !sequence->list) return std::nullopt;
  return Affine{std::ssize(sequence->items), {}};
}

}  // namespace

/// Of arrays that were there before: whether the body writes those in place that it is said to.
bool LoopRun::review_contents() {
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
  return right;
}

bool LoopRun::review() {
  bool right = review_contents();
  right = drop_unbound() && right;
  for (const std::string& name : frame_.rebound_order) {
    const Value* value = before(name);
    if (value == nullptr || plan_.rebound_set.contains(name)) continue;
    if (plan_.kept.contains(name) && is_same_value(*value, names().at(name), frame_.begin))
      continue;
    plan_.kept.erase(name);
    plan_.add_rebound(name);
    right = false;
  }
  for (const std::string& name : std::vector(plan_.rebound)) {
    const Value* value = before(name);
    if (value == nullptr || !is_read(name) || name == variable()) continue;
    const bool is_found_now = value->as<ObjectPtr>() != nullptr && carry_of(name) == nullptr;
    right = !is_found_now && review_name(name, *value) && right;
  }
  return right;
}

// Of a name that is read before it is assigned.
bool LoopRun::review_name(const std::string& name, const Value& was) {
  const Value& now = names().at(name);
  const auto* object = now.as<ObjectPtr>();
  const bool now_number = now.is_number() || now.is_integer();
  if (carry_of(name) != nullptr) {
    if (object == nullptr && !now_number) {
      note_unsettled(name, was, now);
      fail(fmt::format("{} is {} at the start of an iteration and {} at its end", name,
                       was.description(), now.description()));
    }
    return review_array(name, was, now);
  }
  const auto is_plain = [](const Value& value) {
    return value.is_integer() && !value.is_numpy && value.as<bool>() == nullptr;
  };
  if (is_plain(now) && is_plain(was)) return review_integer(name, was, now);
  const auto list = list_number(was);
  if (const auto other = list_number(now); list && other && list != other)
    if (*other < frame_.begin || frame_.grown.contains(*list) || frame_.grown.contains(*other))
      fail(
          fmt::format("{} is a different list at the end of an iteration than at its start; in a "
                      "loop a name must refer to one list",
                      name));
  if (now.as<NumberList>() != nullptr && element_type(now) != type_of_list(name, was)) {
    plan_.lists[name] = joined_types(element_type(now), type_of_list(name, was));
    return false;
  }
  const auto length = list_length(was);
  if (const auto longer = list_length(now); length && longer && !(*length == *longer))
    return review_list(name, *length, *longer);
  if (is_same_value(was, now, frame_.begin)) return true;
  if ((was.is_number() || was.is_integer()) && (now_number || object != nullptr)) {
    plan_.types[name] = type_of(was);
    return false;
  }
  note_unsettled(name, was, now);
  fail(
      fmt::format("{} is {} at the start of an iteration and {} at its end; in a loop a name must "
                  "refer to arrays of one shape, to numbers, or always to the same object",
                  name, was.description(), now.description()));
}

std::optional<ElementType> LoopRun::type_of_list(const std::string& name, const Value& was) const {
  const auto known = plan_.lists.find(name);
  return known == plan_.lists.end() ? element_type(was) : known->second;
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
    plan_.types[name] = type_of(was);
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
  const ValueType type = type_of(now);
  if (type.dims != carry.type.dims && !carry.type.is_scalar && loop_->count() > 1)
    fail(
        fmt::format("{} has the shape {} at the start of an iteration and {} at its end; in a loop "
                    "the shape of an array must stay the same",
                    name, to_string(carry.node->dims), to_string(type.dims)));
  const auto* object = now.as<ObjectPtr>();
  const bool keeps = object != nullptr && *object == carry.cell && is_rebound(name) &&
                     was.as<ObjectPtr>() != nullptr;
  if (keeps && plan_.kept.insert(name).second) {
    plan_.rebound_set.erase(name);
    std::erase(plan_.rebound, name);
    return false;
  }
  ends_[name] = type;
  if (type != carry.type && changing_.empty()) changing_ = name;
  return true;
}

}  // namespace rewriter

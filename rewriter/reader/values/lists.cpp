// Which list a value is: a list has a number, and all that holds the list holds a value of that
// number. How deep containers hold each other.
#include <algorithm>
#include <atomic>
#include <unordered_set>

#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/depth.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// Each thread has numbers of its own: lists of the library's files are every reader's.
std::uint64_t& lists_made() {
  constexpr int kNumbersOfThread = 40;
  static std::atomic<std::uint64_t> threads{0};
  static thread_local std::uint64_t made = threads++ << kNumbersOfThread;
  return made;
}

}  // namespace

std::uint64_t new_list() {
  return ++lists_made();
}

std::uint64_t last_list() {
  return lists_made();
}

void forget_lists_after(std::uint64_t number) {
  lists_made() = number;
}

std::optional<std::uint64_t> list_number(const Value& value) {
  if (const auto* grown = value.as<NumberList>()) return grown->number;
  if (const auto* grown = value.as<RunList>()) return grown->number;
  if (const auto* dict = value.as<Dict>()) return dict->number;
  const auto* sequence = value.as<Sequence>();
  if (sequence == nullptr || !sequence->list) return std::nullopt;
  return sequence->number;
}

static bool may_hold_lists(const Value& value) {
  return value.as<Sequence>() != nullptr || value.as<Dict>() != nullptr ||
         value.as<NumberList>() != nullptr || value.as<RunList>() != nullptr ||
         value.as<UserFunction>() != nullptr || value.as<Iteration>() != nullptr ||
         value.as<Method>() != nullptr || value.as<Perhaps>() != nullptr;
}

bool replace_list(Value& value, const Value& list, std::uint64_t number) {
  if (list_number(value) == number) {
    value = list;
    return true;
  }
  bool found = false;
  const auto replace = [&](Items& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!may_hold_lists(items[i])) continue;
      Value item = items[i];
      if (!replace_list(item, list, number)) continue;
      items.own()[i] = item;
      items.note(item);
      found = true;
    }
  };
  if (auto* sequence = std::get_if<Sequence>(&value.held)) replace(sequence->items);
  if (auto* dict = std::get_if<Dict>(&value.held)) replace(dict->values);
  if (auto* function = std::get_if<UserFunction>(&value.held)) {
    replace(function->defaults);
    for (auto& [name, held] : function->captured) found = replace_list(held, list, number) || found;
  }
  if (auto* iteration = std::get_if<Iteration>(&value.held)) replace(iteration->parts);
  if (auto* method = std::get_if<Method>(&value.held)) replace(method->self);
  if (auto* perhaps = std::get_if<Perhaps>(&value.held)) replace(perhaps->parts);
  return found;
}

/// An array of one number is not a number: the list holds the array itself, and shows what is
/// written to it later.
static bool is_array(const Value& value) {
  const auto* object = value.as<ObjectPtr>();
  return object != nullptr && !(*object)->is_scalar();
}

static void refuse_shared(const Value& value) {
  const auto* object = value.as<ObjectPtr>();
  if (is_array(value) && !is_held_once(*object))
    misuse("program",
           "a list that grows in a loop takes numbers; this is an array of shape () that shares "
           "memory with other names. Append a copy of it: x.copy()");
}

void refuse_other_than_numbers(const Value& value) {
  const auto* object = value.as<ObjectPtr>();
  if (object != nullptr ? !(*object)->shape().empty() : !value.is_number() && !value.is_integer())
    misuse("program",
           "a list that grows in a loop takes numbers and single elements; got {}. Write a row "
           "into an array instead: x[i] = row",
           value.description());
  refuse_shared(value);
}

using cudamat::misuse;

/// Calls f with all Items of a value itself.
template <class F>
static void for_each_items(const Value& value, const F& f) {
  if (const auto* sequence = value.as<Sequence>()) {
    f(sequence->items);
  } else if (const auto* dict = value.as<Dict>()) {
    for (const Items* items : {&dict->keys, &dict->values, &dict->standard}) f(*items);
  } else if (const auto* iteration = value.as<Iteration>()) {
    f(iteration->parts);
  } else if (const auto* method = value.as<Method>()) {
    f(method->self);
  } else if (const auto* perhaps = value.as<Perhaps>()) {
    f(perhaps->parts);
  } else if (const auto* function = value.as<UserFunction>()) {
    f(function->defaults);
    for (const auto& [name, held] : function->captured) for_each_items(held, f);
  }
}

bool Items::holds(const Items& other, std::unordered_set<const Held*>& seen) const {
  if (!held_ || held_->depth == 1 || !seen.insert(held_.get()).second) return is_same(other);
  bool found = is_same(other);
  for (const Value& value : held_->values)
    for_each_items(value, [&](const Items& inner) { found = found || inner.holds(other, seen); });
  return found;
}

void Items::note(const Value& value) {
  for_each_items(value, [this](const Items& inner) {
    if (!inner.held_) return;
    std::unordered_set<const Held*> seen;
    if (held_.use_count() > 1 && inner.holds(*this, seen))
      misuse("program", "a list or a dictionary that holds itself is not supported");
    held_->depth = std::max(held_->depth, inner.held_->depth + 1);
    inner.held_->around = std::max(inner.held_->around, held_->around + 1);
    if (held_->around + held_->depth > kDeepest)
      misuse("program", "{}", too_deep("lists, tuples, dictionaries and functions"));
  });
}

void check_stack() {
  if (stack_is_short())
    misuse(
        "program",
        "calls and blocks are nested too deep for this thread's stack of memory; `ulimit -s` says "
        "how large it is");
}

}  // namespace rewriter

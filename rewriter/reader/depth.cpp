// The reader: how deep its values hold each other, and what is left of the stack.
#include "rewriter/text/depth.hpp"

#include <algorithm>
#include <unordered_set>

#include "rewriter/reader/value.hpp"

namespace rewriter {

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

// Which memory the names of a loop refer to, in every iteration and after it.
//
// The run of the body shows where what a name refers to at the end of an iteration comes from:
// from before the loop, from what some name referred to at the start of the iteration, or from the
// body itself. The number of iterations is known, and so is then the memory of every name in each
// of them.
#include <algorithm>
#include <map>

#include "rewriter/reader/loops/loop_run.hpp"
#include "rewriter/reader/selections/run_lists.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {
namespace {

constexpr Index kMostIterations = 100'000;  // followed one by one, until they repeat

}  // namespace

// ---- in every iteration

/// Raises an error for what the body, which was run as if its names had memory of their own, would
/// compute otherwise because two of them share it.
void LoopRun::follow_memory() {
  std::map<Form, Index> seen;  // what comes again starts a cycle
  bool cyclic = false;
  last_ = first_state();
  const Index count = loop_->form == LoopForm::While ? kMostIterations : loop_->count();
  for (Index i = 0;; ++i) {
    check_sharing(last_);
    for (std::size_t k = 0; k < carries_.size(); ++k)
      if (last_[k] && carries_[k].written()) wrote_.insert(last_[k]->memory);
    if (!cyclic) {
      const auto [found, is_new] = seen.emplace(form_of(last_), i);
      if (!is_new) {
        cyclic = true;
        i = count - 1 - (count - 1 - i) % (i - found->second);
      } else if (i == kMostIterations) {
        fail(
            "too many combinations of arrays share memory in different iterations; make them "
            "copies before the loop");
      }
    }
    if (i >= count - 1) return;
    State next(carries_.size());
    for (std::size_t k = 0; k < carries_.size(); ++k)
      if (!carries_[k].name.empty()) next[k] = held_at_end(names().at(carries_[k].name), last_, i);
    last_ = std::move(next);
  }
}

/// The state with memory that the body made told apart by the order of the names that hold it, not
/// by the iteration.
LoopRun::Form LoopRun::form_of(const State& state) {
  Form form;
  std::map<Memory, std::size_t> made;
  for (const auto& held : state) {
    if (!held)
      form.emplace_back(nullptr, 0, false);
    else if (held->memory.iteration == Memory::kBefore)
      form.emplace_back(held->memory.owner, 0, held->by_view);
    else
      form.emplace_back(nullptr, made.try_emplace(held->memory, made.size() + 1).first->second,
                        held->by_view);
  }
  return form;
}

LoopRun::State LoopRun::first_state() const {
  State state(carries_.size());
  for (std::size_t k = 0; k < carries_.size(); ++k) {
    if (carries_[k].name.empty()) continue;
    if (const auto* object = saved_names_.at(carries_[k].name).as<ObjectPtr>();
        object != nullptr && !(*object)->is_scalar()) {
      const ObjectPtr root = ArrayObject::root_of(*object);
      state[k] = Held{{root.get(), Memory::kBefore}, root != *object};
    }
  }
  return state;
}

/// Of a name's value at the end of the body, in an iteration that starts in this state.
std::optional<LoopRun::Held> LoopRun::held_at_end(const Value& value, const State& start,
                                                  Index iteration) const {
  const auto* object = value.as<ObjectPtr>();
  if (object == nullptr) return std::nullopt;
  const ObjectPtr root = ArrayObject::root_of(*object);
  const bool by_view = root != *object;
  // Of what was a number before the loop: an array that the loop made of it.
  if (const auto found = cells_.find(root.get()); found != cells_.end() && start[found->second]) {
    const Held& held = *start[found->second];
    return Held{held.memory, by_view || held.by_view};
  }
  return Held{{root.get(), roots_.contains(root.get()) ? Memory::kBefore : iteration}, by_view};
}

/// The names, of all functions that are being called, that refer to the same throughout the loop.
LoopRun::Sharing LoopRun::other_holders() const {
  Sharing others;
  const auto add = [&](const std::string& name, const Value& value) {
    for_each_object(value,
                    [&](const ObjectPtr& object) { others.try_emplace(object->owner(), name); });
  };
  for (const Scope& scope : reader_.scopes_) {
    const bool own = &scope == &reader_.scope();
    for (const auto& [name, value] : scope.names) {
      // What a condition binds and is not carried is what it was: review_change() has seen that.
      const bool stays = !is_rebound(name) || plan_.kept.contains(name) ||
                         (has_condition() && value.as<ObjectPtr>() != nullptr);
      if (!own)
        add(name, value);
      else if (carry_of(name) == nullptr && was_bound(name) && stays)
        add(name, saved_names_.contains(name) ? saved_names_.at(name) : value);
    }
  }
  return others;
}

/// At the start of an iteration, what is written must be held by one name only, of those whose
/// memory the iteration still needs.
void LoopRun::check_sharing(const State& state) const {
  struct Holders {
    std::size_t first;                      ///< the first carry that is read
    std::size_t written = ~std::size_t{0};  ///< one of them that may be written
    std::size_t count = 0;
  };
  std::map<Memory, Holders> holders;
  for (std::size_t k = 0; k < state.size(); ++k) {
    if (!state[k] || !is_read(carries_[k].name)) continue;
    Holders& found = holders.try_emplace(state[k]->memory, Holders{k}).first->second;
    ++found.count;
    if (carries_[k].perhaps_written()) found.written = k;
  }
  for (std::size_t k = 0; k < state.size(); ++k) {
    if (!state[k] || !is_read(carries_[k].name)) continue;
    const Carry& carry = carries_[k];
    const Memory& memory = state[k]->memory;
    const Holders& found = holders.at(memory);
    if (found.first == k && found.count > 1 && found.written < state.size()) {
      const auto is_other = [&](std::size_t l) {
        return l != k && state[l] && is_read(carries_[l].name) && state[l]->memory == memory;
      };
      std::size_t other = found.written;
      for (std::size_t l = k + 1; other == k && l < state.size(); ++l)
        if (is_other(l)) other = l;
      fail_shared(carry.name, carries_[other].name);
    }
    if (memory.iteration != Memory::kBefore) continue;
    const auto content = content_.find(memory.owner);
    const bool written = content != content_.end() && carries_[content->second].perhaps_written();
    if (!carry.perhaps_written() && !written) continue;
    if (const auto other = others().find(memory.owner); other != others().end())
      fail_shared(carry.name, other->second);
  }
}

void LoopRun::fail_shared(const std::string& name, const std::string& other) const {
  fail(
      fmt::format("{0} and {1} share their memory when an iteration starts, and the loop writes "
                  "into it; make one of them a copy: {0} = {0}.copy()",
                  name, other));
}

// ---- after it

/// Names that hold the same memory after the loop refer to one array again. What the loop wrote
/// through carried names counts as written, for the loop around this one.
void LoopRun::share_memory(const std::vector<std::string>& left) {
  for (const Saved& saved : saved_)
    if (wrote_.contains({saved.root.get(), Memory::kBefore}))
      saved.root->replace(saved.root->read(), saved.root->writes() + 1);
  for (const Carry& carry : carries_) {  // what a loop in the body may have left beside it
    const auto before = saved_names_.find(carry.name);
    if (carry.cell == nullptr || carry.cell->refusal().empty() || before == saved_names_.end())
      continue;
    if (const auto* object = before->second.as<ObjectPtr>())
      ArrayObject::root_of(*object)->refuse_writes(carry.cell->refusal());
  }
  std::map<Memory, std::size_t> number;
  std::vector<std::pair<Memory, std::vector<std::string>>> shared;  // in the order of the program
  for (const std::string& name : left) {
    const auto held = held_at_end(names().at(name), last_, loop_->count() - 1);
    if (!held) continue;
    const auto [found, is_new] = number.try_emplace(held->memory, shared.size());
    if (is_new) shared.push_back({held->memory, {}});
    shared[found->second].second.push_back(name);
  }
  for (const auto& [memory, holders] : shared) make_one(memory, holders);
}

void LoopRun::make_one(const Memory& memory, const std::vector<std::string>& holders) {
  const auto root_of = [&](const std::string& name) {
    return ArrayObject::root_of(*names().at(name).as<ObjectPtr>());
  };
  ObjectPtr owner = root_of(holders[0]);
  if (memory.iteration == Memory::kBefore)
    if (const auto found = roots_.find(memory.owner); found != roots_.end())
      owner = saved_[found->second].root;
  std::vector<std::string> apart;  // names whose array is another one as yet
  bool by_view = false;
  for (const std::string& name : holders) {
    if (root_of(name) == owner) continue;
    apart.push_back(name);
    by_view = by_view || held_at_end(names().at(name), last_, loop_->count() - 1)->by_view;
  }
  if (apart.empty()) return;
  // Where nothing else holds the memory, nobody can tell.
  if (holders.size() == 1 && !reader_.in_loop() && !others().contains(memory.owner)) return;
  if (by_view) {  // which part of it, the body's run does not say
    const std::string why = fmt::format(
        "{} may share its memory with an array of the loop above; make it a copy before the loop",
        apart[0]);
    owner->refuse_writes(why);
    for (const std::string& name : apart) root_of(name)->refuse_writes(why);
    return;
  }
  if (wrote_.contains(memory)) owner->replace(root_of(apart[0])->read(), owner->writes());
  for (const std::string& name : apart) names().at(name) = {owner};
}

}  // namespace rewriter

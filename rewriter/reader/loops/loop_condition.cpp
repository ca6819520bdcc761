// Loops with conditions: bodies that may not run, or no more. What they assign has the type of what
// it was before, and what they leave is chosen at run time.
#include <algorithm>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/loops/loop_run.hpp"
#include "rewriter/reader/operators/perhaps.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/loop_trace.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {

/// Names that the text says are assigned, where the body does not come by: they are not carried, so
/// that what it writes into their arrays is seen to be written there. Whether there are none. A run
/// where such a name is not carried may come by: then it is carried from there on.
bool LoopRun::drop_unbound() {
  return std::erase_if(plan_.rebound, [this](const std::string& name) {
           const Carry* const carry = carry_of(name);
           if (carry == nullptr || is_rebound(name) || name == block_.condition_name ||
               plan_.fresh.contains(name))
             return false;
           if (!plan_.dropped.insert(name).second && !carry->written()) return false;
           plan_.rebound_set.erase(name);
           return true;
         }) == 0;
}

bool LoopRun::review_condition() {
  bool right = review_contents();
  right = drop_unbound() && right;
  for (const std::string& name : frame_.rebound_order) {
    const auto found = names().find(name);
    if (name == variable() || found == names().end()) continue;
    const Value& now = found->second;
    const Value* was = before(name);
    right = (was == nullptr ? review_fresh(name, now) : review_change(name, *was, now)) && right;
  }
  return right;
}

/// Of a name that the body makes.
bool LoopRun::review_fresh(const std::string& name, const Value& now) {
  if (!now.is_data() || !block_.is_wanted(name)) return true;
  if (is_attribute(name) && number_of_attribute(name) > objects_) return true;
  const ValueType type = type_of(now);
  plan_.fresh.emplace(name, type);
  plan_.types.emplace(name, type);
  plan_.add_rebound(name);
  // In a loop the name keeps from one iteration to the next what the condition made of it.
  // These are of the loop that is read, or of an expression, and of no loop around.
  const bool is_own =
      name.starts_with("<last") || name.starts_with("<choice") || name.starts_with("<part");
  for (Scope& scope : reader_.scopes_) {
    if (scope.loops.empty() || is_own || (&scope != &reader_.scope() && !is_attribute(name)))
      continue;
    scope.loops.front()->fresh.emplace(name, type);
    break;
  }
  return false;
}

/// Of a name that had a value before.
bool LoopRun::review_change(const std::string& name, const Value& was, const Value& now) {
  const Carry* const carry = carry_of(name);
  if (carry == nullptr && is_same_value(was, now, frame_.begin)) return true;
  if (!was.is_data() || !now.is_data()) {
    note_unsettled(name, was, now);
    fail(
        fmt::format("{} is {} before and {} where the condition holds; a condition that is known "
                    "only at run time can choose between arrays of one shape, or numbers",
                    name, was.description(), now.description()));
  }
  const ValueType type = joined(name, carry == nullptr ? type_of(was) : carry->type, type_of(now));
  if (carry != nullptr) {
    ValueType start = type;
    if (loop_->form ==
        LoopForm::If) {  // it runs once: what else it may be after it is of no matter
      start.refusal = carry->type.refusal;
      start.contiguous = carry->type.contiguous;
    }
    if (start == carry->type) {
      carries_[named_.at(name)].type = type;
      return true;
    }
  }
  plan_.types.insert_or_assign(name, type);
  plan_.add_rebound(name);
  return false;
}

/// The type of what is one or the other.
ValueType LoopRun::joined(const std::string& name, const ValueType& was,
                          const ValueType& now) const {
  const bool of_truths = was.dtype == DType::Bool || now.dtype == DType::Bool;
  const bool are_scalars = was.is_scalar && now.is_scalar;
  const bool of_widths = is_narrow(was.dtype) || is_narrow(now.dtype);
  if (was.dims != now.dims || ((of_truths || of_widths || !are_scalars) && was.dtype != now.dtype))
    fail(
        fmt::format("{} is {} before and {} where the condition holds; a condition that is known "
                    "only at run time can choose between values of one type and shape",
                    name, to_string(was), to_string(now)));
  ValueType type = was;
  type.dtype = std::max(was.dtype, now.dtype);
  type.is_python = was.is_python && now.is_python;
  type.is_scalar = are_scalars;
  type.contiguous = was.contiguous && now.contiguous;
  if (type.refusal.empty()) type.refusal = now.refusal;
  if (was.is_scalar != now.is_scalar)
    type.refusal = fmt::format(
        "{0} is a scalar or an array without dimensions, depending on the condition above; write "
        "{0} = {0} * 1",
        printed_name(name));
  return type;
}

/// The owners of memory from before the body that the value may show.
std::vector<ObjectPtr> LoopRun::possible_owners(const Value& value) const {
  std::vector<ObjectPtr> found, left;
  std::unordered_set<const ArrayObject*> seen, listed;
  if (const auto* object = value.as<ObjectPtr>(); object != nullptr && !(*object)->is_scalar())
    left.push_back(ArrayObject::root_of(*object));
  while (!left.empty()) {
    const ObjectPtr owner = left.back();
    left.pop_back();
    if (!seen.insert(owner.get()).second) continue;
    const std::vector<ObjectPtr>& origins = owner->origins();
    left.insert(left.end(), origins.begin(), origins.end());
    ObjectPtr before_body = owner;
    if (const auto carried = cells_.find(owner.get()); carried != cells_.end())
      if (const auto* was = saved_names_.at(carries_[carried->second].name).as<ObjectPtr>())
        before_body = ArrayObject::root_of(*was);
    if (listed.insert(before_body.get()).second) found.push_back(before_body);
  }
  return found;
}

/// What a condition in the body of a loop may have left as it was, and others share.
std::vector<std::pair<std::string, ObjectPtr>> LoopRun::uncertain_owners() const {
  std::vector<std::pair<std::string, ObjectPtr>> result;
  for (const Carry& carry : carries_) {
    if (carry.name.empty()) continue;
    const Value& end = reader_.scope().names.at(carry.name);
    const auto* object = end.as<ObjectPtr>();
    if (object == nullptr || ArrayObject::root_of(*object)->origins().empty()) continue;
    for (const ObjectPtr& owner : possible_owners(end)) {
      const auto shares = [&](const Carry& other) {
        const auto* was = other.name.empty() || other.name == carry.name
                              ? nullptr
                              : saved_names_.at(other.name).as<ObjectPtr>();
        return was != nullptr && ArrayObject::root_of(*was) == owner;
      };
      if (others().contains(owner.get()) || std::any_of(carries_.begin(), carries_.end(), shares))
        result.emplace_back(carry.name, owner);
    }
  }
  return result;
}

void LoopRun::refuse_uncertain(const std::string& name, const ObjectPtr& owner) {
  const std::string called = name.starts_with("<part") ? printed_name(name) : spoken(name);
  const std::string why = fmt::format(
      "{0} may share its memory with another array, depending on a condition above; make it a "
      "copy{1}",
      called, called == name ? fmt::format(": {0} = {0}.copy()", name) : "");
  owner->refuse_writes(why);
  if (const auto* object = names().at(name).as<ObjectPtr>())
    ArrayObject::root_of(*object)->refuse_writes(why);
}

/// What a condition in an iteration leaves as an array that may share its memory, the iterations
/// after it may not write into, either, also where they come by before the condition.
void LoopRun::refuse_later_writes() const {
  if (loop_->form == LoopForm::If || (loop_->form == LoopForm::For && loop_->count() < 2)) return;
  for (const Carry& carry : carries_) {
    if (!carry.written() || carry.cell->refusal().empty()) continue;
    const auto saved = roots_.find(carry.cell.get());
    const std::string& before =
        saved != roots_.end() ? saved_[saved->second].refusal : carry.type.refusal;
    if (carry.cell->refusal() != before) fail(carry.cell->refusal());
  }
}

/// Carried names whose memory, after the body or without it, may be another's.
std::unordered_set<std::string> LoopRun::uncertain_names() const {
  std::map<const ArrayObject*, std::vector<std::string>> holders;  // before, and at the end
  const auto root = [](const Value& value) -> const ArrayObject* {
    const auto* object = value.as<ObjectPtr>();
    if (object == nullptr || (*object)->is_scalar()) return nullptr;
    return ArrayObject::root_of(*object).get();
  };
  const auto hold = [&](const ArrayObject* memory, const std::string& name) {
    if (memory != nullptr) holders[memory].push_back(name);
  };
  for (const Carry& carry : carries_) {
    if (carry.name.empty() || !is_rebound(carry.name)) continue;
    const ArrayObject* const was = root(saved_names_.at(carry.name));
    hold(was, carry.name);
    for (const ObjectPtr& owner : possible_owners(reader_.scope().names.at(carry.name)))
      hold(owner.get(), carry.name);
    hold(carry.cell.get(), carry.name);
  }
  std::unordered_set<std::string> result;
  for (const auto& [memory, names] : holders) {
    const auto is_first = [&first = names[0]](const auto& name) { return name == first; };
    const bool alone =
        std::all_of(names.begin(), names.end(), is_first) && !others().contains(memory);
    if (!alone) result.insert(names.begin(), names.end());
  }
  return result;
}

void LoopRun::finish_condition() {
  if (reader_.in_module())
    for (const auto& [name, type] : plan_.fresh)
      if (!name.starts_with('<')) reader_.result_.perhaps.insert(name);
  const std::unordered_set<std::string> uncertain = uncertain_names();
  std::vector<NodePtr> args{begin_};
  for (const Carry& carry : carries_) args.insert(args.end(), {carry.node, next_value(carry)});
  const auto end = detail::make_node("for", Kind::LoopEnd, DType::Int, {}, std::move(args));
  end->carried = carries_.size();
  end->loop = loop_;
  reader_.result_.steps.push_back(end);
  for (std::size_t slot = 0; slot < carries_.size(); ++slot) {
    const Carry& carry = carries_[slot];
    const auto after =
        detail::make_node("for", Kind::After, carry.type.dtype, carry.node->dims, {end});
    after->slot = slot;
    after->is_scalar = carry.type.is_scalar;
    after->text = carry.node->text;
    if (carry.name.empty()) {
      carry.cell->replace(Array(after), carry.cell->writes());
    } else if (const auto* end_object = names().at(carry.name).as<ObjectPtr>();
               end_object == nullptr || *end_object != carry.cell || carry.written()) {
      const auto left =
          std::make_shared<ArrayObject>(Array(after), carry.type.contiguous, carry.type.is_python);
      left->refuse_writes(carry.type.refusal);
      std::vector<ObjectPtr> owners = possible_owners(names().at(carry.name));
      for (const ObjectPtr& owner : possible_owners(saved_names_.at(carry.name)))
        if (std::find(owners.begin(), owners.end(), owner) == owners.end()) owners.push_back(owner);
      names()[carry.name] = {left};
      if (uncertain.contains(carry.name))
        for (const ObjectPtr& owner : owners) refuse_uncertain(carry.name, owner);
      if (!carry.type.is_scalar) left->may_be(std::move(owners));
    } else {
      names()[carry.name] = saved_names_.at(carry.name);
    }
  }
  for (const ObjectPtr& view : views_) view->forget(begin_->id);
  for (const std::string& name : frame_.rebound_order)
    if (before(name) == nullptr) names().erase(name);
}

}  // namespace rewriter

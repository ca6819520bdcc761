// Rewriting: what lets one memory take the place of another.
#include <algorithm>
#include <fmt/format.h>

#include "rewriter/passes/rewriting.hpp"

namespace rewriter {

std::string Rewriting::why_not_replace(Slot slot, Var var) const {
  const Var t = at(slot).target;
  const Memory& m = memory(t);
  if (owner(t) != t) return fmt::format("{} is a part of {}", name(t), name(owner(t)));
  if (owner(var) == t) return fmt::format("{} shows {}", name(var), name(t));
  if (m.is_input) return fmt::format("{} is an input", name(t));
  const bool to_the_end = m.is_output && straight_;
  if (!is_local(t) && !to_the_end) return fmt::format("{} is used outside this block", name(t));
  if (written_between(t, slot, size())) return fmt::format("{} is written later", name(t));
  if (!m.shown.empty() && m.shown.front() < slot) return fmt::format("{} has views", name(t));
  const Slot last = to_the_end ? size() : std::max(last_use(t), slot) + 1;
  if (written_between(var, slot, last))
    return fmt::format("{} is written while {} is in use", name(var), name(t));
  return "";
}

void Rewriting::replace_reads(Slot slot, Var var) {
  const Var t = at(slot).target;
  Memory& m = memory(t);
  std::vector<Slot> uses = m.mentions();
  uses.erase(uses.begin(), std::upper_bound(uses.begin(), uses.end(), slot));
  for (const Slot use : uses) uses_.forget(use);
  move_views(m, owner(var));
  for (const Slot use : uses) {
    for (auto& operand : edit(use).operands)
      if (operand.var == t) operand.var = var;
    uses_.note(use);
  }
  if (m.is_output) {
    rebind_outputs(t, var);
    m.is_output = false;
    Memory& to = memory(var);
    to.is_output = true;
    mark_gone(to.freed);
  }
}

std::string Rewriting::forward(Slot slot, Var var) {
  std::string reason = why_not_replace(slot, var);
  if (!reason.empty()) return reason;
  replace_reads(slot, var);
  erase(slot);
  return "";
}

std::string Rewriting::show(Slot slot, Var var) {
  const Var t = at(slot).target;
  std::string reason = why_not_replace(slot, var);
  if (reason.empty() && (!is_local(t) || memory(t).first_mention() != slot))
    reason = fmt::format("{} needs memory of its own", name(t));
  if (!reason.empty()) return reason;
  Memory& m = memory(t);
  const std::vector<Slot> uses = m.mentions();
  for (const Slot use : uses) uses_.forget(use);
  give_up(m);
  m.views.push_back(t);
  move_views(m, owner(var));
  m = {};
  edit(slot).kind = Kind::Reshape;
  edit(slot).operands = {{var}};
  for (const Slot use : uses) uses_.note(use);
  changed_ = ever_changed_ = true;
  return "";
}

std::string Rewriting::why_not_join(Slot slot, Var from, Slot ignored) const {
  const Var u = at(slot).target;
  if (u == from) return "";
  if (owner(from) != from) return fmt::format("{} is a part of {}", name(from), name(owner(from)));
  if (owner(u) != u) return fmt::format("{} is a part of {}", name(u), name(owner(u)));
  if (!same_shape(u, from)) return "the shapes differ";
  const Memory& to = memory(u);
  const Memory& m = memory(from);
  Slot first = to.first_mention();
  if (first == ignored) first = to.next_mention(first);
  if (to.made < 0 || at(to.made).kind != Kind::Empty || first != slot ||
      block(to.made) != block(slot))
    return fmt::format("{} is in use before", name(u));
  if (m.is_output) return fmt::format("{} is an output", name(from));
  if (options_.inputs_stay && m.is_input && m.writes.empty())
    return fmt::format("{} is an input", name(from));
  if (!dies_at(from, slot)) return fmt::format("{} is read later", name(from));
  for (const auto& operand : at(slot).operands)
    if (operand.var != from && owner(operand.var) == from)
      return fmt::format("{} is read in part, too", name(from));
  return "";
}

std::string Rewriting::join(Slot slot, Var from, Slot ignored) {
  const Var u = at(slot).target;
  std::string reason = why_not_join(slot, from, ignored);
  if (!reason.empty() || u == from) return reason;
  Memory& to = memory(u);
  Memory& m = memory(from);
  mark_gone(to.made);
  // The one that fewer statements mention is renamed: a chain of joins takes linear time.
  if (m.made >= 0 && m.uses.size() + m.shown.size() <= to.uses.size() + to.shown.size()) {
    mark_gone(m.freed);
    const Slot made = m.made;
    edit(made).target = u;
    rename(from, u);
    to.made = made;
  } else {
    if (m.made >= 0) {  // it gets the target's name
      mark_gone(m.freed);
      m.freed = to.freed;
      if (m.freed >= 0) edit(m.freed).target = from;
      std::swap(list_.variables[u], list_.variables[from]);
      names_.swap(u, from);
    } else {
      mark_gone(to.freed);
    }
    m.is_output = to.is_output;
    rebind_outputs(u, from);
    rename(u, from);
  }
  changed_ = ever_changed_ = true;
  return "";
}

bool Rewriting::write_directly(Slot slot) {
  const Var x = at(slot).target;
  const Var t = at(slot).operands[0].var;
  if (owner(x) != x || owner(t) != t || !is_local(t) || last_use(t) != slot) return false;
  const Slot first = memory(t).first_mention();
  const Slot made = memory(x).made;
  if (first == slot || !is_call(first) || at(memory(t).made).kind != Kind::Empty || made > first ||
      next_use(x, first) != slot)
    return false;
  for (const auto& operand : at(first).operands)
    if (owner(operand.var) == x &&
        (operand.var != x || !cudamat::row(at(first).op).has(cudamat::kInPlace)))
      return false;
  give_up(memory(t));
  uses_.forget(slot);
  mark_gone(slot);
  rename(t, x);
  changed_ = ever_changed_ = true;
  return true;
}

// ---- remarks

void Rewriting::made(Slot slot, Remark::Kind kind, std::string what, std::string result,
                     std::string reason) {
  made_.push_back({kind, at(slot).where, std::move(what), std::move(result), std::move(reason)});
}

void Rewriting::refuse(Slot slot, std::string what, std::string result, std::string reason) {
  refused_.push_back({slot,
                      {Remark::Kind::Refused, at(slot).where, std::move(what), std::move(result),
                       std::move(reason)}});
}

void Rewriting::start_round() {
  changed_ = false;
  refused_.clear();
}

}  // namespace rewriter

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
  if (!is_local(t) && !to_the_end) return fmt::format("{} is used outside of this block", name(t));
  if (written_between(t, slot, kNoSlot)) return fmt::format("{} is written later", name(t));
  const bool has_old_views = std::any_of(m.uses.begin(), m.uses.end(), [&](Slot use) {
    return use < slot && (at(use).kind == Kind::Slice || at(use).kind == Kind::Reshape);
  });
  if (has_old_views) return fmt::format("{} has views", name(t));
  const Slot last = to_the_end ? kNoSlot : std::max(last_use(t), slot) + 1;
  if (written_between(var, slot, last))
    return fmt::format("{} is written while {} is in use", name(var), name(t));
  return "";
}

void Rewriting::replace_reads(Slot slot, Var var) {
  const Var t = at(slot).target;
  Memory& m = memory(t);
  std::vector<Slot> uses(std::upper_bound(m.uses.begin(), m.uses.end(), slot), m.uses.end());
  for (const Slot use : uses) forget(use);
  for (const Var view : m.views) {
    list_.variables[static_cast<std::size_t>(view)].view_of = owner(var);
    memory(var).views.push_back(view);
  }
  m.views.clear();
  for (const Slot use : uses) {
    for (auto& operand : list_.statements[use].operands)
      if (operand.var == t) operand.var = var;
    note(use);
  }
  if (m.is_output) {
    rebind_outputs(t, var);
    m.is_output = false;
    Memory& to = memory(var);
    to.is_output = true;
    if (to.freed != kNoSlot) gone_[to.freed] = true;
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
  if (reason.empty() && (!is_local(t) || memory(t).uses.front() != slot))
    reason = fmt::format("{} needs memory of its own", name(t));
  if (!reason.empty()) return reason;
  Memory& m = memory(t);
  const std::vector<Slot> uses = m.uses;
  for (const Slot use : uses) forget(use);
  gone_[m.made] = true;
  if (m.freed != kNoSlot) gone_[m.freed] = true;
  std::vector<Var> views = std::move(m.views);
  m = {};
  views.push_back(t);
  for (const Var view : views) {
    list_.variables[static_cast<std::size_t>(view)].view_of = owner(var);
    memory(var).views.push_back(view);
  }
  Statement& s = list_.statements[slot];
  s.kind = Kind::Reshape;
  s.operands = {{var}};
  for (const Slot use : uses) note(use);
  changed_ = ever_changed_ = true;
  return "";
}

std::string Rewriting::why_not_join(Slot slot, Var from, Slot ignored) const {
  const Var u = at(slot).target;
  if (u == from) return "";
  if (owner(from) != from) return fmt::format("{} is a part of {}", name(from), name(owner(from)));
  if (owner(u) != u) return fmt::format("{} is a part of {}", name(u), name(owner(u)));
  if (!(shape(u) == shape(from))) return "the shapes differ";
  const Memory& to = memory(u);
  const Memory& m = memory(from);
  const auto first =
      std::find_if(to.uses.begin(), to.uses.end(), [&](Slot use) { return use != ignored; });
  if (to.made == kNoSlot || at(to.made).kind != Kind::Empty || *first != slot ||
      block(to.made) != block(slot))
    return fmt::format("{} is in use before", name(u));
  if (m.is_output) return fmt::format("{} is an output", name(from));
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
  gone_[to.made] = true;
  if (m.made != kNoSlot) {
    if (m.freed != kNoSlot) gone_[m.freed] = true;
    const Slot made = m.made;
    list_.statements[made].target = u;
    rename(from, u);
    to.made = made;
  } else {
    if (to.freed != kNoSlot) gone_[to.freed] = true;
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
  const Slot first = memory(t).uses.front();
  const Slot made = memory(x).made;
  if (first == slot || !is_call(first) || at(memory(t).made).kind != Kind::Empty ||
      (made != kNoSlot && made > first))
    return false;
  const Slot next = next_use(x, first);
  if (next != slot) return false;
  for (const auto& operand : at(first).operands)
    if (owner(operand.var) == x &&
        (operand.var != x || !cudamat::row(at(first).op).has(cudamat::kInPlace)))
      return false;
  Memory& m = memory(t);
  gone_[m.made] = true;
  if (m.freed != kNoSlot) gone_[m.freed] = true;
  forget(slot);
  gone_[slot] = true;
  rename(t, x);
  changed_ = ever_changed_ = true;
  return true;
}

// ---- receipts

void Rewriting::made(Slot slot, Receipt::Kind kind, std::string text) {
  made_.push_back({kind, at(slot).where, std::move(text)});
}

void Rewriting::refuse(Slot slot, std::string text) {
  refused_.push_back({slot, {Receipt::Kind::Refused, at(slot).where, std::move(text)}});
}

void Rewriting::start_round() {
  changed_ = false;
  refused_.clear();
}

}  // namespace rewriter

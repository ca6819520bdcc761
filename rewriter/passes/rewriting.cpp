#include "rewriter/passes/rewriting.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "rewriter/list/edit.hpp"

namespace rewriter {

namespace {

bool is_plain(const Statement& s) {
  switch (s.kind) {
    case Statement::Kind::Empty:
    case Statement::Kind::Constant:
    case Statement::Kind::Slice:
    case Statement::Kind::Reshape:
    case Statement::Kind::Call:
    case Statement::Kind::Seed:
    case Statement::Kind::Free:
      return true;
    default:
      return false;
  }
}

}  // namespace

Rewriting::Rewriting(const StatementList& list, const PassOptions& options)
    : list_(list),
      original_(list),
      options_(options),
      names_(list),
      gone_(list.statements.size(), false),
      block_(list.statements.size(), 0),
      uses_(list_) {
  std::size_t block = 0;
  for (Slot slot = 0; slot < size(); ++slot) {
    const bool plain = is_plain(at(slot));
    if (!plain) ++block, straight_ = false;
    block_[slot] = block;
    if (!plain) ++block;
  }
}

PassResult Rewriting::finish() {
  std::vector<Remark> remarks = std::move(made_);
  for (auto& [slot, remark] : refused_)
    if (!is_gone(slot)) remarks.push_back(std::move(remark));
  std::stable_sort(remarks.begin(), remarks.end(),
                   [](const Remark& a, const Remark& b) { return a.where.line < b.where.line; });
  if (!ever_changed_) return {original_, std::move(remarks)};
  remove_marked(list_, gone_);
  free_after_last_use(list_);
  number_anew(list_);
  return {std::move(list_), std::move(remarks)};
}

std::string Rewriting::text(const Statement& statement) const {
  return print::statement_text(list_, statement, names_);
}

// ---- memories

bool Rewriting::written_between(Var var, Slot first, Slot last) const {
  const auto& writes = memory(var).writes;
  const auto next = std::upper_bound(writes.begin(), writes.end(), first);
  return next != writes.end() && *next < last;
}

bool Rewriting::is_local(Var var) const {
  const Memory& m = memory(var);
  if (m.made < 0 || m.is_output) return false;
  const Slot first = m.first_mention();
  return first == kNoSlot ||
         (block(m.made) == block(first) && block(m.made) == block(m.last_mention()));
}

bool Rewriting::dies_at(Var var, Slot slot) const {
  const bool ends = is_local(var) || (straight_ && !memory(var).is_output);
  return ends && next_use(var, slot) == kNoSlot;
}

// ---- values

Slot Rewriting::producer(Slot slot, Var var) const {
  const auto& writes = memory(var).writes;
  const auto next = std::lower_bound(writes.begin(), writes.end(), slot);
  if (next == writes.begin()) return kNoSlot;
  const Slot from = *std::prev(next);
  const bool whole = is_call(from) && at(from).target == var && block(from) == block(slot);
  return whole ? from : kNoSlot;
}

bool Rewriting::is_only_reader(Slot from, Slot slot) const {
  const Var var = at(from).target;
  if (next_use(var, from) != slot) return false;
  const Statement& reader = at(slot);
  const auto reads = std::count_if(
      reader.operands.begin(), reader.operands.end(),
      [&](const Statement::Operand& operand) { return owner(operand.var) == owner(var); });
  const bool updates =
      reader.target != kNoVar && owner(reader.target) == owner(var) && reads_target(reader);
  if (reads + (updates ? 1 : 0) != 1) return false;
  const bool overwrites = reader.target == var;
  return overwrites || (is_local(var) && next_use(var, slot) == kNoSlot);
}

std::optional<Number> Rewriting::constant(Slot slot, Var var) const {
  const Slot from = producer(slot, var);
  if (from == kNoSlot || at(from).op != Op::assign || !at(from).operands.empty() ||
      !at(from).terms.empty())
    return std::nullopt;
  return at(from).numbers[0];
}

bool Rewriting::is_intact(Var var, Slot from, Slot slot) const {
  const auto& writes = memory(var).writes;
  const auto next = std::lower_bound(writes.begin(), writes.end(), from);
  return next == writes.end() || *next >= slot;
}

bool Rewriting::can_move(Slot from, Slot slot) const {
  const auto& operands = at(from).operands;
  return std::all_of(operands.begin(), operands.end(), [&](const Statement::Operand& operand) {
    return is_intact(operand.var, from, slot);
  });
}

// ---- changes

void Rewriting::replace(Slot slot, Statement statement) {
  std::vector<Var> released;
  for (const auto& operand : at(slot).operands) released.push_back(owner(operand.var));
  uses_.forget(slot);
  edit(slot) = std::move(statement);
  uses_.note(slot);
  changed_ = ever_changed_ = true;
  release(std::move(released));
}

void Rewriting::erase(Slot slot) {
  std::vector<Var> released;
  for (const auto& operand : at(slot).operands) released.push_back(owner(operand.var));
  if (at(slot).target != kNoVar) released.push_back(owner(at(slot).target));
  uses_.forget(slot);
  mark_gone(slot);
  changed_ = ever_changed_ = true;
  release(std::move(released));
}

bool Rewriting::is_read(Var var) const {
  const Memory& m = memory(var);
  return std::any_of(m.uses.begin(), m.uses.end(), [&](const Use& use) {
    const Statement& s = at(use.at);
    return s.kind == Statement::Kind::Fused || s.target == kNoVar || owner(s.target) != var ||
           draws(s) || may_raise(s);
  });
}

void Rewriting::release(std::vector<Var> owners) {
  while (!owners.empty()) {
    const Var var = owners.back();
    owners.pop_back();
    const Memory& m = memory(var);
    if (!is_local(var) || is_gone(m.made) || is_read(var)) continue;
    for (const Slot slot : m.mentions()) {
      for (const auto& operand : at(slot).operands)
        if (owner(operand.var) != var) owners.push_back(owner(operand.var));
      uses_.forget(slot);
      mark_gone(slot);
    }
    give_up(m);
  }
}

void Rewriting::move_views(Memory& from, Var to) {
  for (const Var view : from.views) {
    list_.variables[view].view_of = to;
    memory(to).views.push_back(view);
  }
  from.views.clear();
}

void Rewriting::rename(Var from, Var to) {
  const std::vector<Slot> slots = memory(from).mentions();
  std::vector<Slot> of_both;
  for (const Slot slot : slots) {
    bool mentions_to = false;
    for_each_variable(at(slot), [&](Var var) { mentions_to |= owner(var) == to; });
    if (mentions_to) of_both.push_back(slot);
  }
  for (const Slot slot : of_both) uses_.forget(slot);
  const auto renamed = [&](Var& var) {
    if (var == from) var = to;
  };
  for (const Slot slot : slots) for_each_variable(edit(slot), renamed);
  move_views(memory(from), to);
  uses_.move(from, to);
  for (const Slot slot : of_both) uses_.note(slot);
}

void Rewriting::rebind_outputs(Var from, Var to) {
  for (Binding& output : list_.outputs)
    if (output.var == from) output.var = to;
}

}  // namespace rewriter

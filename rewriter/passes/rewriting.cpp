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

void insert(std::vector<Slot>& slots, Slot slot) {
  const auto place = std::lower_bound(slots.begin(), slots.end(), slot);
  if (place == slots.end() || *place != slot) slots.insert(place, slot);
}

void remove(std::vector<Slot>& slots, Slot slot) {
  const auto place = std::lower_bound(slots.begin(), slots.end(), slot);
  if (place != slots.end() && *place == slot) slots.erase(place);
}

bool is_random(const Statement& s) {
  return s.kind == Statement::Kind::Call && cudamat::row(s.op).family == cudamat::Family::Fill;
}

}  // namespace

Rewriting::Rewriting(const StatementList& list, const PassOptions& options)
    : list_(list),
      original_(list),
      options_(options),
      names_(list, {}),
      gone_(list.statements.size(), false),
      block_(list.statements.size(), 0),
      memories_(list.variables.size()) {
  std::size_t block = 0;
  for (Slot slot = 0; slot < size(); ++slot) {
    const bool plain = is_plain(at(slot));
    if (!plain) ++block, straight_ = false;
    block_[slot] = block;
    if (!plain) ++block;
    note(slot);
  }
  for (std::size_t var = 0; var < list.variables.size(); ++var)
    if (const Var of = list.variables[var].view_of; of != kNoVar)
      memory(of).views.push_back(static_cast<Var>(var));
  for (const Binding& input : list.inputs) memory(input.var).is_input = true;
  for (const Binding& output : list.outputs) memory(output.var).is_output = true;
}

void Rewriting::note(Slot slot) {
  const Statement& s = at(slot);
  if (s.kind == Kind::Free) {
    memory(s.target).freed = slot;
    return;
  }
  for (const auto& operand : s.operands) insert(memory(operand.var).uses, slot);
  if (s.target == kNoVar) return;
  if (s.kind == Kind::Empty || s.kind == Kind::Constant) {
    memory(s.target).made = slot;
    if (s.kind == Kind::Empty) return;
  }
  if (s.kind != Kind::Constant) insert(memory(s.target).uses, slot);
  if (s.kind == Kind::Call || s.kind == Kind::Constant) insert(memory(s.target).writes, slot);
}

void Rewriting::forget(Slot slot) {
  const Statement& s = at(slot);
  for (const auto& operand : s.operands) remove(memory(operand.var).uses, slot);
  if (s.target == kNoVar) return;
  remove(memory(s.target).uses, slot);
  remove(memory(s.target).writes, slot);
}

PassResult Rewriting::finish() {
  std::vector<Receipt> receipts = std::move(made_);
  for (auto& [slot, receipt] : refused_)
    if (!gone_[slot]) receipts.push_back(std::move(receipt));
  std::stable_sort(receipts.begin(), receipts.end(),
                   [](const Receipt& a, const Receipt& b) { return a.where.line < b.where.line; });
  if (!ever_changed_) return {original_, std::move(receipts)};
  remove_marked(list_, gone_);
  free_after_last_use(list_);
  number_anew(list_);
  return {std::move(list_), std::move(receipts)};
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

Slot Rewriting::next_use(Var var, Slot slot) const {
  const auto& uses = memory(var).uses;
  const auto next = std::upper_bound(uses.begin(), uses.end(), slot);
  return next == uses.end() ? kNoSlot : *next;
}

Slot Rewriting::last_use(Var var) const {
  const auto& uses = memory(var).uses;
  return uses.empty() ? kNoSlot : uses.back();
}

bool Rewriting::is_local(Var var) const {
  const Memory& m = memory(var);
  if (m.made == kNoSlot || m.is_output) return false;
  return m.uses.empty() ||
         (block(m.made) == block(m.uses.front()) && block(m.made) == block(m.uses.back()));
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
  forget(slot);
  list_.statements[slot] = std::move(statement);
  note(slot);
  changed_ = ever_changed_ = true;
  release(std::move(released));
}

void Rewriting::erase(Slot slot) {
  std::vector<Var> released;
  for (const auto& operand : at(slot).operands) released.push_back(owner(operand.var));
  if (at(slot).target != kNoVar) released.push_back(owner(at(slot).target));
  forget(slot);
  gone_[slot] = true;
  changed_ = ever_changed_ = true;
  release(std::move(released));
}

bool Rewriting::is_read(Var var) const {
  const Memory& m = memory(var);
  return std::any_of(m.uses.begin(), m.uses.end(), [&](Slot slot) {
    const Statement& s = at(slot);
    return s.target == kNoVar || owner(s.target) != var || is_random(s);
  });
}

void Rewriting::release(std::vector<Var> owners) {
  while (!owners.empty()) {
    const Var var = owners.back();
    owners.pop_back();
    Memory& m = memory(var);
    if (!is_local(var) || gone_[m.made] || is_read(var)) continue;
    for (const Slot slot : std::vector<Slot>(m.uses)) {
      for (const auto& operand : at(slot).operands)
        if (owner(operand.var) != var) owners.push_back(owner(operand.var));
      forget(slot);
      gone_[slot] = true;
    }
    gone_[m.made] = true;
    if (m.freed != kNoSlot) gone_[m.freed] = true;
  }
}

void Rewriting::rename(Var from, Var to) {
  Memory old = std::move(memory(from));
  Memory& into = memory(to);
  const auto renamed = [&](Var& var) {
    if (var == from) var = to;
  };
  for (const Slot slot : old.uses) {
    Statement& s = list_.statements[slot];
    renamed(s.target);
    for (auto& operand : s.operands) renamed(operand.var);
    insert(into.uses, slot);
  }
  for (const Slot slot : old.writes) {
    renamed(list_.statements[slot].target);
    insert(into.writes, slot);
  }
  for (const Var view : old.views) {
    list_.variables[static_cast<std::size_t>(view)].view_of = to;
    into.views.push_back(view);
  }
  memory(from) = {};
}

void Rewriting::rebind_outputs(Var from, Var to) {
  for (Binding& output : list_.outputs)
    if (output.var == from) output.var = to;
}

}  // namespace rewriter

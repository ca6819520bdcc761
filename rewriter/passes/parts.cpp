#include "rewriter/passes/parts.hpp"

namespace rewriter {

namespace {

/// a <= b, whatever the loops' variables are.
bool at_most(const ListInteger& a, const ListInteger& b) {
  const ListInteger difference = sum(a, b, -1);
  return difference.terms.empty() && difference.constant <= 0;
}

}  // namespace

Parts::Parts(const StatementList& list)
    : list_(list),
      lying_from_(list.variables.size(), kNoVar),
      filled_(list.variables.size()),
      offset_(list.variables.size()) {
  Table<bool> written(list.variables.size(), false);
  for (const Statement& s : list.statements)
    if (!defines(s))
      for (const Var target : targets_of(s)) written[target] = true;
  for (const Statement& s : list.statements) {
    if (s.kind != Statement::Kind::Reshape || written[s.target]) continue;
    const Var of = s.operands[0].var;
    const Variable& shown = list.variables[s.target];
    if (shown.shape.rows == 1 && !shown.varying && !list.variables[of].varying)
      lying_from_[s.target] = of;
  }
  for (std::size_t var = 0; var < list.variables.size(); ++var)
    if (list.variables[var].view_of == kNoVar) offset_[var] = ListInteger{};
  for (const Statement& s : list.statements) {
    if (!makes_view(s)) continue;
    const Var of = s.operands[0].var;
    offset_[s.target] = offset_[of];
    if (s.kind != Statement::Kind::Slice || !offset_[of]) continue;
    const ListInteger rows = extents(of).rows;
    if (rows.terms.empty())
      offset_[s.target] = sum(*offset_[of], slice_bound(s, 0), rows.constant);
    else if (!(slice_bound(s, 0) == ListInteger{}))
      offset_[s.target].reset();
  }
  find_filled();
}

void Parts::find_filled() {
  Table<bool> others(list_.variables.size(), false);  // by owner: whether it is written otherwise
  for (const Binding& input : list_.inputs) others[owner(list_, input.var)] = true;
  for (const Statement& s : list_.statements) {
    if (s.kind == Statement::Kind::Constant) others[s.target] = true;
    if (!computes(s)) continue;
    for (const Var target : targets_of(s)) {
      const Var memory = owner(list_, target);
      const bool fills = s.kind == Statement::Kind::Call && s.op == Op::assign &&
                         s.operands.empty() && s.terms.empty() &&
                         (target == memory || shows_all(list_, target, memory));
      if (fills && !others[memory])
        filled_[memory] = s.numbers[0];
      else
        filled_[memory].reset();
      others[memory] = true;
    }
  }
}

Extents Parts::extents(Var var) const {
  const Variable& v = list_.variables[var];
  return v.varying ? *v.varying : Extents(v.shape);
}

bool Parts::same_matrix(Var a, Var b) const {
  if (a == b) return true;
  return owner(list_, a) == owner(list_, b) && offset_[a] && offset_[a] == offset_[b] &&
         extents(a) == extents(b);
}

bool Parts::same(const Part& a, const Part& b) const {
  return same_matrix(a.var, b.var) && a.rows == b.rows;
}

bool Parts::before(Var a, Var b) const {
  if (!offset_[a] || !offset_[b]) return false;
  const auto [rows, cols] = extents(a);
  if (!rows.terms.empty() && !cols.terms.empty()) return false;
  const ListInteger size =
      rows.terms.empty() ? sum({}, cols, rows.constant) : sum({}, rows, cols.constant);
  return at_most(sum(*offset_[a], size), *offset_[b]);
}

bool Parts::apart(const Part& a, const Part& b) const {
  if (owner(list_, a.var) != owner(list_, b.var)) return true;
  if (before(a.var, b.var) || before(b.var, a.var)) return true;
  return same_matrix(a.var, b.var) && a.rows && b.rows &&
         (at_most(a.rows->last, b.rows->first) || at_most(b.rows->last, a.rows->first));
}

}  // namespace rewriter

#include "rewriter/emit/array_layout.hpp"

#include <algorithm>

#include "rewriter/plan/arena.hpp"

namespace rewriter::emit {

namespace {

using cudamat::Family;
using SKind = Statement::Kind;

void find_owners(const StatementList& list, ArrayLayout& layout) {
  for (const Binding& input : list.inputs) layout.owners[input.var].is_input = true;
  for (const Binding& output : list.outputs) {
    const Variable& variable = list.variables[output.var];
    if (variable.view_of == kNoVar && !variable.varying && !layout.owners[output.var].is_input)
      layout.owners[output.var].is_result = true;
  }
  for (const Statement& s : list.statements)
    if (computes(s))
      for (const Var target : targets_of(s)) layout.owners[owner(list, target)].is_written = true;
}

/// Finds the views as a row of what is then reduced over its elements, in whichever order they are.
void find_whole_reductions(const StatementList& list, ArrayLibrary library, Table<Var>& all_of) {
  for (const Statement& s : list.statements) {
    const Var of = s.kind == SKind::Reshape ? s.operands.at(0).var : kNoVar;
    if (of != kNoVar && list.variables[s.target].shape.rows == 1 && !list.variables[of].varying &&
        !is_vector(list.variables[of].shape) && all_of[of] == kNoVar)
      all_of[s.target] = of;
  }
  for (const Statement& s : list.statements) {
    if (s.kind == SKind::Reshape) {
      all_of[s.operands[0].var] = kNoVar;
      continue;
    }
    const bool reduces = s.kind == SKind::Call && !s.operands.empty() &&
                         !s.operands[0].transposed &&
                         cudamat::row(s.op).family == Family::Reduction && s.integers[0] == 1 &&
                         !(library == ArrayLibrary::Torch && s.op == Op::prod);
    for_each_variable(s, [&](Var var) {
      if (!reduces || var == s.target) all_of[var] = kNoVar;
    });
  }
  for (const Binding& output : list.outputs) all_of[output.var] = kNoVar;
}

/// Columns are contiguous, as in Cudamat, where views need that, or where arrays of more dimensions
/// have the order of their elements so; otherwise rows are, as NumPy has it.
void choose_order(const StatementList& list, ArrayLayout& layout) {
  for (const Statement& s : list.statements) {
    if (s.kind != SKind::Reshape || layout.all_of[s.target] != kNoVar) continue;
    const Var of = s.operands.at(0).var;
    const Variable& from = list.variables[of];
    if (!same_shape(list, of, s.target) && (from.varying || !is_vector(from.shape)))
      layout.owners[owner(list, of)].needs_columns = true;
  }
  const auto needs_columns = [](const ArrayLayout::Owner& owner) { return owner.needs_columns; };
  const auto lies_by_columns = [](const Binding& binding) {
    return in_c_order(binding) && !is_vector(held_shape(binding));
  };
  layout.by_columns = std::any_of(layout.owners.begin(), layout.owners.end(), needs_columns) ||
                      std::any_of(list.inputs.begin(), list.inputs.end(), lies_by_columns) ||
                      std::any_of(list.outputs.begin(), list.outputs.end(), lies_by_columns);
}

/// The places of the temporaries in a block, if it has fewer bytes than they have.
void plan_block(const StatementList& list, int bytes, ArrayLayout& layout) {
  StatementList temporaries = list;
  Index alone = 0;
  bool varies = false;
  Table<char> is_temporary(list.variables.size(), 0);
  for (const Statement& s : list.statements) {
    if (s.kind != SKind::Empty || layout.owners[s.target].is_result) continue;
    is_temporary[s.target] = 1;
    alone += list.variables[s.target].shape.size();
    varies = varies || list.variables[s.target].varying.has_value();
  }
  for (std::size_t i = 0; i < is_temporary.size(); ++i)
    if (is_temporary[i] == 0 && list.variables[i].view_of == kNoVar) {
      temporaries.variables[i].shape = {0, 0};
      temporaries.variables[i].varying.reset();
    }
  const Arena arena = plan_arena(temporaries, bytes);
  layout.block = (arena.bytes + bytes - 1) / bytes;
  layout.has_block = varies || layout.block < alone;
  for (std::size_t i = 0; i < is_temporary.size(); ++i)
    if (is_temporary[i] != 0) layout.owners[i].offset = arena.offsets[i] / bytes;
}

}  // namespace

bool is_vector(cudamat::Shape shape) {
  return shape.rows == 1 || shape.cols == 1;
}

ArrayLayout array_layout(const StatementList& list, ArrayLibrary library, int bytes_per_element) {
  ArrayLayout layout;
  layout.owners.resize(list.variables.size());
  layout.all_of.resize(list.variables.size(), kNoVar);
  find_owners(list, layout);
  find_whole_reductions(list, library, layout.all_of);
  choose_order(list, layout);
  plan_block(list, bytes_per_element, layout);
  return layout;
}

}  // namespace rewriter::emit

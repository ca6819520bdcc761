// Which matrices of a list to hold transposed: the choice of the pass `layout`. Internal to it.
#pragma once

#include <string>
#include <vector>

#include "rewriter/list/statement.hpp"
#include "rewriter/passes/pass.hpp"

namespace rewriter {

/// What a statement asks of how its matrices lie.
enum class LayoutRole : std::uint8_t {
  Any,        ///< nothing
  Alike,      ///< that all lie the same way; there is a call for either
  Product,    ///< nothing: flags say it
  Reduction,  ///< nothing: a flag or the other axis says it
  Transpose,  ///< nothing: it is a copy if they lie differently
  Draw,       ///< as the program has it, or it is made in another memory
  AsWritten,  ///< as the program has them
};
LayoutRole layout_role(const StatementList& list, const Statement& s);

inline bool is_single(cudamat::Shape shape) {
  return shape.rows == 1 && shape.cols == 1;
}
/// A row or a column: its transpose is a view of it.
inline bool is_vector(cudamat::Shape shape) {
  return (shape.rows == 1 || shape.cols == 1) && !is_single(shape);
}

/// The variable by which the others of an Alike go: the first matrix, or vector if it has none;
/// kNoVar if all are single numbers.
Var layout_leader(const StatementList& list, const Statement& s);

/// Variables that lie the same way, whatever they do.
struct LayoutGroup {
  std::vector<Var> vars;
  std::string as_written;  ///< if it is not empty, why they stay as the program has them
  bool transposed = false;
  bool is_worthwhile = false;  ///< to hold it transposed, alone or as it is among the others
  double saved = 0;            ///< by that, in elements moved, or what takes as long
};

struct LayoutChoice {
  std::vector<LayoutGroup> groups;
  Table<bool> transposed;  ///< by variable
};

/// The best that is found by turning groups over, alone, with those that are their transposes, or
/// two that meet in a statement. A turn must spare copies, or a twentieth of all that the list
/// does: which flags suit a product differs between machines. Deterministic.
LayoutChoice choose_layout(const StatementList& list, const PassOptions& options);

/// The list with its matrices held so; none that must stay as written is transposed.
StatementList lay_out(const StatementList& list, const Table<bool>& transposed);

}  // namespace rewriter

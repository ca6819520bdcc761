// The iterations of nested loops whose ranges depend on each other's variables.
#pragma once

#include <utility>
#include <vector>

#include "rewriter/list/statement.hpp"

namespace rewriter {

/// The loops' variables in one iteration, by StatementList::loops.
using LoopVariables = Table<Index>;

/// constant + terms in that iteration.
Index value_in(const LoopVariables& variables, Index constant, const ListTerms& terms);
inline Index value_in(const LoopVariables& variables, const ListInteger& integer) {
  return value_in(variables, integer.constant, integer.terms);
}
cudamat::Shape shape_in(const LoopVariables& variables, const Variable& variable);
/// The range of the loop in that iteration, which may be empty.
Loop range_in(const LoopVariables& variables, const ListLoop& loop);

/// The iterations of nested loops. A property that is linear in their variables and holds at the
/// corners holds in all iterations.
class IterationSpace {
 public:
  explicit IterationSpace(const StatementList& list) : list_(list) {}

  /// Opens a loop inside the open ones.
  void open(int loop);
  void close();
  [[nodiscard]] bool is_open(int loop) const;

  /// The corners of the iteration space: none if the innermost body never runs. Throws
  /// CUDAMatException if a bound exceeds 64 bits, or after two million candidates.
  const std::vector<LoopVariables>& corners();
  /// The smallest and the largest value; without iterations, the constant. Throws CUDAMatException
  /// if they exceed 64 bits.
  std::pair<Index, Index> bounds(const ListInteger& integer);
  std::pair<Index, Index> bounds(Index constant, const ListTerms& terms) {
    return bounds({constant, terms});
  }
  /// How often the innermost body runs; a body with a condition counts once.
  [[nodiscard]] Index iterations() const;
  /// The maximum of rows and of columns.
  cudamat::Shape largest(const Extents& extents);

 private:
  void visit(std::size_t depth, LoopVariables& at);
  [[nodiscard]] Index iterations(std::size_t depth, LoopVariables& at) const;
  [[nodiscard]] std::pair<Index, Index> bounds_of_a_box(const ListInteger& integer) const;
  /// Whether the range of a loop depends on others.
  [[nodiscard]] bool varies() const;
  /// Whether the range of a loop inside of this one depends on its variable.
  [[nodiscard]] bool decides(std::size_t depth) const;

  const StatementList& list_;
  std::vector<int> open_;
  std::vector<LoopVariables> corners_;
  std::size_t visited_ = 0;  // iterations of all of them
  bool known_ = false;       // whether corners_ are those of the open loops
};

}  // namespace rewriter

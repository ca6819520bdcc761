// The memory and elements of a variable, or of some of its rows. Internal to the passes.
#pragma once

#include <optional>

#include "rewriter/list/statement.hpp"

namespace rewriter {

/// Rows of a variable's matrix, or all of them.
struct Part {
  Var var = kNoVar;
  std::optional<Statement::Rows> rows{};
};

class Parts {
 public:
  /// The list must outlive it, and its definitions stay as they are.
  explicit Parts(const StatementList& list);

  [[nodiscard]] Extents extents(Var var) const;
  /// What a reshape shows as one row, all of it, if no call writes through that; else
  /// kNoVar. Its extents are numbers.
  [[nodiscard]] Var lying_from(Var var) const { return lying_from_[var]; }
  /// The number that each element of it is wherever it is read: the only write is an assign of all.
  [[nodiscard]] const std::optional<Number>& filled_with(Var var) const {
    return filled_[owner(list_, var)];
  }
  /// The same elements in the same places, in every iteration.
  [[nodiscard]] bool same(const Part& a, const Part& b) const;
  /// No element in common, in every iteration.
  [[nodiscard]] bool apart(const Part& a, const Part& b) const;

 private:
  [[nodiscard]] bool same_matrix(Var a, Var b) const;
  /// Whether all of `a` lies before all of `b`.
  [[nodiscard]] bool before(Var a, Var b) const;

  void find_filled();

  const StatementList& list_;
  Table<Var> lying_from_;
  Table<std::optional<Number>> filled_;       // by owner
  Table<std::optional<ListInteger>> offset_;  // by variable, in its owner's memory; none: unknown
};

}  // namespace rewriter

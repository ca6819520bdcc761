// The constants that a list's runs share. Internal to the runner.
#pragma once

#include <span>
#include <variant>

#include "cudamat/shape.hpp"
#include "rewriter/list/statement.hpp"
#include "rewriter/list/uses.hpp"

namespace rewriter::detail {

/// In the order of the engine's matrices, each from when it is first asked for, if all of them
/// together have no more than `most` bytes.
template <class T>
class HeldConstants {
 public:
  /// The list must last as long as this.
  HeldConstants(const StatementList& list, Index most)
      : made_by_(list.variables.size()), held_(list.variables.size()) {
    Index bytes = 0;
    for (const Statement& s : list.statements) {
      if (s.kind != Statement::Kind::Constant) continue;
      made_by_[s.target] = &s;
      bytes += list.variables[s.target].shape.size() * Index(sizeof(T));
    }
    if (bytes > most) made_by_.assign(list.variables.size(), nullptr);
  }

  /// Its elements; null if they are not held.
  T* find(Var var, cudamat::Shape shape) {
    const Statement* const made_by = made_by_[var];
    if (made_by == nullptr) return nullptr;
    cudamat::HostMatrix<T>& held = held_[var];
    if (held.shape() != shape)
      std::visit(
          [&](const auto& array) { held = cudamat::reformat<T>(std::span(array.data), shape); },
          *made_by->data);
    return held.data();
  }

 private:
  Table<const Statement*> made_by_;  // by variable; null: it is not held
  Table<cudamat::HostMatrix<T>> held_;
};

}  // namespace rewriter::detail

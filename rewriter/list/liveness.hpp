// Uses and live ranges of each buffer.
//
// Of memories, and by positions, as uses.hpp has them.
#pragma once

#include <cstddef>
#include <vector>

#include "rewriter/list/statement.hpp"
#include "rewriter/list/uses.hpp"

namespace rewriter {

/// The bodies of loops, by position of their Loop and End, inner ones after those around them.
struct LoopBody {
  Position begin = 0;
  Position end = 0;
  int around = -1;  ///< the index of the loop that it is in
};

struct Loops {
  Table<LoopBody> bodies;
  Table<int> innermost;  ///< by position: the index of the loop whose body it is in, or -1
};
Loops loops_of(const StatementList& list);

class Liveness {
 public:
  /// Positions first..last, both included.
  struct Span {
    Position first = 0;
    Position last = 0;
  };
  using Memory = Uses::Memory;

  explicit Liveness(const StatementList& list);

  /// Of the memory that `var` shows.
  [[nodiscard]] const Memory& of(Var var) const { return uses_.of(var); }
  /// When the memory is wanted, in order, apart from each other: from a write to the last use of
  /// what was written, and throughout a loop whose iterations find what older ones left.
  [[nodiscard]] const std::vector<Span>& lives(Var var) const { return lives_[owner(list_, var)]; }
  /// What is done to it at `at` or, if that does not use it, next; null if nothing.
  [[nodiscard]] const Use* use_from(Var var, Position at) const { return uses_.use_from(var, at); }
  [[nodiscard]] const Loops& loops() const { return loops_; }
  /// The loop whose body allocates the memory, or -1.
  [[nodiscard]] int block(const Memory& memory) const {
    return memory.made < 0 ? -1 : loops_.innermost[memory.made];
  }
  /// The most elements that are wanted at once, inputs included: no allocation of these statements
  /// in this order can do with less.
  [[nodiscard]] Index least_peak() const;

 private:
  [[nodiscard]] std::vector<Span> find_lives(const Memory& memory) const;
  void add_loops(const Memory& memory, std::vector<Span>& spans) const;

  const StatementList& list_;
  Loops loops_;
  Uses uses_;
  Table<std::vector<Span>> lives_;  // by variable; of views empty
};

/// Elements of a variable's matrix.
inline Index elements(const StatementList& list, Var var) {
  return list.variables[var].shape.size();
}

}  // namespace rewriter

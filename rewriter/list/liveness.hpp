// Who uses which memory, and for how long what it holds is wanted.
//
// All is said of memories, that is of the variables that own one; what happens to a view happens to
// its owner's memory. Positions are indices of statements; -1 is before the first, and the number
// of statements after the last.
#pragma once

#include <cstddef>
#include <vector>

#include "rewriter/list/statement.hpp"

namespace rewriter {

using Position = std::ptrdiff_t;
inline constexpr Position kNowhere = -2;

/// The bodies of loops, by position of their Loop and End, inner ones after those around them.
struct LoopBody {
  Position begin = 0;
  Position end = 0;
  int around = -1;  ///< the index of the loop that it is in
};

struct Loops {
  std::vector<LoopBody> bodies;
  std::vector<int> innermost;  ///< by position: the index of the loop whose body it is in, or -1
};
Loops loops_of(const StatementList& list);

class Liveness {
 public:
  /// A call's or a print's access to a memory.
  struct Use {
    Position at = 0;
    bool reads = false;   ///< what the call does depends on what some element held
    bool writes = false;  ///< some element
    bool whole = false;   ///< it writes every element and reads none
  };
  /// Positions first..last, both included.
  struct Span {
    Position first = 0;
    Position last = 0;
  };
  struct Memory {
    Position made = kNowhere;   ///< its Empty or Constant; of an input -1
    Position freed = kNowhere;  ///< its Free
    bool is_input = false;
    bool is_output = false;
    std::vector<Use> uses;  ///< in order
    /// When the memory is wanted, in order, apart from each other: from a write to the last use of
    /// what was written, and throughout a loop whose iterations find what older ones left.
    std::vector<Span> lives;

    [[nodiscard]] Position last_use() const { return uses.empty() ? made : uses.back().at; }
  };

  explicit Liveness(const StatementList& list);

  /// Of the memory that `var` shows.
  [[nodiscard]] const Memory& of(Var var) const {
    return memories_[static_cast<std::size_t>(owner(list_, var))];
  }
  /// What is done to it at `at` or, if that does not use it, next; null if nothing.
  [[nodiscard]] const Use* use_from(Var var, Position at) const;
  [[nodiscard]] const Loops& loops() const { return loops_; }
  /// The loop whose body allocates the memory, or -1.
  [[nodiscard]] int block(const Memory& memory) const {
    return memory.made < 0 ? -1 : loops_.innermost[static_cast<std::size_t>(memory.made)];
  }
  /// The most elements that are wanted at once, inputs included: no allocation of these statements
  /// in this order can do with less.
  [[nodiscard]] Index least_peak() const;

 private:
  void note_uses(Position at, const Statement& s);
  void find_lives(Memory& memory) const;
  void add_loops(const Memory& memory, std::vector<Span>& spans) const;

  const StatementList& list_;
  Loops loops_;
  std::vector<Memory> memories_;  // by variable; of views empty
};

/// Elements of a variable's matrix.
inline Index elements(const StatementList& list, Var var) {
  return list.variables[static_cast<std::size_t>(var)].shape.size();
}

}  // namespace rewriter

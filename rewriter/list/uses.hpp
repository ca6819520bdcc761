// The def-use table of a list: what its statements do to each memory, and where. All analyses and
// all passes read this one.
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

/// A call's, a print's, a Constant's or a condition's access to a memory.
struct Use {
  Position at = 0;
  bool reads = false;   ///< what the call does depends on what some element held
  bool writes = false;  ///< some element
  bool whole = false;   ///< it writes every element and reads none, whatever conditions say
};

class Uses {
 public:
  struct Memory {
    Position made = kNowhere;   ///< its Empty or Constant; of an input -1
    Position freed = kNowhere;  ///< its Free
    bool is_input = false;
    bool is_output = false;
    std::vector<Use> uses;         ///< in order
    std::vector<Position> writes;  ///< those of them that write
    std::vector<Position> shown;   ///< where views of it are defined, in order
    std::vector<Var> views;        ///< its views

    /// The last access, or where it was made.
    [[nodiscard]] Position last_use() const { return uses.empty() ? made : uses.back().at; }

    // Mentions: accesses and definitions of views. kNowhere if there is none.

    /// After where it was made.
    [[nodiscard]] Position first_mention() const { return next_mention(made); }
    [[nodiscard]] Position next_mention(Position after) const;
    [[nodiscard]] Position last_mention() const;
    [[nodiscard]] std::vector<Position> mentions() const;
  };

  /// The list must outlive the table.
  explicit Uses(const StatementList& list);

  /// Of the memory that `var` shows.
  [[nodiscard]] const Memory& of(Var var) const { return memories_[owner(list_, var)]; }
  [[nodiscard]] Memory& of(Var var) { return memories_[owner(list_, var)]; }
  /// What is done to it at `at` or, if that does not use it, next; null if nothing.
  [[nodiscard]] const Use* use_from(Var var, Position at) const;

  // For rewrites: before the statement changes and after it.

  void forget(Position at);
  void note(Position at);
  /// What is done to the memory of `from` is done to that of `to`, both owners, which no statement
  /// mentions together with it. The statements say so already.
  void move(Var from, Var to);

 private:
  void note_use(Var var, const Use& use);

  const StatementList& list_;
  Table<Memory> memories_;  // by variable; of views empty
  Table<int> conditions_;   // around each statement
};

}  // namespace rewriter

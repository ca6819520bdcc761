// The statements between two barriers, as a graph: which must come before which, and what memory
// each needs. Internal to the pass `order`.
#pragma once

#include <unordered_map>
#include <vector>

#include "rewriter/list/liveness.hpp"
#include "rewriter/list/statement.hpp"

namespace rewriter {

class Schedule {
 public:
  /// Statements [begin, end) of the list, among them no loop's beginning or end and no print.
  /// `live`: of the list.
  Schedule(const StatementList& list, const Liveness& live, std::size_t begin, std::size_t end);

  /// Peaks are in elements above what is in use before the statements.
  struct Order {
    std::vector<std::size_t> statements;  ///< all of them, by position in the list
    Index allocated = 0;                  ///< the peak of what is allocated
    Index peak = 0;  ///< with memory that is allocated elsewhere, but used only here, as if it were
                     ///< allocated before its first use and freed after its last one
  };
  /// The list's own order, literally.
  [[nodiscard]] Order literal() const;
  /// The calls as they stand, allocations as late and frees as early as can be.
  [[nodiscard]] Order tightened() const;
  /// Next comes what lets the memory in use grow least.
  [[nodiscard]] Order forwards() const { return written(greedy(false)); }
  /// The same from the last one to the first.
  [[nodiscard]] Order backwards() const { return written(greedy(true)); }
  /// As close to the list's order as a peak allows: next comes the first call that can and does not
  /// exceed it. Its peak is higher if that leads nowhere.
  [[nodiscard]] Order within(Index peak) const;

 private:
  /// What moves as one: a call or a seed, or a definition that no call here needs.
  struct Unit {
    std::size_t at = 0;
    std::vector<std::size_t> before;
    std::vector<std::size_t> after;
    std::vector<std::size_t> memories;  ///< those that it uses
  };
  struct Memory {
    Index size = 0;
    bool made_here = false;
    std::ptrdiff_t freed = -1;  ///< where, if that is here
    bool lives_here = false;  ///< allocated elsewhere, and nothing in it outlives these statements
    std::vector<std::size_t> units;
    std::ptrdiff_t last_write = -1;  ///< the unit, while the graph is made
    std::vector<std::size_t> reads;  ///< since then
  };
  class Greedy;
  class Writer;

  std::size_t memory_of(Var var);
  void note_definitions();
  void note_lives(const Liveness& live);
  void find_units();
  void connect(std::size_t unit);
  void depend(std::size_t before, std::size_t after);
  [[nodiscard]] std::vector<std::size_t> greedy(bool backwards) const;
  [[nodiscard]] Order written(const std::vector<std::size_t>& units) const;

  const StatementList& list_;
  std::size_t begin_;
  std::size_t end_;
  std::vector<Unit> units_;
  std::vector<Memory> memories_;
  std::unordered_map<Var, std::size_t> memory_index_;  // by owner
  std::unordered_map<Var, std::size_t> defined_;       // variables that are defined here: where
  std::ptrdiff_t last_draw_ = -1;
};

}  // namespace rewriter

// Nodes of an acyclic graph that become units, and an order of the units in which each comes after
// those that it needs. Internal to the pass `fuse`.
#pragma once

#include <cstddef>
#include <vector>

namespace rewriter {

/// The order is kept while units are merged, as in Pearce and Kelly, "A dynamic topological sort
/// algorithm for directed acyclic graphs", 2006: a search looks only at what is between the units.
class UnitOrder {
 public:
  using Index = std::size_t;

  /// Each node is a unit. It comes after those of before[node], which are smaller.
  explicit UnitOrder(std::vector<std::vector<Index>> before);

  [[nodiscard]] Index unit(Index node) const { return unit_of_[node]; }
  /// In ascending order; none of a unit that was merged into another.
  [[nodiscard]] const std::vector<Index>& nodes(Index unit) const { return nodes_[unit]; }
  [[nodiscard]] const std::vector<Index>& before(Index node) const { return before_[node]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  /// Whether something outside of these units would have to come both before and after them.
  bool has_others_between(const std::vector<Index>& units);
  /// Puts the nodes of all into the first. Requires that there are no others between them.
  void merge(const std::vector<Index>& units);

 private:
  struct Range {
    Index first, last;  ///< places, both included
  };
  Range range_of(const std::vector<Index>& units) const;
  /// Marks what the units need, as far as it comes after the first of them; whether that needs one
  /// of them.
  bool mark_needed(const std::vector<Index>& units);

  std::vector<std::vector<Index>> before_;
  std::vector<Index> unit_of_;
  std::vector<std::vector<Index>> nodes_;  // by unit
  std::vector<Index> place_;               // by unit
  std::vector<Index> unit_at_;             // by place, or size()
  std::vector<std::size_t> marked_;        // by unit: in which search
  std::size_t search_ = 0;
};

}  // namespace rewriter

// Where compiled loops look for an interrupt: often enough, and never in loops that take little.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "rewriter/list/statement.hpp"
#include "rewriter/regions/regions.hpp"

namespace rewriter {

/// Nanoseconds of work, about, after which a region looks.
inline constexpr Index kLookAfter = 1'000'000;

/// Of the loops of a region.
class LoopLooks {
 public:
  /// `costs`: by statement of the region, about how many nanoseconds it takes at most.
  LoopLooks(const StatementList& list, const Region& region, const LoopNesting& nesting,
            const std::vector<Index>& costs);

  struct Look {
    bool looks = false;  ///< else what is around it counts its work
    Index cost = 1;      ///< of an iteration, without that of the loops in it that look
    Index strip = 1;     ///< iterations between two looks at the count
  };
  [[nodiscard]] const Look& of(std::size_t loop) const { return looks_[loop - first_]; }

 private:
  /// The least and the greatest value.
  using Bounds = std::pair<double, double>;

  [[nodiscard]] Bounds bounds(const ListInteger& value) const;
  Index enter(const ListLoop& loop, int number);

  const StatementList& list_;
  std::size_t first_;
  std::map<int, Bounds> variables_;  // by loop
  std::vector<Look> looks_;          // by statement of the region
};

}  // namespace rewriter

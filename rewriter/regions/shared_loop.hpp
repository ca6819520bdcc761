// Loops whose iterations may run at the same time, on several threads.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "rewriter/list/statement.hpp"
#include "rewriter/list/uses.hpp"
#include "rewriter/regions/regions.hpp"
#include "rewriter/regions/statement_text.hpp"

namespace rewriter {

/// What threads share of a loop, and what each of them has for itself.
struct SharedLoop {
  /// Memories that an iteration writes before it reads them, or not at all.
  std::vector<Var> own;
  /// Those of them that something looks at after the loop: at what the last iteration wrote.
  std::vector<Var> last;
};

/// What the statements of a region touch; nothing where that is not known, or where they may fail,
/// which must be in order.
using Touches = std::vector<std::optional<std::vector<Touch>>>;

/// Whether the region is a For whose bounds are static, and which nothing else ends. The functions
/// below are for such regions.
bool has_static_range(const StatementList& list, const Region& region);

/// The region's loop, if each of its iterations writes what no other one reads or writes.
std::optional<SharedLoop> shared_loop(const StatementList& list, const Region& region,
                                      const Uses& uses, const LoopNesting& nesting,
                                      const Touches& touches);

/// About how many nanoseconds the statements in a loop's body take in an iteration in the middle;
/// `costs`: of the region's statements.
Index cost_of_iteration(const StatementList& list, const Region& region,
                        const std::vector<Index>& costs);
/// The iterations of the region's loop.
Index iterations_of(const StatementList& list, const Region& region);

}  // namespace rewriter

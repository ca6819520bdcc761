// Rolls loops that the reader unrolled back into loops of the list, if their iterations differ only
// in integers that are linear in the loop variables: bounds of slices, extents, ranges of inner
// loops. The statements stay the same.
//
//   for i in range(n):                          for i in range(3, n):
//     for j in range(i):                          for j in range(2, i):
//       A[i, j] -= A[i, :j] @ A[:j, j]              t1 = A.slice(0, j); t2 = cm.empty((1, j)) ...
//
// Irregular first and last iterations, for example where an extent is 0 or 1, are peeled.
#pragma once

#include <string>
#include <vector>

#include "rewriter/list/builder.hpp"

namespace rewriter {

/// An unrolled loop.
struct WrittenLoop {
  Loop range;                          ///< its variable, as often as it ran
  int line = 0;                        ///< of the program
  std::vector<std::size_t> order;      ///< by iteration, then at its end: when it was read
  std::vector<std::size_t> positions;  ///< likewise: statements before it
};

/// Changes the list, which has no frees yet, and the remarks of loops that were rolled. Returns
/// false if the attempt fails; the list must then be discarded.
bool roll_loops(ListBuilder& builder, std::vector<WrittenLoop> loops);

}  // namespace rewriter

// Loops that the reader wrote out iteration by iteration become loops of the list, if their
// iterations are the same but for integers that are linear in the loops' variables: elements of
// slices, extents, ranges of inner loops. The statements are what they were.
//
//   for i in range(n):                          for i in range(3, n):
//     for j in range(i):                          for j in range(2, i):
//       A[i, j] -= A[i, :j] @ A[:j, j]              t1 = A.slice(0, j); t2 = cm.empty((1, j)) ...
//
// What differs in the first or the last iterations, as it does where an extent is 0 or 1, stays
// written out in front of the loop or behind it.
#pragma once

#include <string>
#include <vector>

#include "rewriter/list/builder.hpp"

namespace rewriter {

/// A loop that is written out.
struct WrittenLoop {
  Loop range;                          ///< its variable, as often as it ran
  int line = 0;                        ///< of the program
  std::vector<std::size_t> order;      ///< by iteration, then at its end: when it was read
  std::vector<std::size_t> positions;  ///< likewise: statements before it
};

/// Changes the list, which frees nothing yet, and the remarks of what became loops. False if there
/// is none: the list is of no use then.
bool roll_loops(ListBuilder& builder, std::vector<WrittenLoop> loops);

}  // namespace rewriter

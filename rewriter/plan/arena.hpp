// The arena: where each matrix of a statement list lies in the one block of memory that a run
// allocates.
//
// All that is in use at once lies apart: inputs, constants, results and temporaries. Matrices whose
// lives do not overlap may lie in the same place, whether or not the list says that they share it.
// A view lies in its owner.
//
// Each matrix begins at a multiple of kArenaAlignment, as if it had memory of its own: kernels read
// 16 bytes at a time only where these are aligned, and the libraries that multiply may choose their
// method, and with it the last places, by the alignment. So the block may be larger than what the
// matrices hold; by how much, and why, memory_plan.hpp prints.
#pragma once

#include <vector>

#include "rewriter/list/statement.hpp"

namespace rewriter {

/// What npmat gives any matrix, in bytes. A GPU's block begins at a multiple of 256.
inline constexpr Index kArenaAlignment = 64;

struct Arena {
  Index bytes = 0;       ///< the block's size
  Index least = 0;       ///< no placement with this alignment has a smaller block
  Table<Index> offsets;  ///< by variable: its memory's, in bytes; of a view its owner's
};

/// Places the matrices of a list that verify() accepts: in several fixed orders each where it fits
/// most tightly, and the order is taken whose block is the smallest; thousands of matrices only in
/// the order in which they are made, so that the time it takes grows hardly faster than their
/// number. The same list and element size give the same arena. Sizes that 64 bits do not hold count
/// as the largest that they do, which no machine has.
Arena plan_arena(const StatementList& list, int bytes_per_element);

}  // namespace rewriter

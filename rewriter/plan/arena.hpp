// The arena: the place of each matrix of a statement list in the one block of memory that a run
// allocates.
//
// Matrices that are in use at once do not overlap: inputs, constants, results and temporaries.
// Matrices whose live ranges do not overlap may share a place, whether or not the list says so. A
// view is inside its owner.
//
// Each matrix begins at a multiple of kArenaAlignment, as if it were allocated separately: kernels
// read 16 bytes at a time only if these are aligned, and the libraries for products may choose
// their method, and so the last places, by the alignment. The block may therefore be larger than
// the matrices; memory_plan.hpp prints by how much, and why.
#pragma once

#include <vector>

#include "rewriter/list/statement.hpp"

namespace rewriter {

/// The alignment of every matrix in npmat, in bytes. A GPU's block begins at a multiple of 256.
inline constexpr Index kArenaAlignment = 64;

struct Arena {
  Index bytes = 0;       ///< the block's size
  Index least = 0;       ///< no placement with this alignment has a smaller block
  Table<Index> offsets;  ///< by variable: its memory's, in bytes; of a view its owner's
};

/// Places the matrices of a list that verify() accepts. It tries several fixed orders, placing each
/// matrix where it fits most tightly, and takes the order with the smallest block. Thousands of
/// matrices are placed only in the order in which they are made, so that the time is almost linear.
/// The same list and element size give the same arena. Sizes beyond 64 bits count as the largest
/// 64-bit number, which no machine has.
Arena plan_arena(const StatementList& list, int bytes_per_element);

}  // namespace rewriter

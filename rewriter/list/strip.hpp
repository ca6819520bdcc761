// Lists that compute element by element, and the same lists for some of the elements.
#pragma once

#include "rewriter/list/statement.hpp"

namespace rewriter {

/// Whether operations of the family compute each element from those in the same place, of matrices
/// of one shape and numbers.
bool is_elementwise_family(cudamat::Family family);

/// The number of elements of each input and output of a list that computes every element of its
/// outputs of the same elements of its inputs in NumPy's memory order, and of matrices of one
/// element: all arrays that are not one number have as many. 0 for all other lists: with loops,
/// reductions, draws, prints, or a statement that may raise an error.
Index elementwise_extent(const StatementList& list);

/// The number of elements of the inputs of a list that makes one number each of all of them, by
/// element-wise operations and reductions over everything. 0 for all other lists.
Index totalled_extent(const StatementList& list);

/// An element-wise list for arrays of `count` elements, of one dimension. A run of it on some
/// elements that lie one after the other has the bits that a run of the list has there.
StatementList strip_of(const StatementList& list, Index count);

}  // namespace rewriter

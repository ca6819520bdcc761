// The pass `layout`: chooses the orientation of each matrix. Part of `all`.
//
// A matrix is stored column by column, so that a slice of columns is a view and a slice of rows is
// a copy, and a product is fastest if neither factor is read through its transposed flag. The pass
// stores a matrix as its transpose if that is cheaper for the whole list.
//
//   requires  verify(list)
//   ensures   each matrix is stored as in the program or transposed, all matrices of an
//             element-wise call in the same way. If a matrix is stored transposed, slices of its
//             rows become views instead of copies, transposes become copies, which `simplify`
//             removes, products and reductions use flags, and calls with a row become calls with a
//             column. Inputs and outputs of one or two dimensions may be stored transposed, too
//             (Binding::transposed): NumPy's memory has that order and is copied unchanged. Draws
//             give the same numbers: they are made in the orientation of the program.
//   rejects   without may_round or layout_may_round, matrices that are summed or multiplied as
//             matrices, which may round differently; with bindings_stay, inputs and outputs;
//             matrices of which columns are views, that are reshaped (unless all that reads the
//             vector is a reduction of the whole), sorted, selected from or solved with, that have
//             more than two dimensions or a shape that loops change, or whose data is in the list
//
// The cost counts elements moved, calls, and the time of products with each pair of flags
// (layout_choice.cpp has these times and their source), each multiplied by the iterations of the
// loops around it; with bindings_are_in_c_order also the copies of inputs and outputs.
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult layout(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

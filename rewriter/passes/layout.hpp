// The pass `layout`: which way each matrix lies. Part of `all`.
//
// A matrix is in memory column by column, so that columns of it are a view and rows are a copy, and
// a product is quickest where neither factor is read by its flag. The pass holds a matrix as its
// transpose where that is cheaper for the whole list.
//
//   requires  verify(list)
//   ensures   each matrix is held as the program has it or transposed, all of an element-wise call
//             the same way: of what is held transposed, rows are a view where they were a copy,
//             transposes are copies, which `simplify` leaves out, a flag says it in products and
//             reductions, calls with a row become calls with a column. Inputs and outputs of one or
//             two dimensions may be held so, too (Binding::transposed): NumPy's memory is that
//             order, and is copied as it is. Draws stay the numbers that they are: those of a
//             matrix are made as the program has it.
//   refuses   without may_round what is summed or multiplied as a matrix, which may round
//             otherwise; with bindings_stay to turn inputs and outputs; what columns are cut out
//             of, is reshaped, sorted, selected from or solved with, has more than two dimensions,
//             a shape that loops change, or data in the list
//
// What is cheaper is told by counting: elements moved, calls, and products by the time that they
// take with each pair of flags (layout_choice.cpp, which has the figures and where they are from),
// each as often as the loops around it run; with bindings_are_in_c_order also what inputs and
// outputs are copied for.
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult layout(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

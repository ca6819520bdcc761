// The pass `reuse`: matrices whose lives do not overlap share memory.
//
//   requires  verify(list); it finds most where frees stand after last uses
//   ensures   a matrix that is allocated when another of the same loop's body is not wanted any
//             more takes its memory, if the peak stays as low: the best fit of equal or larger
//             size, else the largest smaller one, which then is made larger. With the same shape
//             it becomes the same variable, unless the program gave both of them names; otherwise
//             it is a view, which matrices of less than 1,024 elements and a hundredth of the
//             peak are not worth.
//             Every bit stays as it is.
//   refuses   what would raise the peak
//
// The last remark says how far the peak is from the lower bound, the most that is wanted at once.
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult reuse(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

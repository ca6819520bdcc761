// The pass `exchange`: loops that exchange matrices do so without copies.
//
//   requires  verify(list)
//   ensures   a loop whose body ends with copies that only give matrices of one shape each other's
//             values, as those of `A, B = B, A` do, has as many iterations in its body as bring
//             each value back to where it was, each with the matrices where the values are then,
//             and no such copies; what is left of its iterations stands behind it, and the copies
//             that are due. Every bit stays as it is.
//   refuses   loops with a condition or a range that others decide, those in which a matrix of
//             these is read through a view from outside, and bodies of many statements
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult exchange(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

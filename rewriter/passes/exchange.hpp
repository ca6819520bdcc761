// The pass `exchange`: removes the copies from loops that exchange matrices.
//
//   requires  verify(list)
//   ensures   applies to a loop whose body ends with copies that only permute the values of
//             matrices of one shape, as those of `A, B = B, A` do. Its new body consists of as many
//             iterations as bring each value back to its matrix; each iteration uses the matrices
//             in which the values are then, and the copies are removed. Remaining iterations, and
//             the copies that are due then, follow the loop. Every bit stays the same.
//   rejects   loops whose condition or range is decided elsewhere, loops in which one of these
//             matrices is read through a view from outside, and bodies of many statements
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult exchange(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

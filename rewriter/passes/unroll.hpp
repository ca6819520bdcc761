// The pass `unroll`: writes loops out that have few iterations.
//
//   requires  verify(list)
//   ensures   a loop over at most 8 integers that are known, as all are where the loops around it
//             are written out, becomes its iterations one after the other, and what depended on its
//             variable numbers; other passes see what differs between them. Every bit stays as it
//             is; the list has at most 100,000 statements more.
//   refuses   longer loops, and those with a condition
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult unroll(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

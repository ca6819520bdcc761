// The pass `unroll`: unrolls loops of few iterations.
//
//   requires  verify(list)
//   ensures   a loop over at most 8 static integers (after the loops around it are unrolled)
//             becomes its iterations one after the other, in which its variable is a number, so
//             that other passes see how they differ. Every bit stays the same; at most 100,000
//             statements are added.
//   rejects   longer loops, and those with a condition
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult unroll(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

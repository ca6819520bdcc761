// The pass `cse`: computes equal values once.
//
//   requires  verify(list)
//   ensures   verify of the result; the same bits in every output; the same random numbers
//
// Two calls give equal values if they are the same operation on equal values, of equal shape.
// Readers of the second value then read the first one, whose memory is kept as long as needed,
// provided that neither is overwritten before the readers of the other. Otherwise a call that costs
// more than a copy becomes a copy. Random numbers are never equal.
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult cse(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

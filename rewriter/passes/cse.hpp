// The pass `cse`: equal values are computed once.
//
//   requires  verify(list)
//   ensures   verify of the result; the same bits in every output; the same random numbers
//
// Two calls give equal values if they are the same operation on equal values, of equal shape. What
// reads the second value then reads the first, whose memory lives as long as needed, if neither is
// written while the other's readers wait. Otherwise a call that costs more than a copy becomes a
// copy. Random numbers are never equal.
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult cse(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

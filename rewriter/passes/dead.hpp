// The pass `dead`: removes statements whose results are not read.
//
//   requires  verify(list)
//   ensures   every call writes something that a kept call, a print or an output reads; every
//             matrix and view is used by a kept statement; memory is freed after its last use
//   keeps     draws of random numbers if a later draw reads the same stream, because it would
//             otherwise get other numbers
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult dead(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

// The pass `dead`: removes statements whose results are not read.
//
//   requires  verify(list)
//   ensures   every call writes something that a kept call, a print or an output reads, or may
//             raise an error; every matrix and view is used by a kept statement; memory is freed
//             after its last use
//   keeps     draws of random numbers if a later draw reads the same stream, because it would
//             otherwise get other numbers; calls that may raise an error, because of an index that
//             is not static or a singular matrix
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult dead(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

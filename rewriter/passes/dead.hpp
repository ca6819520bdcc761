// The pass `dead`: leaves out what nothing reads.
//
//   requires  verify(list)
//   ensures   every call writes something that a kept call, a print or an output reads; every
//             matrix and view is used by a kept statement; memory is freed after its last use
//   refuses   draws of random numbers while a later draw reads the same stream: that would get
//             other numbers
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult dead(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

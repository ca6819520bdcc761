// The pass `dead`: leaves out what nothing reads.
//
//   requires  verify(list)
//   ensures   every call writes something that a kept call, a print or an output reads, or may
//             raise an error; every matrix and view is used by a kept statement; memory is freed
//             after its last use
//   refuses   draws of random numbers while a later draw reads the same stream: that would get
//             other numbers; calls that may raise an error, by an index that the list does not
//             write out or a singular matrix
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult dead(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

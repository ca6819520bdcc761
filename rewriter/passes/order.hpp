// The pass `order`: reorders independent calls to use the least memory.
//
//   requires  verify(list)
//   ensures   reorders calls within a block, that is, between the beginnings and ends of loops and
//             prints, if this lowers peak memory: the memory in use or, if allocations are
//             elsewhere (hoist), the live memory, which the pass reuse then exploits. Memory is
//             allocated before its first use and freed after its last one, every call reads the
//             same values as before, and random numbers are drawn in the same order; if no lower
//             peak is found, nothing changes
//   rejects   nothing; it finds good orders, not always the best
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult order(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

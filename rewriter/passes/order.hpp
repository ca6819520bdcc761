// The pass `order`: computes independent things in the order that needs the least memory.
//
//   requires  verify(list)
//   ensures   reorders calls within a block, that is between loops' beginnings and ends and prints,
//             when this lowers peak memory there, that of what is in use or, if allocations stand
//             elsewhere (hoist), of what is wanted, for reuse to make use of: memory is allocated
//             before its first use and freed after its last one, every call reads what it read
//             before, and random numbers are drawn in the same order; where no lower peak is found,
//             nothing changes
//   refuses   nothing; it finds good orders, not always the best
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult order(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

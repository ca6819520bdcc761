// The pass `hoist`: moves loop-invariant statements and allocations out of loops.
//
//   requires  verify(list)
//   ensures   loops allocate and free before and after them, not in their body, except for matrices
//             whose shape depends on the loop variable; a value that each iteration would compute
//             from the same operands is computed once, before the loop; so are views that do not
//             depend on the loop variable. Every bit stays the same. More memory is in use at once
//             in the body; the pass reuse shares it.
//   keeps     draws and prints, and calls whose result the body reads and overwrites
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult hoist(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

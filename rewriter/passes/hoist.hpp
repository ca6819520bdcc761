// The pass `hoist`: takes out of loops what need not be in them.
//
//   requires  verify(list)
//   ensures   every loop allocates and frees before and after it, not in its body, but for
//             matrices whose shape depends on its variable; what each
//             iteration would compute again from the same operands is computed once, before the
//             loop; views that do not depend on the loop's variable are made before it. Every bit
//             stays as it is. More memory is in use at once in the body: reuse shares it.
//   leaves    draws and prints; calls whose result the body reads and writes over
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult hoist(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

// The pass `combine`: several statements become one of Cudamat's richer calls, add_dot, add_mult,
// add_sums, sigmoid, mult_by_sigmoid_deriv and others.
//
//   requires  verify(list)
//   ensures   verify of the result; the same bits in every output unless may_round; combining the
//             result again changes nothing
//
// The rules are the table in combine.cpp. Where a rule updates x, nothing may read x after it; x
// may be an input then, as in NumPy's own `x += t`, unless inputs_stay.
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult combine(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

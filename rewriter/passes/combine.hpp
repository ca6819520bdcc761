// The pass `combine`: combines several statements into one of Cudamat's richer calls, add_dot,
// add_mult, add_sums, sigmoid, mult_by_sigmoid_deriv and others.
//
//   requires  verify(list)
//   ensures   verify of the result; the same bits in every output unless may_round; combining the
//             result again changes nothing
//
// The rules are the table in combine.cpp. If a rule updates x, no later statement may read the old
// x. x may be an input, as in NumPy's `x += t`, unless inputs_stay.
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult combine(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

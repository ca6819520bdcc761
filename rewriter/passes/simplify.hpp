// The pass `simplify`: removes statements that change nothing and copies, and does arithmetic with
// constants.
//
//   requires  verify(list)
//   ensures   verify of the result; the same bits in every output, the sign of zeros and NaN
//             included, unless may_round; simplifying the result again changes nothing
//
// The rules are the table in simplify.cpp.
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult simplify(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

// The pass `fold`: statements that change nothing, copies, and arithmetic with known numbers.
//
//   requires  verify(list)
//   ensures   verify of the result; the same bits in every output, the sign of zeros and NaN
//             included, unless may_round; folding the result again changes nothing
//
// Exact, and so always made: x * 1, x / 1, x - 0, x + (-0); -(-x), (-x) * s, (x * s) * -1;
// a + (-b) = a - b, (-a) + b = b - a, a - (-b) = a + b; transposes of transposes, and of vectors
// (views); copies whose original stays as it is; a matrix of one number as that number; arithmetic
// on it where the result is the same in every precision.
// Not exact, made if may_round: x + 0 (which makes -0 a 0), chains such as x + a + b and x * a * b,
// -(a - b) = b - a (zeros change their sign), x ** 1, x ** 2 = x * x, x ** -1.
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult fold(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

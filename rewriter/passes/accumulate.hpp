// The pass `accumulate`: several statements become one of Cudamat's richer calls.
//
//   requires  verify(list)
//   ensures   verify of the result; the same bits in every output unless may_round; accumulating
//             the result again changes nothing
//
// Exact, and so always made, with t a value that nothing else reads:
//   t = a * s;  x + t            x.add_mult(a, s), also subtract_mult      x + s * a, rounded twice
//   t = vec * s;  x + column t   x.add_col_mult(vec, s)                    likewise
//   t = sum(a);  x + t           x.add_sums(a), also x - t, t - x          beta * x + mult * sum
//   t = sum(a);  t * s           a.sum(axis, mult=s)
//   t = sum(a);  t / n           a.mean(axis), n the number of summands
//   x *= s;  x.add_sums(a)       x.add_sums(a, beta=s)
//   x * acts * (1 - acts)        x.mult_by_sigmoid_deriv(acts)             in the functor's order
//   t = 1;  t / x                x.reciprocal()
//   t = dot(a, b);  t + bias     in place
//   t = ...;  x.assign(t)        t is computed in x itself
// Where these write over x, nothing may read x after them; x may be an input then, as in NumPy's
// own `x += t`.
// Made if may_round, since products and transcendental functions may round otherwise:
//   t = a transposed; dot(t, b)  dot(a.T, b), also sums
//   t = dot(a, b);  x + t        x.add_dot(a, b), subtract_dot; with mult for t * s, beta for x * s
//   1 / (1 + exp(-x))            sigmoid(x)
//   log(1 + exp(x))              log_1_plus_exp(x)
//   x * (acts * (1 - acts))      x.mult_by_sigmoid_deriv(acts)
//   t = sum(a);  t / s           a.sum(axis, mult=1/s)
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult accumulate(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

// The pass `fuse`: runs of element-wise calls as one fused statement each; and its inverse.
//
//   requires  verify(list)
//   ensures   verify of the result; every bit of every result as it was; no call is made twice
//
// Calls are put together over the graph of what depends on what, not only with their neighbours: a
// call with those that make what it reads, and with those that read what it reads, if their spaces
// have one shape. Row and column vectors, copies of rows, draws, sums and extremes over an axis or
// over everything go along; products, transposes, gathers and a change of axis do not, and nothing
// leaves its loop. What others read becomes a target; what nobody reads is no longer in memory.
//
// A reduction over an axis goes along with what reads it, too, if that reads a sum over axis 1 as a
// column, or one over axis 0 as a row; and so do calls on that vector in between. What draws does
// not: its numbers would come in another order.
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult fuse(const StatementList& list, const PassOptions& options);

/// The calls that fused statements stand for.
PassResult unfuse(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

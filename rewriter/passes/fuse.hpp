// The pass `fuse`: combines element-wise calls into fused statements; and its inverse.
//
//   requires  verify(list)
//   ensures   verify of the result; every bit of every result stays the same; no call is made twice
//
// Calls are combined along the dependency graph, not only with their neighbours: a call is fused
// with those that compute its operands, and with those that read the same operands, if their shapes
// agree. Row and column vectors, copies of rows, draws, and sums and extremes over an axis or over
// all elements can be fused; products, transposes, gathers and changes of axis cannot, and no
// statement leaves its loop. A value that other statements read becomes a target; other values are
// not stored.
//
// A reduction over an axis is also fused with its readers, if they read a sum over axis 1 as a
// column, or one over axis 0 as a row, and so are calls on that vector in between. This does not
// apply to statements that draw, because their numbers would be drawn in another order.
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult fuse(const StatementList& list, const PassOptions& options);
/// The same for calls of more elements than compiled loops compute (regions/regions.hpp).
PassResult fuse_large(const StatementList& list, const PassOptions& options);

/// Replaces fused statements by the equivalent calls.
PassResult unfuse(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

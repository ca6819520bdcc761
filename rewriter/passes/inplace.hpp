// The pass `inplace`: overwrites an operand at its last use.
//
//   requires  verify(list)
//   ensures   if an element-wise call is the first to write to its target and the last to use an
//             operand of the same shape, the result takes the memory of the operand, which saves
//             one allocation and one free. Every bit stays the same. A copy of a matrix that is not
//             used again is removed, and so are the copies of a matrix that is copied, modified and
//             copied back, if nothing else reads either meanwhile. The variable keeps the more
//             informative name: that of an output, or one from the program.
//   rejects   inputs, whose memory belongs to the caller (unless may_overwrite_inputs); operands
//             that are read later, also by a next iteration, that are outputs, or that are part of
//             a larger matrix
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult inplace(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

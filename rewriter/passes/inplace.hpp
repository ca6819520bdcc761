// The pass `inplace`: writes over an operand at its last use.
//
//   requires  verify(list)
//   ensures   where an element-wise call is the first to write to a matrix of its own and the last
//             to use an operand of the same shape, the result takes the operand's memory: which
//             saves one allocation and one free; every bit stays as it is. A copy of a matrix that
//             is not used again goes altogether, and so do the copies of one that is copied, worked
//             on and copied back, where nothing else sees either meanwhile. The variable keeps the
//             name that tells more: an output's, or one that the program gave.
//   refuses   inputs, whose memory is the caller's (unless may_overwrite_inputs); operands that are
//             read later, by a next iteration included, that are outputs, or that are a part of a
//             larger matrix
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult inplace(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

// The pass `reuse`: lets matrices whose live ranges do not overlap share memory.
//
//   requires  verify(list); it finds most if frees directly follow last uses
//   ensures   a matrix that is allocated when another one of the same loop body is dead takes its
//             memory, if that does not raise the peak: the best fit of equal or larger size,
//             otherwise the largest smaller one, which is then enlarged. With the same shape it
//             becomes the same variable, unless the program gave both of them names; otherwise it
//             becomes a view, except for matrices of less than 1,024 elements and a hundredth of
//             the peak. What every run computes alike (lasting.hpp) shares its memory with none,
//             and so can stay for the next run. Every bit stays the same.
//   rejects   rewrites that would raise the peak
//
// The last remark says how far the peak is from the lower bound, the maximum that is live at once.
#pragma once

#include "rewriter/passes/pass.hpp"

namespace rewriter {

PassResult reuse(const StatementList& list, const PassOptions& options);

}  // namespace rewriter

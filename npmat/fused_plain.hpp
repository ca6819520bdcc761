// The two ways in which the CPU engine computes fused statements.
#pragma once

#include "cudamat/fused.hpp"
#include "npmat/fused_program.hpp"

namespace npmat::fused {

/// One walk through the space, of a plain body.
template <class T>
void run_plain(const cudamat::FusedCall<T>& call, const Walk& walk);

/// Of a body that uses its own reductions: some rows, or columns, at a time, part by part, so that
/// each part finds in the caches what those before it have read and made.
template <class T>
void run_strips(const cudamat::FusedCall<T>& call);

}  // namespace npmat::fused

// Fused statements over a few elements, for which even a plan would take longer than the work.
#pragma once

#include "cudamat/fused.hpp"

namespace npmat::fused {

/// Computes the statement if it is small and simple: matrices and numbers in, matrices out, all
/// contiguous. False, and nothing was done, if it is not.
template <class T>
bool run_small(const cudamat::FusedCall<T>& call);

}  // namespace npmat::fused

// Counts and sums by key (count.cu).
#pragma once

#include "cudamat/index.hpp"

namespace cudamat::cuda {

/// The first of n elements that is no whole number in [0, size); n if there is none. Waits.
template <class T>
Index first_without_place(const T* a, Index n, Index size);

/// Queues target[j] = how many elements are j, or the sum of their weights, for j < size; all
/// elements have a place, and size <= 2^32 in float. OutOfMemory before anything is written.
template <class T>
void count_by_key(const T* a, const T* weights, Index n, T* target, Index size);

}  // namespace cudamat::cuda

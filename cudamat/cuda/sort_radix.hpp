// Sorts of one long column (sort_radix.cu).
#pragma once

#include "cudamat/index.hpp"

namespace cudamat::cuda {

/// From so many rows on a column by itself is sorted in less time by its digits than all columns
/// are by a network: the network's passes over the device's memory grow with the square of the
/// logarithm, those of a radix sort do not, but each takes some launches of its own.
inline constexpr Index kRadixRows = Index{1} << 19;

/// Queues what Engine<T>::sort and argsort do to a column; argsort's places are those of the
/// unsorted numbers at first, 0 to n - 1. They take memory for another n numbers, or three times as
/// many, and what CUB needs: OutOfMemory where that is not to be had, nothing being changed.
template <class T>
void sort_column(const char* name, T* data, Index n);
template <class T>
void argsort_column(const char* name, const T* source, T* places, Index n);

}  // namespace cudamat::cuda

// Sorts of one long column, by CUB (sort_radix.cu).
#pragma once

#include <cstdint>
#include <type_traits>

#include "cudamat/cuda/memory.hpp"
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

/// Whole numbers without a sign, as wide as T.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
Bits<T>* as_bits(T* data) {
  return reinterpret_cast<Bits<T>*>(data);
}

/// Where n numbers are, and room for as many.
template <class Key>
struct SortBuffers {
  Key* now = nullptr;
  Key* other = nullptr;
};

/// A stable sort of n keys by their lowest bits, with what is beside them, if there is anything.
/// Takes what memory CUB needs as it is made: OutOfMemory.
template <class Key>
class RadixSort {
 public:
  RadixSort(SortBuffers<Key> keys, SortBuffers<Key> beside, Index n, int bits);

  /// Queues it; the sorted ones may be in the other buffers then.
  void run();
  [[nodiscard]] const Key* keys() const { return keys_.now; }
  [[nodiscard]] const Key* beside() const { return beside_.now; }

 private:
  void sort(void* memory);
  Index bytes_needed();

  SortBuffers<Key> keys_, beside_;
  Index n_;
  int bits_;
  std::size_t bytes_ = 0;
  Workspace<char> memory_;
};

}  // namespace cudamat::cuda

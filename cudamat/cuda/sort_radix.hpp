// Sorts of one long column, by CUB (sort_radix.cu).
#pragma once

#include "cudamat/cuda/memory.hpp"
#include "cudamat/index.hpp"
#include "cudamat/sort_keys.hpp"

namespace cudamat::cuda {

/// Columns that are sorted in less time one by one, by their digits, than all together by a
/// network, whose passes over the device's memory grow with the square of the logarithm: a column's
/// digits take some 80 us at least. On an H200 one column of 2^17 numbers takes the network 134 us,
/// and 562 us with places; of 2^19 the digits take 84 and 88 us.
constexpr bool radix_is_faster(Index rows, Index cols, bool with_places) {
  const bool is_few =
      with_places ? rows >= Index{1} << 16 && cols <= 4 : rows >= Index{1} << 17 && cols == 1;
  return is_few || rows >= Index{1} << 19;
}

/// Queues what Engine<T>::sort and argsort do to a column; argsort's places are those of the
/// unsorted numbers at first, 0 to n - 1. They take memory for another n numbers, or three times as
/// many, and what CUB needs: OutOfMemory where that is not to be had, nothing being changed.
template <class T>
void sort_column(const char* name, T* data, Index n);
template <class T>
void argsort_column(const char* name, const T* source, T* places, Index n);

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

/// A stable sort of n keys by their lowest bits, together with other values, if any.
/// The constructor allocates CUB's memory: OutOfMemory.
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

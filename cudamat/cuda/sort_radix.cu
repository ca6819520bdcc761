// Long columns in ascending order, by CUB's radix sort of keys (cudamat/sort_keys.hpp).
//
// Radix sorts are stable, and what comes out is one of n! orders which no number of threads
// changes: unlike CUB's scans and sums it may be used here.
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "cudamat/cuda/context.hpp"
#include "cudamat/cuda/elementwise.cuh"
#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/sort_radix.hpp"
#include "cudamat/sort_keys.hpp"

namespace cudamat::cuda {
namespace {

// Bits travel as the numbers that they are not: a functor of elementwise.cuh.
template <class T>
struct ToKey {
  __device__ T operator()(T x) const { return std::bit_cast<T>(sort_key(x)); }
};
template <class T>
struct ToNumber {
  __device__ T operator()(T key) const { return sorted_number<T>(std::bit_cast<Bits<T>>(key)); }
};
template <class T>
struct ToEqualKey {
  __device__ T operator()(T x) const { return std::bit_cast<T>(equal_sort_key(x)); }
};

}  // namespace

// CUB's functions are called for the bytes that they need, then for good: all memory is there
// before anything is changed.

template <class Key>
RadixSort<Key>::RadixSort(SortBuffers<Key> keys, SortBuffers<Key> beside, Index n, int bits)
    : keys_(keys), beside_(beside), n_(n), bits_(bits), memory_(bytes_needed()) {}

template <class Key>
void RadixSort<Key>::sort(void* memory) {
  const cudaStream_t stream = state().stream;
  cub::DoubleBuffer<Key> keys(keys_.now, keys_.other), beside(beside_.now, beside_.other);
  CUDAMAT_CUDA(
      beside_.now == nullptr
          ? cub::DeviceRadixSort::SortKeys(memory, bytes_, keys, n_, 0, bits_, stream)
          : cub::DeviceRadixSort::SortPairs(memory, bytes_, keys, beside, n_, 0, bits_, stream));
  keys_ = {keys.Current(), keys.Alternate()};
  beside_ = {beside.Current(), beside.Alternate()};
}

template <class Key>
void RadixSort<Key>::run() {
  sort(memory_.data());
}

template <class Key>
Index RadixSort<Key>::bytes_needed() {
  sort(nullptr);
  return static_cast<Index>(bytes_);
}

template <class T>
void sort_column(const char* name, T* data, Index n) {
  const Workspace<T> other(n);
  RadixSort<Bits<T>> sort({as_bits(data), as_bits(other.data())}, {}, n, 8 * int{sizeof(T)});
  elementwise(name, ToKey<T>{}, data, n, data);
  sort.run();
  elementwise(name, ToNumber<T>{}, data, n, reinterpret_cast<const T*>(sort.keys()));
}

template <class T>
void argsort_column(const char* name, const T* source, T* places, Index n) {
  const Workspace<T> some(n), others(n), other_places(n);
  RadixSort<Bits<T>> sort({as_bits(some.data()), as_bits(others.data())},
                          {as_bits(places), as_bits(other_places.data())}, n, 8 * int{sizeof(T)});
  elementwise(name, ToEqualKey<T>{}, some.data(), n, source);
  sort.run();
  Engine<T>::copy(reinterpret_cast<const T*>(sort.beside()), places, n);
}

#define INSTANTIATE(T)                               \
  template class RadixSort<Bits<T>>;                 \
  template void sort_column(const char*, T*, Index); \
  template void argsort_column(const char*, const T*, T*, Index);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace cudamat::cuda

// Long columns in ascending order, by CUB's radix sort of keys: whole numbers without a sign in the
// order that the numbers are to have.
//
// IEEE numbers as bits are in order among the positive ones, and in the reverse order among the
// negative ones: with the sign flipped for the former and every bit for the latter they are in
// order throughout, but for NaNs of either sign at either end. Less the place of -infinity, around
// the end, all NaNs come last. The map is one to one, so that sorting changes no bit of a number.
//
// Radix sorts are stable, and what comes out is one of n! orders which no number of threads
// changes: unlike CUB's scans and sums it may be used here.
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <limits>

#include "cudamat/cuda/context.hpp"
#include "cudamat/cuda/elementwise.cuh"
#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/sort_radix.hpp"

namespace cudamat::cuda {
namespace {

template <class T>
constexpr Bits<T> kSign = Bits<T>(1) << (8 * sizeof(T) - 1);

/// What -infinity is before the turn around the end: every bit of it flipped.
template <class T>
constexpr Bits<T> kFirst = (Bits<T>(1) << (std::numeric_limits<T>::digits - 1)) - 1;

template <class T>
__device__ Bits<T> key_of(Bits<T> bits) {
  return ((bits & kSign<T>) != 0 ? ~bits : bits | kSign<T>)-kFirst<T>;
}

template <class T>
__device__ Bits<T> bits_of(Bits<T> key) {
  const Bits<T> flipped = key + kFirst<T>;
  return (flipped & kSign<T>) != 0 ? flipped ^ kSign<T> : ~flipped;
}

// Bits travel as the numbers that they are not: a functor of elementwise.cuh.
template <class T>
struct ToKey {
  __device__ T operator()(T x) const {
    return std::bit_cast<T>(key_of<T>(std::bit_cast<Bits<T>>(x)));
  }
};
template <class T>
struct ToNumber {
  __device__ T operator()(T key) const {
    return std::bit_cast<T>(bits_of<T>(std::bit_cast<Bits<T>>(key)));
  }
};
/// Equal ones where numbers compare as equal.
template <class T>
struct ToEqualKey {
  __device__ T operator()(T x) const {
    if (x != x) return std::bit_cast<T>(~Bits<T>(0));
    return ToKey<T>{}(x == T(0) ? T(0) : x);
  }
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

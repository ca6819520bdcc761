// Stands in for CUB's header of this name: its radix sorts of keys without a sign, alone or with
// values, from and to double buffers (cudamat/simt/sort.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <type_traits>

namespace simt {

/// The buffers of one sort; `value_bytes` is 0 where there are no values.
struct RadixSort {
  const char* name;
  void *keys, *other_keys;
  std::size_t key_bytes;
  void *values, *other_values;
  std::size_t value_bytes;
  std::size_t n;
  int begin_bit, end_bit;  ///< of the keys: from 0 on, others have no stand-in
};

/// Without memory says how much it needs. `moved`: whether the result is in the other buffers.
cudaError_t radix_sort(void* memory, std::size_t& bytes, const RadixSort& sort, cudaStream_t stream,
                       bool& moved);

}  // namespace simt

namespace cub {

template <class T>
struct DoubleBuffer {
  T* d_buffers[2];
  int selector = 0;

  DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
  T* Current() const { return d_buffers[selector]; }
  T* Alternate() const { return d_buffers[1 - selector]; }
};

struct DeviceRadixSort {
  template <class Key, class Count>
  static cudaError_t SortKeys(void* memory, std::size_t& bytes, DoubleBuffer<Key>& keys, Count n,
                              int begin_bit, int end_bit, cudaStream_t stream) {
    check<Key>();
    bool moved = false;
    const cudaError_t status =
        simt::radix_sort(memory, bytes,
                         {"cub::DeviceRadixSort::SortKeys", keys.Current(), keys.Alternate(),
                          sizeof(Key), nullptr, nullptr, 0, std::size_t(n), begin_bit, end_bit},
                         stream, moved);
    if (moved) keys.selector = 1 - keys.selector;
    return status;
  }

  template <class Key, class Value, class Count>
  static cudaError_t SortPairs(void* memory, std::size_t& bytes, DoubleBuffer<Key>& keys,
                               DoubleBuffer<Value>& values, Count n, int begin_bit, int end_bit,
                               cudaStream_t stream) {
    check<Key>();
    bool moved = false;
    const cudaError_t status = simt::radix_sort(
        memory, bytes,
        {"cub::DeviceRadixSort::SortPairs", keys.Current(), keys.Alternate(), sizeof(Key),
         values.Current(), values.Alternate(), sizeof(Value), std::size_t(n), begin_bit, end_bit},
        stream, moved);
    if (moved) {
      keys.selector = 1 - keys.selector;
      values.selector = 1 - values.selector;
    }
    return status;
  }

 private:
  template <class Key>
  static constexpr void check() {
    static_assert(std::is_same_v<Key, std::uint32_t> || std::is_same_v<Key, std::uint64_t>,
                  "keys without a sign alone have a stand-in");
  }
};

}  // namespace cub

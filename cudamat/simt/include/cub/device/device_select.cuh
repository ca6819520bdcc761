// Stands in for CUB's header of this name: the items whose flags are set, of an array or of numbers
// counted from 0 on (cudamat/simt/select.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>
#include <type_traits>

namespace simt {

/// The operands of one selection.
struct Selected {
  const char* name;
  const void* from;  ///< null: the numbers of the items, as 64-bit integers
  std::size_t item_bytes;
  const unsigned char* flags;
  void* to;
  std::int64_t* count;
  std::size_t n;
};

/// Without memory says how much it needs.
cudaError_t select(void* memory, std::size_t& bytes, const Selected& selected, cudaStream_t stream);

}  // namespace simt

namespace cub {

struct DeviceSelect {
  template <class Item>
  static cudaError_t Flagged(void* memory, std::size_t& bytes, const Item* from,
                             const unsigned char* flags, Item* to, std::int64_t* count,
                             std::int64_t n, cudaStream_t stream) {
    static_assert(std::is_trivially_copyable_v<Item>);
    return simt::select(
        memory, bytes,
        {"cub::DeviceSelect::Flagged", from, sizeof(Item), flags, to, count, std::size_t(n)},
        stream);
  }
  template <class Number>
  static cudaError_t Flagged(void* memory, std::size_t& bytes,
                             thrust::counting_iterator<Number> from, const unsigned char* flags,
                             Number* to, std::int64_t* count, std::int64_t n, cudaStream_t stream) {
    static_assert(std::is_same_v<Number, std::int64_t>, "others have no stand-in");
    if (from.first != 0) return cudaErrorNotSupported;
    return simt::select(
        memory, bytes,
        {"cub::DeviceSelect::Flagged", nullptr, sizeof(Number), flags, to, count, std::size_t(n)},
        stream);
  }
};

}  // namespace cub

// CUB's radix sorts, by the C++ library's stable sort.
#include <algorithm>
#include <cstring>
#include <cub/device/device_radix_sort.cuh>
#include <numeric>
#include <vector>

#include "cudamat/simt/cub_call.hpp"
#include "cudamat/simt/memory.hpp"
#include "cudamat/simt/runtime.hpp"

namespace simt {
namespace {

template <class Key>
std::vector<std::size_t> order_of(const void* keys, std::size_t n, int bits) {
  std::vector<Key> copy(n);
  std::memcpy(copy.data(), keys, n * sizeof(Key));
  const Key mask = ~Key{0} >> (8 * int{sizeof(Key)} - bits);
  for (Key& key : copy) key &= mask;
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return copy[i] < copy[j]; });
  return order;
}

/// The items in that order; where they came from is overwritten, as CUB does at some time.
void move(const std::vector<std::size_t>& order, std::size_t item, void* from, void* other,
          bool moved) {
  if (item == 0) return;
  std::vector<std::byte> sorted(order.size() * item);
  for (std::size_t i = 0; i < order.size(); ++i)
    std::memcpy(&sorted[i * item], static_cast<std::byte*>(from) + order[i] * item, item);
  std::memset(from, 0xA5, sorted.size());
  std::memset(other, 0x5A, sorted.size());
  std::memcpy(moved ? other : from, sorted.data(), sorted.size());
}

}  // namespace

cudaError_t radix_sort(void* memory, std::size_t& bytes, const RadixSort& sort, cudaStream_t stream,
                       bool& moved) {
  if (const cudaError_t error = begin(sort.name)) return report(error);
  if (sort.begin_bit != 0 || sort.end_bit < 1 || sort.end_bit > int(8 * sort.key_bytes))
    return report(cudaErrorNotSupported);
  const CubCall call(memory, bytes, sort.n, stream);
  if (call.answer) return *call.answer;
  moved = sort.n % 2 != 0;  // CUB has reasons of its own
  std::vector<Use> uses{
      {memory, Access::kWrite}, {sort.keys, Access::kWrite}, {sort.other_keys, Access::kWrite}};
  if (sort.value_bytes != 0)
    uses.insert(uses.end(), {{sort.values, Access::kWrite}, {sort.other_values, Access::kWrite}});
  submit(call.stream, sort.name, uses, [=, needed = call.needed, moved = moved] {
    check_device_range(memory, needed, "writes");
    for (void* const keys : {sort.keys, sort.other_keys})
      check_device_range(keys, sort.n * sort.key_bytes, "writes");
    if (sort.value_bytes != 0)
      for (void* const values : {sort.values, sort.other_values})
        check_device_range(values, sort.n * sort.value_bytes, "writes");
    std::memset(memory, 0x77, needed);
    const auto order = sort.key_bytes == 4
                           ? order_of<std::uint32_t>(sort.keys, sort.n, sort.end_bit)
                           : order_of<std::uint64_t>(sort.keys, sort.n, sort.end_bit);
    move(order, sort.key_bytes, sort.keys, sort.other_keys, moved);
    move(order, sort.value_bytes, sort.values, sort.other_values, moved);
  });
  return cudaSuccess;
}

}  // namespace simt

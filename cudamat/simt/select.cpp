// CUB's selections, by a loop.
#include <cstring>
#include <cub/device/device_select.cuh>
#include <vector>

#include "cudamat/simt/cub_call.hpp"
#include "cudamat/simt/memory.hpp"
#include "cudamat/simt/runtime.hpp"

namespace simt {

cudaError_t select(void* memory, std::size_t& bytes, const Selected& selected,
                   cudaStream_t stream) {
  if (const cudaError_t error = begin(selected.name)) return report(error);
  const CubCall call(memory, bytes, selected.n, stream);
  if (call.answer) return *call.answer;
  std::vector<Use> uses{{memory, Access::kWrite},
                        {selected.flags, Access::kRead},
                        {selected.to, Access::kWrite},
                        {selected.count, Access::kWrite}};
  if (selected.from != nullptr) uses.push_back({selected.from, Access::kRead});
  submit(call.stream, selected.name, uses, [=, needed = call.needed] {
    const auto [name, from, item, flags, to, count, n] = selected;
    check_device_range(memory, needed, "writes");
    check_device_range(flags, n, "reads");
    check_device_range(count, sizeof *count, "writes");
    if (from != nullptr) check_device_range(from, n * item, "reads");
    std::memset(memory, 0x77, needed);
    std::vector<std::byte> items;
    std::int64_t chosen = 0;
    for (std::size_t k = 0; k < n; ++k) {
      if (flags[k] == 0) continue;
      const auto number = static_cast<std::int64_t>(k);
      const auto* const at = from == nullptr ? reinterpret_cast<const std::byte*>(&number)
                                             : static_cast<const std::byte*>(from) + k * item;
      items.insert(items.end(), at, at + item);
      ++chosen;
    }
    check_device_range(to, items.size(), "writes");
    const auto first = reinterpret_cast<std::uintptr_t>(from);
    const auto target = reinterpret_cast<std::uintptr_t>(to);
    if (from != nullptr && target < first + n * item && first < target + items.size())
      fail("%s writes over what it reads", name);
    if (!items.empty()) std::memcpy(to, items.data(), items.size());
    *count = chosen;
  });
  return cudaSuccess;
}

}  // namespace simt

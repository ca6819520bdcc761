// Memory for containers that do not outlive a function. Internal to gnumpy.
#pragma once

#include <cstddef>
#include <memory_resource>

namespace gnumpy::detail {

/// Bytes of its own, then the heap's: a statement on small arrays should not take longer for what
/// it allocates on the host than for what it computes.
template <std::size_t kBytes>
class ScratchMemory : public std::pmr::monotonic_buffer_resource {
 public:
  ScratchMemory() : monotonic_buffer_resource(bytes_, kBytes) {}

 private:
  alignas(std::max_align_t) std::byte bytes_[kBytes];
};

}  // namespace gnumpy::detail

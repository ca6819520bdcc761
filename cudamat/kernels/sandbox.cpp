#include "cudamat/kernels/sandbox.hpp"

#include <algorithm>
#include <sys/mman.h>

#include "cudamat/error.hpp"

namespace cudamat::kernels {
namespace {

constexpr std::size_t kPage = 4096;

std::size_t in_pages(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

Sandbox::Sandbox(const std::vector<std::size_t>& bytes, std::size_t slack) {
  if (bytes.empty()) return;
  const std::size_t largest = in_pages(std::ranges::max(bytes)) + kPage + 2 * slack;
  // As far as addresses reach; where the process may have fewer, the distance shrinks.
  for (std::size_t gap = std::size_t{1} << 36;; gap /= 16) {
    const std::size_t slot = largest + 2 * gap;
    length_ = slot * bytes.size();
    mapping_ =
        mmap(nullptr, length_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const bool failed = mapping_ == MAP_FAILED;
    if (failed && gap > kPage) continue;
    for (std::size_t i = 0; i < bytes.size() && !failed; ++i) {
      std::byte* const data = static_cast<std::byte*>(mapping_) + in_pages(i * slot + gap + slack);
      data_.push_back(data);
      if (mprotect(data - slack, in_pages(bytes[i]) + 2 * slack, PROT_READ | PROT_WRITE) != 0)
        break;
    }
    if (data_.size() == bytes.size()) return;
    if (!failed) munmap(mapping_, length_);
    std::size_t all = 0;
    for (const std::size_t each : bytes) all += each;
    throw OutOfMemory("kernel", fmt::format("no memory for arrays of {} bytes", all));
  }
}

Sandbox::~Sandbox() {
  if (mapping_ != nullptr) munmap(mapping_, length_);
}

}  // namespace cudamat::kernels

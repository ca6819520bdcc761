#include "cudamat/simt/cells.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace simt {
namespace {

/// From here on words have pages of their own, which are there once they are written to.
constexpr std::size_t kMapped = std::size_t{64} << 10;

}  // namespace

Cells::Cells(std::size_t bytes, int shift, const EventFormat& format)
    : count_((bytes >> shift) + 1),
      bytes_(count_ * (format.is_wide ? 3 : 2) * sizeof(std::uint64_t)),
      shift_(shift),
      is_wide_(format.is_wide) {
  const int site_bits = is_wide_ ? EventFormat::kWideSiteBits : EventFormat::kSiteBits;
  const int thread_bits = is_wide_ ? EventFormat::kWideThreadBits : format.thread_bits;
  thread_at_ = 1 + site_bits;
  time_at_ = thread_at_ + thread_bits;
  site_mask_ = (1u << site_bits) - 1;
  thread_mask_ = (1u << thread_bits) - 1;

  const bool mapped = bytes_ >= kMapped;
  void* const words = mapped ? mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                             : std::calloc(1, bytes_);
  if (words == MAP_FAILED || words == nullptr) throw std::bad_alloc();
  words_ = {static_cast<std::uint64_t*>(words), ReleaseWords{mapped ? bytes_ : 0}};
}

void ReleaseWords::operator()(std::uint64_t* words) const {
  if (mapped != 0)
    munmap(words, mapped);
  else
    std::free(words);
}

void Cells::clear() {
  std::memset(words_.get(), 0, bytes_);
}

Cells Cells::converted(std::size_t bytes, int shift, const EventFormat& format) const {
  Cells result(bytes, shift, format);
  for (std::size_t i = 0; i < result.count_; ++i)
    if (const std::size_t from = i >> (shift_ - shift); from < count_) result.store(i, load(from));
  return result;
}

}  // namespace simt

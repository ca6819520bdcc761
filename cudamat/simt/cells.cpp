#include "cudamat/simt/cells.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace simt {
namespace {

/// From here on words have pages of their own, which are there once they are written to.
constexpr std::size_t kMapped = std::size_t{64} << 10;

}  // namespace

Cells::Cells(std::size_t bytes, int shift, const EventFormat& format)
    : count_((bytes >> shift) + 1),
      bytes_(count_ * (format.is_wide ? 3 : 2) * sizeof(std::uint64_t)),
      is_mapped_(bytes_ >= kMapped),
      shift_(shift),
      format_(format) {
  void* const words = is_mapped_ ? mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                 : std::calloc(1, bytes_);
  if (words == MAP_FAILED || words == nullptr) throw std::bad_alloc();
  words_ = static_cast<std::uint64_t*>(words);
}

Cells::~Cells() {
  if (is_mapped_ && words_ != nullptr)
    munmap(words_, bytes_);
  else
    std::free(words_);
}

Cells::Cells(Cells&& other) noexcept
    : words_(std::exchange(other.words_, nullptr)),
      count_(other.count_),
      bytes_(other.bytes_),
      is_mapped_(other.is_mapped_),
      shift_(other.shift_),
      format_(other.format_) {}

Cells& Cells::operator=(Cells&& other) noexcept {
  std::swap(words_, other.words_);
  std::swap(count_, other.count_);
  std::swap(bytes_, other.bytes_);
  std::swap(is_mapped_, other.is_mapped_);
  std::swap(shift_, other.shift_);
  std::swap(format_, other.format_);
  return *this;
}

void Cells::clear() {
  std::memset(words_, 0, bytes_);
}

Cells Cells::converted(std::size_t bytes, int shift, const EventFormat& format) const {
  Cells result(bytes, shift, format);
  for (std::size_t i = 0; i < result.count_; ++i)
    if (const std::size_t from = i >> (shift_ - shift); from < count_) result.store(i, load(from));
  return result;
}

}  // namespace simt

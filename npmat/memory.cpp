// The engine's memory.
//
// Fresh pages cost more than most operations that fill them: the kernel clears each and maps it, at
// a fraction of the copy bandwidth. Large freed blocks are therefore kept for the next request of
// their size, up to a share of the machine's memory, and new ones are laid out for huge pages.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/sysinfo.h>

#include "cudamat/error.hpp"
#include "npmat/engine.hpp"

namespace npmat {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kHugePage = std::size_t(2) << 20;
constexpr std::size_t kLarge = std::size_t(1) << 17;  ///< blocks from this size on are kept

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kKeep = false;  // a kept block would hide uses after its end
#else
constexpr bool kKeep = true;
#endif

/// Physical memory and swap in bytes. Linux promises more than that, and kills who takes it.
std::size_t memory_of_machine() {
  static const std::size_t bytes = [] {
    struct sysinfo info {};
    if (sysinfo(&info) != 0) return std::numeric_limits<std::size_t>::max();
    return (std::size_t(info.totalram) + info.totalswap) * info.mem_unit;
  }();
  return bytes;
}

std::size_t rounded(std::size_t bytes) {
  const std::size_t unit = bytes >= kHugePage ? kHugePage : bytes >= kLarge ? 65536 : kLine;
  return std::max(kLine, (bytes + unit - 1) / unit * unit);
}

void* allocate_new(std::size_t size) {
  void* const data = std::aligned_alloc(size >= kHugePage ? kHugePage : kLine, size);
#ifdef MADV_HUGEPAGE
  if (data != nullptr && size >= kHugePage) madvise(data, size, MADV_HUGEPAGE);
#endif
  return data;
}

/// Freed blocks, by size.
class Kept {
 public:
  void* take(std::size_t size) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(size);
    if (found == blocks_.end()) return nullptr;
    void* const data = found->second;
    blocks_.erase(found);
    bytes_ -= size;
    return data;
  }

  /// Keeps the block if there is room. Does not throw.
  bool keep(void* data, std::size_t size) noexcept try {
    const std::lock_guard lock(mutex_);
    if (bytes_ + size > memory_of_machine() / 16) return false;
    blocks_.emplace(size, data);
    bytes_ += size;
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }

  void release_all() {
    const std::lock_guard lock(mutex_);
    for (const auto& [size, data] : blocks_) std::free(data);
    blocks_.clear();
    bytes_ = 0;
  }

 private:
  std::mutex mutex_;
  std::multimap<std::size_t, void*> blocks_;
  std::size_t bytes_ = 0;
};

/// Never destroyed: matrices may be freed after static objects.
Kept& kept() {
  static auto* const blocks = new Kept;
  return *blocks;
}

}  // namespace

template <class T>
T* Engine<T>::allocate(Index n) {
  if (n < 0 || n > std::numeric_limits<Index>::max() / Index(sizeof(T)))
    throw cudamat::OutOfMemory(
        fmt::format("[empty] cannot allocate {} numbers of {} bytes", n, sizeof(T)));
  const std::size_t bytes = std::size_t(n) * sizeof(T);
  if (bytes > memory_of_machine())
    throw cudamat::OutOfMemory(fmt::format("[empty] cannot allocate {} bytes (the machine has {})",
                                           bytes, memory_of_machine()));
  const std::size_t size = rounded(bytes);
  void* data = kKeep && size >= kLarge ? kept().take(size) : nullptr;
  if (data == nullptr) data = allocate_new(size);
  if (data == nullptr) {
    kept().release_all();
    data = allocate_new(size);
  }
  if (data == nullptr)
    throw cudamat::OutOfMemory(
        fmt::format("[empty] cannot allocate {} bytes (the system returned an error)", bytes));
  return static_cast<T*>(data);
}

template <class T>
void Engine<T>::deallocate(T* data, Index n) noexcept {
  if (data == nullptr) return;
  const std::size_t size = rounded(std::size_t(n) * sizeof(T));
  if (kKeep && size >= kLarge && kept().keep(data, size)) return;
  std::free(data);
}

#define INSTANTIATE(T)                    \
  template T* Engine<T>::allocate(Index); \
  template void Engine<T>::deallocate(T*, Index) noexcept;
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(long double)
#undef INSTANTIATE

}  // namespace npmat

#include "npmat/library_room.hpp"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <mutex>
#include <sys/resource.h>
#include <vector>

#include "cudamat/error.hpp"
#include "npmat/blas_start.hpp"

// OpenBLAS's own: takes a buffer that is free, or makes one; it keeps those that are given back.
extern "C" {
[[gnu::weak]] void* blas_memory_alloc(int);
[[gnu::weak]] void blas_memory_free(void*);
}

namespace npmat {
namespace {

/// oneDNN's kernels, made at the first calls, take 8 MB, the copies of operands up to 6 a thread.
constexpr std::size_t kOneDnn = std::size_t(32) << 20;
/// What glibc's malloc maps at the first allocation of a thread other than the main one.
constexpr std::size_t kArena = std::size_t(128) << 20;

std::atomic<Index> callers_now = 0;   ///< of OpenBLAS
std::atomic<Index> buffers_made = 0;  ///< that are known to be there for them
std::mutex making;

/// Has OpenBLAS hold this many buffers at once, so that they are there afterwards, as far as there
/// is room; returns how many it held.
Index hold_buffers(Index wanted) {
  std::vector<void*> held;
  held.reserve(static_cast<std::size_t>(wanted));
  const bool theirs = blas_memory_alloc != nullptr && blas_memory_free != nullptr;
  while (static_cast<Index>(held.size()) < wanted && has_room(kBlasBuffer)) {
    void* const buffer = theirs ? blas_memory_alloc(0) : map_room(kBlasBuffer);
    if (buffer == nullptr || buffer == MAP_FAILED) break;
    held.push_back(buffer);
  }
  for (void* const buffer : held)
    if (theirs)
      blas_memory_free(buffer);
    else
      (void)munmap(buffer, kBlasBuffer);
  return static_cast<Index>(held.size());
}

/// Counts callers in; returns for how many there are buffers, of which those are counted.
Index enter_blas(Index wanted) {
  if (callers_now.fetch_add(wanted) + wanted <= buffers_made.load()) return wanted;
  const std::lock_guard lock(making);
  const Index all = callers_now.load();
  if (all > buffers_made.load())
    buffers_made.store(std::max(buffers_made.load(), hold_buffers(all)));
  const Index without = std::clamp(all - buffers_made.load(), Index(0), wanted);
  callers_now.fetch_sub(without);
  return wanted - without;
}

/// Whether the system fails an allocation before memory is used up.
bool memory_is_limited() {
  static const bool strict = [] {
    int mode = 0;
    std::ifstream("/proc/sys/vm/overcommit_memory") >> mode;
    return mode == 2;
  }();
  const auto limits = [](auto kind) {
    rlimit limit{};
    return getrlimit(kind, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  };
  return strict || limits(RLIMIT_AS) || limits(RLIMIT_DATA);
}

/// For how many callers of so many there is room in oneDNN.
Index room_in_onednn(Index wanted) {
  if (!memory_is_limited()) return wanted;
  const auto bytes = [](Index callers) {
    return static_cast<std::size_t>(callers) * (kOneDnn + kArena) - kArena;
  };
  while (wanted > 0 && !has_room(bytes(wanted))) wanted /= 2;
  return wanted;
}

[[noreturn]] void no_room(const char* library, std::size_t bytes) {
  throw cudamat::OutOfMemory(
      fmt::format("{} needs {} MiB of address space for each thread that calls it, and less is "
                  "available; allow more (ulimit -v)",
                  library, bytes >> 20));
}

}  // namespace

LibraryRoom::LibraryRoom(For libraries, Index wanted)
    : blas_(libraries != For::OneDnn), callers_(blas_ ? enter_blas(wanted) : wanted) {
  if (callers_ == 0) no_room("OpenBLAS", kBlasBuffer);
  if (libraries == For::Blas) return;
  // After OpenBLAS's buffers, which are kept; room that was looked for before would be in them.
  const Index callers = room_in_onednn(callers_);
  if (blas_) callers_now.fetch_sub(callers == 0 ? callers_ : callers_ - callers);
  callers_ = callers;
  if (callers_ == 0) no_room("oneDNN", kOneDnn);
}

LibraryRoom::~LibraryRoom() {
  if (blas_) callers_now.fetch_sub(callers_);
}

}  // namespace npmat

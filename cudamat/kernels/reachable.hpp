// Memory of programs that give kernels addresses. For the Python package.
#pragma once

#include <cstddef>
#include <span>

#include "cudamat/kernels.hpp"

namespace cudamat::kernels {

/// Memory whose address a program has told: kernels may find it in other memory, or be given an
/// address within it. On the CPU they use it where it lies; what they wrote before a fault is
/// undone, and that alone: other threads may write to the rest meanwhile.
struct Reachable {
  std::byte* data;
  std::size_t bytes;
  bool written;  ///< whether it holds values; a launch that has written to it says so here
};

/// For the launches of the calling thread, while this lives. The memories are in the order of their
/// addresses.
class ReachableScope {
 public:
  explicit ReachableScope(std::span<Reachable> memories) : before_(current()) {
    current() = memories;
  }
  ~ReachableScope() { current() = before_; }
  ReachableScope(const ReachableScope&) = delete;
  ReachableScope& operator=(const ReachableScope&) = delete;

  static std::span<Reachable>& current();

 private:
  std::span<Reachable> before_;
};

/// Of part of a matrix on a GPU, as elements of another type: what is copied to check a kernel on
/// the CPU are the bytes of these, and no neighbour's.
void copy_exact_bytes(Argument& argument);

}  // namespace cudamat::kernels

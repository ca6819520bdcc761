// Memory whose address a program has told: kernels may find it in other memory, or be given an
// address within it. For the Python package.
#pragma once

#include <cstddef>
#include <span>

namespace cudamat::kernels {

/// On the CPU kernels use it where it lies; what they wrote before a fault is undone.
struct Reachable {
  std::byte* data;
  std::size_t bytes;
  bool written;  ///< whether it holds values
};

/// For the launches of the calling thread, while this lives.
class ReachableScope {
 public:
  explicit ReachableScope(std::span<const Reachable> memories) : before_(current()) {
    current() = memories;
  }
  ~ReachableScope() { current() = before_; }
  ReachableScope(const ReachableScope&) = delete;
  ReachableScope& operator=(const ReachableScope&) = delete;

  static std::span<const Reachable>& current();

 private:
  std::span<const Reachable> before_;
};

}  // namespace cudamat::kernels

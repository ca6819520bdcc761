// The block of memory in which a run's matrices lie, of an engine's. Internal to the runner.
#pragma once

#include <type_traits>

#include "npmat/npmat.hpp"
#include "rewriter/plan/arena.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace rewriter::detail {

/// Under AddressSanitizer, on npmat, the memory of no live matrix may not be touched.
template <class M>
class ArenaBlock {
 public:
  using T = typename M::value_type;

  /// Takes the memory: the run's one allocation. Throws OutOfMemory.
  explicit ArenaBlock(const Arena& arena)
      : arena_(arena), block_(M::empty({1, arena.bytes / static_cast<Index>(sizeof(T))})) {
    forbid(block_.data(), block_.size());
  }
  ~ArenaBlock() { allow(block_.data(), block_.size()); }
  ArenaBlock(const ArenaBlock&) = delete;
  ArenaBlock& operator=(const ArenaBlock&) = delete;

  /// A matrix in the place of `var`, which becomes live. It must not outlive this.
  M make(Var var, cudamat::Shape shape) {
    allow(place(var), shape.size());
    return M::borrow(place(var), shape);
  }
  /// The variable is live no more.
  void free(Var var, cudamat::Shape shape) { forbid(place(var), shape.size()); }

 private:
  T* place(Var var) const {
    return block_.data() + arena_.offsets[var] / static_cast<Index>(sizeof(T));
  }

#if defined(__SANITIZE_ADDRESS__)
  static constexpr bool kOnHost = std::is_base_of_v<npmat::Engine<T>, typename M::engine>;
  static void forbid(const T* data, Index n) {
    if (kOnHost) __asan_poison_memory_region(data, static_cast<std::size_t>(n) * sizeof(T));
  }
  static void allow(const T* data, Index n) {
    if (kOnHost) __asan_unpoison_memory_region(data, static_cast<std::size_t>(n) * sizeof(T));
  }
#else
  static void forbid(const T*, Index) {}
  static void allow(const T*, Index) {}
#endif

  const Arena& arena_;
  M block_;
};

}  // namespace rewriter::detail

// A block of an engine's memory, freed with the last matrix or view that uses it; or memory that is
// someone else's: of an owner, which is let go of then, or of a caller, who keeps it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "cudamat/engine.hpp"

namespace cudamat {

template <class E>
class Buffer {
 public:
  using T = typename E::value_type;

  explicit Buffer(Index n) : data_(E::allocate(n)), size_(n) { ++count(); }
  /// Another owner's memory.
  explicit Buffer(std::shared_ptr<void> owner) : owner_(std::move(owner)) {}
  ~Buffer() {
    if (data_ != nullptr) E::deallocate(data_, size_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] T* data() const { return data_; }

  /// How many of them the calling thread has made.
  static std::uint64_t made() { return count(); }
  /// Of memory that is not ours. Costs nothing: there is one, and nobody counts who holds it.
  static std::shared_ptr<Buffer> of_others() {
    static Buffer none;
    return {std::shared_ptr<void>(), &none};
  }

 private:
  Buffer() = default;
  static std::uint64_t& count() {
    static thread_local std::uint64_t the_count = 0;
    return the_count;
  }

  T* data_ = nullptr;
  Index size_ = 0;
  std::shared_ptr<void> owner_;
};

}  // namespace cudamat

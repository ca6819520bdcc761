// A block of an engine's memory, freed with the last matrix or view that uses it.
#pragma once

#include <memory>

#include "cudamat/engine.hpp"

namespace cudamat {

template <class E>
class Buffer {
 public:
  using T = typename E::value_type;

  explicit Buffer(Index n) : data_(E::allocate(n)), size_(n) {}
  ~Buffer() { E::deallocate(data_, size_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] T* data() const { return data_; }

 private:
  T* data_;
  Index size_;
};

}  // namespace cudamat

// Memory for the arrays of a launch on the CPU: each far from the others, so that no index leads
// from one into the next.
#pragma once

#include <cstddef>
#include <vector>

namespace cudamat::kernels {

class Sandbox {
 public:
  /// A range of so many bytes each, aligned as a GPU's allocations are. Throws OutOfMemory.
  /// slack: bytes before and after each that may be accessed, too.
  explicit Sandbox(const std::vector<std::size_t>& bytes, std::size_t slack = 0);
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  [[nodiscard]] std::byte* operator[](std::size_t i) const { return data_[i]; }

 private:
  void* mapping_ = nullptr;
  std::size_t length_ = 0;
  std::vector<std::byte*> data_;
};

}  // namespace cudamat::kernels

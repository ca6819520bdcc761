// Stream-ordered device memory. For the engine's own files.
#pragma once

#include <cstddef>

#include "cudamat/engine.hpp"

namespace cudamat::cuda {

/// `bytes` of uninitialised memory of the calling thread's context, counted against the limit; at
/// least 256-byte aligned; nullptr for 0 bytes. Throws OutOfMemory "[op] ...".
void* allocate_bytes(const char* op, std::size_t bytes);

/// Gives it back to the context that it came from, after all that was queued there so far. Any
/// thread, any time, after shutdown too.
void free_bytes(void* data) noexcept;

/// What a call needs besides its operands; given back at the end of the scope, in stream order.
template <class T>
class Workspace {
 public:
  explicit Workspace(Index n)
      : data_(static_cast<T*>(allocate_bytes("workspace", std::size_t(n) * sizeof(T)))) {}
  ~Workspace() { free_bytes(data_); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  [[nodiscard]] T* data() const { return data_; }

 private:
  T* data_;
};

}  // namespace cudamat::cuda

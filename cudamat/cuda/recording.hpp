// What calls see of a recorder while it records. For the engine's own files.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "cudamat/cuda/context.hpp"
#include "cudamat/philox.hpp"

namespace cudamat::cuda {

/// Draws of one type among the recorded calls: so many values, from a place that each launch
/// stores.
struct RecordedDraws {
  Drawn* place = nullptr;    ///< in the device's memory; made at the first draw
  std::uint64_t values = 0;  ///< in the graph that is recorded

  /// The next n values.
  Drawn later(Recording& recording, std::uint64_t n);
};

/// A context of its own, whose stream is captured: the launches' one may be other threads', too,
/// whose calls are not to be recorded.
struct Recording {
  Recording();
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Memory that recorded calls need in passing, given back to others that are recorded later.
  void* take(std::size_t bytes);
  void give_back(void* data) noexcept;
  /// Gives the handle memory of the size that it would allocate itself, which a capture forbids; so
  /// it chooses the same algorithms. https://docs.nvidia.com/cuda/cublas/#cublassetworkspace
  void lend_workspace(cublasHandle_t handle);

  const std::shared_ptr<State> launches;            ///< where graphs are launched
  const std::shared_ptr<State> captured;            ///< where calls are recorded
  std::vector<std::shared_ptr<const void>> kept{};  ///< that graphs need: kernels
  RecordedDraws draws_float;
  RecordedDraws draws_double;

  template <class T>
  RecordedDraws& draws() {
    return sizeof(T) == sizeof(float) ? draws_float : draws_double;
  }

 private:
  struct Block {
    void* data;
    std::size_t bytes;
    bool in_use;
  };
  std::vector<Block> blocks_;
};

}  // namespace cudamat::cuda

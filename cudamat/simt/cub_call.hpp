// What CUB's calls have in common. For the stand-ins.
#pragma once

#include <optional>

#include "cudamat/simt/runtime.hpp"

namespace simt {

/// A call on n items, which says how many bytes it needs where it is given no memory, and else
/// computes on a stream of the current device.
struct CubCall {
  std::size_t needed;
  Stream stream;
  std::optional<cudaError_t> answer;  ///< of a call that computes nothing

  CubCall(void* memory, std::size_t& bytes, std::size_t n, cudaStream_t on)
      : needed(1000 + n / 100) {
    if (memory == nullptr) {
      bytes = needed;
      answer = cudaSuccess;
      return;
    }
    if (bytes < needed) {
      answer = report(cudaErrorInvalidValue);
      return;
    }
    stream = find_stream(on);
    if (stream == nullptr || stream->device != current_device())
      answer = report(cudaErrorInvalidResourceHandle);
  }
};

}  // namespace simt

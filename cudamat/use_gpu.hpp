// GNUMPY_USE_GPU=auto|yes|no: the engine that the environment asks for, read in one place.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cudamat/error.hpp"

namespace cudamat {

enum class UseGpu : std::uint8_t {
  Auto,  ///< the GPU where there is a usable one; also for an empty or missing variable
  Yes,
  No,
};

/// Throws CUDAMatException for any other value.
inline UseGpu use_gpu() {
  const char* const text = std::getenv("GNUMPY_USE_GPU");
  const std::string_view use = text == nullptr ? "" : text;
  if (use.empty() || use == "auto") return UseGpu::Auto;
  if (use == "yes") return UseGpu::Yes;
  if (use == "no") return UseGpu::No;
  misuse(Reason::Unsupported, "GNUMPY_USE_GPU", "must be auto, yes or no; got '{}'", use);
}

}  // namespace cudamat

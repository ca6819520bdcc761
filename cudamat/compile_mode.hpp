// CUDAMAT_COMPILE=off|auto|now: whether fused statements become machine code, read in one place.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cudamat/error.hpp"

namespace cudamat {

enum class CompileMode : std::uint8_t {
  Off,   ///< never
  Auto,  ///< on a GPU all, on a CPU those that are hot; also for an empty or missing variable
  Now,   ///< all, before they run for the first time
};

/// Throws CUDAMatException for any other value.
inline CompileMode compile_mode() {
  const char* const text = std::getenv("CUDAMAT_COMPILE");
  const std::string_view mode = text == nullptr ? "" : text;
  if (mode.empty() || mode == "auto") return CompileMode::Auto;
  if (mode == "off") return CompileMode::Off;
  if (mode == "now") return CompileMode::Now;
  misuse(Reason::Unsupported, "CUDAMAT_COMPILE", "must be off, auto or now; got '{}'", mode);
}

}  // namespace cudamat

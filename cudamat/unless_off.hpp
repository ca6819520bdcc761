// Variables of the environment that turn something off, read in one place.
#pragma once

#include <cstdlib>
#include <string_view>

#include "cudamat/error.hpp"

namespace cudamat {

/// False for "off", true for "auto" and where the variable is empty or missing. Throws
/// CUDAMatException for any other value.
inline bool unless_off(const char* variable) {
  const char* const text = std::getenv(variable);
  const std::string_view mode = text == nullptr ? "" : text;
  if (mode == "off") return false;
  if (mode.empty() || mode == "auto") return true;
  misuse(Reason::Unsupported, variable, "must be off or auto; got '{}'", mode);
}

}  // namespace cudamat

// Which engine a tool computes on.
#pragma once

#include <string>

namespace tools {

struct EngineWish {
  std::string tool;    ///< for messages: "symdump"
  std::string option;  ///< how the engine is asked for, up to its name: "--run="
  std::string engine = "auto";
  int precision = 32;  ///< bits of a number
};

/// Whether the GPU computes: by the engine's name, npmat or cudamat, and for auto by
/// GNUMPY_USE_GPU. What neither decides is the GPU's where there is one that computes in this
/// precision. Throws CUDAMatException where a GPU is demanded and cannot compute.
bool choose_gpu(const EngineWish& wish);

}  // namespace tools

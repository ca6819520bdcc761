// Kernels compiled at run time, by NVRTC.
#pragma once

#include <string>

namespace cudamat::cuda {

/// Code for one kind of device, or why there is none.
struct Compiled {
  std::string code;
  std::string failure;  ///< empty where there is code
};

/// The source, whose includes are of cudamat/code/headers.hpp, for devices of a compute capability
/// (10 * major + minor), with contraction off. From the cache on the disk where it was compiled
/// before. Throws nothing but std::bad_alloc.
Compiled compile(const std::string& source, int capability);

}  // namespace cudamat::cuda

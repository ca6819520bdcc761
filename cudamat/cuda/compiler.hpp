// Kernels compiled at run time, by NVRTC.
#pragma once

#include <string>
#include <vector>

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

/// A user's source.
struct KernelSource {
  const std::string& text;
  const std::string& file;                ///< what messages call it
  const std::vector<std::string>& names;  ///< of its kernels, as the source would call them
  const std::vector<std::string>& flags;  ///< -DNAME
};

struct CompiledKernels {
  Compiled compiled;
  std::vector<std::string> names;  ///< that the code has for them
};

/// The same for a user's source, with headers that replace those of the C library and of CUDA,
/// whose functions NVRTC has.
CompiledKernels compile(const KernelSource& source, int capability);

}  // namespace cudamat::cuda

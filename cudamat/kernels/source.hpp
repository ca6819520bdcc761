// What a source in CUDA C++ says of its kernels, and the same source for a compiler of C++.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cudamat/index.hpp"

namespace cudamat::kernels {

struct KernelDeclaration {
  std::string name;  ///< with its namespace; of an instance of a template "scale<float>"
  bool is_template = false;
  std::vector<std::string> parameters;  ///< their names; "" where there is none
};

/// An array of `__shared__`.
struct SharedDeclaration {
  std::vector<Index> extents;  ///< empty where they are not plain numbers
  /// Of arrays of the same name in other kernels.
  std::vector<std::vector<Index>> others = {};
};

struct Source {
  std::vector<KernelDeclaration> kernels;  ///< one for each name
  std::map<std::string, SharedDeclaration> shared;
  std::string dynamic_shared;  ///< the name of an `extern __shared__` array, the first
  /// For NVRTC: without `extern "C"`, so that names have types. Lines stay where they are.
  std::string device;
  /// For the execution on the CPU: `extern __shared__` arrays lie where simt_user.h has them.
  std::string host;
};

/// Looks at names and brackets alone: all other errors are left to the compiler.
Source read_source(const std::string& text);

}  // namespace cudamat::kernels

// The text of KernelFault.
#pragma once

#include <string>
#include <vector>

#include "cudamat/kernels/run_host.hpp"
#include "cudamat/simt/checks.hpp"

namespace cudamat::kernels {

/// A memory of the launch, for people.
struct MemoryName {
  std::string name;
  std::size_t element = 0;     ///< bytes; 0: those of the access
  std::vector<Index> extents;  ///< of an array of C++, or empty
  Shape shape;                 ///< of a matrix
  bool is_matrix = false;
  bool is_dynamic = false;  ///< `extern __shared__`
};

struct Report {
  const HostProgram& program;
  const std::string& kernel;
  const Launch& launch;
  const std::vector<MemoryName>& names;  ///< of the memories; others are the kernels' heap
};

/// Of a launch that ended with `failed`; its fault, or Kind::Text for what is failed's.
std::string report(const Report& about, const simt::Fault& fault, const simt::Failed& failed);

}  // namespace cudamat::kernels

// A kernel on the CPU, thread by thread.
#pragma once

#include <span>
#include <string>

#include "cudamat/kernels.hpp"
#include "cudamat/kernels/host_library.hpp"
#include "cudamat/kernels/source.hpp"

namespace cudamat::kernels {

/// What reports need of a module.
struct HostProgram {
  HostLibrary& library;
  const Source& source;
  const std::string& text;  ///< as the user wrote it
  const std::string& file;  ///< what messages call it
};

/// Bytes of the module's shared arrays of fixed extents.
Index static_shared_bytes(const HostProgram& program);

/// Arguments and launch are checked. Throws KernelFault with the report, or KernelInterrupted.
void run_on_host(const HostProgram& program, std::size_t kernel, const std::string& name,
                 const std::vector<KernelParameter>& parameters, const Launch& launch,
                 std::span<const Argument> arguments);

}  // namespace cudamat::kernels

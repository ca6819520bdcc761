// What depends on the processor, found in one place; each choice can be made by the environment, so
// that the tests run all of them on any machine.
//
//   CUDAMAT_CPU_VECTORS=auto|baseline|avx2|avx512   the instructions of compiled loops; with avx512
//                                                   oneDNN computes products that OpenBLAS would
//   CUDAMAT_CPU_PREFETCH=auto|yes|no                whether compiled loops prefetch long runs
#pragma once

#include <cstdint>

namespace npmat {

enum class Vectors : std::uint8_t { Baseline, Avx2, Avx512 };  ///< each has those before it

struct Machine {
  Vectors vectors = Vectors::Baseline;
  /// False on AMD's processors, which read long runs in time by themselves and wait for requests.
  /// Measured: bench/results/fused-lines-zen4-2core.md.
  bool prefetches = true;
};

/// What the environment and the processor say. Throws CUDAMatException if a variable has another
/// value than these, or names instructions that the processor lacks.
Machine machine_of_environment();

/// The same, as it was at the first call.
const Machine& machine();

}  // namespace npmat

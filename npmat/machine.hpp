// Choices that depend on the processor, in one place. Environment variables can override each, so
// that tests can run all choices on any machine.
//
//   CUDAMAT_CPU_VECTORS=auto|baseline|avx2|avx512   the instructions of compiled loops; without
//                                                   avx512 OpenBLAS does some of oneDNN's products
//   CUDAMAT_CPU_PREFETCH=auto|yes|no                whether compiled loops prefetch long runs
#pragma once

#include <cstdint>

namespace npmat {

enum class Vectors : std::uint8_t { Baseline, Avx2, Avx512 };  ///< each has those before it

struct Machine {
  Vectors vectors = Vectors::Baseline;
  /// False on AMD processors, whose hardware prefetchers are sufficient for long runs, and which
  /// are slowed down by prefetch instructions. Measured: bench/results/fused-lines-zen4-2core.md.
  bool prefetches = true;
};

/// The choices of the environment and the processor. Throws CUDAMatException if a variable has an
/// unknown value, or names instructions that the processor lacks.
Machine machine_of_environment();

/// The same, as it was at the first call.
const Machine& machine();

}  // namespace npmat

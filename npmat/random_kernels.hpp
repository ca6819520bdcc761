// The inner loops of npmat::Generator: runs of Philox words, and their conversion. Internal.
#pragma once

#include <cstdint>

namespace npmat::detail {

/// A run of quads of neighbouring subsequences, all at the same counter (see cudamat/philox.hpp).
struct QuadRun {
  std::uint64_t seed;
  std::uint64_t counter;
  std::uint32_t subsequence;  // of the first quad; the run does not wrap past the last one
  std::int64_t quads;
};

/// Writes 4 * run.quads values. Pure functions of the run: the same bits on every machine.
void fill_uniform(const QuadRun& run, float* out);
void fill_uniform(const QuadRun& run, double* out);

/// Standard normals, as cudamat/box_muller.hpp has them.
void fill_normal(const QuadRun& run, float* out);
void fill_normal(const QuadRun& run, double* out);

}  // namespace npmat::detail

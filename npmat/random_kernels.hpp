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

/// Standard normals by Box and Muller ("A note on the generation of random normal deviates", Ann.
/// Math. Stat. 29, 1958), paired and rounded as cuRAND's host API does: with (x, y) the first and
/// the second uniform of a pair, s = sqrt(-2 log x) gives s sin(2 pi y), then s cos(2 pi y). The
/// angle is rounded to T before its sine is taken; the rest is within 3 units in the last place.
void fill_normal(const QuadRun& run, float* out);
void fill_normal(const QuadRun& run, double* out);

}  // namespace npmat::detail

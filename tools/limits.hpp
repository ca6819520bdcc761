// The machine's limits, measured in the run whose results they judge. A floor is the time that the
// limits set for a piece of work: bytes that must move at least once, products that a library must
// do. Times alone are noise on a shared machine; a workload is reported as floor / time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace tools {

using Index = std::int64_t;

/// Seconds that one call takes.
template <class F>
double timed(F&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The shortest of `repeats` calls, after one that warms up.
template <class F>
double best_time(int repeats, F&& work) {
  work();
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeats; ++i) best = std::min(best, timed(work));
  return best;
}

/// Whether a short look will do: SYMDUMP_LIMITS=rough in the environment, for tests, where nobody
/// judges by what it finds.
bool roughly();

/// Seconds that a copy on all cores takes to move `bytes`, reads and writes both counted. The copy
/// is the C library's, 64 MiB at a time; measured anew every time.
double copy_floor(double bytes);

/// Seconds to read `bytes` on all cores.
double read_floor(double bytes);

/// Seconds of the best library product m x n, inner extent k, column-major, with transposed
/// operands or not: the faster of oneDNN and OpenBLAS for float, OpenBLAS for double, and npmat
/// itself for long double, of which no library has one; measured anew every time.
template <class T>
double product_floor(bool trans_a, bool trans_b, Index m, Index n, Index k);

}  // namespace tools

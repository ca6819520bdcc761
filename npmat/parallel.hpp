// Threads, in one place. Everything of npmat that runs on several cores goes through parallel_for.
//
// OpenMP, except under ThreadSanitizer, which cannot see into libgomp: there the same parts run on
// std::thread.
#pragma once

#include <algorithm>
#include <exception>
#include <mutex>
#include <omp.h>

#include "cudamat/engine.hpp"

#ifdef __SANITIZE_THREAD__
#include <thread>
#include <vector>
#endif

namespace npmat {

using cudamat::Index;

/// How many threads the next parallel_for may use: OpenMP's setting, 1 inside a parallel region.
inline Index thread_count() {
#ifdef __SANITIZE_THREAD__
  return 2;
#else
  return omp_in_parallel() ? 1 : omp_get_max_threads();
#endif
}

/// Calls body(begin, end) for ranges that together are [0, n) without overlap, each on one thread,
/// at most one a thread. Each range but the last is a multiple of `grain` long, and none starts
/// elsewhere than at a multiple of it; with n <= grain everything runs on the calling thread. What
/// body throws (no memory for a buffer) is thrown again when all threads are done.
template <class Body>
void parallel_for(Index n, Index grain, const Body& body) {
  if (n <= 0) return;
  const Index grains = (n + grain - 1) / grain;
  const Index threads = grains < 2 ? 1 : std::min(thread_count(), grains);
  if (threads == 1) {
    body(Index(0), n);
    return;
  }
  std::exception_ptr error;
  std::mutex error_mutex;
  const auto part = [&](Index thread) noexcept {
    const Index begin = grains * thread / threads * grain;
    const Index end = std::min(n, grains * (thread + 1) / threads * grain);
    try {
      body(begin, end);
    } catch (...) {
      const std::lock_guard lock(error_mutex);
      error = std::current_exception();
    }
  };
#ifdef __SANITIZE_THREAD__
  std::vector<std::thread> others;
  for (Index thread = 1; thread < threads; ++thread) others.emplace_back(part, thread);
  part(0);
  for (auto& other : others) other.join();
#else
#pragma omp parallel for num_threads(static_cast <int>(threads)) schedule(static, 1)
  for (Index thread = 0; thread < threads; ++thread) part(thread);
#endif
  if (error) std::rethrow_exception(error);
}

}  // namespace npmat

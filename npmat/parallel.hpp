// Loops on several cores, in one place. All parallel code of npmat uses parallel_for, or for_parts
// of threads.hpp.
#pragma once

#include <algorithm>
#include <exception>
#include <mutex>

#include "npmat/threads.hpp"

namespace npmat {

/// Calls body(begin, end) for ranges that partition [0, n), some of them in parallel. The length of
/// each range but the last is a multiple of `grain`, and so is its beginning; with n <= grain
/// everything runs on the calling thread as one range. A grain is work of about 10 microseconds; a
/// grain of 1 means that each may be much more. The ranges depend on thread_count(), so results
/// must not depend on them. Exceptions of body (no memory for a buffer) are rethrown when all is
/// done.
template <class Body>
void parallel_for(Index n, Index grain, const Body& body) {
  constexpr Index kRanges = 4;  // a thread: so that a thread that is interrupted holds up little
  constexpr Index kMuch = 100;  // more than waking somebody takes
  if (n <= 0) return;
  const Index grains = (n + grain - 1) / grain;
  const Index threads = grains < 2 ? 1 : std::min(thread_count(), grains);
  if (threads == 1) {
    body(Index(0), n);
    return;
  }
  const Index ranges = std::min(kRanges * threads, grains);
  std::exception_ptr error;
  std::mutex error_mutex;
  for_parts(ranges, threads, grain == 1 ? kMuch : grains, [&](Index range) noexcept {
    const Index begin = grains * range / ranges * grain;
    const Index end = std::min(n, grains * (range + 1) / ranges * grain);
    try {
      body(begin, end);
    } catch (...) {
      const std::lock_guard lock(error_mutex);
      error = std::current_exception();
    }
  });
  if (error) std::rethrow_exception(error);
}

}  // namespace npmat

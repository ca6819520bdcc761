// The threads of npmat: a pool of our own, for parallel.hpp and the products.
//
// On a machine that others use, a thread that waits is worse than none: what it waits for may not
// be running. So nobody waits for a thread that has not begun: the caller does all parts that
// nobody has taken. A thread with nothing to do looks around for some microseconds, then sleeps.
// Where work in common has cost more time than it saved, because the cores were taken, the caller
// works alone for many times as long, and then tries again. None of this changes a result: how work
// is cut into parts is the caller's matter, and depends on nothing that happens here.
//
// How many threads there may be is OpenMP's setting (OMP_NUM_THREADS, omp_set_num_threads); its own
// threads, which spin for milliseconds, are never started: see OneThread.
#pragma once

#include <atomic>
#include <type_traits>

#include "cudamat/engine.hpp"

namespace npmat {

using cudamat::Index;

/// How many threads the next parallel_for may use: OpenMP's setting, 1 inside of parallel work.
Index thread_count();

/// While it lives, the calling thread's calls of libraries that use OpenMP stay on this thread.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

namespace detail {

/// Work in parts, which may be done at the same time.
struct Parts {
  void (*run)(const void* body, Index part);  ///< never throws
  const void* body;
  Index count;  ///< less than 2^31
};

/// Does every part once, on the calling thread and on up to threads - 1 others, and returns when
/// all are done. weight: how much work there is, in units of about 10 microseconds; little is done
/// without waking anybody.
void run_parts(const Parts& parts, Index threads, Index weight);

}  // namespace detail

/// Calls body(part) for each part below `count`, as run_parts does. body must not throw.
template <class Body>
void for_parts(Index count, Index threads, Index weight, const Body& body) {
  static_assert(std::is_nothrow_invocable_v<const Body&, Index>);
  const auto run = [](const void* of, Index part) { (*static_cast<const Body*>(of))(part); };
  detail::run_parts({run, &body, count}, threads, weight);
}

}  // namespace npmat

// The threads of npmat: a pool for parallel.hpp and the products.
//
// On a busy machine, waiting for a thread that is not running wastes time. So no thread waits for
// one that has not started: the caller does all parts that no thread has taken. An idle thread
// spins for some microseconds, then sleeps. If sharing has cost more time than it saved, because
// the cores were busy, the caller works alone for many times as long, and then tries again. None of
// this changes results: the caller decides how work is split, independently of the load.
//
// The maximum number of threads is OpenMP's setting (OMP_NUM_THREADS, omp_set_num_threads).
// OpenMP's own threads, which spin for milliseconds, are never started: see OneThread.
#pragma once

#include <atomic>
#include <type_traits>

#include "cudamat/engine.hpp"

namespace npmat {

using cudamat::Index;

/// The number of threads that the next parallel_for may use: OpenMP's setting, or 1 inside parallel
/// work.
Index thread_count();

/// While it exists, the calling thread's calls of libraries that use OpenMP stay on this thread.
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

/// Work in parts that may run at the same time.
struct Parts {
  void (*run)(const void* body, Index part);  ///< never throws
  const void* body;
  Index count;  ///< less than 2^31
};

/// Runs every part once, on the calling thread and on up to threads - 1 others, and returns when
/// all are done. weight is the amount of work, in units of about 10 microseconds; little work does
/// not wake other threads.
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

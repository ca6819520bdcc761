// Runs without the interpreter's lock, also while the interpreter ends, and interrupts of such
// runs.
#pragma once

#include <Python.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <nanobind/nanobind.h>
#include <thread>

namespace rewriter::module {

namespace nb = nanobind;

/// Runs while the interpreter ends. Its lock cannot be had any more then: a thread that still runs,
/// a daemon's, waits for the end of the process.
class Ending {
 public:
  static void park_if_begun() {
    if (!begun_.load()) return;
    ++parked_;
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  /// Lets runs notice, or finish. Needs the interpreter's lock.
  static void begin() {
    begun_ = true;
    const nb::gil_scoped_release unlocked;
    for (int i = 0; i < 200 && active_.load() > parked_.load(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  /// While it lives, this thread runs without the lock.
  class Unlocked {
   public:
    Unlocked() : state_(PyEval_SaveThread()) { ++active_; }
    ~Unlocked() {
      park_if_begun();
      PyEval_RestoreThread(state_);
      --active_;
    }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

   private:
    PyThreadState* state_;
  };

 private:
  static inline std::atomic<bool> begun_{false};
  static inline std::atomic<int> active_{0};
  static inline std::atomic<int> parked_{0};
};

/// Looks for Ctrl-C every few milliseconds, and raises its KeyboardInterrupt. The lock is not held;
/// where others hold it long, waiting for it takes at most a tenth of the time.
class Interrupts {
 public:
  void look() {
    Ending::park_if_begun();
    const auto begun = now();
    if (begun < next_) return;
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    const auto done = now();
    next_ = done + std::max<std::chrono::nanoseconds>(kOften, 9 * (done - begun));
  }

 private:
  static constexpr auto kOften = std::chrono::milliseconds(2);

  /// Of a clock that moves every few milliseconds, and takes no time to read.
  static std::chrono::nanoseconds now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }

  std::chrono::nanoseconds next_ = now() + kOften;
};

}  // namespace rewriter::module

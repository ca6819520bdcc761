// The interpreter's lock: letting other threads of Python run, and what needs the interpreter when
// they may.
#pragma once

#include <nanobind/nanobind.h>

namespace cudamat::python {

/// Something to be done with the interpreter: end(this).
struct Late {
  void (*end)(Late*) = nullptr;
  Late* next = nullptr;
};

/// Ends it, in any thread: now, or where this thread lets others run, when that is over. After the
/// interpreter's end nothing is done: the process gives all back.
void with_interpreter(Late* late) noexcept;

/// Other threads of Python run while it lives. What is to be done with the interpreter waits for
/// its end: a thread that holds a lock of ours must not wait for the interpreter.
class OthersRun {
 public:
  OthersRun();
  ~OthersRun();
  OthersRun(const OthersRun&) = delete;
  OthersRun& operator=(const OthersRun&) = delete;

 private:
  PyThreadState* state_;
};

/// f(), while other threads of Python run.
template <class F>
decltype(auto) computing(const F& f) {
  const OthersRun others_run;
  return f();
}

}  // namespace cudamat::python

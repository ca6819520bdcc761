#include "cudamat/python/interpreter.hpp"

#include <utility>

namespace cudamat::python {

namespace {

thread_local int others_run = 0;
thread_local Late* waiting = nullptr;

}  // namespace

void with_interpreter(Late* late) noexcept {
  if (Py_IsInitialized() == 0) return;
  if (others_run > 0) {
    late->next = std::exchange(waiting, late);
    return;
  }
  const nanobind::gil_scoped_acquire interpreter;
  const nanobind::error_scope no_error;  // others' code must not meet one that is on its way
  late->end(late);
}

OthersRun::OthersRun() : state_(PyEval_SaveThread()) {
  ++others_run;
}

OthersRun::~OthersRun() {
  --others_run;
  PyEval_RestoreThread(state_);
  if (others_run > 0) return;
  while (waiting != nullptr) {
    Late* const late = waiting;
    waiting = late->next;
    with_interpreter(late);
  }
}

}  // namespace cudamat::python

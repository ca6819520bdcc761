// How failures are reported. For the execution's own files.
#pragma once

#include <cstddef>

namespace simt {

/// What this thread of the host executes, for messages: a kernel or a call. Nests.
class Doing {
 public:
  explicit Doing(const char* name);
  ~Doing();
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;

 private:
  const char* previous_;
};

/// Prints where execution stands and what happened, then aborts. May be called in a signal handler.
/// In a kernel that is watched it ends the launch instead (execute.hpp).
[[noreturn]] void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace simt

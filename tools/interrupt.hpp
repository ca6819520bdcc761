// Ctrl-C in a tool, or a request to end it (SIGTERM, SIGHUP): the computation stops where it can,
// and what is written stays whole.
#pragma once

#include <array>
#include <csignal>
#include <semaphore.h>
#include <stdexcept>
#include <string>
#include <thread>

namespace tools {

/// Ctrl-C, or another such request, while something was computed.
class Interrupted : public std::runtime_error {
 public:
  /// `where`: how far it was, "in run 2 of 3", if that is known.
  explicit Interrupted(const std::string& where = {})
      : std::runtime_error(where.empty() ? "interrupted" : "interrupted " + where) {}
};

/// While it lives, Ctrl-C, SIGTERM and SIGHUP ask the computation to stop; a second one kills.
class InterruptHandler {
 public:
  InterruptHandler();
  ~InterruptHandler();
  InterruptHandler(const InterruptHandler&) = delete;
  InterruptHandler& operator=(const InterruptHandler&) = delete;

 private:
  std::array<struct sigaction, 3> previous_{};
};

/// While it lives, together with an InterruptHandler that was made before, a program that was asked
/// to stop and does not come to it, in a long statement, is ended after seconds: by
/// std::quick_exit, for which temporary folders and child processes are registered. Its thread
/// takes the signals that the others hold back. Where there can be no other thread, nothing is
/// ended so.
class EndsSoon {
 public:
  /// `program`: its name, for what it says.
  explicit EndsSoon(const char* program);
  ~EndsSoon();
  EndsSoon(const EndsSoon&) = delete;
  EndsSoon& operator=(const EndsSoon&) = delete;

  /// From now on it is not ended so: files are written.
  void hold();

 private:
  void watch(const char* program);

  sem_t over_;
  std::thread thread_;
};

/// Throws Interrupted if Ctrl-C asked for it.
void stop_if_interrupted();

/// The exit status of a program that was interrupted: 130 after Ctrl-C, 143 after SIGTERM.
int interrupted_status();

}  // namespace tools

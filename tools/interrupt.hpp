// Ctrl-C in a tool, or a request to end it (SIGTERM, SIGHUP): the computation stops where it can,
// and what is written stays whole.
#pragma once

#include <array>
#include <csignal>
#include <stdexcept>
#include <string>

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

/// Throws Interrupted if Ctrl-C asked for it.
void stop_if_interrupted();

}  // namespace tools

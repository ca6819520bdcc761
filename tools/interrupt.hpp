// Ctrl-C in a tool, or a request to end it (SIGTERM, SIGHUP): the computation stops where it can,
// and what is written stays whole.
#pragma once

#include <array>
#include <csignal>
#include <stdexcept>

namespace tools {

/// Ctrl-C, or another such request, while something was computed.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
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

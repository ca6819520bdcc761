// Ctrl-C in a tool: the computation stops where it can, and what is written stays whole.
#pragma once

#include <csignal>
#include <stdexcept>

namespace tools {

/// Ctrl-C while something was computed.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// While it lives, Ctrl-C asks the computation to stop; a second one kills.
class InterruptHandler {
 public:
  InterruptHandler();
  ~InterruptHandler();
  InterruptHandler(const InterruptHandler&) = delete;
  InterruptHandler& operator=(const InterruptHandler&) = delete;

 private:
  struct sigaction previous_ = {};
};

/// Throws Interrupted if Ctrl-C asked for it.
void stop_if_interrupted();

}  // namespace tools

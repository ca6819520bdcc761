#include "tools/interrupt.hpp"

namespace tools {

namespace {
volatile std::sig_atomic_t interrupted = 0;
}  // namespace

InterruptHandler::InterruptHandler() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, &previous_);
}

InterruptHandler::~InterruptHandler() {
  sigaction(SIGINT, &previous_, nullptr);
}

void stop_if_interrupted() {
  if (interrupted != 0) throw Interrupted();
}

}  // namespace tools

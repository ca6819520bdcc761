#include "tools/interrupt.hpp"

#include <iterator>

namespace tools {

namespace {
volatile std::sig_atomic_t interrupted = 0;
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
}  // namespace

InterruptHandler::InterruptHandler() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &previous_[i]);
    const bool ignored = previous_[i].sa_handler == SIG_IGN;  // nohup, and jobs in the background
    if (!ignored) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptHandler::~InterruptHandler() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i)
    sigaction(kSignals[i], &previous_[i], nullptr);
}

void stop_if_interrupted() {
  if (interrupted != 0) throw Interrupted();
}

}  // namespace tools

#include "tools/interrupt.hpp"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <system_error>

#include "cudamat/say.hpp"

namespace tools {

namespace {
volatile std::sig_atomic_t interrupted = 0;  ///< the signal's number
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
constexpr std::chrono::milliseconds kLook{100};
constexpr int kLooks = 20;  ///< of being interrupted, until the program is ended
constexpr int kOfSignals = 128;
}  // namespace

InterruptHandler::InterruptHandler() {
  struct sigaction action = {};
  action.sa_handler = [](int number) { interrupted = number; };
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

EndsSoon::EndsSoon(const char* program) {
  sem_init(&over_, 0, 0);
  try {
    thread_ = std::thread([this, program] { watch(program); });
  } catch (const std::system_error&) {  // no more threads to be had
  }
}

EndsSoon::~EndsSoon() {
  hold();
  sem_destroy(&over_);
}

void EndsSoon::hold() {
  sem_post(&over_);
  if (thread_.joinable()) thread_.join();
}

void EndsSoon::watch(const char* program) {
  for (int looks = 0;; looks += interrupted != 0 ? 1 : 0) {
    if (looks == kLooks) {
      cudamat::say("{}: interrupted; nothing further was written\n", program);
      std::quick_exit(interrupted_status());
    }
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += std::chrono::nanoseconds(kLook).count();
    if (until.tv_nsec >= 1'000'000'000) ++until.tv_sec, until.tv_nsec -= 1'000'000'000;
    if (sem_timedwait(&over_, &until) == 0) return;
  }
}

void stop_if_interrupted() {
  if (interrupted != 0) throw Interrupted();
}

int interrupted_status() {
  return kOfSignals + interrupted;
}

}  // namespace tools

#include "cudamat/kernels/interrupt.hpp"

#include <csignal>
#include <pthread.h>

#include "cudamat/simt/execute.hpp"

namespace cudamat::kernels {
namespace {

// The handler may run in any thread, so they are none's.
struct sigaction previous {};
pthread_t launching;

void handle(int signal, siginfo_t* info, void* context) {
  if ((previous.sa_flags & SA_SIGINFO) != 0)
    previous.sa_sigaction(signal, info, context);
  else
    previous.sa_handler(signal);
  if (pthread_equal(pthread_self(), launching) != 0)
    interrupt_launch(simt::interrupted_instruction(context));
}

}  // namespace

// SA_NODEFER: the handler may be left for good, and the signal must not stay blocked.
InterruptScope::InterruptScope() {
  if (sigaction(SIGINT, nullptr, &previous) != 0) return;
  if ((previous.sa_flags & SA_SIGINFO) == 0 &&
      (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN))
    return;
  launching = pthread_self();
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  handled_ = sigaction(SIGINT, &action, nullptr) == 0;
}

InterruptScope::~InterruptScope() {
  if (handled_) sigaction(SIGINT, &previous, nullptr);
}

}  // namespace cudamat::kernels

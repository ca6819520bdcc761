#include "cudamat/kernels/interrupt.hpp"

#include <csignal>
#include <pthread.h>

#include "cudamat/simt/execute.hpp"

namespace cudamat::kernels {
namespace {

// The handler may run in any thread, so they are none's.
struct sigaction previous {};
pthread_t launching;
volatile std::sig_atomic_t has_come = 0;
thread_local bool in_scope = false;

void handle(int signal, siginfo_t* info, void* context) {
  has_come = 1;
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
  has_come = 0;
  in_scope = true;
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  handled_ = sigaction(SIGINT, &action, nullptr) == 0;
}

InterruptScope::~InterruptScope() {
  in_scope = false;
  if (handled_) sigaction(SIGINT, &previous, nullptr);
}

bool is_interrupted() {
  return in_scope && has_come != 0;
}

}  // namespace cudamat::kernels

// Accesses to pages without access, and divisions by zero, explained.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <execinfo.h>
#include <mutex>
#include <sys/mman.h>
#include <ucontext.h>

#include "cudamat/simt/execute.hpp"
#include "cudamat/simt/failure.hpp"
#include "cudamat/simt/memory.hpp"

namespace simt {
namespace {

constexpr std::array kSignals = {SIGSEGV, SIGFPE, SIGBUS, SIGABRT, SIGILL, SIGTRAP};
std::array<struct sigaction, kSignals.size()> previous_actions;

const char* verb(void* context) {
#if defined(__x86_64__)
  const auto error = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR];
  return (error & 2) != 0 ? "writes" : "reads";
#else
  (void)context;
  return "accesses";
#endif
}

void explain(void* address, void* context) {
  char text[200];
  const auto* const at = static_cast<const std::byte*>(address);
  Region region;
  if (find_region_after_fault(address, &region)) {
    const char* const what = region.kind == Kind::kDevice ? "an allocation" : "pinned memory";
    describe_offset(text, sizeof text, what, at - region.data, region.bytes);
    const bool inside = at >= region.data && at < region.data + region.bytes;
    fail("%s %s%s", verb(context), text,
         region.freed ? ", which was freed"
         : inside     ? ", which is the device's, while nothing runs on the device"
                      : "");
  }
  const SharedMemory* const shared = running_shared_memory();
  if (shared != nullptr && shared->owns(address)) {
    describe_offset(text, sizeof text, "shared memory", at - shared->data(), shared->bytes());
    fail("%s %s", verb(context), text);
  }
  if (is_stack_overflow(address)) fail("the thread's stack overflows");
  if (running().in_kernel)
    fail("%s address %p, which is not memory of the device", verb(context), address);
}

/// Whether the C library itself has called abort(), as for a second free(): it may hold the heap's
/// lock, and to go on without it would wait for that for good.
bool aborts_in_library() {
  std::array<void*, 16> frames{};
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  Dl_info library{}, at{};
  if (dladdr(reinterpret_cast<void*>(&std::abort), &library) == 0) return true;
  bool is_behind = false;
  for (int i = 0; i < count; ++i) {
    const void* const call = static_cast<const char*>(frames[static_cast<std::size_t>(i)]) - 1;
    const bool is_known = dladdr(call, &at) != 0;
    if (is_behind) return is_known && at.dli_fbase == library.dli_fbase;
    is_behind = is_known && at.dli_saddr == library.dli_saddr;
  }
  return true;
}

/// In a kernel that is watched, whose arrays are not the device's.
[[noreturn]] void end_watched(int signal, const void* address, void* context) {
  if (signal == SIGFPE) abandon("divides a whole number by zero", interrupted_instruction(context));
  if (signal == SIGABRT)  // also of an exception that nothing catches
    abandon("calls abort()", interrupted_instruction(context));
  if (signal == SIGILL || signal == SIGTRAP)
    abandon("comes to a trap", interrupted_instruction(context));
  if (is_stack_overflow(address))
    abandon("overflows the thread's stack", interrupted_instruction(context));
  char text[100];
  std::snprintf(text, sizeof text, "%s address %p, which is in no array that the kernel was given",
                verb(context), address);
  abandon(text, interrupted_instruction(context));
}

void handle(int signal, siginfo_t* info, void* context) {
  if (is_watched() && !(signal == SIGABRT && aborts_in_library()))
    end_watched(signal, info->si_addr, context);
  if (signal == SIGSEGV) explain(info->si_addr, context);
  const auto* const at = std::find(kSignals.begin(), kSignals.end(), signal);
  const auto i = static_cast<std::size_t>(at - kSignals.begin());
  sigaction(signal, &previous_actions[i], nullptr);  // not ours: it happens once more
  if (info->si_code <= 0) (void)raise(signal);       // what was sent does not by itself
}

/// A stack for the handler, of each thread; AddressSanitizer's threads have one.
class HandlerStack {
 public:
  HandlerStack() {
    stack_t current;
    if (sigaltstack(nullptr, &current) != 0 || (current.ss_flags & SS_DISABLE) == 0) return;
    memory_ = std::malloc(kSize);
    stack_t ours{};
    ours.ss_sp = memory_;
    ours.ss_size = kSize;
    if (memory_ != nullptr) sigaltstack(&ours, nullptr);
  }
  ~HandlerStack() {
    if (memory_ == nullptr) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    std::free(memory_);
  }
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;

 private:
  static constexpr std::size_t kSize = 64 << 10;
  void* memory_ = nullptr;
};

}  // namespace

const void* interrupted_instruction(void* context) {
  const auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(machine.pc);
#else
  (void)machine;
  return nullptr;
#endif
}

void watch_faults() {
  static std::once_flag once;
  std::call_once(once, [] {
    void* first = nullptr;
    (void)backtrace(&first, 1);  // loads what it needs, which a handler must not
    struct sigaction action {};
    action.sa_sigaction = handle;
    // SA_NODEFER: where the launch ends the handler is left for good, and the signal must not stay
    // blocked.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (std::size_t i = 0; i < kSignals.size(); ++i)
      sigaction(kSignals[i], &action, &previous_actions[i]);
  });
  thread_local HandlerStack stack;
}

}  // namespace simt

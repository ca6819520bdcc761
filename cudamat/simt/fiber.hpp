// Stacks to change between. For the execution's own files.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <utility>

#include "cudamat/simt/memory.hpp"

#ifdef SIMT_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace simt {

/// A stack of its own, or (main) that of the thread that runs. Not moved while others know it.
class Fiber {
 public:
  using Body = void (*)(Fiber& self);

  Fiber() = default;          ///< the thread's own stack
  explicit Fiber(Body body);  ///< `body` runs at the first jump here, and must not return
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Leaves `from`, which runs, and continues `to`. Returns when somebody jumps back to `from`.
  static void jump(Fiber& from, Fiber& to);

  /// Whether the address is in the page without access below the stack.
  [[nodiscard]] bool overflows_at(const void* address) const;
  /// [begin, end) of a stack of its own.
  [[nodiscard]] std::pair<const void*, const void*> extent() const {
    return {stack_, static_cast<const std::byte*>(stack_) + size_};
  }

 private:
  Body body_ = nullptr;
  void* context_ = nullptr;  ///< where it continues; while it does not run
  std::byte* mapping_ = nullptr;
  const void* stack_ = nullptr;  ///< its lowest byte, for AddressSanitizer
  std::size_t size_ = 0;
  void* fake_stack_ = nullptr;  ///< AddressSanitizer's

  friend struct FiberEntry;
};

// Inline, as are its callers: each return after a jump is predicted wrongly.
inline void Fiber::jump(Fiber& from, Fiber& to) {
  Fiber* both[2] = {&from, &to};
#ifdef SIMT_ASAN
  __sanitizer_start_switch_fiber(&from.fake_stack_, to.stack_, to.size_);
#endif
  const boost::context::detail::transfer_t back =
      boost::context::detail::jump_fcontext(to.context_, both);
#ifdef SIMT_ASAN
  __sanitizer_finish_switch_fiber(from.fake_stack_, nullptr, nullptr);
#endif
  (*static_cast<Fiber**>(back.data))->context_ = back.fctx;
}

}  // namespace simt

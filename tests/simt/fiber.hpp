// Stacks to change between. For the execution's own files.
#pragma once

#include <cstddef>

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

 private:
  Body body_ = nullptr;
  void* context_ = nullptr;  ///< where it continues; while it does not run
  std::byte* mapping_ = nullptr;
  const void* stack_ = nullptr;  ///< its lowest byte, for AddressSanitizer
  std::size_t size_ = 0;
  void* fake_stack_ = nullptr;  ///< AddressSanitizer's

  friend struct FiberEntry;
};

}  // namespace simt

#include "rewriter/text/depth.hpp"

#include <algorithm>
#include <cstdint>
#include <pthread.h>

namespace rewriter {
namespace {

struct Stack {
  std::uintptr_t end = 0;  ///< its lowest address; 0: unknown
  std::size_t bytes = 0;
};

Stack stack_of_thread() {
  Stack stack;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return stack;
  void* end = nullptr;
  if (pthread_attr_getstack(&attributes, &end, &stack.bytes) == 0)
    stack.end = reinterpret_cast<std::uintptr_t>(end);
  (void)pthread_attr_destroy(&attributes);
  return stack;
}

}  // namespace

bool stack_is_short() {
  constexpr std::size_t kLeft = std::size_t{256} << 10;
  static thread_local const Stack stack = stack_of_thread();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return stack.end != 0 && here - stack.end < std::min(kLeft, stack.bytes / 2);
}

}  // namespace rewriter

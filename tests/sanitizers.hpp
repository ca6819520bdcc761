// Which sanitizers a test runs under: asked of the program, since the test may be compiled in a
// build without them.
#pragma once

extern "C" void __asan_init() __attribute__((weak));
extern "C" void __tsan_init() __attribute__((weak));

namespace tests {

inline bool under_address_sanitizer() {
  return __asan_init != nullptr;
}
inline bool under_thread_sanitizer() {
  return __tsan_init != nullptr;
}
inline bool under_sanitizers() {
  return under_address_sanitizer() || under_thread_sanitizer();
}

}  // namespace tests

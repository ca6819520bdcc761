#include "cudamat/simt/failure.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include "cudamat/simt/execute.hpp"
#include "cudamat/simt/order.hpp"

namespace simt {
namespace {

constinit thread_local const char* doing = nullptr;

}  // namespace

Doing::Doing(const char* name) : previous_(doing) {
  doing = name;
}

Doing::~Doing() {
  doing = previous_;
}

namespace {

/// "kernel map, block (0,0,0), thread (5,0,0), order shuffle:7".
int describe_place(char* text, std::size_t size) {
  const Running now = running();
  if (now.in_kernel) {
    int n = std::snprintf(text, size, "kernel %s, block (%u,%u,%u), thread (%u,%u,%u), order ",
                          doing == nullptr ? "?" : doing, now.block.x, now.block.y, now.block.z,
                          now.thread.x, now.thread.y, now.thread.z);
    n += write_order(text + n, size - static_cast<std::size_t>(n));
    return n;
  }
  return std::snprintf(text, size, "%s", doing == nullptr ? "code of the host" : doing);
}

}  // namespace

void fail(const char* format, ...) {
  char text[2000];
  if (is_watched()) {
    va_list args;
    va_start(args, format);
    std::vsnprintf(text, sizeof text, format, args);
    va_end(args);
    abandon(text);
  }
  constexpr std::size_t kSize = sizeof text - 1;
  int n = std::snprintf(text, kSize, "[simt] ");
  n += describe_place(text + n, kSize - static_cast<std::size_t>(n));
  n += std::snprintf(text + n, kSize - static_cast<std::size_t>(n), ": ");
  va_list args;
  va_start(args, format);
  n += std::vsnprintf(text + n, kSize - static_cast<std::size_t>(n), format, args);
  va_end(args);
  std::size_t length = static_cast<std::size_t>(n) < kSize ? static_cast<std::size_t>(n) : kSize;
  text[length++] = '\n';
  if (write(STDERR_FILENO, text, length) < 0) std::abort();
  std::abort();
}

}  // namespace simt

#if defined(__SANITIZE_ADDRESS__)
// AddressSanitizer calls this before its report: say where the kernel stands.
extern "C" void __asan_on_error() {
  const simt::Running now = simt::running();
  if (!now.in_kernel) return;
  char text[500];
  const int n = simt::describe_place(text, sizeof text);
  std::fprintf(stderr, "[simt] %.*s: AddressSanitizer found an error\n", n, text);
}
#endif

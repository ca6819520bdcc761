#include "tools/memory.hpp"

#include <fmt/format.h>
#include <fstream>
#include <limits>

#include "cudamat/error.hpp"

namespace tools {

std::int64_t memory_available() {
  std::ifstream meminfo("/proc/meminfo");
  std::int64_t available = 0;
  std::int64_t swap = 0;
  std::string key;
  std::int64_t kib = 0;
  std::string rest;
  while (meminfo >> key >> kib && std::getline(meminfo, rest)) {
    if (key == "MemAvailable:") available = kib * 1024;
    if (key == "SwapFree:") swap = kib * 1024;
  }
  return available > 0 ? available + swap : std::numeric_limits<std::int64_t>::max();
}

void require_memory(const std::string& what, double bytes) {
  const auto available = static_cast<double>(memory_available());
  if (bytes > available)
    throw cudamat::OutOfMemory(fmt::format(
        "out of memory: {} needs {:.0f} bytes, {:.0f} are available", what, bytes, available));
}

}  // namespace tools

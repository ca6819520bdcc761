// The engine's name, its memory and its streams of random numbers.
#include <cstdlib>
#include <limits>
#include <new>
#include <sys/sysinfo.h>

#include "cudamat/error.hpp"
#include "npmat/engine.hpp"

namespace npmat {
namespace {

constexpr std::size_t kAlignment = 64;

/// Physical memory and swap, in bytes: more than this can never be used, though Linux would promise
/// it.
std::uint64_t memory_of_machine() {
  static const std::uint64_t bytes = [] {
    struct sysinfo info {};
    if (sysinfo(&info) != 0) return std::numeric_limits<std::uint64_t>::max();
    return (std::uint64_t(info.totalram) + info.totalswap) * info.mem_unit;
  }();
  return bytes;
}

}  // namespace

template <>
const char* Engine<float>::name() {
  return "npmat float32";
}
template <>
const char* Engine<double>::name() {
  return "npmat float64";
}
template <>
const char* Engine<long double>::name() {
  return "npmat longdouble";
}

template <class T>
T* Engine<T>::allocate(Index n) {
  constexpr auto kMost = std::numeric_limits<Index>::max() / Index(sizeof(T));
  if (n < 0 || n > kMost)
    throw cudamat::OutOfMemory(
        fmt::format("[empty] cannot allocate {} numbers of {} bytes", n, sizeof(T)));
  const auto bytes = std::uint64_t(n) * sizeof(T);
  if (bytes > memory_of_machine())
    throw cudamat::OutOfMemory(fmt::format("[empty] cannot allocate {} bytes (the machine has {})",
                                           bytes, memory_of_machine()));
  const auto rounded =
      (std::max<std::uint64_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  void* const data = std::aligned_alloc(kAlignment, rounded);
  if (data == nullptr)
    throw cudamat::OutOfMemory(
        fmt::format("[empty] cannot allocate {} bytes (the system refused)", bytes));
  return static_cast<T*>(data);
}

template <class T>
void Engine<T>::deallocate(T* data, Index) noexcept {
  std::free(data);
}

#define INSTANTIATE(T)                    \
  template T* Engine<T>::allocate(Index); \
  template void Engine<T>::deallocate(T*, Index) noexcept;
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(long double)
#undef INSTANTIATE

}  // namespace npmat

// The engine's name and its streams of random numbers.
#include "npmat/engine.hpp"

#include <mutex>

#include "npmat/random_stream.hpp"

namespace npmat {
namespace {

/// The stream of a value type. Threads that draw from it take turns.
template <class T>
struct Stream {
  std::mutex mutex;
  Generator generator{0};

  static Stream& get() {
    static Stream stream;
    return stream;
  }
};

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
void Engine<T>::seed(std::uint64_t seed) {
  auto& stream = Stream<T>::get();
  const std::lock_guard lock(stream.mutex);
  stream.generator.seed(seed);
}

template <class T>
void Engine<T>::uniform(T* target, Index n) {
  auto& stream = Stream<T>::get();
  const std::lock_guard lock(stream.mutex);
  stream.generator.uniform(target, n);
}

template <class T>
void Engine<T>::normal(T* target, Index n) {
  auto& stream = Stream<T>::get();
  const std::lock_guard lock(stream.mutex);
  stream.generator.normal(target, n);
}

template <class T>
Generator draw_later(Index n) {
  auto& stream = Stream<T>::get();
  const std::lock_guard lock(stream.mutex);
  Generator before = stream.generator;
  stream.generator.template skip<T>(n);
  return before;
}

#define INSTANTIATE(T)                          \
  template Generator draw_later<T>(Index);      \
  template void Engine<T>::seed(std::uint64_t); \
  template void Engine<T>::uniform(T*, Index);  \
  template void Engine<T>::normal(T*, Index);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(long double)
#undef INSTANTIATE

}  // namespace npmat

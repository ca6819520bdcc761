// The streams of random numbers of a context.
#include "cudamat/cuda/random.hpp"

#include <atomic>
#include <utility>

#include "cudamat/cuda/context.hpp"
#include "cudamat/cuda/device.hpp"
#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/recording.hpp"

namespace cudamat::cuda {
namespace {

std::atomic<bool> use_curand = false;

RandomStream& stream_of(State& current, float /*type*/) {
  return current.random_float;
}
RandomStream& stream_of(State& current, double /*type*/) {
  return current.random_double;
}

template <class T>
void draw(Distribution which, T* target, Index n) {
  if (n == 0) return;
  if (!use_curand) return draw_at(draw_later<T>(n), which, target, n);
  State& current = state();
  not_recorded(current, "random numbers of cuRAND");
  const std::lock_guard lock(current.mutex);
  draw_by_curand(current, stream_of(current, T()), which, target, n);
}

}  // namespace

void draw_with_curand(bool on) {
  use_curand = on;
}

bool draws_with_curand() {
  return use_curand;
}

template <class T>
void Engine<T>::seed(std::uint64_t seed) {
  State& current = known_state();
  not_recorded(current, "init_random");
  const std::lock_guard lock(current.mutex);
  RandomStream& random = stream_of(current, T());
  random.seed = seed;
  random.position = 0;
  random.generator_at = RandomStream::kUnknown;
}

template <class T>
Drawn take_from(State& context, std::uint64_t n) {
  const std::lock_guard lock(context.mutex);
  RandomStream& random = stream_of(context, T());
  return {random.seed, std::exchange(random.position, random.position + n), nullptr};
}

template <class T>
Drawn draw_later(Index n) {
  State& current = known_state();
  if (current.recording != nullptr)
    return current.recording->draws<T>().later(*current.recording, std::uint64_t(n));
  return take_from<T>(current, std::uint64_t(n));
}

template <class T>
void Engine<T>::uniform(T* target, Index n) {
  draw(Distribution::Uniform, target, n);
}

template <class T>
void Engine<T>::normal(T* target, Index n) {
  draw(Distribution::Normal, target, n);
}

#define INSTANTIATE(T)                          \
  template void Engine<T>::seed(std::uint64_t); \
  template void Engine<T>::uniform(T*, Index);  \
  template void Engine<T>::normal(T*, Index);   \
  template Drawn draw_later<T>(Index);          \
  template Drawn take_from<T>(State&, std::uint64_t);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace cudamat::cuda

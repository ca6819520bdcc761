// Random numbers by cuRAND's own generators: its Philox4x32-10 in legacy ordering, the stream that
// cudamat/philox.hpp describes.
//
// cuRAND draws normals in pairs: on a device it raises an error for an odd number of them, and its
// behaviour from the middle of a pair is not documented. Such draws, and those to an address that
// is not 16-byte aligned, are made of a larger one: the generator goes back to the beginning of the
// pair, draws whole pairs into a workspace, and what was asked for is copied from there. So the
// stream does not depend on how it is cut into calls.
#include <cstdint>
#include <utility>

#include "cudamat/cuda/context.hpp"
#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/memory.hpp"
#include "cudamat/cuda/random.hpp"
#include "cudamat/philox.hpp"

namespace cudamat::cuda {
namespace {

curandStatus_t draw_uniform(curandGenerator_t generator, float* out, std::size_t n) {
  return curandGenerateUniform(generator, out, n);
}
curandStatus_t draw_uniform(curandGenerator_t generator, double* out, std::size_t n) {
  return curandGenerateUniformDouble(generator, out, n);
}
curandStatus_t draw_normal(curandGenerator_t generator, float* out, std::size_t n) {
  return curandGenerateNormal(generator, out, n, 0, 1);
}
curandStatus_t draw_normal(curandGenerator_t generator, double* out, std::size_t n) {
  return curandGenerateNormalDouble(generator, out, n, 0, 1);
}

void make_generator(RandomStream& random, State& current) {
  if (random.generator != nullptr) return;
  curandGenerator_t generator = nullptr;
  CUDAMAT_CUDA(create_handle(
      current, [&] { return curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10); }));
  curandStatus_t status = curandSetStream(generator, current.stream);
  if (status == CURAND_STATUS_SUCCESS)
    status = curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_LEGACY);
  if (status != CURAND_STATUS_SUCCESS) (void)curandDestroyGenerator(generator);
  CUDAMAT_CUDA(status);
  random.generator = generator;
}

template <class T>
class Drawing {
 public:
  Drawing(State& current, RandomStream& random) : random_(random) {
    make_generator(random_, current);
  }

  void uniform(T* out, Index n) {
    const auto count = static_cast<std::uint64_t>(n);
    if (aligned(out)) {
      seek(random_.position);
      generate(draw_uniform, out, count);
    } else {
      by_workspace(draw_uniform, random_.position, count, out, n);
    }
    random_.position += count;
  }

  void normal(T* out, Index n) {
    const auto count = static_cast<std::uint64_t>(n);
    const std::uint64_t begin = random_.position / 2 * 2;
    const std::uint64_t end = (random_.position + count + 1) / 2 * 2;
    if (aligned(out) && begin == random_.position && end == begin + count) {
      seek(begin);
      generate(draw_normal, out, count);
    } else {
      by_workspace(draw_normal, begin, end - begin, out, n);
    }
    random_.position += count;
  }

 private:
  using Draw = curandStatus_t (*)(curandGenerator_t, T*, std::size_t);

  static bool aligned(const T* out) { return reinterpret_cast<std::uintptr_t>(out) % 16 == 0; }

  void generate(Draw draw, T* out, std::uint64_t count) {
    const std::uint64_t at = std::exchange(random_.generator_at, RandomStream::kUnknown);
    CUDAMAT_CUDA(draw(random_.generator, out, count));
    random_.generator_at = at + count;
  }

  /// `count` values from position `from` on, of which those from the stream's position on are kept.
  void by_workspace(Draw draw, std::uint64_t from, std::uint64_t count, T* out, Index n) {
    const Workspace<T> values(static_cast<Index>(count));
    seek(from);
    generate(draw, values.data(), count);
    Engine<T>::copy(values.data() + (random_.position - from), out, n);
  }

  /// Moves the generator. Its offset counts floats: a round of doubles takes twice as many, and a
  /// position inside a round of doubles is reached by drawing what lies before it.
  void seek(std::uint64_t position) {
    if (random_.generator_at == position) return;
    constexpr bool kDouble = sizeof(T) == sizeof(double);
    const std::uint64_t round = kDouble ? position / kPhiloxRound * kPhiloxRound : position;
    random_.generator_at = RandomStream::kUnknown;
    CUDAMAT_CUDA(curandSetPseudoRandomGeneratorSeed(random_.generator, random_.seed));
    CUDAMAT_CUDA(curandSetGeneratorOffset(random_.generator, kDouble ? 2 * round : round));
    random_.generator_at = round;
    if (round == position) return;
    const Workspace<T> passed(static_cast<Index>(position - round));
    generate(draw_uniform, passed.data(), position - round);
  }

  RandomStream& random_;
};

}  // namespace

template <class T>
void draw_by_curand(State& current, RandomStream& random, Distribution which, T* target, Index n) {
  Drawing<T> drawing(current, random);
  which == Distribution::Uniform ? drawing.uniform(target, n) : drawing.normal(target, n);
}

template void draw_by_curand(State&, RandomStream&, Distribution, float*, Index);
template void draw_by_curand(State&, RandomStream&, Distribution, double*, Index);

}  // namespace cudamat::cuda

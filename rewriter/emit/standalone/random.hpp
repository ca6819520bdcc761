// Random numbers of printed C++ programs: the stream of npmat and cuRAND (cudamat/philox.hpp).
#pragma once

#include <cstdint>
#include <type_traits>

#include "cudamat/box_muller.hpp"
#include "cudamat/philox.hpp"
#include "rewriter/emit/standalone/matrix.hpp"
#include "rewriter/emit/standalone/stream.hpp"

namespace cudamat {

/// What is drawn: numbers of float or double.
using Draw = std::conditional_t<std::is_same_v<T, float>, float, double>;

/// draw(seed, position, value) gives the number at each position of the target.
template <class F>
void fill(Stream& stream, Matrix target, const F& draw) {
#pragma omp parallel for if (target.size() > 65536)
  for (Index k = 0; k < target.size(); ++k) {
    Draw value[1];
    draw(stream.seed, stream.position + static_cast<std::uint64_t>(k), value);
    target[k] = value[0];
  }
  stream.position += static_cast<std::uint64_t>(target.size());
}

/// Uniform in (0, 1].
inline void fill_with_rand(Stream& stream, Matrix target) {
  fill(stream, target, [](std::uint64_t seed, std::uint64_t at, Draw(&value)[1]) {
    philox_uniforms(seed, at, value);
  });
}

/// Standard normal.
inline void fill_with_randn(Stream& stream, Matrix target) {
  fill(stream, target, [](std::uint64_t seed, std::uint64_t at, Draw(&value)[1]) {
    philox_normals(seed, at, value);
  });
}

}  // namespace cudamat

// Random numbers of printed CUDA programs: cuRAND's stream (cudamat/philox.hpp).
#pragma once

#include <cstdint>

#include "cudamat/box_muller.hpp"
#include "cudamat/philox.hpp"
#include "rewriter/emit/standalone/cuda/arrays.cuh"
#include "rewriter/emit/standalone/stream.hpp"

namespace cudamat {

struct Uniforms {
  __device__ T operator()(Stream place, Index k) const {
    T value[1];
    philox_uniforms(place.seed, place.position + std::uint64_t(k), value);
    return value[0];
  }
};
struct Normals {
  __device__ T operator()(Stream place, Index k) const {
    T value[1];
    philox_normals(place.seed, place.position + std::uint64_t(k), value);
    return value[0];
  }
};

template <class Draw>
__global__ void draw_kernel(Draw draw, Stream place, Matrix target) {
  for (Index k = first_item(); k < target.size(); k += stride()) target[k] = draw(place, k);
}

/// Uniform in (0, 1].
inline void fill_with_rand(Stream& stream, Matrix target) {
  launch(draw_kernel<Uniforms>, target.size(), Uniforms{}, stream, target);
  stream.position += std::uint64_t(target.size());
}

/// Standard normal.
inline void fill_with_randn(Stream& stream, Matrix target) {
  launch(draw_kernel<Normals>, target.size(), Normals{}, stream, target);
  stream.position += std::uint64_t(target.size());
}

}  // namespace cudamat

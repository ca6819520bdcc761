// What the engine's calls of cuSOLVER (cuda/solver.cpp) need in printed CUDA programs.
#pragma once

#include <cusolverDn.h>
#include <utility>

#include "cudamat/engine.hpp"
#include "rewriter/emit/standalone/cuda/product.cuh"

namespace cudamat::cuda {

struct Cusolver {
  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t params = nullptr;
};

/// The one of the program, on its stream.
inline const Cusolver& cusolver_handle() {
  static const Cusolver the_one = [] {
    Cusolver made;
    CUDAMAT_CUDA(cusolverDnCreate(&made.handle));
    CUDAMAT_CUDA(cusolverDnSetStream(made.handle, state().stream));
    CUDAMAT_CUDA(cusolverDnCreateParams(&made.params));
    return made;
  }();
  return the_one;
}

inline void gemm(const GemmCall<T>& call) {
  const auto operand = [](const T* data, bool transposed, Index rows, Index cols) {
    if (transposed) std::swap(rows, cols);
    return Operand{Matrix{const_cast<T*>(data), rows, cols}, transposed};
  };
  dot(operand(call.a, call.trans_a, call.m, call.k), operand(call.b, call.trans_b, call.k, call.n),
      {call.c, call.m, call.n}, call.alpha, call.beta);
}

}  // namespace cudamat::cuda

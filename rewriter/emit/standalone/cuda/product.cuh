// Products of printed CUDA programs, by cuBLAS: float in float.
#pragma once

#include <cublas_v2.h>
#include <type_traits>

#include "rewriter/emit/standalone/cuda/arrays.cuh"
#include "rewriter/emit/standalone/operand.hpp"

namespace cudamat {

inline cublasHandle_t cublas_handle() {
  static const cublasHandle_t handle = [] {
    cublasHandle_t made = nullptr;
    CUDAMAT_CUDA(cublasCreate(&made));
    CUDAMAT_CUDA(cublasSetStream(made, cuda::state().stream));
    return made;
  }();
  return handle;
}

__global__ void scale_kernel(Matrix c, T beta) {
  for (Index k = first_item(); k < c.size(); k += stride())
    c[k] = beta == T(0) ? T(0) : beta * c[k];
}

/// cuBLAS's product of T.
inline auto gemm() {
  if constexpr (std::is_same_v<T, float>)
    return cublasSgemm_64;
  else
    return cublasDgemm_64;
}

/// c = alpha * a b + beta * c; with a beta of 0, c is not read.
inline void dot(const Operand& a, const Operand& b, Matrix c, T alpha = 1, T beta = 0) {
  const Index k = a.cols();
  if (k == 0) launch(scale_kernel, c.size(), c, beta);
  if (k == 0 || c.size() == 0) return;
  const auto flag = [](const Operand& x) { return x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
  CUDAMAT_CUDA(gemm()(cublas_handle(), flag(a), flag(b), c.rows, c.cols, k, &alpha, a.matrix.data,
                      a.matrix.rows, b.matrix.data, b.matrix.rows, &beta, c.data, c.rows));
}

}  // namespace cudamat

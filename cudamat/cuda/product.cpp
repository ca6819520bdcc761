// Matrix products: cuBLAS and cuBLASLt (product_tuning.hpp), float32 in IEEE float32 unless
// set_tf32 says otherwise. Long sums with a vector: product_vector.cu.
#include <algorithm>

#include "cudamat/cuda/context.hpp"
#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/product_tuning.hpp"
#include "cudamat/cuda/product_vector.hpp"

namespace cudamat::cuda {
namespace {

constexpr Index kShortSum = 128;  ///< of products, added up one after the other

cublasStatus_t gemm_64(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                       const GemmCall<float>& call, Index lda, Index ldb) {
  return cublasSgemm_64(handle, op_a, op_b, call.m, call.n, call.k, &call.alpha, call.a, lda,
                        call.b, ldb, &call.beta, call.c, call.m);
}

cublasStatus_t gemm_64(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                       const GemmCall<double>& call, Index lda, Index ldb) {
  return cublasDgemm_64(handle, op_a, op_b, call.m, call.n, call.k, &call.alpha, call.a, lda,
                        call.b, ldb, &call.beta, call.c, call.m);
}

/// c = beta * c, which a 0 clears.
template <class T>
void scale(T beta, T* c, Index n) {
  if (beta == T(0)) return Engine<T>::fill(c, n, T(0));
  if (beta != T(1)) Engine<T>::map({Op::mult, n, 1, c, Second::Scalar, nullptr, beta, T(1), c});
}

}  // namespace

template <class T>
void Engine<T>::gemm(const GemmCall<T>& call) {
  if (call.m == 0 || call.n == 0) return;
  if (call.k == 0) return scale(call.beta, call.c, call.m * call.n);
  // Short sums are as accurate in cuBLAS as in pairs.
  if ((call.m == 1 || call.n == 1) && call.k > kShortSum) return vector_product(call);
  State& current = state();
  const std::lock_guard lock(current.mutex);
  const auto op = [](bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
  const cublasHandle_t handle = current.cublas_handle();
  const Index lda = call.trans_a ? call.k : call.m;
  const Index ldb = call.trans_b ? call.n : call.k;
  const auto by_cublas = [&](const GemmCall<T>& product) {
    return gemm_64(handle, op(call.trans_a), op(call.trans_b), product, lda, ldb);
  };
  if (!tuned_product<T>(current, call, lda, ldb, by_cublas)) CUDAMAT_CUDA(by_cublas(call));
}

template void Engine<float>::gemm(const GemmCall<float>&);
template void Engine<double>::gemm(const GemmCall<double>&);

}  // namespace cudamat::cuda

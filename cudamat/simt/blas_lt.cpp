// cuBLASLt's products.
#include <cublasLt.h>

#include "cudamat/simt/product.hpp"

struct cublasLtMatmulDesc {
  cublasComputeType_t compute;
  bool a_transposed = false;
  bool b_transposed = false;
};
struct cublasLtMatrixLayout {
  cudaDataType type;
  std::int64_t rows, cols, ld;
};
struct cublasLtMatmulPreference {
  std::uint64_t workspace = 0;
  std::uint32_t alignment = 256;  ///< the least of all operands
};

namespace simt {
namespace {

enum Algorithm : std::uint64_t { kUsual, kInParts, kNever, kAlgorithms };
constexpr std::size_t kNeeded[] = {0, 4096, 0};  ///< workspace
constexpr std::uint64_t kMark = 0x10ca1;         ///< in an algorithm that cuBLASLt made

/// Sums of every fourth product, rounded at each step, and their sum.
template <class T>
void multiply_in_parts(const Product<T>& p) {
  spend(p.multiplications() / 2);
  const auto m = static_cast<std::size_t>(p.m),
             k = static_cast<std::size_t>(p.alpha == 0 ? 0 : p.k);
  std::vector<T> rows(m * k), column(k);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t l = 0; l < k; ++l)
      rows[i * k + l] = p.a_at(static_cast<std::int64_t>(i), static_cast<std::int64_t>(l));
  for (std::int64_t j = 0; j < p.n; ++j) {
    for (std::size_t l = 0; l < k; ++l) column[l] = p.b_at(static_cast<std::int64_t>(l), j);
    for (std::size_t i = 0; i < m; ++i) {
      const T* const row = rows.data() + i * k;
      T sums[4] = {};
      for (std::size_t l = 0; l < k; ++l) sums[l % 4] += row[l] * column[l];
      p.store(static_cast<std::int64_t>(i), j, (sums[0] + sums[1]) + (sums[2] + sums[3]));
    }
  }
}

template <class T>
void multiply_usually(const Product<T>& p) {
  spend(p.multiplications());
  multiply(p);
}

/// What can be said before anything is computed.
cublasStatus_t check(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                     cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                     cublasLtMatrixLayout_t d) {
  if (!cublas_handles().has(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  const cudaDataType type = product->compute == CUBLAS_COMPUTE_64F ? CUDA_R_64F : CUDA_R_32F;
  for (const cublasLtMatrixLayout_t layout : {a, b, c, d})
    if (layout->type != type || layout->ld < layout->rows) return CUBLAS_STATUS_INVALID_VALUE;
  const auto [m, k] =
      product->a_transposed ? std::pair(a->cols, a->rows) : std::pair(a->rows, a->cols);
  const auto [kb, n] =
      product->b_transposed ? std::pair(b->cols, b->rows) : std::pair(b->rows, b->cols);
  const bool fits = k == kb && m == c->rows && n == c->cols && m == d->rows && n == d->cols;
  return fits ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

template <class T>
cublasStatus_t compute(const Stream& stream, cublasLtMatmulDesc_t product, const void* alpha,
                       const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                       cublasLtMatrixLayout_t b_layout, const void* beta, void* c,
                       cublasLtMatrixLayout_t c_layout, std::uint64_t algorithm, void* workspace,
                       std::size_t bytes) {
  const Product<T> p{.m = c_layout->rows,
                     .n = c_layout->cols,
                     .k = product->a_transposed ? a_layout->rows : a_layout->cols,
                     .alpha = *static_cast<const T*>(alpha),
                     .beta = *static_cast<const T*>(beta),
                     .a = static_cast<const T*>(a),
                     .lda = a_layout->ld,
                     .a_transposed = product->a_transposed,
                     .b = static_cast<const T*>(b),
                     .ldb = b_layout->ld,
                     .b_transposed = product->b_transposed,
                     .c = static_cast<T*>(c),
                     .ldc = c_layout->ld,
                     .tf32 = product->compute == CUBLAS_COMPUTE_32F_FAST_TF32};
  submit(stream, "cublasLtMatmul", p, static_cast<std::byte*>(workspace), bytes,
         algorithm == kInParts ? multiply_in_parts<T> : multiply_usually<T>);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t begun(const char* call) {
  return status_of(begin(call), CUBLAS_STATUS_INTERNAL_ERROR);
}

}  // namespace
}  // namespace simt

using simt::begun;

std::size_t cublasLtGetVersion() {
  return 130000;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* product, cublasComputeType_t compute,
                                        cudaDataType scale) {
  if (const cublasStatus_t status = begun("cublasLtMatmulDescCreate")) return status;
  if ((compute == CUBLAS_COMPUTE_64F) != (scale == CUDA_R_64F)) return CUBLAS_STATUS_INVALID_VALUE;
  *product = new cublasLtMatmulDesc{compute};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t product) {
  delete product;
  return begun("cublasLtMatmulDescDestroy");
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product,
                                              cublasLtMatmulDescAttributes_t which,
                                              const void* value, std::size_t bytes) {
  if (const cublasStatus_t status = begun("cublasLtMatmulDescSetAttribute")) return status;
  if (bytes != sizeof(std::int32_t)) return CUBLAS_STATUS_INVALID_VALUE;
  const bool transposed = *static_cast<const std::int32_t*>(value) == CUBLAS_OP_T;
  (which == CUBLASLT_MATMUL_DESC_TRANSA ? product->a_transposed : product->b_transposed) =
      transposed;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          std::uint64_t rows, std::uint64_t cols, std::int64_t ld) {
  if (const cublasStatus_t status = begun("cublasLtMatrixLayoutCreate")) return status;
  *layout = new cublasLtMatrixLayout{type, static_cast<std::int64_t>(rows),
                                     static_cast<std::int64_t>(cols), ld};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return begun("cublasLtMatrixLayoutDestroy");
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  if (const cublasStatus_t status = begun("cublasLtMatmulPreferenceCreate")) return status;
  *preference = new cublasLtMatmulPreference;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return begun("cublasLtMatmulPreferenceDestroy");
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t which,
                                                    const void* value, std::size_t bytes) {
  if (const cublasStatus_t status = begun("cublasLtMatmulPreferenceSetAttribute")) return status;
  const bool is_workspace = which == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES;
  if (bytes != (is_workspace ? 8 : 4)) return CUBLAS_STATUS_INVALID_VALUE;
  if (is_workspace)
    preference->workspace = *static_cast<const std::uint64_t*>(value);
  else
    preference->alignment =
        std::min(preference->alignment, *static_cast<const std::uint32_t*>(value));
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t* results,
                                              int* count) {
  if (const cublasStatus_t status = begun("cublasLtMatmulAlgoGetHeuristic")) return status;
  if (const cublasStatus_t status = simt::check(handle, product, a, b, c, d)) return status;
  *count = 0;
  for (std::uint64_t i = 0; i < simt::kAlgorithms && *count < most; ++i)
    if (simt::kNeeded[i] <= preference->workspace &&
        (i != simt::kInParts || preference->alignment >= 16))
      results[(*count)++] = {.algo = {{i, simt::kMark}},
                             .workspaceSize = simt::kNeeded[i],
                             .state = CUBLAS_STATUS_SUCCESS,
                             .wavesCount = 1,
                             .reserved = {}};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                                       cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                       cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t* algorithm,
                                       cublasLtMatmulHeuristicResult_t* result) {
  if (const cublasStatus_t status = begun("cublasLtMatmulAlgoCheck")) return status;
  if (const cublasStatus_t status = simt::check(handle, product, a, b, c, d)) return status;
  const std::uint64_t which = algorithm->data[0];
  if (algorithm->data[1] != simt::kMark || which >= simt::kNever)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  *result = {.algo = *algorithm,
             .workspaceSize = simt::kNeeded[which],
             .state = CUBLAS_STATUS_SUCCESS,
             .wavesCount = 1,
             .reserved = {}};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                              const void* alpha, const void* a, cublasLtMatrixLayout_t a_layout,
                              const void* b, cublasLtMatrixLayout_t b_layout, const void* beta,
                              const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              std::size_t workspace_bytes, cudaStream_t stream) {
  if (const cublasStatus_t status =
          simt::status_of(simt::begin("cublasLtMatmul"), CUBLAS_STATUS_EXECUTION_FAILED))
    return status;
  if (const cublasStatus_t status =
          simt::check(handle, product, a_layout, b_layout, c_layout, d_layout))
    return status;
  const std::uint64_t which = algorithm->data[0];
  if (algorithm->data[1] != simt::kMark || which >= simt::kNever)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (c != d || workspace_bytes < simt::kNeeded[which] ||
      (workspace == nullptr && workspace_bytes > 0))
    return CUBLAS_STATUS_INVALID_VALUE;
  const simt::Stream found = simt::find_stream(stream);
  if (found == nullptr || found->device != simt::current_device())
    return CUBLAS_STATUS_EXECUTION_FAILED;
  return product->compute == CUBLAS_COMPUTE_64F
             ? simt::compute<double>(found, product, alpha, a, a_layout, b, b_layout, beta, d,
                                     d_layout, which, workspace, workspace_bytes)
             : simt::compute<float>(found, product, alpha, a, a_layout, b, b_layout, beta, d,
                                    d_layout, which, workspace, workspace_bytes);
}

// cuBLAS's products.
#include <cublas_v2.h>

#include "cudamat/simt/product.hpp"

namespace simt {
namespace {

template <class T>
cublasStatus_t gemm(const char* name, cublasHandle_t handle, cublasOperation_t transa,
                    cublasOperation_t transb, std::int64_t m, std::int64_t n, std::int64_t k,
                    const T* alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                    const T* beta, T* c, std::int64_t ldc) {
  if (const cudaError_t error = begin(name))
    return status_of(error, CUBLAS_STATUS_EXECUTION_FAILED);
  if (!cublas_handles().has(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  const bool plain_a = transa == CUBLAS_OP_N;
  const bool plain_b = transb == CUBLAS_OP_N;
  const std::int64_t one = 1;
  if (m < 0 || n < 0 || k < 0 || lda < std::max(one, plain_a ? m : k) ||
      ldb < std::max(one, plain_b ? k : n) || ldc < std::max(one, m) || alpha == nullptr ||
      beta == nullptr)
    return CUBLAS_STATUS_INVALID_VALUE;
  const Stream stream = find_stream(handle->stream);
  if (stream == nullptr || stream->device != handle->device || current_device() != handle->device)
    return CUBLAS_STATUS_EXECUTION_FAILED;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  submit(stream, name,
         Product<T>{.m = m,
                    .n = n,
                    .k = k,
                    .alpha = *alpha,
                    .beta = *beta,
                    .a = a,
                    .lda = lda,
                    .a_transposed = !plain_a,
                    .b = b,
                    .ldb = ldb,
                    .b_transposed = !plain_b,
                    .c = c,
                    .ldc = ldc,
                    .tf32 = handle->mode == CUBLAS_TF32_TENSOR_OP_MATH},
         handle->workspace, handle->workspace_bytes, multiply<T>);
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace
}  // namespace simt

using simt::begin;

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (const cudaError_t error = begin("cublasCreate"))
    return simt::status_of(error, CUBLAS_STATUS_ALLOC_FAILED);
  *handle = new cublasContext{.device = simt::current_device()};
  simt::cublas_handles().add(*handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  const cudaError_t error = begin("cublasDestroy");
  if (handle == nullptr || !simt::cublas_handles().remove(handle))
    return CUBLAS_STATUS_NOT_INITIALIZED;
  simt::host_waits_for_device(handle->device);  // it waits for the device
  delete handle;
  return simt::status_of(error, CUBLAS_STATUS_INTERNAL_ERROR);
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  if (const cudaError_t error = begin("cublasSetStream"))
    return simt::status_of(error, CUBLAS_STATUS_INTERNAL_ERROR);
  if (!simt::cublas_handles().has(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  handle->workspace = nullptr;  // cuBLAS's own again
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  if (const cudaError_t error = begin("cublasGetStream"))
    return simt::status_of(error, CUBLAS_STATUS_INTERNAL_ERROR);
  if (!simt::cublas_handles().has(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  *stream = handle->stream;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, std::size_t bytes) {
  if (const cudaError_t error = begin("cublasSetWorkspace"))
    return simt::status_of(error, CUBLAS_STATUS_INTERNAL_ERROR);
  if (!simt::cublas_handles().has(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (workspace == nullptr && bytes > 0) return CUBLAS_STATUS_INVALID_VALUE;
  const simt::Doing doing("cublasSetWorkspace");
  simt::check_device_range(workspace, bytes, "is given");
  handle->workspace = static_cast<std::byte*>(workspace);
  handle->workspace_bytes = bytes;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  if (const cudaError_t error = begin("cublasSetMathMode"))
    return simt::status_of(error, CUBLAS_STATUS_INTERNAL_ERROR);
  if (!simt::cublas_handles().has(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->mode = mode;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  if (const cudaError_t error = begin("cublasGetMathMode"))
    return simt::status_of(error, CUBLAS_STATUS_INTERNAL_ERROR);
  if (!simt::cublas_handles().has(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  *mode = handle->mode;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSgemm_64(cublasHandle_t handle, cublasOperation_t transa,
                              cublasOperation_t transb, std::int64_t m, std::int64_t n,
                              std::int64_t k, const float* alpha, const float* A, std::int64_t lda,
                              const float* B, std::int64_t ldb, const float* beta, float* C,
                              std::int64_t ldc) {
  return simt::gemm("cublasSgemm", handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C,
                    ldc);
}

cublasStatus_t cublasDgemm_64(cublasHandle_t handle, cublasOperation_t transa,
                              cublasOperation_t transb, std::int64_t m, std::int64_t n,
                              std::int64_t k, const double* alpha, const double* A,
                              std::int64_t lda, const double* B, std::int64_t ldb,
                              const double* beta, double* C, std::int64_t ldc) {
  return simt::gemm("cublasDgemm", handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C,
                    ldc);
}

const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case CUBLAS_STATUS_MAPPING_ERROR:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    case CUBLAS_STATUS_LICENSE_ERROR:
      return "CUBLAS_STATUS_LICENSE_ERROR";
    default:
      return "<unknown cuBLAS status>";
  }
}

const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "the library was not initialized";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "the resource allocation failed";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an invalid value was passed";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "the function failed to launch on the GPU";
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return "an internal operation failed";
    default:
      return "an error of another kind";
  }
}

// cuBLAS's products.
#include <bit>
#include <cublas_v2.h>
#include <vector>

#include "cudamat/simt/memory.hpp"
#include "cudamat/simt/runtime.hpp"

struct cublasContext {
  int device = 0;
  cudaStream_t stream = nullptr;
  cublasMath_t mode = CUBLAS_DEFAULT_MATH;
  std::byte* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

namespace simt {
namespace {

template <class T>
struct Product {
  std::int64_t m, n, k;
  T alpha, beta;
  const T* a;
  std::int64_t a_row, a_col;  ///< strides of op(A)
  const T* b;
  std::int64_t b_row, b_col;
  T* c;
  std::int64_t ldc;
  bool tf32;
};

/// Rounded to TF32: 10 bits of mantissa, to nearest, ties away from zero.
float rounded(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7f800000u) == 0x7f800000u) return x;
  return std::bit_cast<float>((bits + 0x1000u) & ~0x1fffu);
}
double rounded(double x) {
  return x;
}

template <class T>
void multiply(const Product<T>& p) {
  std::vector<T> row(static_cast<std::size_t>(p.k));
  const auto value = [&](T x) { return p.tf32 ? rounded(x) : x; };
  for (std::int64_t i = 0; i < p.m; ++i) {
    if (p.alpha != 0)
      for (std::int64_t l = 0; l < p.k; ++l)
        row[static_cast<std::size_t>(l)] = value(p.a[i * p.a_row + l * p.a_col]);
    for (std::int64_t j = 0; j < p.n; ++j) {
      long double sum = 0;
      if (p.alpha != 0)  // as BLAS has it: the operands are not read
        for (std::int64_t l = 0; l < p.k; ++l)
          sum += static_cast<long double>(row[static_cast<std::size_t>(l)]) *
                 value(p.b[l * p.b_row + j * p.b_col]);
      T& c = p.c[i + j * p.ldc];
      const long double before = p.beta == 0 ? 0 : static_cast<long double>(p.beta) * c;
      c = static_cast<T>(p.alpha * sum + before);
    }
  }
}

/// What cuBLAS may leave in the workspace that it was given.
void scribble(std::byte* workspace, std::size_t bytes) {
  constexpr std::size_t kEnds = 64;
  if (workspace == nullptr || bytes < kEnds) return;
  for (std::size_t i = 0; i < kEnds; ++i) workspace[i] = workspace[bytes - 1 - i] = std::byte{0xEE};
}

std::size_t extent(std::int64_t rows, std::int64_t cols, std::int64_t ld, std::size_t size) {
  return rows == 0 || cols == 0 ? 0 : static_cast<std::size_t>((cols - 1) * ld + rows) * size;
}

cublasStatus_t status_of(cudaError_t error, cublasStatus_t fault) {
  if (error == cudaSuccess) return CUBLAS_STATUS_SUCCESS;
  return error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver
             ? CUBLAS_STATUS_NOT_INITIALIZED
             : fault;
}

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
  const Product<T> product{.m = m,
                           .n = n,
                           .k = k,
                           .alpha = *alpha,
                           .beta = *beta,
                           .a = a,
                           .a_row = plain_a ? 1 : lda,
                           .a_col = plain_a ? lda : 1,
                           .b = b,
                           .b_row = plain_b ? 1 : ldb,
                           .b_col = plain_b ? ldb : 1,
                           .c = c,
                           .ldc = ldc,
                           .tf32 = handle->mode == CUBLAS_TF32_TENSOR_OP_MATH};
  const std::size_t a_bytes = extent(plain_a ? m : k, plain_a ? k : m, lda, sizeof(T));
  const std::size_t b_bytes = extent(plain_b ? k : n, plain_b ? n : k, ldb, sizeof(T));
  const std::size_t c_bytes = extent(m, n, ldc, sizeof(T));
  std::vector<Use> uses{{c, Access::kWrite}, {handle->workspace, Access::kWrite}};
  if (product.alpha != 0) uses.insert(uses.end(), {{a, Access::kRead}, {b, Access::kRead}});
  submit(stream, name, uses, [=, workspace = handle->workspace, bytes = handle->workspace_bytes] {
    if (product.alpha != 0) {
      check_device_range(a, a_bytes, "reads");
      check_device_range(b, b_bytes, "reads");
    }
    check_device_range(c, c_bytes, "writes");
    scribble(workspace, bytes);
    multiply(product);
  });
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

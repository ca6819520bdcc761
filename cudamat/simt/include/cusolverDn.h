// Stands in for cuSOLVER's header of this name: the part that the project uses, with CUDA 13's
// names and signatures. LAPACK computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cublas_v2.h>

enum cusolverStatus_t {
  CUSOLVER_STATUS_SUCCESS = 0,
  CUSOLVER_STATUS_NOT_INITIALIZED = 1,
  CUSOLVER_STATUS_ALLOC_FAILED = 2,
  CUSOLVER_STATUS_INVALID_VALUE = 3,
  CUSOLVER_STATUS_ARCH_MISMATCH = 4,
  CUSOLVER_STATUS_EXECUTION_FAILED = 6,
  CUSOLVER_STATUS_INTERNAL_ERROR = 7,
  CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
  CUSOLVER_STATUS_NOT_SUPPORTED = 9,
  CUSOLVER_STATUS_INVALID_WORKSPACE = 31
};
enum cusolverEigMode_t { CUSOLVER_EIG_MODE_NOVECTOR = 0, CUSOLVER_EIG_MODE_VECTOR = 1 };
using cusolverDnHandle_t = struct cusolverDnContext*;
using cusolverDnParams_t = struct cusolverDnParams*;

extern "C" {

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params);
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params);

cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             std::int64_t m, std::int64_t n, cudaDataType type_a,
                                             const void* A, std::int64_t lda, cudaDataType compute,
                                             std::size_t* device_bytes, std::size_t* host_bytes);
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  std::int64_t m, std::int64_t n, cudaDataType type_a, void* A,
                                  std::int64_t lda, std::int64_t* ipiv, cudaDataType compute,
                                  void* device_buffer, std::size_t device_bytes, void* host_buffer,
                                  std::size_t host_bytes, int* info);
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasOperation_t trans, std::int64_t n, std::int64_t nrhs,
                                  cudaDataType type_a, const void* A, std::int64_t lda,
                                  const std::int64_t* ipiv, cudaDataType type_b, void* B,
                                  std::int64_t ldb, int* info);
cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cublasFillMode_t uplo, std::int64_t n,
                                             cudaDataType type_a, const void* A, std::int64_t lda,
                                             cudaDataType compute, std::size_t* device_bytes,
                                             std::size_t* host_bytes);
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasFillMode_t uplo, std::int64_t n, cudaDataType type_a,
                                  void* A, std::int64_t lda, cudaDataType compute,
                                  void* device_buffer, std::size_t device_bytes, void* host_buffer,
                                  std::size_t host_bytes, int* info);
cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             std::int64_t m, std::int64_t n, cudaDataType type_a,
                                             const void* A, std::int64_t lda, cudaDataType type_tau,
                                             const void* tau, cudaDataType compute,
                                             std::size_t* device_bytes, std::size_t* host_bytes);
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  std::int64_t m, std::int64_t n, cudaDataType type_a, void* A,
                                  std::int64_t lda, cudaDataType type_tau, void* tau,
                                  cudaDataType compute, void* device_buffer,
                                  std::size_t device_bytes, void* host_buffer,
                                  std::size_t host_bytes, int* info);
cusolverStatus_t cusolverDnSorgqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int k,
                                             const float* A, int lda, const float* tau, int* lwork);
cusolverStatus_t cusolverDnDorgqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int k,
                                             const double* A, int lda, const double* tau,
                                             int* lwork);
cusolverStatus_t cusolverDnSorgqr(cusolverDnHandle_t handle, int m, int n, int k, float* A, int lda,
                                  const float* tau, float* work, int lwork, int* info);
cusolverStatus_t cusolverDnDorgqr(cusolverDnHandle_t handle, int m, int n, int k, double* A,
                                  int lda, const double* tau, double* work, int lwork, int* info);
cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cusolverEigMode_t jobz, cublasFillMode_t uplo,
                                             std::int64_t n, cudaDataType type_a, const void* A,
                                             std::int64_t lda, cudaDataType type_w, const void* W,
                                             cudaDataType compute, std::size_t* device_bytes,
                                             std::size_t* host_bytes);
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cusolverEigMode_t jobz, cublasFillMode_t uplo, std::int64_t n,
                                  cudaDataType type_a, void* A, std::int64_t lda,
                                  cudaDataType type_w, void* W, cudaDataType compute,
                                  void* device_buffer, std::size_t device_bytes, void* host_buffer,
                                  std::size_t host_bytes, int* info);
cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             signed char jobu, signed char jobvt, std::int64_t m,
                                             std::int64_t n, cudaDataType type_a, const void* A,
                                             std::int64_t lda, cudaDataType type_s, const void* S,
                                             cudaDataType type_u, const void* U, std::int64_t ldu,
                                             cudaDataType type_vt, const void* VT,
                                             std::int64_t ldvt, cudaDataType compute,
                                             std::size_t* device_bytes, std::size_t* host_bytes);
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  signed char jobu, signed char jobvt, std::int64_t m,
                                  std::int64_t n, cudaDataType type_a, void* A, std::int64_t lda,
                                  cudaDataType type_s, void* S, cudaDataType type_u, void* U,
                                  std::int64_t ldu, cudaDataType type_vt, void* VT,
                                  std::int64_t ldvt, cudaDataType compute, void* device_buffer,
                                  std::size_t device_bytes, void* host_buffer,
                                  std::size_t host_bytes, int* info);

}  // extern "C"

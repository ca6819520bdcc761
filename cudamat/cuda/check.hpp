// Statuses of CUDA, cuBLAS, cuSOLVER and cuRAND as exceptions that name the failing expression and
// its place.
//
//   CUDAMAT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
//
// throws LibraryError unless the call succeeds:
//   [cuda] cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) failed: out of memory
//   (cudaErrorMemoryAllocation), cudamat/cuda/context.cpp:31
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <curand.h>
#include <cusolverDn.h>

namespace cudamat::cuda {

/// Throws LibraryError unless the status is success. `what` is the expression (or a launch).
void check(cudaError_t status, const char* what, const char* file, int line);
void check(cublasStatus_t status, const char* what, const char* file, int line);
void check(cusolverStatus_t status, const char* what, const char* file, int line);
void check(curandStatus_t status, const char* what, const char* file, int line);

}  // namespace cudamat::cuda

#define CUDAMAT_CUDA(call) ::cudamat::cuda::check((call), #call, __FILE__, __LINE__)

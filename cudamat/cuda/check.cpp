#include "cudamat/cuda/check.hpp"

#include "cudamat/error.hpp"

namespace cudamat::cuda {
namespace {

using Library = LibraryError::Library;

[[noreturn]] void fail(Library library, const char* label, const char* what, const char* error,
                       const char* name, const char* file, int line) {
  throw LibraryError(
      library, fmt::format("[{}] {} failed: {} ({}), {}:{}", label, what, error, name, file, line));
}

#define STATUS(name) \
  case name:         \
    return #name;

const char* text(cusolverStatus_t status) {
  switch (status) {
    STATUS(CUSOLVER_STATUS_SUCCESS)
    STATUS(CUSOLVER_STATUS_NOT_INITIALIZED)
    STATUS(CUSOLVER_STATUS_ALLOC_FAILED)
    STATUS(CUSOLVER_STATUS_INVALID_VALUE)
    STATUS(CUSOLVER_STATUS_ARCH_MISMATCH)
    STATUS(CUSOLVER_STATUS_EXECUTION_FAILED)
    STATUS(CUSOLVER_STATUS_INTERNAL_ERROR)
    STATUS(CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED)
    STATUS(CUSOLVER_STATUS_NOT_SUPPORTED)
    STATUS(CUSOLVER_STATUS_INVALID_WORKSPACE)
    default:
      return "an unknown status";
  }
}

const char* text(curandStatus_t status) {
  switch (status) {
    STATUS(CURAND_STATUS_SUCCESS)
    STATUS(CURAND_STATUS_VERSION_MISMATCH)
    STATUS(CURAND_STATUS_NOT_INITIALIZED)
    STATUS(CURAND_STATUS_ALLOCATION_FAILED)
    STATUS(CURAND_STATUS_TYPE_ERROR)
    STATUS(CURAND_STATUS_OUT_OF_RANGE)
    STATUS(CURAND_STATUS_LENGTH_NOT_MULTIPLE)
    STATUS(CURAND_STATUS_DOUBLE_PRECISION_REQUIRED)
    STATUS(CURAND_STATUS_LAUNCH_FAILURE)
    STATUS(CURAND_STATUS_PREEXISTING_FAILURE)
    STATUS(CURAND_STATUS_INITIALIZATION_FAILED)
    STATUS(CURAND_STATUS_ARCH_MISMATCH)
    STATUS(CURAND_STATUS_INTERNAL_ERROR)
  }
  return "an unknown status";
}

#undef STATUS

}  // namespace

void check(cudaError_t status, const char* what, const char* file, int line) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // or the next call would report this one again
  fail(Library::Cuda, "cuda", what, cudaGetErrorString(status), cudaGetErrorName(status), file,
       line);
}

void check(cublasStatus_t status, const char* what, const char* file, int line) {
  if (status != CUBLAS_STATUS_SUCCESS)
    fail(Library::Cublas, "cublas", what, cublasGetStatusString(status),
         cublasGetStatusName(status), file, line);
}

void check(cusolverStatus_t status, const char* what, const char* file, int line) {
  if (status != CUSOLVER_STATUS_SUCCESS)
    fail(Library::Cusolver, "cusolver", what, "the routine returned an error", text(status), file,
         line);
}

void check(curandStatus_t status, const char* what, const char* file, int line) {
  if (status != CURAND_STATUS_SUCCESS)
    fail(Library::Curand, "curand", what, "the generator returned an error", text(status), file,
         line);
}

}  // namespace cudamat::cuda

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

const char* text(curandStatus_t status) {
  switch (status) {
#define STATUS(name) \
  case name:         \
    return #name;
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
#undef STATUS
  }
  return "an unknown status";
}

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

void check(curandStatus_t status, const char* what, const char* file, int line) {
  if (status != CURAND_STATUS_SUCCESS)
    fail(Library::Curand, "curand", what, "the generator refused", text(status), file, line);
}

}  // namespace cudamat::cuda

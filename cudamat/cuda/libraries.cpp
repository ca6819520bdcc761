// cuBLAS, cuSOLVER, cuRAND and NVRTC, loaded at their first use.
//
// They are a gigabyte that a program which stays on the CPU has no use for, takes a tenth of a
// second to load, and need not even be installed. So instead of linking with them we define the few
// functions that we call: each finds its real counterpart and passes the call on. They are hidden
// (-fvisibility=hidden), so that a shared library or a program that holds them exports none: others
// in the process that link with the real ones keep calling those. A library that
// cannot be loaded is a LibraryError at that first call. It is looked for where the loader looks,
// then where pip puts PyPI's nvidia-* beside a package that we are in, then in the toolkit that we
// were built with.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <curand.h>
#include <cusolverDn.h>
#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <nvrtc.h>

#include "cudamat/cuda/device.hpp"
#include "cudamat/error.hpp"

namespace {

using cudamat::LibraryError;

/// Of a module DIR/package/module.so the folder DIR/nvidia/cu13/lib. A program's own name may be
/// relative to where it was started.
std::filesystem::path beside_our_package() {
  Dl_info us{};
  if (dladdr(reinterpret_cast<const void*>(&beside_our_package), &us) == 0) return {};
  const std::filesystem::path module = us.dli_fname;
  if (!module.is_absolute()) return {};
  return module.parent_path().parent_path() / "nvidia" / "cu13" / "lib";
}

class SharedLibrary {
 public:
  SharedLibrary(LibraryError::Library which, const char* file) : which_(which), file_(file) {
    for (const std::filesystem::path& folder : {std::filesystem::path(), beside_our_package(),
                                                std::filesystem::path(CUDAMAT_CUDA_LIBRARIES)}) {
      handle_ = dlopen((folder / file).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr) return;
    }
    fail();
  }

  [[nodiscard]] std::string path() const {
    const link_map* map = nullptr;
    return dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : file_;
  }

  template <class F>
  F* find(const char* function) const {
    void* const found = dlsym(handle_, function);
    if (found == nullptr) fail();
    return reinterpret_cast<F*>(found);
  }

 private:
  [[noreturn]] void fail() const {
    throw LibraryError(
        which_,
        fmt::format("[cuda] {} of the CUDA toolkit cannot be used: {} (it is in CUDA {}, and "
                    "among what pip install cudamat[cuda] gives Python)",
                    file_, dlerror(), CUDART_VERSION / 1000));
  }

  LibraryError::Library which_;
  const char* file_;
  void* handle_ = nullptr;  // never closed
};

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const SharedLibrary& cublas() {
  static const SharedLibrary library(LibraryError::Library::Cublas,
                                     "libcublas.so." TEXT(CUBLAS_VER_MAJOR));
  return library;
}

const SharedLibrary& cublas_lt() {
  static const SharedLibrary library(LibraryError::Library::Cublas,
                                     "libcublasLt.so." TEXT(CUBLAS_VER_MAJOR));
  return library;
}

const SharedLibrary& cusolver() {
  static const SharedLibrary library(LibraryError::Library::Cusolver,
                                     "libcusolver.so." TEXT(CUSOLVER_VER_MAJOR));
  return library;
}

const SharedLibrary& curand() {
  static const SharedLibrary library(LibraryError::Library::Curand,
                                     "libcurand.so." TEXT(CURAND_VER_MAJOR));
  return library;
}

/// It has no macro for its version, which is the toolkit's.
const SharedLibrary& nvrtc() {
  static_assert(CUDART_VERSION / 1000 == 13);
  static const SharedLibrary library(LibraryError::Library::Nvrtc, "libnvrtc.so.13");
  return library;
}

std::string path_or_error(const SharedLibrary& (*library)()) try {
  return library().path();
} catch (const LibraryError& error) {
  return error.what();
}

}  // namespace

std::vector<std::string> cudamat::cuda::describe_libraries() {
  return {path_or_error(cublas), path_or_error(cusolver), path_or_error(curand),
          path_or_error(nvrtc)};
}

#define PASS_ON(library, function, ...)                                         \
  static auto* const real = library().find<decltype(function)>(TEXT(function)); \
  return real(__VA_ARGS__)

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  PASS_ON(cublas, cublasCreate_v2, handle);
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  PASS_ON(cublas, cublasDestroy_v2, handle);
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t bytes) {
  PASS_ON(cublas, cublasSetWorkspace_v2, handle, workspace, bytes);
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  PASS_ON(cublas, cublasSetStream_v2, handle, stream);
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  PASS_ON(cublas, cublasSetMathMode, handle, mode);
}
const char* cublasGetStatusName(cublasStatus_t status) {
  PASS_ON(cublas, cublasGetStatusName, status);
}
const char* cublasGetStatusString(cublasStatus_t status) {
  PASS_ON(cublas, cublasGetStatusString, status);
}
cublasStatus_t cublasSgemm_v2_64(cublasHandle_t handle, cublasOperation_t transa,
                                 cublasOperation_t transb, std::int64_t m, std::int64_t n,
                                 std::int64_t k, const float* alpha, const float* A,
                                 std::int64_t lda, const float* B, std::int64_t ldb,
                                 const float* beta, float* C, std::int64_t ldc) {
  PASS_ON(cublas, cublasSgemm_v2_64, handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta,
          C, ldc);
}
cublasStatus_t cublasDgemm_v2_64(cublasHandle_t handle, cublasOperation_t transa,
                                 cublasOperation_t transb, std::int64_t m, std::int64_t n,
                                 std::int64_t k, const double* alpha, const double* A,
                                 std::int64_t lda, const double* B, std::int64_t ldb,
                                 const double* beta, double* C, std::int64_t ldc) {
  PASS_ON(cublas, cublasDgemm_v2_64, handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta,
          C, ldc);
}

std::size_t cublasLtGetVersion() {
  PASS_ON(cublas_lt, cublasLtGetVersion);
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* product, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  PASS_ON(cublas_lt, cublasLtMatmulDescCreate, product, compute, scale);
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t product) {
  PASS_ON(cublas_lt, cublasLtMatmulDescDestroy, product);
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product,
                                              cublasLtMatmulDescAttributes_t which,
                                              const void* value, std::size_t bytes) {
  PASS_ON(cublas_lt, cublasLtMatmulDescSetAttribute, product, which, value, bytes);
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          std::uint64_t rows, std::uint64_t cols, std::int64_t ld) {
  PASS_ON(cublas_lt, cublasLtMatrixLayoutCreate, layout, type, rows, cols, ld);
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  PASS_ON(cublas_lt, cublasLtMatrixLayoutDestroy, layout);
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  PASS_ON(cublas_lt, cublasLtMatmulPreferenceCreate, preference);
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  PASS_ON(cublas_lt, cublasLtMatmulPreferenceDestroy, preference);
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t which,
                                                    const void* value, std::size_t bytes) {
  PASS_ON(cublas_lt, cublasLtMatmulPreferenceSetAttribute, preference, which, value, bytes);
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* count) {
  PASS_ON(cublas_lt, cublasLtMatmulAlgoGetHeuristic, handle, product, a, b, c, d, preference, most,
          results, count);
}
cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                                       cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                       cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t* algorithm,
                                       cublasLtMatmulHeuristicResult_t* result) {
  PASS_ON(cublas_lt, cublasLtMatmulAlgoCheck, handle, product, a, b, c, d, algorithm, result);
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                              const void* alpha, const void* a, cublasLtMatrixLayout_t a_layout,
                              const void* b, cublasLtMatrixLayout_t b_layout, const void* beta,
                              const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              std::size_t workspace_bytes, cudaStream_t stream) {
  PASS_ON(cublas_lt, cublasLtMatmul, handle, product, alpha, a, a_layout, b, b_layout, beta, c,
          c_layout, d, d_layout, algorithm, workspace, workspace_bytes, stream);
}

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  PASS_ON(cusolver, cusolverDnCreate, handle);
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  PASS_ON(cusolver, cusolverDnDestroy, handle);
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  PASS_ON(cusolver, cusolverDnSetStream, handle, stream);
}
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params) {
  PASS_ON(cusolver, cusolverDnCreateParams, params);
}
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params) {
  PASS_ON(cusolver, cusolverDnDestroyParams, params);
}
cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             std::int64_t m, std::int64_t n, cudaDataType type_a,
                                             const void* A, std::int64_t lda, cudaDataType compute,
                                             std::size_t* device_bytes, std::size_t* host_bytes) {
  PASS_ON(cusolver, cusolverDnXgetrf_bufferSize, handle, params, m, n, type_a, A, lda, compute,
          device_bytes, host_bytes);
}
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  std::int64_t m, std::int64_t n, cudaDataType type_a, void* A,
                                  std::int64_t lda, std::int64_t* ipiv, cudaDataType compute,
                                  void* device_buffer, std::size_t device_bytes, void* host_buffer,
                                  std::size_t host_bytes, int* info) {
  PASS_ON(cusolver, cusolverDnXgetrf, handle, params, m, n, type_a, A, lda, ipiv, compute,
          device_buffer, device_bytes, host_buffer, host_bytes, info);
}
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasOperation_t trans, std::int64_t n, std::int64_t nrhs,
                                  cudaDataType type_a, const void* A, std::int64_t lda,
                                  const std::int64_t* ipiv, cudaDataType type_b, void* B,
                                  std::int64_t ldb, int* info) {
  PASS_ON(cusolver, cusolverDnXgetrs, handle, params, trans, n, nrhs, type_a, A, lda, ipiv, type_b,
          B, ldb, info);
}
cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cublasFillMode_t uplo, std::int64_t n,
                                             cudaDataType type_a, const void* A, std::int64_t lda,
                                             cudaDataType compute, std::size_t* device_bytes,
                                             std::size_t* host_bytes) {
  PASS_ON(cusolver, cusolverDnXpotrf_bufferSize, handle, params, uplo, n, type_a, A, lda, compute,
          device_bytes, host_bytes);
}
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasFillMode_t uplo, std::int64_t n, cudaDataType type_a,
                                  void* A, std::int64_t lda, cudaDataType compute,
                                  void* device_buffer, std::size_t device_bytes, void* host_buffer,
                                  std::size_t host_bytes, int* info) {
  PASS_ON(cusolver, cusolverDnXpotrf, handle, params, uplo, n, type_a, A, lda, compute,
          device_buffer, device_bytes, host_buffer, host_bytes, info);
}
cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             std::int64_t m, std::int64_t n, cudaDataType type_a,
                                             const void* A, std::int64_t lda, cudaDataType type_tau,
                                             const void* tau, cudaDataType compute,
                                             std::size_t* device_bytes, std::size_t* host_bytes) {
  PASS_ON(cusolver, cusolverDnXgeqrf_bufferSize, handle, params, m, n, type_a, A, lda, type_tau,
          tau, compute, device_bytes, host_bytes);
}
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  std::int64_t m, std::int64_t n, cudaDataType type_a, void* A,
                                  std::int64_t lda, cudaDataType type_tau, void* tau,
                                  cudaDataType compute, void* device_buffer,
                                  std::size_t device_bytes, void* host_buffer,
                                  std::size_t host_bytes, int* info) {
  PASS_ON(cusolver, cusolverDnXgeqrf, handle, params, m, n, type_a, A, lda, type_tau, tau, compute,
          device_buffer, device_bytes, host_buffer, host_bytes, info);
}
cusolverStatus_t cusolverDnSorgqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int k,
                                             const float* A, int lda, const float* tau,
                                             int* lwork) {
  PASS_ON(cusolver, cusolverDnSorgqr_bufferSize, handle, m, n, k, A, lda, tau, lwork);
}
cusolverStatus_t cusolverDnDorgqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int k,
                                             const double* A, int lda, const double* tau,
                                             int* lwork) {
  PASS_ON(cusolver, cusolverDnDorgqr_bufferSize, handle, m, n, k, A, lda, tau, lwork);
}
cusolverStatus_t cusolverDnSorgqr(cusolverDnHandle_t handle, int m, int n, int k, float* A, int lda,
                                  const float* tau, float* work, int lwork, int* info) {
  PASS_ON(cusolver, cusolverDnSorgqr, handle, m, n, k, A, lda, tau, work, lwork, info);
}
cusolverStatus_t cusolverDnDorgqr(cusolverDnHandle_t handle, int m, int n, int k, double* A,
                                  int lda, const double* tau, double* work, int lwork, int* info) {
  PASS_ON(cusolver, cusolverDnDorgqr, handle, m, n, k, A, lda, tau, work, lwork, info);
}
cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cusolverEigMode_t jobz, cublasFillMode_t uplo,
                                             std::int64_t n, cudaDataType type_a, const void* A,
                                             std::int64_t lda, cudaDataType type_w, const void* W,
                                             cudaDataType compute, std::size_t* device_bytes,
                                             std::size_t* host_bytes) {
  PASS_ON(cusolver, cusolverDnXsyevd_bufferSize, handle, params, jobz, uplo, n, type_a, A, lda,
          type_w, W, compute, device_bytes, host_bytes);
}
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cusolverEigMode_t jobz, cublasFillMode_t uplo, std::int64_t n,
                                  cudaDataType type_a, void* A, std::int64_t lda,
                                  cudaDataType type_w, void* W, cudaDataType compute,
                                  void* device_buffer, std::size_t device_bytes, void* host_buffer,
                                  std::size_t host_bytes, int* info) {
  PASS_ON(cusolver, cusolverDnXsyevd, handle, params, jobz, uplo, n, type_a, A, lda, type_w, W,
          compute, device_buffer, device_bytes, host_buffer, host_bytes, info);
}
cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             signed char jobu, signed char jobvt, std::int64_t m,
                                             std::int64_t n, cudaDataType type_a, const void* A,
                                             std::int64_t lda, cudaDataType type_s, const void* S,
                                             cudaDataType type_u, const void* U, std::int64_t ldu,
                                             cudaDataType type_vt, const void* VT,
                                             std::int64_t ldvt, cudaDataType compute,
                                             std::size_t* device_bytes, std::size_t* host_bytes) {
  PASS_ON(cusolver, cusolverDnXgesvd_bufferSize, handle, params, jobu, jobvt, m, n, type_a, A, lda,
          type_s, S, type_u, U, ldu, type_vt, VT, ldvt, compute, device_bytes, host_bytes);
}
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  signed char jobu, signed char jobvt, std::int64_t m,
                                  std::int64_t n, cudaDataType type_a, void* A, std::int64_t lda,
                                  cudaDataType type_s, void* S, cudaDataType type_u, void* U,
                                  std::int64_t ldu, cudaDataType type_vt, void* VT,
                                  std::int64_t ldvt, cudaDataType compute, void* device_buffer,
                                  std::size_t device_bytes, void* host_buffer,
                                  std::size_t host_bytes, int* info) {
  PASS_ON(cusolver, cusolverDnXgesvd, handle, params, jobu, jobvt, m, n, type_a, A, lda, type_s, S,
          type_u, U, ldu, type_vt, VT, ldvt, compute, device_buffer, device_bytes, host_buffer,
          host_bytes, info);
}

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t rng_type) {
  PASS_ON(curand, curandCreateGenerator, generator, rng_type);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  PASS_ON(curand, curandDestroyGenerator, generator);
}
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  PASS_ON(curand, curandSetStream, generator, stream);
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
  PASS_ON(curand, curandSetGeneratorOrdering, generator, order);
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed) {
  PASS_ON(curand, curandSetPseudoRandomGeneratorSeed, generator, seed);
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  PASS_ON(curand, curandSetGeneratorOffset, generator, offset);
}
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* output,
                                     std::size_t count) {
  PASS_ON(curand, curandGenerateUniform, generator, output, count);
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* output,
                                           std::size_t count) {
  PASS_ON(curand, curandGenerateUniformDouble, generator, output, count);
}
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* output, std::size_t count,
                                    float mean, float deviation) {
  PASS_ON(curand, curandGenerateNormal, generator, output, count, mean, deviation);
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* output,
                                          std::size_t count, double mean, double deviation) {
  PASS_ON(curand, curandGenerateNormalDouble, generator, output, count, mean, deviation);
}

nvrtcResult nvrtcVersion(int* major, int* minor) {
  PASS_ON(nvrtc, nvrtcVersion, major, minor);
}
const char* nvrtcGetErrorString(nvrtcResult result) {
  PASS_ON(nvrtc, nvrtcGetErrorString, result);
}
nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name,
                               int headers, const char* const* texts, const char* const* names) {
  PASS_ON(nvrtc, nvrtcCreateProgram, program, source, name, headers, texts, names);
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  PASS_ON(nvrtc, nvrtcDestroyProgram, program);
}
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
  PASS_ON(nvrtc, nvrtcCompileProgram, program, count, options);
}
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* name) {
  PASS_ON(nvrtc, nvrtcAddNameExpression, program, name);
}
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* name, const char** lowered) {
  PASS_ON(nvrtc, nvrtcGetLoweredName, program, name, lowered);
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* size) {
  PASS_ON(nvrtc, nvrtcGetCUBINSize, program, size);
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* code) {
  PASS_ON(nvrtc, nvrtcGetCUBIN, program, code);
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, std::size_t* size) {
  PASS_ON(nvrtc, nvrtcGetProgramLogSize, program, size);
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  PASS_ON(nvrtc, nvrtcGetProgramLog, program, log);
}

}  // extern "C"

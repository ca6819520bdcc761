// cuSOLVER's routines, by LAPACK's, whose conventions they have.
//
// Where cuSOLVER's documentation is silent, what is asked of a caller is the most: extents above 0,
// memory on the host that must last until the routine is done, matrices of finite numbers for the
// routines that iterate. What it says is destroyed, is destroyed.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <cusolverDn.h>
#include <limits>
#include <vector>

#include "cudamat/simt/lapack.hpp"
#include "cudamat/simt/memory.hpp"
#include "cudamat/simt/runtime.hpp"
#include "npmat/threads.hpp"

struct cusolverDnContext {
  int device = 0;
  cudaStream_t stream = nullptr;
};
struct cusolverDnParams {};

namespace simt {
namespace {

/// Memory to work in: how much, and where.
struct Room {
  std::size_t device_bytes = 0, host_bytes = 0;
  void* device = nullptr;
  void* host = nullptr;
};

/// What the routines ask for: more where there is more to do.
Room room_for(std::int64_t extent, std::size_t element, bool on_host) {
  return {static_cast<std::size_t>(32 + 5 * extent) * element,
          on_host ? static_cast<std::size_t>(24 + extent) : 0};
}

/// What a routine uses of the device's memory.
struct Matrix {
  const void* data;
  std::size_t bytes;
  Access access;
};

template <class T>
Matrix matrix(const T* data, std::int64_t rows, std::int64_t cols, std::int64_t ld, Access access) {
  return {data, static_cast<std::size_t>((cols - 1) * ld + rows) * sizeof(T), access};
}

cusolverStatus_t status_of(cudaError_t error) {
  if (error == cudaSuccess) return CUSOLVER_STATUS_SUCCESS;
  return error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver
             ? CUSOLVER_STATUS_NOT_INITIALIZED
             : CUSOLVER_STATUS_EXECUTION_FAILED;
}

/// What every call begins with. `valid`: as its extents are.
cusolverStatus_t enter(const char* name, cusolverDnHandle_t handle, bool valid) {
  if (const cudaError_t error = begin(name)) return status_of(error);
  if (!cusolver_handles().has(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  return valid ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

/// A call that asks for the room.
cusolverStatus_t ask(const char* name, cusolverDnHandle_t handle, bool valid, const Room& room,
                     std::size_t* device_bytes, std::size_t* host_bytes) {
  const cusolverStatus_t status = enter(name, handle, valid);
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  *device_bytes = room.device_bytes;
  *host_bytes = room.host_bytes;
  return status;
}

/// A call that computes: `routine` returns LAPACK's info.
template <class Routine>
cusolverStatus_t compute(const char* name, cusolverDnHandle_t handle, bool valid, const Room& given,
                         const Room& wanted, std::vector<Matrix> operands, int* info,
                         const Routine& routine) {
  const bool fits = given.device_bytes >= wanted.device_bytes &&
                    given.host_bytes >= wanted.host_bytes &&
                    (given.host != nullptr || wanted.host_bytes == 0);
  const cusolverStatus_t status = enter(name, handle, valid && fits);
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  const Stream stream = find_stream(handle->stream);
  if (stream == nullptr || stream->device != handle->device || current_device() != handle->device)
    return CUSOLVER_STATUS_EXECUTION_FAILED;
  operands.push_back({info, sizeof *info, Access::kWrite});
  operands.push_back({given.device, wanted.device_bytes, Access::kWrite});
  std::vector<Use> uses;
  for (const Matrix& operand : operands) uses.push_back({operand.data, operand.access});
  submit(stream, name, uses, [=] {
    for (const Matrix& operand : operands)
      check_device_range(operand.data, operand.bytes,
                         operand.access == Access::kRead ? "reads" : "writes");
    if (wanted.device_bytes > 0) std::memset(given.device, 0xEE, wanted.device_bytes);
    if (wanted.host_bytes > 0) std::memset(given.host, 0xEE, wanted.host_bytes);
    const npmat::OneThread one;
    *info = routine();
  });
  return CUSOLVER_STATUS_SUCCESS;
}

/// Calls LAPACK(work, size) with as much memory as it asks for.
template <class T, class Call>
void with_work(const Call& call) {
  T best = 0;
  int size = -1;
  call(&best, &size);
  size = static_cast<int>(best) + 1;
  std::vector<T> work(static_cast<std::size_t>(size));
  call(work.data(), &size);
}

/// Fails where `a` has what is not finite; of a square matrix only the lower triangle counts.
template <class T>
void expect_finite(const T* a, int m, int n, int ld, bool lower) {
  for (int j = 0; j < n; ++j)
    for (int i = lower ? j : 0; i < m; ++i)
      if (!std::isfinite(a[i + std::int64_t{ld} * j]))
        fail("reads NaN or infinity at (%d, %d), of which cuSOLVER may find no end", i, j);
}

template <class T>
void destroy(T* a, int m, int n, int ld) {
  for (int j = 0; j < n; ++j) std::fill_n(a + std::int64_t{ld} * j, m, T(-7.5));
}

/// Calls f(T()) with the type that all of them are.
template <class F>
cusolverStatus_t typed(std::initializer_list<cudaDataType> types, const F& f) {
  const cudaDataType type = *types.begin();
  if (std::any_of(types.begin(), types.end(), [&](cudaDataType t) { return t != type; }))
    return CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
  return type == CUDA_R_32F ? f(float()) : f(double());
}

/// The extents that LAPACK takes, each above 0 and the leading dimension large enough.
bool valid(cusolverDnParams_t params, std::initializer_list<std::int64_t> extents,
           std::int64_t rows, std::int64_t ld) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  return cusolver_params().has(params) && ld >= rows && ld <= kMost &&
         std::all_of(extents.begin(), extents.end(),
                     [](std::int64_t n) { return n > 0 && n <= kMost; });
}

bool valid_svd(cusolverDnParams_t params, signed char jobu, signed char jobvt, std::int64_t m,
               std::int64_t n, std::int64_t lda, std::int64_t ldu, std::int64_t ldvt) {
  return valid(params, {m, n}, m, lda) && m >= n && ldu >= m && ldvt >= n && jobu == jobvt &&
         (jobu == 'A' || jobu == 'S' || jobu == 'N');
}

template <class T>
cusolverStatus_t ask_orgqr(const char* name, cusolverDnHandle_t handle, int m, int n, int k,
                           int lda, int* lwork) {
  const cusolverStatus_t status = enter(name, handle, k > 0 && n >= k && m >= n && lda >= m);
  if (status == CUSOLVER_STATUS_SUCCESS) *lwork = 32 + 5 * n;
  return status;
}

template <class T>
cusolverStatus_t orgqr(const char* name, cusolverDnHandle_t handle, int m, int n, int k, T* a,
                       int lda, const T* tau, T* work, int lwork, int* info) {
  const std::size_t bytes = static_cast<std::size_t>(std::max(lwork, 0)) * sizeof(T);
  return compute(name, handle, k > 0 && n >= k && m >= n && lda >= m,
                 {.device_bytes = bytes, .device = work}, room_for(n, sizeof(T), false),
                 {matrix(a, m, n, lda, Access::kWrite), matrix(tau, k, 1, k, Access::kRead)}, info,
                 [=] {
                   int result = 0;
                   with_work<T>([&](T* own, const int* size) {
                     Lapack<T>::orgqr(&m, &n, &k, a, &lda, tau, own, size, &result);
                   });
                   return result;
                 });
}

}  // namespace
}  // namespace simt

using simt::Access;
using simt::begin;
using simt::Lapack;
using simt::matrix;
using simt::room_for;
using simt::valid;

// ---- handles ----

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  if (const cudaError_t error = begin("cusolverDnCreate")) return simt::status_of(error);
  *handle = new cusolverDnContext{.device = simt::current_device()};
  simt::cusolver_handles().add(*handle);
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  const cudaError_t error = begin("cusolverDnDestroy");
  if (handle == nullptr || !simt::cusolver_handles().remove(handle))
    return CUSOLVER_STATUS_NOT_INITIALIZED;
  delete handle;
  return simt::status_of(error);
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  const cusolverStatus_t status = simt::enter("cusolverDnSetStream", handle, true);
  if (status == CUSOLVER_STATUS_SUCCESS) handle->stream = stream;
  return status;
}

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params) {
  if (const cudaError_t error = begin("cusolverDnCreateParams")) return simt::status_of(error);
  *params = new cusolverDnParams;
  simt::cusolver_params().add(*params);
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params) {
  const cudaError_t error = begin("cusolverDnDestroyParams");
  if (params == nullptr || !simt::cusolver_params().remove(params))
    return CUSOLVER_STATUS_INVALID_VALUE;
  delete params;
  return simt::status_of(error);
}

// ---- LU ----

cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             std::int64_t m, std::int64_t n, cudaDataType type_a,
                                             const void* /*A*/, std::int64_t lda,
                                             cudaDataType compute, std::size_t* device_bytes,
                                             std::size_t* host_bytes) {
  return simt::typed({type_a, compute}, [&](auto zero) {
    return simt::ask("cusolverDnXgetrf_bufferSize", handle, valid(params, {m, n}, m, lda),
                     room_for(n, sizeof zero, false), device_bytes, host_bytes);
  });
}

cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  std::int64_t m, std::int64_t n, cudaDataType type_a, void* A,
                                  std::int64_t lda, std::int64_t* ipiv, cudaDataType compute,
                                  void* device_buffer, std::size_t device_bytes, void* host_buffer,
                                  std::size_t host_bytes, int* info) {
  return simt::typed({type_a, compute}, [&](auto zero) {
    using T = decltype(zero);
    T* const a = static_cast<T*>(A);
    const std::int64_t k = std::min(m, n);
    return simt::compute(
        "cusolverDnXgetrf", handle, valid(params, {m, n}, m, lda),
        {device_bytes, host_bytes, device_buffer, host_buffer}, room_for(n, sizeof(T), false),
        {matrix(a, m, n, lda, Access::kWrite), matrix(ipiv, k, 1, k, Access::kWrite)}, info, [=] {
          const int rows = static_cast<int>(m), cols = static_cast<int>(n);
          const int ld = static_cast<int>(lda);
          std::vector<int> pivots(static_cast<std::size_t>(k));
          int result = 0;
          // cuSOLVER's LU (13.0, seen on an H200) is not LAPACK's where there are NaNs: it loses
          // them.
          for (int j = 0; j < cols; ++j)
            for (int i = 0; i < rows; ++i)
              if (T& x = a[i + std::int64_t{ld} * j]; x != x) x = 1;
          Lapack<T>::getrf(&rows, &cols, a, &ld, pivots.data(), &result);
          std::copy(pivots.begin(), pivots.end(), ipiv);
          return result;
        });
  });
}

cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasOperation_t trans, std::int64_t n, std::int64_t nrhs,
                                  cudaDataType type_a, const void* A, std::int64_t lda,
                                  const std::int64_t* ipiv, cudaDataType type_b, void* B,
                                  std::int64_t ldb, int* info) {
  return simt::typed({type_a, type_b}, [&](auto zero) {
    using T = decltype(zero);
    const T* const a = static_cast<const T*>(A);
    T* const b = static_cast<T*>(B);
    return simt::compute(
        "cusolverDnXgetrs", handle, valid(params, {n, nrhs}, n, std::min(lda, ldb)), {}, {},
        {matrix(a, n, n, lda, Access::kRead), matrix(ipiv, n, 1, n, Access::kRead),
         matrix(b, n, nrhs, ldb, Access::kWrite)},
        info, [=] {
          const char* const op = trans == CUBLAS_OP_N ? "N" : "T";
          const int rows = static_cast<int>(n), right = static_cast<int>(nrhs);
          const int ld_a = static_cast<int>(lda), ld_b = static_cast<int>(ldb);
          const std::vector<int> pivots(ipiv, ipiv + n);
          int result = 0;
          Lapack<T>::getrs(op, &rows, &right, a, &ld_a, pivots.data(), b, &ld_b, &result, 1);
          return result;
        });
  });
}

// ---- triangles ----

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cublasFillMode_t /*uplo*/, std::int64_t n,
                                             cudaDataType type_a, const void* /*A*/,
                                             std::int64_t lda, cudaDataType compute,
                                             std::size_t* device_bytes, std::size_t* host_bytes) {
  return simt::typed({type_a, compute}, [&](auto zero) {
    return simt::ask("cusolverDnXpotrf_bufferSize", handle, valid(params, {n}, n, lda),
                     room_for(n, sizeof zero, false), device_bytes, host_bytes);
  });
}

cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasFillMode_t uplo, std::int64_t n, cudaDataType type_a,
                                  void* A, std::int64_t lda, cudaDataType compute,
                                  void* device_buffer, std::size_t device_bytes, void* host_buffer,
                                  std::size_t host_bytes, int* info) {
  return simt::typed({type_a, compute}, [&](auto zero) {
    using T = decltype(zero);
    T* const a = static_cast<T*>(A);
    return simt::compute(
        "cusolverDnXpotrf", handle, valid(params, {n}, n, lda),
        {device_bytes, host_bytes, device_buffer, host_buffer}, room_for(n, sizeof(T), false),
        {matrix(a, n, n, lda, Access::kWrite)}, info, [=] {
          const int rows = static_cast<int>(n), ld = static_cast<int>(lda);
          int result = 0;
          Lapack<T>::potrf(uplo == CUBLAS_FILL_MODE_LOWER ? "L" : "U", &rows, a, &ld, &result, 1);
          return result;
        });
  });
}

cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             std::int64_t m, std::int64_t n, cudaDataType type_a,
                                             const void* /*A*/, std::int64_t lda,
                                             cudaDataType type_tau, const void* /*tau*/,
                                             cudaDataType compute, std::size_t* device_bytes,
                                             std::size_t* host_bytes) {
  return simt::typed({type_a, type_tau, compute}, [&](auto zero) {
    return simt::ask("cusolverDnXgeqrf_bufferSize", handle, valid(params, {m, n}, m, lda),
                     room_for(n, sizeof zero, true), device_bytes, host_bytes);
  });
}

cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  std::int64_t m, std::int64_t n, cudaDataType type_a, void* A,
                                  std::int64_t lda, cudaDataType type_tau, void* tau,
                                  cudaDataType compute, void* device_buffer,
                                  std::size_t device_bytes, void* host_buffer,
                                  std::size_t host_bytes, int* info) {
  return simt::typed({type_a, type_tau, compute}, [&](auto zero) {
    using T = decltype(zero);
    T* const a = static_cast<T*>(A);
    T* const scalars = static_cast<T*>(tau);
    const std::int64_t k = std::min(m, n);
    return simt::compute(
        "cusolverDnXgeqrf", handle, valid(params, {m, n}, m, lda),
        {device_bytes, host_bytes, device_buffer, host_buffer}, room_for(n, sizeof(T), true),
        {matrix(a, m, n, lda, Access::kWrite), matrix(scalars, k, 1, k, Access::kWrite)}, info,
        [=] {
          const int rows = static_cast<int>(m), cols = static_cast<int>(n);
          const int ld = static_cast<int>(lda);
          int result = 0;
          simt::with_work<T>([&](T* work, const int* size) {
            Lapack<T>::geqrf(&rows, &cols, a, &ld, scalars, work, size, &result);
          });
          return result;
        });
  });
}

cusolverStatus_t cusolverDnSorgqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int k,
                                             const float* /*A*/, int lda, const float* /*tau*/,
                                             int* lwork) {
  return simt::ask_orgqr<float>("cusolverDnSorgqr_bufferSize", handle, m, n, k, lda, lwork);
}
cusolverStatus_t cusolverDnDorgqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int k,
                                             const double* /*A*/, int lda, const double* /*tau*/,
                                             int* lwork) {
  return simt::ask_orgqr<double>("cusolverDnDorgqr_bufferSize", handle, m, n, k, lda, lwork);
}
cusolverStatus_t cusolverDnSorgqr(cusolverDnHandle_t handle, int m, int n, int k, float* A, int lda,
                                  const float* tau, float* work, int lwork, int* info) {
  return simt::orgqr("cusolverDnSorgqr", handle, m, n, k, A, lda, tau, work, lwork, info);
}
cusolverStatus_t cusolverDnDorgqr(cusolverDnHandle_t handle, int m, int n, int k, double* A,
                                  int lda, const double* tau, double* work, int lwork, int* info) {
  return simt::orgqr("cusolverDnDorgqr", handle, m, n, k, A, lda, tau, work, lwork, info);
}

// ---- values and vectors ----

cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cusolverEigMode_t /*jobz*/, cublasFillMode_t /*uplo*/,
                                             std::int64_t n, cudaDataType type_a, const void* /*A*/,
                                             std::int64_t lda, cudaDataType type_w,
                                             const void* /*W*/, cudaDataType compute,
                                             std::size_t* device_bytes, std::size_t* host_bytes) {
  return simt::typed({type_a, type_w, compute}, [&](auto zero) {
    return simt::ask("cusolverDnXsyevd_bufferSize", handle, valid(params, {n}, n, lda),
                     room_for(n, sizeof zero, true), device_bytes, host_bytes);
  });
}

cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cusolverEigMode_t jobz, cublasFillMode_t uplo, std::int64_t n,
                                  cudaDataType type_a, void* A, std::int64_t lda,
                                  cudaDataType type_w, void* W, cudaDataType compute,
                                  void* device_buffer, std::size_t device_bytes, void* host_buffer,
                                  std::size_t host_bytes, int* info) {
  return simt::typed({type_a, type_w, compute}, [&](auto zero) {
    using T = decltype(zero);
    T* const a = static_cast<T*>(A);
    T* const values = static_cast<T*>(W);
    return simt::compute(
        "cusolverDnXsyevd", handle, valid(params, {n}, n, lda) && uplo == CUBLAS_FILL_MODE_LOWER,
        {device_bytes, host_bytes, device_buffer, host_buffer}, room_for(n, sizeof(T), true),
        {matrix(a, n, n, lda, Access::kWrite), matrix(values, n, 1, n, Access::kWrite)}, info, [=] {
          const bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR;
          const int rows = static_cast<int>(n), ld = static_cast<int>(lda);
          simt::expect_finite(a, rows, rows, ld, true);
          int result = 0;
          simt::with_work<T>([&](T* work, const int* size) {
            Lapack<T>::syev(vectors ? "V" : "N", "L", &rows, a, &ld, values, work, size, &result, 1,
                            1);
          });
          if (!vectors) simt::destroy(a, rows, rows, ld);
          return result;
        });
  });
}

cusolverStatus_t cusolverDnXgesvd_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu, signed char jobvt,
    std::int64_t m, std::int64_t n, cudaDataType type_a, const void* /*A*/, std::int64_t lda,
    cudaDataType type_s, const void* /*S*/, cudaDataType type_u, const void* /*U*/,
    std::int64_t ldu, cudaDataType type_vt, const void* /*VT*/, std::int64_t ldvt,
    cudaDataType compute, std::size_t* device_bytes, std::size_t* host_bytes) {
  return simt::typed({type_a, type_s, type_u, type_vt, compute}, [&](auto zero) {
    return simt::ask("cusolverDnXgesvd_bufferSize", handle,
                     simt::valid_svd(params, jobu, jobvt, m, n, lda, ldu, ldvt),
                     room_for(n, sizeof zero, true), device_bytes, host_bytes);
  });
}

cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  signed char jobu, signed char jobvt, std::int64_t m,
                                  std::int64_t n, cudaDataType type_a, void* A, std::int64_t lda,
                                  cudaDataType type_s, void* S, cudaDataType type_u, void* U,
                                  std::int64_t ldu, cudaDataType type_vt, void* VT,
                                  std::int64_t ldvt, cudaDataType compute, void* device_buffer,
                                  std::size_t device_bytes, void* host_buffer,
                                  std::size_t host_bytes, int* info) {
  return simt::typed({type_a, type_s, type_u, type_vt, compute}, [&](auto zero) {
    using T = decltype(zero);
    T* const a = static_cast<T*>(A);
    T* const values = static_cast<T*>(S);
    T* const u = static_cast<T*>(U);
    T* const vt = static_cast<T*>(VT);
    std::vector<simt::Matrix> operands{matrix(a, m, n, lda, Access::kWrite),
                                       matrix(values, n, 1, n, Access::kWrite)};
    if (jobu != 'N') {
      operands.push_back(matrix(u, m, jobu == 'A' ? m : n, ldu, Access::kWrite));
      operands.push_back(matrix(vt, n, n, ldvt, Access::kWrite));
    }
    return simt::compute("cusolverDnXgesvd", handle,
                         simt::valid_svd(params, jobu, jobvt, m, n, lda, ldu, ldvt),
                         {device_bytes, host_bytes, device_buffer, host_buffer},
                         room_for(n, sizeof(T), true), operands, info, [=] {
                           const char job = static_cast<char>(jobu);
                           const int rows = static_cast<int>(m), cols = static_cast<int>(n);
                           const int ld = static_cast<int>(lda), ld_u = static_cast<int>(ldu);
                           const int ld_vt = static_cast<int>(ldvt);
                           simt::expect_finite(a, rows, cols, ld, false);
                           int result = 0;
                           simt::with_work<T>([&](T* work, const int* size) {
                             Lapack<T>::gesvd(&job, &job, &rows, &cols, a, &ld, values, u, &ld_u,
                                              vt, &ld_vt, work, size, &result, 1, 1);
                           });
                           simt::destroy(a, rows, cols, ld);
                           return result;
                         });
  });
}

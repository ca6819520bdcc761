// Products, in place of cuBLAS's and cuBLASLt's.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
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

/// c = alpha * op(a) @ op(b) + beta * c, column-major.
template <class T>
struct Product {
  std::int64_t m, n, k;
  T alpha, beta;
  const T* a;
  std::int64_t lda;
  bool a_transposed;
  const T* b;
  std::int64_t ldb;
  bool b_transposed;
  T* c;
  std::int64_t ldc;
  bool tf32;

  [[nodiscard]] std::int64_t multiplications() const { return m * n * k; }
  /// op(a)[i, l] and op(b)[l, j].
  [[nodiscard]] T a_at(std::int64_t i, std::int64_t l) const {
    return rounded(a_transposed ? a[l + i * lda] : a[i + l * lda]);
  }
  [[nodiscard]] T b_at(std::int64_t l, std::int64_t j) const {
    return rounded(b_transposed ? b[j + l * ldb] : b[l + j * ldb]);
  }
  void store(std::int64_t i, std::int64_t j, long double sum) const {
    T& to = c[i + j * ldc];
    const long double before = beta == 0 ? 0 : static_cast<long double>(beta) * to;
    to = static_cast<T>(alpha * sum + before);
  }

 private:
  /// To TF32 if that is asked for: 10 bits of mantissa, to nearest, ties away from zero.
  [[nodiscard]] T rounded(T x) const {
    if constexpr (sizeof(T) == 4) {
      const auto bits = std::bit_cast<std::uint32_t>(x);
      if (tf32 && (bits & 0x7f800000u) != 0x7f800000u)
        return std::bit_cast<float>((bits + 0x1000u) & ~0x1fffu);
    }
    return x;
  }
};

/// In long double.
template <class T>
void multiply(const Product<T>& p) {
  spend(p.multiplications());
  std::vector<T> row(static_cast<std::size_t>(p.k));
  for (std::int64_t i = 0; i < p.m; ++i) {
    if (p.alpha != 0)  // as BLAS has it: the operands are not read otherwise
      for (std::int64_t l = 0; l < p.k; ++l) row[static_cast<std::size_t>(l)] = p.a_at(i, l);
    for (std::int64_t j = 0; j < p.n; ++j) {
      long double sum = 0;
      if (p.alpha != 0)
        for (std::int64_t l = 0; l < p.k; ++l)
          sum += static_cast<long double>(row[static_cast<std::size_t>(l)]) * p.b_at(l, j);
      p.store(i, j, sum);
    }
  }
}

/// Queues a product, which may leave anything in the workspace that it was given.
template <class T, class Multiply>
void submit(const Stream& stream, const char* name, const Product<T>& p, std::byte* workspace,
            std::size_t workspace_bytes, const Multiply& multiply) {
  std::vector<Use> uses{{p.c, Access::kWrite}, {workspace, Access::kWrite}};
  if (p.alpha != 0) uses.insert(uses.end(), {{p.a, Access::kRead}, {p.b, Access::kRead}});
  submit(stream, name, uses, [=] {
    const auto check = [](const T* data, std::int64_t rows, std::int64_t cols, std::int64_t ld,
                          const char* does) {
      const std::int64_t elements = rows == 0 || cols == 0 ? 0 : (cols - 1) * ld + rows;
      check_device_range(data, static_cast<std::size_t>(elements) * sizeof(T), does);
    };
    if (p.alpha != 0) {
      check(p.a, p.a_transposed ? p.k : p.m, p.a_transposed ? p.m : p.k, p.lda, "reads");
      check(p.b, p.b_transposed ? p.n : p.k, p.b_transposed ? p.k : p.n, p.ldb, "reads");
    }
    check(p.c, p.m, p.n, p.ldc, "writes");
    constexpr std::size_t kEnds = 64;
    if (workspace != nullptr && workspace_bytes >= kEnds)
      for (std::byte* const end : {workspace, workspace + workspace_bytes - kEnds})
        std::memset(end, 0xEE, kEnds);
    multiply(p);
  });
}

inline cublasStatus_t status_of(cudaError_t error, cublasStatus_t fault) {
  if (error == cudaSuccess) return CUBLAS_STATUS_SUCCESS;
  return error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver
             ? CUBLAS_STATUS_NOT_INITIALIZED
             : fault;
}

}  // namespace simt

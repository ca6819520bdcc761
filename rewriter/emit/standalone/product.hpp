// Products of printed C++ programs: by a CBLAS, or with -DNO_BLAS, and in long double, by plain
// loops.
#pragma once

#include <algorithm>

#include "rewriter/emit/standalone/operand.hpp"

#ifndef NO_BLAS
extern "C" {
void cblas_sgemm(int order, int transposed_a, int transposed_b, int m, int n, int k, float alpha,
                 const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
void cblas_dgemm(int order, int transposed_a, int transposed_b, int m, int n, int k, double alpha,
                 const double* a, int lda, const double* b, int ldb, double beta, double* c,
                 int ldc);
}
#endif

namespace cudamat {

#ifndef NO_BLAS
inline constexpr int kByColumns = 102;

inline void gemm(int ta, int tb, int m, int n, int k, float alpha, const float* a, int lda,
                 const float* b, int ldb, float beta, float* c, int ldc) {
  cblas_sgemm(kByColumns, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
inline void gemm(int ta, int tb, int m, int n, int k, double alpha, const double* a, int lda,
                 const double* b, int ldb, double beta, double* c, int ldc) {
  cblas_dgemm(kByColumns, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
#endif

inline void dot_by_loops(const Operand& a, const Operand& b, Matrix c, T alpha, T beta) {
  const Index n = a.cols();
#pragma omp parallel for if (c.size() * n > 65536)
  for (Index j = 0; j < c.cols; ++j) {
    for (Index i = 0; i < c.rows; ++i) c(i, j) = beta == T(0) ? T(0) : beta * c(i, j);
    for (Index p = 0; p < n; ++p) {
      const T by = alpha * b(p, j);
      for (Index i = 0; i < c.rows; ++i) c(i, j) += a(i, p) * by;
    }
  }
}

/// The product of a row and a column of at most 128 numbers, in eight sums: as npmat adds them.
inline T short_dot(Matrix a, Matrix b) {
  T sums[8] = {};
  Index p = 0;
  for (; p + 8 <= a.size(); p += 8)
    for (Index l = 0; l < 8; ++l) sums[l] += a[p + l] * b[p + l];
  for (Index half = 4; half > 0; half /= 2)
    for (Index l = 0; l < half; ++l) sums[l] += sums[l + half];
  for (; p < a.size(); ++p) sums[0] += a[p] * b[p];
  return sums[0];
}

/// c = alpha * a b + beta * c; with a beta of 0, c is not read.
inline void dot(const Operand& a, const Operand& b, Matrix c, T alpha = 1, T beta = 0) {
  if (c.size() == 0) return;
  if (c.size() == 1 && a.cols() > 0 && a.cols() <= 128) {
    const T sum = short_dot(a.matrix, b.matrix), product = alpha == T(1) ? sum : alpha * sum;
    c[0] = beta == T(0) ? product : beta * c[0] + product;
    return;
  }
#ifndef NO_BLAS
  if (a.cols() > 0) {
    constexpr int kPlain = 111, kTransposed = 112;
    const auto flag = [](const Operand& x) { return x.transposed ? kTransposed : kPlain; };
    const auto lead = [](Matrix x) { return static_cast<int>(std::max(x.rows, Index(1))); };
    return gemm(flag(a), flag(b), static_cast<int>(c.rows), static_cast<int>(c.cols),
                static_cast<int>(a.cols()), alpha, a.matrix.data, lead(a.matrix), b.matrix.data,
                lead(b.matrix), beta, c.data, lead(c));
  }
#endif
  dot_by_loops(a, b, c, alpha, beta);
}

}  // namespace cudamat

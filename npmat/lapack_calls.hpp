// LAPACK's routines, called as NumPy calls them, for one SolverCall in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cudamat/solver.hpp"
#include "npmat/lapack.hpp"
#include "npmat/textbook.hpp"

namespace npmat {

inline constexpr std::size_t kLetter = 1;  ///< the length of a text of one letter

[[noreturn]] inline void no_result(cudamat::Op op, const char* text) {
  cudamat::misuse(cudamat::Reason::Unsupported, cudamat::name(op), "{}", text);
}

/// Calls work(size, block of that size) twice: the first time it says which size is best.
template <class Call>
void with_workspace(const Call& call) {
  double best = 0;
  call(&best, -1);
  std::vector<double> work(static_cast<std::size_t>(best) + 1);
  call(work.data(), static_cast<int>(best));
}

/// A call, whose matrix it copies.
class Lapack {
  using Op = cudamat::Op;
  using Parts = cudamat::Parts;
  using Shape = cudamat::Shape;

 public:
  explicit Lapack(const cudamat::SolverCall<double>& call)
      : call_(call),
        m_(static_cast<int>(call.rows)),
        n_(static_cast<int>(call.cols)),
        k_(std::min(m_, n_)),
        ld_(std::max(m_, 1)),
        a_({call.rows, call.cols}, call.a) {}

  void run() {
    switch (call_.op) {
      case Op::solve:
        return solve(textbook::Dense<double>({call_.rows, call_.right}, call_.b));
      case Op::inv:
        return solve(textbook::Dense<double>::identity(call_.rows, call_.rows));
      case Op::cholesky:
        return cholesky();
      case Op::det:
      case Op::slogdet:
        return determinant();
      case Op::lstsq:
        return least_squares();
      case Op::eigh:
        return eigen();
      case Op::svd:
        return singular();
      default:
        return qr();
    }
  }

 private:
  double* a() { return a_.data.data(); }
  void give(const double* from, Index n) { call_.target = std::copy_n(from, n, call_.target); }

  void solve(textbook::Dense<double> b) {
    std::vector<int> pivots(static_cast<std::size_t>(n_));
    const int right = static_cast<int>(b.shape.cols);
    int info = 0;
    dgesv_(&n_, &right, a(), &ld_, pivots.data(), b.data.data(), &ld_, &info);
    if (info > 0) no_result(call_.op, "Singular matrix");
    give(b.data.data(), b.shape.size());
  }

  void cholesky() {
    int info = 0;
    dpotrf_("L", &n_, a(), &ld_, &info, kLetter);
    if (info > 0) no_result(call_.op, "Matrix is not positive definite");
    for (Index j = 0; j < n_; ++j) std::fill_n(a_.column(j), j, 0.0);
    give(a(), a_.shape.size());
  }

  /// Logarithms are added up, as NumPy does it.
  void determinant() {
    std::vector<int> pivots(static_cast<std::size_t>(n_));
    int info = 0;
    dgetrf_(&n_, &n_, a(), &ld_, pivots.data(), &info);
    double sign = info > 0 ? 0 : 1;
    double logarithm = info > 0 ? -std::numeric_limits<double>::infinity() : 0;
    for (int k = 0; k < n_ && info == 0; ++k) {
      if (pivots[static_cast<std::size_t>(k)] != k + 1) sign = -sign;
      if (a_(k, k) < 0) sign = -sign;
      logarithm += std::log(std::abs(a_(k, k)));
    }
    const double both[] = {sign, logarithm}, product = sign * std::exp(logarithm);
    if (call_.op == Op::det)
      give(&product, 1);
    else
      give(both, 2);
  }

  void least_squares() {
    constexpr const char* kDiverged = "SVD did not converge in Linear Least Squares";
    if (!a_.is_finite()) no_result(call_.op, kDiverged);  // dgelsd may make no end
    const int right = std::max(static_cast<int>(call_.right), 1), rows = std::max({m_, n_, 1});
    textbook::Dense<double> b({rows, right});
    for (Index j = 0; j < call_.right; ++j) std::copy_n(call_.b + m_ * j, m_, b.column(j));
    std::vector<double> s(static_cast<std::size_t>(k_));
    std::vector<int> integers(1);
    int rank = 0, info = 0;
    const auto run = [&](double* work, int size) {
      dgelsd_(&m_, &n_, &right, a(), &ld_, b.data.data(), &rows, s.data(), &call_.number, &rank,
              work, &size, integers.data(), &info);
      integers.resize(static_cast<std::size_t>(integers[0]) + 1);
    };
    if (k_ > 0) with_workspace(run);
    if (info > 0) no_result(call_.op, kDiverged);
    for (Index j = 0; j < call_.right; ++j) give(b.column(j), n_);
    give(s.data(), k_);
    const double as_number = rank;
    give(&as_number, 1);
  }

  void eigen() {
    const bool vectors = call_.size > n_;
    std::vector<double> values(static_cast<std::size_t>(n_));
    std::vector<int> integers(1);
    int info = 0;
    with_workspace([&](double* work, int size) {
      const int integer_size = size < 0 ? -1 : static_cast<int>(integers.size());
      dsyevd_(vectors ? "V" : "N", "L", &n_, a(), &ld_, values.data(), work, &size, integers.data(),
              &integer_size, &info, kLetter, kLetter);
      if (size < 0) integers.resize(static_cast<std::size_t>(std::max(integers[0], 1)));
    });
    if (info > 0) no_result(call_.op, "Eigenvalues did not converge");
    give(values.data(), n_);
    if (vectors) give(a(), a_.shape.size());
  }

  void singular() {
    if (!a_.is_finite()) no_result(call_.op, "SVD did not converge");  // dgesdd may make no end
    const Parts parts = svd_parts(Shape{m_, n_}, call_.size);
    const bool vectors = parts.size() > parts.values;
    const bool full = std::max(parts.second.cols, parts.third.rows) > k_;
    textbook::Dense<double> u(parts.second), v(parts.third);
    if (k_ == 0) {
      u = textbook::Dense<double>::identity(u.shape.rows, u.shape.cols);
      v = textbook::Dense<double>::identity(v.shape.rows, v.shape.cols);
    }
    std::vector<double> values(static_cast<std::size_t>(k_));
    std::vector<int> integers(static_cast<std::size_t>(8 * k_));
    const int u_rows = std::max(m_, 1), v_rows = std::max<int>(1, static_cast<int>(v.shape.rows));
    int info = 0;
    const auto run = [&](double* work, int size) {
      dgesdd_(!vectors ? "N"
              : full   ? "A"
                       : "S",
              &m_, &n_, a(), &ld_, values.data(), u.data.data(), &u_rows, v.data.data(), &v_rows,
              work, &size, integers.data(), &info, kLetter);
    };
    if (k_ > 0) with_workspace(run);
    if (info > 0) no_result(call_.op, "SVD did not converge");
    give(values.data(), k_);
    give(u.data.data(), u.shape.size());
    give(v.data.data(), v.shape.size());
  }

  void qr() {
    const Parts parts = qr_parts(Shape{m_, n_}, call_.size);
    const bool with_q = parts.second.size() > 0;
    const Index columns = with_q ? parts.second.cols : k_;
    std::vector<double> tau(static_cast<std::size_t>(k_) + 1);
    int info = 0;
    if (k_ > 0)
      with_workspace([&](double* work, int size) {
        dgeqrf_(&m_, &n_, a(), &ld_, tau.data(), work, &size, &info);
      });
    textbook::Dense<double> r({columns, n_});
    for (Index j = 0; j < n_; ++j)
      std::copy_n(a_.column(j), std::min<Index>(j + 1, k_), r.column(j));
    give(r.data.data(), r.shape.size());
    if (!with_q) return;
    textbook::Dense<double> q = textbook::Dense<double>::identity(m_, columns);
    if (k_ > 0) {
      std::copy_n(a(), Index(m_) * k_, q.data.begin());
      const int wide = static_cast<int>(columns);
      with_workspace([&](double* work, int size) {
        dorgqr_(&m_, &wide, &k_, q.data.data(), &ld_, tau.data(), work, &size, &info);
      });
    }
    give(q.data.data(), q.shape.size());
  }

  cudamat::SolverCall<double> call_;
  int m_, n_, k_, ld_;
  textbook::Dense<double> a_;
};

}  // namespace npmat

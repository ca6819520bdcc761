// Equations and factorisations by the textbook, on the host, for any floating-point type: Gaussian
// elimination with partial pivoting, Cholesky, Householder's QR, and Jacobi's methods for
// eigenvalues and singular values. G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th edition,
// 3.4, 4.2, 5.2, 8.5 and 8.6.
//
// Matrices are column-major and contiguous. What has no result throws with NumPy's words.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "cudamat/engine.hpp"
#include "cudamat/error.hpp"
#include "cudamat/solver.hpp"

namespace npmat::textbook {

using cudamat::Index;
using cudamat::misuse;
using cudamat::Op;
using cudamat::Parts;
using cudamat::Reason;
using cudamat::Shape;
using cudamat::SolverCall;

/// A matrix of its own memory.
template <class T>
struct Dense {
  Dense() = default;
  explicit Dense(Shape s) : shape(s), data(static_cast<std::size_t>(s.size()), T(0)) {}
  template <class U>
  Dense(Shape s, const U* from) : Dense(s) {
    for (Index k = 0; k < s.size(); ++k)
      data[static_cast<std::size_t>(k)] = static_cast<T>(from[k]);
  }
  static Dense identity(Index rows, Index cols) {
    Dense result(Shape{rows, cols});
    for (Index i = 0; i < std::min(rows, cols); ++i) result(i, i) = 1;
    return result;
  }

  T& operator()(Index i, Index j) { return data[static_cast<std::size_t>(i + shape.rows * j)]; }
  const T& operator()(Index i, Index j) const {
    return data[static_cast<std::size_t>(i + shape.rows * j)];
  }
  T* column(Index j) { return data.data() + shape.rows * j; }
  [[nodiscard]] Dense transposed() const {
    Dense result(shape.transposed());
    for (Index j = 0; j < shape.cols; ++j)
      for (Index i = 0; i < shape.rows; ++i) result(j, i) = (*this)(i, j);
    return result;
  }
  [[nodiscard]] bool is_finite() const {
    return std::all_of(data.begin(), data.end(), [](T x) { return std::isfinite(x); });
  }

  Shape shape;
  std::vector<T> data;
};

template <class T>
T dot(const T* a, const T* b, Index n) {
  T sum = 0;
  for (Index i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// L and U of a with its rows exchanged, in its place.
template <class T>
struct Lu {
  explicit Lu(Dense<T> a) : lu(std::move(a)) {
    const Index n = lu.shape.rows;
    for (Index k = 0; k < n; ++k) {
      Index pivot = k;
      for (Index i = k + 1; i < n; ++i)
        if (std::abs(lu(i, k)) > std::abs(lu(pivot, k))) pivot = i;
      pivots.push_back(pivot);
      if (lu(pivot, k) == 0) {
        singular = true;
        continue;
      }
      if (pivot != k)
        for (Index j = 0; j < n; ++j) std::swap(lu(k, j), lu(pivot, j));
      for (Index i = k + 1; i < n; ++i) lu(i, k) /= lu(k, k);
      for (Index j = k + 1; j < n; ++j)
        for (Index i = k + 1; i < n; ++i) lu(i, j) -= lu(i, k) * lu(k, j);
    }
  }
  /// x = the solution of a x = x.
  void solve(T* x) const {
    const Index n = lu.shape.rows;
    for (Index k = 0; k < n; ++k) std::swap(x[k], x[pivots[static_cast<std::size_t>(k)]]);
    for (Index k = 0; k < n; ++k)
      for (Index i = k + 1; i < n; ++i) x[i] -= lu(i, k) * x[k];
    for (Index k = n; k-- > 0;) {
      x[k] /= lu(k, k);
      for (Index i = 0; i < k; ++i) x[i] -= lu(i, k) * x[k];
    }
  }

  Dense<T> lu;
  std::vector<Index> pivots;
  bool singular = false;
};

template <class T>
Dense<T> solved(const Dense<T>& a, Dense<T> b, std::string_view op) {
  const Lu<T> lu(a);
  if (lu.singular) misuse(Reason::Unsupported, op, "Singular matrix");
  for (Index j = 0; j < b.shape.cols; ++j) lu.solve(b.column(j));
  return b;
}

/// The sign and the logarithm of the determinant's absolute value, as NumPy adds them up.
template <class T>
std::pair<T, T> log_determinant(const Dense<T>& a) {
  const Lu<T> lu(a);
  if (lu.singular) return {T(0), -std::numeric_limits<T>::infinity()};
  T sign = 1, logarithm = 0;
  for (Index k = 0; k < a.shape.rows; ++k) {
    if (lu.pivots[static_cast<std::size_t>(k)] != k) sign = -sign;
    if (lu.lu(k, k) < 0) sign = -sign;
    logarithm += std::log(std::abs(lu.lu(k, k)));
  }
  return {sign, logarithm};
}

/// Of its lower triangle.
template <class T>
Dense<T> cholesky(const Dense<T>& a) {
  const Index n = a.shape.rows;
  Dense<T> l(a.shape);
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) l(i, j) = a(i, j);
    for (Index k = 0; k < j; ++k)
      for (Index i = j; i < n; ++i) l(i, j) -= l(i, k) * l(j, k);
    if (!(l(j, j) > 0)) misuse(Reason::Unsupported, "cholesky", "Matrix is not positive definite");
    const T root = std::sqrt(l(j, j));
    for (Index i = j; i < n; ++i) l(i, j) /= root;
  }
  return l;
}

template <class T>
struct QR {
  Dense<T> q, r;
};

/// Q of `columns` columns, R of as many rows. R's diagonal has the signs that LAPACK gives it.
template <class T>
QR<T> qr(Dense<T> a, Index columns) {
  const Index m = a.shape.rows, n = a.shape.cols;
  const Index k = std::min(m, n);
  std::vector<T> tau(static_cast<std::size_t>(k), T(0));
  // Applies I - tau v v' to a column; v is 1 at p and below it what column p of a holds.
  const auto reflect = [&](Index p, T* x) {
    const T* const v = a.column(p) + p + 1;
    const T by = tau[static_cast<std::size_t>(p)] * (x[p] + dot(v, x + p + 1, m - p - 1));
    x[p] -= by;
    for (Index i = 0; i < m - p - 1; ++i) x[p + 1 + i] -= by * v[i];
  };
  for (Index p = 0; p < k; ++p) {
    T* const x = a.column(p);
    T below = 0;
    for (Index i = p + 1; i < m; ++i) below = std::hypot(below, x[i]);
    if (below == 0) continue;
    const T beta = -std::copysign(std::hypot(x[p], below), x[p]);
    tau[static_cast<std::size_t>(p)] = (beta - x[p]) / beta;
    for (Index i = p + 1; i < m; ++i) x[i] /= x[p] - beta;
    x[p] = beta;
    for (Index j = p + 1; j < n; ++j) reflect(p, a.column(j));
  }
  QR<T> result{Dense<T>::identity(m, columns), Dense<T>(Shape{columns, n})};
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i <= std::min(j, k - 1); ++i) result.r(i, j) = a(i, j);
  for (Index j = 0; j < columns; ++j)
    for (Index p = k; p-- > 0;) reflect(p, result.q.column(j));
  return result;
}

/// Rotates two columns by the angle with this cosine and sine.
template <class T>
void turn(T* x, T* y, Index n, T c, T s) {
  for (Index i = 0; i < n; ++i) {
    const T a = x[i], b = y[i];
    x[i] = c * a - s * b;
    y[i] = s * a + c * b;
  }
}

/// The rotation that makes a 2 x 2 symmetric matrix diagonal: its cosine and sine.
template <class T>
std::pair<T, T> rotation(T pp, T pq, T qq) {
  const T tau = (qq - pp) / (2 * pq);
  const T t = std::copysign(T(1), tau) / (std::abs(tau) + std::hypot(T(1), tau));
  const T c = 1 / std::hypot(T(1), t);
  return {c, t * c};
}

constexpr int kMostSweeps = 100;

template <class T>
struct Eigen {
  std::vector<T> values;
  Dense<T> vectors;
};

/// Of the symmetric matrix whose lower triangle this is.
template <class T>
Eigen<T> eigh(Dense<T> a) {
  const Index n = a.shape.rows;
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < j; ++i) a(i, j) = a(j, i);
  Dense<T> v = Dense<T>::identity(n, n);
  bool turned = true;
  for (int sweep = 0; turned; ++sweep) {
    if (sweep == kMostSweeps || !a.is_finite())
      misuse(Reason::Unsupported, "eigh", "Eigenvalues did not converge");
    turned = false;
    for (Index p = 0; p < n; ++p)
      for (Index q = p + 1; q < n; ++q) {
        const T pq = a(p, q);
        // Too small to change either number on the diagonal.
        if (a(p, p) + pq / 2 == a(p, p) && a(q, q) + pq / 2 == a(q, q)) continue;
        turned = true;
        const auto [c, s] = rotation(a(p, p), pq, a(q, q));
        turn(a.column(p), a.column(q), n, c, s);
        for (Index j = 0; j < n; ++j) {
          const T x = a(p, j), y = a(q, j);
          a(p, j) = c * x - s * y;
          a(q, j) = s * x + c * y;
        }
        a(p, q) = a(q, p) = 0;
        turn(v.column(p), v.column(q), n, c, s);
      }
  }
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return a(i, i) < a(j, j); });
  Eigen<T> result{{}, Dense<T>(a.shape)};
  for (Index j = 0; j < n; ++j) {
    const Index from = order[static_cast<std::size_t>(j)];
    result.values.push_back(a(from, from));
    std::copy_n(v.column(from), n, result.vectors.column(j));
  }
  return result;
}

/// U and V have columns for the values and, where more are asked for, others that complete them.
template <class T>
struct Singular {
  std::vector<T> values;
  Dense<T> u, v;
};

/// The first columns of `a`, and columns that complete them to an orthonormal system.
template <class T>
Dense<T> completed(const Dense<T>& a, Index known, Index wanted) {
  Dense<T> first(Shape{a.shape.rows, known});
  std::copy_n(a.data.begin(), first.data.size(), first.data.begin());
  Dense<T> result = qr(first, wanted).q;
  std::copy_n(a.data.begin(), first.data.size(), result.data.begin());
  return result;
}

/// One-sided: columns of `a` are turned until they are orthogonal.
template <class T>
Singular<T> svd(const Dense<T>& of, Index left, Index right) {
  if (of.shape.rows < of.shape.cols) {
    Singular<T> turned = svd(of.transposed(), right, left);
    std::swap(turned.u, turned.v);
    return turned;
  }
  Dense<T> a = of;
  const Index m = a.shape.rows, n = a.shape.cols;
  Dense<T> v = Dense<T>::identity(n, n);
  const T small = std::numeric_limits<T>::epsilon();
  bool turned = true;
  for (int sweep = 0; turned; ++sweep) {
    if (sweep == kMostSweeps || !a.is_finite())
      misuse(Reason::Unsupported, "svd", "SVD did not converge");
    turned = false;
    for (Index p = 0; p < n; ++p)
      for (Index q = p + 1; q < n; ++q) {
        const T pp = dot(a.column(p), a.column(p), m), qq = dot(a.column(q), a.column(q), m);
        const T pq = dot(a.column(p), a.column(q), m);
        if (std::abs(pq) <= small * std::sqrt(pp) * std::sqrt(qq)) continue;
        turned = true;
        const auto [c, s] = rotation(pp, pq, qq);
        turn(a.column(p), a.column(q), m, c, s);
        turn(v.column(p), v.column(q), n, c, s);
      }
  }
  std::vector<T> norms;
  for (Index j = 0; j < n; ++j) norms.push_back(std::sqrt(dot(a.column(j), a.column(j), m)));
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Index i, Index j) {
    return norms[static_cast<std::size_t>(i)] > norms[static_cast<std::size_t>(j)];
  });
  Singular<T> result{{}, Dense<T>(Shape{m, n}), Dense<T>(Shape{n, n})};
  Index rank = 0;  // columns that have a direction of their own
  for (Index j = 0; j < n; ++j) {
    const Index from = order[static_cast<std::size_t>(j)];
    const T norm = norms[static_cast<std::size_t>(from)];
    result.values.push_back(norm);
    std::copy_n(v.column(from), n, result.v.column(j));
    if (!(norm > small * result.values[0])) continue;
    for (Index i = 0; i < m; ++i) result.u(i, j) = a(i, from) / norm;
    rank = j + 1;
  }
  if (left > 0) result.u = completed(result.u, rank, left);
  if (right > n) result.v = completed(result.v, n, right);
  return result;
}

/// The call on the host's memory, computed in T.
template <class T, class U>
void solver(const SolverCall<U>& call) {
  const Shape shape{call.rows, call.cols};
  const Dense<T> a(shape, call.a);
  U* out = call.target;
  const auto give = [&](const T* from, Index n) {
    out = std::transform(from, from + n, out, [](T x) { return static_cast<U>(x); });
  };
  const auto give_all = [&](const Dense<T>& m) { give(m.data.data(), m.shape.size()); };
  switch (call.op) {
    case Op::solve:
      return give_all(solved(a, Dense<T>({call.rows, call.right}, call.b), "solve"));
    case Op::inv:
      return give_all(solved(a, Dense<T>::identity(call.rows, call.rows), "inv"));
    case Op::cholesky:
      return give_all(cholesky(a));
    case Op::det:
    case Op::slogdet: {
      const auto [sign, logarithm] = log_determinant(a);
      const T determinant = sign * std::exp(logarithm);
      if (call.op == Op::det) return give(&determinant, 1);
      give(&sign, 1);
      return give(&logarithm, 1);
    }
    case Op::lstsq: {
      Singular<T> s;
      try {
        s = svd(a, std::min(call.rows, call.cols), std::min(call.rows, call.cols));
      } catch (const cudamat::CUDAMatException&) {
        misuse(Reason::Unsupported, "lstsq", "SVD did not converge in Linear Least Squares");
      }
      const auto number = static_cast<T>(call.number);
      const T rcond = number < 0 ? -number * std::numeric_limits<U>::epsilon() : number;
      const Dense<T> b({call.rows, call.right}, call.b);
      Dense<T> x({call.cols, call.right});
      T rank = 0;
      for (std::size_t k = 0; k < s.values.size(); ++k) {
        if (!(s.values[k] > rcond * s.values[0])) continue;
        rank += 1;
        const auto at = static_cast<Index>(k);
        for (Index j = 0; j < call.right; ++j) {
          const T by =
              dot(s.u.column(at), &b.data[static_cast<std::size_t>(j * call.rows)], call.rows) /
              s.values[k];
          for (Index i = 0; i < call.cols; ++i) x(i, j) += by * s.v(i, at);
        }
      }
      give_all(x);
      give(s.values.data(), static_cast<Index>(s.values.size()));
      return give(&rank, 1);
    }
    case Op::eigh: {
      const Eigen<T> result = eigh(a);
      give(result.values.data(), call.rows);
      if (call.size > call.rows) give_all(result.vectors);
      return;
    }
    case Op::svd: {
      const Parts parts = svd_parts(shape, call.size);
      const Singular<T> result = svd(a, parts.second.cols, parts.third.rows);
      give(result.values.data(), parts.values);
      if (parts.size() == parts.values) return;
      give_all(result.u);
      return give_all(result.v.transposed());
    }
    case Op::qr: {
      const Parts parts = qr_parts(shape, call.size);
      const QR<T> result =
          qr(a, parts.second.size() > 0 ? parts.second.cols : std::min(call.rows, call.cols));
      give_all(result.r);
      if (parts.second.size() > 0) give_all(result.q);
      return;
    }
    default:
      break;
  }
  throw cudamat::InternalError("not a solver");
}

}  // namespace npmat::textbook

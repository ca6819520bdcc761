// The functions of the module `cudamat`, over any engine: cm::dot(a, b, target), cm::exp(a), ...
// Conventions and checks are those of matrix.hpp.
#pragma once

#include <type_traits>
#include <utility>

#include "cudamat/detail/composite_bodies.hpp"
#include "cudamat/matrix.hpp"

namespace cudamat {

/// A function's target: a matrix, named or temporary. Not deduced, so that both convert.
template <class E>
using To = std::type_identity_t<Target<Matrix<E>>>;
template <class E>
using Number = typename E::value_type;

// exp(mat) works in place, exp(mat, target) writes to target; this applies to all of
// CUDAMAT_UNARY_OPS. The original package's methods sign, which makes a new matrix, and reciprocal
// are functions as well. mat may be a temporary view: exp(x.slice(0, 3)).
#define ROW(op, family, style, functor, numpy, facts) \
  template <Engine E>                                 \
  decltype(auto) op(Matrix<E>& mat) {                 \
    return mat.op();                                  \
  }                                                   \
  template <Engine E>                                 \
  Matrix<E> op(Matrix<E>&& mat) {                     \
    return std::move(mat.op());                       \
  }                                                   \
  template <Engine E>                                 \
  Matrix<E>& op(const Matrix<E>& mat, To<E> target) { \
    return mat.op(target);                            \
  }
CUDAMAT_UNARY_OPS(ROW)
#undef ROW

template <Engine E>
Matrix<E>& gammaln(Matrix<E>& mat) {
  return mat.lgamma();
}
template <Engine E>
Matrix<E>& gammaln(const Matrix<E>& mat, To<E> target) {
  return mat.lgamma(target);
}
template <Engine E>
Matrix<E>& soft_threshold(Matrix<E>& mat, Number<E> alpha) {
  return mat.soft_threshold(alpha);
}
template <Engine E>
Matrix<E>& soft_threshold(const Matrix<E>& mat, Number<E> alpha, To<E> target) {
  return mat.soft_threshold(alpha, target);
}

/// mat to the power p: a number, or element by element.
template <Engine E>
Matrix<E>& pow(Matrix<E>& mat, Number<E> p) {
  return mat.pow(p);
}
template <Engine E>
Matrix<E>& pow(const Matrix<E>& mat, Number<E> p, To<E> target) {
  return mat.pow(p, target);
}
template <Engine E>
Matrix<E>& pow(Matrix<E>& mat, const Matrix<E>& p) {
  return mat.pow(p);
}
template <Engine E>
Matrix<E>& pow(const Matrix<E>& mat, const Matrix<E>& p, To<E> target) {
  return mat.pow(p, target);
}

// sum(mat, axis) makes a matrix, sum(mat, axis, target) writes to target; this applies to all of
// CUDAMAT_REDUCTION_OPS.
#define ROW(op, family, style, functor, numpy, facts)           \
  template <Engine E>                                           \
  Matrix<E> op(const Matrix<E>& mat, int axis) {                \
    return mat.op(axis);                                        \
  }                                                             \
  template <Engine E>                                           \
  Matrix<E>& op(const Matrix<E>& mat, int axis, To<E> target) { \
    return mat.op(axis, target);                                \
  }
CUDAMAT_REDUCTION_OPS(ROW)
#undef ROW

/// target = mult * (sum over axis)
template <Engine E>
Matrix<E> sum(const Matrix<E>& mat, int axis, Number<E> mult) {
  return mat.sum(axis, mult);
}
template <Engine E>
Matrix<E>& sum(const Matrix<E>& mat, int axis, To<E> target, Number<E> mult) {
  return mat.sum(axis, target, mult);
}

/// target = beta * target + alpha * (m1 @ m2). The flags of T() say which operands are transposed.
/// The target needs separate memory; with beta 0 it is not read. k = 0 gives beta * target. If m or
/// n is 1, sums are as accurate as pairwise ones.
template <Engine E>
Matrix<E>& dot(const Matrix<E>& m1, const Matrix<E>& m2, To<E> target, Number<E> beta = 0,
               Number<E> alpha = 1) {
  return Matrix<E>::product(Op::dot, m1, m2, target.matrix, beta, alpha);
}
template <Engine E>
Matrix<E> dot(const Matrix<E>& m1, const Matrix<E>& m2) {
  return m1.dot(m2);
}

/// The sum of the products of corresponding elements: a number. Waits for the device.
template <Engine E>
Number<E> vdot(const Matrix<E>& m1, const Matrix<E>& m2) {
  Check<Matrix<E>>(Op::vdot).same("m2", m2, "m1", m1);
  return E::reduce_all(Op::vdot, m1.data(), m2.data(), m1.size());
}
/// The same, written to a 1x1 matrix without waiting.
template <Engine E>
Matrix<E>& vdot(const Matrix<E>& m1, const Matrix<E>& m2, To<E> target) {
  Check<Matrix<E>>(Op::vdot).same("m2", m2, "m1", m1);
  rules::whole(Op::vdot, m1, target.matrix);
  E::reduce_all({Op::vdot, m1.size(), m1.data(), m2.data(), 1, 0, target.matrix.data()});
  return target.matrix;
}

/// target = if_mat where condition_mat is not 0 (NaN counts as not 0), else_mat elsewhere. It may
/// work in place; without a target it writes to condition_mat.
template <Engine E>
Matrix<E>& where(const Matrix<E>& condition_mat, const Matrix<E>& if_mat, const Matrix<E>& else_mat,
                 To<E> target) {
  Matrix<E>& t = target.matrix;
  rules::where(condition_mat, if_mat, else_mat, t);
  E::where(condition_mat.data(), if_mat.data(), else_mat.data(), t.data(), t.size());
  return t;
}
template <Engine E>
Matrix<E>& where(Matrix<E>& condition_mat, const Matrix<E>& if_mat, const Matrix<E>& else_mat) {
  return where(condition_mat, if_mat, else_mat, To<E>(condition_mat));
}

/// Correlation with an odd-sized kernel, centred, zero padded:
/// target[i, j] = sum over p, q of mat[i + p - kernel rows / 2, j + q - kernel cols / 2] *
/// kernel[p, q].
template <Engine E>
Matrix<E>& correlate(const Matrix<E>& mat, const Matrix<E>& kernel, To<E> target) {
  Matrix<E>& t = target.matrix;
  Check<Matrix<E>> check(Op::correlate);
  check.not_transposed("mat", mat).not_transposed("kernel", kernel);
  if (kernel.rows() % 2 == 0 || kernel.cols() % 2 == 0)
    misuse(Reason::Unsupported, "correlate", "kernel must have odd extents; got {}",
           kernel.shape());
  check.shape("target", t, mat.shape(), "mat", mat.shape());
  check.apart("mat", mat, t).apart("kernel", kernel, t);
  E::correlate(mat.data(), mat.rows(), mat.cols(), kernel.data(), kernel.rows(), kernel.cols(),
               t.data());
  return t;
}
template <Engine E>
Matrix<E> correlate(const Matrix<E>& mat, const Matrix<E>& kernel) {
  Matrix<E> result = Matrix<E>::empty(mat.shape());
  correlate(mat, kernel, result);
  return result;
}

/// target *= acts * (1 - acts)
template <Engine E>
Matrix<E>& mult_by_sigmoid_deriv(To<E> target, const Matrix<E>& acts) {
  return target.matrix.mult_by_sigmoid_deriv(acts);
}

// ---- equations and factorisations ----
//
// None obeys the flag of T(), and each target needs memory of its own. Where several results share
// a target (solver.hpp), it is a row that slice() and view() take apart:
//
//   cm::eigh(a, t);                                       // t: 1 x (n + n n)
//   CUDAMatrix values = t.slice(0, n);                    // 1 x n
//   CUDAMatrix vectors = t.slice(n, n + n * n).view({n, n});
//
// A singular matrix and the like is a CUDAMatException with the words of NumPy's LinAlgError; the
// target has not been written then. NaN and infinities raise an error in svd and lstsq; elsewhere
// they give NaN or raise an error, as in LAPACK. On a GPU (cuSOLVER) the calls that can raise an
// error wait for the device: all but det, slogdet and qr.

/// target = the x of a x = b, a n x n, b and target n x k; by LU, with partial pivoting.
template <Engine E>
Matrix<E>& solve(const Matrix<E>& a, const Matrix<E>& b, To<E> target) {
  return Matrix<E>::solver(Op::solve, a, &b, 0, target.matrix);
}
/// target = the inverse of a: the solution for the identity matrix.
template <Engine E>
Matrix<E>& inv(const Matrix<E>& a, To<E> target) {
  return Matrix<E>::solver(Op::inv, a, nullptr, 0, target.matrix);
}
/// target = L, lower triangular, of a = L L'; a's lower triangle is read.
template <Engine E>
Matrix<E>& cholesky(const Matrix<E>& a, To<E> target) {
  return Matrix<E>::solver(Op::cholesky, a, nullptr, 0, target.matrix);
}
/// target (1 x 1) = the determinant; 0 for a singular matrix.
template <Engine E>
Matrix<E>& det(const Matrix<E>& a, To<E> target) {
  return Matrix<E>::solver(Op::det, a, nullptr, 0, target.matrix);
}
/// target (1 x 2) = the sign of the determinant and the logarithm of its absolute value; 0 and -inf
/// for a singular matrix.
template <Engine E>
Matrix<E>& slogdet(const Matrix<E>& a, To<E> target) {
  return Matrix<E>::solver(Op::slogdet, a, nullptr, 0, target.matrix);
}
/// target = the x of least norm among those with the least |a x - b|, the singular values of a, and
/// the rank, that is, the number of singular values greater than rcond times the largest; only
/// these are used. A negative rcond is in units of the epsilon of the type.
template <Engine E>
Matrix<E>& lstsq(const Matrix<E>& a, const Matrix<E>& b, Number<E> rcond, To<E> target) {
  return Matrix<E>::solver(Op::lstsq, a, &b, rcond, target.matrix);
}
/// target = the eigenvalues, ascending, of the symmetric matrix whose lower triangle is in a, and,
/// if it is long enough, the eigenvectors. Their signs are those of LAPACK in float64 on the CPU,
/// and of cuSOLVER on a GPU.
template <Engine E>
Matrix<E>& eigh(const Matrix<E>& a, To<E> target) {
  return Matrix<E>::solver(Op::eigh, a, nullptr, 0, target.matrix);
}
/// target = the singular values, descending, and, if it is long enough, U and the transpose of V,
/// with k columns and rows or all of them. For signs see eigh.
template <Engine E>
Matrix<E>& svd(const Matrix<E>& a, To<E> target) {
  return Matrix<E>::solver(Op::svd, a, nullptr, 0, target.matrix);
}
/// target = R, and if it is long enough Q, with k columns or all of them.
template <Engine E>
Matrix<E>& qr(const Matrix<E>& a, To<E> target) {
  return Matrix<E>::solver(Op::qr, a, nullptr, 0, target.matrix);
}
/// target[k] (1 x n) = the sum of the weights of the elements of a that are k; weights has the
/// shape of a. It is 0 if there are none. Each sum has a fixed order, the same on every engine
/// (detail/bins.hpp): up to 64 weights are added one after the other, more in pieces, with the
/// accuracy of pairwise sums. Throws for an element that is negative, NaN, not a whole number, or
/// at least n; then the target is not written. Waits for the device. A GPU counts at most 2^32
/// numbers in float32.
template <Engine E>
Matrix<E>& bincount(const Matrix<E>& a, const Matrix<E>& weights, To<E> target) {
  return Matrix<E>::solver(Op::bincount, a, &weights, 0, target.matrix);
}
/// The same with weights of 1: the number of elements that are k, exact as long as the type can
/// represent it.
template <Engine E>
Matrix<E>& bincount(const Matrix<E>& a, To<E> target) {
  return Matrix<E>::solver(Op::bincount, a, nullptr, 0, target.matrix);
}

// ---- results of data-dependent length ----
//
// Elements are taken in storage order, column by column. select, nonzero and unique return the
// number of elements of the result, and wait for the device. Their targets are vectors (1 x n or n
// x 1) of the size of the source, in separate memory. Elements after the result are not changed;
// slice(0, count) of a row is the result. None uses the flag of T(). An empty source gives an empty
// result.

/// target = the elements of a at which the mask, of the same shape, is not 0 (NaN is not 0).
template <Engine E>
Index select(const Matrix<E>& a, const Matrix<E>& mask, To<E> target) {
  const Matrix<E>& t = target.matrix;
  rules::choice("select", "a", a, t);
  Check<Matrix<E>> check("select");
  check.shape("mask", mask, a.shape(), "a", a.shape()).apart("mask", mask, t);
  return E::select(a.data(), mask.data(), target.matrix.data(), a.size());
}
/// target = the indices, from 0, of the elements that are not 0 (NaN is not 0). Throws for more
/// elements than whole numbers in the type: 2^24 in float.
template <Engine E>
Index nonzero(const Matrix<E>& a, To<E> target) {
  rules::choice("nonzero", "a", a, target.matrix);
  rules::exact<Number<E>>("nonzero", "elements", a.size());
  return E::nonzero(a.data(), target.matrix.data(), a.size());
}
/// target = the distinct elements in ascending order. All NaNs count as one, at the end; -0 and 0
/// count as one, which is 0 unless there is only -0.
template <Engine E>
Index unique(const Matrix<E>& a, To<E> target) {
  rules::choice("unique", "a", a, target.matrix);
  return E::unique(a.data(), target.matrix.data(), nullptr, a.size());
}
/// The same, and counts = the number of occurrences of each, which is rounded beyond the whole
/// numbers of the type.
template <Engine E>
Index unique(const Matrix<E>& a, To<E> target, To<E> counts) {
  rules::choice("unique", "a", a, target.matrix);
  rules::room("unique", "counts", counts.matrix, a.size());
  Check<Matrix<E>> check("unique");
  check.apart("a", a, counts.matrix, "counts");
  check.apart("target", target.matrix, counts.matrix, "counts");
  return E::unique(a.data(), target.matrix.data(), counts.matrix.data(), a.size());
}

/// target, of a's shape, = the number of edges before each element. The edges are a vector in
/// ascending order, which is not checked. Side::Left, the default of np.searchsorted, counts edges
/// that are less than the element; Right, as np.digitize, those that are not greater; Bins is like
/// Right, except that the last edge counts only if it is less, so that k + 1 means bin k of
/// np.histogram. NaN is greater than any number, and in no bin. It may work in place, and does not
/// wait.
template <Engine E>
Matrix<E>& searchsorted(const Matrix<E>& edges, const Matrix<E>& a, Side side, To<E> target) {
  Matrix<E>& t = target.matrix;
  rules::edges("searchsorted", edges, 0);
  rules::exact<Number<E>>("searchsorted", "edges", edges.size());
  Check<Matrix<E>> check("searchsorted");
  check.not_transposed("a", a).shape("target", t, a.shape(), "a", a.shape());
  check.apart("edges", edges, t).in_place_or_apart("a", a, t);
  E::search(side, edges.data(), edges.size(), a.data(), t.data(), a.size());
  return t;
}

namespace detail {

template <Engine E>
Matrix<E>& histogram(const Matrix<E>& a, const Matrix<E>& edges, const Matrix<E>* weights,
                     Matrix<E>& target) {
  Check<Matrix<E>> check("histogram");
  rules::edges("histogram", edges, 2);
  const Index bins = edges.size() - 1;
  check.not_transposed("a", a);
  check.shape("target", target, {1, bins}, "edges", edges.shape());
  check.apart("a", a, target).apart("edges", edges, target);
  if (weights != nullptr)
    check.shape("weights", *weights, a.shape(), "a", a.shape()).apart("weights", *weights, target);
  Matrix<E> places = Matrix<E>::empty(a.shape()), all = Matrix<E>::empty({1, bins + 2});
  searchsorted(edges, a, Side::Bins, places);
  Matrix<E>::solver(Op::bincount, places, weights, 0, all);
  return target.assign(all.slice(1, 1 + bins));
}

}  // namespace detail

/// target (1 x n) = the number of elements of a in each of the n bins between n + 1 edges, a vector
/// in ascending order, which is not checked. A bin includes its lower edge, the last bin both
/// edges; elements outside and NaN are not counted. Allocates temporaries: a matrix of a's shape,
/// and a row.
template <Engine E>
Matrix<E>& histogram(const Matrix<E>& a, const Matrix<E>& edges, To<E> target) {
  return detail::histogram<E>(a, edges, nullptr, target.matrix);
}
/// The same with the sums of the elements' weights, a matrix of a's shape, as bincount adds them.
template <Engine E>
Matrix<E>& histogram(const Matrix<E>& a, const Matrix<E>& edges, const Matrix<E>& weights,
                     To<E> target) {
  return detail::histogram<E>(a, edges, &weights, target.matrix);
}

// ---- additions of npmat ----

/// axis 1: target[i, inds[i]] += 1 for every row i; axis 0: target[inds[j], j] += 1 for every
/// column j. An index out of range is ignored.
template <Engine E>
Matrix<E>& ind_incr(To<E> target, const Matrix<E>& inds, int axis) {
  Matrix<E>& t = target.matrix;
  Check<Matrix<E>> check(Op::ind_incr);
  check.axis(axis);
  check.not_transposed("target", t);
  detail::check_indices(Op::ind_incr, inds, axis == 1 ? t.rows() : t.cols(),
                        axis == 1 ? "row of target" : "column of target");
  check.apart("inds", inds, t);
  E::per_row({PerRow::Increment, axis == 1, t.rows(), t.cols(), t.data(), inds.data(), nullptr,
              Number<E>(0)});
  return t;
}

/// Each row of probs is a distribution (its sum need not be 1): target, of the same shape, has a 1
/// in each row at an index drawn from it and 0 elsewhere. One uniform number a row is drawn, row 0
/// first.
template <Engine E>
Matrix<E>& sample_multinomial(const Matrix<E>& probs, To<E> target) {
  Matrix<E>& t = target.matrix;
  const Shape shape = probs.shape();
  Check<Matrix<E>> check(Op::sample_multinomial);
  check.not_transposed("probs", probs).shape("target", t, shape, "probs", shape);
  check.in_place_or_apart("probs", probs, t);
  if (shape.size() == 0) return t;
  Matrix<E> draw = Matrix<E>::empty({shape.rows, 1});
  draw.fill_with_rand();
  probs.cumsum(t);
  draw.mult(t.slice(shape.cols - 1, shape.cols));
  Matrix<E> index = Matrix<E>::empty({shape.rows, 1});
  const typename FusedCall<Number<E>>::Input from[] = {{t.data(), shape.rows},
                                                       {draw.data(), shape.rows}};
  const typename FusedCall<Number<E>>::Target to{index.data(), shape.rows};
  const Number<E> zero(0);
  E::fused({detail::count_below_body(), shape.rows, shape.cols, from, {&zero, 1}, {&to, 1}});
  index.minimum(Number<E>(shape.cols - 1));
  t.assign(Number<E>(0));
  return t.set_item_to_each_row(index, Number<E>(1));
}
template <Engine E>
Matrix<E> sample_multinomial(const Matrix<E>& probs) {
  Matrix<E> result = Matrix<E>::empty(probs.shape());
  sample_multinomial(probs, result);
  return result;
}

/// Transposes many images at once: each row of in (batch x w*h) is an h x w image in row-major
/// order, and the same row of out is its w x h transpose: out[b, x * h + y] = in[b, y * w + x].
template <Engine E>
Matrix<E>& multi_transpose(const Matrix<E>& in, To<E> out, Index w, Index h, Index batch) {
  Check<Matrix<E>> check(Op::multi_transpose);
  if (w < 0 || h < 0 || batch < 0)
    misuse(Reason::Unsupported, "multi_transpose",
           "w, h and batch cannot be negative; got {}, {}, {}", w, h, batch);
  check_extents("multi_transpose", {w, h});
  check.not_transposed("in", in);
  if (in.shape() != Shape{batch, w * h})
    misuse(Reason::Shape, "multi_transpose", "in must be batch x w*h, {}; got {}",
           Shape{batch, w * h}, in.shape());
  check.shape("out", out.matrix, in.shape(), "in", in.shape()).apart("in", in, out.matrix, "out");
  E::transpose(in.data(), out.matrix.data(), w, h, batch);
  return out.matrix;
}

}  // namespace cudamat

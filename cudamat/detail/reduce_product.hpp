// Matrix: reductions, scans, sorting, norms, products. Contracts in matrix.hpp.
#pragma once

#include "cudamat/detail/composite_bodies.hpp"
#include "cudamat/matrix.hpp"

namespace cudamat {

template <Engine E>
Matrix<E>& Matrix<E>::reduce(Op op, const Matrix& mat, int axis, Matrix& target, T_ mult, T_ beta) {
  rules::reduction(op, mat, axis, target);
  const Shape shape = mat.shape();
  if (row(op).has(kNoEmpty) && (axis == 0 ? shape.rows : shape.cols) == 0)
    misuse(Reason::Unsupported, name(op),
           "mat {} is empty along axis {}, and an empty {} has no value", shape, axis, name(op));
  const int stored_axis = mat.transposed_ ? 1 - axis : axis;
  E::reduce({op == Op::add_sums ? Op::sum : op, stored_axis, mat.stored_.rows, mat.stored_.cols,
             mat.data_, mult, beta, target.data_});
  return target;
}

template <Engine E>
Matrix<E> Matrix<E>::reduced(Op op, int axis, T_ mult) const {
  Check<Matrix>(op).axis(axis);
  Matrix result(axis == 0 ? Shape{1, cols()} : Shape{rows(), 1});
  reduce(op, *this, axis, result, mult, T_(0));
  return result;
}

template <Engine E>
Matrix<E>& Matrix<E>::cumsum(To target) const {
  rules::along_columns(Op::cumsum, *this, target.matrix);
  E::cumsum(data_, target.matrix.data_, stored_.rows, stored_.cols);
  return target.matrix;
}

template <Engine E>
Matrix<E> Matrix<E>::cumsum() const {
  Matrix result(shape());
  cumsum(result);
  return result;
}

template <Engine E>
Matrix<E>& Matrix<E>::sort(To target) const {
  rules::along_columns(Op::sort, *this, target.matrix);
  if (target.matrix.data_ != data_) E::copy(data_, target.matrix.data_, size());
  E::sort(target.matrix.data_, stored_.rows, stored_.cols);
  return target.matrix;
}

template <Engine E>
Matrix<E> Matrix<E>::sort() const {
  Matrix result(shape());
  sort(result);
  return result;
}

template <Engine E>
Matrix<E>& Matrix<E>::argsort(To target) const {
  rules::sort(Op::argsort, *this, target.matrix);
  E::argsort(data_, target.matrix.data_, stored_.rows, stored_.cols);
  return target.matrix;
}

template <Engine E>
Matrix<E> Matrix<E>::argsort() const {
  Matrix result(shape());
  argsort(result);
  return result;
}

template <Engine E>
Matrix<E>& Matrix<E>::solver(Op op, const Matrix& a, const Matrix* b, T_ number, Matrix& target) {
  rules::solver(op, a, b, target);
  E::solver({op, a.stored_.rows, a.stored_.cols, a.data_, b == nullptr ? 0 : b->stored_.cols,
             b == nullptr ? nullptr : b->data_, number, target.size(), target.data_});
  return target;
}

template <Engine E>
Matrix<E>& Matrix<E>::softmax(int axis, To target) const {
  Check<Matrix>(Op::softmax).axis(axis);
  rules::along_columns(Op::softmax, *this, target.matrix);
  if (size() == 0) return target.matrix;
  const typename FusedCall<T_>::Input input{data_, stored_.rows};
  const typename FusedCall<T_>::Target output{target.matrix.data_, stored_.rows};
  E::fused({detail::softmax_body(axis), stored_.rows, stored_.cols, {&input, 1}, {}, {&output, 1}});
  return target.matrix;
}

template <Engine E>
typename E::value_type Matrix<E>::whole(Op op) const {
  Check<Matrix>(op).on_device("mat", *this);
  return E::reduce_all(op, data_, nullptr, size());
}

template <Engine E>
Matrix<E>& Matrix<E>::whole(Op op, To target) const {
  rules::whole(op, *this, target.matrix);
  E::reduce_all({op, size(), data_, nullptr, T_(1), T_(0), target.matrix.data_});
  return target.matrix;
}

template <Engine E>
typename E::value_type Matrix<E>::total_max() const {
  Check<Matrix>(Op::total_max).on_device("mat", *this);
  if (size() == 0)
    misuse(Reason::Unsupported, "total_max", "mat {} is empty, and an empty max has no value",
           shape());
  return whole(Op::total_max);
}

template <Engine E>
Matrix<E>& Matrix<E>::product(Op op, const Matrix& m1, const Matrix& m2, Matrix& target, T_ beta,
                              T_ alpha) {
  rules::product(op, m1, m2, target);
  const Shape a = m1.shape();
  const Shape b = m2.shape();
  E::gemm({m1.transposed_, m2.transposed_, a.rows, b.cols, a.cols, alpha, m1.data_, m2.data_, beta,
           target.data_});
  return target;
}

template <Engine E>
Matrix<E>& Matrix<E>::dot(const Matrix& mat2, To target) const {
  return product(Op::dot, *this, mat2, target.matrix, T_(0), T_(1));
}

template <Engine E>
Matrix<E> Matrix<E>::dot(const Matrix& mat2) const {
  Check<Matrix>(Op::dot).factors(*this, mat2);
  Matrix result(Shape{rows(), mat2.cols()});
  dot(mat2, result);
  return result;
}

}  // namespace cudamat

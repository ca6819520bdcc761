// Matrix: element-wise calls. Each checks, then hands one MapCall to the engine. Contracts in
// matrix.hpp.
#pragma once

#include "cudamat/matrix.hpp"

namespace cudamat {

template <Engine E>
Matrix<E>& Matrix<E>::unary(Op op, Matrix& target) const {
  Check<Matrix> check(op);
  check.same("target", target, "mat", *this).in_place_or_apart("mat", *this, target);
  E::map(
      {op, stored_.rows, stored_.cols, data_, Second::None, nullptr, T_(0), T_(1), target.data_});
  return target;
}

template <Engine E>
Matrix<E> Matrix<E>::fresh(Op op) const {
  Check<Matrix>(op).on_device("mat", *this);
  Matrix result(stored_);
  result.transposed_ = transposed_;
  unary(op, result);
  return result;
}

template <Engine E>
Matrix<E>& Matrix<E>::binary(Op op, const Matrix& val, Matrix& target) const {
  Check<Matrix> check(op);
  check.same("val", val, "mat", *this).same("target", target, "mat", *this);
  check.in_place_or_apart("mat", *this, target).in_place_or_apart("val", val, target);
  E::map({op, stored_.rows, stored_.cols, data_, Second::Matrix, val.data_, T_(0), T_(1),
          target.data_});
  return target;
}

template <Engine E>
Matrix<E>& Matrix<E>::binary(Op op, T_ val, Matrix& target) const {
  Check<Matrix> check(op);
  check.same("target", target, "mat", *this).in_place_or_apart("mat", *this, target);
  E::map(
      {op, stored_.rows, stored_.cols, data_, Second::Scalar, nullptr, val, T_(1), target.data_});
  return target;
}

template <Engine E>
Matrix<E>& Matrix<E>::broadcast(Op op, const Matrix& vec, T_ mult, Matrix& target) const {
  const bool row_vec = row(op).family == Family::RowBroadcast;
  const Shape wanted = row_vec ? Shape{1, stored_.cols} : Shape{stored_.rows, 1};
  Check<Matrix> check(op);
  check.not_transposed("mat", *this).shape("vec", vec, wanted, "mat", stored_);
  check.shape("target", target, stored_, "mat", stored_);
  check.in_place_or_apart("mat", *this, target);
  // A matrix of one vector may be updated in vec itself; then vec is an ordinary second operand.
  const bool one_vector = wanted == stored_;
  if (one_vector)
    check.in_place_or_apart("vec", vec, target);
  else
    check.apart("vec", vec, target);
  const Second second = one_vector ? Second::Matrix : row_vec ? Second::Row : Second::Column;
  E::map({op, stored_.rows, stored_.cols, data_, second, vec.data_, T_(0), mult, target.data_});
  return target;
}

template <Engine E>
Matrix<E>& Matrix<E>::scaled(Op op, std::string_view what, const Matrix& mat2, T_ alpha) {
  Check<Matrix> check(op);
  check.same(what, mat2, "self", *this).in_place_or_apart(what, mat2, *this, "self");
  E::map({op, stored_.rows, stored_.cols, data_, Second::Matrix, mat2.data_, T_(0), alpha, data_});
  return *this;
}

}  // namespace cudamat

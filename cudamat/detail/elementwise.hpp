// Matrix: element-wise calls. Each checks, then hands one MapCall to the engine. Contracts in
// matrix.hpp.
#pragma once

#include "cudamat/matrix.hpp"

namespace cudamat {

template <Engine E>
Matrix<E>& Matrix<E>::unary(Op op, Matrix& target) const {
  rules::unary(op, *this, target);
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
  rules::binary(op, *this, val, target);
  E::map({op, stored_.rows, stored_.cols, data_, Second::Matrix, val.data_, T_(0), T_(1),
          target.data_});
  return target;
}

template <Engine E>
Matrix<E>& Matrix<E>::binary(Op op, T_ val, Matrix& target) const {
  rules::unary(op, *this, target);
  E::map(
      {op, stored_.rows, stored_.cols, data_, Second::Scalar, nullptr, val, T_(1), target.data_});
  return target;
}

template <Engine E>
Matrix<E>& Matrix<E>::broadcast(Op op, const Matrix& vec, T_ mult, Matrix& target) const {
  rules::broadcast(op, *this, vec, target);
  const bool row_vec = row(op).family == Family::RowBroadcast;
  const Second second = vec.stored_ == stored_ ? Second::Matrix
                        : row_vec              ? Second::Row
                                               : Second::Column;
  E::map({op, stored_.rows, stored_.cols, data_, second, vec.data_, T_(0), mult, target.data_});
  return target;
}

template <Engine E>
Matrix<E>& Matrix<E>::scaled(Op op, std::string_view what, const Matrix& mat2, T_ alpha) {
  rules::update(op, what, mat2, *this);
  E::map({op, stored_.rows, stored_.cols, data_, Second::Matrix, mat2.data_, T_(0), alpha, data_});
  return *this;
}

}  // namespace cudamat

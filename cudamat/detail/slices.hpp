// Matrix: slices, selections, transposition. Contracts in matrix.hpp.
#pragma once

#include "cudamat/matrix.hpp"

namespace cudamat {

template <Engine E>
Matrix<E> Matrix<E>::slice(Index first_col, Index last_col) const {
  Check<Matrix> check("slice");
  check.not_transposed("mat", *this);
  check.range("columns", first_col, last_col, stored_.cols);
  return Matrix(buffer_, data_ + stored_.rows * first_col, {stored_.rows, last_col - first_col},
                false);
}

template <Engine E>
Matrix<E> Matrix<E>::get_col_slice(Index first_col, Index last_col) const {
  return slice(first_col, last_col);
}

template <Engine E>
Matrix<E>& Matrix<E>::get_col_slice(Index first_col, Index last_col, To target) const {
  Check<Matrix> check(Op::get_col_slice);
  check.not_transposed("mat", *this);
  check.range("columns", first_col, last_col, stored_.cols);
  rules::slice_shape(Op::get_col_slice, *this, last_col - first_col, target.matrix);
  const Matrix columns = slice(first_col, last_col);
  check.in_place_or_apart("the slice of mat", columns, target.matrix);
  target.matrix.assign(columns);
  return target.matrix;
}

template <Engine E>
Matrix<E>& Matrix<E>::set_col_slice(Index first_col, Index last_col, const Matrix& mat) {
  Check<Matrix> check(Op::set_col_slice);
  check.not_transposed("self", *this);
  check.range("columns", first_col, last_col, stored_.cols);
  rules::slice_shape(Op::set_col_slice, *this, last_col - first_col, mat);
  Matrix columns = slice(first_col, last_col);
  check.in_place_or_apart("mat", mat, columns, "the slice of self");
  columns.assign(mat);
  return *this;
}

template <Engine E>
Matrix<E>& Matrix<E>::get_row_slice(Index start, Index end, To target) const {
  Check<Matrix> check(Op::get_row_slice);
  check.not_transposed("mat", *this);
  check.range("rows", start, end, stored_.rows);
  rules::slice_shape(Op::get_row_slice, *this, end - start, target.matrix);
  check.apart("mat", *this, target.matrix);
  E::copy_block(
      {end - start, stored_.cols, data_ + start, stored_.rows, target.matrix.data_, end - start});
  return target.matrix;
}

template <Engine E>
Matrix<E> Matrix<E>::get_row_slice(Index start, Index end) const {
  Check<Matrix>(Op::get_row_slice).range("rows", start, end, rows());
  Matrix result(Shape{end - start, cols()});
  get_row_slice(start, end, result);
  return result;
}

template <Engine E>
Matrix<E>& Matrix<E>::set_row_slice(Index start, Index end, const Matrix& mat) {
  Check<Matrix> check(Op::set_row_slice);
  check.not_transposed("self", *this);
  check.range("rows", start, end, stored_.rows);
  rules::slice_shape(Op::set_row_slice, *this, end - start, mat);
  check.apart("mat", mat, *this, "self");
  E::copy_block({end - start, stored_.cols, mat.data_, end - start, data_ + start, stored_.rows});
  return *this;
}

namespace detail {

/// A vector of `count` indices, standing or lying.
template <class M>
void check_indices(Op op, const M& indices, Index count, std::string_view per) {
  Check<M>(op).not_transposed("indices", indices);
  const Shape shape = indices.shape();
  if (shape.size() != count || (shape.rows != 1 && shape.cols != 1))
    misuse(Reason::Shape, name(op), "indices must be a vector of {}, one for each {}; got {}",
           count, per, shape);
}

}  // namespace detail

template <Engine E>
Matrix<E>& Matrix<E>::select_columns(const Matrix& indices, To target) const {
  Matrix& t = target.matrix;
  Check<Matrix> check(Op::select_columns);
  check.not_transposed("mat", *this).not_transposed("target", t);
  detail::check_indices(Op::select_columns, indices, t.cols(), "column of target");
  check.shape("target", t, {stored_.rows, t.cols()}, "the rows of mat", stored_);
  check.apart("mat", *this, t).apart("indices", indices, t);
  E::gather_columns({stored_.rows, stored_.cols, t.cols(), data_, indices.data_, t.data_});
  return t;
}

template <Engine E>
Matrix<E>& Matrix<E>::set_selected_columns(const Matrix& indices, const Matrix& source) {
  Check<Matrix> check(Op::set_selected_columns);
  check.not_transposed("self", *this).not_transposed("source", source);
  detail::check_indices(Op::set_selected_columns, indices, source.cols(), "column of source");
  check.shape("source", source, {stored_.rows, source.cols()}, "the rows of self", stored_);
  check.apart("source", source, *this, "self").apart("indices", indices, *this, "self");
  E::scatter_columns(
      {stored_.rows, stored_.cols, source.cols(), source.data_, indices.data_, data_});
  return *this;
}

template <Engine E>
Matrix<E>& Matrix<E>::transpose(To target) const {
  rules::transpose(*this, target.matrix);
  if (transposed_)
    E::copy(data_, target.matrix.data_, size());
  else
    E::transpose(data_, target.matrix.data_, stored_.rows, stored_.cols, 1);
  return target.matrix;
}

template <Engine E>
Matrix<E> Matrix<E>::transpose() const {
  Matrix result(shape().transposed());
  transpose(result);
  return result;
}

template <Engine E>
Matrix<E>& Matrix<E>::get_item_from_each_row(const Matrix& indices, To target) const {
  Matrix& t = target.matrix;
  Check<Matrix> check(Op::get_item_from_each_row);
  check.not_transposed("mat", *this);
  detail::check_indices(Op::get_item_from_each_row, indices, stored_.rows, "row of mat");
  check.shape("target", t, {stored_.rows, 1}, "mat", stored_);
  check.apart("mat", *this, t).in_place_or_apart("indices", indices, t);
  E::per_row({PerRow::Get, true, stored_.rows, stored_.cols, data_, indices.data_, t.data_, T_(0)});
  return t;
}

template <Engine E>
Matrix<E> Matrix<E>::get_item_from_each_row(const Matrix& indices) const {
  Matrix result(Shape{rows(), 1});
  get_item_from_each_row(indices, result);
  return result;
}

template <Engine E>
Matrix<E>& Matrix<E>::set_item_to_each_row(const Matrix& indices, T_ val) {
  return set_per_row(indices, nullptr, val);
}

template <Engine E>
Matrix<E>& Matrix<E>::set_item_to_each_row(const Matrix& indices, const Matrix& val) {
  return set_per_row(indices, &val, T_(0));
}

template <Engine E>
Matrix<E>& Matrix<E>::set_per_row(const Matrix& indices, const Matrix* val, T_ number) {
  Check<Matrix> check(Op::set_item_to_each_row);
  check.not_transposed("self", *this);
  detail::check_indices(Op::set_item_to_each_row, indices, stored_.rows, "row of self");
  check.apart("indices", indices, *this, "self");
  if (val != nullptr) {
    check.shape("val", *val, {stored_.rows, 1}, "self", stored_);
    check.apart("val", *val, *this, "self");
  }
  E::per_row({PerRow::Set, true, stored_.rows, stored_.cols, data_, indices.data_,
              val != nullptr ? val->data_ : nullptr, number});
  return *this;
}

}  // namespace cudamat

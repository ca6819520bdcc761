// Matrix: life, shape, host and device. Contracts in matrix.hpp.
#pragma once

#include "cudamat/matrix.hpp"

namespace cudamat {

template <Engine E>
Matrix<E>::Matrix(Shape shape) : stored_(shape) {
  check_extents("empty", shape);
  buffer_ = std::make_shared<Buffer<E>>(shape.size());
  data_ = buffer_->data();
}

template <Engine E>
Matrix<E>::Matrix(const Host& host) : Matrix(host.shape()) {
  E::copy_to_device(host.data(), data_, size());
}

template <Engine E>
Matrix<E> Matrix<E>::zeros(Shape shape) {
  Matrix result(shape);
  result.assign(T_(0));
  return result;
}

template <Engine E>
Matrix<E> Matrix<E>::randn(Shape shape) {
  Matrix result(shape);
  result.fill_with_randn();
  return result;
}

template <Engine E>
Matrix<E> Matrix<E>::borrow(T_* data, Shape stored, bool transposed) {
  check_extents("borrow", stored);
  return Matrix(Buffer<E>::of_others(), data, stored, transposed);
}

template <Engine E>
Matrix<E> Matrix<E>::borrow(T_* data, Shape stored, bool transposed, std::shared_ptr<void> owner) {
  check_extents("borrow", stored);
  return Matrix(std::make_shared<Buffer<E>>(std::move(owner)), data, stored, transposed);
}

template <Engine E>
Matrix<E>& Matrix<E>::reshape(Shape shape) {
  Check<Matrix>("reshape").not_transposed("mat", *this);
  check_extents("reshape", shape);
  if (shape.size() != size())
    misuse(Reason::Shape, "reshape", "{} has {} elements, {} would have {}", stored_, size(), shape,
           shape.size());
  stored_ = shape;
  return *this;
}

template <Engine E>
Matrix<E>& Matrix<E>::resize(Shape shape) {
  check_extents("resize", shape);
  if (!on_device() || shape.size() != size()) *this = Matrix(shape);
  stored_ = shape;
  transposed_ = false;
  host_.reset();
  return *this;
}

template <Engine E>
Matrix<E>& Matrix<E>::set_trans(bool transposed) {
  transposed_ = transposed;
  return *this;
}

template <Engine E>
Matrix<E> Matrix<E>::view(Shape shape) const {
  Check<Matrix>("view").not_transposed("mat", *this);
  Matrix result(buffer_, data_, stored_, false);
  result.reshape(shape);
  return result;
}

template <Engine E>
Matrix<E> Matrix<E>::T() const {
  Check<Matrix>("T").on_device("mat", *this);
  return Matrix(buffer_, data_, stored_, !transposed_);
}

template <Engine E>
Matrix<E> Matrix<E>::copy() const {
  Check<Matrix>("copy").on_device("mat", *this);
  Matrix result(stored_);
  E::copy(data_, result.data_, size());
  result.transposed_ = transposed_;
  return result;
}

template <Engine E>
void Matrix<E>::free_device_memory() {
  buffer_.reset();
  data_ = nullptr;
}

template <Engine E>
void Matrix<E>::copy_to_host() {
  Check<Matrix>("copy_to_host").on_device("mat", *this);
  if (transposed_) {
    Matrix turned(shape());
    E::transpose(data_, turned.data_, stored_.rows, stored_.cols, 1);
    turned.copy_to_host();
    host_ = std::move(turned.host_);
    return;
  }
  if (!host_ || host_->shape() != stored_) host_ = std::make_unique<Host>(stored_);
  E::copy_to_host(data_, host_->data(), size());
}

template <Engine E>
void Matrix<E>::copy_to_device() {
  if (!host_)
    misuse("copy_to_device", "there is no host copy; numpy_array() or copy_to_host() makes one");
  if (!on_device() || size() != host_->shape().size()) {
    Matrix fresh(host_->shape());
    buffer_ = std::move(fresh.buffer_);
    data_ = fresh.data_;
  }
  stored_ = host_->shape();
  transposed_ = false;
  E::copy_to_device(host_->data(), data_, size());
}

template <Engine E>
const HostMatrix<typename E::value_type>& Matrix<E>::asarray() {
  copy_to_host();
  return *host_;
}

template <Engine E>
HostMatrix<typename E::value_type>& Matrix<E>::numpy_array() {
  if (!host_) copy_to_host();
  return *host_;
}

template <Engine E>
Matrix<E>& Matrix<E>::assign(const Matrix& val) {
  rules::update(Op::assign, "val", val, *this);
  if (val.data_ != data_) E::copy(val.data_, data_, size());
  return *this;
}

template <Engine E>
Matrix<E>& Matrix<E>::assign(T_ val) {
  Check<Matrix>(Op::assign).on_device("self", *this);
  E::fill(data_, size(), val);
  return *this;
}

template <Engine E>
Matrix<E>& Matrix<E>::fill_with_rand() {
  Check<Matrix>(Op::fill_with_rand).on_device("self", *this);
  E::uniform(data_, size());
  return *this;
}

template <Engine E>
Matrix<E>& Matrix<E>::fill_with_randn() {
  Check<Matrix>(Op::fill_with_randn).on_device("self", *this);
  E::normal(data_, size());
  return *this;
}

}  // namespace cudamat

// The structs of the C interface as matrices of the checked front, and back.
#pragma once

#include <string_view>
#include <utility>

#include "cudamat/capi/choice.hpp"
#include "cudamat/capi/guarded.hpp"
#include "cudamat/functions.hpp"
#include "cudamat/matrix.hpp"

namespace cudamat::capi {

/// Raises an error for a null pointer.
template <class T>
void not_null(std::string_view op, std::string_view what, const T* pointer) {
  if (pointer == nullptr) misuse(op, "{} is a null pointer", what);
}

/// Gives a call of this name its operands, on engine E:
/// at.stored("mat", mat).exp(at.stored("target", t)). Operands first, then the flags, then the
/// call, which checks the shapes: the status is that of the first fault in this order.
template <class E>
class Operands {
 public:
  using engine = E;

  explicit Operands(std::string_view op) : op_(op) {}

  /// The struct's matrix, over the struct's memory. Throws for a null pointer, a negative size and
  /// where there is no device memory.
  Matrix<E> operator()(std::string_view what, const cudamat_struct* mat) const {
    Matrix<E> matrix = header(what, mat);
    const bool has_memory = mat->data_device != nullptr || matrix.size() == 0;
    if (mat->on_device == 0 || !has_memory) matrix.free_device_memory();
    Check<Matrix<E>>(op_).on_device(what, matrix);
    return matrix;
  }

  /// The matrix that lies in the memory, whatever the flag says.
  Matrix<E> stored(std::string_view what, const cudamat_struct* mat) const {
    Matrix<E> matrix = (*this)(what, mat);
    matrix.set_trans(false);
    return matrix;
  }

  /// Raises an error for an operand with the flag.
  void plain(std::string_view what, const cudamat_struct* mat) const {
    Check<Matrix<E>>(op_).not_transposed(what, (*this)(what, mat));
  }

  /// Raises an error for two operands of which one has the flag.
  void alike(std::string_view what, const cudamat_struct* mat, std::string_view like,
             const cudamat_struct* other) const {
    if ((mat->is_trans != 0) != (other->is_trans != 0))
      misuse(Reason::TransposedMixed, op_, "{} {} and {} differ in the transposed flag", what,
             header(what, mat).shape(), like);
  }

  /// The same without regard to whether there is device memory: for its shape.
  Matrix<E> header(std::string_view what, const cudamat_struct* mat) const {
    not_null(op_, what, mat);
    const Shape shape{mat->size[0], mat->size[1]};
    check_extents(op_, shape);
    return Matrix<E>::borrow(mat->data_device, shape, mat->is_trans != 0);
  }

  [[nodiscard]] std::string_view op() const { return op_; }

 private:
  std::string_view op_;
};

/// The body of a function of this name: f(operands) on the chosen engine; its status.
template <class F>
int run(std::string_view op, F&& f) noexcept {
  return guarded(
      [&] { on_engine([&]<class E>(E /*engine*/) { std::forward<F>(f)(Operands<E>(op)); }); });
}

}  // namespace cudamat::capi

// The checks of the front: one place, one wording, for every engine. Each throws CUDAMatException
// with the Reason that fits; an illegal overlap has none of its own (Other).
#pragma once

#include <functional>
#include <string_view>

#include "cudamat/error.hpp"
#include "cudamat/op_table.hpp"
#include "cudamat/shape.hpp"

namespace cudamat {

/// Whether two operands have an element of memory in common. These two are for operands with
/// addresses; another M of Check brings its own.
template <class M>
requires requires(const M& m) {
  m.data();
}
bool overlap(const M& a, const M& b) {
  const std::less<> before;  // a total order, for pointers into different blocks too
  return a.size() != 0 && b.size() != 0 && before(a.data(), b.data() + b.size()) &&
         before(b.data(), a.data() + a.size());
}
/// Whether they are the same elements.
template <class M>
requires requires(const M& m) {
  m.data();
}
bool coincide(const M& a, const M& b) {
  return a.data() == b.data() && a.size() == b.size();
}

/// The checks of one call. `M` is a Matrix, or another description of an operand: shape() as its
/// flag shows it, is_transposed(), on_device(), overlap() and coincide(). Operands are named as in
/// the call's documentation. Checks of shape include that the operand is on the device.
template <class M>
class Check {
 public:
  explicit Check(std::string_view op) : op_(op) {}
  explicit Check(Op op) : op_(name(op)) {}

  /// The operand's memory is on the device.
  const Check& on_device(std::string_view what, const M& m) const {
    if (!m.on_device())
      misuse(Reason::NotOnDevice, op_, "{} {} is not on the device; copy_to_device() puts it there",
             what, m.shape());
    return *this;
  }

  /// Its transposed flag is not set.
  const Check& not_transposed(std::string_view what, const M& m) const {
    on_device(what, m);
    if (m.is_transposed())
      misuse(
          Reason::Transposed, op_,
          "{} {} is a transposed view, which this operation does not accept; use a transposed copy",
          what, m.shape());
    return *this;
  }

  /// It has the shape that `like` (a named operand) asks for.
  const Check& shape(std::string_view what, const M& m, Shape expected, std::string_view like,
                     Shape like_shape) const {
    not_transposed(what, m);
    if (m.shape() != expected)
      misuse(Reason::Shape, op_, "{} must be {} to match {} {}; got {}", what, expected, like,
             like_shape, m.shape());
    return *this;
  }

  /// Element-wise partners: the same shape and the same transposed flag.
  const Check& same(std::string_view what, const M& m, std::string_view like,
                    const M& other) const {
    on_device(what, m);
    on_device(like, other);
    if (m.is_transposed() != other.is_transposed())
      misuse(Reason::TransposedMixed, op_,
             "{} {} and {} differ in the transposed flag; transpose() makes a copy", what,
             m.shape(), like);
    if (m.shape() != other.shape())
      misuse(Reason::Shape, op_, "{} must be {} to match {}; got {}", what, other.shape(), like,
             m.shape());
    return *this;
  }

  /// The target coincides with the operand or does not touch it: an element-wise call may work in
  /// place.
  const Check& in_place_or_apart(std::string_view what, const M& operand, const M& target,
                                 std::string_view target_name = "target") const {
    if (overlap(operand, target) && !coincide(operand, target))
      misuse(op_, "{} {} partly overlaps {} {}; give it memory of its own or all of {}",
             target_name, target.shape(), what, operand.shape(), what);
    return *this;
  }

  /// The target does not touch the operand.
  const Check& apart(std::string_view what, const M& operand, const M& target,
                     std::string_view target_name = "target") const {
    if (overlap(operand, target))
      misuse(op_, "{} {} overlaps {} {}, which is read while it is written; use another target",
             target_name, target.shape(), what, operand.shape());
    return *this;
  }

  /// m1 @ m2 exists.
  void factors(const M& m1, const M& m2) const {
    on_device("m1", m1).on_device("m2", m2);
    if (m1.shape().cols != m2.shape().rows)
      misuse(Reason::Shape, op_,
             "m1 {} and m2 {}: the columns of m1 must be as many as the rows of m2", m1.shape(),
             m2.shape());
  }

  void axis(Index axis) const {
    if (axis != 0 && axis != 1)
      misuse(Reason::Unsupported, op_, "axis must be 0 or 1; got {}", axis);
  }

  void range(std::string_view what, Index first, Index last, Index extent) const {
    if (first < 0 || last < first || last > extent)
      misuse(Reason::Shape, op_, "{} {}:{} do not lie within 0:{}", what, first, last, extent);
  }

 private:
  std::string_view op_;
};

}  // namespace cudamat

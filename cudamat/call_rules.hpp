// What each family of calls asks of its operands: their shapes, their flags, and which of them may
// share memory with the target. The methods of Matrix ask it when they run, the verifier of
// statement lists before that. Inlined by force: an 8x8 call can take less than 10 ns, and a call
// to here would add 5.
#pragma once

#include <algorithm>
#include <limits>
#include <string_view>

#include "cudamat/check.hpp"
#include "cudamat/solver.hpp"

namespace cudamat::rules {

/// Unary, UnaryScalar, and Binary with a number.
template <class M>
[[gnu::always_inline]] inline void unary(Op op, const M& mat, const M& target) {
  Check<M>(op).same("target", target, "mat", mat).in_place_or_apart("mat", mat, target);
}

template <class M>
[[gnu::always_inline]] inline void binary(Op op, const M& mat, const M& val, const M& target) {
  const Check<M> check(op);
  check.same("val", val, "mat", mat).same("target", target, "mat", mat);
  check.in_place_or_apart("mat", mat, target).in_place_or_apart("val", val, target);
}

/// ColBroadcast, RowBroadcast, ColScaled.
template <class M>
[[gnu::always_inline]] inline void broadcast(Op op, const M& mat, const M& vec, const M& target) {
  const Check<M> check(op);
  check.not_transposed("mat", mat);
  const Shape shape = mat.shape();
  const Shape wanted =
      row(op).family == Family::RowBroadcast ? Shape{1, shape.cols} : Shape{shape.rows, 1};
  check.shape("vec", vec, wanted, "mat", shape).shape("target", target, shape, "mat", shape);
  check.in_place_or_apart("mat", mat, target);
  // A matrix of one vector may be updated in vec itself; then vec is an ordinary second operand.
  if (wanted == shape)
    check.in_place_or_apart("vec", vec, target);
  else
    check.apart("vec", vec, target);
}

/// Scaled, Modulate, Assign: self is the target.
template <class M>
[[gnu::always_inline]] inline void update(Op op, std::string_view what, const M& mat,
                                          const M& self) {
  Check<M>(op).same(what, mat, "self", self).in_place_or_apart(what, mat, self, "self");
}

template <class M>
[[gnu::always_inline]] inline void where(const M& condition_mat, const M& if_mat, const M& else_mat,
                                         const M& target) {
  const Check<M> check(Op::where);
  check.same("if_mat", if_mat, "condition_mat", condition_mat);
  check.same("else_mat", else_mat, "condition_mat", condition_mat);
  check.same("target", target, "condition_mat", condition_mat);
  check.in_place_or_apart("condition_mat", condition_mat, target);
  check.in_place_or_apart("if_mat", if_mat, target);
  check.in_place_or_apart("else_mat", else_mat, target);
}

/// Scan, Sort, and a softmax.
template <class M>
[[gnu::always_inline]] inline void along_columns(Op op, const M& mat, const M& target) {
  const Check<M> check(op);
  check.not_transposed("mat", mat).shape("target", target, mat.shape(), "mat", mat.shape());
  check.in_place_or_apart("mat", mat, target);
}

/// Sort. What sorts a matrix cannot be put in its place.
template <class M>
[[gnu::always_inline]] inline void sort(Op op, const M& mat, const M& target) {
  along_columns(op, mat, target);
  if (op == Op::argsort) Check<M>(op).apart("mat", mat, target);
}

/// Solver. `b` is null where the operation has no second operand.
template <class M>
void solver(Op op, const M& a, const M* b, const M& target) {
  const Check<M> check(op);
  check.not_transposed("a", a).not_transposed("target", target).apart("a", a, target);
  const Shape shape = a.shape();
  if (b != nullptr) check.not_transposed("b", *b).apart("b", *b, target);
  const bool is_square = op != Op::lstsq && op != Op::svd && op != Op::qr && op != Op::bincount;
  if (is_square && shape.rows != shape.cols)
    misuse(Reason::Shape, name(op), "a must be square; got {}", shape);
  if (b != nullptr && (op == Op::bincount ? b->shape() != shape : b->shape().rows != shape.rows))
    misuse(Reason::Shape, name(op), "{} of b must be those of a {}; got {}",
           op == Op::bincount ? "the extents" : "the rows", shape, b->shape());
  const Index size = target.shape().size();
  const auto row = [&](Index length) { check.shape("target", target, {1, length}, "a", shape); };
  const auto row_of = [&](const Parts& parts, const char* lengths, auto... numbers) {
    if (parts.values < 0 || target.shape().rows != 1)
      misuse(Reason::Shape, name(op), "target must be 1x{} for a {}; got {}",
             fmt::format(fmt::runtime(lengths), numbers...), shape, target.shape());
  };
  switch (op) {
    case Op::solve:
      check.shape("target", target, b->shape(), "b", b->shape());
      return;
    case Op::inv:
    case Op::cholesky:
      check.shape("target", target, shape, "a", shape);
      return;
    case Op::det:
      return row(1);
    case Op::slogdet:
      return row(2);
    case Op::lstsq:
      return row(lstsq_parts(shape, b->shape().cols).size());
    case Op::eigh:
      return row_of(eigh_parts(shape.rows, size), "{} or {}", shape.rows,
                    eigh_parts(shape.rows, true).size());
    case Op::svd:
      return row_of(svd_parts(shape, size), "{}, {} or {}", svd_parts(shape, false, false).size(),
                    svd_parts(shape, true, false).size(), svd_parts(shape, true, true).size());
    case Op::qr:
      return row_of(qr_parts(shape, size), "{}, {} or {}", qr_parts(shape, false, false).size(),
                    qr_parts(shape, true, false).size(), qr_parts(shape, true, true).size());
    default:
      return row(size);
  }
}

/// What has room for up to n numbers.
template <class M>
void room(std::string_view op, std::string_view what, const M& m, Index n) {
  Check<M>(op).not_transposed(what, m);
  const Shape shape = m.shape();
  if (shape.size() < n || (shape.rows > 1 && shape.cols > 1))
    misuse(Reason::Shape, op, "{} must be a vector with room for {} elements; got {}", what, n,
           shape);
}

/// Of so many elements at least.
template <class M>
void edges(std::string_view op, const M& m, Index least) {
  Check<M>(op).not_transposed("edges", m);
  const Shape shape = m.shape();
  if (shape.size() < least || (shape.rows > 1 && shape.cols > 1))
    misuse(Reason::Shape, op, "edges must be a vector of {} or more elements; got {}", least,
           shape);
}

/// Throws if T cannot represent all whole numbers from 0 to n.
template <class T>
void exact(std::string_view op, std::string_view what, Index n) {
  constexpr int kDigits = std::numeric_limits<T>::digits;
  if (n > Index{1} << std::min(kDigits, 62))
    misuse(Reason::Unsupported, op,
           "{} {} do not have numbers of their own in this type; at most {}", n, what,
           Index{1} << std::min(kDigits, 62));
}

/// Of a source of n elements.
template <class M>
void choice(std::string_view op, std::string_view what, const M& source, const M& target) {
  Check<M>(op).not_transposed(what, source);
  room(op, "target", target, source.shape().size());
  Check<M>(op).apart(what, source, target);
}

/// Reduction, ArgReduction, Accumulate.
template <class M>
[[gnu::always_inline]] inline void reduction(Op op, const M& mat, Index axis, const M& target) {
  const Check<M> check(op);
  check.axis(axis);
  check.on_device("mat", mat);
  const Shape shape = mat.shape();
  const Shape wanted = axis == 0 ? Shape{1, shape.cols} : Shape{shape.rows, 1};
  const char* const target_name = row(op).family == Family::Accumulate ? "self" : "target";
  check.shape(target_name, target, wanted, axis == 0 ? "(axis 0) mat" : "(axis 1) mat", shape);
  check.apart("mat", mat, target, target_name);
}

/// Whole, into a matrix of one element, which may be one of mat's.
template <class M>
[[gnu::always_inline]] inline void whole(Op op, const M& mat, const M& target) {
  const Check<M> check(op);
  check.on_device("mat", mat).on_device("target", target);
  if (target.shape() != Shape{1, 1})
    misuse(Reason::Shape, name(op), "target must be 1x1, for one number; got {}", target.shape());
  if (row(op).has(kNoEmpty) && mat.shape().size() == 0)
    misuse(Reason::Unsupported, name(op), "mat {} is empty, and an empty {} has no value",
           mat.shape(), op == Op::total_max ? "max" : name(op));
}

/// Product, AddProduct.
template <class M>
[[gnu::always_inline]] inline void product(Op op, const M& m1, const M& m2, const M& target) {
  const Check<M> check(op);
  check.factors(m1, m2);
  const Shape wanted{m1.shape().rows, m2.shape().cols};
  const char* const target_name = row(op).family == Family::Product ? "target" : "self";
  check.not_transposed(target_name, target);
  if (target.shape() != wanted)
    misuse(Reason::Shape, name(op), "{} must be {} for m1 {} and m2 {}; got {}", target_name,
           wanted, m1.shape(), m2.shape(), target.shape());
  check.apart("m1", m1, target, target_name).apart("m2", m2, target, target_name);
}

template <class M>
[[gnu::always_inline]] inline void transpose(const M& mat, const M& target) {
  const Check<M> check(Op::transpose);
  check.on_device("mat", mat);
  check.shape("target", target, mat.shape().transposed(), "mat", mat.shape());
  check.apart("mat", mat, target);
}

/// GetSlice, SetSlice: `part` has the shape of `count` rows or columns of `whole`.
template <class M>
[[gnu::always_inline]] inline void slice_shape(Op op, const M& whole, Index count, const M& part) {
  const bool rows = op == Op::get_row_slice || op == Op::set_row_slice;
  const bool get = row(op).family == Family::GetSlice;
  const Shape shape = whole.shape();
  const Shape wanted = rows ? Shape{count, shape.cols} : Shape{shape.rows, count};
  const char* const like = rows  ? get ? "the rows of mat" : "the rows of self"
                           : get ? "the columns of mat"
                                 : "the columns of self";
  Check<M>(op).shape(get ? "target" : "mat", part, wanted, like, shape);
}

}  // namespace cudamat::rules

// RowTest of the element-wise rows, made from their families.
#pragma once

#include "tests/conformance/elementwise.hpp"
#include "tests/conformance/row_test.hpp"

namespace conformance {

/// The calls of an element-wise row, over matrices of one shape.
template <Op op>
struct MapCalls;

#define ROW(op, family, style, functor, numpy, facts)           \
  template <>                                                   \
  struct MapCalls<Op::op> {                                     \
    template <class M, class T>                                 \
    static void to(const M& first, const M&, M& target, T) {    \
      if constexpr (!cudamat::row(Op::op).has(cudamat::kFresh)) \
        if (&first == &target) {                                \
          EXPECT_EQ(&target.op(), &target);                     \
          return;                                               \
        }                                                       \
      EXPECT_EQ(&first.op(target), &target);                    \
    }                                                           \
  };
CUDAMAT_UNARY_OPS(ROW)
#undef ROW

#define ROW(op, family, style, functor, numpy, facts)               \
  template <>                                                       \
  struct MapCalls<Op::op> {                                         \
    template <class M, class T>                                     \
    static void to(const M& first, const M& second, M& target, T) { \
      if (&first == &target)                                        \
        EXPECT_EQ(&target.op(second), &target);                     \
      else                                                          \
        EXPECT_EQ(&first.op(second, target), &target);              \
    }                                                               \
    template <class M, class T>                                     \
    static void number_to(const M& first, T number, M& target) {    \
      if (&first == &target)                                        \
        EXPECT_EQ(&target.op(number), &target);                     \
      else                                                          \
        EXPECT_EQ(&first.op(number, target), &target);              \
    }                                                               \
  };
CUDAMAT_BINARY_OPS(ROW)
#undef ROW

#define ROW(op, family, style, functor, numpy, facts)          \
  template <>                                                  \
  struct MapCalls<Op::op> {                                    \
    template <class M, class T>                                \
    static void to(const M& mat, const M& vec, M& target, T) { \
      if (&mat == &target)                                     \
        EXPECT_EQ(&target.op(vec), &target);                   \
      else                                                     \
        EXPECT_EQ(&mat.op(vec, target), &target);              \
    }                                                          \
  };
CUDAMAT_BROADCAST_OPS(ROW)
#undef ROW

template <>
struct MapCalls<Op::soft_threshold> {
  template <class M, class T>
  static void number_to(const M& first, T number, M& target) {
    if (&first == &target)
      EXPECT_EQ(&target.soft_threshold(number), &target);
    else
      EXPECT_EQ(&first.soft_threshold(number, target), &target);
  }
};

template <>
struct MapCalls<Op::add_col_mult> {
  template <class M, class T>
  static void to(const M& mat, const M& vec, M& target, T mult) {
    if (&mat == &target)
      EXPECT_EQ(&target.add_col_mult(vec, mult), &target);
    else
      EXPECT_EQ(&mat.add_col_mult(vec, mult, target), &target);
  }
};

// These update `first`, which is the target.
template <>
struct MapCalls<Op::add_mult> {
  template <class M, class T>
  static void to(const M&, const M& second, M& target, T alpha) {
    EXPECT_EQ(&target.add_mult(second, alpha), &target);
  }
};
template <>
struct MapCalls<Op::subtract_mult> {
  template <class M, class T>
  static void to(const M&, const M& second, M& target, T alpha) {
    EXPECT_EQ(&target.subtract_mult(second, alpha), &target);
  }
};
template <>
struct MapCalls<Op::mult_by_sigmoid_deriv> {
  template <class M, class T>
  static void to(const M&, const M& second, M& target, T) {
    EXPECT_EQ(&cudamat::mult_by_sigmoid_deriv(target, second), &target);
  }
};

template <Op op>
requires(kFamily<op> == Family::Unary) struct RowTest<op> {
  template <class E>
  static void run() {
    check_elementwise<E>({op, false, MapCalls<op>::template to<Mat<E>, Value<E>>}, Value<E>(1),
                         {Place::Apart, Place::OnFirst});
  }
};

template <Op op>
requires(kFamily<op> == Family::UnaryScalar) struct RowTest<op> {
  template <class E>
  static void run() {
    check_scalar<E>(op, MapCalls<op>::template number_to<Mat<E>, Value<E>>);
  }
};

template <Op op>
requires(kFamily<op> == Family::Binary) struct RowTest<op> {
  template <class E>
  static void run() {
    check_elementwise<E>({op, true, MapCalls<op>::template to<Mat<E>, Value<E>>}, Value<E>(1),
                         {Place::Apart, Place::OnFirst, Place::OnSecond});
    check_scalar<E>(op, MapCalls<op>::template number_to<Mat<E>, Value<E>>);
  }
};

template <Op op>
requires(kFamily<op> == Family::Scaled || kFamily<op> == Family::Modulate) struct RowTest<op> {
  template <class E>
  static void run() {
    using T = Value<E>;
    for (const T alpha : {T(0.3), T(-2), kInfinity<T>}) {
      check_elementwise<E>({op, true, MapCalls<op>::template to<Mat<E>, T>}, alpha,
                           {Place::OnFirst});
      if (kFamily<op> == Family::Modulate) return;
    }
  }
};

template <Op op>
requires(kFamily<op> == Family::ColBroadcast || kFamily<op> == Family::RowBroadcast ||
         kFamily<op> == Family::ColScaled) struct RowTest<op> {
  template <class E>
  static void run() {
    constexpr bool kRow = kFamily<op> == Family::RowBroadcast;
    constexpr auto kCall = MapCalls<op>::template to<Mat<E>, Value<E>>;
    check_broadcast<E>(op, kRow, Value<E>(0.3), kCall);
    check_broadcast_on_vec<E>(op, kRow, Value<E>(0.3), kCall);
  }
};

}  // namespace conformance

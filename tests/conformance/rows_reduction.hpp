// RowTest of the reductions over an axis, of add_sums, cumsum and softmax.
#pragma once

#include "tests/conformance/row_test.hpp"

namespace conformance {

/// The error that pairwise summation of n numbers may have, as a multiple of the sum of their
/// magnitudes: blocks of up to 128 numbers in up to 8 running sums, then a binary tree.
template <class T>
Wider<T> summation_error(Index n) {
  Index levels = 24;
  for (Index k = n; k > 128; k /= 2) ++levels;
  return Wider<T>(levels < n ? levels : n) * roundoff<T>();
}

/// What a reduction of the n numbers at(0) ... at(n - 1) must give, and how near.
template <class T>
struct Reduced {
  Wider<T> value, allowed;
};

template <class T, class At>
Reduced<T> reduce_reference(Op op, Index n, At at) {
  Wider<T> sum = 0, magnitudes = 0, product = 1;
  Index winner = 0, zeros = 0;
  for (Index k = 0; k < n; ++k) {
    const Wider<T> x = at(k);
    sum += x;
    magnitudes += magnitude(x);
    product *= x;
    if (x == 0) ++zeros;
    const Wider<T> best = at(winner);
    if (best != best) continue;
    const bool takes_over = op == Op::argmin || op == Op::min ? x < best : x > best;
    if (takes_over || x != x) winner = k;
  }
  // A row without a case does not compile.
  switch (op) {
    case Op::sum:
      return {sum, magnitudes * summation_error<T>(n)};
    case Op::mean:
      return {sum / n, (magnitudes * summation_error<T>(n) + magnitude(sum) * roundoff<T>()) / n};
    case Op::prod:
      return {product, magnitude(product) * roundoff<T>() * n};
    case Op::any:
      return {Wider<T>(zeros < n ? 1 : 0), 0};
    case Op::all:
      return {Wider<T>(zeros == 0 ? 1 : 0), 0};
    case Op::argmax:
    case Op::argmin:
      return {Wider<T>(winner), 0};
    case Op::max:
    case Op::min:
      return {n == 0 ? Wider<T>(0) : Wider<T>(at(winner)), 0};
#define ROW(op, family, style, functor, numpy, facts) case Op::op:
      CUDAMAT_MAP_OPS(ROW)
      CUDAMAT_WHOLE_OPS(ROW)
      CUDAMAT_OTHER_OPS(ROW)
#undef ROW
      break;
  }
  throw std::logic_error(std::string(name(op)) + " is no reduction");
}

template <class E>
using ReduceTo = Mat<E>& (*)(const Mat<E>& mat, int axis, Mat<E>& target);

/// Contents that suit the operation: whole numbers with many ties for the winners, numbers around 1
/// for prod, about one number or one 0 along the longer axis for any and all.
template <class T>
Host<T> reduction_contents(Op op, Shape shape, Random<T>& random) {
  if (op == Op::sum || op == Op::mean) return random.matrix(shape, -1, 2);
  Host<T> result = random.matrix(shape, T(0.95), T(1.05));
  if (op == Op::any || op == Op::all) {
    const Index most = shape.rows > shape.cols ? shape.rows : shape.cols;
    for (Index k = 0; k < shape.size(); ++k)
      if ((random.integer(0, most) == 0) == (op == Op::all)) result.data()[k] = T(0);
    return result;
  }
  if (op != Op::prod)
    for (Index k = 0; k < shape.size(); ++k)
      result.data()[k] = static_cast<T>(random.integer(-9, 9)) / 2;
  return result;
}

inline std::vector<Shape> reduction_shapes() {
  std::vector<Shape> result = shapes();
  for (const Shape shape : {Shape{1, 100003}, {100003, 1}, {3, 20011}, {20011, 3}})
    result.push_back(shape);
  return result;
}

/// The reference of a reduction of `values` (as the flag shows them) over an axis.
template <class T>
void check_reduced(Op op, const Host<T>& got, const Host<T>& values, int axis) {
  const Shape shape = values.shape();
  const Index n = axis == 0 ? shape.rows : shape.cols;
  ASSERT_TRUE((got.shape() == (axis == 0 ? Shape{1, shape.cols} : Shape{shape.rows, 1})));
  for (Index k = 0; k < got.shape().size(); ++k) {
    const Reduced<T> wanted = reduce_reference<T>(
        op, n, [&](Index i) { return axis == 0 ? values(i, k) : values(k, i); });
    if (near(got.data()[k], wanted.value, wanted.allowed)) continue;
    expect_near(got.data()[k], wanted.value, wanted.allowed,
                fmt::format("{} of {} over axis {}, element {}", name(op), shape, axis, k));
    return;
  }
}

/// All shapes, both axes, flagged and not, at several addresses; the same bits at each address.
template <class E>
void check_reductions(Op op, ReduceTo<E> to) {
  using T = Value<E>;
  Random<T> random(11);
  const bool has_empty = !cudamat::row(op).has(cudamat::kNoEmpty);
  for (const Shape shape : reduction_shapes())
    for (const int axis : {0, 1})
      for (const bool flagged : {false, true}) {
        const Index length = axis == 0 ? shape.rows : shape.cols;
        if (length == 0 && !has_empty) continue;
        const Host<T> values = reduction_contents(op, shape, random);
        const Host<T> stored = flagged ? transposed(values) : values;
        const Shape reduced = axis == 0 ? Shape{1, shape.cols} : Shape{shape.rows, 1};
        Framed<E> mat(stored, 1);
        Framed<E> elsewhere(stored, 2);
        Framed<E> target(reduced, 3);
        mat->set_trans(flagged);
        elsewhere->set_trans(flagged);
        EXPECT_EQ(&to(*mat, axis, *target), &*target);
        const Host<T> got = target.contents();
        check_reduced(op, got, values, axis);
        to(*elsewhere, axis, *target);
        expect_same(target.contents(), got, "the same numbers at another address");
        expect_same(mat.contents(), stored, "operand");
        if (::testing::Test::HasFailure()) return;
      }
}

/// One special value at each place of a vector, two of them at others; along both axes.
template <class E>
void check_special_in_reductions(Op op, ReduceTo<E> to) {
  using T = Value<E>;
  Random<T> random(12);
  for (const T special : {kNaN<T>, kInfinity<T>, -kInfinity<T>})
    for (const T second : {kNaN<T>, kInfinity<T>, -kInfinity<T>})
      for (const Index n : {1, 2, 5, 31, 33, 100})
        for (Index at = 0; at<n; at += n> 40 ? 7 : 1)
          for (const Index width : {1, 3}) {
            Host<T> values = random.matrix({n, width});
            values(at, width - 1) = special;
            values((at + n / 2) % n, 0) = second;
            Framed<E> standing(values);
            Framed<E> lying(transposed(values));
            Framed<E> target0(Shape{1, width}), target1(Shape{width, 1});
            check_reduced(op, read(to(*standing, 0, *target0)), values, 0);
            check_reduced(op, read(to(*lying, 1, *target1)), transposed(values), 1);
            if (::testing::Test::HasFailure()) return;
          }
}

#define ROW(op, family, style, functor, numpy, facts)                                           \
  template <>                                                                                   \
  struct RowTest<Op::op> {                                                                      \
    template <class E>                                                                          \
    static void run() {                                                                         \
      const ReduceTo<E> to = [](const Mat<E>& mat, int axis, Mat<E>& target) -> Mat<E>& {       \
        return mat.op(axis, target);                                                            \
      };                                                                                        \
      check_reductions<E>(Op::op, to);                                                          \
      check_special_in_reductions<E>(Op::op, to);                                               \
      Mat<E> mat(Random<Value<E>>(3).matrix({5, 7}));                                           \
      for (const int axis : {0, 1}) check_reduced(Op::op, read(mat.op(axis)), read(mat), axis); \
    }                                                                                           \
  };
CUDAMAT_REDUCTION_OPS(ROW)
#undef ROW

/// target = beta * target + mult * sums; the target is not read when beta is 0.
template <class E>
void check_scaled_sums(Value<E> mult, Value<E> beta) {
  using T = Value<E>;
  Random<T> random(13);
  for (const Shape shape : {Shape{0, 3}, {3, 0}, {1, 1}, {7, 33}, {33, 7}, {4097, 3}, {3, 4097}})
    for (const int axis : {0, 1}) {
      const Host<T> values = random.matrix(shape);
      const Shape reduced = axis == 0 ? Shape{1, shape.cols} : Shape{shape.rows, 1};
      const Host<T> before = beta == 0 ? Host<T>(reduced, kNaN<T>) : random.matrix(reduced);
      Framed<E> mat(values);
      Framed<E> target(before);
      if (beta == 0)
        EXPECT_EQ(&mat->sum(axis, *target, mult), &*target);
      else
        EXPECT_EQ(&target->add_sums(*mat, axis, mult, beta), &*target);
      const Host<T> got = target.contents();
      for (Index k = 0; k < reduced.size(); ++k) {
        const Reduced<T> sum =
            reduce_reference<T>(Op::sum, axis == 0 ? shape.rows : shape.cols,
                                [&](Index i) { return axis == 0 ? values(i, k) : values(k, i); });
        const Wider<T> old = beta == 0 ? Wider<T>(0) : Wider<T>(beta) * before.data()[k];
        const Wider<T> scaled = Wider<T>(mult) * sum.value;
        expect_near(got.data()[k], old + scaled,
                    magnitude(Wider<T>(mult)) * sum.allowed +
                        2 * roundoff<T>() * (magnitude(old) + magnitude(scaled)),
                    fmt::format("{} over axis {}, element {}", shape, axis, k));
      }
    }
}

template <>
struct RowTest<Op::add_sums> {
  template <class E>
  static void run() {
    using T = Value<E>;
    for (const T mult : {T(1), T(-0.3), T(0)})
      for (const T beta : {T(0), T(1), T(0.7)}) check_scaled_sums<E>(mult, beta);
    // beta 0 through add_sums itself: what was there, NaN included, does not matter.
    Framed<E> target(Shape{1, 3});
    target->add_sums(Mat<E>(Host<T>{{1, 2, 3}, {4, 5, 6}}), 0, 2, 0);
    expect_same(target.contents(), Host<T>{{10, 14, 18}});
  }
};

template <>
struct RowTest<Op::cumsum> {
  template <class E>
  static void run() {
    using T = Value<E>;
    Random<T> random(14);
    for (const Shape shape : reduction_shapes())
      for (const bool in_place : {false, true}) {
        const Host<T> values = random.matrix(shape);
        Framed<E> mat(values, 3);
        Framed<E> target(shape, 2);
        Framed<E>& out = in_place ? mat : target;
        EXPECT_EQ(&mat->cumsum(*out), &*out);
        const Host<T> got = out.contents();
        for (Index i = 0; i < shape.rows; ++i) {
          Wider<T> sum = 0, magnitudes = 0;
          for (Index j = 0; j < shape.cols; ++j) {
            sum += values(i, j);
            magnitudes += magnitude(values(i, j));
            const Wider<T> allowed = magnitudes * roundoff<T>() * j;
            if (!near(got(i, j), sum, allowed))
              expect_near(got(i, j), sum, allowed, fmt::format("cumsum of {}", shape));
          }
        }
        if (::testing::Test::HasFailure()) return;
      }
    Host<T> special{{1, kNaN<T>, 2}, {1, kInfinity<T>, -kInfinity<T>}, {1, 2, 3}};
    expect_same(read(Mat<E>(special).cumsum()),
                Host<T>{{1, kNaN<T>, kNaN<T>}, {1, kInfinity<T>, kNaN<T>}, {1, 3, 6}});
  }
};

template <>
struct RowTest<Op::softmax> {
  template <class E>
  static void run() {
    using T = Value<E>;
    Random<T> random(15);
    for (const Shape shape : shapes())
      for (const int axis : {0, 1}) {
        const Host<T> values = random.matrix(shape, -30, 30);
        Framed<E> mat(values);
        Framed<E> target(shape, 2);
        EXPECT_EQ(&mat->softmax(axis, *target), &*target);
        check(target.contents(), values, axis);
        expect_same(mat.contents(), values, "operand");
        EXPECT_EQ(&mat->softmax(axis), &*mat);
        expect_same(mat.contents(), target.contents(), "in place");
        if (::testing::Test::HasFailure()) return;
      }
    // Large numbers do not overflow; NaN spoils its own row alone.
    Mat<E> large(Host<T>{{10000, 10000}, {-kInfinity<T>, 0}, {kNaN<T>, 1}});
    expect_same(read(large.softmax(1)), Host<T>{{T(0.5), T(0.5)}, {0, 1}, {kNaN<T>, kNaN<T>}});
  }

  template <class T>
  static void check(const Host<T>& got, const Host<T>& values, int axis) {
    const Shape shape = values.shape();
    const Index n = axis == 0 ? shape.rows : shape.cols;
    for (Index k = 0; k < (axis == 0 ? shape.cols : shape.rows) && n != 0; ++k) {
      const auto at = [&](Index i) { return axis == 0 ? values(i, k) : values(k, i); };
      const Wider<T> largest = reduce_reference<T>(Op::max, n, at).value;
      Wide sum = 0;
      for (Index i = 0; i < n; ++i) sum += wide_exp(at(i) - largest);
      for (Index i = 0; i < n; ++i) {
        const auto wanted = static_cast<Wider<T>>(wide_exp(at(i) - largest) / sum);
        // exp within 4.5 ulp, of an argument rounded once, here and in the sum; a division.
        const Wider<T> relative = (2 * (9 + 60) + 2) * roundoff<T>() + summation_error<T>(n);
        const T value = axis == 0 ? got(i, k) : got(k, i);
        if (near(value, wanted, wanted * relative)) continue;
        expect_near(value, wanted, wanted * relative, fmt::format("softmax of {}", shape));
        return;
      }
    }
  }
};

}  // namespace conformance

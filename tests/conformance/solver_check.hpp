// What the RowTests of equations and factorisations share: wider arithmetic, and calls whose
// surroundings are watched.
#pragma once

#include <algorithm>
#include <string>

#include "cudamat/solver.hpp"
#include "tests/conformance/harness.hpp"

namespace conformance {

/// A host matrix in wider arithmetic, with what the checks need of it.
template <class T>
using Wide_ = Host<Wider<T>>;

template <class T>
Wide_<T> widened(const Host<T>& a) {
  Wide_<T> result(a.shape());
  for (Index k = 0; k < a.shape().size(); ++k) result.data()[k] = a.data()[k];
  return result;
}

template <class W>
Host<W> times(const Host<W>& a, const Host<W>& b) {
  Host<W> result(Shape{a.shape().rows, b.shape().cols});
  for (Index j = 0; j < b.shape().cols; ++j)
    for (Index k = 0; k < a.shape().cols; ++k)
      for (Index i = 0; i < a.shape().rows; ++i) result(i, j) += a(i, k) * b(k, j);
  return result;
}

template <class W>
Host<W> unit(Index n) {
  Host<W> result(Shape{n, n});
  for (Index i = 0; i < n; ++i) result(i, i) = 1;
  return result;
}

/// The largest difference of elements.
template <class W>
W distance(const Host<W>& a, const Host<W>& b) {
  EXPECT_TRUE(a.shape() == b.shape());
  if (a.shape() != b.shape()) return 0;
  W result = 0;
  for (Index k = 0; k < a.shape().size(); ++k) {
    const W d = magnitude(W(a.data()[k] - b.data()[k]));
    if (!(d <= result)) result = d;
  }
  return result;
}

/// Rounding errors of n-th order sums of numbers up to `scale`.
template <class T>
void expect_close(const Wide_<T>& got, const Wide_<T>& wanted, Index n, double scale,
                  const std::string& what) {
  const auto d = static_cast<double>(distance(got, wanted));
  const double allowed = 40 * static_cast<double>(n + 1) * scale *
                         static_cast<double>(std::numeric_limits<T>::epsilon());
  EXPECT_TRUE(d <= allowed) << what << ": differs by " << d << ", allowed " << allowed;
}

/// The k-th of several results in one target.
template <class T>
Wide_<T> part(const Host<T>& packed, Index first, Shape shape) {
  Wide_<T> result(shape);
  for (Index k = 0; k < shape.size(); ++k) result.data()[k] = packed.data()[first + k];
  return result;
}

/// Well away from singular.
template <class T>
Host<T> regular(Index n, Random<T>& random) {
  Host<T> a = random.matrix({n, n});
  for (Index i = 0; i < n; ++i) a(i, i) += static_cast<T>(n) * T(0.5) + 1;
  return a;
}

/// Calls the operation on memory whose surroundings are watched; the operands stay as they were.
template <class E>
Host<Value<E>> solver_result(Op op, const Host<Value<E>>& a, const Host<Value<E>>* b,
                             Value<E> number, Shape shape) {
  Framed<E> first(a, 3), second(b == nullptr ? Host<Value<E>>(Shape{1, 1}) : *b, 5);
  Framed<E> target(shape, 1);
  EXPECT_EQ(&Mat<E>::solver(op, *first, b == nullptr ? nullptr : &*second, number, *target),
            &*target);
  expect_same(first.contents(), a, "a");
  if (b != nullptr) expect_same(second.contents(), *b, "b");
  return target.contents();
}

/// The exception's text, or nothing.
template <class F>
std::string refusal_of(F&& call) {
  try {
    call();
  } catch (const cudamat::CUDAMatException& error) {
    return error.what();
  }
  return "";
}

/// The call refuses with this text, and has not written to its target.
template <class E>
void expect_refused(Op op, const Host<Value<E>>& a, const Host<Value<E>>* b, Shape shape,
                    const std::string& text) {
  using T = Value<E>;
  const Mat<E> first(a);
  const Mat<E> second = b == nullptr ? Mat<E>() : Mat<E>(*b);
  Framed<E> target(shape);
  EXPECT_EQ(refusal_of([&] {
              Mat<E>::solver(op, first, b == nullptr ? nullptr : &second, T(0), *target);
            }),
            text);
  expect_same(target.contents(), Host<T>(shape, kNaN<T>), "target");
}

constexpr Index kExtents[] = {0, 1, 5, 33};

/// Shapes, flags and memory that every such call refuses.
template <class E>
void refuses_misuse(Op op, bool square, bool two) {
  using T = Value<E>;
  Mat<E> a = Mat<E>::zeros({3, 3}), b = Mat<E>::zeros({3, 3}), t = Mat<E>::empty({3, 4});
  const auto call = [&](const Mat<E>& first, Mat<E>& target) {
    return refusal_of([&] { Mat<E>::solver(op, first, two ? &b : nullptr, T(0), target); });
  };
  const std::string name(cudamat::name(op));
  if (op != Op::bincount) {
    EXPECT_TRUE(call(a, t).starts_with("[" + name + "] target must be"));
  }
  EXPECT_TRUE(call(a.T(), t).starts_with("[" + name + "] a 3x3 is a transposed view"));
  Mat<E> wide = Mat<E>::zeros({2, 3});
  if (square) {
    EXPECT_EQ(call(wide, t), "[" + name + "] a must be square; got 2x3");
  }
  EXPECT_TRUE(call(a, a).find("overlaps a 3x3") != std::string::npos) << call(a, a);
}

}  // namespace conformance

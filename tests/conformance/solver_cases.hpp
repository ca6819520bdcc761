// Equations and factorisations of matrices whose results are known: by hand, or NumPy's.
#pragma once

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/conformance/solver_check.hpp"

namespace conformance {

/// Tridiagonal: of determinant 4, with the eigenvalues 2 - sqrt(2), 2, 2 + sqrt(2).
template <class T>
Host<T> second_differences() {
  return Host<T>{{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}};
}

/// 3 x 4, of rank 3.
template <class T>
Host<T> wide_sample() {
  return Host<T>{{1, 2, 0, 1}, {0, 1, 1, 0}, {2, 0, 1, 3}};
}

template <class E>
void check_known_factors() {
  using T = Value<E>;
  using W = Wider<T>;
  const Host<T> a = second_differences<T>();
  Wide_<T> l(Shape{3, 3});
  l(0, 0) = W(std::sqrt(2.0L));
  l(1, 0) = -W(std::sqrt(0.5L));
  l(1, 1) = W(std::sqrt(1.5L));
  l(2, 1) = -W(std::sqrt(2.0L / 3));
  l(2, 2) = W(std::sqrt(4.0L / 3));
  expect_close<T>(widened(solver_result<E>(Op::cholesky, a, nullptr, 0, {3, 3})), l, 3, 2, "L");
  const Host<T> inverse{
      {T(0.75), T(0.5), T(0.25)}, {T(0.5), 1, T(0.5)}, {T(0.25), T(0.5), T(0.75)}};
  expect_close<T>(widened(solver_result<E>(Op::inv, a, nullptr, 0, {3, 3})), widened(inverse), 3, 2,
                  "inverse");
  const Host<T> values = solver_result<E>(Op::eigh, a, nullptr, 0, {1, 3});
  const Wide_<T> wanted{{2 - W(std::sqrt(2.0L)), 2, 2 + W(std::sqrt(2.0L))}};
  expect_close<T>(widened(values), wanted, 3, 4, "eigenvalues");
  const Host<T> singular = solver_result<E>(Op::svd, wide_sample<T>(), nullptr, 0, {1, 3});
  const double numpys[] = {4.0766399, 2.07923289, 1.02849292};
  for (Index k = 0; k < 3; ++k)
    EXPECT_NEAR(static_cast<double>(singular(0, k)), numpys[k], 2e-6) << "singular value " << k;
}

/// |R|: its rows' signs are free.
template <class E>
void check_known_triangle() {
  using T = Value<E>;
  const double numpys[3][4] = {{2.23606798, 0.89442719, 0.89442719, 3.13049517},
                               {0, 2.04939015, 0.09759001, 0.39036003},
                               {0, 0, 1.09108945, 0.21821789}};
  const Host<T> r = solver_result<E>(Op::qr, wide_sample<T>(), nullptr, 0, {1, 12});
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 4; ++j)
      EXPECT_NEAR(std::abs(static_cast<double>(r(0, i + 3 * j))), numpys[i][j], 2e-6);
}

/// lstsq's solution, values and rank.
template <class E>
void expect_least_squares(const Host<Value<E>>& a, const Host<Value<E>>& b, Value<E> rcond,
                          const Wide_<Value<E>>& x, Index rank, const std::string& what) {
  using T = Value<E>;
  const cudamat::Parts parts = cudamat::lstsq_parts(a.shape(), b.shape().cols);
  const Host<T> got = solver_result<E>(Op::lstsq, a, &b, rcond, {1, parts.size()});
  expect_close<T>(part(got, 0, x.shape()), x, 4, 8, what);
  EXPECT_EQ(got(0, parts.size() - 1), static_cast<T>(rank)) << what;
}

template <class E>
void check_least_squares() {
  using T = Value<E>;
  using W = Wider<T>;
  const Host<T> wide = wide_sample<T>(), tall = transposed(wide);
  expect_least_squares<E>(wide, Host<T>{{1}, {2}, {3}}, -4,
                          Wide_<T>{{W(5) / 76}, {W(21) / 76}, {W(131) / 76}, {W(29) / 76}}, 3,
                          "the shortest of many");
  expect_least_squares<E>(tall, Host<T>{{1}, {2}, {3}, {4}}, -4,
                          Wide_<T>{{W(-2) / 19}, {W(39) / 19}, {W(21) / 19}}, 3, "the nearest");
  const Wide_<T> of_rank_1{{W(1) / 14, W(2) / 14}, {W(2) / 14, W(4) / 14}, {W(3) / 14, W(6) / 14}};
  const Host<T> two{{3, 0}, {1, 5}};
  expect_least_squares<E>(Host<T>{{1, 2, 3}, {2, 4, 6}}, two, T(0.001), of_rank_1, 1, "of rank 1");
  expect_least_squares<E>(Host<T>(Shape{2, 3}), two, T(0.001), Wide_<T>(Shape{3, 2}), 0, "zeros");
  // A value counts if it is greater than rcond times the largest.
  const Host<T> scales{{8, 0, 0}, {0, 1, 0}, {0, 0, T(0.125)}, {0, 0, 0}};
  const Host<T> b{{8}, {1}, {T(0.125)}, {5}};
  expect_least_squares<E>(scales, b, T(0.001), Wide_<T>{{1}, {1}, {1}}, 3, "all count");
  expect_least_squares<E>(scales, b, T(0.1), Wide_<T>{{1}, {1}, {0}}, 2, "two count");
  expect_least_squares<E>(scales, b, T(0.5), Wide_<T>{{1}, {0}, {0}}, 1, "one counts");
}

/// A permutation's determinant is its sign.
template <class E>
void check_permutations(Op op) {
  using T = Value<E>;
  Random<T> random(20);
  for (const Index n : {2, 3, 7, 300})
    for (int repeat = 0; repeat < 3; ++repeat) {
      std::vector<Index> places(static_cast<std::size_t>(n));
      std::iota(places.begin(), places.end(), 0);
      T sign = 1;
      for (Index k = n - 1; k > 0; --k) {
        const Index other = random.integer(0, k);
        if (other != k) sign = -sign;
        std::swap(places[static_cast<std::size_t>(k)], places[static_cast<std::size_t>(other)]);
      }
      Host<T> a(Shape{n, n});
      for (Index k = 0; k < n; ++k) a(k, places[static_cast<std::size_t>(k)]) = 1;
      const Host<T> got = solver_result<E>(op, a, nullptr, 0, {1, op == Op::det ? 1 : 2});
      EXPECT_EQ(got(0, 0), sign) << n;
      if (op == Op::slogdet) {
        EXPECT_EQ(got(0, 1), 0) << n;
      }
    }
}

/// Determinants beyond the type, and of factors that are.
template <class E>
void check_scaled_determinants(Op op) {
  using T = Value<E>;
  using W = Wider<T>;
  const Shape shape{1, op == Op::det ? 1 : 2};
  const T large = T(1e30), small = 1 / large;
  for (const T scale : {large, small, -large, -small}) {
    const Index copies = 11, n = 3 * copies;
    Host<T> a(Shape{n, n});
    for (Index k = 0; k < n; k += 3)
      for (Index i = 0; i < 3; ++i)
        for (Index j = 0; j < 3; ++j) a(k + i, k + j) = second_differences<T>()(i, j) * scale;
    const Host<T> got = solver_result<E>(op, a, nullptr, 0, shape);
    const W logarithm = copies * W(std::log(4.0L)) +
                        static_cast<W>(n) * W(std::log(static_cast<long double>(std::abs(scale))));
    if (op == Op::slogdet) {
      EXPECT_EQ(got(0, 0), scale < 0 ? -1 : 1);
      expect_near(got(0, 1), logarithm, 4000 * roundoff<T>() * 100, "logarithm");
    } else if (!std::is_same_v<T, long double>) {
      EXPECT_EQ(got(0, 0), std::abs(scale) < 1 ? T(0) : scale < 0 ? -kInfinity<T> : kInfinity<T>);
    }
  }
  const Host<T> balanced{{large, 0, 0, 0}, {0, large, 0, 0}, {0, 0, small, 0}, {0, 0, 0, -small}};
  const Host<T> got = solver_result<E>(op, balanced, nullptr, 0, shape);
  if (op == Op::det) {
    EXPECT_LE(std::abs(got(0, 0) + 1), 200 * std::numeric_limits<T>::epsilon());
  } else {
    EXPECT_EQ(got(0, 0), -1);
    EXPECT_LE(std::abs(got(0, 1)), 200 * std::numeric_limits<T>::epsilon());
  }
}

/// Of NaN and infinities: the call refuses, or the result has NaN.
template <class E>
void check_special_numbers(Op op, Shape shape) {
  using T = Value<E>;
  const Host<T> b{{1}, {2}, {3}};
  const bool two = op == Op::solve || op == Op::lstsq;
  for (const T special : {kNaN<T>, kInfinity<T>})
    for (const Index at : {0, 2, 4}) {  // of the lower triangle
      Host<T> a = second_differences<T>();
      a.data()[at] = special;
      bool has_nan = true;
      const std::string refusal = refusal_of([&] {
        const Host<T> got = solver_result<E>(op, a, two ? &b : nullptr, 0, shape);
        has_nan =
            std::any_of(got.data(), got.data() + shape.size(), [](T x) { return std::isnan(x); });
      });
      EXPECT_TRUE(has_nan) << special << " at " << at;
      if (op == Op::lstsq) {
        EXPECT_EQ(refusal, "[lstsq] SVD did not converge in Linear Least Squares");
      } else if (op == Op::svd) {
        EXPECT_EQ(refusal, "[svd] SVD did not converge");
      }
    }
}

}  // namespace conformance

// RowTest of equations, factorisations and counts: what comes out is put back into what was asked,
// in wider arithmetic. Extents 0, 1, 5, 33; singular matrices; NaN.
#pragma once

#include <algorithm>
#include <functional>

#include "tests/conformance/row_test.hpp"
#include "tests/conformance/rows_sort.hpp"
#include "tests/conformance/solver_cases.hpp"

namespace conformance {

template <>
struct RowTest<Op::solve> {
  template <class E>
  static void run() {
    using T = Value<E>;
    Random<T> random(3);
    for (const Index n : kExtents)
      for (const Index k : kExtents) {
        const Host<T> a = regular(n, random), b = random.matrix({n, k});
        const Host<T> x = solver_result<E>(Op::solve, a, &b, 0, {n, k});
        expect_close<T>(times(widened(a), widened(x)), widened(b), n, 2,
                        fmt::format("{}, {}", n, k));
      }
    const Host<T> singular{{1, 2}, {2, 4}}, b{{1}, {1}}, swapped{{0, 1}, {2, 0}};
    expect_refused<E>(Op::solve, singular, &b, {2, 1}, "[solve] Singular matrix");
    expect_same(solver_result<E>(Op::solve, swapped, &b, 0, {2, 1}), Host<T>{{T(0.5)}, {1}});
    const Host<T> with_nan{{kNaN<T>, 1}, {1, 2}};
    EXPECT_TRUE(std::isnan(solver_result<E>(Op::solve, with_nan, &b, 0, {2, 1})(0, 0)));
    refuses_misuse<E>(Op::solve, true, true);
  }
};

template <>
struct RowTest<Op::inv> {
  template <class E>
  static void run() {
    using T = Value<E>;
    Random<T> random(4);
    for (const Index n : kExtents) {
      const Host<T> a = regular(n, random);
      const Host<T> x = solver_result<E>(Op::inv, a, nullptr, 0, {n, n});
      expect_close<T>(times(widened(a), widened(x)), unit<Wider<T>>(n), n, 2, fmt::format("{}", n));
    }
    expect_refused<E>(Op::inv, Host<T>(Shape{2, 2}), nullptr, {2, 2}, "[inv] Singular matrix");
    refuses_misuse<E>(Op::inv, true, false);
  }
};

template <>
struct RowTest<Op::cholesky> {
  template <class E>
  static void run() {
    using T = Value<E>;
    Random<T> random(5);
    for (const Index n : kExtents) {
      Host<T> a = regular(n, random);
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < j; ++i) a(i, j) = kNaN<T>;  // not read
      const Host<T> l = solver_result<E>(Op::cholesky, a, nullptr, 0, {n, n});
      for (Index j = 0; j < n; ++j) {
        EXPECT_GT(l(j, j), 0);
        for (Index i = 0; i < j; ++i) EXPECT_EQ(l(i, j), 0);
        for (Index i = 0; i < j; ++i) a(i, j) = a(j, i);
      }
      expect_close<T>(times(widened(l), transposed(widened(l))), widened(a), n,
                      static_cast<double>(n), fmt::format("{}", n));
    }
    const Host<T> indefinite{{1, 2}, {2, 1}};
    expect_refused<E>(Op::cholesky, indefinite, nullptr, {2, 2},
                      "[cholesky] Matrix is not positive definite");
    check_known_factors<E>();
    refuses_misuse<E>(Op::cholesky, true, false);
  }
};

/// Lower times upper triangle with 1 and -1 on the diagonals, but for one row that is doubled.
template <class T>
Host<T> of_known_determinant(Index n, Random<T>& random, T* determinant) {
  Host<T> l(Shape{n, n}), u(Shape{n, n});
  *determinant = 1;
  for (Index i = 0; i < n; ++i) {
    l(i, i) = 1;
    u(i, i) = i % 3 == 1 ? T(-1) : T(1);
    if (i == 2) u(i, i) = 2;
    *determinant *= u(i, i);
    for (Index j = 0; j < i; ++j) l(i, j) = static_cast<T>(random.integer(-1, 1)) / 4;
    for (Index j = i + 1; j < n; ++j) u(i, j) = static_cast<T>(random.integer(-1, 1)) / 4;
  }
  Host<T> a(Shape{n, n});
  for (Index j = 0; j < n; ++j)
    for (Index k = 0; k < n; ++k)
      for (Index i = 0; i < n; ++i) a(i, j) += l(i, k) * u(k, j);
  return a;
}

template <class E>
void check_determinants(Op op) {
  using T = Value<E>;
  const Shape shape{1, op == Op::det ? 1 : 2};
  Random<T> random(6);
  const auto near = [](T got, T wanted, Index n) {
    EXPECT_LE(std::abs(got - wanted),
              T(400) * static_cast<T>(n * n + 1) * std::numeric_limits<T>::epsilon());
  };
  for (const Index n : kExtents) {
    T determinant = 0;
    const Host<T> a = of_known_determinant(n, random, &determinant);
    const Host<T> got = solver_result<E>(op, a, nullptr, 0, shape);
    if (op == Op::det) {
      near(got(0, 0), determinant, n);
    } else {
      EXPECT_EQ(got(0, 0), determinant < 0 ? T(-1) : T(1));
      near(got(0, 1), std::log(std::abs(determinant)), n);
    }
  }
  const Host<T> got = solver_result<E>(op, Host<T>(Shape{3, 3}), nullptr, 0, shape);
  EXPECT_EQ(got(0, 0), 0);
  if (op == Op::slogdet) {
    EXPECT_EQ(got(0, 1), -kInfinity<T>);
  }
  const Host<T> with_nan{{1, kNaN<T>}, {kNaN<T>, 2}};
  EXPECT_TRUE(std::isnan(solver_result<E>(op, with_nan, nullptr, 0, shape)(0, shape.cols - 1)));
  check_permutations<E>(op);
  check_scaled_determinants<E>(op);
  refuses_misuse<E>(op, true, false);
}

template <>
struct RowTest<Op::det> {
  template <class E>
  static void run() {
    check_determinants<E>(Op::det);
  }
};

template <>
struct RowTest<Op::slogdet> {
  template <class E>
  static void run() {
    check_determinants<E>(Op::slogdet);
  }
};

template <>
struct RowTest<Op::eigh> {
  template <class E>
  static void run() {
    using T = Value<E>;
    Random<T> random(7);
    for (const Index n : kExtents) {
      Host<T> a = random.matrix({n, n});
      const Host<T> lower = a;
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < j; ++i) a(i, j) = a(j, i);
      const Host<T> got = solver_result<E>(Op::eigh, lower, nullptr, 0, {1, n + n * n});
      EXPECT_TRUE(std::is_sorted(got.data(), got.data() + n));
      const Wide_<T> v = part(got, n, {n, n});
      Wide_<T> scaled = v;
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < n; ++i) scaled(i, j) *= got(0, j);
      const auto scale = static_cast<double>(n);
      expect_close<T>(times(widened(a), v), scaled, n, scale, "a v");
      expect_close<T>(times(transposed(v), v), unit<Wider<T>>(n), n, 1, "v' v");
      const Host<T> values = solver_result<E>(Op::eigh, lower, nullptr, 0, {1, n});
      expect_close<T>(widened(values), part(got, 0, {1, n}), n, scale, "values");
    }
    Host<T> symmetric = second_differences<T>();
    const Host<T> wanted = solver_result<E>(Op::eigh, symmetric, nullptr, 0, {1, 12});
    symmetric(0, 1) = symmetric(1, 2) = kNaN<T>;  // not read
    expect_same(solver_result<E>(Op::eigh, symmetric, nullptr, 0, {1, 12}), wanted);
    check_special_numbers<E>(Op::eigh, {1, 12});
    refuses_misuse<E>(Op::eigh, true, false);
  }
};

template <>
struct RowTest<Op::svd> {
  template <class E>
  static void run() {
    using T = Value<E>;
    Random<T> random(8);
    for (const Shape shape : all_pairs({0, 1, 5, 33})) check<E>(random.matrix(shape));
    check<E>(Host<T>(Shape{5, 3}, T(1)));  // of rank 1
    check<E>(Host<T>(Shape{3, 5}, T(-2)));
    check<E>(Host<T>(Shape{3, 4}));
    const Host<T> with_nan{{1, kNaN<T>}, {0, 2}};
    expect_refused<E>(Op::svd, with_nan, nullptr, {1, 2}, "[svd] SVD did not converge");
    check_special_numbers<E>(Op::svd, {1, 21});
    refuses_misuse<E>(Op::svd, false, false);
  }

  template <class E>
  static void check(const Host<Value<E>>& a) {
    using T = Value<E>;
    const Shape shape = a.shape();
    const Index k = std::min(shape.rows, shape.cols), n = std::max(shape.rows, shape.cols);
    for (const bool full : {false, true}) {
      const cudamat::Parts parts = cudamat::svd_parts(shape, true, full);
      if (parts.size() == k) continue;  // that asks for the values alone
      const Host<T> got = solver_result<E>(Op::svd, a, nullptr, 0, {1, parts.size()});
      EXPECT_TRUE(std::is_sorted(got.data(), got.data() + k, std::greater<>()));
      const Wide_<T> u = part(got, k, parts.second);
      const Wide_<T> v = part(got, k + parts.second.size(), parts.third);
      Wide_<T> scaled(Shape{parts.third.rows == 0 ? 0 : parts.second.cols, shape.cols});
      for (Index i = 0; i < k; ++i)
        for (Index j = 0; j < shape.cols; ++j) scaled(i, j) = v(i, j) * got(0, i);
      const std::string what = fmt::format("{}{}", shape, full ? ", full" : "");
      if (k > 0) expect_close<T>(times(u, scaled), widened(a), n, static_cast<double>(n), what);
      expect_close<T>(times(transposed(u), u), unit<Wider<T>>(parts.second.cols), n, 1,
                      what + ", u");
      expect_close<T>(times(v, transposed(v)), unit<Wider<T>>(parts.third.rows), n, 1,
                      what + ", v");
      const Host<T> values = solver_result<E>(Op::svd, a, nullptr, 0, {1, k});
      expect_close<T>(widened(values), part(got, 0, {1, k}), n, static_cast<double>(n), what);
    }
  }
};

template <>
struct RowTest<Op::qr> {
  template <class E>
  static void run() {
    using T = Value<E>;
    Random<T> random(9);
    for (const Shape shape : all_pairs({0, 1, 5, 33})) {
      const Host<T> a = random.matrix(shape);
      const Index n = std::max(shape.rows, shape.cols), k = std::min(shape.rows, shape.cols);
      const Host<T> alone = solver_result<E>(Op::qr, a, nullptr, 0, {1, k * shape.cols});
      for (const bool complete : {false, true}) {
        const cudamat::Parts parts = cudamat::qr_parts(shape, true, complete);
        if (parts.size() == 0) continue;
        const Host<T> got = solver_result<E>(Op::qr, a, nullptr, 0, {1, parts.size()});
        const Wide_<T> r = part(got, 0, {parts.second.cols, shape.cols});
        const Wide_<T> q = part(got, parts.values, parts.second);
        for (Index j = 0; j < shape.cols; ++j)
          for (Index i = j + 1; i < parts.second.cols; ++i) EXPECT_EQ(r(i, j), 0);
        for (Index j = 0; j < shape.cols; ++j)
          for (Index i = 0; i < k; ++i) EXPECT_EQ(r(i, j), alone.data()[i + k * j]);
        const std::string what = fmt::format("{}{}", shape, complete ? ", complete" : "");
        expect_close<T>(times(q, r), widened(a), n, static_cast<double>(n), what);
        expect_close<T>(times(transposed(q), q), unit<Wider<T>>(parts.second.cols), n, 1, what);
      }
    }
    check_known_triangle<E>();
    check_special_numbers<E>(Op::qr, {1, 18});
    refuses_misuse<E>(Op::qr, false, false);
  }
};

template <>
struct RowTest<Op::lstsq> {
  template <class E>
  static void run() {
    using T = Value<E>;
    Random<T> random(10);
    for (const Shape shape : all_pairs({0, 1, 5, 33}))
      for (const Index right : {0, 1, 3}) {
        const Host<T> a = random.matrix(shape), b = random.matrix({shape.rows, right});
        const cudamat::Parts parts = cudamat::lstsq_parts(shape, right);
        const Host<T> got = solver_result<E>(Op::lstsq, a, &b, -33, {1, parts.size()});
        EXPECT_EQ(got(0, parts.size() - 1), std::min(shape.rows, shape.cols));
        const Wide_<T> x = part(got, 0, {shape.cols, right});
        Wide_<T> rest = times(widened(a), x);
        for (Index k = 0; k < rest.shape().size(); ++k) rest.data()[k] -= b.data()[k];
        const Wide_<T> zero(Shape{shape.cols, right});
        double size = 1;
        for (Index k = 0; k < x.shape().size(); ++k)
          size = std::max(size, static_cast<double>(magnitude(x.data()[k])));
        expect_close<T>(times(transposed(widened(a)), rest), zero, 33,
                        static_cast<double>(shape.rows + 1) * size, fmt::format("{}", shape));
      }
    check_least_squares<E>();
    check_special_numbers<E>(Op::lstsq, {1, 7});
    refuses_misuse<E>(Op::lstsq, false, true);
  }
};

template <>
struct RowTest<Op::bincount> {
  template <class E>
  static void run() {
    using T = Value<E>;
    const Host<T> a{{0, 3, 3, 1}}, weights{{1, T(0.5), T(0.25), 2}};
    expect_same(solver_result<E>(Op::bincount, a, &weights, 0, {1, 5}),
                Host<T>{{1, 2, 0, T(0.75), 0}});
    const Host<T> none(Shape{1, 0});
    expect_same(solver_result<E>(Op::bincount, none, &none, 0, {1, 2}), Host<T>{{0, 0}});
    const auto refusal = [&](T element) {
      const Host<T> one{{element}};
      return refusal_of([&] { solver_result<E>(Op::bincount, one, &one, 0, {1, 3}); });
    };
    EXPECT_TRUE(refusal(3).starts_with("[bincount] element 0 is 3"));
    EXPECT_NE(refusal(-1), "");
    EXPECT_NE(refusal(T(0.5)), "");
    EXPECT_NE(refusal(kNaN<T>), "");
    refuses_misuse<E>(Op::bincount, false, true);
  }
};

template <>
struct RowTest<Op::argsort> {
  template <class E>
  static void run() {
    using T = Value<E>;
    Random<T> random(18);
    for (const Shape shape : RowTest<Op::sort>::sizes()) {
      const Host<T> values = unsorted(shape, random);
      Framed<E> mat(values, 3);
      Framed<E> target(shape, 2);
      EXPECT_EQ(&mat->argsort(*target), &*target);
      expect_same(mat.contents(), values, "operand");
      Host<T> wanted(shape);
      for (Index j = 0; j < shape.cols; ++j) {
        std::vector<std::pair<std::pair<bool, T>, Index>> keys;
        for (Index i = 0; i < shape.rows; ++i) {
          const T x = values(i, j);
          keys.push_back({{std::isnan(x), std::isnan(x) ? T(0) : x}, i});
        }
        std::sort(keys.begin(), keys.end());
        for (Index i = 0; i < shape.rows; ++i)
          wanted(i, j) = static_cast<T>(keys[static_cast<std::size_t>(i)].second);
      }
      expect_same(target.contents(), wanted, fmt::format("{}", shape));
      if (::testing::Test::HasFailure()) return;
    }
    Mat<E> one(Host<T>{{2}, {1}});
    EXPECT_NE(refusal_of([&] { one.argsort(one); }), "");
    expect_same(read(one.argsort()), Host<T>{{1}, {0}});
  }
};

}  // namespace conformance

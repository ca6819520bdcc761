// RowTest of dot, add_dot, subtract_dot and correlate.
#pragma once

#include "tests/conformance/row_test.hpp"

namespace conformance {

template <class E>
using ProductCall = Mat<E>& (*)(const Mat<E>& m1, const Mat<E>& m2, Mat<E>& target, Value<E> beta,
                                Value<E> alpha);

/// Two factors and, for each element of their product, its sum and the sum of magnitudes.
template <class T>
struct Factors {
  Host<T> m1, m2;
  Host<Wider<T>> sums, magnitudes;

  Factors(Index m, Index n, Index k) : sums(Shape{m, n}), magnitudes(Shape{m, n}) {
    Random<T> random(31);
    m1 = random.matrix({m, k});
    m2 = random.matrix({k, n});
    for (Index j = 0; j < n; ++j)
      for (Index l = 0; l < k; ++l)
        for (Index i = 0; i < m; ++i) {
          const Wider<T> term = Wider<T>(m1(i, l)) * m2(l, j);
          sums(i, j) += term;
          magnitudes(i, j) += magnitude(term);
        }
  }
};

template <class T>
struct ProductForm {
  bool flag1, flag2;
  T alpha, beta;
};

/// target = beta * target + alpha * (m1 @ m2): the products may be summed in any order.
template <class E>
void check_product(ProductCall<E> call, const Factors<Value<E>>& factors,
                   const ProductForm<Value<E>>& form) {
  using T = Value<E>;
  const auto [flag1, flag2, alpha, beta] = form;
  const Shape shape = factors.sums.shape();
  const Index k = factors.m1.shape().cols;
  const Host<T> before = beta == 0 ? Host<T>(shape, kNaN<T>) : Random<T>(32).matrix(shape);
  const Host<T> stored1 = flag1 ? transposed(factors.m1) : factors.m1;
  const Host<T> stored2 = flag2 ? transposed(factors.m2) : factors.m2;
  Framed<E> m1(stored1, 1), m2(stored2, 2), target(before, 3);
  m1->set_trans(flag1);
  m2->set_trans(flag2);
  EXPECT_EQ(&call(*m1, *m2, *target, beta, alpha), &*target);
  Host<Wider<T>> wanted(shape), allowed(shape);
  for (Index e = 0; e < shape.size(); ++e) {
    const Wider<T> old = beta == 0 ? Wider<T>(0) : Wider<T>(beta) * before.data()[e];
    wanted.data()[e] = alpha * factors.sums.data()[e] + old;
    allowed.data()[e] = roundoff<T>() * (Wider<T>(k + 2) * magnitude(Wider<T>(alpha)) *
                                             factors.magnitudes.data()[e] +
                                         2 * magnitude(old));
  }
  expect_all_near(target.contents(), wanted, allowed,
                  fmt::format("m1 {}{}, m2 {}{}, alpha {}, beta {}", factors.m1.shape(),
                              flag1 ? " flagged" : "", factors.m2.shape(), flag2 ? " flagged" : "",
                              text(alpha), text(beta)));
  expect_same(m1.contents(), stored1, "m1");
  expect_same(m2.contents(), stored2, "m2");
}

template <class E>
void check_products(ProductCall<E> call,
                    const std::vector<std::pair<Value<E>, Value<E>>>& alpha_beta) {
  std::vector<std::array<Index, 3>> extents;
  for (const Index m : {0, 1, 5, 33})
    for (const Index n : {0, 1, 5, 33})
      for (const Index k : {0, 1, 5, 33}) extents.push_back({m, n, k});
  for (const auto& more : {std::array<Index, 3>{7, 31, 32},
                           {32, 32, 32},
                           {31, 7, 129},
                           {65, 70, 130},
                           {1, 1, 4097},
                           {1000, 3, 2},
                           {2, 1000, 3}})
    extents.push_back(more);
  for (const auto& [m, n, k] : extents) {
    const Factors<Value<E>> factors(m, n, k);
    for (const bool flag1 : {false, true})
      for (const bool flag2 : {false, true})
        for (const auto& [alpha, beta] : alpha_beta)
          check_product<E>(call, factors, {flag1, flag2, alpha, beta});
    if (::testing::Test::HasFailure()) return;
  }
}

template <>
struct RowTest<Op::dot> {
  template <class E>
  static void run() {
    using T = Value<E>;
    check_products<E>([](const Mat<E>& m1, const Mat<E>& m2, Mat<E>& target, T beta,
                         T alpha) -> Mat<E>& { return cudamat::dot(m1, m2, target, beta, alpha); },
                      {{T(1), T(0)}, {T(-0.7), T(0.3)}});
    check_special<E>();
  }

  /// NaN and infinities reach exactly the elements that their row and column make.
  template <class E>
  static void check_special() {
    using T = Value<E>;
    for (const T special : {kNaN<T>, kInfinity<T>}) {
      Host<T> a(Shape{33, 20}, 1), b(Shape{20, 35}, 1);
      a(5, 7) = special;
      b(7, 9) = 0;
      const Host<T> got = read(cudamat::dot(Mat<E>(a), Mat<E>(b)));
      for (Index j = 0; j < 35; ++j)
        for (Index i = 0; i < 33; ++i)
          ASSERT_TRUE(same_value(got(i, j), i != 5   ? T(j == 9 ? 19 : 20)
                                            : j == 9 ? kNaN<T>
                                                     : special))
              << i << ", " << j;
    }
    // A beta of 0 writes whatever was there; an empty sum is 0 and scales what was there.
    Framed<E> target(Host<T>{{1, kNaN<T>}, {3, 4}});
    cudamat::dot(Mat<E>::empty({2, 0}), Mat<E>::empty({0, 2}), *target, T(2));
    expect_same(target.contents(), Host<T>{{2, kNaN<T>}, {6, 8}});
    cudamat::dot(Mat<E>::empty({2, 0}), Mat<E>::empty({0, 2}), *target);
    expect_same(target.contents(), Host<T>(Shape{2, 2}, 0));
    // The operands may be one matrix, which is how Gram matrices are made.
    Mat<E> x(Host<T>{{1, 2, 3}, {4, 5, 6}});
    expect_same(read(cudamat::dot(x, x.T())), Host<T>{{14, 32}, {32, 77}});
    expect_same(read(cudamat::dot(x.T(), x)), Host<T>{{17, 22, 27}, {22, 29, 36}, {27, 36, 45}});
  }
};

template <>
struct RowTest<Op::add_dot> {
  template <class E>
  static void run() {
    using T = Value<E>;
    check_products<E>([](const Mat<E>& m1, const Mat<E>& m2, Mat<E>& target, T beta,
                         T alpha) -> Mat<E>& { return target.add_dot(m1, m2, alpha, beta); },
                      {{T(1), T(1)}, {T(0.7), T(-0.3)}, {T(2), T(0)}});
  }
};

template <>
struct RowTest<Op::subtract_dot> {
  template <class E>
  static void run() {
    using T = Value<E>;
    check_products<E>([](const Mat<E>& m1, const Mat<E>& m2, Mat<E>& target, T beta,
                         T alpha) -> Mat<E>& { return target.subtract_dot(m1, m2, -alpha, beta); },
                      {{T(-1), T(1)}, {T(0.7), T(-0.3)}, {T(2), T(0)}});
  }
};

template <>
struct RowTest<Op::correlate> {
  template <class E>
  static void run() {
    using T = Value<E>;
    Random<T> random(32);
    for (const Shape shape :
         {Shape{0, 0}, {0, 5}, {5, 0}, {1, 1}, {5, 7}, {33, 31}, {1, 100}, {100, 1}, {67, 35}})
      for (const Shape kernel_shape :
           {Shape{1, 1}, {3, 3}, {5, 1}, {1, 7}, {3, 5}, {9, 11}, {31, 33}}) {
        const Host<T> mat_values = random.matrix(shape),
                      kernel_values = random.matrix(kernel_shape);
        Framed<E> mat(mat_values, 1), kernel(kernel_values, 2), target(shape, 3);
        EXPECT_EQ(&cudamat::correlate(*mat, *kernel, *target), &*target);
        check(target.contents(), mat_values, kernel_values);
        expect_same(mat.contents(), mat_values, "mat");
        expect_same(kernel.contents(), kernel_values, "kernel");
        if (::testing::Test::HasFailure()) return;
      }
    // Not a convolution: the kernel is not turned.
    expect_same(
        read(cudamat::correlate(Mat<E>(Host<T>{{0, 0, 1, 0, 0}}), Mat<E>(Host<T>{{1, 2, 3}}))),
        Host<T>{{0, 3, 2, 1, 0}});
  }

  template <class T>
  static void check(const Host<T>& got, const Host<T>& mat, const Host<T>& kernel) {
    const Shape shape = mat.shape(), size = kernel.shape();
    Host<Wider<T>> sums(shape), allowed(shape);
    for (Index j = 0; j < shape.cols; ++j)
      for (Index i = 0; i < shape.rows; ++i)
        for (Index q = 0; q < size.cols; ++q)
          for (Index p = 0; p < size.rows; ++p) {
            const Index y = i + p - size.rows / 2, x = j + q - size.cols / 2;
            if (y < 0 || y >= shape.rows || x < 0 || x >= shape.cols) continue;
            const Wider<T> term = Wider<T>(mat(y, x)) * kernel(p, q);
            sums(i, j) += term;
            allowed(i, j) += magnitude(term) * roundoff<T>() * Wider<T>(size.size());
          }
    expect_all_near(got, sums, allowed, fmt::format("correlate {} with {}", shape, size));
  }
};

}  // namespace conformance

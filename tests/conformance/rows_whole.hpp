// RowTest of the numbers from a whole matrix.
#pragma once

#include "tests/conformance/rows_reduction.hpp"

namespace conformance {

inline std::vector<Shape> whole_shapes() {
  std::vector<Shape> result = all_pairs({0, 1, 5, 33});
  for (const Shape shape : {Shape{1, 31}, {32, 1}, {1, 4097}, {1000, 33}, {100003, 1}})
    result.push_back(shape);
  return result;
}

/// check(number, values) for random contents, at two addresses, which must agree bit for bit, with
/// each other and with what into(mat, target) puts into the target.
template <class E, class Call, class Into, class CheckNumber>
void check_whole(Call call, Into into, CheckNumber check) {
  using T = Value<E>;
  Random<T> random(21);
  for (const Shape shape : whole_shapes()) {
    const Host<T> values = random.matrix(shape, -1, 2);
    Framed<E> mat(values, 1);
    Framed<E> flagged(values, 2);
    flagged->set_trans(true);
    const T got = call(*mat);
    check(got, values);
    EXPECT_TRUE(same_value(call(*flagged), got)) << "the flag changes nothing";
    Framed<E> target(Host<T>(Shape{1, 1}, kNaN<T>), 1);
    into(*mat, *target);
    EXPECT_TRUE(same_value(target.contents()(0, 0), got)) << "into a target";
    expect_same(mat.contents(), values, "operand");
    if (::testing::Test::HasFailure()) return;
  }
}

/// The sum of term(x) over a host matrix, and the sum of their magnitudes.
template <class T, class Term>
std::pair<Wider<T>, Wider<T>> wide_sum(const Host<T>& values, Term term) {
  Wider<T> sum = 0, magnitudes = 0;
  for (const T x : values.values()) {
    sum += term(Wider<T>(x));
    magnitudes += magnitude(term(Wider<T>(x)));
  }
  return {sum, magnitudes};
}

template <class E>
Mat<E> row_of(std::initializer_list<Value<E>> values) {
  return Mat<E>(Host<Value<E>>{values});
}

template <>
struct RowTest<Op::euclid_norm> {
  template <class E>
  static void run() {
    using T = Value<E>;
    check_whole<E>([](Mat<E>& mat) { return mat.euclid_norm(); },
                   [](Mat<E>& mat, Mat<E>& target) { mat.euclid_norm(target); },
                   [](T got, const Host<T>& values) {
                     const Wider<T> squares = wide_sum(values, [](auto x) { return x * x; }).first;
                     const Wider<T> norm = wide_sqrt(squares);
                     const Index n = values.shape().size();
                     expect_near(got, norm, norm * (summation_error<T>(n) + 2 * roundoff<T>()),
                                 fmt::format("{}", values.shape()));
                   });
    EXPECT_EQ(row_of<E>({3, 4}).euclid_norm(), T(5));
    Mat<E> self = row_of<E>({3, 4});
    Mat<E> first = self.slice(0, 1);
    EXPECT_EQ(&self.euclid_norm(first), &first);
    EXPECT_EQ(self.asarray(), (Host<T>{{5, 4}})) << "into an element of its own";
    EXPECT_TRUE(std::isnan(row_of<E>({3, kNaN<T>}).euclid_norm()));
    EXPECT_EQ(row_of<E>({3, -kInfinity<T>}).euclid_norm(), kInfinity<T>);
  }
};

template <>
struct RowTest<Op::manhattan_norm> {
  template <class E>
  static void run() {
    using T = Value<E>;
    check_whole<E>([](Mat<E>& mat) { return mat.manhattan_norm(); },
                   [](Mat<E>& mat, Mat<E>& target) { mat.manhattan_norm(target); },
                   [](T got, const Host<T>& values) {
                     const Wider<T> sum =
                         wide_sum(values, [](auto x) { return magnitude(x); }).first;
                     expect_near(got, sum, sum * summation_error<T>(values.shape().size()),
                                 fmt::format("{}", values.shape()));
                   });
    EXPECT_EQ(row_of<E>({3, -4}).manhattan_norm(), T(7));
    EXPECT_TRUE(std::isnan(row_of<E>({3, kNaN<T>}).manhattan_norm()));
  }
};

template <>
struct RowTest<Op::total_sum> {
  template <class E>
  static void run() {
    using T = Value<E>;
    check_whole<E>([](Mat<E>& mat) { return mat.total_sum(); },
                   [](Mat<E>& mat, Mat<E>& target) { mat.total_sum(target); },
                   [](T got, const Host<T>& values) {
                     const auto [sum, magnitudes] = wide_sum(values, [](auto x) { return x; });
                     expect_near(got, sum, magnitudes * summation_error<T>(values.shape().size()),
                                 fmt::format("{}", values.shape()));
                   });
    EXPECT_TRUE(std::isnan(row_of<E>({kInfinity<T>, -kInfinity<T>}).total_sum()));
  }
};

template <>
struct RowTest<Op::total_mean> {
  template <class E>
  static void run() {
    using T = Value<E>;
    check_whole<E>([](Mat<E>& mat) { return mat.total_mean(); },
                   [](Mat<E>& mat, Mat<E>& target) { mat.total_mean(target); },
                   [](T got, const Host<T>& values) {
                     const Index n = values.shape().size();
                     if (n == 0) {
                       EXPECT_TRUE(std::isnan(got));
                       return;
                     }
                     const auto [sum, magnitudes] = wide_sum(values, [](auto x) { return x; });
                     expect_near(
                         got, sum / n,
                         (magnitudes * summation_error<T>(n) + magnitude(sum) * roundoff<T>()) / n,
                         fmt::format("{}", values.shape()));
                   });
  }
};

template <>
struct RowTest<Op::total_max> {
  template <class E>
  static void run() {
    using T = Value<E>;
    Random<T> random(22);
    for (const Index n : {1, 5, 31, 32, 33, 4097, 100003})
      for (const Index at : {Index(0), n / 3, n - 1}) {
        Host<T> values = random.matrix({n, 1});
        values(at, 0) = 5;
        EXPECT_EQ(Framed<E>(values)->total_max(), T(5)) << n << " numbers, the largest at " << at;
        values(at, 0) = kNaN<T>;
        EXPECT_TRUE(std::isnan(Framed<E>(values)->total_max())) << n << " numbers, NaN at " << at;
        values(at, 0) = 6;
        Framed<E> target(Host<T>(Shape{1, 1}, kNaN<T>), 1);
        Framed<E>(values)->total_max(*target);
        EXPECT_EQ(target.contents()(0, 0), T(6)) << n << " numbers, into a target";
      }
    EXPECT_EQ(row_of<E>({-kInfinity<T>, -kInfinity<T>}).total_max(), -kInfinity<T>);
  }
};

template <>
struct RowTest<Op::allfinite> {
  template <class E>
  static void run() {
    using T = Value<E>;
    EXPECT_TRUE(Mat<E>::empty({0, 7}).allfinite());
    for (const Index n : {1, 5, 31, 32, 33, 4097, 100003}) {
      Host<T> values(Shape{n, 1}, std::numeric_limits<T>::max());
      EXPECT_TRUE(Framed<E>(values)->allfinite()) << "the sum overflows, no number is infinite";
      Mat<E> all(Host<T>{{7}});
      Framed<E>(values)->allfinite(all);
      EXPECT_EQ(all.asarray()(0, 0), T(1)) << "into a target";
      for (const Index at : {Index(0), n / 3, n - 1})
        for (const T special : {kNaN<T>, kInfinity<T>, -kInfinity<T>}) {
          values(at, 0) = special;
          EXPECT_FALSE(Framed<E>(values)->allfinite())
              << n << " numbers, " << special << " at " << at;
          Mat<E> target(Host<T>{{7}});
          Framed<E>(values)->allfinite(target);
          EXPECT_EQ(target.asarray()(0, 0), T(0)) << "into a target";
          values(at, 0) = 1;
        }
    }
  }
};

template <>
struct RowTest<Op::vdot> {
  template <class E>
  static void run() {
    using T = Value<E>;
    Random<T> random(23);
    for (const Shape shape : whole_shapes()) {
      const Host<T> a = random.matrix(shape), b = random.matrix(shape);
      Wider<T> sum = 0, magnitudes = 0;
      for (Index k = 0; k < shape.size(); ++k) {
        sum += Wider<T>(a.data()[k]) * b.data()[k];
        magnitudes += magnitude(Wider<T>(a.data()[k]) * b.data()[k]);
      }
      Framed<E> left(a, 1), right(b, 2);
      const Wider<T> allowed = magnitudes * (summation_error<T>(shape.size()) + roundoff<T>());
      expect_near(cudamat::vdot(*left, *right), sum, allowed, fmt::format("{}", shape));
      left->set_trans(true);
      right->set_trans(true);
      expect_near(cudamat::vdot(*left, *right), sum, allowed, "both flagged");
    }
    EXPECT_EQ(cudamat::vdot(row_of<E>({3, 4}), row_of<E>({5, 6})), T(39));
    Mat<E> three = row_of<E>({3}), target = Mat<E>::empty({1, 1});
    EXPECT_EQ(cudamat::vdot(row_of<E>({3, 4}), row_of<E>({5, 6}), target).asarray()(0, 0), T(39));
    EXPECT_EQ(cudamat::vdot(three, three, three).asarray()(0, 0), T(9)) << "into an operand";
    EXPECT_TRUE(std::isnan(cudamat::vdot(row_of<E>({0, 1}), row_of<E>({kInfinity<T>, 1}))));
  }
};

}  // namespace conformance

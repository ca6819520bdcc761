// Reductions of the CPU engine, running sums and sorting: accuracy, NaN, winners, every path of
// shapes, and results that do not depend on the number of threads.
#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <omp.h>
#include <random>
#include <utility>
#include <vector>

#include "npmat/engine.hpp"
#include "tests/thread_counts.hpp"

namespace {

using cudamat::Index;
using cudamat::Op;
using cudamat::ReduceCall;

template <class T>
constexpr T kNan = std::numeric_limits<T>::quiet_NaN();

__extension__ typedef __float128 Quad;

struct Shape {
  Index rows, cols;
};

// Few rows, many rows, folds with a rest, several blocks, several pieces, runs of every kind.
const Shape kShapes[] = {
    {1, 1},      {1, 5},      {5, 1},    {2, 3},    {4, 70},    {7, 33},    {16, 31},   {31, 16},
    {33, 200},   {63, 65},    {64, 64},  {65, 1},   {100, 50},  {511, 7},   {512, 7},   {700, 3},
    {2049, 5},   {5, 2049},   {1, 9001}, {9001, 1}, {3, 50001}, {50001, 3}, {8, 20000}, {20000, 8},
    {1, 150001}, {150001, 1}, {3, 40},   {15, 40},  {255, 17},  {256, 17},  {65600, 2}};

template <class T>
std::vector<T> numbers(Index n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 2);
  std::vector<T> result(static_cast<std::size_t>(n));
  for (T& x : result) x = T(uniform(random));
  return result;
}

template <class T>
std::vector<T> reduce(Op op, int axis, Shape shape, const std::vector<T>& a, T mult = 1, T beta = 0,
                      T before = kNan<T>) {
  std::vector<T> target(std::size_t(axis == 0 ? shape.cols : shape.rows), before);
  npmat::Engine<T>::reduce({op, axis, shape.rows, shape.cols, a.data(), mult, beta, target.data()});
  return target;
}

/// Element k of slice s along an axis.
template <class T>
T element(const std::vector<T>& a, Shape shape, int axis, Index slice, Index k) {
  return a[std::size_t(axis == 0 ? k + shape.rows * slice : slice + shape.rows * k)];
}

template <class T>
class EngineReduce : public testing::Test {
  void TearDown() override { omp_set_num_threads(omp_get_num_procs()); }
};
using All = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(EngineReduce, All);

TYPED_TEST(EngineReduce, SumsAreAsAccurateAsPairwiseOnes) {
  using T = TypeParam;
  for (const Shape shape : kShapes)
    for (int axis : {0, 1}) {
      const auto a = numbers<T>(shape.rows * shape.cols, 1);
      const Index length = axis == 0 ? shape.rows : shape.cols;
      const auto sum = reduce<T>(Op::sum, axis, shape, a);
      const auto mean = reduce<T>(Op::mean, axis, shape, a);
      for (Index s = 0; s < Index(sum.size()); ++s) {
        Quad exact = 0, size = 0;
        for (Index k = 0; k < length; ++k) {
          const T x = element(a, shape, axis, s, k);
          exact += x, size += std::abs(x);
        }
        // A pairwise sum of n numbers is within about log2(n) roundings of the sum of magnitudes.
        const T bound =
            T(size) * std::numeric_limits<T>::epsilon() * (T(1) + std::log2(T(length)) / 2);
        ASSERT_LE(std::abs(sum[std::size_t(s)] - T(exact)), bound)
            << shape.rows << "x" << shape.cols << " axis " << axis;
        ASSERT_EQ(mean[std::size_t(s)], sum[std::size_t(s)] / T(length));
      }
    }
}

TYPED_TEST(EngineReduce, ALongSumLosesNothing) {
  using T = TypeParam;
  const Index n = 3'000'000;
  // 0.1 is no binary fraction: a running sum of floats would be wrong in the third digit.
  const std::vector<T> a(std::size_t(n), T(0.1L));
  const long double exact = static_cast<long double>(T(0.1L)) * n;
  const T tolerance = T(exact) * std::numeric_limits<T>::epsilon() * 16;
  EXPECT_NEAR(double(reduce<T>(Op::sum, 0, {n, 1}, a)[0] - T(exact)), 0, double(tolerance));
  EXPECT_NEAR(double(reduce<T>(Op::sum, 1, {1, n}, a)[0] - T(exact)), 0, double(tolerance));
  EXPECT_NEAR(double(npmat::Engine<T>::reduce_all(Op::total_sum, a.data(), nullptr, n) - T(exact)),
              0, double(tolerance));
}

TYPED_TEST(EngineReduce, ExtremesAndWinnersAreThoseOfAPlainLoop) {
  using T = TypeParam;
  for (const Shape shape : kShapes)
    for (int axis : {0, 1}) {
      // Few different values: ties everywhere.
      auto a = numbers<T>(shape.rows * shape.cols, 2);
      for (T& x : a) x = std::trunc(x * 40);
      const Index length = axis == 0 ? shape.rows : shape.cols;
      const auto largest = reduce<T>(Op::max, axis, shape, a);
      const auto smallest = reduce<T>(Op::min, axis, shape, a);
      const auto first_largest = reduce<T>(Op::argmax, axis, shape, a);
      const auto first_smallest = reduce<T>(Op::argmin, axis, shape, a);
      for (Index s = 0; s < Index(largest.size()); ++s) {
        Index high = 0, low = 0;
        for (Index k = 1; k < length; ++k) {
          const T x = element(a, shape, axis, s, k);
          if (x > element(a, shape, axis, s, high)) high = k;
          if (x < element(a, shape, axis, s, low)) low = k;
        }
        const auto i = std::size_t(s);
        ASSERT_EQ(largest[i], element(a, shape, axis, s, high));
        ASSERT_EQ(smallest[i], element(a, shape, axis, s, low));
        ASSERT_EQ(first_largest[i], T(high)) << shape.rows << "x" << shape.cols << " axis " << axis;
        ASSERT_EQ(first_smallest[i], T(low)) << shape.rows << "x" << shape.cols << " axis " << axis;
      }
    }
}

TYPED_TEST(EngineReduce, OneNanWinsWhereverItStands) {
  using T = TypeParam;
  for (const Shape shape : kShapes)
    for (int axis : {0, 1}) {
      const auto clean = numbers<T>(shape.rows * shape.cols, 3);
      const Index n = shape.rows * shape.cols;
      for (Index at : {Index(0), n / 3, n / 2 + 1, n - 1}) {
        if (at >= n) continue;
        auto a = clean;
        a[std::size_t(at)] = kNan<T>;
        if (at + shape.rows + 1 < n) a[std::size_t(at + shape.rows + 1)] = kNan<T>;
        const Index slice = axis == 0 ? at / shape.rows : at % shape.rows;
        const Index place = axis == 0 ? at % shape.rows : at / shape.rows;
        const auto i = std::size_t(slice);
        for (Op op : {Op::max, Op::min, Op::sum, Op::prod})
          ASSERT_TRUE(std::isnan(reduce<T>(op, axis, shape, a)[i]))
              << cudamat::name(op) << " " << shape.rows << "x" << shape.cols << " axis " << axis;
        for (Op op : {Op::argmax, Op::argmin})
          ASSERT_EQ(reduce<T>(op, axis, shape, a)[i], T(place))
              << cudamat::name(op) << " " << shape.rows << "x" << shape.cols << " axis " << axis;
      }
    }
}

TYPED_TEST(EngineReduce, ResultsDoNotDependOnTheNumberOfThreads) {
  using T = TypeParam;
  for (const Shape shape : {Shape{1, 260003}, {260003, 1}, {8, 40000}, {40000, 8}, {500, 600}}) {
    const auto a = numbers<T>(shape.rows * shape.cols, 4);
    for (Op op : {Op::sum, Op::max, Op::argmin})
      for (int axis : {0, 1}) {
        omp_set_num_threads(1);
        const auto one = reduce<T>(op, axis, shape, a);
        const T total =
            npmat::Engine<T>::reduce_all(Op::euclid_norm, a.data(), nullptr, Index(a.size()));
        for (int threads : thread_counts({2, 3, 7})) {
          omp_set_num_threads(threads);
          EXPECT_EQ(one, reduce<T>(op, axis, shape, a)) << cudamat::name(op) << " " << threads;
          EXPECT_EQ(total, npmat::Engine<T>::reduce_all(Op::euclid_norm, a.data(), nullptr,
                                                        Index(a.size())));
        }
      }
  }
}

TYPED_TEST(EngineReduce, AccumulatesOntoTheTarget) {
  using T = TypeParam;
  const std::vector<T> a = {1, 2, 3, 4, 5, 6};
  EXPECT_THAT(reduce<T>(Op::sum, 0, {2, 3}, a, T(10), T(2), T(100)),
              testing::ElementsAre(230, 270, 310));
  EXPECT_THAT(reduce<T>(Op::sum, 1, {2, 3}, a, T(1), T(0), kNan<T>), testing::ElementsAre(9, 12));
  EXPECT_THAT(reduce<T>(Op::mean, 1, {2, 3}, a, T(2), T(-1), T(1)), testing::ElementsAre(5, 7));
}

TYPED_TEST(EngineReduce, EmptyInputGivesTheIdentity) {
  using T = TypeParam;
  const std::vector<T> none;
  EXPECT_THAT(reduce<T>(Op::sum, 0, {0, 3}, none), testing::ElementsAre(0, 0, 0));
  EXPECT_THAT(reduce<T>(Op::prod, 1, {2, 0}, none), testing::ElementsAre(1, 1));
  EXPECT_TRUE(std::isnan(reduce<T>(Op::mean, 0, {0, 1}, none)[0]));
  EXPECT_THAT(reduce<T>(Op::sum, 0, {3, 0}, none), testing::ElementsAre());
}

TYPED_TEST(EngineReduce, WholeMatrixNumbers) {
  using T = TypeParam;
  using E = npmat::Engine<T>;
  for (Index n : {1, 2, 63, 64, 1000, 200000}) {
    const auto a = numbers<T>(n, 5), b = numbers<T>(n, 6);
    Quad squares = 0, magnitudes = 0, products = 0;
    T largest = a[0];
    for (std::size_t i = 0; i < a.size(); ++i) {
      squares += Quad(a[i]) * a[i];
      magnitudes += std::abs(a[i]);
      products += Quad(a[i]) * b[i];
      largest = std::max(largest, a[i]);
    }
    const T close = std::numeric_limits<T>::epsilon() * 16;
    const T norm = std::sqrt(T(squares));
    EXPECT_NEAR(double(E::reduce_all(Op::euclid_norm, a.data(), nullptr, n) / norm), 1, close);
    EXPECT_NEAR(double(E::reduce_all(Op::manhattan_norm, a.data(), nullptr, n) / T(magnitudes)), 1,
                close);
    EXPECT_NEAR(double(E::reduce_all(Op::vdot, a.data(), b.data(), n) - T(products)), 0,
                close * T(squares));
    EXPECT_EQ(E::reduce_all(Op::total_max, a.data(), nullptr, n), largest);
    EXPECT_EQ(E::reduce_all(Op::total_mean, a.data(), nullptr, n),
              E::reduce_all(Op::total_sum, a.data(), nullptr, n) / T(n));
    EXPECT_EQ(E::reduce_all(Op::allfinite, a.data(), nullptr, n), 1);
    for (T bad :
         {kNan<T>, std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity()}) {
      auto c = a;
      c[std::size_t(n / 2)] = bad;
      EXPECT_EQ(E::reduce_all(Op::allfinite, c.data(), nullptr, n), 0);
    }
    auto c = a;
    c[std::size_t(n - 1)] = kNan<T>;
    EXPECT_TRUE(std::isnan(E::reduce_all(Op::total_max, c.data(), nullptr, n)));
  }
}

TYPED_TEST(EngineReduce, CumsumRunsAlongTheRows) {
  using T = TypeParam;
  for (const Shape shape : kShapes) {
    const auto a = numbers<T>(shape.rows * shape.cols, 8);
    std::vector<T> expected = a, target(a.size(), kNan<T>), in_place = a;
    for (std::size_t i = std::size_t(shape.rows); i < a.size(); ++i)
      expected[i] = expected[i - std::size_t(shape.rows)] + a[i];
    npmat::Engine<T>::cumsum(a.data(), target.data(), shape.rows, shape.cols);
    npmat::Engine<T>::cumsum(in_place.data(), in_place.data(), shape.rows, shape.cols);
    EXPECT_EQ(target, expected);
    EXPECT_EQ(in_place, expected);
  }
}

TYPED_TEST(EngineReduce, SortsEachColumn) {
  using T = TypeParam;
  for (const Shape shape : kShapes) {
    std::vector<T> a(std::size_t(shape.rows * shape.cols)), expected(a.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
      expected[k] = T(k % std::size_t(shape.rows));
      a[k] = T(k * 7919 % std::size_t(shape.rows));  // 7919 is prime: every number of the column
    }
    npmat::Engine<T>::sort(a.data(), shape.rows, shape.cols);
    EXPECT_EQ(a, expected);
  }
}

}  // namespace

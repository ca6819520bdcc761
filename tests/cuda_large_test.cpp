// Matrices large enough that kernels take 16 bytes at a time, loop over the grid and reduce in
// several passes on any GPU; the conformance suite's are smaller. Whole numbers make the expected
// values exact.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "cudamat/cudamat.hpp"

namespace {

using cudamat::HostMatrix;
using cudamat::Index;
using cudamat::Shape;

template <class T>
class CudaLarge : public testing::Test {
 public:
  using Matrix = cudamat::CUDAMatrix<T>;

  /// Small whole numbers, of which all sums here are exact.
  static T number(Index k) { return static_cast<T>((k * 7919 + 13) % 17 - 8); }

  /// rows x cols of them, `offset` elements after the start of an allocation.
  static Matrix numbers(Shape shape, Index offset = 0) {
    HostMatrix<T> host({1, shape.size() + offset});
    for (Index k = 0; k < shape.size(); ++k) host.data()[offset + k] = number(k);
    Matrix block(host);
    return block.slice(offset, offset + shape.size()).view(shape);
  }

  template <class F>
  static void expect(const HostMatrix<T>& got, const F& wanted) {
    for (Index j = 0; j < got.shape().cols; ++j)
      for (Index i = 0; i < got.shape().rows; ++i)
        ASSERT_EQ(got(i, j), wanted(i, j)) << "element (" << i << ", " << j << ")";
  }
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaLarge, Types);

TYPED_TEST(CudaLarge, ElementWiseAtEveryAlignment) {
  const Shape shape{1, 700'001};
  for (Index of_a = 0; of_a < 4; ++of_a)
    for (const Index of_target : {of_a, Index{1}}) {
      auto a = this->numbers(shape, of_a);
      auto b = this->numbers(shape, of_a);
      auto target = this->numbers(shape, of_target);
      a.mult(b, target);
      this->expect(target.asarray(),
                   [&](Index, Index j) { return this->number(j) * this->number(j); });
      a.add(TypeParam(3));
      this->expect(a.asarray(), [&](Index, Index j) { return this->number(j) + 3; });
      cudamat::where(a, target, b, a);
      this->expect(a.asarray(), [&](Index, Index j) {
        const TypeParam x = this->number(j);
        return x + 3 != 0 ? x * x : x;
      });
    }
}

TYPED_TEST(CudaLarge, BroadcastsOverTallWideAndOddMatrices) {
  for (const Shape shape : {Shape{8, 90'001}, {90'001, 8}, {1000, 700}, {1001, 703}}) {
    auto a = this->numbers(shape);
    auto column = this->numbers({shape.rows, 1}, 4), row = this->numbers({1, shape.cols}, 1);
    a.add_col_vec(column).mult_by_row(row);
    this->expect(a.asarray(), [&](Index i, Index j) {
      return (this->number(i + shape.rows * j) + this->number(i)) * this->number(j);
    });
  }
}

TYPED_TEST(CudaLarge, ReductionsOverLongShortAndManyRows) {
  for (const Shape shape :
       {Shape{8, 130'001}, {130'001, 8}, {1, 1'000'003}, {1'000'003, 1}, {1001, 1003}}) {
    auto a = this->numbers(shape);
    const auto at = [&](Index i, Index j) { return this->number(i + shape.rows * j); };
    for (const int axis : {0, 1}) {
      const Index count = axis == 0 ? shape.cols : shape.rows;
      const Index length = axis == 0 ? shape.rows : shape.cols;
      HostMatrix<TypeParam> sums = a.sum(axis).asarray(), most = a.max(axis).asarray(),
                            where = a.argmin(axis).asarray();
      for (Index r = 0; r < count; ++r) {
        TypeParam sum = 0, largest = -100;
        Index smallest = 0;
        const auto element = [&](Index k) { return axis == 0 ? at(k, r) : at(r, k); };
        for (Index k = 0; k < length; ++k) {
          sum += element(k);
          largest = std::max(largest, element(k));
          if (element(k) < element(smallest)) smallest = k;
        }
        ASSERT_EQ(sums.data()[r], sum) << r << " of axis " << axis;
        ASSERT_EQ(most.data()[r], largest) << r << " of axis " << axis;
        ASSERT_EQ(where.data()[r], static_cast<TypeParam>(smallest)) << r << " of axis " << axis;
      }
    }
    double squares = 0;  // past 2^24, where floats are no longer exact
    for (Index k = 0; k < shape.size(); ++k) squares += std::pow(double(this->number(k)), 2);
    const double roundoff = std::numeric_limits<TypeParam>::epsilon() / 2;
    EXPECT_NEAR(cudamat::vdot(a, a), squares, 20 * roundoff * squares);
    EXPECT_EQ(a.euclid_norm(), static_cast<TypeParam>(std::sqrt(squares)));
  }
}

TYPED_TEST(CudaLarge, MovesOfTallWideAndOddMatrices) {
  for (const Shape shape : {Shape{8, 90'001}, {90'001, 8}, {1000, 700}, {1001, 703}}) {
    auto a = this->numbers(shape);
    this->expect(a.transpose().asarray(),
                 [&](Index i, Index j) { return this->number(j + shape.rows * i); });
    this->expect(a.get_row_slice(3, 7).asarray(),
                 [&](Index i, Index j) { return this->number(i + 3 + shape.rows * j); });
    HostMatrix<TypeParam> backwards({1, shape.cols});
    for (Index j = 0; j < shape.cols; ++j) backwards(0, j) = static_cast<TypeParam>(-1 - j);
    auto turned = a.copy();
    a.select_columns(typename TestFixture::Matrix(backwards), turned);
    this->expect(turned.asarray(), [&](Index i, Index j) {
      return this->number(i + shape.rows * (shape.cols - 1 - j));
    });
  }
}

TYPED_TEST(CudaLarge, RunningSumsOfLongAndOfManyRows) {
  for (const Shape shape : {Shape{3, 200'001}, {20'001, 30}}) {
    auto a = this->numbers(shape);
    a.cumsum(a);
    const HostMatrix<TypeParam> got = a.asarray();
    for (Index i = 0; i < shape.rows; ++i) {
      TypeParam sum = 0;
      for (Index j = 0; j < shape.cols; ++j) {
        sum += this->number(i + shape.rows * j);
        ASSERT_EQ(got(i, j), sum) << "(" << i << ", " << j << ")";
      }
    }
  }
}

TYPED_TEST(CudaLarge, SortsOfLongAndOfManyColumns) {
  for (const Shape shape : {Shape{140'001, 1}, {2500, 70}, {3, 40'001}}) {
    HostMatrix<TypeParam> mixed(shape);  // 7919 is prime: each column has every row's number
    for (Index k = 0; k < shape.size(); ++k)
      mixed.data()[k] = static_cast<TypeParam>(k * 7919 % shape.rows);
    typename TestFixture::Matrix a(mixed);
    a.sort(a);
    this->expect(a.asarray(), [](Index i, Index) { return static_cast<TypeParam>(i); });
  }
}

/// What np.sort puts in one place or in any order: equal numbers, and NaNs.
template <class T>
bool same_rank(T x, T y) {
  return x == y || (x != x && y != y);
}

/// The rows of a column in NumPy's order, of equal numbers the first one first.
template <class T>
std::vector<Index> stable_order(const HostMatrix<T>& mat, Index j) {
  std::vector<Index> order(static_cast<std::size_t>(mat.shape().rows));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index left, Index right) {
    const T x = mat(left, j), y = mat(right, j);
    return x < y || (x == x && y != y);
  });
  return order;
}

/// Numbers of all magnitudes, many of them equal, and one of a hundred of a special kind.
template <class T>
HostMatrix<T> of_every_kind(Shape shape) {
  using Limits = std::numeric_limits<T>;
  const T special[] = {T(0),
                       -T(0),
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       -Limits::quiet_NaN(),
                       Limits::denorm_min(),
                       -Limits::denorm_min(),
                       Limits::max(),
                       Limits::lowest()};
  HostMatrix<T> mixed(shape);
  std::mt19937_64 random(13);
  for (Index k = 0; k < shape.size(); ++k)
    mixed.data()[k] = random() % 100 == 0
                          ? special[random() % std::size(special)]
                          : std::ldexp(T(random() % 2001) - 1000, int(random() % 60) - 30);
  return mixed;
}

// By their digits.
TYPED_TEST(CudaLarge, SortsOfColumnsThatAreVeryLong) {
  using T = TypeParam;
  for (const Shape shape : {Shape{(1 << 19) + 1, 1}, {(1 << 19) + 2, 2}}) {
    const HostMatrix<T> mixed = of_every_kind<T>(shape);
    typename TestFixture::Matrix a(mixed), places = a.argsort();
    a.sort(a);
    const HostMatrix<T>&sorted = a.asarray(), &order = places.asarray();
    for (Index j = 0; j < shape.cols; ++j) {
      const std::vector<Index> wanted = stable_order(mixed, j);
      int negative_zeros = 0, negative_nans = 0;  // bits are kept
      for (Index i = 0; i < shape.rows; ++i) {
        const Index from = wanted[static_cast<std::size_t>(i)];
        const T x = mixed(from, j), got = sorted(i, j);
        ASSERT_TRUE(same_rank(got, x)) << i << ": " << got;
        ASSERT_EQ(order(i, j), static_cast<T>(from)) << i;
        if (x == T(0)) negative_zeros += int{std::signbit(x)} - int{std::signbit(got)};
        if (x != x) negative_nans += int{std::signbit(x)} - int{std::signbit(got)};
      }
      EXPECT_EQ(negative_zeros, 0);
      EXPECT_EQ(negative_nans, 0);
    }
  }
}

// More elements than any grid has threads; one key has nearly all of them.
TYPED_TEST(CudaLarge, ChoicesOfManyElements) {
  using T = TypeParam;
  using M = typename TestFixture::Matrix;
  const Shape shape{1, 1'000'003};
  const HostMatrix<T> mixed = of_every_kind<T>(shape);
  const M a(mixed);
  M chosen = M::empty(shape), counts = M::empty(shape);

  std::vector<T> sorted(mixed.data(), mixed.data() + shape.cols);
  std::sort(sorted.begin(),
            std::partition(sorted.begin(), sorted.end(), [](T x) { return x == x; }));
  const Index distinct = cudamat::unique(a, chosen, counts);
  const HostMatrix<T>&numbers = chosen.asarray(), &often = counts.asarray();
  auto next = sorted.begin();
  for (Index k = 0; k < distinct; ++k) {
    const auto end = std::find_if(next, sorted.end(), [&](T x) { return !same_rank(x, *next); });
    ASSERT_TRUE(same_rank(numbers(0, k), *next)) << k;
    ASSERT_EQ(often(0, k), static_cast<T>(end - next)) << k;
    next = end;
  }
  EXPECT_EQ(next, sorted.end());

  const Index places = cudamat::nonzero(a, counts);
  ASSERT_EQ(cudamat::select(a, a, chosen), places);
  const HostMatrix<T>&at = counts.asarray(), &kept = chosen.asarray();
  Index found = 0;
  for (Index k = 0; k < shape.cols; ++k) {
    if (mixed(0, k) == T(0)) continue;
    ASSERT_EQ(at(0, found), static_cast<T>(k));
    ASSERT_TRUE(same_rank(kept(0, found), mixed(0, k))) << k;
    ++found;
  }
  EXPECT_EQ(found, places);
}

TYPED_TEST(CudaLarge, CountsOfManyElementsAndOfManyKeys) {
  using T = TypeParam;
  using M = typename TestFixture::Matrix;
  for (const Index size : {3, 1'000'001}) {
    const Index n = size == 3 ? 1'000'003 : 400'000;
    HostMatrix<T> keys({1, n}), wanted({1, size}, T(0)), sums({1, size}, T(0));
    for (Index k = 0; k < n; ++k) {
      const Index key = k % 7 == 0 ? k * 7919 % size : size - 2;
      keys(0, k) = static_cast<T>(key);
      wanted(0, key) += 1;
      sums(0, key) += this->number(k);
    }
    const M a(keys), weights = this->numbers({1, n});
    M counts = M::empty({1, size});
    cudamat::bincount(a, counts);
    this->expect(counts.asarray(), [&](Index, Index j) { return wanted(0, j); });
    cudamat::bincount(a, weights, counts);
    this->expect(counts.asarray(), [&](Index, Index j) { return sums(0, j); });
    if (size == 3) {
      M bins = M::empty({1, 2});
      cudamat::histogram(a, M(HostMatrix<T>{{0, 1, 2}}), bins);
      this->expect(bins.asarray(), [&](Index, Index j) {
        return j == 0 ? wanted(0, 0) : wanted(0, 1) + wanted(0, 2);
      });
    }
    keys(0, n - 2) = keys(0, n - 1) = static_cast<T>(size);
    EXPECT_THROW(cudamat::bincount(M(keys), counts), cudamat::CUDAMatException);
  }
}

}  // namespace

// garray: values, aliases, expressions. Numbers by hand; NumPy is the judge in differential tests.
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "gnumpy_sample.hpp"

namespace gpu = gnumpy;
using gnumpy_sample::v;
using gpu::all;
using gpu::Dims;
using gpu::garray;
using gpu::Index;
using gpu::slice;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

TEST(Garray, ComputesAnExpressionOnce) {
  const garray a{{1, 2, 3}, {4, 5, 6}};
  const garray b{10, 20, 30};
  const auto e = a + b * 2;
  EXPECT_EQ(e.shape(), (Dims{2, 3}));
  EXPECT_THAT(v(e), ElementsAre(21, 42, 63, 24, 45, 66));
  EXPECT_THAT(v(e), ElementsAre(21, 42, 63, 24, 45, 66));
}

TEST(Garray, ListsInBraces) {
  EXPECT_EQ(garray({1, 2.5F, 3L}).shape(), Dims{3});
  EXPECT_EQ((garray{{1}, {2}}).shape(), (Dims{2, 1}));
  EXPECT_EQ((garray{{1, 2, 3}}).shape(), (Dims{1, 3}));
  EXPECT_EQ(garray{5}.shape(), Dims{1});
  EXPECT_EQ(garray{}.shape(), Dims{0});
  EXPECT_THROW((garray{{1, 2}, {3}}), cudamat::CUDAMatException);
}

TEST(Garray, FunctionsOfNumbersAreArraysWithoutDimensions) {
  EXPECT_EQ((gpu::negative(3) + gpu::abs(-4)).item(), 1);
  EXPECT_EQ((gpu::negative(3) + 5 * gpu::maximum(1, 2)).shape(), Dims{});
  EXPECT_THAT(v(gpu::negative(3) * garray{1, 2}), ElementsAre(-3, -6));
  EXPECT_EQ(gpu::pow(0, -1).item(), HUGE_VAL);  // where Python refuses it
}

TEST(Garray, AnExpressionNeverSeesLaterWrites) {
  garray a{1, 2, 3};
  const auto e = a + 1;
  a += 10;
  EXPECT_THAT(v(e), ElementsAre(2, 3, 4));
  EXPECT_THAT(v(a), ElementsAre(11, 12, 13));
}

TEST(Garray, ACopyIsAValue) {
  garray a{1, 2, 3};
  garray b = a;
  a += 1;
  EXPECT_THAT(v(b), ElementsAre(1, 2, 3));
  b *= 2;
  EXPECT_THAT(v(a), ElementsAre(2, 3, 4));
  EXPECT_THAT(v(b), ElementsAre(2, 4, 6));
}

TEST(Garray, AReshapedTemporaryCopyIsAValue) {
  garray a{1, 2};
  garray b = a;
  const garray column = std::move(b).reshape({2, 1});
  const garray row = garray(a).reshape({1, 2});
  a += 10;
  EXPECT_THAT(v(column), ElementsAre(1, 2));
  EXPECT_THAT(v(row), ElementsAre(1, 2));
}

TEST(Garray, RangesOfTheFirstAxisAndReshapesAreAliases) {
  garray a{{1, 2}, {3, 4}, {5, 6}};
  auto rows = a[slice(1, 3)];
  rows *= 10;
  EXPECT_THAT(v(a), ElementsAre(1, 2, 30, 40, 50, 60));
  auto flat = a.ravel();
  flat[0] = 7.0;
  EXPECT_THAT(v(a), ElementsAre(7, 2, 30, 40, 50, 60));
  garray column = a(all, 1);
  a(all, 1) = 0.0;
  EXPECT_THAT(v(column), ElementsAre(2, 40, 60));
  EXPECT_THAT(v(a), ElementsAre(7, 0, 30, 0, 50, 0));
  a(all, 0) += garray{1, 2, 3};
  EXPECT_THAT(v(a), ElementsAre(8, 0, 32, 0, 53, 0));
}

TEST(Garray, AnInPlaceOperandMayNotHaveMoreDimensions) {
  garray a{{1, 2}, {3, 4}};
  EXPECT_THROW((a(all, 1) += garray{{1, 2}}), cudamat::CUDAMatException);
  EXPECT_THROW((a[0] += garray{{1, 2}}), cudamat::CUDAMatException);
  EXPECT_THAT(v(a), ElementsAre(1, 2, 3, 4));
  a(all, 1) = garray{{10, 20}};  // NumPy's assignment drops the axis
  EXPECT_THAT(v(a), ElementsAre(1, 10, 3, 20));
}

TEST(Garray, IndexArraysAsNumPyHasThem) {
  const garray a = garray({0, 1, 2, 3, 4, 5, 6, 7}).reshape({2, 2, 2});
  const std::vector<Index> one{1}, both{1, 0};
  EXPECT_THAT(v(a(one, both)), ElementsAre(6, 7, 4, 5));
  EXPECT_THAT(v(a(both, one)), ElementsAre(6, 7, 2, 3));
  EXPECT_THAT(v(a(both, all, 0)), ElementsAre(4, 6, 0, 2));
  EXPECT_THAT(v(a(all, 1, both)), ElementsAre(3, 2, 7, 6));
  // NumPy moves their axis to the front: not here.
  EXPECT_THROW((void)a(0, all, both), cudamat::CUDAMatException);
  EXPECT_THROW((void)a(all, gpu::newaxis, both, gpu::newaxis, 0), cudamat::CUDAMatException);
}

TEST(Garray, Products) {
  const garray a{{1, 2}, {3, 4}};
  const garray x{1, 10};
  EXPECT_THAT(v(gpu::dot(a, x)), ElementsAre(21, 43));
  EXPECT_THAT(v(gpu::dot(x, a)), ElementsAre(31, 42));
  EXPECT_THAT(v(gpu::dot(a.T(), a)), ElementsAre(10, 14, 14, 20));
  EXPECT_EQ(gpu::dot(x, x).item(), 101);
  EXPECT_THAT(v(gpu::outer(x, x)), ElementsAre(1, 10, 10, 100));
}

TEST(Garray, ProductsOverNothing) {
  const garray a = gpu::zeros({2, 0});
  EXPECT_EQ(gpu::dot(a, gpu::zeros({3, 0, 4})).shape(), (Dims{2, 3, 4}));
  EXPECT_THAT(v(gpu::dot(a, gpu::zeros({1, 0, 2}))), ElementsAre(0, 0, 0, 0));
}

TEST(Garray, ExtremaOfNothingAreRefusedWhereTheyAreWritten) {
  const garray none = gpu::zeros({0, 0});
  EXPECT_THROW((void)none.argmax(1), cudamat::CUDAMatException);
  EXPECT_THROW((void)none.min(1), cudamat::CUDAMatException);
  EXPECT_THROW((void)none.max(), cudamat::CUDAMatException);
  EXPECT_EQ(gpu::zeros({0, 3}).max(1).shape(), Dims{0});
}

TEST(Garray, BroadcastsInManyDimensions) {
  const garray a = garray({1, 2, 3, 4, 5, 6}).reshape({3, 1, 2});
  const garray b = garray({10, 20}).reshape({2, 1});
  const garray c = a + b;
  EXPECT_EQ(c.shape(), (Dims{3, 2, 2}));
  EXPECT_THAT(v(c), ElementsAre(11, 12, 21, 22, 13, 14, 23, 24, 15, 16, 25, 26));
  EXPECT_THAT(v(c.sum(1)), ElementsAre(32, 34, 36, 38, 40, 42));
  EXPECT_THAT(v(c.max(0)), ElementsAre(15, 16, 25, 26));
  EXPECT_EQ(c.sum().item(), 222);
  EXPECT_THAT(v(c.T()), ElementsAre(11, 13, 15, 21, 23, 25, 12, 14, 16, 22, 24, 26));
}

TEST(Garray, WritesOverTemporaries) {
  garray w = gpu::ones({3, 4});
  const garray v1{{1, 2, 3}};
  const std::string text = gpu::explain(w * 0.9 + gpu::dot(v1.T(), gpu::ones({1, 4})));
  EXPECT_THAT(text, HasSubstr("add"));
  w = w * 0.5 + 1;
  EXPECT_THAT(v(w), testing::Each(1.5));
}

TEST(Garray, ErrorsNameTheLine) {
  const garray a{1, 2, 3};
  const garray b{1, 2};
  try {
    (void)(a + b);
    FAIL();
  } catch (const cudamat::CUDAMatException& error) {
    EXPECT_THAT(error.what(), HasSubstr("gnumpy_test.cpp"));
    EXPECT_THAT(error.what(),
                HasSubstr("operands could not be broadcast together with shapes (3,) (2,)"));
  }
}

TEST(Garray, TileConcatenateDiag) {
  const garray a{{1, 2}, {3, 4}};
  EXPECT_THAT(v(gpu::tile(a, {1, 2})), ElementsAre(1, 2, 1, 2, 3, 4, 3, 4));
  EXPECT_THAT(v(gpu::concatenate({a, a}, 1)), ElementsAre(1, 2, 1, 2, 3, 4, 3, 4));
  EXPECT_THAT(v(gpu::eye(3)), ElementsAre(1, 0, 0, 0, 1, 0, 0, 0, 1));
  EXPECT_EQ(gpu::std(a).item(), std::sqrt(1.25f));
}

TEST(Garray, Permutes) {
  const garray a = garray{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}.reshape({2, 3, 2});
  const garray b = a.transpose({1, 0, 2});
  EXPECT_EQ(b.shape(), (Dims{3, 2, 2}));
  EXPECT_THAT(v(b), ElementsAre(0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11));
  EXPECT_THAT(v(a.transpose({0, 2, -2})), ElementsAre(0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11));
  EXPECT_THAT(v(a.transpose({0, 1, 2})), testing::ElementsAreArray(v(a)));
  EXPECT_THROW((void)a.transpose({0, 1}), cudamat::CUDAMatException);
  EXPECT_THROW((void)a.transpose({0, 1, 1}), cudamat::CUDAMatException);
}

TEST(Garray, CopiesAreNotAliases) {
  garray a{{1, 2}, {3, 4}};
  garray b = a[0].copy();
  const garray same = a.transpose({0, 1});
  a *= 10;
  EXPECT_THAT(v(b), ElementsAre(1, 2));
  EXPECT_THAT(v(same), ElementsAre(1, 2, 3, 4));
  b += 1;
  EXPECT_THAT(v(a), ElementsAre(10, 20, 30, 40));
}

TEST(Garray, NonzeroElementsByTheirIndices) {
  const garray a{{0, 5, 0}, {7, 0, 9}};
  const std::vector<garray> at = gpu::nonzero(a);
  ASSERT_EQ(at.size(), 2u);
  EXPECT_THAT(v(at[0]), ElementsAre(0, 1, 1));
  EXPECT_THAT(v(at[1]), ElementsAre(1, 0, 2));
  EXPECT_THAT(v(a(at[0], at[1])), ElementsAre(5, 7, 9));
}

TEST(Garray, IteratesOverTheFirstAxis) {
  garray a{{1, 2}, {3, 4}};
  for (auto row : a) row += 1;
  EXPECT_THAT(v(a), ElementsAre(2, 3, 4, 5));
  const auto [rows, cols] = a.extents<2>();
  EXPECT_EQ(rows * 10 + cols, 22);
  EXPECT_THROW((void)a.extents<3>(), cudamat::CUDAMatException);
}

TEST(Garray, SortsAlongAnAxisWithNaNsLast) {
  garray a{{3, NAN, 1}, {-2, 5, -INFINITY}};
  const garray columns = gpu::sort(a, 0);
  EXPECT_THAT(v(columns), ElementsAre(-2, 5, -INFINITY, 3, testing::IsNan(), 1));
  garray last = a(all, 2);
  a.sort();
  EXPECT_THAT(v(a), ElementsAre(1, 3, testing::IsNan(), -INFINITY, -2, 5));
  EXPECT_THAT(v(last), ElementsAre(1, -INFINITY));
  auto row = a[1];
  row[0] = 9.0;
  row.sort();  // a view is written through
  EXPECT_THAT(v(a[1]), ElementsAre(-2, 5, 9));
}

TEST(Garray, TruthOfAllElementsAndOfAny) {
  const garray a{{1, 0}, {NAN, 2}};
  EXPECT_THAT(v(gpu::all(a, 0)), ElementsAre(1, 0));
  EXPECT_THAT(v(a.any(1)), ElementsAre(1, 1));
  EXPECT_FALSE(static_cast<bool>(gpu::all(a)));
  EXPECT_TRUE(static_cast<bool>(gpu::any(a)));
  EXPECT_THAT(v(a.as_bool()), ElementsAre(1, 0, 1, 1));
  EXPECT_THAT(v(a.as_bool().all2(0)), ElementsAre(1, 0));
  EXPECT_THAT(v(a.as_bool().any2(1)), ElementsAre(1, 1));
  EXPECT_THAT(v(!a), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(v(!(a > 0.5)), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(v(a.isnumber()), ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(v((a / 0).isreal()), ElementsAre(0, 0, 0, 0));
  EXPECT_FALSE(a.all_real());
  EXPECT_TRUE(gpu::zeros({0, 2}).all_real());
}

TEST(Garray, AreEmptyWhenMovedFrom) {
  garray x{1, 2};
  const garray y = std::move(x);
  EXPECT_EQ(x.size(), 0);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(x.str(), "[]");
  x = y + 1;
  garray z{5};
  swap(x, z);
  EXPECT_THAT(v(x), ElementsAre(5));
  EXPECT_THAT(v(z), ElementsAre(2, 3));
}

TEST(Garray, StepsBeyondTheAxis) {
  constexpr Index kMost = std::numeric_limits<Index>::max();
  const garray a{1, 2, 3, 4};
  EXPECT_THAT(v(a[slice(0, 3, kMost)]), ElementsAre(1));
  EXPECT_THAT(v(a[slice({}, {}, std::numeric_limits<Index>::min())]), ElementsAre(4));
  EXPECT_THAT(v(a[slice({}, {}, 3)]), ElementsAre(1, 4));
  EXPECT_THAT(v(a[slice(-1, 0, -2)]), ElementsAre(4, 2));
  EXPECT_THAT(v(a[slice(2, 2, 5)]), ElementsAre());
}

TEST(Garray, WritesToACopyBeforeItWasMade) {
  const garray a{1, 2};
  garray b = a;
  b += 1;
  EXPECT_THAT(v(b), ElementsAre(2, 3));
  EXPECT_THAT(v(a), ElementsAre(1, 2));
  garray c = a;
  EXPECT_THROW((c += garray{{1, 2}, {3, 4}}), cudamat::CUDAMatException);
  EXPECT_THAT(v(c), ElementsAre(1, 2));
}

TEST(Garray, AnExpressionIsComputedIntoTheRowThatItIsAssignedTo) {
  garray a{{1, 2}, {3, 4}, {5, 6}};
  const garray b{10, 20};
  (void)(b * 2).materialize();
  const gpu::Work before = gpu::work_done();
  a[1] = b + 1;
  EXPECT_EQ(gpu::work_done().launches - before.launches, 1);
  EXPECT_THAT(v(a), ElementsAre(1, 2, 11, 21, 5, 6));
  a[0] = a[2] * a[1];  // reads the same memory
  EXPECT_THAT(v(a), ElementsAre(55, 126, 11, 21, 5, 6));
  auto e = b * 3;
  a[2] = std::move(e);
  EXPECT_THAT(v(a[2]), ElementsAre(30, 60));
  a[slice(0, 2)] = gpu::dot(garray{{1}, {2}}, garray{{1, 1}}) + 0.5;
  EXPECT_THAT(v(a), ElementsAre(1.5, 1.5, 2.5, 2.5, 30, 60));
  const auto read = a * 2;  // computed before the write
  a[2] = b - 10;
  EXPECT_THAT(v(read[2]), ElementsAre(60, 120));
  EXPECT_THAT(v(a[2]), ElementsAre(0, 10));
}

TEST(Garray, SteppedRangesReadAndWritten) {
  const garray numbers = gpu::cumsum(gpu::ones(24)) - 1;
  garray a = numbers.reshape({2, 4, 3});
  EXPECT_THAT(v(a(0, slice({}, {}, 2), 1)), ElementsAre(1, 7));
  EXPECT_THAT(v(a(all, slice(1, {}, 2), 0)), ElementsAre(3, 9, 15, 21));
  EXPECT_THAT(v(a(all, slice(0, {}, 3), 0)), ElementsAre(0, 9, 12, 21));  // 4 is no multiple of 3
  EXPECT_THAT(v(numbers[slice(20, {}, 3)]), ElementsAre(20, 23));
  a(all, slice(0, {}, 3)) = 0.0;
  EXPECT_EQ(a.sum().item(), 276 - (0 + 1 + 2 + 9 + 10 + 11 + 12 + 13 + 14 + 21 + 22 + 23));
  a(all, slice(1, {}, 2)) = garray{1, 2, 3};
  EXPECT_THAT(v(a(1, slice(0, {}, 1))), ElementsAre(0, 0, 0, 1, 2, 3, 18, 19, 20, 1, 2, 3));
}

TEST(Garray, EqualArrays) {
  const garray a{{1, 2}, {3, 4}};
  EXPECT_TRUE(a.eq2(a + 0));
  EXPECT_FALSE(a.eq2(a.ravel()));
  EXPECT_FALSE(a.eq2(a.T()));
  EXPECT_FALSE(garray(NAN).eq2(garray(NAN)));
  EXPECT_TRUE(gpu::zeros({0, 2}).eq2(gpu::ones({0, 2})));
}

TEST(Garray, Diagonals) {
  const garray wide = garray({0, 1, 2, 3, 4, 5}).reshape({2, 3});
  EXPECT_THAT(v(wide.diagonal()), ElementsAre(0, 4));
  EXPECT_THAT(v(wide.T().diag()), ElementsAre(0, 4));
  EXPECT_THAT(v(garray({1, 2}).diag()), ElementsAre(1, 0, 0, 2));
  EXPECT_EQ(gpu::zeros({0, 3}).diagonal().shape(), Dims{0});
  EXPECT_THROW((void)garray(1.0).diagonal(), cudamat::CUDAMatException);
}

TEST(Garray, TensordotOverPairsOfAxes) {
  const garray a = garray({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}).reshape({2, 3, 2});
  const garray b = garray({1, 2, 3, 4, 5, 6}).reshape({3, 2});
  // np.tensordot(a, b, ([1, 2], [0, 1])), and with the axes in another order
  EXPECT_THAT(v(gpu::tensordot(a, b, {1, 2}, {0, 1})), ElementsAre(70, 196));
  EXPECT_THAT(v(gpu::tensordot(a, b, {-1, 1}, {1, 0})), ElementsAre(70, 196));
  EXPECT_EQ(gpu::tensordot(a, b, {0}, {1}).shape(), (Dims{3, 2, 3}));
  EXPECT_THAT(v(gpu::tensordot(a, a, {0, 1}, {0, 1})), ElementsAre(220, 250, 250, 286));
  EXPECT_THAT(gpu::explain(gpu::tensordot(a, a, {0, 1}, {0, 1})),
              testing::Not(HasSubstr("transpose")));
  EXPECT_THROW((void)gpu::tensordot(a, b, {0, 1}, {0}), cudamat::CUDAMatException);
  EXPECT_THROW((void)gpu::tensordot(a, b, {0}, {0}), cudamat::CUDAMatException);
  EXPECT_THROW((void)gpu::tensordot(a, b, {1, 1}, {0, 0}), cudamat::CUDAMatException);
}

}  // namespace

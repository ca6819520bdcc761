// garray: values, aliases, expressions. Numbers by hand; NumPy is the judge in differential tests.
#include "gnumpy/gnumpy.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gnumpy/text.hpp"

namespace gpu = gnumpy;
using gpu::all;
using gpu::Dims;
using gpu::garray;
using gpu::Index;
using gpu::slice;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::vector<double> v(const garray& a) {
  return a.to_vector();
}

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
  garray rows = a[slice(1, 3)];
  rows *= 10;
  EXPECT_THAT(v(a), ElementsAre(1, 2, 30, 40, 50, 60));
  garray flat = a.ravel();
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
  for (garray row : a) row += 1;
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
  garray row = a[1];
  row[0] = 9.0;
  row.sort();  // an alias is written through
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
  (void)(b * 2).settle();
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
  EXPECT_THROW((void)gpu::tensordot(a, b, {0, 1}, {0}), cudamat::CUDAMatException);
  EXPECT_THROW((void)gpu::tensordot(a, b, {0}, {0}), cudamat::CUDAMatException);
  EXPECT_THROW((void)gpu::tensordot(a, b, {1, 1}, {0, 0}), cudamat::CUDAMatException);
}

TEST(Checks, NameTheOperationAndTheLine) {
  const garray a{1, 0, -1};
  gpu::acceptable_number_types("no nans");
  const auto says = [](auto&& compute) {
    try {
      compute();
    } catch (const cudamat::CUDAMatException& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const int line = __LINE__ + 1;
  const std::string text = says([&] { (void)(gpu::log(a) * 2).settle(); });
  EXPECT_THAT(text, testing::AllOf(HasSubstr("[log]"), HasSubstr("NaN"), HasSubstr("no nans"),
                                   HasSubstr(fmt::format("gnumpy_test.cpp:{}:", line))));
  EXPECT_EQ(says([&] { (void)(1 / a).settle(); }), "nothing");
  gpu::acceptable_number_types("no nans or infs");
  EXPECT_THAT(says([&] { (void)(1 / a).settle(); }), HasSubstr("inf"));
  gpu::acceptable_number_types(2.5);
  EXPECT_THAT(says([&] { (void)(a - 2).settle(); }), HasSubstr("-3"));
  EXPECT_THAT(says([&] { (void)garray({1, 2, 3}); }), HasSubstr("[garray]"));
  EXPECT_EQ(gpu::acceptable_number_types(), "2.5");
  EXPECT_THAT(says([&] { (void)gpu::full(3, NAN); }), HasSubstr("[fill]"));
  garray held = a + 0;
  EXPECT_THAT(says([&] { held[0] = 7.0; }), HasSubstr("[fill]"));
  EXPECT_THAT(v(held), ElementsAre(1, 0, -1));
  gpu::expensive_check_probability(0);
  EXPECT_EQ(says([&] { (void)(a - 2).settle(); }), "nothing");
  gpu::expensive_check_probability(1);
  gpu::acceptable_number_types("anything goes");
  EXPECT_EQ(says([&] { (void)gpu::log(a).settle(); }), "nothing");
  EXPECT_THROW(gpu::acceptable_number_types("nice ones"), cudamat::CUDAMatException);
  EXPECT_THROW(gpu::acceptable_number_types(-1), cudamat::CUDAMatException);
  EXPECT_THROW(gpu::expensive_check_probability(2), cudamat::CUDAMatException);
}

TEST(Work, CountsWhatExplainShows) {
  const garray x = gpu::ones({4, 3});
  const garray w = gpu::ones({3, 2});
  EXPECT_THAT(gpu::explain(gpu::dot(x, w).logistic()), HasSubstr("# 4 statements: 2 calls"));
  EXPECT_THAT(gpu::explain(x(all, slice(1, 3))),
              HasSubstr("x.get_row_slice(1, 3, target=t)           #  2x4\n"));
  const gpu::Work before = gpu::work_done();
  const garray h = gpu::dot(x, w).logistic();
  (void)h.settle();
  const garray column = h(all, 1);
  (void)column.settle();
  const gpu::Work after = gpu::work_done();
  EXPECT_EQ(after.expressions - before.expressions, 1);
  EXPECT_EQ(after.statements - before.statements, 5);
  EXPECT_EQ(after.launches - before.launches, 3);
}

// Expressions that differ in their numbers have one plan, where the numbers are ordinary.
TEST(Passes, NumbersThatChange) {
  const garray x{3, -5, 0.75};
  for (const char* const names : {"default", "all", "none"}) {
    gpu::passes(names);
    for (const double a : {0.3, 0.0, -1.0, 1.0, 0.5, 3.0, 7.25, -2.0, 3.0, 2.9}) {
      for (const double b : {0.3, 3.0, 1.0, -0.7}) {
        const auto expected = [&](double e) {
          const double terms = (std::abs(e * a) + std::abs(a) + std::abs(2 * b)) / 3 + std::abs(e);
          return testing::DoubleNear((e * a + a - b * 2) * -1 / 3 + (e - b),
                                     (terms + std::abs(b)) * 0x1p-21);  // eight roundings
        };
        EXPECT_THAT(v((x * a + a - garray(b) * 2) * -1 / 3 + (x - b)),
                    ElementsAre(expected(3), expected(-5), expected(0.75)))
            << a << " " << b << " " << names;
      }
    }
  }
  gpu::passes("default");
  for (const double n : {2.9, 3.0, 3.1})  // the sum over 3 is a mean
    EXPECT_NEAR((x.sum() / n).item(), -1.25 / n, 1e-6);
  for (const double n : {3.0, 2.9}) EXPECT_NEAR((x.sum(0) / n * n).item(), -1.25, 1e-6);
}

TEST(Passes, AreTheUsersChoice) {
  const garray x = gpu::ones({4, 3});
  const garray y = gpu::ones({4, 2});
  garray w = gpu::ones({3, 2});
  const auto statements = [&] { return gpu::explain(w * 0.5 + gpu::dot(x.T(), y)); };
  EXPECT_EQ(gpu::passes(), "default");
  EXPECT_THAT(statements(), testing::Not(HasSubstr("transpose")));
  gpu::passes("all");
  EXPECT_THAT(statements(), testing::AnyOf(HasSubstr("add_dot"), HasSubstr("beta")));
  gpu::passes("none");
  EXPECT_THAT(statements(), HasSubstr("transpose"));
  EXPECT_THROW(gpu::passes("best"), cudamat::CUDAMatException);
  EXPECT_EQ(gpu::passes(), "none");
  gpu::passes("default");
}

TEST(Memory, IsGivenBackAndUsedAgain) {
  const std::int64_t before = gpu::memory_in_use();
  {
    const garray a = gpu::zeros({100, 10});
    EXPECT_EQ(gpu::memory_in_use() - before, a.nbytes());
    const auto lines = gpu::memory_allocators(a.nbytes());
    ASSERT_FALSE(lines.empty());
    EXPECT_THAT(lines[0].file, HasSubstr("gnumpy_test.cpp"));
  }
  EXPECT_EQ(gpu::memory_in_use(), before);
}

TEST(Memory, TheLimitIsKeptAndTheProgramGoesOn) {
  garray a = gpu::ones({100, 10});
  gpu::max_memory_usage(gpu::memory_in_use() + 100);
  try {
    a = gpu::concatenate({a, a});
    FAIL();
  } catch (const cudamat::OutOfMemory& error) {
    EXPECT_THAT(error.what(), HasSubstr("gnumpy_test.cpp"));
    EXPECT_THAT(error.what(), HasSubstr("allowed"));
  }
  gpu::max_memory_usage(0);
  EXPECT_EQ(a.sum().item(), 1000);
}

// What str() of NumPy 1.24 gives for these float32 arrays.
TEST(Memory, WithoutItEveryArrayStaysAsItWas) {
  garray a = gpu::ones({2, 600});
  const garray r = gpu::ones(600);
  garray row = a[1], copy = a, expression(r + 1);
  gpu::free_reuse_cache();
  gpu::max_memory_usage(gpu::memory_in_use());
  EXPECT_THROW(row = r * 2, cudamat::OutOfMemory);
  EXPECT_THROW(copy = copy * 2 + a, cudamat::OutOfMemory);
  EXPECT_THROW(expression = r * 2, cudamat::OutOfMemory);
  gpu::max_memory_usage(0);
  row += 1;
  EXPECT_EQ(a.sum().item(), 600 * 3);
  EXPECT_EQ(copy.sum().item(), 1200);
  EXPECT_EQ(expression.sum().item(), 1200);
}

TEST(Text, OfLongExponentsAndOfLoneNumbers) {
  const auto text = [](std::vector<double> numbers) {
    const Index size = std::ssize(numbers);
    return gpu::detail::array_text(npmat::Array<double>{{size}, std::move(numbers)});
  };
  EXPECT_EQ(text({5e-324}), "[5.e-324]");
  EXPECT_EQ(text({5e-324, 1.5}), "[4.9e-324 1.5e+000]");
  EXPECT_EQ(text({1e200, -1, NAN}), "[ 1.e+200 -1.e+000      nan]");
  EXPECT_EQ(garray(123456789).str(), "123456790.0");
  EXPECT_EQ(garray(1e-4).str(), "1e-04");
}

TEST(Text, IsNumPys) {
  const auto range = [](gpu::Index n) { return gpu::cumsum(gpu::ones(n)) - 1; };
  EXPECT_EQ(garray({1, 2.5, -3}).str(), "[ 1.   2.5 -3. ]");
  EXPECT_EQ(garray({1e-5, 1}).str(), "[1.e-05 1.e+00]");
  EXPECT_EQ(garray({1e-4, 1e-3}).str(), "[1.e-04 1.e-03]");
  EXPECT_EQ(garray({NAN, 1, -INFINITY}).str(), "[ nan   1. -inf]");
  EXPECT_EQ(garray({{0.1, 0.2}, {0.3, 1.0 / 3}}).str(),
            "[[0.1        0.2       ]\n [0.3        0.33333334]]");
  EXPECT_EQ((range(30) / 8).str(),
            "[0.    0.125 0.25  0.375 0.5   0.625 0.75  0.875 1.    1.125 1.25  1.375\n"
            " 1.5   1.625 1.75  1.875 2.    2.125 2.25  2.375 2.5   2.625 2.75  2.875\n"
            " 3.    3.125 3.25  3.375 3.5   3.625]");
  EXPECT_EQ(range(1200).reshape({2, 600}).str(),
            "[[0.000e+00 1.000e+00 2.000e+00 ... 5.970e+02 5.980e+02 5.990e+02]\n"
            " [6.000e+02 6.010e+02 6.020e+02 ... 1.197e+03 1.198e+03 1.199e+03]]");
  EXPECT_EQ(range(8).reshape({2, 2, 2}).str(), "[[[0. 1.]\n  [2. 3.]]\n\n [[4. 5.]\n  [6. 7.]]]");
  EXPECT_EQ(garray(0.1).str(), "0.1");
  EXPECT_EQ(gpu::zeros({0, 3}).str(), "[]");
}

}  // namespace

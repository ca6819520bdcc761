// What C++ sees of garrays' functions: overloads, types, lines of errors, texts. Their values are
// compared with NumPy's in differential/gnumpy_functions_test.py.
#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <type_traits>

#include "npmat/npy.hpp"
#include "tests/python.hpp"

#include "gnumpy_sample.hpp"

namespace gpu = gnumpy;
using gnumpy_sample::v;
using gpu::Dims;
using gpu::garray;
using gpu::Index;
using gpu::keepdims;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const cudamat::CUDAMatException& error) {
    return error.what();
  }
  return "no error";
}

/// ":LINE: " of the line that this macro stands in.
#define HERE ":" + std::to_string(__LINE__) + ": "

TEST(Making, OfNestedListsAndVectors) {
  const garray cube{{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}};
  EXPECT_EQ(cube.shape(), (Dims{2, 3, 2}));
  EXPECT_EQ(cube(1, 2, 0).item(), 11);
  EXPECT_EQ((garray{{{1, 2}, {3, 4}}}).shape(), (Dims{1, 2, 2}));
  const garray rows(std::vector<std::vector<double>>{{1, 2}, {3, 4}, {5, 6}});
  EXPECT_EQ(rows.shape(), (Dims{3, 2}));
  EXPECT_THAT(v(rows), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THROW((void)garray(std::vector<std::vector<int>>{{1, 2}, {3}}), cudamat::CUDAMatException);
  EXPECT_THROW((void)(garray{{{1, 2}, {3, 4}}, {{1, 2}}}), cudamat::CUDAMatException);
}

TEST(Making, RandOfAnyNumberOfExtents) {
  const std::size_t unsigned_extent = 3;
  EXPECT_EQ(gpu::rand(2, 3).shape(), (Dims{2, 3}));
  EXPECT_EQ(gpu::rand(2, unsigned_extent, 4L, 5).shape(), (Dims{2, 3, 4, 5}));
  EXPECT_EQ(gpu::randn(1, 2, 1, 2, 1, 2).ndim(), 6);
  EXPECT_EQ(gpu::rand({4, 5}).shape(), (Dims{4, 5}));
  EXPECT_EQ(gpu::rand(4).shape(), Dims{4});
  const double one = gpu::rand(), other = gpu::randn();
  EXPECT_TRUE(one > 0 && one <= 1 && std::isfinite(other));
  static_assert(std::is_same_v<decltype(gpu::randn()), double>);
  gpu::seed_rand(3);
  const garray first = gpu::rand(2, 3, 4);
  gpu::seed_rand(3);
  EXPECT_TRUE(first.eq2(gpu::rand({2, 3, 4})));
}

TEST(Functions, HaveMethodsAndFreeForms) {
  const garray a{{0.5, 1}, {2, 4}};
  EXPECT_TRUE(gpu::sigmoid(a).eq2(a.sigmoid()));
  EXPECT_TRUE(gpu::diag(a).eq2(a.diag()));
  EXPECT_TRUE(gpu::pow(a, 2).eq2(a.pow(2)));
  EXPECT_TRUE(gpu::log1p(a).eq2(a.log1p()));
  EXPECT_TRUE(gpu::as_bool(a).eq2(a.as_bool()));
  EXPECT_TRUE(gpu::clip(a, 1, 2).eq2(a.clip(1, 2)));
  EXPECT_TRUE(gpu::transpose(a).eq2(a.T()));
  EXPECT_TRUE(gpu::ravel(a).eq2(a.ravel()));
  EXPECT_THAT(v(gpu::clip(a, std::nullopt, 1)), ElementsAre(0.5, 1, 1, 1));
  EXPECT_THAT(v(gpu::clip(a, 1, std::nullopt)), ElementsAre(1, 1, 2, 4));
  EXPECT_EQ(a.trace().item(), 4.5);
  EXPECT_THAT(v(gpu::floor(garray{-0.5, 1.5, -INFINITY})), ElementsAre(-1, 1, -INFINITY));
  EXPECT_THAT(v(garray{-7, 7, -7} % garray{3, -3, -3}), ElementsAre(2, -2, -1));
  garray b{5.5, -1};
  b %= 2;
  EXPECT_THAT(v(b), ElementsAre(1.5, 1));
}

TEST(Reductions, OverAxesThatStay) {
  const garray a = garray({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}).reshape({2, 3, 2});
  EXPECT_EQ(a.sum(1, keepdims).shape(), (Dims{2, 1, 2}));
  EXPECT_EQ(a.sum({}, true).shape(), (Dims{1, 1, 1}));
  EXPECT_THAT(v(a.sum({0, 2})), ElementsAre(14, 22, 30));
  EXPECT_THAT(v(gpu::max(a, {0, -1}, keepdims)), ElementsAre(7, 9, 11));
  EXPECT_THAT(v(gpu::all(a, {1, 2})), ElementsAre(0, 1));
  EXPECT_THAT(v(a.mean({1, 0})), ElementsAre(5, 6));
  EXPECT_THAT(v(gpu::var(a, {0, 1, 2})), ElementsAre(testing::DoubleNear(143. / 12, 1e-5)));
  EXPECT_THAT(v(a.var({}, {}, 1)), ElementsAre(testing::DoubleNear(13, 1e-5)));
  EXPECT_EQ(a.argmax(0, keepdims).shape(), (Dims{1, 3, 2}));
  EXPECT_EQ(garray(3.0).sum(0).item(), 3);
  EXPECT_THAT(error_of([&] { (void)a.sum({0, -3}); }), HasSubstr("duplicate value in 'axis'"));
  EXPECT_THROW((void)garray(3.0).mean(0), cudamat::CUDAMatException);  // as NumPy
}

TEST(Reductions, OverOneAxisSeveralOrAll) {
  const garray a = gpu::arange(24).reshape({2, 3, 4});
  EXPECT_EQ(a.sum().item(), 276);
  EXPECT_EQ(a.sum({}).item(), 276);
  EXPECT_EQ(a.sum(1).shape(), (Dims{2, 4}));
  EXPECT_EQ(a.sum({0, -1}).shape(), Dims{3});
  EXPECT_THAT(v(gpu::sum(a, {0, 2})), ElementsAre(60, 92, 124));
  EXPECT_EQ(a.sum(std::vector<int>{}).shape(), a.shape());
  EXPECT_EQ(a.sum(1, keepdims).shape(), (Dims{2, 1, 4}));
  EXPECT_EQ(a.sum({}, true).shape(), (Dims{1, 1, 1}));
  EXPECT_EQ(gpu::all(a, {0, 1}).shape(), Dims{4});
  EXPECT_EQ(a.argmax(1, keepdims).shape(), (Dims{2, 1, 4}));
  const garray centred = a - a.mean({1, 2}, keepdims);
  EXPECT_THAT(v(centred.mean({1, 2})), ElementsAre(0, 0));
}

template <class... Arguments>
concept can_sum = requires(Arguments... arguments) {
  gpu::sum(arguments...);
};

TEST(Reductions, TakeNoNumberForKeepdims) {
  static_assert(can_sum<garray, int, bool>);
  static_assert(!can_sum<garray, int, int>, "sum(a, 0, 1) looks as if it meant two axes");
  static_assert(!can_sum<garray, bool>);
  static_assert(!can_sum<garray, double>);
}

TEST(Reductions, HaveDegreesOfFreedom) {
  const garray a{1, 2, 3, 4};
  EXPECT_EQ(a.var().item(), 1.25);
  EXPECT_EQ(a.var({}, {}, 2).item(), 2.5);
  EXPECT_EQ(gpu::var(a, 0, keepdims, 2).shape(), Dims{1});
  EXPECT_TRUE(std::isinf(a.var({}, {}, 4).item()));
}

TEST(Functions, NameTheLineInWhatTheyRefuse) {
  const garray a = gpu::ones({2, 3});
  EXPECT_THAT(error_of([&] { (void)a.sum({0, 2}); }), HasSubstr(HERE + "axis 2 is out of bounds"));
  EXPECT_THAT(error_of([&] { (void)gpu::max(a, {0, -2}); }), HasSubstr(HERE + "duplicate value"));
  EXPECT_THAT(error_of([&] { (void)a.squeeze(0); }), HasSubstr(HERE + "cannot select axis 0"));
  EXPECT_THAT(error_of([&] { (void)a.take({3}, 1); }), HasSubstr(HERE + "index 3 is out"));
  EXPECT_THAT(error_of([&] { (void)gpu::matmul(a, a); }), HasSubstr(HERE + "shapes (2, 3) and"));
  EXPECT_THAT(error_of([&] { (void)gpu::clip(a, {}, {}); }), HasSubstr(HERE + "One of max or min"));
  EXPECT_THAT(error_of([&] { (void)gpu::arange(0, 1, 0); }), HasSubstr(HERE + "the step"));
  EXPECT_THAT(error_of([&] { (void)gpu::rand(2, -1, 3); }), HasSubstr(HERE));
  const std::vector<garray> parts{a, a.T()};
  EXPECT_THAT(error_of([&] { (void)gpu::stack(parts); }), HasSubstr(HERE + "all input arrays"));
  EXPECT_THAT(error_of([&] { (void)(a % gpu::ones(2)); }), HasSubstr(HERE + "operands could not"));
}

TEST(Functions, ClipTakesArraysNumbersAndNothing) {
  const garray a{-2, 0, 2};
  EXPECT_THAT(v(gpu::clip(a, -1, 1)), ElementsAre(-1, 0, 1));
  EXPECT_THAT(v(a.clip({}, 0.5)), ElementsAre(-2, 0, 0.5));
  EXPECT_THAT(v(a.clip(std::nullopt, a * 0)), ElementsAre(-2, 0, 0));
  EXPECT_THAT(v(a.clip(garray{0, 1, 3}, {})), ElementsAre(0, 1, 3));
}

TEST(Functions, RemaindersHaveTheDivisorsSign) {
  garray a{-7, 7, 3};
  EXPECT_THAT(v(a % 3), ElementsAre(2, 1, 0));
  EXPECT_THAT(v(a % -3), ElementsAre(-1, -2, 0));
  EXPECT_THAT(v(10 % a), ElementsAre(-4, 3, 1));
  a %= 4;
  EXPECT_THAT(v(a), ElementsAre(1, 3, 3));
  a[gpu::slice(0, 2)] %= 2;
  EXPECT_THAT(v(a), ElementsAre(1, 1, 3));
  EXPECT_THAT(v(gpu::floor_divide(garray{-7, 7}, 2)), ElementsAre(-4, 3));
}

TEST(Functions, SqueezeAndExpandDimsGiveViews) {
  garray a = gpu::zeros({3, 1});
  auto flat = a.squeeze();
  flat[1] = 5.0;
  EXPECT_THAT(v(a), ElementsAre(0, 5, 0));
  auto deep = a.expand_dims({0, 3});
  EXPECT_EQ(deep.shape(), (Dims{1, 3, 1, 1}));
  deep[0] = 1.0;
  EXPECT_THAT(v(a), ElementsAre(1, 1, 1));
  garray copied = a.flatten(), squeezed = gpu::squeeze(a), expanded = gpu::expand_dims(a, 0);
  copied[0] = squeezed[0] = 9.0;
  expanded[0] = 9.0;
  EXPECT_THAT(v(a), ElementsAre(1, 1, 1));
}

TEST(Functions, SortedPlacesIndexTheArray) {
  const garray a{3, NAN, 1, 3, -0.0, 0};
  EXPECT_THAT(v(a.argsort()), ElementsAre(4, 5, 2, 0, 3, 1));
  EXPECT_THAT(v(a[a.argsort()][gpu::slice(0, 5)]), ElementsAre(0, 0, 1, 3, 3));
  EXPECT_THAT(v(gpu::take(a, garray{{0, 2}, {-1, 3}})), ElementsAre(3, 1, 0, 3));
}

TEST(Functions, DistinctElementsAndTheirCounts) {
  const garray a{{3, NAN, 1}, {3, -0.0, NAN}};
  EXPECT_THAT(v(gpu::unique(a)), ElementsAre(0, 1, 3, testing::IsNan()));
  const auto [values, counts] = gpu::unique_counts(a);
  EXPECT_THAT(v(values), ElementsAre(0, 1, 3, testing::IsNan()));
  EXPECT_THAT(v(counts), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(v(gpu::unique(a > 1)), ElementsAre(0, 1));
  EXPECT_THAT(v(garray{5, 7}[gpu::unique(a > 1)]), ElementsAre(7)) << "still truth values";
  EXPECT_EQ(gpu::unique(garray(std::vector<double>{})).shape(), Dims{0});
}

TEST(Functions, CountsAndSumsOfKeys) {
  const garray keys{2, 0, 2, 3}, weights{0.5, 1, 0.25, 8};
  EXPECT_THAT(v(gpu::bincount(keys)), ElementsAre(1, 0, 2, 1));
  EXPECT_THAT(v(gpu::bincount(keys, weights, 5)), ElementsAre(1, 0, 0.75, 8, 0));
  const auto error = [](const garray& a) { return error_of([&] { (void)gpu::bincount(a); }); };
  EXPECT_THAT(error({1, -2}), AllOf(HasSubstr("[bincount] tests/gnumpy_functions_test.cpp:"),
                                    HasSubstr("must have no negative elements")));
  EXPECT_THAT(error({1, 1.5}), HasSubstr("element 1 is 1.5, which is not a whole number"));
  EXPECT_THAT(error({{1, 1}}), HasSubstr("object too deep"));
  EXPECT_THAT(error_of([&] {
                (void)gpu::bincount(keys, garray{1, 2});
              }),
              HasSubstr("don't have the same length: (2,) and (4,)"));
}

TEST(Functions, HistogramsAndTheirEdges) {
  const garray a{0, 1, 1, 2, 5};
  const auto [counts, edges] = gpu::histogram(a, 5);
  EXPECT_THAT(v(counts), ElementsAre(1, 2, 1, 0, 1));
  EXPECT_THAT(v(edges), ElementsAre(0, 1, 2, 3, 4, 5));
  const garray weights{1, 2, 4, 8, 16};
  gpu::HistogramOptions options;
  options.weights = &weights;
  EXPECT_THAT(v(gpu::histogram(a, garray{0, 1, 4}, options).first), ElementsAre(1, 14));
  options.density = true;
  options.weights = nullptr;
  options.range = {0, 2};
  EXPECT_THAT(v(gpu::histogram(a, 2, options).first), ElementsAre(0.25, 0.75));
  EXPECT_THAT(error_of([&] {
                (void)gpu::histogram(a, garray{1, 0});
              }),
              HasSubstr("`bins` must increase monotonically"));
  EXPECT_THAT(error_of([] {
                (void)gpu::histogram(garray{1, NAN}, 3);
              }),
              HasSubstr("autodetected range of [nan, nan] is not finite"));
}

TEST(Products, OfStacksOfMatrices) {
  const garray a = gpu::arange(12).reshape({2, 3, 2}), b = gpu::arange(4).reshape({2, 2});
  EXPECT_THAT(v(gpu::matmul(a, b)), ElementsAre(2, 3, 6, 11, 10, 19, 14, 27, 18, 35, 22, 43));
  EXPECT_TRUE(gpu::matmul(b, a.transpose({0, 2, 1}))
                  .eq2(gpu::stack({gpu::dot(b, a[0].T()), gpu::dot(b, a[1].T())})));
  EXPECT_THAT(error_of([&] { (void)gpu::matmul(a, 2); }), HasSubstr("operand 1 has no dimensions"));
}

TEST(Errors, NameTheLineThatFails) {
  const garray a{1, 2, 3};
  const int line = __LINE__;
  const std::string item = error_of([&] { (void)a.item(); });
  const std::string truth = error_of([&] { (void)static_cast<bool>(a > 1); });
  const std::string extents = error_of([&] { (void)a.extents<2>(); });
  const auto place = [&](int k) {
    return fmt::format("tests/gnumpy_functions_test.cpp:{}", line + k);
  };
  EXPECT_THAT(item, AllOf(HasSubstr("[item] " + place(1) + ":"), HasSubstr("(3,)"),
                          HasSubstr("made in " + place(-1))));
  EXPECT_THAT(
      truth, AllOf(HasSubstr("[bool] " + place(2) + ":"), HasSubstr("gpu::any(a) or gpu::all(a)")));
  EXPECT_THAT(extents, HasSubstr("[extents] " + place(3) + ":"));
}

TEST(Text, IsPrintedByFmtAndStreams) {
  garray a{{1, 2.5}, {-3, 4}};
  EXPECT_EQ(fmt::format("{}", a), a.str());
  EXPECT_EQ(fmt::format("{}|{:>9}", a[0], a[0].sum()), "[1.  2.5]|      3.5");
  EXPECT_EQ(fmt::format("{}", a.shape()), "(2, 2)");
  std::ostringstream out;
  out << a.shape() << a[0].shape() << a[0];
  EXPECT_EQ(out.str(), "(2, 2)(2,)[1.  2.5]");
}

TEST(Files, HaveTheEnginesPrecision) {
  const tests::TemporaryFolder folder;
  const garray a{{1, 2}, {3, 4.5}};
  gpu::save_npy(folder / "a.npy", a);
  EXPECT_EQ(npmat::read_npy_header(folder / "a.npy").dtype, "<f4");
  EXPECT_TRUE(gpu::load_npy(folder / "a.npy").eq2(a));
}

}  // namespace

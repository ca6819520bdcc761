// What garrays are made of, functions of them, and what errors and texts say. NumPy is the judge in
// differential tests.
#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

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
  EXPECT_EQ(gpu::rand(2, 3).shape(), (Dims{2, 3}));
  EXPECT_EQ(gpu::randn(2, 1, 3, 1, 2).shape(), (Dims{2, 1, 3, 1, 2}));
  EXPECT_EQ(gpu::rand(4).shape(), Dims{4});
  EXPECT_EQ(gpu::rand({4, 2}).shape(), (Dims{4, 2}));
  const double one = gpu::rand(), other = gpu::randn();
  EXPECT_TRUE(one > 0 && one <= 1 && std::isfinite(other));
  const int line = __LINE__ + 1;
  EXPECT_THAT(error_of([] { (void)gpu::rand(2, -3); }),
              HasSubstr(fmt::format("gnumpy_functions_test.cpp:{}:", line)));
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

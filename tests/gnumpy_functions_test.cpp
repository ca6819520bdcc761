// What C++ sees of gnumpy's functions: overloads, types and lines of errors. Their values are
// compared with NumPy's in differential/gnumpy_functions_test.py.
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <type_traits>

#include "gnumpy/gnumpy.hpp"

namespace {

namespace gpu = gnumpy;
using gpu::Dims;
using gpu::garray;
using gpu::Index;
using gpu::keepdims;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<double> v(const garray& a) {
  return a.to_vector();
}

/// The text of the error, or nothing.
template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const cudamat::CUDAMatException& error) {
    return error.what();
  }
  return {};
}

/// ":LINE: " of the line that this macro stands in.
#define HERE ":" + std::to_string(__LINE__) + ": "

TEST(GnumpyFunctions, ReducesOverOneAxisSeveralOrAll) {
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

TEST(GnumpyFunctions, ANumberIsNoKeepdims) {
  static_assert(can_sum<garray, int, bool>);
  static_assert(!can_sum<garray, int, int>, "sum(a, 0, 1) looks as if it meant two axes");
  static_assert(!can_sum<garray, bool>);
  static_assert(!can_sum<garray, double>);
}

TEST(GnumpyFunctions, DegreesOfFreedom) {
  const garray a{1, 2, 3, 4};
  EXPECT_EQ(a.var().item(), 1.25);
  EXPECT_EQ(a.var({}, {}, 2).item(), 2.5);
  EXPECT_EQ(gpu::var(a, 0, keepdims, 2).shape(), Dims{1});
  EXPECT_TRUE(std::isinf(a.var({}, {}, 4).item()));
}

TEST(GnumpyFunctions, RefusedAxesNameTheLine) {
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

TEST(GnumpyFunctions, ClipTakesArraysNumbersAndNothing) {
  const garray a{-2, 0, 2};
  EXPECT_THAT(v(gpu::clip(a, -1, 1)), ElementsAre(-1, 0, 1));
  EXPECT_THAT(v(a.clip({}, 0.5)), ElementsAre(-2, 0, 0.5));
  EXPECT_THAT(v(a.clip(std::nullopt, a * 0)), ElementsAre(-2, 0, 0));
  EXPECT_THAT(v(a.clip(garray{0, 1, 3}, {})), ElementsAre(0, 1, 3));
}

TEST(GnumpyFunctions, RemaindersHaveTheDivisorsSign) {
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

TEST(GnumpyFunctions, DrawAnyNumberOfExtents) {
  const std::size_t unsigned_extent = 3;
  EXPECT_EQ(gpu::rand(2, 3).shape(), (Dims{2, 3}));
  EXPECT_EQ(gpu::rand(2, unsigned_extent, 4L, 5).shape(), (Dims{2, 3, 4, 5}));
  EXPECT_EQ(gpu::randn(1, 2, 1, 2, 1, 2).ndim(), 6);
  EXPECT_EQ(gpu::rand({4, 5}).shape(), (Dims{4, 5}));
  static_assert(std::is_same_v<decltype(gpu::randn()), double>);
  gpu::seed_rand(3);
  const garray first = gpu::rand(2, 3, 4);
  gpu::seed_rand(3);
  EXPECT_TRUE(first.eq2(gpu::rand({2, 3, 4})));
}

TEST(GnumpyFunctions, SqueezeAndExpandDimsShareMemory) {
  garray a = gpu::zeros({3, 1});
  garray flat = a.squeeze();
  flat[1] = 5.0;
  EXPECT_THAT(v(a), ElementsAre(0, 5, 0));
  garray deep = gpu::expand_dims(a, {0, 3});
  EXPECT_EQ(deep.shape(), (Dims{1, 3, 1, 1}));
  deep[0] = 1.0;
  EXPECT_THAT(v(a), ElementsAre(1, 1, 1));
  garray copied = a.flatten();
  copied[0] = 9.0;
  EXPECT_THAT(v(a), ElementsAre(1, 1, 1));
}

TEST(GnumpyFunctions, SortedPlacesIndexTheArray) {
  const garray a{3, NAN, 1, 3, -0.0, 0};
  EXPECT_THAT(v(a.argsort()), ElementsAre(4, 5, 2, 0, 3, 1));
  EXPECT_THAT(v(a[a.argsort()][gpu::slice(0, 5)]), ElementsAre(0, 0, 1, 3, 3));
  EXPECT_THAT(v(gpu::take(a, garray{{0, 2}, {-1, 3}})), ElementsAre(3, 1, 0, 3));
}

}  // namespace

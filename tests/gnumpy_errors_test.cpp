// What garrays refuse, and what they say of it.
#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "gnumpy/gnumpy.hpp"

namespace {

namespace gpu = gnumpy;
using gpu::garray;
using gpu::Index;
using gpu::slice;
using testing::HasSubstr;

struct Wrong {
  std::function<void()> run;
  const char* says;
};

constexpr Index kMost = std::numeric_limits<Index>::max();

TEST(GarrayErrors, SayWhatIsWrong) {
  const garray v{1, 2, 3, 4, 5};
  const garray x{{1, 2, 3}, {4, 5, 6}};
  const garray cube{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
  const std::vector<Index> two{0, 1}, three{0, 1, 0};
  garray whole{1, 2, 3, 4, 5};
  const Wrong wrong[] = {
      // made of numbers
      {[] {
         (void)garray(std::vector<double>{1, 2, 3}, {2, 2});
       },
       "shape (2, 2) needs 4 elements; got 3"},
      {[] {
         (void)garray{{{1, 2}, {3}}};
       },
       "rows have 2 and 1 elements"},
      {[] {
         (void)gpu::zeros({kMost, 2});
       },
       "has more than 2^63 - 1 elements"},
      {[] {
         (void)gpu::zeros({kMost, 2, 0});
       },
       "or would without zeros"},
      {[] { (void)gpu::zeros({kMost / 2}); }, "more than 2^63 bytes"},
      {[] { (void)gpu::zeros({-1}); }, "negative dimensions are not allowed"},
      {[] { (void)gpu::zeros(gpu::Dims(33, 1)); }, "at most 32 dimensions; got 33"},
      {[] { (void)gpu::arange(0, 4e18, 1); }, "more than 2^63 bytes"},
      {[] { (void)gpu::arange(0, 1e19, 1); }, "numbers are too many"},
      {[] { (void)gpu::linspace(0, 1, kMost / 2); }, "more than 2^63 bytes"},
      {[] { (void)gpu::linspace(0, 1, -1); }, "the number cannot be negative; got -1"},
      {[] { gpu::max_memory_usage(-1); }, "bytes must be 0 or more; got -1"},
      {[] { (void)gpu::arange(0, 5, 0); }, "the step cannot be 0"},
      // several arrays, and axes
      {[] { (void)gpu::stack({}); }, "need at least one array to stack"},
      {[&] {
         (void)gpu::stack({v, garray{1, 2}});
       },
       "all input arrays must have the same shape; got (5,) and (2,)"},
      {[] {
         (void)gpu::concatenate({garray(3.0), garray(4.0)});
       },
       "zero-dimensional arrays cannot be concatenated"},
      {[&] {
         (void)gpu::concatenate({x, garray{{1, 2}}});
       },
       "differ in an axis other than 0"},
      {[&] {
         (void)gpu::tensordot(x, x, {0, 1}, {0});
       },
       "2 axes of the first array, 1 of the second"},
      {[&] { (void)gpu::tensordot(x, x, {0}, {1}); },
       "axis 0 of shape (2, 3) and axis 1 of shape (2, 3) differ"},
      {[&] { (void)v.diagonal(); },
       "expects an array of at least two dimensions; the shape is (5,)"},
      {[&] {
         (void)v.take({0, 5});
       },
       "index 5 is out of bounds for axis 0 with size 5"},
      {[&] { (void)v.take({-6}); }, "index -6 is out of bounds for axis 0 with size 5"},
      {[&] {
         (void)x.transpose({0, 0});
       },
       "repeated axis in"},
      // shapes
      {[&] { (void)garray(3.0).len(); }, "an array without dimensions has no length"},
      {[&] {
         (void)v.reshape({-1, -1});
       },
       "can only specify one unknown dimension"},
      {[&] {
         (void)v.reshape({2, -1});
       },
       "reshape"},
      {[&] { (void)x.reshape_2d(3); }, "the rows can have 0 to 2 axes; got 3"},
      {[&] { (void)x.reshape_2d(-1); }, "the rows can have 0 to 2 axes; got -1"},
      {[&] { (void)gpu::expand_dims(x, {}); }, "needs the positions of the new axes"},
      {[&] { (void)gpu::moveaxis(x, {}, {}); }, "needs"},
      {[&] { (void)gpu::diagflat(v, Index{1} << 40); }, "the offset 1099511627776 is too large"},
      {[&] { (void)gpu::diagflat(v, -(Index{1} << 40)); }, "is too large"},
      {[&] { (void)gpu::concatenate(std::vector<garray>{}); }, "need at least one array"},
      // values
      {[&] { (void)gpu::round(v, 301); }, "decimals must be from -300 to 300; got 301"},
      {[&] { (void)gpu::round(v, -301); }, "decimals must be from -300 to 300; got -301"},
      {[&] { (void)gpu::histogram(v, x); }, "`bins` must be 1d, when an array"},
      {[&] { (void)gpu::histogram(v, 3, {.weights = &x}); }, "weights should have the same shape"},
      // subscripts
      {[&] { (void)v(slice(0, 5, 0)); }, "slice step cannot be zero"},
      {[&] { (void)x(two, three); }, "shape mismatch: indexing arrays could not be broadcast"},
      {[&] { (void)cube(two, gpu::all, two); }, "index arrays must be for neighbouring axes"},
      {[&] { (void)v(x); }, "an index array must be 1-D"},
      {[&] { (void)v(garray{0.5}); }, "an index must be a whole number; got 0.5"},
      {[&] { (void)v(garray{0x1p60}); }, "an index must be a whole number"},
      {[&] {
         (void)v(garray{1, 0} > 0.5);
       },
       "boolean index did not match indexed array"},
      {[&] { (void)v((v > 1) + (v > 2)); }, "a sum of booleans is not a mask"},
      {[&] {
         garray w = v.copy();
         w(w > 2)(slice(0, 1)) += 3.0;
       },
       "a write to a part of them would be lost"},
      {[&] { swap(whole(slice(0, 2)), whole(slice(0, 3))); }, "have no elements to exchange"},
      {[&] { (void)gpu::take(v, v > 2); }, "booleans are not indices; write a[mask]"},
      // settings
      {[] { gpu::acceptable_number_types(-1.0); }, "a bound must be 0 or more; got -1"},
      {[] { gpu::expensive_check_probability(2); }, "must be from 0 to 1; got 2"},
  };
  for (const Wrong& each : wrong) {
    SCOPED_TRACE(each.says);
    try {
      each.run();
      ADD_FAILURE() << "it is accepted";
    } catch (const cudamat::CUDAMatException& error) {
      EXPECT_THAT(error.what(), HasSubstr(each.says));
    }
  }
}

/// Sets it back.
struct Acceptable {
  explicit Acceptable(const char* what) { gpu::acceptable_number_types(what); }
  ~Acceptable() { gpu::acceptable_number_types(before); }
  std::string before = gpu::acceptable_number_types();
};

TEST(GarrayErrors, NumbersThatAreNotAcceptable) {
  const garray zero{0, 1};
  const auto computed = [&](const char* what, double number) {
    const Acceptable acceptable(what);
    const garray made = zero + number;
    (void)made.sum().item();
  };
  EXPECT_THROW(computed("no nans", std::nan("")), cudamat::CUDAMatException);
  EXPECT_NO_THROW(computed("no nans", std::numeric_limits<double>::infinity()));
  EXPECT_THROW(computed("no nans or infs", std::numeric_limits<double>::infinity()),
               cudamat::CUDAMatException);
  EXPECT_NO_THROW(computed("no nans or infs", 1e30));
  EXPECT_NO_THROW(computed("anything goes", std::nan("")));
}

}  // namespace

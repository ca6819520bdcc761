// Functions of numbers alone, and numbers read from arrays.
#include <cmath>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "gnumpy_sample.hpp"

namespace gpu = gnumpy;
using gnumpy_sample::v;
using gpu::Dims;
using gpu::garray;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

// Alone, and as operands of further functions.
TEST(OfNumbers, ProductsAreNumPys) {
  EXPECT_THAT(v(gpu::outer(2.0, 3.0)), ElementsAre(6));
  const garray sum = gpu::outer(2.0, 3.0) + 1.0;
  EXPECT_EQ(sum.shape(), (Dims{1, 1}));
  EXPECT_THAT(v(sum), ElementsAre(7));
  EXPECT_THAT(v(gpu::outer(2.0, 3.0) + gpu::outer(4.0, 5.0)), ElementsAre(26));
  EXPECT_THAT(v(gpu::outer(2.0, garray{3, 4}) - 1.0), ElementsAre(5, 7));
  EXPECT_THAT(v(gpu::outer(garray{3, 4}, 2.0) - 1.0), ElementsAre(5, 7));
  EXPECT_THAT(v(gpu::outer(2.0, 3.0).T() * gpu::ones({1, 2})), ElementsAre(6, 6));
  EXPECT_THAT(v(gpu::dot(gpu::outer(2.0, 3.0), garray{{1, 2}})), ElementsAre(6, 12));
  EXPECT_EQ((gpu::sum(gpu::outer(2.0, 3.0)) + 1.0).item(), 7);
  EXPECT_EQ((gpu::norm(gpu::outer(2.0, -3.0)) + 1.0).item(), 7);
  EXPECT_EQ((gpu::dot(2.0, 3.0) + 1.0).item(), 7);
  EXPECT_EQ((gpu::tensordot(2.0, 3.0, 0) + 1.0).item(), 7);
  EXPECT_THROW((void)gpu::matmul(2.0, 3.0), cudamat::CUDAMatException);
}

TEST(OfNumbers, FunctionsAndReductionsAreNumPys) {
  EXPECT_EQ((gpu::where(1.0, 2.0, 3.0) + 1.0).item(), 3);
  EXPECT_EQ((gpu::clip(5.0, 2.0, 3.0) + 1.0).item(), 4);
  EXPECT_EQ((gpu::clip(5.0, 2.0, {}) + 1.0).item(), 6);
  EXPECT_EQ((gpu::pow(2.0, 3.0) + 1.0).item(), 9);
  EXPECT_EQ((gpu::mod(-5.0, 3.0) + 1.0).item(), 2);
  EXPECT_EQ((gpu::floor_divide(-5.0, 3.0) + 1.0).item(), -1);
  EXPECT_EQ((gpu::maximum(2.0, 3.0) + 1.0).item(), 4);
  EXPECT_EQ((gpu::sqrt(16.0) + 1.0).item(), 5);
  EXPECT_EQ((gpu::isnan(NAN) + 1.0).item(), 2);
  EXPECT_EQ((gpu::sum(4.0) + 1.0).item(), 5);
  EXPECT_EQ((gpu::sum(5.0) + 1.0).item(), 6);
  EXPECT_EQ((gpu::mean(4.0) + 1.0).item(), 5);
  EXPECT_EQ((gpu::prod(4.0) + 1.0).item(), 5);
  EXPECT_EQ((gpu::max(4.0) + 1.0).item(), 5);
  EXPECT_EQ((gpu::var(4.0) + 1.0).item(), 1);
  EXPECT_EQ((gpu::argmax(4.0) + 1.0).item(), 1);
  EXPECT_EQ((gpu::any(4.0) + 1.0).item(), 2);
  EXPECT_EQ((gpu::norm(-4.0) + 1.0).item(), 4 + 1);
}

TEST(Number, IsReadAsAnyType) {
  const garray a{1.75, -2.75};
  EXPECT_EQ(double(a.max()), 1.75);
  EXPECT_EQ(float(a.max()), 1.75F);
  EXPECT_EQ(static_cast<long double>(a.max()), 1.75L);
  EXPECT_EQ(int(a.max()), 1);
  EXPECT_EQ(int(a.min()), -2);  // towards 0, as Python's int()
  EXPECT_EQ(static_cast<std::size_t>(a.max()), 1U);
  EXPECT_EQ(static_cast<std::int8_t>(garray(-128.5)), -128);
  EXPECT_EQ(static_cast<std::uint8_t>(garray(-0.5)), 0);
  EXPECT_EQ(static_cast<std::int64_t>(garray(-0x1p63)), std::numeric_limits<std::int64_t>::min());
  EXPECT_TRUE(bool(a.max()));
  EXPECT_THROW((void)int(a), cudamat::CUDAMatException);
  for (const double refused : {128.0, -129.0, double{NAN}, double{INFINITY}}) {
    try {
      (void)static_cast<std::int8_t>(garray(refused));
      ADD_FAILURE() << refused;
    } catch (const cudamat::CUDAMatException& error) {
      EXPECT_THAT(error.what(), HasSubstr("does not fit a signed integer of 8 bits"));
    }
  }
  EXPECT_THROW((void)static_cast<std::size_t>(a.min()), cudamat::CUDAMatException);
  EXPECT_THROW((void)static_cast<std::int64_t>(garray(0x1p63)), cudamat::CUDAMatException);
}

}  // namespace

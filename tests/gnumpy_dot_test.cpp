// Long sums by gpu::dot keep their digits: products with a vector are summed as reductions are.
#include <cmath>
#include <gtest/gtest.h>

#include "gnumpy/gnumpy.hpp"

namespace gpu = gnumpy;

namespace {

constexpr long kLong = 10'000'000;

TEST(GnumpyDot, KeepsTheDigitsOfLongSums) {
  const double exact = double(0.1F) * kLong;
  const gpu::garray tenths = gpu::ones({kLong}) * 0.1, ones = gpu::ones({kLong});
  EXPECT_NEAR(gpu::dot(tenths, ones).item() / exact, 1, 1e-6);
  EXPECT_NEAR(gpu::dot(tenths.reshape({1, kLong}), ones).item() / exact, 1, 1e-6);
  EXPECT_NEAR(gpu::dot(ones, tenths.reshape({kLong, 1})).item() / exact, 1, 1e-6);
}

}  // namespace

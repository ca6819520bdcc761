// The execution of kernels on the CPU finds what is broken, and computes what is right.
#include "tests/simt_fixture.hpp"
#include "tests/simt_test_kernels.hpp"

namespace simt_test {
namespace {

using simt::Order;

using SimtDeathTest = Simt;

// ---- right kernels, in every order ----

struct OrderCase {
  Order order;
  std::uint64_t seed;
};

class InEveryOrder : public Simt, public testing::WithParamInterface<OrderCase> {
 protected:
  void SetUp() override { simt::set_order(GetParam().order, GetParam().seed); }
};

INSTANTIATE_TEST_SUITE_P(, InEveryOrder,
                         testing::Values(OrderCase{Order::kForward, 0},
                                         OrderCase{Order::kReverse, 0},
                                         OrderCase{Order::kShuffle, 1},
                                         OrderCase{Order::kShuffle, 2}),
                         [](const auto& each) { return "Number" + std::to_string(each.index); });

TEST_P(InEveryOrder, ElementWise) {
  const Device<float> a(counting(1000));
  const Device<float> out(1000);
  ASSERT_EQ(run("add_one", 4, 256, 0, nullptr, add_one, a, out, 1000), cudaSuccess);
  const std::vector<float> values = out.values();
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(values[i], static_cast<float>(i + 2));
}

TEST_P(InEveryOrder, BlockReduction) {
  const Device<float> a(counting(1000));
  const Device<float> out(4);
  ASSERT_EQ(run("block_sum", 4, 256, 8 * sizeof(float), nullptr, block_sum, a, out, 1000),
            cudaSuccess);
  // 1 + ... + 256 = 256 * 257 / 2, and so on.
  EXPECT_EQ(out.values(), (std::vector<float>{32896, 98432, 163968, 205204}));
}

TEST_P(InEveryOrder, TiledTranspose) {
  constexpr int kRows = 19;
  constexpr int kCols = 13;
  const Device<float> a(counting(kRows * kCols));
  const Device<float> out(kRows * kCols);
  ASSERT_EQ(run("transpose", dim3(3, 2), dim3(8, 8), 8 * 9 * sizeof(float), nullptr, transpose, a,
                out, kRows, kCols),
            cudaSuccess);
  const std::vector<float> values = out.values();
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kCols; ++j)
      ASSERT_EQ(values[std::size_t(j + i * kCols)], static_cast<float>(1 + i + j * kRows));
}

TEST_P(InEveryOrder, ReverseBySharedMemory) {
  const Device<float> a(counting(96));
  const Device<float> out(96);
  ASSERT_EQ(run("reverse", 1, 96, 96 * sizeof(float), nullptr, reverse, a, out), cudaSuccess);
  const std::vector<float> values = out.values();
  for (std::size_t i = 0; i < 96; ++i) ASSERT_EQ(values[i], static_cast<float>(96 - i));
}

TEST_P(InEveryOrder, Atomics) {
  const Device<int> a(std::vector<int>{-5, 3, 0, 9, -1, 2, 9, 8});
  const Device<unsigned> count(std::vector<unsigned>{0});
  const Device<int> largest(std::vector<int>{-100});
  ASSERT_EQ(run("count_positive", 3, 3, 0, nullptr, count_positive, a, 8, count, largest),
            cudaSuccess);
  EXPECT_EQ(count.values()[0], 5u);
  EXPECT_EQ(largest.values()[0], 9);
}

TEST_P(InEveryOrder, WarpIntrinsics) {
  const Device<int> out(8 * 32);
  ASSERT_EQ(run("intrinsics", 1, 32, 0, nullptr, intrinsics, out), cudaSuccess);
  const std::vector<int> values = out.values();
  for (int lane = 0; lane < 32; ++lane) {
    const std::vector<int> of_lane(values.begin() + 8 * lane, values.begin() + 8 * lane + 8);
    const std::vector<int> expected{100 + lane / 8 * 8 + 3,
                                    100 + (lane % 16 == 0 ? lane : lane - 1),
                                    100 + (lane >= 30 ? lane : lane + 2),
                                    100 + (lane ^ 5),
                                    0x11111111,
                                    1,
                                    0,
                                    3};
    ASSERT_EQ(of_lane, expected) << "lane " << lane;
  }
}

TEST_P(InEveryOrder, HalvesOfAWarpShuffleByThemselves) {
  const Device<int> out(32);
  ASSERT_EQ(run("half_warps", 1, 32, 0, nullptr, half_warps, out), cudaSuccess);
  std::vector<int> expected(16, 15 * 16 / 2);
  expected.resize(32, (16 + 31) * 16 / 2);
  EXPECT_EQ(out.values(), expected);
}

// ---- order ----

std::vector<float> reversed_in(Order order, void (*kernel)(const float*, float*)) {
  simt::set_order(order, 5);
  const Device<float> a(counting(64));
  const Device<float> out(64);
  EXPECT_EQ(run("reversed", 1, 64, 64 * sizeof(float), nullptr, kernel, a, out), cudaSuccess);
  return out.values();
}

TEST_F(Simt, FindsMissingBarrier) {
  const std::vector<float> right = reversed_in(Order::kForward, reverse);
  for (const Order order : {Order::kForward, Order::kReverse, Order::kShuffle})
    EXPECT_FALSE(same(reversed_in(order, reverse_without_barrier), right));
  EXPECT_FALSE(same(reversed_in(Order::kForward, reverse_without_barrier),
                    reversed_in(Order::kReverse, reverse_without_barrier)));
}

TEST_F(Simt, FindsMissingBarrierAfterReading) {
  const auto shifted_in = [](Order order) {
    simt::set_order(order, 5);
    const Device<float> out(64);
    EXPECT_EQ(run("shift", 1, 64, 64 * sizeof(float), nullptr, shift_without_barrier, out),
              cudaSuccess);
    return out.values();
  };
  EXPECT_FALSE(same(shifted_in(Order::kForward), shifted_in(Order::kReverse)));
  EXPECT_FALSE(same(shifted_in(Order::kForward), shifted_in(Order::kShuffle)));
}

TEST_F(Simt, ShufflesRepeatWithTheirSeed) {
  const auto shifted_with = [](std::uint64_t seed) {
    simt::set_order(Order::kShuffle, seed);
    const Device<float> out(64);
    EXPECT_EQ(run("shift", 1, 64, 64 * sizeof(float), nullptr, shift_without_barrier, out),
              cudaSuccess);
    return out.values();
  };
  EXPECT_EQ(shifted_with(1), shifted_with(1));
  EXPECT_NE(shifted_with(2), shifted_with(1));
  simt::set_order(Order::kShuffle, 2);
  EXPECT_EQ(simt::order_text(), "shuffle:2");
}

// ---- barriers ----

TEST_F(SimtDeathTest, FindsDivergentBarrier) {
  const Device<float> out(64);
  EXPECT_DEATH((void)run("some", 1, 64, 0, nullptr, barrier_for_some, out),
               "kernel some, block \\(0,0,0\\), thread \\(40,0,0\\), order forward: the thread "
               "leaves the kernel while others wait for it at __syncthreads");
  simt::set_order(Order::kReverse);
  EXPECT_DEATH((void)run("some", 1, 64, 0, nullptr, barrier_for_some, out),
               "thread \\(39,0,0\\), order reverse: __syncthreads .*simt_broken_kernels.cu.* after "
               "24 threads of the block have left");
}

TEST_F(SimtDeathTest, FindsReturnBeforeBarrier) {
  const Device<float> out(64);
  EXPECT_DEATH((void)run("early", 1, 64, 0, nullptr, return_before_barrier, out),
               "kernel early.*thread \\(63,0,0\\).*leaves the kernel while others wait");
}

TEST_F(SimtDeathTest, FindsBarriersAtDifferentPlaces) {
  const Device<float> out(64);
  EXPECT_DEATH((void)run("two", 1, 64, 0, nullptr, two_barriers, out),
               "thread \\(32,0,0\\).*__syncthreads .* while others wait at another one");
}

TEST_F(SimtDeathTest, FindsBarrierThatAWarpIntrinsicWaitsFor) {
  const Device<int> out(32);
  EXPECT_DEATH((void)run("mixed", 1, 32, 0, nullptr, barrier_and_shuffle, out),
               "__shfl_sync .* lane 0 waits at __syncthreads");
  simt::set_order(Order::kReverse);
  EXPECT_DEATH((void)run("mixed", 1, 32, 0, nullptr, barrier_and_shuffle, out),
               "__syncthreads .* while lanes of the warp wait for the thread");
}

// ---- warps ----

void expect_warp_death(void (*kernel)(int*), unsigned threads, const char* text) {
  const Device<int> out(32);
  EXPECT_DEATH((void)run("warp", 1, threads, 0, nullptr, kernel, out), text);
}

TEST_F(SimtDeathTest, FindsAbsentLane) {
  expect_warp_death(shuffle_full_mask, 20, "thread \\(0,0,0\\).*lane 20 does not exist");
  expect_warp_death(shuffle_after_return, 32, "thread \\(16,0,0\\).*while lane 0 waits for it in");
  expect_warp_death(leave_before_shuffle, 32, "lane 0 has left the kernel");
}

TEST_F(SimtDeathTest, FindsCallerOutsideItsMask) {
  expect_warp_death(shuffle_outside_mask, 32, "lane 16 calls it, but is not in the mask");
}

TEST_F(SimtDeathTest, FindsSourceOutsideTheMask) {
  expect_warp_death(shuffle_from_outside_mask, 32, "takes the value of lane 20, which is not in");
}

TEST_F(SimtDeathTest, FindsDifferentIntrinsics) {
  expect_warp_death(different_intrinsics, 32,
                    "__any_sync .* while lane 0 waits in __shfl_sync .*simt_broken_kernels.cu");
}

TEST_F(SimtDeathTest, FindsDifferentMasks) {
  expect_warp_death(different_masks, 32, "with mask 0xffff0000 while lane 0 waits .* 0xffffffff");
}

TEST_F(SimtDeathTest, FindsWidthThatIsNoPowerOfTwo) {
  expect_warp_death(width_of_three, 32, "the width 3 is not a power of two");
}

// ---- what leaves a kernel ----

TEST_F(SimtDeathTest, FindsException) {
  const Device<int> out(32);
  EXPECT_DEATH((void)run("throws", 2, 32, 0, nullptr, throws, out),
               "kernel throws, block \\(0,0,0\\), thread \\(7,0,0\\).*exception.*seven");
}

TEST_F(SimtDeathTest, FindsStackOverflow) {
  const Device<int> out(1);
  EXPECT_DEATH((void)run("recurse", 1, 1, 0, nullptr, recurse, out, 1 << 20),
               "kernel recurse.*stack overflows|stack-overflow");
}

TEST_F(SimtDeathTest, FindsIntrinsicsOutsideOfKernels) {
  EXPECT_DEATH(__syncthreads(), "__syncthreads outside a kernel");
}

// ---- settings ----

TEST(SimtEnvironmentDeathTest, OrderIsReadFromTheEnvironment) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const Device<int> out(32);
  ASSERT_EQ(setenv("SIMT_ORDER", "shuffle:17", 1), 0);  // for the process of the death test
  EXPECT_DEATH((void)run("throws", 1, 32, 0, nullptr, throws, out), "order shuffle:17: an exc");
  ASSERT_EQ(setenv("SIMT_ORDER", "shuffle", 1), 0);
  EXPECT_DEATH((void)run("throws", 1, 32, 0, nullptr, throws, out), "order shuffle:[0-9]+: an exc");
  ASSERT_EQ(setenv("SIMT_ORDER", "sideways", 1), 0);
  EXPECT_DEATH((void)run("throws", 1, 32, 0, nullptr, throws, out),
               "SIMT_ORDER=sideways: it takes");
  ASSERT_EQ(unsetenv("SIMT_ORDER"), 0);
}

}  // namespace
}  // namespace simt_test

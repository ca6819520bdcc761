// garray on the CUDA engine, beyond what it shares with the CPU's: which engine it is, indices that
// float cannot hold, a full device, and every call of CUDA and its libraries failing in turn. On
// the execution on the CPU, which can make calls fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <thread>

#include "cudamat/cuda/device.hpp"
#include "cudamat/simt/simt.hpp"
#include "gnumpy/gnumpy.hpp"

namespace gpu = gnumpy;
using gpu::all;
using gpu::garray;
using gpu::Index;
using gpu::slice;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

namespace {

TEST(GarrayCuda, ComputesOnTheDevice) {
  const std::int64_t before = simt::launches();
  const garray a{1, 2, 3};
  EXPECT_THAT((a * 2 + 1).to_vector(), ElementsAre(3, 5, 7));
  EXPECT_GT(simt::launches(), before);
  EXPECT_THAT(gpu::status(), StartsWith("cudamat float32 (GPU)\n"));
}

/// What a loop computes, and the calls of CUDA and its libraries that its last iteration makes.
std::pair<std::vector<double>, std::int64_t> momentum(int iterations) {
  gpu::seed_rand(7);
  const garray x = gpu::rand({16, 8}), t = gpu::rand({16, 4});
  garray w = gpu::rand({8, 4}), step = gpu::zeros({8, 4});
  std::int64_t calls = 0;
  for (int i = 0; i < iterations; ++i) {
    const std::int64_t before = simt::calls();
    step = step * 0.9 - gpu::dot(x.T(), gpu::dot(x, w) - t) * 0.01;
    w += step;
    calls = simt::calls() - before;
  }
  return {w.to_vector(), calls};
}

TEST(GarrayCuda, AStatementThatComesAgainIsOneCallWithTheSameBits) {
  gpu::passes("default");  // what no compiler is needed for
  const std::int64_t calls_at_first = momentum(2).second;
  const auto [result, calls_later] = momentum(12);
  EXPECT_LT(calls_later, calls_at_first - 2);
  // The same where memory never comes round.
  gpu::seed_rand(7);
  const garray x = gpu::rand({16, 8}), t = gpu::rand({16, 4});
  garray w = gpu::rand({8, 4}), step = gpu::zeros({8, 4});
  std::vector<garray> kept;
  for (int i = 0; i < 12; ++i) {
    step = step * 0.9 - gpu::dot(x.T(), gpu::dot(x, w) - t) * 0.01;
    kept.push_back(step);
    w = w + step;
    kept.push_back(w);
  }
  EXPECT_EQ(w.to_vector(), result);
  gpu::passes("default,fuse");
}

TEST(GarrayCuda, NumbersAndElementsOfAReplayedStatementMayChange) {
  gpu::passes("default");
  garray a = gpu::ones({4, 4}), b = gpu::ones({4, 4}) * 2, c;
  for (int i = 0; i < 30; ++i) {
    const double by = i < 15 ? 0.5 : i;
    c = gpu::dot(a, b) * by + gpu::dot(b, a);
    EXPECT_EQ(c[0][0].item(), 8 * by + 8) << i;
  }
  for (int i = 0; i < 10; ++i) {
    b[0][0] = i;  // what the graph reads is what lies there
    c = gpu::dot(a, b) * 0.5 + gpu::dot(b, a);
    EXPECT_EQ(c[0][0].item(), 0.5 * (6 + i) + 6 + i) << i;
  }
  gpu::passes("default,fuse");
}

TEST(GarrayCuda, PicksElementsWhoseNumberFloatCannotHold) {
  const Index n = (Index{1} << 24) + 4;
  std::vector<float> numbers(static_cast<std::size_t>(n));
  for (Index k = n - 6; k < n; ++k) numbers[static_cast<std::size_t>(k)] = float(k - n);
  garray a(numbers);
  const std::vector<Index> at{n - 1, n - 4, n - 3};
  EXPECT_THAT(a[at].to_vector(), ElementsAre(-1, -4, -3));
  a[at] = garray{10, 40, 30};
  EXPECT_THAT(a[slice(n - 5, n)].to_vector(), ElementsAre(-5, 40, 30, -2, 10));
}

TEST(GarrayCuda, MasksAreFoundOnTheDevice) {
  garray a = gpu::arange(12).reshape({3, 4});
  garray mask = a > 5;
  const gpu::Subscript some(mask);
  mask[0] = garray(1.0) > 0;  // what was looked at stays
  EXPECT_THAT(a[some].to_vector(), ElementsAre(6, 7, 8, 9, 10, 11));
  a[some] = garray{1, 2, 3, 4, 5, 6};
  EXPECT_THAT(a.to_vector(), ElementsAre(0, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 6));
  const garray rows = garray{1, 0, 1} > 0.0, columns = garray{0, 1, 1, 0} > 0.0;
  EXPECT_THAT(a[rows].to_vector(), ElementsAre(0, 1, 2, 3, 3, 4, 5, 6));
  EXPECT_THAT(a(all, columns).to_vector(), ElementsAre(1, 2, 5, 1, 4, 5));
  EXPECT_THAT(a(rows, columns).to_vector(), ElementsAre(1, 5)) << "pairs";
  EXPECT_THAT(a(rows, std::vector<Index>{3}).to_vector(), ElementsAre(3, 6));
  a(all, columns) += 10;
  EXPECT_THAT(a.to_vector(), ElementsAre(0, 11, 12, 3, 4, 15, 11, 2, 3, 14, 15, 6));
  a[a > 100] = 5.0;
  EXPECT_EQ(a[a > 100].size(), 0);
  const std::vector<garray> at = gpu::nonzero(a > 14);
  EXPECT_THAT(at[0].to_vector(), ElementsAre(1, 2));
  EXPECT_THAT(at[1].to_vector(), ElementsAre(1, 2));
}

TEST(GarrayCuda, SaysWhatHoldsAFullDeviceAndGoesOn) {
  const garray held = gpu::ones({1000, 1000});
  simt::set_memory(std::size_t{64} << 20);
  EXPECT_THAT(
      [] {
        (void)gpu::zeros({1 << 24, 2});
      },
      ThrowsMessage<cudamat::OutOfMemory>(AllOf(HasSubstr("gnumpy_cuda_test.cpp"),
                                                HasSubstr("134217728 bytes"),
                                                HasSubstr("4000000 bytes in 1 array"))));
  // What is kept for reuse makes room for what has another size.
  for (const Index rows : {9'000'000, 10'000'000, 9'500'000})
    EXPECT_EQ(gpu::zeros({rows}).shape(), gpu::Dims{rows});
  EXPECT_EQ(held.sum().item(), 1e6);
  EXPECT_GT(gpu::memory_available(true), std::int64_t{50} << 20);
  EXPECT_LE(gpu::memory_available(true), std::int64_t{64} << 20);
  simt::set_memory(std::size_t{4} << 30);
}

TEST(GarrayCuda, MemoryThatIsUsedAgainIsOfTheDevicesOwn) {
  constexpr Index kSize = 4321;  // no other test's
  static constexpr std::int64_t kBytes = 4 * kSize;
  const garray held = gpu::ones(4 * kSize) + 1;  // no more is kept than was once in use
  held.materialize();
  {
    const garray a = gpu::ones(kSize) + 1;
    a.materialize();
    EXPECT_EQ(a.sum().item(), 2.0 * kSize);
  }
  std::thread([] {
    cudamat::cuda::cuda_set_device(1);
    const garray a = gpu::ones(kSize) + 1;
    a.materialize();
    EXPECT_GE(cudamat::cuda::memory_in_use(), kBytes);
    EXPECT_EQ(a.sum().item(), 2.0 * kSize);
  }).join();
  const std::int64_t before = cudamat::cuda::memory_in_use();
  const garray b = gpu::ones(kSize) + 1;
  EXPECT_EQ(b.sum().item(), 2.0 * kSize);
  EXPECT_EQ(cudamat::cuda::memory_in_use(), before) << "what was kept here";
}

TEST(GarrayCuda, MemoryOfOtherContextsIsUsedAgainInTheOrderOfTheirStreams) {
  // simt ends the program where work of one stream uses what another one's may still be using.
  simt::set_streams(simt::Streams::kLazy);
  constexpr Index kSize = 5432;
  const garray two = gpu::ones(kSize) + 1;
  EXPECT_EQ(two.sum().item(), 2.0 * kSize);  // done
  const cudamat::cuda::Context context;
  for (int turn = 0; turn < 3; ++turn) {
    std::optional<garray> made;
    {
      const cudamat::cuda::Context::Scope scope(context);
      made = two * 3;
      made->materialize();
    }
    made.reset();  // here, while the context may be computing it
    const garray next = two * 5;
    EXPECT_EQ(next.sum().item(), 10.0 * kSize);
    {
      const cudamat::cuda::Context::Scope scope(context);
      EXPECT_EQ((two * 7).sum().item(), 14.0 * kSize);
    }
  }
  simt::set_streams(simt::Streams::kEager);
}

/// Something of everything that garrays ask of an engine.
std::vector<double> everything() {
  gpu::seed_rand(3);
  garray a = gpu::rand({6, 5});
  const garray b = gpu::randn({5, 6}) * 0.5 + 1;
  garray c = (gpu::dot(a, b) + b[0]).logistic();
  c += gpu::ones(6);
  c[slice(1, 3)] *= 2;
  c(all, std::vector<Index>{0, 4}) = c(all, std::vector<Index>{5, 2});
  c = gpu::concatenate({c, c.T()}, 1);
  a(all, 1) = gpu::cumsum(a, 1).sum(1);
  a = gpu::sort(a, 0);
  std::vector<double> numbers = gpu::tile(a, {1, 2}).transpose({1, 0}).to_vector();
  const std::vector<double> more = (c.max(0) - c.mean()).to_vector();
  numbers.insert(numbers.end(), more.begin(), more.end());
  return numbers;
}

TEST(GarrayCuda, FailuresOfEveryCallAreReportedAndForgotten) {
  const std::vector<double> wanted = everything();
  const std::int64_t in_use = gpu::memory_in_use();
  int reported = 0;
  for (std::int64_t n = 1;; ++n) {
    gpu::free_reuse_cache();
    const std::int64_t before = simt::calls();
    simt::fail_call(n);
    try {
      EXPECT_EQ(everything(), wanted) << "although " << simt::failed_call() << " failed";
    } catch (const cudamat::CUDAMatException& error) {
      ++reported;
    }
    simt::fail_call(0);
    if (simt::calls() - before < n) break;
    ASSERT_EQ(gpu::memory_in_use(), in_use) << simt::failed_call() << ", call " << n;
    ASSERT_EQ(everything(), wanted) << "after " << simt::failed_call() << ", call " << n;
  }
  EXPECT_GT(reported, 50);
}

}  // namespace

// garrays in several threads: values stay values. ThreadSanitizer runs these, too.
#include <algorithm>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>
#include <vector>

#include "gnumpy/gnumpy.hpp"

namespace gpu = gnumpy;
using gpu::garray;
using testing::Each;

namespace {

// The copies and expressions that exist when a second thread comes are those of one thread.
TEST(GarrayThreads, ACopyStaysAValueWhenAnotherThreadWritesToTheOriginal) {
  garray a{1, 1, 1};
  const garray b = a;
  const auto e = a + 0.5;
  std::thread([&] { a += 1; }).join();
  EXPECT_THAT(b.to_vector(), Each(1));
  EXPECT_THAT(e.to_vector(), Each(1.5));
  EXPECT_THAT(a.to_vector(), Each(2));
}

TEST(GarrayThreads, ArgumentsByValueAreTheThreadsOwn) {
  constexpr int kRounds = 50;
  garray w = gpu::zeros(100);
  std::vector<std::future<double>> sums;
  for (int i = 0; i < kRounds; ++i) {
    const auto work = [](garray x, double k) {
      x += k;
      return x.sum().item();
    };
    sums.push_back(std::async(std::launch::async, work, w, i));
    w += 1;
  }
  for (int i = 0; i < kRounds; ++i)
    EXPECT_EQ(sums[static_cast<std::size_t>(i)].get(), 200.0 * i) << i;
}

TEST(GarrayThreads, AnExpressionOfAThreadThatEndedIsAValue) {
  garray a = gpu::ones(10);
  const garray b = std::async(std::launch::async, [&a] { return a * 2 + 1; }).get();
  a = gpu::zeros(10);
  a += 7;
  EXPECT_THAT(b.to_vector(), Each(3));
}

TEST(GarrayThreads, DrawsAreTheStreamsWhicheverThreadHasThem) {
  gpu::seed_rand(5);
  std::vector<double> expected = gpu::rand(4000).to_vector();
  gpu::seed_rand(5);
  std::vector<std::thread> threads;
  std::vector<double> drawn;
  std::mutex mutex;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        const std::vector<double> some = gpu::rand(100).to_vector();
        const std::scoped_lock lock(mutex);
        drawn.insert(drawn.end(), some.begin(), some.end());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::sort(expected.begin(), expected.end());
  std::sort(drawn.begin(), drawn.end());
  EXPECT_EQ(drawn, expected);
}

TEST(GarrayThreads, EachThreadComputesItsOwn) {
  std::vector<std::thread> threads;
  std::vector<double> results(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, &results] {
      garray x = gpu::full({8, 8}, t);
      for (int i = 0; i < 30; ++i) {
        const garray before = x;
        x = gpu::dot(x, gpu::eye(8)) + before * 0;
        x[0] = static_cast<double>(t);
      }
      results[static_cast<std::size_t>(t)] = x.sum().item();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < 4; ++t) EXPECT_EQ(results[static_cast<std::size_t>(t)], 64.0 * t);
}

}  // namespace

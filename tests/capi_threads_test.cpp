// The C interface from several threads at once: matrices, the last error, memory, random numbers.
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "cudamat/capi/cudamat.h"

namespace {

constexpr int kThreads = 4;

template <class F>
void in_threads(F&& work) {
  std::vector<std::thread> threads;
  for (int k = 1; k <= kThreads; ++k) threads.emplace_back(work, k);
  for (std::thread& thread : threads) thread.join();
}

TEST(CapiThreads, ComputeOnMatricesOfTheirOwn) {
  in_threads([](int k) {
    for (int round = 0; round < 50; ++round) {
      std::vector<float> host(20, static_cast<float>(k));
      cudamat_struct a;
      cudamat_struct product;
      init_from_array(&a, host.data(), 4, 5);
      ASSERT_EQ(copy_to_device(&a), 0);
      ASSERT_EQ(init_empty(&product, 4, 5), 0);
      ASSERT_EQ(mult_by_sigmoid_deriv(&a, &a), 0);
      ASSERT_EQ(add_scalar(&a, 1, &product), 0);
      product.data_host = host.data();
      ASSERT_EQ(copy_to_host(&product), 0);
      for (const float x : host) ASSERT_EQ(x, static_cast<float>(k * k * (1 - k) + 1));
      ASSERT_EQ(free_device_memory(&a), 0);
      ASSERT_EQ(free_device_memory(&product), 0);
    }
  });
}

TEST(CapiThreads, HaveTheirOwnLastError) {
  in_threads([](int k) {
    ASSERT_STREQ(get_last_cuda_error(), "no error");
    for (int round = 0; round < 50; ++round) {
      cudamat_struct a;
      ASSERT_EQ(init_empty(&a, k, 2), 0);
      ASSERT_EQ(reshape(&a, 1, 99), CUDAMAT_ERROR_INCOMPATIBLE_DIMENSIONS);
      ASSERT_EQ(get_last_clib_error(), "[reshape] " + std::to_string(k) + "x2 has " +
                                           std::to_string(2 * k) + " elements, 1x99 would have 99");
      ASSERT_EQ(free_device_memory(&a), 0);
    }
  });
}

TEST(CapiThreads, ShareOneStreamOfRandomNumbers) {
  rnd_struct rnd;
  ASSERT_EQ(init_random(&rnd, 3, nullptr), 0);
  in_threads([&](int) {
    cudamat_struct a;
    ASSERT_EQ(init_empty(&a, 30, 10), 0);
    for (int round = 0; round < 20; ++round) ASSERT_EQ(fill_with_rand(&rnd, &a), 0);
    int err = 1;
    const float sum = manhattan_norm(&a, &err);
    EXPECT_EQ(err, 0);
    EXPECT_NEAR(sum, 150, 30);
    ASSERT_EQ(free_device_memory(&a), 0);
  });
}

}  // namespace

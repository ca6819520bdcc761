// Copies by several threads (cudamat/cuda/copy_threads.hpp).
#include <cstdint>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "cudamat/cuda/copy_threads.hpp"

namespace {

std::vector<std::uint8_t> counting(std::size_t bytes, std::size_t seed) {
  std::vector<std::uint8_t> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    made[i] = static_cast<std::uint8_t>((i * 2654435761u + seed) >> 13);
  return made;
}

/// Copies so many bytes to an odd address, and looks at what is around them.
bool copies(std::size_t bytes, std::size_t seed) {
  const std::vector<std::uint8_t> source = counting(bytes + 7, seed);
  std::vector<std::uint8_t> target(bytes + 5, 0xA5);
  cudamat::cuda::copy_bytes(target.data() + 3, source.data() + 7, bytes);
  return std::equal(source.begin() + 7, source.end(), target.begin() + 3) && target[0] == 0xA5 &&
         target[2] == 0xA5 && target[bytes + 3] == 0xA5;
}

constexpr std::size_t kMega = std::size_t{1} << 20;

TEST(CudaCopyThreads, CopyEveryByteAndNoOther) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{100'003}, kMega - 1,
                                  kMega, kMega + 1, 2 * kMega, 3 * kMega + 12'345})
    EXPECT_TRUE(copies(bytes, bytes)) << bytes;
}

TEST(CudaCopyThreads, AreUsedByOneThreadAtATime) {
  std::vector<int> failures(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < failures.size(); ++t)
    threads.emplace_back([t, &failures] {
      for (std::size_t i = 0; i < 12; ++i)
        if (!copies(kMega + 100'000 * t + i, 31 * t + i)) ++failures[t];
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, std::vector<int>(4, 0));
}

}  // namespace

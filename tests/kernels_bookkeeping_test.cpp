// What the checks of accesses remember, and the memory that it takes.
#include <fstream>
#include <functional>
#include <unistd.h>

#include "cudamat/simt/checks.hpp"
#include "tests/kernels_fixture.hpp"

namespace kernels_test {
namespace {

using simt::Checks;
using simt::Touch;

class Body final : public simt::Kernel {
 public:
  explicit Body(std::function<void(int)> run) : run_(std::move(run)) {}
  void run_thread() const override { run_(static_cast<int>(threadIdx.x)); }
  std::vector<simt::Argument> arguments() const override { return {}; }

 private:
  std::function<void(int)> run_;
};

/// Of one block, whose threads do this with their number.
void execute(Checks& checks, int threads, std::function<void(int)> body) {
  simt::execute({"body", dim3(1), dim3(static_cast<unsigned>(threads)), 0}, Body(std::move(body)),
                checks);
}

simt::Memory memory(std::vector<float>& array) {
  return {reinterpret_cast<std::byte*>(array.data()), array.size() * sizeof(float),
          simt::Memory::Kind::Array, true};
}

/// Bytes of the process that are in memory, as the system counts them.
std::size_t resident() {
  std::size_t all = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> all >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// What the checks take for a byte of an array that is accessed like that, in two warps.
double bytes_per_byte(const std::function<void(Checks&, float*, std::size_t, int)>& body) {
  std::vector<float> array(std::size_t{4} << 20, 1.0F);
  Checks checks({memory(array)}, 64);
  const std::size_t before = resident();
  execute(checks, 64, [&](int thread) { body(checks, array.data(), array.size(), thread); });
  return static_cast<double>(resident() - before) / static_cast<double>(4 * array.size());
}

TEST(Bookkeeping, TakesAtMostFourBytesForOne) {
  const auto own = [](Checks& checks, float* a, std::size_t n, int thread, Touch what) {
    for (std::size_t i = std::size_t(thread); i < n; i += 64) checks.touch(a + i, 4, what, 7);
  };
  const auto writes = [&](Checks& checks, float* a, std::size_t n, int thread) {
    own(checks, a, n, thread, Touch::kWrite);
  };
  const auto reads = [&](Checks& checks, float* a, std::size_t n, int thread) {
    own(checks, a, n, thread, Touch::kRead);
  };
  const auto all = [&](Checks& checks, float* a, std::size_t n, int thread) {
    writes(checks, a, n, thread);
    simt::block_barrier(simt::Place::current());
    if (thread % 32 != 0) return;  // two warps read all of it
    for (std::size_t i = 0; i < n; ++i) checks.touch(a + i, 4, Touch::kRead, 8);
  };
  EXPECT_LT(bytes_per_byte(writes), 2.1);
  EXPECT_LT(bytes_per_byte(reads), 2.1);
  EXPECT_LT(bytes_per_byte(all), 4.1);
  EXPECT_GT(bytes_per_byte(all), 3.9) << "it is measured";
}

TEST(Bookkeeping, KnowsAnyNumberOfPlaces) {
  constexpr std::uint32_t kPlaces = 5000;  // more than the cells' format has bits for
  std::vector<float> array(kPlaces);
  Checks checks({memory(array)}, 2, true);
  execute(checks, 2, [&](int thread) {
    for (std::uint32_t i = 0; i < kPlaces; ++i)
      checks.touch(&array[i], 4, Touch::kWrite, (thread == 0 ? 1'000'000 : 2'000'000) + 16 * i);
  });
  ASSERT_EQ(checks.noted().size(), kPlaces);
  for (std::uint32_t i = 0; i < kPlaces; ++i) {
    const simt::Fault& fault = checks.noted()[i].first;
    EXPECT_EQ(fault.place, 2'000'000 + 16 * i);
    EXPECT_EQ(fault.other.place, 1'000'000 + 16 * i);
    EXPECT_EQ(fault.other.thread, 0);
  }
}

TEST(Bookkeeping, KnowsAnyNumberOfTimes) {
  constexpr int kThreads = 1024, kTimes = 1 << 22;
  std::vector<float> array(3);
  Checks checks({memory(array)}, kThreads, true);
  execute(checks, kThreads, [&](int thread) {
    if (thread == 1022) checks.touch(&array[0], 4, Touch::kWrite, 10);
    simt::block_barrier(simt::Place::current());
    if (thread == 1022) {
      checks.touch(&array[1], 4, Touch::kWrite, 11);
      for (int i = 0; i < kTimes; ++i) checks.fence();
      checks.touch(&array[2], 4, Touch::kWrite, 12);
    }
    if (thread == 1023)
      for (std::uint32_t i = 0; i < 3; ++i) checks.touch(&array[i], 4, Touch::kWrite, 20 + i);
  });
  ASSERT_EQ(checks.noted().size(), 2);  // the first was before the barrier
  for (std::uint32_t i = 0; i < 2; ++i) {
    EXPECT_EQ(checks.noted()[i].first.place, 21 + i);
    EXPECT_EQ(checks.noted()[i].first.other.place, 11 + i);
    EXPECT_EQ(checks.noted()[i].first.other.thread, 1022);
  }
}

TEST(Bookkeeping, TellsBlocksApart) {
  std::vector<float> array(8);
  Checks checks({memory(array)}, 2, true);
  simt::execute({"body", dim3(4, 2), dim3(2), 0}, Body([&](int thread) {
                  const unsigned block = blockIdx.y * 4 + blockIdx.x;
                  if (block == 2) simt::block_barrier(simt::Place::current());
                  if (thread == 1) checks.touch(&array[block], 4, Touch::kWrite, 100 + block);
                  if (block != 7) return;
                  for (unsigned i = 0; thread == 0 && i < 7; ++i)
                    checks.touch(&array[i], 4, Touch::kRead, 200 + i);
                }),
                checks);
  ASSERT_EQ(checks.noted().size(), 7);
  for (unsigned i = 0; i < 7; ++i) {
    EXPECT_EQ(checks.noted()[i].first.other.block, i);
    EXPECT_EQ(checks.noted()[i].first.other.thread, 1);
    EXPECT_EQ(checks.noted()[i].first.other.place, 100 + i);
  }
}

TEST(Bookkeeping, OfBytesAndHalves) {
  const auto f = kernel_of(R"(__global__ void f(unsigned char* a, short* b, double* c) {
  const int i = threadIdx.x;
  a[i] = i;
  b[i] = i;
  c[i] = i;
  __syncthreads();
  if (i < 4) ((int*)a)[i] += 1;
  if (i == 20) b[3] = 0;
  __syncthreads();
  if (i == WHO) a[3] = 9;
  if (i == 1) c[0] = a[3];
})",
                           {"-DWHO=1"});
  std::vector<unsigned char> a(32);
  std::vector<std::int16_t> b(32);
  std::vector<double> c(32);
  f({.block = {32}}, InOut(a), InOut(b), InOut(c));
  EXPECT_EQ(a[0], 1);
  EXPECT_EQ(b[3], 0);
  EXPECT_EQ(c[0], 9);
}

}  // namespace
}  // namespace kernels_test

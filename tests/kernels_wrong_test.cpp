// Kernels with the mistakes that people make: each ends the launch with a report that names the
// threads, the lines, the array and the index.
#include "tests/kernels_fixture.hpp"

namespace kernels_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// ---- out of bounds ----

TEST(WrongKernel, TheTutorialsArraysOf100With400Threads) {
  const auto multiply_them = kernel_of(R"(
__global__ void multiply_them(float *dest, float *a, float *b)
{
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
)");
  const auto a = counting(100), b = counting(100);
  std::vector<float> dest(100, -1.0F);
  EXPECT_EQ(fault([&] { multiply_them({.block = {400}, .grid = {1}}, Out(dest), In(a), In(b)); }),
            "[multiply_them] access out of bounds\n"
            "kernel.cu:5: thread (100,0,0) of block (0,0,0) reads a[100]; it has 100 elements\n"
            "    5 |   dest[i] = a[i] * b[i];\n"
            "launched with block (400,1,1), grid (1,1,1)");
  EXPECT_THAT(dest, testing::Each(-1.0F)) << "nothing was written";
}

TEST(WrongKernel, GuardThatIsOffByOne) {
  const auto twice = kernel_of(R"(__global__ void twice(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) x[i] *= 2;
})");
  auto x = counting(100);
  EXPECT_THAT(fault([&] { twice({.block = {32}, .grid = {4}}, InOut(x), 100); }),
              HasSubstr("kernel.cu:3: thread (4,0,0) of block (3,0,0) reads x[100]; it has 100 "
                        "elements\n    3 |   if (i <= n) x[i] *= 2;\n"));
}

TEST(WrongKernel, BeforeTheBeginning) {
  const auto shift = kernel_of(R"(__global__ void shift(const float* x, float* y) {
  int i = threadIdx.x;
  y[i] = x[i - 1];
})");
  const auto x = counting(8);
  std::vector<float> y(8);
  EXPECT_THAT(fault([&] { shift({.block = {8}}, In(x), Out(y)); }),
              HasSubstr("kernel.cu:3: thread (0,0,0) of block (0,0,0) reads x[-1]; it has 8"));
}

TEST(WrongKernel, FarOutside) {
  const auto far = kernel_of(R"(__global__ void far(double* x, long long i) { x[i] = 1; })");
  std::vector<double> x(8);
  EXPECT_THAT(fault([&] { far({}, Out(x), 1'000'000'000LL); }),
              HasSubstr("writes x[1000000000]; it has 8 elements"));
  EXPECT_THAT(fault([&] { far({}, Out(x), -1'000'000'000LL); }),
              HasSubstr("writes x[-1000000000]; it has 8 elements"));
}

TEST(WrongKernel, FromOneArrayIntoTheNext) {
  const auto fill = kernel_of(R"(__global__ void fill(float* x, float* y) {
  for (int i = 0; i < 16; ++i) x[i] = 1;
  y[0] = 2;
})");
  std::vector<float> both(32);
  EXPECT_THAT(
      fault([&] { fill({}, Out(std::span(both).first(8)), Out(std::span(both).subspan(8))); }),
      HasSubstr("writes x[8]; it has 8 elements"));
}

TEST(WrongKernel, PastSharedMemory) {
  const auto shared = kernel_of(R"(#define N 16
__global__ void shared(float* x) {
  __shared__ float tile[N][N], other[N];
  const int t = threadIdx.x;
  other[t] = 0;
  tile[t][N - 1] = 1;
  x[t] = tile[t][N - 1] + tile[t + 1][N - 1] + other[t];
})");
  std::vector<float> x(16);
  EXPECT_THAT(fault([&] { shared({.block = {16}}, Out(x)); }),
              AllOf(StartsWith("[shared] memory that was never written\n"),
                    HasSubstr("kernel.cu:7: thread (0,0,0) of block (0,0,0) reads tile[1][15]")));
  EXPECT_THAT(fault([&] {
                kernel_of(R"(__global__ void past(float* x) {
  __shared__ float s[16];
  s[threadIdx.x] = 1;
  __syncthreads();
  x[threadIdx.x] = s[threadIdx.x + 1];
})")({.block = {16}}, Out(x));
              }),
              HasSubstr("kernel.cu:5: thread (15,0,0) of block (0,0,0) reads s[16]; it has 16"));
}

TEST(WrongKernel, DynamicSharedMemoryThatIsTooSmall) {
  const auto reverse = kernel_of(R"(__global__ void reverse(int* x) {
  extern __shared__ int s[];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
})");
  auto x = counting<int>(64);
  EXPECT_THAT(fault([&] { reverse({.block = {64}, .shared_bytes = 64}, InOut(x)); }),
              HasSubstr("kernel.cu:3: thread (16,0,0) of block (0,0,0) writes s[16]; it has 16"));
  EXPECT_THAT(fault([&] { reverse({.block = {64}}, InOut(x)); }),
              HasSubstr("writes s[0]; the launch gives it no memory: shared_bytes is 0"));
  reverse({.block = {64}, .shared_bytes = 256}, InOut(x));
  EXPECT_EQ(x[0], 64);
}

TEST(WrongKernel, NullPointerAndMisalignment) {
  EXPECT_THAT(fault([&] { kernel_of("__global__ void null() { *(volatile float*)16 = 1; }")({}); }),
              HasSubstr("writes address 0x10, which is in no array that the kernel was given"));
  std::vector<float> x(8);
  const SourceModule module(R"(
__global__ void two(float* x) { *(double*)(x + 1) = 1; }
__global__ void four(float* x) { float4 v = make_float4(1, 2, 3, 4); *(float4*)(x + 6) = v; }
)");
  EXPECT_THAT(fault([&] { module.get_function("two")({}, Out(x)); }),
              HasSubstr("[two] misaligned access\nkernel.cu:2: thread (0,0,0) of block (0,0,0) "
                        "writes 8 bytes at x[1], whose address is not a multiple of 8"));
  EXPECT_THAT(fault([&] { module.get_function("four")({}, Out(x)); }),
              HasSubstr("kernel.cu:3: thread (0,0,0) of block (0,0,0) writes"));
}

TEST(WrongKernel, RecursionWithoutEnd) {
  EXPECT_THAT(fault([&] {
                std::vector<int> x(1);
                kernel_of(R"(__device__ int deep(volatile int* x, int n) {
  volatile int local[64];
  local[n % 64] = n;
  return deep(x, n + 1) + local[*x];
}
__global__ void start(int* x) { *x = deep(x, *x); })")({}, InOut(x));
              }),
              HasSubstr("[start] stack overflow\n"));
}

// ---- never written ----

TEST(WrongKernel, SharedMemoryThatNobodyWrote) {
  const auto sum = kernel_of(R"(__global__ void sum(const float* x, float* out) {
  __shared__ float total;
  atomicAdd(&total, x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) *out = total;
})");
  const auto x = counting(32);
  std::vector<float> out(1);
  EXPECT_EQ(fault([&] { sum({.block = {32}}, In(x), Out(out)); }),
            "[sum] memory that was never written\n"
            "kernel.cu:3: thread (0,0,0) of block (0,0,0) updates atomically total[0], which no "
            "thread of the block has written\n"
            "    3 |   atomicAdd(&total, x[threadIdx.x]);\n"
            "launched with block (32,1,1), grid (1,1,1)");
}

TEST(WrongKernel, SharedMemoryThatIsReadBeforeAnotherThreadWritesIt) {
  const cudamat::SourceModule module(R"(__global__ void first(float* out) {
  __shared__ float s[4];
  s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
__global__ void second(float* out) {
  __shared__ float s[64];
  s[threadIdx.x] = 1;
  out[threadIdx.x] = s[63 - threadIdx.x];
})",
                                     {.check = true});
  const auto second = module.get_function("second");
  std::vector<float> out(64);
  EXPECT_EQ(fault([&] { second({.block = {64}}, Out(out)); }),
            "[second] memory that was never written\n"
            "kernel.cu:10: thread (0,0,0) of block (0,0,0) reads s[63], which no thread of the "
            "block has written\n"
            "   10 |   out[threadIdx.x] = s[63 - threadIdx.x];\n"
            "if another thread writes it later, a __syncthreads() is missing between the two\n"
            "launched with block (64,1,1), grid (1,1,1)");
}

TEST(WrongKernel, SharedMemoryOfTheBlockBefore) {
  const auto first = kernel_of(R"(__global__ void first(float* out) {
  __shared__ float s;
  if (threadIdx.x == 0 && blockIdx.x == 0) s = 1;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
})");
  std::vector<float> out(64);
  EXPECT_THAT(
      fault([&] { first({.block = {32}, .grid = {2}}, Out(out)); }),
      HasSubstr("kernel.cu:5: thread (0,0,0) of block (1,0,0) reads s[0], which no thread"));
}

TEST(WrongKernel, OutThatIsRead) {
  const auto accumulate = kernel_of(
      "__global__ void accumulate(float* sum, const float* x) { sum[threadIdx.x] += x[0]; }");
  const auto x = counting(1);
  std::vector<float> sum(4);
  EXPECT_THAT(fault([&] { accumulate({.block = {4}}, Out(sum), In(x)); }),
              HasSubstr("reads sum[0], which nothing has written"));
  accumulate({.block = {4}}, InOut(sum), In(x));
  EXPECT_EQ(sum[3], 1.0F);
}

// ---- races ----

constexpr const char* kTiledProduct = R"(#define TILE 8
__global__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int t = 0; t < n; t += TILE) {
    as[ty][tx] = a[row * n + t + tx];
    bs[ty][tx] = b[(t + ty) * n + col];
    AFTER_LOAD;
    for (int i = 0; i < TILE; ++i) sum += as[ty][i] * bs[i][tx];
    AFTER_USE;
  }
  c[row * n + col] = sum;
}
)";

std::string product(const char* after_load, const char* after_use) {
  const auto kernel = kernel_of(kTiledProduct, {std::string("-DAFTER_LOAD=") + after_load,
                                                std::string("-DAFTER_USE=") + after_use});
  const auto a = counting(256), b = counting(256);
  std::vector<float> c(256);
  return fault([&] { kernel({.block = {8, 8}, .grid = {2, 2}}, In(a), In(b), Out(c), 16); });
}

TEST(WrongKernel, ProductWithoutTheFirstBarrier) {
  EXPECT_THAT(product("", "__syncthreads()"),
              AllOf(StartsWith("[product] memory that was never written\n"),
                    HasSubstr("kernel.cu:11: thread (0,0,0) of block (0,0,0) reads as[0][1]")));
}

TEST(WrongKernel, ProductWithoutTheSecondBarrier) {
  EXPECT_THAT(
      product("__syncthreads()", ""),
      AllOf(StartsWith(
                "[product] race\nkernel.cu:11: thread (1,0,0) of block (0,0,0) reads as[0][0]\n"),
            HasSubstr("\nkernel.cu:8: thread (0,0,0) of block (0,0,0) has written it\n"),
            HasSubstr("between the two the threads meet at no __syncthreads()")));
}

constexpr const char* kReduction = R"(__global__ void sum(const float* x, float* out) {
  __shared__ QUALIFIER float s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  if (t < 32) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
  }
  if (t == 0) *out = s[0];
})";

TEST(WrongKernel, ReductionOfAWarpWithoutSyncwarp) {
  for (const char* const qualifier : {"", "volatile"}) {  // since Volta that is not enough either
    const auto sum = kernel_of(kReduction, {std::string("-DQUALIFIER=") + qualifier});
    const auto x = counting(64);
    std::vector<float> out(1);
    EXPECT_THAT(fault([&] { sum({.block = {64}}, In(x), Out(out)); }),
                AllOf(StartsWith("[sum] race\n"), HasSubstr("writes s["), HasSubstr("has read it"),
                      HasSubstr("__syncwarp()")));
  }
}

TEST(WrongKernel, HistogramWithoutAtomics) {
  const auto histogram = kernel_of(R"(__global__ void histogram(const int* x, int* bins) {
  bins[x[blockIdx.x * blockDim.x + threadIdx.x]]++;
})");
  const std::vector<int> within{0, 1, 1, 2, 3, 3}, across{0, 1, 2, 3, 4, 2};
  std::vector<int> bins(8);
  EXPECT_EQ(fault([&] { histogram({.block = {6}}, In(within), InOut(bins)); }),
            "[histogram] race\n"
            "kernel.cu:2: thread (2,0,0) of block (0,0,0) reads bins[1]\n"
            "    2 |   bins[x[blockIdx.x * blockDim.x + threadIdx.x]]++;\n"
            "kernel.cu:2: thread (1,0,0) of block (0,0,0) has written it\n"
            "    2 |   bins[x[blockIdx.x * blockDim.x + threadIdx.x]]++;\n"
            "between the two the threads meet at no __syncthreads(), nor, as lanes of a warp, at a "
            "__syncwarp()\n"
            "launched with block (6,1,1), grid (1,1,1)");
  EXPECT_THAT(fault([&] { histogram({.block = {3}, .grid = {2}}, In(across), InOut(bins)); }),
              AllOf(HasSubstr("thread (2,0,0) of block (1,0,0) reads bins[2]"),
                    HasSubstr("thread (2,0,0) of block (0,0,0) has written it"),
                    HasSubstr("blocks run in any order")));
}

TEST(WrongKernel, BlocksThatWaitForNobody) {
  const auto shift = kernel_of(R"(__global__ void shift(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i + 1 < n ? x[i + 1] : 0;
  __syncthreads();
  if (i < n) x[i] = value;
})");
  auto x = counting(64);
  EXPECT_THAT(fault([&] { shift({.block = {32}, .grid = {2}}, InOut(x), 64); }),
              AllOf(HasSubstr("thread (0,0,0) of block (1,0,0) writes x[32]"),
                    HasSubstr("thread (31,0,0) of block (0,0,0) has read it")));
  shift({.block = {64}}, InOut(x), 64);
  EXPECT_EQ(x[0], 2.0F);
}

TEST(WrongKernel, CounterThatIsReadWhileOthersCount) {
  const auto number = kernel_of(R"(__global__ void number(int* count, int* mine) {
  atomicAdd(count, 1);
  mine[threadIdx.x] = *count;
})");
  std::vector<int> count(1), mine(4);
  EXPECT_THAT(fault([&] { number({.block = {4}}, InOut(count), Out(mine)); }),
              AllOf(HasSubstr("kernel.cu:2: thread (1,0,0) of block (0,0,0) updates atomically "
                              "count[0]"),
                    HasSubstr("kernel.cu:3: thread (0,0,0) of block (0,0,0) has read it")));
}

TEST(WrongKernel, EverybodyWritesTheSame) {
  const auto flag = kernel_of("__global__ void flag(int* x) { *x = 1; }");
  std::vector<int> x(1);
  EXPECT_THAT(fault([&] { flag({.block = {2}}, Out(x)); }),
              AllOf(HasSubstr("thread (1,0,0) of block (0,0,0) writes x[0]"),
                    HasSubstr("thread (0,0,0) of block (0,0,0) has written it")));
}

TEST(WrongKernel, ShufflesOrderNothing) {
  const auto exchange = kernel_of(R"(__global__ void exchange(int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = t;
  const int other = __shfl_xor_sync(0xffffffff, t, 1);
  out[t] = s[other];
})");
  std::vector<int> out(32);
  EXPECT_THAT(fault([&] { exchange({.block = {32}}, Out(out)); }),
              AllOf(StartsWith("[exchange] race\nkernel.cu:6: "), HasSubstr("kernel.cu:4: ")));
}

// ---- barriers and intrinsics ----

TEST(WrongKernel, BarrierThatSomeDoNotReach) {
  const auto half = kernel_of(R"(__global__ void half(float* x, int n) {
  const int i = threadIdx.x;
  if (i < n) {
    x[i] *= 2;
    __syncthreads();
  }
})");
  auto x = counting(64);
  EXPECT_EQ(fault([&] { half({.block = {64}}, InOut(x), 48); }),
            "[half] kernel.cu:5: thread (48,0,0) of block (0,0,0): the thread leaves the kernel "
            "while others wait for it at __syncthreads (kernel.cu:5)\n"
            "    5 |     __syncthreads();\n"
            "launched with block (64,1,1), grid (1,1,1)");
}

TEST(WrongKernel, TwoBarriersInBranches) {
  const auto branches = kernel_of(R"(__global__ void branches(float* x) {
  if (threadIdx.x < 32)
    __syncthreads();
  else
    __syncthreads();
})");
  auto x = counting(64);
  EXPECT_THAT(fault([&] { branches({.block = {64}}, InOut(x)); }),
              HasSubstr("__syncthreads (kernel.cu:5) while others wait at another one "
                        "(kernel.cu:3)"));
}

TEST(WrongKernel, ShuffleOfLanesThatHaveLeft) {
  const auto shuffle = kernel_of(R"(__global__ void shuffle(int* x) {
  if (threadIdx.x >= 16) return;
  x[threadIdx.x] = __shfl_down_sync(0xffffffff, x[threadIdx.x], 1);
})");
  auto x = counting<int>(32);
  EXPECT_THAT(fault([&] { shuffle({.block = {32}}, InOut(x)); }),
              AllOf(StartsWith("[shuffle] "), HasSubstr("__shfl_down_sync"), HasSubstr("lane 0")));
}

TEST(WrongKernel, AssertionThatFails) {
  const auto positive = kernel_of(R"(#include <assert.h>
__global__ void positive(const float* x) {
  assert(x[threadIdx.x] > 0);
})");
  const std::vector<float> x{1, 2, -3, 4};
  EXPECT_EQ(fault([&] { positive({.block = {4}}, In(x)); }),
            "[positive] kernel.cu:3: thread (2,0,0) of block (0,0,0): assertion `x[threadIdx.x] > "
            "0' failed (kernel.cu:3)\n"
            "    3 |   assert(x[threadIdx.x] > 0);\n"
            "launched with block (4,1,1), grid (1,1,1)");
}

TEST(WrongKernel, TheNextLaunchIsSound) {
  const auto copy = kernel_of(
      "__global__ void copy(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; "
      "__syncthreads(); }");
  const auto x = counting(8);
  std::vector<float> y(8);
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(fault([&] { copy({.block = {9}}, In(x), Out(y)); }), HasSubstr("x[8]"));
    copy({.block = {8}}, In(x), Out(y));
    EXPECT_EQ(y, x);
    y.assign(8, 0.0F);
  }
}

}  // namespace
}  // namespace kernels_test

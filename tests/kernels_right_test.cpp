// Kernels as people write them, which are right: they compute what they should, and nothing is
// reported.
#include <cmath>
#include <tuple>

#include "tests/kernels_fixture.hpp"

namespace kernels_test {
namespace {

TEST(RightKernel, ThreadsOfOneBlock) {
  const auto multiply_them = kernel_of(R"(
__global__ void multiply_them(float *dest, float *a, float *b)
{
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
)");
  const auto a = counting(400), b = counting(400);
  std::vector<float> dest(400);
  multiply_them({.block = {400}, .grid = {1}}, Out(dest), In(a), In(b));
  for (std::size_t i = 0; i < 400; ++i)
    ASSERT_EQ(dest[i], static_cast<float>(i + 1) * static_cast<float>(i + 1));
}

constexpr const char* kProduct = R"(#define TILE 8
__global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int t = 0; t < k; t += TILE) {
    as[ty][tx] = row < m && t + tx < k ? a[row * k + t + tx] : 0.0f;
    bs[ty][tx] = t + ty < k && col < n ? b[(t + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
)";

TEST(RightKernel, TiledProduct) {
  constexpr int kM = 19, kN = 13, kK = 21;
  const auto a = counting(kM * kK), b = counting(kK * kN);
  std::vector<float> c(kM * kN);
  kernel_of(kProduct)({.block = {8, 8}, .grid = {2, 3}}, In(a), In(b), Out(c), kM, kN, kK);
  for (int i = 0; i < kM; ++i)
    for (int j = 0; j < kN; ++j) {
      long double sum = 0;
      for (int k = 0; k < kK; ++k)
        sum += static_cast<long double>(i * kK + k + 1) * static_cast<long double>(k * kN + j + 1);
      ASSERT_EQ(c[std::size_t(i * kN + j)], static_cast<float>(sum));  // below 2^24: exact
    }
}

TEST(RightKernel, WarpShuffleReduction) {
  const auto sum = kernel_of(R"(
__global__ void sum(const int* x, int* out, int n) {
  __shared__ int parts[32];
  int value = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    value += x[i];
  for (int delta = 16; delta > 0; delta /= 2) value += __shfl_down_sync(0xffffffff, value, delta);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
    for (int delta = 16; delta > 0; delta /= 2) value += __shfl_down_sync(0xffffffff, value, delta);
    if (threadIdx.x == 0) atomicAdd(out, value);
  }
}
)");
  const auto x = counting<int>(1000);
  std::vector<int> out(1);
  sum({.block = {128}, .grid = {3}}, In(x), InOut(out), 1000);
  EXPECT_EQ(out[0], 500500);
}

TEST(RightKernel, WarpReductionInSharedMemoryWithSyncwarp) {
  const auto sum = kernel_of(R"(
__global__ void sum(const float* x, float* out) {
  extern __shared__ float s[];
  const int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int k = blockDim.x / 2; k >= 32; k /= 2) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t < 32) {
    for (int k = 16; k > 0; k /= 2) {
      float other = s[t + k];
      __syncwarp();
      s[t] += other;
      __syncwarp();
    }
  }
  if (t == 0) *out = s[0];
}
)");
  const auto x = counting(256);
  std::vector<float> out(1);
  sum({.block = {256}, .shared_bytes = 1024}, In(x), Out(out));
  EXPECT_EQ(out[0], 32896.0F);
}

TEST(RightKernel, HistogramWithAtomics) {
  const auto histogram = kernel_of(R"(
__global__ void histogram(const unsigned char* x, unsigned* bins, int n) {
  __shared__ unsigned mine[16];
  if (threadIdx.x < 16) mine[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&mine[x[i] % 16], 1u);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
)");
  std::vector<unsigned char> x(300);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<unsigned char>(i * i);
  std::vector<unsigned> bins(16), expected(16);
  for (const unsigned char each : x) ++expected[each % 16];
  histogram({.block = {64}, .grid = {5}}, In(x), InOut(bins), 300);
  EXPECT_EQ(bins, expected);
}

TEST(RightKernel, GridStrideLoop) {
  const auto twice = kernel_of(R"(
__global__ void twice(double* x, size_t n) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    x[i] *= 2;
}
)");
  auto x = counting<double>(1000);
  twice({.block = {32}, .grid = {3}}, InOut(x), x.size());
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(x[i], 2.0 * static_cast<double>(i + 1));
}

TEST(RightKernel, ScanWithDoubleBuffering) {
  const auto scan = kernel_of(R"(
__global__ void scan(const int* x, int* out, int n) {
  __shared__ int buffer[2][128];
  int in = 0;
  const int t = threadIdx.x;
  buffer[0][t] = t < n ? x[t] : 0;
  __syncthreads();
  for (int offset = 1; offset < blockDim.x; offset *= 2) {
    const int other = 1 - in;
    buffer[other][t] = buffer[in][t] + (t >= offset ? buffer[in][t - offset] : 0);
    in = other;
    __syncthreads();
  }
  if (t < n) out[t] = buffer[in][t];
}
)");
  const auto x = counting<int>(100);
  std::vector<int> out(100);
  scan({.block = {128}}, In(x), Out(out), 100);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(out[std::size_t(i)], (i + 1) * (i + 2) / 2);
}

TEST(RightKernel, NeighboursWriteNeighbouringBytes) {
  const auto flags = kernel_of(R"(
__global__ void flags(const short* x, char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 50;
}
)");
  const auto x = counting<short>(101);
  std::vector<char> out(101);
  flags({.block = {7}, .grid = {15}}, In(x), Out(out), 101);
  for (std::size_t i = 0; i < 101; ++i) ASSERT_EQ(out[i], i >= 50 ? 1 : 0);
}

TEST(RightKernel, FlagOfOneValueByAtomics) {
  const auto any = kernel_of(R"(
__global__ void any(const float* x, int* found, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] < 0) atomicExch(found, 1);
}
)");
  std::vector<float> x(100, -1.0F);
  std::vector<int> found(1);
  any({.block = {32}, .grid = {4}}, In(x), InOut(found), 100);
  EXPECT_EQ(found[0], 1);
}

/// The last block to finish adds what the others have left, as NVIDIA's threadFenceReduction does.
constexpr const char* kLastBlock = R"(
__device__ unsigned finished = 0;
__global__ void total(const int* x, int* parts, int* out) {
  __shared__ int s[32];
  __shared__ bool last;
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  if (t == 0) {
    int sum = 0;
    for (int i = 0; i < 32; ++i) sum += s[i];
    parts[blockIdx.x] = sum;
    FENCE;
    last = atomicInc(&finished, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    int sum = 0;
    for (int i = 0; i < gridDim.x; ++i) sum += parts[i];
    *out = sum;
    finished = 0;
  }
}
)";

TEST(RightKernel, LastBlockAfterFenceAndAtomic) {
  const auto total = kernel_of(kLastBlock, {"-DFENCE=__threadfence()"});
  const auto x = counting<int>(160);
  std::vector<int> parts(5), out(1);
  for (int run = 0; run < 2; ++run) {
    total({.block = {32}, .grid = {5}}, In(x), Out(parts), Out(out));
    EXPECT_EQ(out[0], 160 * 161 / 2);
  }
}

TEST(WrongKernel, LastBlockWithoutFence) {
  const auto total = kernel_of(kLastBlock, {"-DFENCE="});
  const auto x = counting<int>(160);
  std::vector<int> parts(5), out(1);
  EXPECT_THAT(fault([&] { total({.block = {32}, .grid = {5}}, In(x), Out(parts), Out(out)); }),
              testing::AllOf(testing::HasSubstr("race\n"),
                             testing::HasSubstr("kernel.cu:19: thread (0,0,0) of block (4,0,0) "
                                                "reads parts[0]"),
                             testing::HasSubstr("kernel.cu:12: thread (0,0,0) of block (0,0,0) has "
                                                "written it")));
}

TEST(RightKernel, LockOfOneThreadAtATime) {
  const auto add = kernel_of(R"(
__device__ int lock = 0;
__global__ void add(float* sum, const float* x) {
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  *sum += x[blockIdx.x * blockDim.x + threadIdx.x];
  __threadfence();
  atomicExch(&lock, 0);
}
)");
  const auto x = counting(60);
  std::vector<float> sum(1);
  add({.block = {20}, .grid = {3}}, InOut(sum), In(x));
  EXPECT_EQ(sum[0], 1830.0F);
}

TEST(RightKernel, ConstantsVectorsFunctionsAndTemplates) {
  const auto scale = kernel_of(R"(
#include <math.h>
__constant__ float weights[4] = {1.0f, 2.0f, 4.0f, 8.0f};
template <class T> __device__ __forceinline__ T square(T x) { return x * x; }
template <class T> __global__ void plain(const float4* x, T* out, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const float4 v = x[i];
  out[i] = square(v.x * weights[0] + v.y * weights[1] + v.z * weights[2] + v.w * weights[3]) +
           fmaxf(rsqrtf(4.0f), max(0, __popc(7)) * 1.0f);
}
template __global__ void plain<float>(const float4*, float*, int);
extern "C" __global__ void scale(const float* __restrict__ x, float* out, int n) {
  float local[4];
  const int i = threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 4; ++k) local[k] = x[4 * i + k] * weights[k];
  const float2 sum = make_float2(local[0] + local[1], local[2] + local[3]);
  out[i] = square(sum.x + sum.y) + fmaxf(rsqrtf(4.0f), max(0, __popc(7)) * 1.0f);
}
)");
  const auto x = counting(12);
  std::vector<float> out(3);
  // The first instance is of a kernel with a struct's pointer, which nobody calls.
  const SourceModule module(R"(
__global__ void first(float* x) { x[0] = 1; }
namespace mine { __global__ void second(float* x, unsigned long long by) { x[by] = 2; } }
)");
  module.get_function("mine::second")({.block = {1}}, Out(out), 2u);
  EXPECT_EQ(out[2], 2.0F);
  EXPECT_EQ(scale.name(), "plain<float>");
}

TEST(RightKernel, FunctionsOfTheCLibraryThatStore) {
  const auto move = kernel_of(R"(
__global__ void move(const float* x, float* y, float* angles, int n) {
  __shared__ float s[8];
  __shared__ unsigned char zero[64];
  if (threadIdx.x == 0) {
    memcpy(s, x, n * sizeof(float));
    memset(zero, 0, sizeof zero);
  }
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x] + zero[threadIdx.x];
  sincosf(0.0f, &angles[2 * threadIdx.x], &angles[2 * threadIdx.x + 1]);
  y[threadIdx.x] += angles[2 * threadIdx.x + 1];
}
)");
  const auto x = counting(8);
  std::vector<float> y(8), angles(16);
  move({.block = {8}}, In(x), Out(y), Out(angles), 8);
  EXPECT_EQ(y[7], 9.0F);
  EXPECT_THAT(fault([&] { move({.block = {8}}, In(x), Out(y), Out(angles), 9); }),
              testing::HasSubstr(
                  "kernel.cu:6: thread (0,0,0) of block (0,0,0) reads 36 bytes from x[0] on; "
                  "it has 8 elements"));
}

TEST(RightKernel, VotesOfTheBlock) {
  const auto votes = kernel_of(R"(
__global__ void votes(int* out) {
  const int t = threadIdx.x;
  const int count = __syncthreads_count(t % 3 == 0);
  const int any = __syncthreads_or(t == 5), all = __syncthreads_and(t < 40);
  out[t] = count * 100 + any * 10 + all;
}
)");
  std::vector<int> out(40);
  votes({.block = {40}}, Out(out));
  EXPECT_THAT(out, testing::Each(1411));
}

TEST(RightKernel, KeepsVariablesOfTheProgramBetweenLaunches) {
  const SourceModule module(R"(
__device__ int calls = 0;
__global__ void count() { ++calls; }
__global__ void tell(int* out) { *out = calls; }
)");
  std::vector<int> out(1);
  for (int i = 0; i < 3; ++i) module.get_function("count")({});
  module.get_function("tell")({}, Out(out));
  EXPECT_EQ(out[0], 3);
}

TEST(RightKernel, VariablesMayHaveTheNamesThatTypesHaveInObjectFiles) {  // n: __int128, f: float
  const SourceModule module(R"(
__device__ int n = 2;
__device__ float g[3] = {1, 2, 3};
extern "C" __global__ void f(float* out) {
  atomicAdd(&n, 1);
  g[1] += n;
  *out = g[1];
}
)");
  std::vector<float> out(1);
  for (int i = 0; i < 2; ++i) module.get_function("f")({}, Out(out));
  EXPECT_EQ(out[0], 9);
}

TEST(RightKernel, WholeNumbersOfTwoTypesHaveALargerOne) {
  const auto f = kernel_of(
      "__global__ void f(long long* y, int i, unsigned u, short s) {\n"
      "  y[0] = max(1u, 2); y[1] = min(i, u); y[2] = max(s, 5LL); y[3] = INT_MAX; y[4] = max(s, "
      "s);\n"
      "  y[5] = FLT_MAX > 1e38f;\n"
      "}");
  std::vector<long long> y(6);
  f({.block = {1}}, Out(y), -1, 7u, -3);
  EXPECT_THAT(y, testing::ElementsAre(2, 7, 5, 2147483647, -3, 1));  // -1 is unsigned beside 7u
}

// The values are those of scipy.special.
TEST(RightKernel, MayCallFunctionsOfTheNormalDistribution) {
  const auto f = kernel_of(
      "__global__ void f(double* y, float* z) {\n"
      "  y[0] = erfinv(0.5); y[1] = erfinv(1e-10); y[2] = erfcinv(0.1); y[3] = normcdfinv(0.975);\n"
      "  y[4] = normcdfinv(1e-10); y[5] = erfcx(1.0); y[6] = erfcx(30.0); y[7] = erfinv(-0.9);\n"
      "  z[0] = erfinvf(0.5f); z[1] = normcdfinvf(1); z[2] = erfinvf(2); z[3] = erfcinvf(2);\n"
      "}");
  std::vector<double> y(8);
  std::vector<float> z(4);
  f({.block = {1}}, Out(y), Out(z));
  const double wanted[] = {0.47693627620446987338, 8.862269254527580137e-11, 1.1630871536766740867,
                           1.9599639845400542355,  -6.3613409024040562047,   0.42758357615580700442,
                           0.018795888861416754,   -1.1630871536766740867};
  for (std::size_t i = 0; i < y.size(); ++i)
    EXPECT_NEAR(y[i] / wanted[i], 1, 1e-14) << i << ": " << y[i];
  EXPECT_FLOAT_EQ(z[0], 0.476936276F);
  EXPECT_EQ(z[1], INFINITY);
  EXPECT_TRUE(std::isnan(z[2]));
  EXPECT_EQ(z[3], -INFINITY);
}

TEST(RightKernel, MayCallCudasFunctionsOfBitsAndNorms) {
  const auto f = kernel_of(
      "__global__ void f(unsigned long long* y, double* z) {\n"
      "  y[0] = __byte_perm(0x33221100u, 0x77665544u, 0x5410u); y[1] = __brevll(1);\n"
      "  y[2] = __mul64hi(-1, 1); y[3] = __umul64hi(1ull << 63, 2); y[4] = __sad(-3, 4, 5u);\n"
      "  y[5] = __hadd(-3, 4); y[6] = __rhadd(-3, 4); y[7] = __funnelshift_l(0x80000000u, 1u, "
      "1u);\n"
      "  y[8] = __funnelshift_r(1u, 1u, 1u); y[9] = umax(1u, 2u); y[10] = __double2int_rn(2.5);\n"
      "  __nanosleep(10);\n"
      "  z[0] = rcbrt(8.0); z[1] = norm3d(1.0, 2.0, 2.0); z[2] = norm4df(1, 2, 2, 4);\n"
      "  z[3] = rhypotf(3, 4); z[4] = __hiloint2double(__double2hiint(-1.1), "
      "__double2loint(-1.1));\n"
      "  z[5] = fdividef(1, 4) + __frcp_rn(2) + __frsqrt_rn(4) + __dsqrt_rn(9);\n"
      "}");
  std::vector<unsigned long long> y(11);
  std::vector<double> z(6);
  f({.block = {1}}, Out(y), Out(z));
  EXPECT_THAT(
      y, testing::ElementsAre(0x55441100, 1ULL << 63, ~0ULL, 1, 12, 0, 1, 3, 0x80000000, 2, 2));
  EXPECT_THAT(z, testing::ElementsAre(testing::DoubleEq(0.5), testing::DoubleEq(3), 5,
                                      testing::DoubleEq(0.2F), -1.1, 4.25));
}

TEST(RightKernel, SinesOfPiAreExactAtWholeAndHalfNumbers) {
  const auto f = kernel_of(
      "__global__ void f(float* y, double* z, float x) {\n"
      "  y[0] = cospif(x); y[1] = sinpif(x); sincospif(x, y + 2, y + 3); z[0] = cospi((double)x);\n"
      "  z[1] = sinpi((double)x);\n"
      "}");
  for (const auto& [x, sine, cosine] : {std::tuple{0.0F, 0.0F, 1.0F},
                                        {0.5F, 1.0F, 0.0F},
                                        {1.0F, 0.0F, -1.0F},
                                        {-1.5F, 1.0F, 0.0F},
                                        {1e6F + 0.5F, 1.0F, 0.0F},
                                        {16777217.0F, 0.0F, 1.0F}}) {
    std::vector<float> y(4);
    std::vector<double> z(2);
    f({.block = {1}}, Out(y), Out(z), x);
    EXPECT_THAT(y, testing::ElementsAre(cosine, sine, sine, cosine)) << x;
    EXPECT_THAT(z, testing::ElementsAre(cosine, sine)) << x;
  }
  std::vector<float> y(4);
  std::vector<double> z(2);
  f({.block = {1}}, Out(y), Out(z), 1.0F / 3);
  EXPECT_FLOAT_EQ(y[0], 0.5F);
  EXPECT_FLOAT_EQ(y[1], std::sqrt(3.0F) / 2);
}

TEST(RightKernel, TheClockRuns) {
  const auto f = kernel_of(
      "__global__ void f(int* y) { long long d = clock64(); clock_t c = clock();\n"
      "  while (clock() - c < 1000) {} y[0] = clock64() - d >= 1000; }");
  std::vector<int> y(1);
  f({.block = {1}}, Out(y));
  EXPECT_EQ(y[0], 1);
}

TEST(RightKernel, LanesAreMatchedByTheirBits) {
  const auto f = kernel_of(
      "__global__ void f(unsigned* y, const double* x) {\n"
      "  const int i = threadIdx.x;\n"
      "  int equal = 7;\n"
      "  y[i] = __match_any_sync(~0u, x[i]);\n"
      "  y[i + 32] = i < 16 ? __match_any_sync(0xffffu, i % 4) : __match_any_sync(0xffff0000u, "
      "5LL);\n"
      "  y[i + 64] = __match_all_sync(~0u, i / 32, &equal) + 2 * equal;\n"
      "  y[i + 96] = __match_all_sync(~0u, i / 31, &equal) + 2 * equal;\n"
      "}");
  std::vector<double> x(32);
  for (std::size_t i = 0; i < 32; ++i) x[i] = i == 9 ? -0.0 : i % 2 == 0 ? std::nan("") : 0;
  std::vector<unsigned> y(128);
  f({.block = {32}}, Out(y), In(x));
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(y[i], i == 9 ? 1U << 9 : i % 2 == 0 ? 0x55555555U : 0xaaaaaaaaU & ~(1U << 9)) << i;
    EXPECT_EQ(y[i + 32], i < 16 ? 0x1111U << i % 4 : 0xffff0000U) << i;
    EXPECT_EQ(y[i + 64], 1U) << i;  // ~0u + 2
    EXPECT_EQ(y[i + 96], 0U) << i;
  }
}

TEST(RightKernel, ReductionsOfWarpsAreOfTheLanesOfTheMask) {
  const auto f = kernel_of(
      "__global__ void f(int* y, unsigned* z, const int* x) {\n"
      "  const int i = threadIdx.x;\n"
      "  const unsigned u = x[i], mask = i < 8 ? 0xffu : 0xffffff00u;\n"
      "  y[3 * i] = __reduce_add_sync(mask, x[i]);\n"
      "  y[3 * i + 1] = __reduce_min_sync(mask, x[i]);\n"
      "  y[3 * i + 2] = __reduce_max_sync(mask, x[i]);\n"
      "  z[6 * i] = __reduce_add_sync(mask, u);\n"
      "  z[6 * i + 1] = __reduce_min_sync(mask, u);\n"
      "  z[6 * i + 2] = __reduce_max_sync(mask, u);\n"
      "  z[6 * i + 3] = __reduce_and_sync(mask, u);\n"
      "  z[6 * i + 4] = __reduce_or_sync(mask, u);\n"
      "  z[6 * i + 5] = __reduce_xor_sync(mask, u);\n"
      "}");
  std::vector<int> x(32);
  for (int i = 0; i < 32; ++i) x[std::size_t(i)] = (i * 37 % 64 - 30) * (1 << 25) + 3;
  std::vector<int> y(96);
  std::vector<unsigned> z(192);
  f({.block = {32}}, Out(y), Out(z), In(x));
  for (const auto& [first, last] : {std::pair{0U, 8U}, {8U, 32U}}) {
    unsigned add = 0, low = ~0U, high = 0, all = ~0U, any = 0, odd = 0;
    for (unsigned i = first; i < last; ++i) {
      const auto u = static_cast<unsigned>(x[i]);
      add += u, low = std::min(low, u), high = std::max(high, u), all &= u, any |= u, odd ^= u;
    }
    const auto [least, most] = std::minmax_element(x.begin() + first, x.begin() + last);
    for (unsigned i = first; i < last; ++i) {
      EXPECT_THAT(std::vector(y.begin() + 3 * i, y.begin() + 3 * i + 3),
                  testing::ElementsAre(static_cast<int>(add), *least, *most));
      EXPECT_THAT(std::vector(z.begin() + 6 * i, z.begin() + 6 * i + 6),
                  testing::ElementsAre(add, low, high, all, any, odd));
    }
  }
}

TEST(RightKernel, ProductsOfFourBytesAreSignedOrNot) {
  const auto f = kernel_of(
      "__global__ void f(int* y, unsigned* z) {\n"
      "  y[0] = __dp4a((int)0x80ff027fu, 0x7f0103ff, -5);\n"
      "  z[0] = __dp4a(0x80ff027fu, 0x7f0103ffu, 5u);\n"
      "}");
  std::vector<int> y(1);
  std::vector<unsigned> z(1);
  f({.block = {1}}, Out(y), Out(z));
  EXPECT_EQ(y[0], 127 * -1 + 2 * 3 - 1 * 1 - 128 * 127 - 5);
  EXPECT_EQ(z[0], 127U * 255 + 2 * 3 + 255 * 1 + 128 * 127 + 5);
}

TEST(RightKernel, ActiveLanesAreThoseOfTheBranch) {
  const auto f = kernel_of(
      "__global__ void f(unsigned* y) {\n"
      "  const int i = threadIdx.x;\n"
      "  if (i == 50) return;\n"
      "  if (i % 3 == 0) {\n"
      "    const unsigned mask = __activemask();\n"
      "    y[i] = __shfl_sync(mask, i, __ffs(mask) - 1);\n"
      "  } else {\n"
      "    y[i] = __activemask();\n"
      "  }\n"
      "}");
  std::vector<unsigned> y(64);
  f({.block = {64}}, InOut(y));
  unsigned first = 0, second = 0;
  for (unsigned i = 0; i < 32; ++i) {
    first |= unsigned{i % 3 != 0} << i;
    second |= unsigned{(i + 32) % 3 != 0 && i + 32 != 50} << i;
  }
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(y[i], i == 50 ? 0 : i % 3 == 0 ? (i < 32 ? 0 : 33) : (i < 32 ? first : second)) << i;
}

TEST(RightKernel, AnExchangeNeedsNoValueBefore) {
  const auto f = kernel_of(
      "__global__ void f(int* lock, float* y) {\n"
      "  __shared__ float s;\n"
      "  atomicExch(&s, 2.0f); atomicExch(lock, 0); y[0] = s + *lock; }");
  std::vector<int> lock(1);
  std::vector<float> y(1);
  f({.block = {1}}, Out(lock), Out(y));
  EXPECT_EQ(y[0], 2);
}

TEST(RightKernel, TheHeapOutlivesLaunches) {
  const SourceModule module(R"(
struct Node { int value; Node* next; };
__device__ Node* list;
__global__ void make(int n) {
  for (int i = 0; i < n; ++i) {
    Node* const node = i % 2 == 0 ? new Node : (Node*)malloc(sizeof(Node));
    node->value = i;
    node->next = list;
    list = node;
  }
}
__global__ void sum(int* y) {
  y[0] = 0;
  while (list != 0) {
    Node* const next = list->next;
    y[0] += list->value;
    if (list->value % 2 == 0) delete list; else free(list);
    list = next;
  }
  int* const scratch = new int[10];
  for (int i = 0; i < 10; ++i) scratch[i] = i;
  y[0] += scratch[9];
  delete[] scratch;
}
__global__ void room(int* y) {
  y[0] = malloc(100 << 20) == 0;
  for (int i = 0; i < 1000; ++i) free(malloc(1 << 20));
}
)");
  module.get_function("make")({.block = {1}}, 10);
  std::vector<int> y(1);
  module.get_function("sum")({.block = {1}}, Out(y));
  EXPECT_EQ(y[0], 45 + 9);
  module.get_function("room")({.block = {1}}, Out(y));
  EXPECT_EQ(y[0], 1);
}

TEST(WrongKernel, TheHeapsMemoryIsLookedAt) {
  const auto text = [](const std::string& body) {
    return fault([&] { kernel_of("__global__ void f(int n) {" + body + "}")({.block = {1}}, 3); });
  };
  using testing::HasSubstr;
  EXPECT_THAT(text("int* x = new int[3]; x[n] = 1;"),
              HasSubstr("writes memory of malloc[3]; it has 3 elements"));
  EXPECT_THAT(text("int* x = (int*)malloc(12); if (x[n - 1]) x[0] = 1;"),
              HasSubstr("reads memory of malloc[2], which nothing has written"));
  EXPECT_THAT(text("int* x = new int[3]; delete[] x; free(x);"),
              HasSubstr("frees an address that malloc() and new have not returned"));
  EXPECT_THAT(text("int* x = new int[3]; free(x); x[0] = n;"), HasSubstr("out of bounds"));
  EXPECT_THAT(text("while (true) *new double = n;"), HasSubstr("heap is full"));
}

}  // namespace
}  // namespace kernels_test

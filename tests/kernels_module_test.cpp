// Modules, what they refuse, and kernels that are made of an expression.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sys/mman.h>
#include <thread>

#include "cudamat/kernels/reachable.hpp"
#include "npmat/npmat.hpp"
#include "tests/kernels_fixture.hpp"

namespace kernels_test {
namespace {

using cudamat::CUDAMatException;
using cudamat::ElementwiseKernel;
using cudamat::ReductionKernel;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using Matrix = npmat::CUDAMatrix<float>;

template <class F>
std::string refused(const F& call) {
  return refusal<CUDAMatException>(call);
}

constexpr const char* kScale = R"(
__global__ void scale(float* y, const float* x, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = by * x[i];
}
__global__ void whole(long long* a, unsigned char b, bool c) { *a = b + c; }
template <class T> __global__ void generic(T* x) { *x = 1; }
template __global__ void generic<double>(double* x);
)";

// ---- sources ----

TEST(KernelModule, FindsFunctionsByName) {
  const SourceModule module(kScale);
  EXPECT_THAT(module.functions(), ElementsAre("scale", "whole", "generic<double>"));
  const auto scale = module.get_function("scale");
  EXPECT_EQ(scale.name(), "scale");
  ASSERT_EQ(scale.parameters().size(), 4u);
  EXPECT_EQ(scale.parameters()[2].name, "by");
  EXPECT_EQ(scale.parameters()[1].text, "float const*");
  EXPECT_EQ(refused([&] { (void)module.get_function("scala"); }),
            "[SourceModule] there is no kernel 'scala'; the source has scale, whole, "
            "generic<double>");
  EXPECT_THAT(refused([&] { (void)module.get_function("generic<float>"); }),
              HasSubstr("'generic' is a template: get_function knows the instances that the source "
                        "asks for, as `template __global__ void generic<float>(...);` does"));
  std::vector<double> x(1);
  module.get_function("generic<double>")({}, Out(x));
  EXPECT_EQ(x[0], 1.0);
}

TEST(KernelModule, ShowsWhatDoesNotCompile) {
  EXPECT_THAT(refused([] {
                const SourceModule module("__global__ void f(float* x) {\n  x[0] = missing;\n}\n");
              }),
              AllOf(StartsWith("[SourceModule] the source does not compile:\n"),
                    HasSubstr("kernel.cu:2:10: error: "), HasSubstr("    2 |   x[0] = missing;")));
  EXPECT_THAT(refused([] { const SourceModule module("void f(float* x) {}"); }),
              HasSubstr("the source has no kernel: no function is __global__"));
  EXPECT_THAT(refused([] {
                const SourceModule module("int f(); __global__ void k(int* x) { *x = f(); }");
              }),
              HasSubstr("calls what is not there"));
  EXPECT_THAT(
      refused([] { const SourceModule module("__global__ void k() {}", {.flags = {"-O3"}}); }),
      HasSubstr("flags are -DNAME or -DNAME=VALUE; got '-O3'"));
}

TEST(KernelModule, SaysThatThereIsNoCompiler) {
  const char* const before = std::getenv("CXX");
  const std::string kept = before == nullptr ? "" : before;
  setenv("CXX", "no-such-compiler", 1);
  EXPECT_THAT(refused([] { const SourceModule module("__global__ void never_compiled() {}"); }),
              HasSubstr("there is no C++ compiler for kernels on the CPU: 'no-such-compiler' does "
                        "not run; set CXX, or install g++"));
  before == nullptr ? unsetenv("CXX") : setenv("CXX", kept.c_str(), 1);
}

TEST(KernelModule, FailedSourcesMayBeTriedAgain) {
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(refused([] { const SourceModule module("__global__ void f() { error }"); }),
                HasSubstr("error"));
}

// ---- arguments ----

TEST(KernelArguments, OfAnotherNumberOrType) {
  const SourceModule module(kScale);
  const auto scale = module.get_function("scale");
  const auto x = counting(4);
  std::vector<float> y(4);
  std::vector<double> wide(4);
  EXPECT_EQ(refused([&] { scale({}, Out(y), In(x), 2.0F); }),
            "[scale] takes 4 arguments, scale(float* y, float const* x, float by, int n); got 3");
  EXPECT_EQ(refused([&] { scale({}, Out(wide), In(x), 2.0F, 4); }),
            "[scale] argument 1 (y) is a float*: it takes elements of type float; got an array of "
            "double");
  EXPECT_EQ(refused([&] { scale({}, Out(y), 1.0F, 2.0F, 4); }),
            "[scale] argument 2 (x) is a float const*: it takes a matrix, or an array as In, Out "
            "or InOut; got a number of type float");
  EXPECT_EQ(refused([&] { scale({}, Out(y), In(x), In(x), 4); }),
            "[scale] argument 3 (by) is of type float: it takes a number; got an array of float");
  EXPECT_EQ(refused([&] { scale({}, Out(y), In(x), 2.0F, 4.5); }),
            "[scale] argument 4 (n) is of type int, which has no value 4.5");
  EXPECT_EQ(refused([&] { scale({}, Out(y), In(x), 2.0F, std::int64_t{1} << 31); }),
            "[scale] argument 4 (n) is of type int, which has no value 2147483648");
  EXPECT_THAT(refused([&] { scale({}, Out(y), In(x), (1 << 24) + 1, 4); }),
              HasSubstr("argument 3 (by) is of type float, which has no value 16777217"));
  EXPECT_THAT(refused([&] { scale({}, In(x), Out(y), 2.0F, 4); }),
              HasSubstr("through which the kernel cannot write: Out would have no effect"));
  const auto whole = module.get_function("whole");
  std::vector<std::int64_t> a(1);
  whole({}, Out(a), 255, true);
  EXPECT_EQ(a[0], 256);
  for (const int wrong : {256, -1})
    EXPECT_THAT(refused([&] { whole({}, Out(a), wrong, true); }), HasSubstr("unsigned char"));
  EXPECT_THAT(refused([&] { whole({}, Out(a), 1, 2); }), HasSubstr("has no value 2"));
}

TEST(KernelArguments, BlocksAndGrids) {
  const SourceModule module(kScale);
  const auto scale = module.get_function("scale");
  const auto x = counting(4);
  std::vector<float> y(4);
  const auto with = [&](const cudamat::Launch& launch) {
    return refused([&] { scale(launch, Out(y), In(x), 2.0F, 4); });
  };
  EXPECT_EQ(with({.block = {32, 33}}),
            "[scale] block is (32, 33, 1): 1056 threads; a block has at most 1024");
  EXPECT_THAT(with({.block = {0}}), HasSubstr("each extent is at least 1, and at most 1024"));
  EXPECT_THAT(with({.block = {1, 1, 65}}), HasSubstr("1024, 1024, 64"));
  EXPECT_THAT(with({.grid = {1, 65536}}), HasSubstr("2147483647, 65535, 65535"));
  EXPECT_THAT(with({.grid = {std::numeric_limits<std::int64_t>::max()}}), HasSubstr("grid is"));
  EXPECT_THAT(with({.shared_bytes = 49153}), HasSubstr("a block has 49152 bytes"));
  EXPECT_THAT(with({.block = {1024}, .grid = {2147483647, 65535, 65535}}),
              HasSubstr("thread by thread on the CPU there are at most 4294967294"));
}

TEST(KernelArguments, MatricesOfNpmat) {
  const auto scale = SourceModule(kScale).get_function("scale");
  const Matrix x(npmat::HostMatrix<float>{{1, 3, 5}, {2, 4, 6}});
  auto y = Matrix::empty({2, 3});
  scale({.block = {6}}, Out(y), x, 2, 6);
  EXPECT_EQ(y.asarray(), (npmat::HostMatrix<float>{{2, 6, 10}, {4, 8, 12}}));
  scale({.block = {4}}, y.slice(1, 3), x.slice(0, 2), 1, 4);  // views
  EXPECT_EQ(y.asarray(), (npmat::HostMatrix<float>{{2, 1, 3}, {4, 2, 4}}));
  scale({.block = {6}}, y, y, 10, 6);  // in place
  EXPECT_EQ(y.asarray(), (npmat::HostMatrix<float>{{20, 10, 30}, {40, 20, 40}}));
  const npmat::CUDAMatrix<double> wide(npmat::HostMatrix<double>{{1}});
  EXPECT_THAT(refused([&] { scale({}, y, wide, 1, 1); }), HasSubstr("got a matrix of double"));
  EXPECT_THAT(refused([&] { scale({}, y.T(), x, 1, 1); }), HasSubstr("has the transposed flag"));
  EXPECT_THAT(refused([&] { scale({}, x, x, 1, 1); }),
              HasSubstr("the matrix is const or passed as In; declare float const*"));
  EXPECT_THAT(fault([&] { scale({.block = {8}}, y, x, 1, 8); }),
              HasSubstr("reads x[6]; it has 6 elements (2x3)"));
  EXPECT_THAT(fault([&] { scale({.block = {8}}, y.slice(0, 1), x, 1, 6); }),
              HasSubstr("writes y[2]; it has 2 elements (2x1)"));
  const auto shift =
      kernel_of("__global__ void shift(float* x) { x[threadIdx.x] = x[threadIdx.x + 1]; }");
  EXPECT_THAT(fault([&] { shift({.block = {5}}, y); }), HasSubstr("writes x[1] (row 1, column 0)"));
}

TEST(KernelArguments, MatricesThatNothingHasWritten) {
  const SourceModule module(R"(
__global__ void read(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }
)");
  const auto read = module.get_function("read");
  Matrix x = Matrix::empty({2, 2}), y = Matrix::empty({2, 2});
  cudamat::Argument fresh(x);
  fresh.fresh = true;
  EXPECT_THAT(fault([&] {
                read.run({.block = {4}}, {fresh, cudamat::Argument(y)});
              }),
              HasSubstr("reads x[0] (row 0, column 0), which nothing has written"));
}

TEST(KernelArguments, EmptyArrays) {
  const auto scale = SourceModule(kScale).get_function("scale");
  std::vector<float> none;
  scale({}, Out(none), In(none), 1, 0);
  EXPECT_THAT(fault([&] { scale({}, Out(none), In(none), 1, 1); }),
              HasSubstr("reads x[0]; it has 0 elements"));
}

TEST(KernelArguments, NullPointers) {
  const auto f = kernel_of(
      "__global__ void f(float* y, const float* x, float** z, int n) "
      "{ y[0] = x == nullptr && z == nullptr ? 1 : 2; if (n > 0) y[0] = x[0]; }");
  std::vector<float> y(1);
  f({}, Out(y), nullptr, nullptr, 0);
  EXPECT_EQ(y[0], 1);
  EXPECT_THAT(fault([&] { f({}, Out(y), nullptr, nullptr, 1); }), HasSubstr("reads address 0x0"));
  EXPECT_THAT(refused([&] { f({}, Out(y), nullptr, nullptr, nullptr); }),
              HasSubstr("argument 4 (n) is of type int: it takes a number; got a null pointer"));
}

TEST(KernelArguments, WritingToWhatIsToBeReadChangesNothing) {
  const auto f = kernel_of(
      "__global__ void f(float* y, const float* x) { y[0] = 9; const_cast<float*>(x)[0] = 5; }");
  Matrix x = Matrix::zeros({1, 2}), y = Matrix::zeros({1, 2});
  std::vector<float> z(2);
  constexpr const char* kText = "the kernel has written to x, which it was given to read";
  EXPECT_THAT(fault([&] { f({}, y, In(x)); }), HasSubstr(kText));
  EXPECT_THAT(fault([&] { f({}, Out(z), In(x)); }), HasSubstr(kText));
  EXPECT_EQ(y.asarray(), npmat::HostMatrix<float>({{0, 0}}));
  EXPECT_EQ(x.asarray(), npmat::HostMatrix<float>({{0, 0}}));
  EXPECT_THAT(z, ElementsAre(0, 0));
}

// ---- memory whose address was told ----

/// Memory that kernels reach by address.
template <class T>
cudamat::kernels::Reachable told(T* data, std::size_t n, bool written = true) {
  return {reinterpret_cast<std::byte*>(data), n * sizeof(T), written};
}

TEST(ReachableMemory, IsLookedAtWhereItIsToBeRead) {
  const auto f = kernel_of(
      "__global__ void f(float* y, const float* x) { y[0] = 9; const_cast<float*>(x)[0] = 5; }");
  Matrix x = Matrix::zeros({1, 2}), y = Matrix::zeros({1, 2});
  std::vector<cudamat::kernels::Reachable> all{told(x.data(), 2), told(y.data(), 2)};
  std::ranges::sort(all, {}, &cudamat::kernels::Reachable::data);
  const cudamat::kernels::ReachableScope scope(all);
  EXPECT_THAT(fault([&] { f({}, y, In(x)); }),
              HasSubstr("written to x, which it was given to read"));
  EXPECT_EQ(y.asarray(), npmat::HostMatrix<float>({{0, 0}}));
  EXPECT_EQ(x.asarray(), npmat::HostMatrix<float>({{0, 0}}));
  f({}, y, x);
  EXPECT_EQ(x.asarray(), npmat::HostMatrix<float>({{5, 0}}));
}

TEST(ReachableMemory, HoldsValuesOnceAKernelHasWrittenToIt) {
  const auto f = kernel_of("__global__ void f(float** x) { *x[0] = 1; }");
  float one = 0, other = 0;
  std::vector<std::uint64_t> pointers{reinterpret_cast<std::uint64_t>(&one)};
  std::vector<cudamat::kernels::Reachable> all{told(&one, 1, false), told(&other, 1, false),
                                               told(pointers.data(), 1)};
  std::ranges::sort(all, {}, &cudamat::kernels::Reachable::data);
  const cudamat::kernels::ReachableScope scope(all);
  cudamat::Argument x = Out(pointers);
  x.direction = cudamat::Direction::InOut;
  x.untyped = true;
  f.run({}, {x});
  EXPECT_EQ(one, 1);
  for (const cudamat::kernels::Reachable& memory : all)
    EXPECT_EQ(memory.written, memory.data != reinterpret_cast<std::byte*>(&other));
}

TEST(ReachableMemory, KeepsWhatOthersWriteWhileAKernelFails) {
  const auto f = kernel_of(
      "__global__ void f(float** x) { volatile float* a = x[0]; unsigned char* b = (unsigned "
      "char*)(x[0] + 3); b[1] = 9; a[0] = 1; while (a[1] == 0) {} a[4] = 1; }");
  std::vector<float> memory(4);
  std::vector<std::uint64_t> pointers{reinterpret_cast<std::uint64_t>(memory.data())};
  std::thread other([&] {
    while (std::atomic_ref(memory[0]).load() == 0) std::this_thread::yield();
    std::atomic_ref(memory[2]).store(7);
    reinterpret_cast<unsigned char*>(&memory[3])[0] = 5;
    std::atomic_ref(memory[1]).store(1);
  });
  std::vector<cudamat::kernels::Reachable> all{told(memory.data(), 4)};
  const cudamat::kernels::ReachableScope scope(all);
  cudamat::Argument x = InOut(pointers);
  x.untyped = true;
  EXPECT_THAT(fault([&] { f.run({}, {x}); }), HasSubstr("access out of bounds"));
  other.join();
  EXPECT_THAT(std::span(memory).first(3), ElementsAre(0, 1, 7));
  EXPECT_EQ(std::bit_cast<std::uint32_t>(memory[3]), 5u);
}

TEST(ReachableMemory, IsNotCopied) {
  constexpr std::size_t kPage = 4096;
  void* const pages = mmap(nullptr, kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  std::vector<cudamat::kernels::Reachable> all{told(static_cast<std::byte*>(pages), kPage)};
  const cudamat::kernels::ReachableScope scope(all);
  std::vector<float> x(1);
  kernel_of("__global__ void f(float* x) { x[0] = 3; }")({}, Out(x));
  EXPECT_EQ(x[0], 3);
  munmap(pages, kPage);
}

TEST(KernelModule, ServesSeveralThreads) {
  const auto scale = SourceModule(kScale).get_function("scale");
  std::vector<std::thread> threads;
  std::vector<std::vector<float>> results(4, std::vector<float>(100));
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const auto x = counting(100);
      scale({.block = {50}, .grid = {2}}, Out(results[std::size_t(t)]), In(x), t, 100);
    });
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < 4; ++t)
    EXPECT_EQ(results[std::size_t(t)][99], 100.0F * static_cast<float>(t));
}

// ---- of an expression ----

TEST(Elementwise, ScaledSum) {
  const ElementwiseKernel axpy("float a, float *x, float *y, float *z", "z[i] = a*x[i] + y[i]",
                               "axpy");
  auto x = counting(1000), y = counting(1000);
  std::vector<float> z(1000);
  axpy(3, InOut(x), InOut(y), Out(z));
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(z[i], 4.0F * static_cast<float>(i + 1));
  std::vector<float> none;
  axpy(3, InOut(none), InOut(none), Out(none));
  EXPECT_EQ(refused([&] { axpy(3, InOut(x), InOut(y), Out(none)); }),
            "[axpy] arrays must have the same number of elements: x has 1000, z has 0");
  EXPECT_THAT(refused([&] { axpy(3, InOut(x), InOut(y)); }),
              HasSubstr("takes 4 arguments, axpy(float a, float* x, float* y, float* z); got 3"));
  EXPECT_THAT(refused([] { const ElementwiseKernel wrong("float* x", "x[i] = y[i]", "wrong"); }),
              AllOf(HasSubstr("wrong:4:"), HasSubstr("x[i] = y[i]")));
  const ElementwiseKernel next("const float* x, float* y", "y[i] = x[i + 1]", "next");
  EXPECT_THAT(fault([&] { next(In(x), Out(z)); }), HasSubstr("reads x[1000]; it has 1000"));
}

TEST(Elementwise, PreambleComesBeforeTheKernel) {
  const ElementwiseKernel cube("float* x", "x[i] = third(x[i])", "cube", false,
                               "__device__ float third(float v) { return v * v * v; }");
  const ReductionKernel<int> sum("ZERO", "a + b", "x[i]", "const int* x", "sum", false,
                                 "#define ZERO 0");
  ASSERT_EQ(cube.parameters().size(), 1u);
  EXPECT_EQ(cube.parameters()[0].name, "x");
  ASSERT_EQ(sum.parameters().size(), 1u);
  EXPECT_EQ(sum.parameters()[0].text, "int const*");
  auto x = counting(3);
  cube(InOut(x));
  EXPECT_THAT(x, ElementsAre(1, 8, 27));
  EXPECT_EQ(sum(In(counting<int>(100))), 5050);
}

TEST(Elementwise, OverMoreThanAllThreads) {
  const ElementwiseKernel fill("double* x, double value", "x[i] = value");
  auto x = npmat::CUDAMatrix<double>::empty({3, 100});
  fill(x, 2.5);
  EXPECT_EQ(x.total_sum(), 750.0);
}

TEST(Reduction, DotProductAndExtremes) {
  const ReductionKernel<float> dot("0", "a + b", "x[i] * y[i]", "const float* x, const float* y",
                                   "dot");
  const ReductionKernel<int> largest("-2147483648", "a > b ? a : b", "x[i]", "const int* x",
                                     "largest");
  for (const std::size_t n : {0u, 1u, 255u, 256u, 257u, 8192u, 8193u, 20000u}) {
    std::vector<float> x(n), y(n);
    std::vector<int> z(n);
    long double sum = 0;
    int most = std::numeric_limits<int>::min();
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = static_cast<float>(i % 7);
      y[i] = static_cast<float>(i % 5);
      z[i] = static_cast<int>(i * 7919 % 10007);
      sum += static_cast<long double>(x[i]) * static_cast<long double>(y[i]);
      most = std::max(most, z[i]);
    }
    EXPECT_EQ(dot(In(x), In(y)), static_cast<float>(sum)) << n;  // whole numbers below 2^24
    EXPECT_EQ(largest(In(z)), most) << n;
  }
  const std::vector<float> a(3), b(4);
  EXPECT_THAT(refused([&] { (void)dot(In(a), In(b)); }),
              HasSubstr("[dot] arrays must have the same number of elements: x has 3, y has 4"));
}

TEST(Reduction, IsAsAccurateAsPairwise) {
  const ReductionKernel<float> sum("0.0f", "a + b", "x[i]", "const float* x", "sum");
  const std::vector<float> x(100'000, 0.1F);
  const double exact = 100'000 * static_cast<double>(0.1F);
  // 100,000 terms in turn are off by 8e-3; pairwise by a few times 2^-24.
  EXPECT_NEAR(sum(In(x)), exact, exact * 0x1p-21);
}

}  // namespace
}  // namespace kernels_test

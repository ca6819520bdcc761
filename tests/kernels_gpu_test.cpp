// Users' kernels as on a GPU: compiled by (a stand-in for) NVRTC, queued on the stream of matrices.
#include <bit>

#include "cudamat/cudamat.hpp"
#include "cudamat/kernels/reachable.hpp"
#include "cudamat/simt/simt.hpp"
#include "npmat/npmat.hpp"
#include "tests/kernels_fixture.hpp"

namespace kernels_test {
namespace {

using cudamat::CUDAMatException;
using testing::HasSubstr;
using Matrix = cudamat::CUDAMatrix<float>;
using Host = cudamat::HostMatrix<float>;

constexpr const char* kScale = R"(
__global__ void scale(float* y, const float* x, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = by * x[i] + OFFSET;
}
__global__ void count(int* total) { atomicAdd(total, 1); }
)";

class KernelOnGpu : public testing::Test {
 protected:
  const SourceModule module_{kScale, {.check = false, .flags = {"-DOFFSET=1"}, .name = "scale.cu"}};
};

TEST_F(KernelOnGpu, RunsThere) {
  EXPECT_STREQ(cudamat::kernels_run_on(), "the GPU");
  const std::int64_t before = simt::launches();
  const Matrix x(Host{{1, 3, 5}, {2, 4, 6}});
  auto y = Matrix::empty({2, 3});
  module_.get_function("scale")({.block = {4}, .grid = {2}}, Out(y), x, 2, 6);
  EXPECT_EQ(simt::launches(), before + 1);
  EXPECT_EQ(y.asarray(), (Host{{3, 7, 11}, {5, 9, 13}}));
}

TEST_F(KernelOnGpu, CopiesArraysOfTheHost) {
  const auto x = counting(100);
  std::vector<float> y(100);
  module_.get_function("scale")({.block = {64}, .grid = {2}}, Out(y), In(x), -1.0, 100);
  EXPECT_EQ(y[99], -99.0F);
  std::vector<int> total{5};
  module_.get_function("count")({.block = {33}, .grid = {2, 2}}, InOut(total));
  EXPECT_EQ(total[0], 5 + 132);
  std::vector<float> none;
  module_.get_function("scale")({}, Out(none), In(none), 1, 0);
}

TEST_F(KernelOnGpu, KnowsItsParameters) {
  const auto scale = module_.get_function("scale");
  ASSERT_EQ(scale.parameters().size(), 4u);
  EXPECT_EQ(scale.parameters()[1].text, "float const*");
  EXPECT_EQ(scale.parameters()[1].name, "x");
  EXPECT_THAT(
      refusal<CUDAMatException>([&] { scale({}, 1, 2); }),
      HasSubstr("[scale] takes 4 arguments, scale(float* y, float const* x, float by, int n)"));
}

TEST_F(KernelOnGpu, IsCheckedOnTheCpuWhereAsked) {
  const SourceModule checked(kScale, {.check = true, .flags = {"-DOFFSET=0"}, .name = "scale.cu"});
  const std::int64_t before = simt::launches();
  const Matrix x(Host{{1, 3, 5}, {2, 4, 6}});
  auto y = Matrix::zeros({2, 3});
  const auto scale = checked.get_function("scale");
  EXPECT_THAT(fault([&] { scale({.block = {8}}, y, x, 2, 7); }),
              HasSubstr("scale.cu:4: thread (6,0,0) of block (0,0,0) reads x[6]; it has 6 elements "
                        "(2x3)"));
  EXPECT_EQ(y.asarray(), Host(cudamat::Shape{2, 3}));
  scale({.block = {8}}, y, x, 2, 6);
  EXPECT_EQ(y.asarray(), (Host{{2, 6, 10}, {4, 8, 12}}));
  EXPECT_EQ(simt::launches(), before + 1) << "zeros() alone";
}

TEST_F(KernelOnGpu, PartsOfAMatrixAreCopiedWithoutTheirNeighbours) {
  const SourceModule checked("__global__ void f(unsigned char* x) { x[0] += 1; }",
                             {.check = true, .flags = {}, .name = "kernel.cu"});
  Matrix x(Host{{0, 0}});
  cudamat::Argument part(x);
  part.data = static_cast<std::byte*>(part.data) + 5;
  part.size = 1;
  part.type = cudamat::Scalar::UInt8;
  part.shape = {};
  cudamat::kernels::copy_exact_bytes(part);
  unsigned char copy[4] = {0, 77, 77, 77};
  part.to_host(part.data, copy, 1);
  EXPECT_THAT(copy, testing::ElementsAre(0, 77, 77, 77));
  copy[0] = 1;
  part.to_device(copy, part.data, 1);
  checked.get_function("f").run({}, {part});
  EXPECT_EQ(std::bit_cast<std::uint32_t>(x.asarray()(0, 1)), 0x200u);
}

TEST_F(KernelOnGpu, TakesNullPointers) {
  const auto f =
      kernel_of("__global__ void f(float* y, const float* x) { y[0] = x == nullptr ? 1 : 2; }");
  std::vector<float> y(1);
  f({}, Out(y), nullptr);
  EXPECT_EQ(y[0], 1);
}

TEST_F(KernelOnGpu, OfWhichProgramsAskHowFastItIs) {
  EXPECT_GT(cudamat::cuda::multiprocessors(), 0);
  EXPECT_GT(cudamat::cuda::clock_rate(), 0);
}

TEST_F(KernelOnGpu, MatricesOfBothEnginesMeetNowhere) {
  const npmat::CUDAMatrix<float> x(Host{{1}});
  auto y = Matrix::zeros({1, 1});
  EXPECT_THAT(refusal<CUDAMatException>([&] { module_.get_function("scale")({}, y, x, 2, 1); }),
              HasSubstr("[scale] takes matrices of one engine; got "));
}

TEST_F(KernelOnGpu, ThoseOfNpmatRunOnTheCpu) {
  const npmat::CUDAMatrix<float> x(Host{{1, 2}});
  auto y = npmat::CUDAMatrix<float>::zeros({1, 2});
  const std::int64_t before = simt::launches();
  module_.get_function("scale")({.block = {2}}, y, x, 2, 2);
  EXPECT_EQ(y.asarray(), (Host{{3, 5}}));
  EXPECT_EQ(simt::launches(), before);
}

TEST_F(KernelOnGpu, ShowsWhatDoesNotCompile) {
  EXPECT_THAT(refusal<CUDAMatException>([] {
                const SourceModule module("__global__ void f(float* x) {\n  x[0] = missing;\n}\n");
              }),
              testing::AllOf(HasSubstr("[SourceModule] the source does not compile:"),
                             HasSubstr("missing")));
}

TEST_F(KernelOnGpu, EveryFailureIsAnExceptionAndGivesBack) {
  const auto x = counting(10);
  std::vector<float> y(10);
  const auto scale = module_.get_function("scale");
  scale({.block = {10}}, Out(y), In(x), 1, 10);
  const auto at_rest = simt::leaks();
  for (std::int64_t n = 1;; ++n) {
    const std::int64_t before = simt::calls();
    simt::fail_call(n);
    try {
      scale({.block = {10}}, Out(y), In(x), 1, 10);
    } catch (const CUDAMatException&) {
    }
    simt::fail_call(0);
    if (simt::calls() - before < n) break;
    EXPECT_EQ(simt::leaks(), at_rest) << simt::failed_call();
  }
}

}  // namespace
}  // namespace kernels_test

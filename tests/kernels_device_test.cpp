// Users' kernels on a GPU. Skipped, visibly, where there is none.
#include "cudamat/cudamat.hpp"
#include "tests/kernels_fixture.hpp"

namespace kernels_test {
namespace {

class KernelOnDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (cudamat::cuda::device_count() == 0) GTEST_SKIP() << cudamat::cuda::describe_device();
  }
};

TEST_F(KernelOnDevice, MatricesArraysAndNumbers) {
  const auto scale = kernel_of(R"(#include <math.h>
namespace mine {
__global__ void scale(float* y, const float* x, float by, long long n) {
  extern __shared__ float s[];
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  if (i < n) y[i] = fmaxf(by * s[threadIdx.x], -1e30f);
}
})");
  const auto x = counting(1000);
  std::vector<float> y(1000);
  const cudamat::Launch launch{.block = {128}, .grid = {8}, .shared_bytes = 512};
  scale(launch, Out(y), In(x), 3, 1000);
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(y[i], 3 * static_cast<float>(i + 1));
  auto z = cudamat::CUDAMatrix<float>::zeros({40, 25});
  scale(launch, z, In(x), 2, 1000);
  EXPECT_EQ(z.asarray()(39, 24), 2000.0F);
}

TEST_F(KernelOnDevice, Expressions) {
  const cudamat::ElementwiseKernel axpy("double a, double* x, const double* y", "x[i] += a * y[i]");
  const cudamat::ReductionKernel<double> sum("0", "a + b", "x[i]", "const double* x");
  auto x = counting<double>(100'000);
  const std::vector<double> y = x;
  axpy(0.5, InOut(x), In(y));
  EXPECT_EQ(sum(In(x)), 1.5 * 100'000 * 100'001 / 2);
}

}  // namespace
}  // namespace kernels_test

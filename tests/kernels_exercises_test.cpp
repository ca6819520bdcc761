// The exercises of the tutorial on PyCUDA: a kernel on a matrix of 20 x 10, the product of two
// matrices element by element, two results from one kernel, and operands with strides.
#include "npmat/npmat.hpp"
#include "tests/kernels_fixture.hpp"

namespace kernels_test {
namespace {

using Host = npmat::HostMatrix<float>;
using Matrix = npmat::CUDAMatrix<float>;

Host numbers(cudamat::Index rows, cudamat::Index cols, float start) {
  Host host(cudamat::Shape{rows, cols});
  for (cudamat::Index i = 0; i < rows; ++i)
    for (cudamat::Index j = 0; j < cols; ++j) host(i, j) = start + static_cast<float>(i * cols + j);
  return host;
}

TEST(Exercise, AKernelOn20x10) {
  const auto multiply_them = kernel_of(R"(
__global__ void multiply_them(float *dest, float *a, float *b)
{
  const int i = threadIdx.x + threadIdx.y * blockDim.x;
  dest[i] = a[i] * b[i];
}
)");
  Matrix a(numbers(20, 10, 1)), b(numbers(20, 10, 5)), dest = Matrix::empty({20, 10});
  multiply_them({.block = {20, 10}}, Out(dest), a, b);
  for (cudamat::Index i = 0; i < 20; ++i)
    for (cudamat::Index j = 0; j < 10; ++j)
      ASSERT_EQ(dest.asarray()(i, j),
                static_cast<float>(i * 10 + j + 1) * static_cast<float>(i * 10 + j + 5));
}

TEST(Exercise, DoubledByTheOpOfTheTutorial) {
  const auto my_fct = kernel_of(R"(
__global__ void my_fct(float * i0, float * o0, int size) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if(i<size){
    o0[i] = i0[i]*2;
  }
})");
  Matrix x(Host{{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}});
  Matrix z = Matrix::empty({4, 5});
  my_fct({.block = {512}, .grid = {(x.size() + 511) / 512}}, x, Out(z), x.size());
  EXPECT_THAT(std::vector<float>(z.asarray().values().begin(), z.asarray().values().end()),
              testing::Each(2.0F));
}

TEST(Exercise, TwoResultsFromOneKernel) {
  const cudamat::ElementwiseKernel both(
      "const float* x, const float* y, float* sum, float* difference",
      "sum[i] = x[i] + y[i]; difference[i] = x[i] - y[i]", "both");
  const Matrix x(numbers(20, 10, 1)), y(numbers(20, 10, -7));
  Matrix sum = Matrix::empty({20, 10}), difference = Matrix::empty({20, 10});
  both(x, y, Out(sum), Out(difference));
  for (cudamat::Index i = 0; i < 20; ++i)
    for (cudamat::Index j = 0; j < 10; ++j) {
      ASSERT_EQ(sum.asarray()(i, j), static_cast<float>(2 * (i * 10 + j) - 6));
      ASSERT_EQ(difference.asarray()(i, j), 8.0F);
    }
}

TEST(Exercise, ProductOfTwoMatrices) {
  const auto product = kernel_of(R"(
__global__ void product(const float* x, const float* y, float* z, int rows, int inner, int cols) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows || j >= cols) return;
  float sum = 0;
  for (int k = 0; k < inner; ++k) sum += x[i + rows * k] * y[k + inner * j];
  z[i + rows * j] = sum;
})");
  const Matrix x(numbers(20, 10, 1)), y(numbers(10, 6, 3));
  Matrix z = Matrix::empty({20, 6});
  product({.block = {8, 4}, .grid = {3, 2}}, x, y, Out(z), x.rows(), x.cols(), y.cols());
  for (cudamat::Index i = 0; i < 20; ++i)
    for (cudamat::Index j = 0; j < 6; ++j) {
      long double sum = 0;
      for (cudamat::Index k = 0; k < 10; ++k)
        sum += static_cast<long double>(i * 10 + k + 1) * static_cast<long double>(k * 6 + j + 3);
      ASSERT_EQ(z.asarray()(i, j), static_cast<float>(sum));
    }
}

/// Every other row of x, without a copy: the kernel is told the strides.
TEST(Exercise, OperandsWithStrides) {
  const auto twice = kernel_of(R"(
__global__ void twice(const float* x, long long row_step, long long col_step, float* y, int rows, int cols) {
  const int i = threadIdx.x, j = threadIdx.y;
  if (i < rows && j < cols) y[i + rows * j] = 2 * x[i * row_step + j * col_step];
})");
  const Matrix x(numbers(20, 10, 1));
  Matrix y = Matrix::empty({10, 10});
  twice({.block = {16, 16}}, x, 2, x.rows(), Out(y), 10, 10);
  for (cudamat::Index i = 0; i < 10; ++i)
    for (cudamat::Index j = 0; j < 10; ++j)
      ASSERT_EQ(y.asarray()(i, j), 2 * static_cast<float>(2 * i * 10 + j + 1));
}

}  // namespace
}  // namespace kernels_test

// How many calls of CUDA and its libraries a statement makes, once everything is there: each is
// time of the host. On the execution on the CPU, which counts them.
#include <cuda_runtime.h>
#include <gmock/gmock.h>

#include "cudamat/cudamat.hpp"
#include "cudamat/simt/simt.hpp"

namespace {

using cudamat::HostMatrix;
using cudamat::Shape;
namespace cuda = cudamat::cuda;
using Matrix = cudamat::CUDAMatrix<float>;

template <class F>
std::int64_t calls_of(const F& statement) {
  statement();
  const std::int64_t before = simt::calls();
  statement();
  return simt::calls() - before;
}

TEST(CudaCalls, OfAStatementAreALookAtTheDeviceAndALaunch) {
  Matrix a(HostMatrix<float>({64, 64}, 1.0f)), b(HostMatrix<float>({64, 64}, 2.0f));
  Matrix column = Matrix::zeros({64, 1}), row = Matrix::zeros({1, 64}), one = Matrix::zeros({1, 1});
  EXPECT_EQ(calls_of([&] { a.add(b); }), 2);
  EXPECT_EQ(calls_of([&] { a.mult(0.5f); }), 2);
  EXPECT_EQ(calls_of([&] { a.assign(1.0f); }), 2);
  EXPECT_EQ(calls_of([&] { a.add_col_vec(column); }), 2);
  EXPECT_EQ(calls_of([&] { a.sum(0, row); }), 2);
  EXPECT_EQ(calls_of([&] { a.max(1, column); }), 2);
  EXPECT_EQ(calls_of([&] { a.argmax(0, row); }), 2);
  EXPECT_EQ(calls_of([&] { a.total_sum(one); }), 2);
  EXPECT_EQ(calls_of([&] { a.transpose(b); }), 2);
  EXPECT_EQ(calls_of([&] { a.fill_with_rand(); }), 2);
  EXPECT_EQ(calls_of([&] { a.fill_with_randn(); }), 2);
}

TEST(CudaCalls, OfAProductSetItsArithmeticOnlyWhereItChanges) {
  Matrix a(HostMatrix<float>({8, 8}, 1.0f)), b(a.copy()), c(a.copy());
  const auto product = [&] { cudamat::dot(a, b, c); };
  EXPECT_EQ(calls_of(product), 2);
  testing::internal::CaptureStderr();
  cuda::set_tf32(true);
  const std::int64_t before = simt::calls();
  product();
  EXPECT_EQ(simt::calls() - before, 3);
  EXPECT_EQ(calls_of(product), 2);
  cuda::set_tf32(false);
  testing::internal::GetCapturedStderr();
  product();
  EXPECT_EQ(calls_of(product), 2);
  cudamat::shutdown();  // a new handle begins with IEEE float32
  product();
  EXPECT_EQ(calls_of(product), 2);
}

TEST(CudaCalls, FindTheirDeviceWhereOthersHaveMadeAnotherOneCurrent) {
  Matrix a(HostMatrix<float>({50, 3}, 1.0f));
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  a.add(1.0f);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  a.fill_with_rand();
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  const Matrix b = Matrix::zeros({50, 3});
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  a.assign(b).add(2.0f);
  EXPECT_EQ(a.asarray(), HostMatrix<float>({50, 3}, 2.0f));
}

}  // namespace

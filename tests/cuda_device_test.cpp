// Devices, contexts and memory of the CUDA engine, on a GPU and on the execution on the CPU alike.
#include <cmath>
#include <gmock/gmock.h>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "cudamat/cudamat.hpp"

namespace {

using cudamat::HostMatrix;
using cudamat::Index;
using cudamat::Shape;
using testing::HasSubstr;
using testing::ThrowsMessage;
namespace cuda = cudamat::cuda;
using Matrix = cudamat::CUDAMatrix<float>;

HostMatrix<float> counting(Shape shape) {
  HostMatrix<float> host(shape);
  std::iota(host.data(), host.data() + shape.size(), 1.0f);
  return host;
}

double sum_of_counting(Index n) {
  return static_cast<double>(n) * static_cast<double>(n + 1) / 2;
}

TEST(CudaDevice, IsDescribed) {
  EXPECT_GE(cuda::device_count(), 1);
  EXPECT_THAT(cuda::describe_device(), HasSubstr("compute capability"));
  EXPECT_NO_THROW(cuda::require_device());
}

TEST(CudaDevice, RefusesNumbersThatNoDeviceHas) {
  for (const int device : {-1, cuda::device_count()})
    EXPECT_THAT([&] { cuda::cuda_set_device(device); },
                ThrowsMessage<cudamat::CUDAMatException>(HasSubstr("there is no device")));
  EXPECT_THAT([] { const cuda::Context context(1000); },
              ThrowsMessage<cudamat::CUDAMatException>(HasSubstr("there is no device 1000")));
  EXPECT_EQ(cuda::current_device(), 0);
}

TEST(CudaDevice, OneOfSeveralIsChosenByNumber) {
  const int last = cuda::device_count() - 1;
  std::thread([last] {  // the choice is the thread's
    cuda::cuda_set_device(last);
    EXPECT_EQ(cuda::current_device(), last);
    Matrix a(counting({3, 4}));
    EXPECT_EQ(a.sum(1).asarray()(0, 0), 1 + 4 + 7 + 10);
  })
      .join();
  EXPECT_EQ(cuda::current_device(), 0);
}

TEST(CudaShutdown, LeavesMatricesValidInAnyOrder) {
  Matrix before(counting({100, 100}));
  cudamat::shutdown();
  cudamat::shutdown();
  EXPECT_EQ(before.asarray(), counting({100, 100}));
  Matrix after = cudamat::dot(before, before.T());
  cudamat::init();
  cudamat::shutdown();
  EXPECT_EQ(after.shape(), (Shape{100, 100}));
  before = Matrix();
  cudamat::shutdown();
  EXPECT_GT(after.asarray()(0, 0), 0);
}

TEST(CudaShutdown, StartsTheStreamOfRandomNumbersAnew) {
  Matrix::init_random(5);
  const HostMatrix<float> first = Matrix::randn({7, 3}).asarray();
  cudamat::shutdown();
  EXPECT_EQ(Matrix::randn({7, 3}).asarray(), first);
}

TEST(CudaTransfer, KeepsEveryByteOfLargeMatrices) {
  // More than two pieces of staging memory, and not a whole number of them.
  for (const Shape shape : {Shape{1, 3'500'001}, {70'001, 33}}) {
    Matrix a(counting(shape));
    EXPECT_EQ(a.asarray(), counting(shape));
  }
}

TEST(CudaTransfer, ReadsTheHostBeforeItReturns) {
  for (const Index n : {Index{100}, Index{2'000'000}}) {
    HostMatrix<float> host = counting({n, 1});
    Matrix a(host);
    for (Index i = 0; i < n; ++i) host.data()[i] = -1;
    EXPECT_EQ(a.asarray(), counting({n, 1})) << n;
  }
}

TEST(CudaMemory, IsCounted) {
  const std::int64_t before = cuda::memory_in_use();
  {
    const Matrix a = Matrix::empty({1000, 3});
    EXPECT_EQ(cuda::memory_in_use() - before, 12000);
    const Matrix view = a.slice(0, 1);
    EXPECT_EQ(cuda::memory_in_use() - before, 12000);
  }
  EXPECT_EQ(cuda::memory_in_use(), before);
}

TEST(CudaMemory, OfFreedMatricesIsKeptUntilItIsReleased) {
  constexpr std::int64_t kBytes = std::int64_t{64} << 20;
  cuda::release_cached_memory();
  const std::int64_t kept = cuda::cached_memory();
  (void)Matrix::empty({kBytes / 4, 1});
  EXPECT_GE(cuda::cached_memory(), kBytes);
  const std::int64_t free = cuda::free_memory();
  cuda::release_cached_memory();
  EXPECT_LE(cuda::cached_memory(), kept);
  EXPECT_GE(cuda::free_memory(), free + kBytes);
}

TEST(CudaMemory, KeepsToItsLimit) {
  const std::int64_t before = cuda::memory_in_use();
  cuda::set_memory_limit(before + 4000);
  EXPECT_EQ(cuda::memory_limit(), before + 4000);
  std::optional<Matrix> fits = Matrix::empty({500, 2});
  EXPECT_THAT(
      [] {
        Matrix::empty({1, 1});
      },
      ThrowsMessage<cudamat::OutOfMemory>(HasSubstr("cannot allocate 4 bytes")));
  fits->assign(2.0f);  // the program goes on
  EXPECT_EQ(fits->asarray()(499, 1), 2.0f);
  fits.reset();
  EXPECT_NO_THROW(Matrix::empty({1000, 1}));
  EXPECT_THROW(cuda::set_memory_limit(-1), cudamat::CUDAMatException);
  cuda::set_memory_limit(0);
  EXPECT_NO_THROW(Matrix::empty({2000, 1}));
}

TEST(CudaMemory, RefusesMoreThanTheDeviceHas) {
  EXPECT_THAT(
      [] {
        Matrix::empty({Index{1} << 40, 1});
      },
      ThrowsMessage<cudamat::OutOfMemory>(HasSubstr("cannot allocate 4398046511104 bytes")));
  EXPECT_THROW(Matrix::empty({Index{1} << 61, 2}), cudamat::OutOfMemory);
  Matrix a(counting({2, 2}));
  EXPECT_EQ(a.asarray(), counting({2, 2}));
}

TEST(CudaThreads, ShareTheDefaultContext) {
  // Made here, changed there, read here: one stream orders all of it.
  Matrix a(counting({300, 50}));
  std::thread([&a] { a.add(1.0f); }).join();
  Matrix b = Matrix::empty({300, 50});
  a.subtract(1.0f, b);
  EXPECT_EQ(b.asarray(), counting({300, 50}));
}

TEST(CudaThreads, MayEachUseAContextOfTheirOwn) {
  std::vector<double> sums(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < sums.size(); ++t)
    threads.emplace_back([t, &sums] {
      const cuda::Context context;
      const cuda::Context::Scope scope(context);
      const auto n = static_cast<Index>(10 * (t + 1));
      Matrix a(counting({n, n}));
      for (int i = 0; i < 20; ++i) {
        Matrix square = cudamat::dot(a, a.T());
        square.fill_with_rand();
        a.add(1.0f).subtract(1.0f);
      }
      sums[t] = static_cast<double>(a.total_sum());
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < sums.size(); ++t) {
    const auto n = static_cast<Index>(10 * (t + 1));
    EXPECT_EQ(sums[t], sum_of_counting(n * n));
  }
}

TEST(CudaContext, MatricesOutliveIt) {
  std::optional<Matrix> made;
  {
    const cuda::Context context;
    const cuda::Context::Scope scope(context);
    made.emplace(counting({20, 20}));
    made->mult(2.0f);
    cudamat::cuda_sync_threads();
  }
  made->mult(0.5f);
  EXPECT_EQ(made->asarray(), counting({20, 20}));
}

TEST(CudaContext, MayDropMatricesOfAnotherOneWhileItReadsThem) {
  const cuda::Context context;
  std::optional<Matrix> made(counting({300, 50}));
  cudamat::cuda_sync_threads();
  const cuda::Context::Scope scope(context);
  Matrix copy = Matrix::empty({300, 50});
  copy.assign(*made).add(1.0f);
  made.reset();  // its memory is used again only when the copy is made
  const Matrix other(HostMatrix<float>({300, 50}, -7.0f));
  copy.subtract(1.0f);
  EXPECT_EQ(copy.asarray(), counting({300, 50}));
}

TEST(CudaContext, HasAStreamOfRandomNumbersOfItsOwn) {
  Matrix::init_random(3);
  const HostMatrix<float> first = Matrix::randn({1, 4}).asarray();
  const HostMatrix<float> second = Matrix::randn({1, 4}).asarray();
  Matrix::init_random(3);
  EXPECT_EQ(Matrix::randn({1, 4}).asarray(), first);
  {
    const cuda::Context context;
    const cuda::Context::Scope scope(context);
    EXPECT_THROW(cuda::cuda_set_device(0), cudamat::CUDAMatException);
    Matrix::init_random(8);
    EXPECT_NE(Matrix::randn({1, 4}).asarray(), first);
  }
  EXPECT_EQ(Matrix::randn({1, 4}).asarray(), second);
}

/// op(a, b) of corresponding elements, each IEEE's to the bit.
template <class T, class Engine, class Exact>
void expect_exact(const std::vector<T>& a, const std::vector<T>& b, Engine op, Exact exact) {
  const auto n = static_cast<Index>(a.size());
  HostMatrix<T> left({n, 1}), right({n, 1});
  std::copy(a.begin(), a.end(), left.data());
  std::copy(b.begin(), b.end(), right.data());
  cudamat::CUDAMatrix<T> x(left), y(right);
  op(x, y);
  const HostMatrix<T>& got = x.asarray();
  for (Index i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    ASSERT_EQ(got(i, 0), exact(a[k], b[k])) << a[k] << " and " << b[k];
  }
}

template <class T>
class CudaExact : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaExact, Types);

// What nvcc's -use_fast_math, or one of -ftz=true, -prec-div=false, -prec-sqrt=false and
// -fmad=true, would change.
TYPED_TEST(CudaExact, QuotientsRootsAndProductsAreIeees) {
  using T = TypeParam;
  using M = cudamat::CUDAMatrix<T>;
  std::mt19937_64 random(11);
  std::vector<T> a, b;
  for (int i = 0; i < 5000; ++i) {
    const int exponent = static_cast<int>(random() % 60) - 30;
    a.push_back(std::ldexp(T(1) + T(random() >> 11) * T(0x1p-53), exponent));
    b.push_back(T(1) + T(random() >> 11) * T(0x1p-53));
  }
  // The host's own division and root are IEEE's (no -ffast-math: cudamat/host_device.hpp).
  expect_exact<T>(
      a, b, [](M& x, const M& y) { x.divide(y); }, [](T x, T y) { return x / y; });
  expect_exact<T>(
      a, b, [](M& x, const M&) { x.sqrt(); }, [](T x, T) { return std::sqrt(x); });
  expect_exact<T>(
      a, b, [](M& x, const M&) { x.reciprocal(); }, [](T x, T) { return T(1) / x; });
}

TYPED_TEST(CudaExact, SubnormalNumbersAreKept) {
  using T = TypeParam;
  using M = cudamat::CUDAMatrix<T>;
  const T least = std::numeric_limits<T>::denorm_min(), small = std::numeric_limits<T>::min();
  const std::vector<T> a{small, 3 * least, small, 8 * least}, b{T(4), T(1), small / 2, T(2)};
  expect_exact<T>(
      a, b, [](M& x, const M& y) { x.divide(y); }, [](T x, T y) { return x / y; });
  expect_exact<T>(
      a, b, [](M& x, const M&) { x.mult(T(0.5)); }, [](T x, T) { return x / 2; });
  expect_exact<T>(
      a, b, [](M& x, const M& y) { x.subtract(y).add(y); }, [](T x, T y) { return x - y + y; });
  EXPECT_EQ(M(HostMatrix<T>({1, 2}, least)).sum(1).asarray()(0, 0), 2 * least);
}

TYPED_TEST(CudaExact, AProductIsRoundedBeforeItIsAdded) {
  using T = TypeParam;
  // (1 + e)^2 = 1 + 2e + e^2, and e^2 is at most half a unit in the last place.
  const T factor = T(1) + (sizeof(T) == sizeof(float) ? T(0x1p-12) : T(0x1p-27));
  const T square = factor * factor;  // rounded: -ffp-contract=off
  cudamat::CUDAMatrix<T> sum(HostMatrix<T>({40, 3}, -square));
  sum.add_mult(cudamat::CUDAMatrix<T>(HostMatrix<T>({40, 3}, factor)), factor);
  EXPECT_EQ(sum.asarray(), HostMatrix<T>({40, 3}, T(0)));
}

TEST(CudaArithmetic, Tf32IsOffAndSaysWhenItIsTurnedOn) {
  EXPECT_FALSE(cuda::tf32());
  testing::internal::CaptureStderr();
  cuda::set_tf32(true);
  cuda::set_tf32(true);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "cudamat: float32 products round their operands to TF32 (10 bits of mantissa)\n");
  EXPECT_TRUE(cuda::tf32());
  testing::internal::CaptureStderr();
  cuda::set_tf32(false);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "cudamat: float32 products are IEEE float32\n");
  // 1 + 2^-20 is lost in TF32; in IEEE float32 the product is exact.
  HostMatrix<float> one({1, 1}, 1.0f + 0x1p-20f);
  Matrix a(one);
  EXPECT_EQ(cudamat::dot(a, Matrix(HostMatrix<float>({1, 1}, 1.0f))).asarray(), one);
}

}  // namespace

// The CUDA engine beside others who use CUDA in the same process: what is theirs stays as they left
// it. On the execution on the CPU.
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <gmock/gmock.h>

#include "cudamat/cudamat.hpp"
#include "cudamat/simt/simt.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

namespace {

int at_exit_entries = 0;

}  // namespace

#ifndef SANITIZED  // their runtimes have one of their own
/// Every std::atexit arrives here, with no argument.
extern "C" int __cxa_atexit(void (*function)(void*), void* argument, void* object) {
  static auto* const real =
      reinterpret_cast<decltype(&__cxa_atexit)>(dlsym(RTLD_NEXT, "__cxa_atexit"));
  if (argument == nullptr) ++at_exit_entries;
  return real(function, argument, object);
}
#endif

namespace {

using cudamat::HostMatrix;
using cudamat::Shape;
namespace cuda = cudamat::cuda;
using Matrix = cudamat::CUDAMatrix<float>;

std::uint64_t attribute(cudaMemPool_t pool, cudaMemPoolAttr which) {
  std::uint64_t value = 0;
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, which, &value), cudaSuccess);
  return value;
}

TEST(CudaNeighbours, DefaultPoolIsLeftAsItIs) {
  constexpr std::size_t kTheirs = std::size_t{1} << 20;
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  std::uint64_t threshold = 4 * kTheirs;
  ASSERT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold),
            cudaSuccess);
  void* theirs = nullptr;
  ASSERT_EQ(cudaMallocAsync(&theirs, kTheirs, nullptr), cudaSuccess);
  {
    Matrix a(HostMatrix<float>(Shape{1000, 1000}, 2.0f));
    EXPECT_EQ(a.total_sum(), 2e6f);
    EXPECT_EQ(attribute(pool, cudaMemPoolAttrUsedMemCurrent), kTheirs);
  }
  EXPECT_GE(cuda::cached_memory(), 4'000'000);
  ASSERT_EQ(cudaFreeAsync(theirs, nullptr), cudaSuccess);
  const std::uint64_t reserved = attribute(pool, cudaMemPoolAttrReservedMemCurrent);
  EXPECT_GT(reserved, 0u);
  cuda::release_cached_memory();
  cudamat::shutdown();
  EXPECT_EQ(cuda::cached_memory(), 0);
  EXPECT_EQ(attribute(pool, cudaMemPoolAttrReservedMemCurrent), reserved);
  EXPECT_EQ(attribute(pool, cudaMemPoolAttrReleaseThreshold), threshold);
}

TEST(CudaNeighbours, APoolThatCannotBeMadeIsMadeLater) {
  const HostMatrix<float> ones(Shape{20, 5}, 1.0f);
  std::int64_t n = 0;
  for (bool made = false; !made;) {
    simt::fail_call(++n);
    try {
      const cuda::Context context(1);  // the first of the device
      made = true;
    } catch (const cudamat::CUDAMatException&) {
      EXPECT_NE(simt::failed_call(), "");
    }
  }
  simt::fail_call(0);
  EXPECT_GT(n, 5);
  const cuda::Context context(1);
  const cuda::Context::Scope scope(context);
  EXPECT_EQ(Matrix(ones).asarray(), ones);
}

/// Something of each library.
void use_handles() {
  const cuda::Context context;
  const cuda::Context::Scope scope(context);
  Matrix a(HostMatrix<float>{{2, 0}, {0, 4}});
  Matrix product = cudamat::dot(a, a), inverse = Matrix::empty({2, 2});
  cudamat::inv(a, inverse);
  cuda::draw_with_curand(true);
  inverse.fill_with_randn();
  cuda::draw_with_curand(false);
}

TEST(CudaNeighbours, HandlesAddNothingMoreToDoAtTheEndOfTheProgram) {
#ifdef SANITIZED
  GTEST_SKIP() << "the sanitizer's runtime has the function that this counts calls of";
#endif
  const int at_start = at_exit_entries;
  use_handles();
  EXPECT_GT(at_exit_entries, at_start);
  const int in_use = at_exit_entries;
  for (int i = 0; i < 5; ++i) use_handles();
  EXPECT_EQ(at_exit_entries, in_use);
}

TEST(CudaNeighbours, WorkOnTheirStreamsIsOrderedByEvents) {
  // simt ends the program where it is not.
  const HostMatrix<float> ones(Shape{100, 100}, 1.0f);
  cudaStream_t theirs = nullptr;
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);  // of whatever ran before
  ASSERT_EQ(cudaStreamCreateWithFlags(&theirs, cudaStreamNonBlocking), cudaSuccess);
  Matrix a(ones);
  a.add(1.0f);
  cuda::Event ready, written;
  ready.record();
  ready.wait_on(theirs);
  ASSERT_EQ(cudaMemsetAsync(a.data(), 0, 4 * 5000, theirs), cudaSuccess);
  written.record_on(theirs);
  written.wait();
  a.add(3.0f);
  // Ours is a stream like any other.
  ASSERT_EQ(cudaMemsetAsync(a.data(), 0, 4 * 100, cuda::stream()), cudaSuccess);
  const HostMatrix<float>& host = a.asarray();
  EXPECT_EQ(host(99, 0), 0.0f);
  EXPECT_EQ(host(0, 1), 3.0f);
  EXPECT_EQ(host(99, 99), 5.0f);
  EXPECT_EQ(cudaStreamDestroy(theirs), cudaSuccess);
}

}  // namespace

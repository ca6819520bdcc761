// The stand-in for the runtime does what NVIDIA's manuals say of the real one.
#include <cublas_v2.h>
#include <thread>

#include "tests/simt_fixture.hpp"
#include "tests/simt_test_kernels.hpp"

namespace simt_test {
namespace {

using SimtDevices = Simt;
using SimtMemoryCalls = Simt;
using SimtLaunch = Simt;
using SimtEvents = Simt;

// ---- devices and errors ----

TEST_F(SimtDevices, AreTwo) {
  int count = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 2);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  int device = -1;
  ASSERT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 1);
  std::thread([&] { EXPECT_EQ(cudaGetDevice(&device), cudaSuccess); }).join();
  EXPECT_EQ(device, 0) << "each thread of the host has its own current device";
  EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
  cudaDeviceProp properties{};
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 1), cudaSuccess);
  EXPECT_EQ(properties.major, 9);
  EXPECT_EQ(properties.totalGlobalMem, std::size_t{4} << 30);
  int value = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 1), cudaSuccess);
  EXPECT_EQ(value, properties.multiProcessorCount);
  simt::set_compute_capability(6, 1);
  ASSERT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
  EXPECT_EQ(value, 6);
}

TEST_F(SimtDevices, MayBeMissing) {
  simt::set_devices(0);
  int count = -1;
  void* memory = nullptr;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(cudaMalloc(&memory, 4), cudaErrorNoDevice);
  cublasHandle_t handle = nullptr;
  EXPECT_EQ(cublasCreate(&handle), CUBLAS_STATUS_NOT_INITIALIZED);
  simt::set_devices(2);
  simt::set_driver_version(12080);
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorInsufficientDriver);
  int version = 0;
  EXPECT_EQ(cudaDriverGetVersion(&version), cudaSuccess);
  EXPECT_EQ(version, 12080);
}

TEST_F(SimtDevices, LastErrorIsTheThreadsOwnAndIsClearedByReading) {
  EXPECT_EQ(cudaSetDevice(7), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  std::thread([] { EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess); }).join();
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidDevice), "cudaErrorInvalidDevice");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
}

// ---- memory ----

TEST_F(SimtMemoryCalls, CopiesInAllDirections) {
  const Device<float> a(counting(6));
  const Device<float> b(6);
  ASSERT_EQ(cudaMemcpyAsync(b, a, 24, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(b.values(), counting(6));
  std::vector<float> host(6);
  ASSERT_EQ(cudaMemcpy(host.data(), b, 24, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(host, counting(6));
  // 2 x 3 of the 3 x 3 whose columns are 3 apart.
  const Device<float> c(std::vector<float>(9, 0.0F));
  ASSERT_EQ(cudaMemcpy2DAsync(c + 1, 12, a, 8, 8, 3, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(c.values(), (std::vector<float>{0, 1, 2, 0, 3, 4, 0, 5, 6}));
  ASSERT_EQ(cudaMemsetAsync(a, 0, 20), cudaSuccess);
  EXPECT_EQ(a.values(), (std::vector<float>{0, 0, 0, 0, 0, 6}));
}

TEST_F(SimtMemoryCalls, RefuseWhatTheRealOnesRefuse) {
  const Device<float> a(6);
  std::vector<float> host(6);
  EXPECT_EQ(cudaMemcpy(a, host.data(), 24, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), host.data() + 3, 12, cudaMemcpyDeviceToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2DAsync(a, 8, host.data(), 4, 8, 1, cudaMemcpyHostToDevice),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaFree(host.data()), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(a + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(a), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(a, a + 1, 0, cudaMemcpyDeviceToDevice), cudaSuccess);
}

TEST_F(SimtMemoryCalls, MemoryIsLimited) {
  simt::set_memory(1000);
  void* first = nullptr;
  void* second = nullptr;
  ASSERT_EQ(cudaMallocAsync(&first, 600, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMallocAsync(&second, 401, nullptr), cudaErrorMemoryAllocation);
  EXPECT_EQ(second, nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&second, 1000), cudaSuccess) << "each device has its own";
  ASSERT_EQ(cudaFree(second), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  ASSERT_EQ(cudaFree(first), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&first, 1000), cudaSuccess);
  ASSERT_EQ(cudaFree(first), cudaSuccess);
}

TEST_F(SimtMemoryCalls, PoolKeepsMemoryUpToItsThreshold) {
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  ASSERT_EQ(cudaMemPoolTrimTo(pool, 0), cudaSuccess);
  const auto attribute = [&](cudaMemPoolAttr attr) {
    std::uint64_t value = 0;
    EXPECT_EQ(cudaMemPoolGetAttribute(pool, attr, &value), cudaSuccess);
    return value;
  };
  const auto free_bytes = [] {
    std::size_t free = 0;
    std::size_t total = 0;
    EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    return free;
  };
  const std::size_t all = free_bytes();
  std::uint64_t threshold = 300;
  ASSERT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold),
            cudaSuccess);
  void* memory = nullptr;
  ASSERT_EQ(cudaMallocFromPoolAsync(&memory, 800, pool, nullptr), cudaSuccess);
  EXPECT_EQ(attribute(cudaMemPoolAttrUsedMemCurrent), 800u);
  ASSERT_EQ(cudaFreeAsync(memory, nullptr), cudaSuccess);
  EXPECT_EQ(attribute(cudaMemPoolAttrUsedMemCurrent), 0u);
  EXPECT_EQ(attribute(cudaMemPoolAttrReservedMemCurrent), 800u);
  EXPECT_EQ(free_bytes(), all - 800);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(attribute(cudaMemPoolAttrReservedMemCurrent), 300u);
  ASSERT_EQ(cudaMemPoolTrimTo(pool, 100), cudaSuccess);
  EXPECT_EQ(free_bytes(), all - 100);
  ASSERT_EQ(cudaMemPoolTrimTo(pool, 0), cudaSuccess);
  EXPECT_EQ(attribute(cudaMemPoolAttrReservedMemCurrent), 0u);
  threshold = 0;
  ASSERT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold),
            cudaSuccess);
}

TEST_F(SimtMemoryCalls, PointersKnowWhoseTheyAre) {
  const Device<float> a(6);
  float host = 0;
  float* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 4), cudaSuccess);
  const auto type_of = [](const void* pointer) {
    cudaPointerAttributes attributes{};
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, pointer), cudaSuccess);
    return attributes.type;
  };
  EXPECT_EQ(type_of(a + 5), cudaMemoryTypeDevice);
  EXPECT_EQ(type_of(a + 6), cudaMemoryTypeUnregistered);
  EXPECT_EQ(type_of(pinned), cudaMemoryTypeHost);
  EXPECT_EQ(type_of(&host), cudaMemoryTypeUnregistered);
  ASSERT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

// ---- launches, streams and events ----

TEST_F(SimtLaunch, RefusesBadConfigurations) {
  const Device<int> out(1);
  const auto status = [&](dim3 blocks, dim3 threads, std::size_t shared) {
    return run("bad", blocks, threads, shared, nullptr, intrinsics, out);
  };
  EXPECT_EQ(status(0, 32, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(status(1, 0, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(status(1, 1025, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(status(1, dim3(32, 33), 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(status(1, dim3(1, 1, 65), 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(status(0x80000000u, 1, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(status(dim3(1, 65536), 1, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(status(1, 32, (48 << 10) + 1), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
}

TEST_F(SimtLaunch, RefusesAStreamOfAnotherDevice) {
  const Device<float> a(64);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(run("other", 1, 64, 0, stream, double_values, a, 64), cudaErrorInvalidResourceHandle);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(run("same", 1, 64, 0, stream, double_values, a, 64), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(run("gone", 1, 64, 0, stream, double_values, a, 64), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
}

TEST_F(SimtLaunch, ThreadsOfTheHostLaunchAtOnce) {
  const auto sums = [](float first) {
    const Device<float> a(std::vector<float>(256, first));
    const Device<float> out(1);
    cudaStream_t stream = nullptr;
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    for (int i = 0; i < 50; ++i)
      EXPECT_EQ(run("block_sum", 1, 256, 32, stream, block_sum, a, out, 256), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(out.values()[0], 256 * first);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  };
  std::thread other(sums, 2.0F);
  sums(3.0F);
  other.join();
}

TEST_F(SimtEvents, MeasureTime) {
  cudaEvent_t start = nullptr;
  cudaEvent_t end = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&start, cudaEventDefault), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&end, cudaEventDefault), cudaSuccess);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorInvalidResourceHandle);
  simt::set_streams(simt::Streams::kLazy);
  ASSERT_EQ(cudaEventRecord(start), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(end), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorNotReady);
  ASSERT_EQ(cudaEventSynchronize(end), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
  EXPECT_GE(milliseconds, 0);
  ASSERT_EQ(cudaEventDestroy(start), cudaSuccess);
  ASSERT_EQ(cudaEventDestroy(end), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(end), cudaErrorInvalidResourceHandle);
}

}  // namespace
}  // namespace simt_test

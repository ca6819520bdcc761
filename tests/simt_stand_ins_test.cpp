// Stand-ins for what the CUDA engine calls besides the runtime's basics: pools that programs make,
// questions to events, CUB's radix sorts and selections.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <vector>

#include "tests/simt_fixture.hpp"

namespace simt_test {
namespace {

using SimtPools = Simt;
using SimtEventQuery = Simt;
using SimtRadixSort = Simt;
using SimtSelect = Simt;

cudaMemPoolProps properties_of(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, device};
  return properties;
}

TEST_F(SimtPools, MadeByProgramsShareTheDevicesMemory) {
  simt::set_memory(10'000);
  cudaMemPool_t pool = nullptr, usual = nullptr;
  const cudaMemPoolProps properties = properties_of(0);
  ASSERT_EQ(cudaMemPoolCreate(&pool, &properties), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&usual, 0), cudaSuccess);
  EXPECT_NE(pool, usual);
  std::uint64_t all = ~std::uint64_t{0};
  ASSERT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), cudaSuccess);
  void *ours = nullptr, *theirs = nullptr;
  ASSERT_EQ(cudaMallocFromPoolAsync(&ours, 6000, pool, nullptr), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(ours, nullptr), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(cudaMallocAsync(&theirs, 6000, nullptr), cudaErrorMemoryAllocation)
      << "what one pool keeps, another one cannot have";
  ASSERT_EQ(cudaMallocFromPoolAsync(&ours, 6000, pool, nullptr), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(ours, nullptr), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  ASSERT_EQ(cudaMemPoolTrimTo(pool, 0), cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(&theirs, 6000, nullptr), cudaSuccess);
  ASSERT_EQ(cudaFree(theirs), cudaSuccess);
  EXPECT_EQ(cudaMemPoolDestroy(usual), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPoolDestroy(pool), cudaSuccess);
  EXPECT_EQ(cudaMallocFromPoolAsync(&ours, 8, pool, nullptr), cudaErrorInvalidValue);
  const cudaMemPoolProps nowhere = properties_of(7);
  EXPECT_EQ(cudaMemPoolCreate(&pool, &nowhere), cudaErrorInvalidDevice);
  simt::set_memory(std::size_t{4} << 30);
}

TEST_F(SimtEventQuery, SaysWhetherTheWorkBeforeItIsDone) {
  simt::set_streams(simt::Streams::kLazy);
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess) << "never recorded";
  ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  ASSERT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaErrorInvalidResourceHandle);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  simt::set_streams(simt::Streams::kEager);
}

template <class T>
std::vector<T> contents(const T* data, std::size_t n) {
  std::vector<T> values(n);
  EXPECT_EQ(cudaMemcpy(values.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
  return values;
}

TEST_F(SimtRadixSort, SortsPairsStablyIntoOneOfTheBuffers) {
  const std::vector<std::uint32_t> keys{5, 0xffffffff, 1, 5, 0, 1, 7};
  for (const std::size_t n : {keys.size(), keys.size() - 1}) {
    const Device<std::uint32_t> some(std::vector(keys.begin(), keys.begin() + std::ptrdiff_t(n)));
    const Device<std::uint32_t> others(std::vector<std::uint32_t>(n, 0));
    const Device<float> first(std::vector<float>{0, 1, 2, 3, 4, 5, 6});
    const Device<float> second(std::vector<float>(7, -1));
    cub::DoubleBuffer<std::uint32_t> sorted(some, others);
    cub::DoubleBuffer<float> places(first, second);
    std::size_t bytes = 0;
    const auto sort = [&](void* memory, int bits = 32) {
      return cub::DeviceRadixSort::SortPairs(memory, bytes, sorted, places, n, 0, bits, nullptr);
    };
    EXPECT_EQ(sort(nullptr, 33), cudaErrorNotSupported);
    ASSERT_EQ(sort(nullptr), cudaSuccess);
    ASSERT_GT(bytes, 0u);
    const Device<char> memory(bytes);
    ASSERT_EQ(sort(memory), cudaSuccess);
    std::vector<std::uint32_t> wanted{0, 1, 1, 5, 5, 7, 0xffffffff};
    std::vector<float> wanted_places{4, 2, 5, 0, 3, 6, 1};
    if (n < keys.size()) {  // without the 7
      wanted.erase(wanted.begin() + 5);
      wanted_places.erase(wanted_places.begin() + 5);
    }
    EXPECT_EQ(contents(sorted.Current(), n), wanted);
    EXPECT_EQ(contents(places.Current(), n), wanted_places);
  }
}

TEST_F(SimtRadixSort, LooksAtTheBitsThatItIsToldOf) {
  const Device<std::uint32_t> some(std::vector<std::uint32_t>{9, 6, 8, 4, 2});
  const Device<std::uint32_t> others(std::vector<std::uint32_t>(5, 0));
  cub::DoubleBuffer<std::uint32_t> keys(some, others);
  std::size_t bytes = 0;
  ASSERT_EQ(cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys, 5, 0, 2, nullptr), cudaSuccess);
  const Device<char> memory(bytes);
  ASSERT_EQ(cub::DeviceRadixSort::SortKeys(memory, bytes, keys, 5, 0, 2, nullptr), cudaSuccess);
  EXPECT_EQ(contents(keys.Current(), 5), (std::vector<std::uint32_t>{8, 4, 9, 6, 2}));
}

TEST_F(SimtSelect, KeepsTheOrderAndWritesNoMore) {
  const Device<unsigned char> flags(std::vector<unsigned char>{0, 1, 0, 0, 2, 1});
  const Device<float> from(std::vector<float>{0, 1, 2, 3, 4, 5}), to(std::vector<float>(6, -1));
  const Device<std::int64_t> count(std::vector<std::int64_t>{-1}),
      places(std::vector<std::int64_t>(6, -1));
  std::size_t bytes = 0;
  const auto select = [&](void* memory, std::int64_t n) {
    return cub::DeviceSelect::Flagged(memory, bytes, static_cast<const float*>(from), flags,
                                      static_cast<float*>(to), count, n, nullptr);
  };
  ASSERT_EQ(select(nullptr, 6), cudaSuccess);
  const Device<char> memory(bytes);
  ASSERT_EQ(select(memory, 6), cudaSuccess);
  EXPECT_EQ(contents<float>(to, 6), (std::vector<float>{1, 4, 5, -1, -1, -1}));
  EXPECT_EQ(contents<std::int64_t>(count, 1), std::vector<std::int64_t>{3});
  ASSERT_EQ(
      cub::DeviceSelect::Flagged(memory, bytes, thrust::counting_iterator<std::int64_t>(0), flags,
                                 static_cast<std::int64_t*>(places), count, 5, nullptr),
      cudaSuccess);
  EXPECT_EQ(contents<std::int64_t>(places, 6), (std::vector<std::int64_t>{1, 4, -1, -1, -1, -1}));
  EXPECT_EQ(contents<std::int64_t>(count, 1), std::vector<std::int64_t>{2});
  bytes = 1;
  EXPECT_EQ(select(memory, 6), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace simt_test

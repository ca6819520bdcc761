// The order of streams between cudamat and another library, whose calls are the runtime's: the
// execution on the CPU ends a program in which nothing orders two uses of memory.
#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cudamat/cuda/exchange.hpp"
#include "cudamat/cudamat.hpp"
#include "cudamat/simt/simt.hpp"
#include "tests/exchange_peer.hpp"

namespace {

using cudamat::copyif;
using testing::Each;
using testing::HasSubstr;
using testing::ThrowsMessage;
using M = cudamat::CUDAMatrix<float>;
using Versioned = peer::DLManagedTensorVersioned;

constexpr std::size_t kCount = 64;
constexpr std::size_t kBytes = kCount * sizeof(float);

/// Another library, with a stream and pinned memory of its own. In streams that run when somebody
/// waits for them, what is not ordered shows in the values, too.
class CudaExchangeStreams : public testing::Test {
 protected:
  CudaExchangeStreams() {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    simt::set_streams(simt::Streams::kLazy);
    EXPECT_EQ(cudaStreamCreateWithFlags(&theirs_, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaMallocHost(&host_, kBytes), cudaSuccess);
    std::fill_n(host_, kCount, 0.0F);
  }
  ~CudaExchangeStreams() override {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    if (theirs_ != nullptr) {
      EXPECT_EQ(cudaStreamDestroy(theirs_), cudaSuccess);
    }
    EXPECT_EQ(cudaFreeHost(host_), cudaSuccess);
    simt::set_streams(simt::Streams::kEager);
  }

  [[nodiscard]] cudamat::StreamNumber number() const {
    return reinterpret_cast<cudamat::StreamNumber>(theirs_);
  }
  /// The other library reads.
  void read(const void* data, cudaStream_t stream) {
    EXPECT_EQ(cudaMemcpyAsync(host_, data, kBytes, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  }
  [[nodiscard]] std::vector<float> values() const { return {host_, host_ + kCount}; }

  cudaStream_t theirs_ = nullptr;
  float* host_ = nullptr;
};
using CudaExchangeStreamsDeathTest = CudaExchangeStreams;

M ones() {
  M x = M::empty({kCount, 1});
  x.assign(1);
  return x;
}

TEST_F(CudaExchangeStreams, AConsumersStreamComesAfterWhatIsQueued) {
  const M x = ones();
  for (const cudaStream_t stream : {theirs_, cudaStreamPerThread, cudaStreamLegacy}) {
    std::fill_n(host_, kCount, 0.0F);
    const auto tensor =
        cudamat::to_dlpack(x, copyif::no, reinterpret_cast<cudamat::StreamNumber>(stream));
    read(peer::first(peer::seen<Versioned>(tensor.get())->dl_tensor), stream);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_THAT(values(), Each(1));
  }
  const auto unsaid = cudamat::to_dlpack(x);  // the legacy stream
  read(x.data(), nullptr);
}

TEST_F(CudaExchangeStreamsDeathTest, WithoutOrderIsFound) {
  const M x = ones();
  const auto tensor = cudamat::to_dlpack(x, copyif::no, cudamat::kNoOrder);
  EXPECT_DEATH(read(x.data(), theirs_), "nothing orders the two");
}

TEST_F(CudaExchangeStreams, TheConsumerMayWriteAndWhatComesAfterItsEndComesLater) {
  for (const bool legacy : {false, true}) {
    M x = ones();
    const cudaStream_t stream = legacy ? nullptr : theirs_;
    auto tensor = cudamat::to_dlpack(x, copyif::no, legacy ? cudamat::kLegacyStream : number());
    const auto* const data = peer::first(peer::seen<Versioned>(tensor.get())->dl_tensor);
    read(data, stream);
    tensor = nullptr;  // the consumer has queued its last use, and waited for nothing
    x.assign(2);
    M later = std::move(x);
    later.free_device_memory();  // in stream order: the next one gets the memory
    M next = ones();
    EXPECT_EQ(next.total_sum(), kCount);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_THAT(values(), Each(1));
  }
}

TEST_F(CudaExchangeStreams, TheConsumersStreamMayBeGoneWhenItsTensorEnds) {
  M x = ones();
  auto tensor = cudamat::to_dlpack(x, copyif::no, number());
  read(x.data(), theirs_);
  EXPECT_EQ(cudaStreamDestroy(std::exchange(theirs_, nullptr)), cudaSuccess);
  tensor = nullptr;
  x.assign(2);
  EXPECT_THAT(values(), Each(1));
}

TEST_F(CudaExchangeStreams, AProducersMemoryIsFreedAfterWhatWeQueued) {
  void* memory = nullptr;
  EXPECT_EQ(cudaMallocAsync(&memory, kBytes, theirs_), cudaSuccess);
  // The producer does what __dlpack__(stream=ours) asks for.
  const auto ours = reinterpret_cast<cudaStream_t>(*cudamat::stream_for<M>());
  cudaEvent_t ready = nullptr;
  EXPECT_EQ(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(ready, theirs_), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(ours, ready), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(ready), cudaSuccess);
  peer::Producer<Versioned> producer(
      {.data = memory, .shape = {kCount, 1}, .device = {peer::kDLCUDA, 0}},
      [&] { EXPECT_EQ(cudaFreeAsync(memory, theirs_), cudaSuccess); });
  M sum = M::empty({1, 1});
  {
    M x = cudamat::from_dlpack<M>(producer.as<cudamat::dlpack::ManagedTensorVersioned>());
    x.assign(3);
    x.sum(0, sum);
  }
  EXPECT_EQ(producer.deleted(), 1);
  EXPECT_EQ(sum.asarray()(0, 0), 3 * kCount);
}

TEST_F(CudaExchangeStreams, WhatAnInterfaceDescribesIsUsedAfterItsStream) {
  float* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, kBytes), cudaSuccess);
  std::fill_n(host_, kCount, 5.0F);
  EXPECT_EQ(cudaMemcpyAsync(memory, host_, kBytes, cudaMemcpyHostToDevice, theirs_), cudaSuccess);
  const cudamat::CudaArrayInterface array{.shape = {kCount},
                                          .typestr = "<f4",
                                          .data = reinterpret_cast<std::uintptr_t>(memory),
                                          .stream = number()};
  {
    M x = cudamat::from_cuda_array_interface<M>(array);
    EXPECT_EQ(x.total_sum(), 5 * kCount);
    // And the other way round: the consumer waits for the stream that is named.
    x.mult(2);
    const cudamat::CudaArrayInterface out = cudamat::cuda_array_interface(x);
    const auto ours = reinterpret_cast<cudaStream_t>(*out.stream);
    cudaEvent_t ready = nullptr;
    EXPECT_EQ(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(ready, ours), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(theirs_, ready), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(ready), cudaSuccess);
    read(reinterpret_cast<void*>(out.data), theirs_);
    EXPECT_EQ(cudaStreamSynchronize(theirs_), cudaSuccess);
    EXPECT_THAT(values(), Each(10));
  }
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(CudaExchangeStreams, PinnedMemoryIsCopied) {
  std::fill_n(host_, kCount, 4.0F);
  peer::Producer<Versioned> producer(
      {.data = host_, .shape = {kCount}, .device = {peer::kDLCUDAHost, 0}});
  auto* const tensor = producer.as<cudamat::dlpack::ManagedTensorVersioned>();
  EXPECT_THAT([&] { (void)cudamat::from_dlpack<M>(tensor); },
              ThrowsMessage<cudamat::CUDAMatException>(HasSubstr("pinned memory")));
  M x = cudamat::from_dlpack<M>(tensor, copyif::yes);
  EXPECT_EQ(producer.deleted(), 1);
  EXPECT_EQ(x.total_sum(), 4 * kCount);
}

TEST_F(CudaExchangeStreams, MemoryOfAnotherDeviceIsRefused) {
  simt::set_devices(2);
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, kBytes), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  peer::Producer<Versioned> producer(
      {.data = memory, .shape = {kCount}, .device = {peer::kDLCUDA, 1}});
  EXPECT_THAT(
      [&] {
        (void)cudamat::from_dlpack<M>(producer.as<cudamat::dlpack::ManagedTensorVersioned>(),
                                      copyif::yes);
      },
      ThrowsMessage<cudamat::CUDAMatException>(HasSubstr("cuda_set_device(1)")));
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(CudaExchangeStreams, ACallThatFailsTakesNothing) {
  M memory = ones();
  int failures = 0;
  for (int call = 1;; ++call) {
    peer::Producer<Versioned> producer({.data = memory.data(),
                                        .shape = {kCount / 2},
                                        .strides = {2},
                                        .device = {peer::kDLCUDA, 0}});
    const std::int64_t before = simt::calls();
    simt::fail_call(call);
    try {
      const M x = cudamat::from_dlpack<M>(producer.as<cudamat::dlpack::ManagedTensorVersioned>(),
                                          copyif::yes);
      EXPECT_EQ(producer.deleted(), 1);
    } catch (const cudamat::CUDAMatException&) {
      ++failures;
      EXPECT_EQ(producer.deleted(), 0);
    }
    const bool reached = simt::calls() - before >= call;
    simt::fail_call(0);
    (void)cudaGetLastError();
    if (!reached) break;
  }
  EXPECT_GT(failures, 2);
}

}  // namespace

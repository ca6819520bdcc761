// Captures of streams: what a graph does when it is launched, and what a capture refuses.
#include <cublas_v2.h>
#include <curand.h>
#include <functional>
#include <thread>

#include "tests/simt_fixture.hpp"
#include "tests/simt_test_kernels.hpp"

namespace simt_test {
namespace {

constexpr std::size_t kBytes = 32 * sizeof(float);

class SimtGraph : public Simt {
 protected:
  SimtGraph() {
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking), cudaSuccess);
  }
  ~SimtGraph() override {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(other_), cudaSuccess);
  }

  void begin() const {
    EXPECT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  }
  [[nodiscard]] cudaGraphExec_t end(std::size_t nodes) const {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    std::size_t count = 0;
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
    EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &count), cudaSuccess);
    EXPECT_EQ(count, nodes);
    EXPECT_EQ(cudaGraphInstantiate(&exec, graph), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    return exec;
  }
  void add(const float* from, float* to) const {
    EXPECT_EQ(run("add_one", 1, 32, 0, stream_, add_one, from, to, 32), cudaSuccess);
  }

  cudaStream_t stream_ = nullptr;
  cudaStream_t other_ = nullptr;
  Device<float> a_{counting(32)}, b_{counting(32)};
};
using SimtGraphDeathTest = SimtGraph;

TEST_F(SimtGraph, WhatIsCapturedIsDoneAtEachLaunch) {
  for (const auto streams : {simt::Streams::kEager, simt::Streams::kLazy}) {
    simt::set_streams(streams);
    const std::vector<float> before = a_.values();
    const std::int64_t launches = simt::launches();
    begin();
    add(a_, a_);
    EXPECT_EQ(cudaMemcpyAsync(b_, a_, kBytes, cudaMemcpyDeviceToDevice, stream_), cudaSuccess);
    add(b_, b_);
    cudaGraphExec_t const exec = end(3);
    EXPECT_EQ(a_.values(), before);
    EXPECT_EQ(simt::launches(), launches);
    for (int k = 0; k < 2; ++k) EXPECT_EQ(cudaGraphLaunch(exec, stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(exec, other_), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(other_), cudaSuccess);
    EXPECT_EQ(a_.values()[0], before[0] + 3);
    EXPECT_EQ(b_.values()[0], before[0] + 4);
    EXPECT_EQ(simt::launches(), launches + 6);
    EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  }
}

TEST_F(SimtGraph, PinnedMemoryIsReadAtTheLaunch) {
  float* pinned = nullptr;
  EXPECT_EQ(cudaMallocHost(&pinned, kBytes), cudaSuccess);
  begin();
  EXPECT_EQ(cudaMemcpyAsync(a_, pinned, kBytes, cudaMemcpyHostToDevice, stream_), cudaSuccess);
  cudaGraphExec_t const exec = end(1);
  for (const float value : {5.0F, 6.0F}) {
    std::fill_n(pinned, 32, value);
    EXPECT_EQ(cudaGraphLaunch(exec, stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    EXPECT_EQ(a_.values()[31], value);
  }
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST_F(SimtGraphDeathTest, LaunchesAreOrderedAsOtherWorks) {
  begin();
  add(a_, a_);
  cudaGraphExec_t const exec = end(1);
  EXPECT_EQ(cudaGraphLaunch(exec, stream_), cudaSuccess);
  EXPECT_DEATH((void)cudaGraphLaunch(exec, other_), "nothing orders the two");
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
}

TEST_F(SimtGraph, WhatWaitsOrAllocatesEndsACapture) {
  float host[32] = {};
  void* memory = nullptr;
  cublasHandle_t blas = nullptr;
  curandGenerator_t random = nullptr;
  cudaEvent_t event = nullptr;
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, other_), cudaSuccess);
  const std::vector<std::pair<const char*, std::function<cudaError_t()>>> calls{
      {"cudaStreamSynchronize", [&] { return cudaStreamSynchronize(stream_); }},
      {"cudaDeviceSynchronize", [&] { return cudaDeviceSynchronize(); }},
      {"cudaMalloc", [&] { return cudaMalloc(&memory, 4); }},
      {"cudaMallocAsync", [&] { return cudaMallocAsync(&memory, 4, stream_); }},
      {"cudaMallocHost", [&] { return cudaMallocHost(&memory, 4); }},
      {"cudaMemcpy", [&] { return cudaMemcpy(host, a_, kBytes, cudaMemcpyDeviceToHost); }},
      {"to pageable memory",
       [&] { return cudaMemcpyAsync(host, a_, kBytes, cudaMemcpyDeviceToHost, stream_); }},
      {"from pageable memory",
       [&] { return cudaMemcpyAsync(a_, host, kBytes, cudaMemcpyHostToDevice, stream_); }},
      {"cudaEventRecord", [&] { return cudaEventRecord(event, stream_); }},
      {"cudaStreamWaitEvent", [&] { return cudaStreamWaitEvent(stream_, event); }},
      {"a new stream", [&] { return cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking); }},
      {"the legacy stream",
       [&] { return cudaMemcpyAsync(b_, a_, kBytes, cudaMemcpyDeviceToDevice, nullptr); }},
      {"cublasCreate",
       [&] { return cublasCreate(&blas) == 0 ? cudaSuccess : cudaErrorStreamCaptureUnsupported; }},
      {"curandCreateGenerator",
       [&] {
         return curandCreateGenerator(&random, CURAND_RNG_PSEUDO_PHILOX4_32_10) == 0
                    ? cudaSuccess
                    : cudaErrorStreamCaptureUnsupported;
       }},
  };
  for (const auto& [name, call] : calls) {
    begin();
    const cudaError_t error = call();
    EXPECT_TRUE(error == cudaErrorStreamCaptureUnsupported ||
                error == cudaErrorStreamCaptureImplicit)
        << name << ": " << cudaGetErrorName(error);
    EXPECT_EQ(run("add_one", 1, 32, 0, stream_, add_one, a_, b_, 32),
              cudaErrorStreamCaptureInvalidated)
        << name;
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated) << name;
    EXPECT_EQ(graph, nullptr);
    (void)cudaGetLastError();
  }
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  begin();  // and a new one begins
  add(a_, b_);
  EXPECT_EQ(cudaGraphExecDestroy(end(1)), cudaSuccess);
}

TEST_F(SimtGraph, OtherStreamsAndThreadsAreNotConcerned) {
  begin();
  add(a_, a_);
  std::thread([&] {
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, 4), cudaSuccess);
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
    EXPECT_EQ(run("add_one", 1, 32, 0, stream_, add_one, b_, b_, 32),
              cudaErrorStreamCaptureWrongThread);
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureWrongThread);
  }).join();
  EXPECT_EQ(cudaStreamSynchronize(other_), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(end(1)), cudaSuccess);
}

TEST_F(SimtGraph, AllocationsElsewhereNeedARelaxedThread) {
  void* memory = nullptr;
  auto exchange = [mode = cudaStreamCaptureModeRelaxed]() mutable {
    EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  };
  begin();
  exchange();
  EXPECT_EQ(cudaMallocAsync(&memory, 4, other_), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(memory, other_), cudaSuccess);
  exchange();
  add(a_, a_);
  EXPECT_EQ(cudaGraphExecDestroy(end(1)), cudaSuccess);

  begin();
  EXPECT_EQ(cudaMallocAsync(&memory, 4, other_), cudaErrorStreamCaptureUnsupported);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated);
}

TEST_F(SimtGraph, WrongCallsAreRefused) {
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeThreadLocal),
            cudaErrorStreamCaptureUnsupported);
  begin();
  EXPECT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  EXPECT_FALSE(simt::leaks().empty());
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphLaunch(nullptr, stream_), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace simt_test

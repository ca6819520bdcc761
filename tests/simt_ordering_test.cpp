// Works of different streams that share memory are ordered, or found.
#include <array>
#include <cublas_v2.h>
#include <functional>

#include "tests/simt_fixture.hpp"
#include "tests/simt_test_kernels.hpp"

namespace simt_test {
namespace {

/// Two streams, memory that both use, and the ways to order them.
class SimtOrdering : public Simt {
 protected:
  SimtOrdering() {
    for (cudaStream_t* const stream : {&first_, &second_})
      EXPECT_EQ(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), cudaSuccess);
  }
  ~SimtOrdering() override {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(event_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(first_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(second_), cudaSuccess);
  }

  void add(cudaStream_t stream, const float* from, float* to) const {
    EXPECT_EQ(run("add_one", 1, 32, 0, stream, add_one, from, to, 32), cudaSuccess);
  }
  void copy_in_structure(cudaStream_t stream, const float* from, float* to) const {
    EXPECT_EQ(run("copy_operands", 1, 32, 0, stream, copy_operands, Operands{from, to}, 32),
              cudaSuccess);
  }
  void second_waits_for_event() const {
    EXPECT_EQ(cudaEventRecord(event_, first_), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(second_, event_, 0), cudaSuccess);
  }

  cudaStream_t first_ = nullptr;
  cudaStream_t second_ = nullptr;
  cudaEvent_t event_ = nullptr;
  Device<float> a_{counting(32)}, b_{counting(32)}, c_{counting(32)};
};

using SimtOrderingDeathTest = SimtOrdering;

TEST_F(SimtOrderingDeathTest, FindsReadOfWhatAnotherStreamWrites) {
  add(first_, a_, b_);
  EXPECT_DEATH(add(second_, b_, c_),
               "add_one: reads an allocation of 128 bytes on stream [0-9]+, which add_one wrote on "
               "stream [0-9]+: nothing orders the two");
  std::array<float, 32> host{};
  EXPECT_DEATH((void)cudaMemcpyAsync(host.data(), b_, 128, cudaMemcpyDeviceToHost, second_),
               "cudaMemcpyAsync: reads .* which add_one wrote");
}

TEST_F(SimtOrderingDeathTest, FindsWriteOfWhatAnotherStreamUses) {
  add(first_, a_, b_);
  EXPECT_DEATH(add(second_, c_, b_), "add_one: writes .* which add_one wrote");
  EXPECT_DEATH(add(second_, c_, a_), "add_one: writes .* which add_one reads");
  EXPECT_DEATH((void)cudaMemsetAsync(a_, 0, 4, second_), "cudaMemsetAsync: writes .* reads");
}

TEST_F(SimtOrderingDeathTest, FindsFreeOfWhatAnotherStreamReads) {
  float* memory = nullptr;
  ASSERT_EQ(cudaMallocAsync(&memory, 128, first_), cudaSuccess);
  EXPECT_DEATH(add(second_, a_, memory), "which cudaMallocAsync allocated on stream");
  second_waits_for_event();
  add(second_, memory, b_);
  EXPECT_DEATH((void)cudaFreeAsync(memory, first_),
               "cudaFreeAsync: frees an allocation of 128 bytes .* which add_one reads");
  ASSERT_EQ(cudaStreamSynchronize(second_), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(memory, first_), cudaSuccess);
}

TEST_F(SimtOrderingDeathTest, FindsUseAfterFreeThatIsStillQueued) {
  simt::set_streams(simt::Streams::kLazy);
  float* memory = nullptr;
  ASSERT_EQ(cudaMallocAsync(&memory, 128, first_), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(memory, first_), cudaSuccess);
  EXPECT_DEATH(add(first_, memory, a_), "reads .* which cudaFreeAsync freed on stream");
}

TEST_F(SimtOrderingDeathTest, LooksIntoStructures) {
  const Device<float> zeros(std::vector<float>(32, 0.0F));
  copy_in_structure(first_, a_, zeros);
  EXPECT_DEATH(add(second_, zeros, c_), "which copy_operands wrote") << "the contents have changed";
  EXPECT_DEATH(add(second_, c_, a_), "which copy_operands reads");
  add(second_, a_, c_);
}

TEST_F(SimtOrderingDeathTest, KnowsThatProductsWrite) {
  cublasHandle_t handle = nullptr;
  ASSERT_EQ(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasSetStream(handle, first_), CUBLAS_STATUS_SUCCESS);
  const float one = 1, zero = 0;
  ASSERT_EQ(
      cublasSgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, a_, 4, b_, 4, &zero, c_, 4),
      CUBLAS_STATUS_SUCCESS);
  EXPECT_DEATH(add(second_, a_, b_), "writes .* which cublasSgemm reads");
  EXPECT_DEATH(add(second_, c_, b_), "reads .* which cublasSgemm wrote");
  ASSERT_EQ(cublasDestroy(handle), CUBLAS_STATUS_SUCCESS);
  add(second_, c_, b_);
}

TEST_F(SimtOrdering, LetsStreamsReadTheSameMemory) {
  add(first_, a_, b_);
  add(second_, a_, c_);
}

TEST_F(SimtOrdering, EventsAndWaitsOrder) {
  const std::array<std::function<void()>, 4> ways{
      [&] { second_waits_for_event(); },
      [&] { EXPECT_EQ(cudaStreamSynchronize(first_), cudaSuccess); },
      [&] { EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess); },
      [&] {
        EXPECT_EQ(cudaEventRecord(event_, first_), cudaSuccess);
        EXPECT_EQ(cudaEventSynchronize(event_), cudaSuccess);
      },
  };
  for (const auto& order : ways) {
    add(first_, a_, b_);
    order();
    add(second_, b_, a_);
    EXPECT_EQ(cudaStreamSynchronize(second_), cudaSuccess);
  }
}

TEST_F(SimtOrderingDeathTest, AnEventOrdersOnlyWhatCameBeforeIt) {
  second_waits_for_event();
  add(first_, a_, b_);
  EXPECT_DEATH(add(second_, b_, c_), "nothing orders the two");
}

TEST_F(SimtOrderingDeathTest, DestroyingAStreamDoesNotWaitForItsWork) {
  cudaStream_t gone = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking), cudaSuccess);
  add(gone, a_, b_);
  ASSERT_EQ(cudaStreamDestroy(gone), cudaSuccess);
  EXPECT_DEATH(add(second_, b_, c_), "nothing orders the two");
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  add(second_, b_, c_);
}

TEST_F(SimtOrdering, TheNullStreamWaitsForBlockingStreams) {
  cudaStream_t blocking = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&blocking, cudaStreamDefault), cudaSuccess);
  add(blocking, a_, b_);
  add(nullptr, b_, c_);
  add(blocking, c_, a_);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  add(first_, a_, b_);
  ASSERT_EQ(cudaStreamDestroy(blocking), cudaSuccess);
}

}  // namespace
}  // namespace simt_test

// Streams and events of the CUDA engine, on a GPU and on the execution on the CPU alike, which ends
// the program where nothing orders what two streams do with a matrix.
#include <gmock/gmock.h>
#include <utility>

#include "cudamat/cudamat.hpp"

namespace {

using cudamat::HostMatrix;
using cudamat::LibraryError;
using cudamat::Shape;
using cudamat::cuda::Context;
using cudamat::cuda::Event;
using Matrix = cudamat::CUDAMatrix<float>;

HostMatrix<float> all(float value) {
  return HostMatrix<float>(Shape{300, 70}, value);
}

TEST(CudaStream, IsTheContextsOwn) {
  auto* const usual = cudamat::cuda::stream();
  EXPECT_NE(usual, nullptr);
  EXPECT_TRUE(cudamat::cuda::in_default_context());
  {
    const Context context;
    const Context::Scope scope(context);
    EXPECT_NE(cudamat::cuda::stream(), usual);
    EXPECT_EQ(cudamat::cuda::stream(), cudamat::cuda::stream());
    EXPECT_FALSE(cudamat::cuda::in_default_context());
  }
  EXPECT_EQ(cudamat::cuda::stream(), usual);
}

TEST(CudaEvent, OrdersTheWorkOfContexts) {
  Matrix a(all(1));
  a.add(1.0f);
  Event made;
  made.record();
  const Context context;
  Event changed;
  {
    const Context::Scope scope(context);
    made.wait();
    a.mult(3.0f);
    changed.record();
  }
  changed.wait();
  a.add(4.0f);
  EXPECT_EQ(a.asarray(), all(10));
}

TEST(CudaEvent, OrdersStreamsOfOthers) {
  // The context's stream stands for somebody else's, known by its handle alone.
  const Context context;
  CUstream_st* theirs = nullptr;
  {
    const Context::Scope scope(context);
    theirs = cudamat::cuda::stream();
  }
  Matrix a(all(1));
  Event ready;
  ready.record();
  ready.wait_on(theirs);
  Matrix copy;
  {
    const Context::Scope scope(context);
    copy = Matrix::empty(a.shape());
    copy.assign(a);
  }
  Event read;
  read.record_on(theirs);
  read.wait();
  a.assign(5.0f);
  EXPECT_EQ(a.asarray(), all(5));
  EXPECT_EQ(copy.asarray(), all(1));
}

TEST(CudaEvent, IsDoneOnceItWasWaitedFor) {
  Matrix a(all(1));
  Event event;
  EXPECT_TRUE(event.done()) << "never recorded";
  a.add(1.0f);
  event.record();
  event.synchronize();
  EXPECT_TRUE(event.done());
}

TEST(CudaEvent, GivesTheTimeBetweenTwo) {
  Matrix a(all(1));
  Event start(true), end(true);
  start.record();
  for (int i = 0; i < 10; ++i) a.add(1.0f);
  end.record();
  end.synchronize();
  EXPECT_GT(cudamat::cuda::elapsed_ms(start, end), 0.0f);
  EXPECT_EQ(cudamat::cuda::elapsed_ms(start, start), 0.0f);
  EXPECT_THROW(cudamat::cuda::elapsed_ms(start, Event(true)), LibraryError) << "never recorded";
  Event untimed;
  untimed.record();
  EXPECT_THROW(cudamat::cuda::elapsed_ms(start, untimed), LibraryError);
}

TEST(CudaEvent, MovesWithItsHandle) {
  Event event;
  auto* const handle = event.handle();
  Event moved(std::move(event));
  EXPECT_EQ(moved.handle(), handle);
  Event other;
  other = std::move(moved);
  EXPECT_EQ(other.handle(), handle);
  other.record();
  other.synchronize();
}

}  // namespace

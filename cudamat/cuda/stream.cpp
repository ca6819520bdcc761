// Streams and events for others.
#include "cudamat/cuda/stream.hpp"

#include <utility>

#include "cudamat/cuda/context.hpp"

namespace cudamat::cuda {

CUstream_st* stream() {
  return state().stream;
}

Event::Event(bool timed) {
  (void)state();  // its device is current now
  CUDAMAT_CUDA(
      cudaEventCreateWithFlags(&event_, timed ? cudaEventDefault : cudaEventDisableTiming));
}

Event::~Event() {
  if (event_ != nullptr) (void)cudaEventDestroy(event_);
}

Event::Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}

Event& Event::operator=(Event&& other) noexcept {
  std::swap(event_, other.event_);
  return *this;
}

void Event::record() {
  CUDAMAT_CUDA(cudaEventRecord(event_, state().stream));
}

void Event::record_on(CUstream_st* stream) {
  CUDAMAT_CUDA(cudaEventRecord(event_, stream));
}

void Event::wait() const {
  CUDAMAT_CUDA(cudaStreamWaitEvent(state().stream, event_, 0));
}

void Event::wait_on(CUstream_st* stream) const {
  CUDAMAT_CUDA(cudaStreamWaitEvent(stream, event_, 0));
}

bool Event::done() const {
  const cudaError_t status = cudaEventQuery(event_);
  if (status == cudaErrorNotReady) {
    (void)cudaGetLastError();
    return false;
  }
  CUDAMAT_CUDA(status);
  return true;
}

void Event::synchronize() const {
  CUDAMAT_CUDA(cudaEventSynchronize(event_));
}

float elapsed_ms(const Event& start, const Event& end) {
  float milliseconds = 0;
  CUDAMAT_CUDA(cudaEventElapsedTime(&milliseconds, start.handle(), end.handle()));
  return milliseconds;
}

}  // namespace cudamat::cuda

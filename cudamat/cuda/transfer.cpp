// Copies between host and device, and on the device.
//
// Memory of the host is pageable as a rule: of it the driver makes no asynchronous copies, it waits
// for the stream first. So all copies go through pinned memory of ours, piece by piece: the host's
// threads (copy_threads.hpp) fill or empty one piece while the device copies others. Pieces of 4
// MiB take the device some 80 us, which covers what a piece costs the host besides.
#include <algorithm>
#include <utility>

#include "cudamat/cuda/context.hpp"
#include "cudamat/cuda/copy_threads.hpp"
#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/memory.hpp"

namespace cudamat::cuda {
namespace {

Staging& staging(State& current) {
  if (current.staging == nullptr) {
    auto made = std::make_unique<Staging>();
    made->allocate();
    current.staging = std::move(made);
  }
  return *current.staging;
}

/// The slot whose turn it is.
std::size_t take_slot(Staging& pinned) {
  return std::exchange(pinned.next, (pinned.next + 1) % Staging::kSlots);
}

/// Returns when the host's memory has been read. Waits for the device only if all slots are filled.
void stage_to_device(State& current, const char* host, char* target, std::size_t bytes) {
  const std::lock_guard lock(current.transfers);
  Staging& pinned = staging(current);
  for (std::size_t at = 0; at < bytes; at += Staging::kBytes) {
    const std::size_t part = std::min(Staging::kBytes, bytes - at);
    const std::size_t slot = take_slot(pinned);
    char* const memory = pinned.memory + slot * Staging::kBytes;
    CUDAMAT_CUDA(cudaEventSynchronize(pinned.copied[slot]));
    copy_bytes(memory, host + at, part);
    CUDAMAT_CUDA(
        cudaMemcpyAsync(target + at, memory, part, cudaMemcpyHostToDevice, current.stream));
    CUDAMAT_CUDA(cudaEventRecord(pinned.copied[slot], current.stream));
  }
}

/// A slot is emptied while the next ones are filled. What the host put there before, the stream has
/// copied away by then.
void stage_to_host(State& current, const char* source, char* host, std::size_t bytes) {
  constexpr std::size_t kAhead = 4;
  const std::lock_guard lock(current.transfers);
  Staging& pinned = staging(current);
  const std::size_t pieces = (bytes + Staging::kBytes - 1) / Staging::kBytes;
  const auto part = [&](std::size_t k) {
    return std::min(Staging::kBytes, bytes - k * Staging::kBytes);
  };
  std::size_t slots[kAhead] = {};
  for (std::size_t k = 0; k < pieces + kAhead; ++k) {
    if (k >= kAhead && k - kAhead < pieces) {  // the piece that was started kAhead pieces ago
      const std::size_t slot = slots[k % kAhead];
      CUDAMAT_CUDA(cudaEventSynchronize(pinned.copied[slot]));
      copy_bytes(host + (k - kAhead) * Staging::kBytes, pinned.memory + slot * Staging::kBytes,
                 part(k - kAhead));
    }
    if (k < pieces) {
      const std::size_t slot = slots[k % kAhead] = take_slot(pinned);
      CUDAMAT_CUDA(cudaMemcpyAsync(pinned.memory + slot * Staging::kBytes,
                                   source + k * Staging::kBytes, part(k), cudaMemcpyDeviceToHost,
                                   current.stream));
      CUDAMAT_CUDA(cudaEventRecord(pinned.copied[slot], current.stream));
    }
  }
}

}  // namespace

void bytes_to_host(State& current, const void* source, void* host, std::size_t bytes) {
  stage_to_host(current, static_cast<const char*>(source), static_cast<char*>(host), bytes);
}

void bytes_to_device(State& current, const void* host, void* target, std::size_t bytes) {
  stage_to_device(current, static_cast<const char*>(host), static_cast<char*>(target), bytes);
}

void Staging::allocate() {
  CUDAMAT_CUDA(cudaMallocHost(&memory, kSlots * kBytes));
  for (cudaEvent_t& event : copied)
    CUDAMAT_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
}

Staging::~Staging() {
  for (const cudaEvent_t event : copied) {
    if (event == nullptr) continue;
    (void)cudaEventSynchronize(event);
    (void)cudaEventDestroy(event);
  }
  if (memory != nullptr) (void)cudaFreeHost(memory);
}

template <class T>
void Engine<T>::copy_to_device(const T* host, T* target, Index n) {
  if (n == 0) return;
  stage_to_device(state(), reinterpret_cast<const char*>(host), reinterpret_cast<char*>(target),
                  std::size_t(n) * sizeof(T));
}

template <class T>
void Engine<T>::copy_to_host(const T* source, T* host, Index n) {
  State& current = state();
  if (n == 0) return CUDAMAT_CUDA(cudaStreamSynchronize(current.stream));
  bytes_to_host(current, source, host, std::size_t(n) * sizeof(T));
}

template <class T>
void Engine<T>::copy(const T* source, T* target, Index n) {
  if (n == 0 || source == target) return;
  CUDAMAT_CUDA(cudaMemcpyAsync(target, source, std::size_t(n) * sizeof(T), cudaMemcpyDeviceToDevice,
                               state().stream));
}

#define INSTANTIATE(T)                                          \
  template void Engine<T>::copy_to_host(const T*, T*, Index);   \
  template void Engine<T>::copy_to_device(const T*, T*, Index); \
  template void Engine<T>::copy(const T*, T*, Index);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace cudamat::cuda

// Copies between host and device, and on the device.
//
// Memory of the host is pageable: a copy from or to it by the driver is slow and waits. Large
// copies therefore go through pinned memory in pieces, one half being copied by the device while
// the host fills or empties the other.
#include <algorithm>
#include <cstring>

#include "cudamat/cuda/context.hpp"
#include "cudamat/cuda/engine.hpp"

namespace cudamat::cuda {
namespace {

constexpr std::size_t kSmall = std::size_t{64} << 10;  ///< the driver's own staging serves these

Staging& staging(State& current) {
  if (current.staging == nullptr) {
    auto made = std::make_unique<Staging>();
    made->allocate();
    current.staging = std::move(made);
  }
  return *current.staging;
}

void stage_to_device(State& current, const char* host, char* target, std::size_t bytes) {
  const std::lock_guard lock(current.mutex);
  Staging& pinned = staging(current);
  for (std::size_t at = 0, k = 0; at < bytes; at += Staging::kBytes, k ^= 1) {
    const std::size_t part = std::min(Staging::kBytes, bytes - at);
    CUDAMAT_CUDA(cudaEventSynchronize(pinned.copied[k]));
    std::memcpy(pinned.half[k], host + at, part);
    CUDAMAT_CUDA(
        cudaMemcpyAsync(target + at, pinned.half[k], part, cudaMemcpyHostToDevice, current.stream));
    CUDAMAT_CUDA(cudaEventRecord(pinned.copied[k], current.stream));
  }
}

void stage_to_host(State& current, const char* source, char* host, std::size_t bytes) {
  const std::lock_guard lock(current.mutex);
  Staging& pinned = staging(current);
  const std::size_t pieces = (bytes + Staging::kBytes - 1) / Staging::kBytes;
  const auto part = [&](std::size_t k) {
    return std::min(Staging::kBytes, bytes - k * Staging::kBytes);
  };
  for (std::size_t k = 0; k < pieces + 1; ++k) {  // piece k starts, then piece k - 1 is emptied
    if (k < pieces) {
      CUDAMAT_CUDA(cudaMemcpyAsync(pinned.half[k % 2], source + k * Staging::kBytes, part(k),
                                   cudaMemcpyDeviceToHost, current.stream));
      CUDAMAT_CUDA(cudaEventRecord(pinned.copied[k % 2], current.stream));
    }
    if (k > 0) {
      CUDAMAT_CUDA(cudaEventSynchronize(pinned.copied[(k - 1) % 2]));
      std::memcpy(host + (k - 1) * Staging::kBytes, pinned.half[(k - 1) % 2], part(k - 1));
    }
  }
}

}  // namespace

void Staging::allocate() {
  for (int k = 0; k < 2; ++k) {
    CUDAMAT_CUDA(cudaMallocHost(&half[k], kBytes));
    CUDAMAT_CUDA(cudaEventCreateWithFlags(&copied[k], cudaEventDisableTiming));
  }
}

Staging::~Staging() {
  for (int k = 0; k < 2; ++k) {
    if (copied[k] != nullptr) {
      (void)cudaEventSynchronize(copied[k]);
      (void)cudaEventDestroy(copied[k]);
    }
    if (half[k] != nullptr) (void)cudaFreeHost(half[k]);
  }
}

template <class T>
void Engine<T>::copy_to_device(const T* host, T* target, Index n) {
  if (n == 0) return;
  State& current = state();
  const std::size_t bytes = std::size_t(n) * sizeof(T);
  if (bytes > kSmall)
    return stage_to_device(current, reinterpret_cast<const char*>(host),
                           reinterpret_cast<char*>(target), bytes);
  CUDAMAT_CUDA(cudaMemcpyAsync(target, host, bytes, cudaMemcpyHostToDevice, current.stream));
}

template <class T>
void Engine<T>::copy_to_host(const T* source, T* host, Index n) {
  State& current = state();
  const std::size_t bytes = std::size_t(n) * sizeof(T);
  if (bytes > kSmall)
    return stage_to_host(current, reinterpret_cast<const char*>(source),
                         reinterpret_cast<char*>(host), bytes);
  if (n > 0)
    CUDAMAT_CUDA(cudaMemcpyAsync(host, source, bytes, cudaMemcpyDeviceToHost, current.stream));
  CUDAMAT_CUDA(cudaStreamSynchronize(current.stream));
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

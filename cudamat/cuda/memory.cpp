// Device memory: from our pool of the device, in stream order, with a record of what is in use.
#include "cudamat/cuda/memory.hpp"

#include <limits>
#include <map>
#include <unordered_map>

#include "cudamat/cuda/context.hpp"
#include "cudamat/cuda/device.hpp"
#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/recording.hpp"
#include "cudamat/error.hpp"

namespace cudamat::cuda {
namespace {

struct Allocation {
  std::size_t bytes;
  std::shared_ptr<State> owner;  ///< keeps the stream that the memory was used on
};

struct Usage {
  std::size_t in_use = 0;
  std::size_t limit = 0;  ///< 0: none
};

struct Record {
  std::mutex mutex;
  std::unordered_map<void*, Allocation> live;
  std::map<int, Usage> devices;
};

/// Never destroyed: matrices may be freed after static objects.
Record& record() {
  static auto* const the_record = new Record;
  return *the_record;
}

/// Counts the bytes, or says why they may not be had.
void reserve(const char* op, const State& current, std::size_t bytes) {
  const std::lock_guard lock(record().mutex);
  const int device = current.device;
  Usage& usage = record().devices[device];
  if (usage.limit != 0 && bytes > usage.limit - std::min(usage.limit, usage.in_use))
    throw OutOfMemory(
        fmt::format("[{}] cannot allocate {} bytes on device {}: {} are in use and "
                    "set_memory_limit allows {}",
                    op, bytes, device, usage.in_use, usage.limit));
  usage.in_use += bytes;
}

void unreserve(int device, std::size_t bytes) {
  const std::lock_guard lock(record().mutex);
  record().devices[device].in_use -= bytes;
}

[[noreturn]] void out_of_memory(const char* op, const State& current, std::size_t bytes) {
  std::size_t free = 0;
  std::size_t total = 0;
  (void)cudaMemGetInfo(&free, &total);
  throw OutOfMemory(fmt::format(
      "[{}] cannot allocate {} bytes on device {}: {} are in use by matrices, {} of {} are free",
      op, bytes, current.device, memory_in_use(), free, total));
}

/// Lets the owner's stream wait for the calling thread's context, where that is another one: it may
/// still be reading what is about to be freed; what is only recorded there does not. Where no event
/// is to be had, the host waits.
void wait_for_caller(const State& owner) noexcept {
  const State* const caller = state_if_any();
  if (caller == nullptr || caller == &owner || caller->recording != nullptr) return;
  const DeviceScope scope(caller->device);
  if (order_streams(caller->stream, owner.stream) == cudaSuccess) return;
  (void)cudaGetLastError();
  (void)cudaStreamSynchronize(caller->stream);
}

/// nullptr if there is not so much.
void* try_allocate(State& current, std::size_t bytes) {
  if (bytes > current.total_memory) return nullptr;
  const OutsideCaptures outside;
  void* data = nullptr;
  cudaError_t status = cudaMallocFromPoolAsync(&data, bytes, current.pool, current.stream);
  if (status == cudaErrorMemoryAllocation) {  // what was freed may still be waiting in the stream
    current.make_room();
    status = cudaMallocFromPoolAsync(&data, bytes, current.pool, current.stream);
  }
  if (status == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    return nullptr;
  }
  CUDAMAT_CUDA(status);
  return data;
}

void free_on(cudaStream_t stream, void* data) noexcept {
  const OutsideCaptures outside;
  (void)cudaFreeAsync(data, stream);
}

}  // namespace

void* allocate_uncounted(State& current, const char* op, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (current.recording != nullptr) return current.recording->take(bytes);
  void* const data = try_allocate(current, bytes);
  if (data == nullptr) out_of_memory(op, current, bytes);
  return data;
}

void free_uncounted(State& current, void* data) noexcept {
  if (current.recording != nullptr)
    current.recording->give_back(data);
  else
    free_on(current.stream, data);
}

void* allocate_bytes(const char* op, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  State& current = state();
  not_recorded(current, op);
  reserve(op, current, bytes);
  void* data = nullptr;
  try {
    data = try_allocate(current, bytes);
    const std::lock_guard lock(record().mutex);
    if (data != nullptr) record().live.emplace(data, Allocation{bytes, current.shared_from_this()});
  } catch (...) {
    unreserve(current.device, bytes);
    if (data != nullptr) free_on(current.stream, data);
    throw;
  }
  if (data == nullptr) {
    unreserve(current.device, bytes);
    out_of_memory(op, current, bytes);
  }
  return data;
}

void free_bytes(void* data) noexcept {
  if (data == nullptr) return;
  Allocation allocation;
  {
    const std::lock_guard lock(record().mutex);
    const auto found = record().live.find(data);
    allocation = std::move(found->second);
    record().live.erase(found);
    record().devices[allocation.owner->device].in_use -= allocation.bytes;
  }
  wait_for_caller(*allocation.owner);
  const DeviceScope scope(allocation.owner->device);
  free_on(allocation.owner->stream, data);
}

std::int64_t memory_in_use() {
  const std::lock_guard lock(record().mutex);
  return static_cast<std::int64_t>(record().devices[current_device()].in_use);
}

std::int64_t free_memory() {
  (void)state();  // the calling thread's device
  std::size_t free = 0;
  std::size_t total = 0;
  CUDAMAT_CUDA(cudaMemGetInfo(&free, &total));
  return static_cast<std::int64_t>(free);
}

std::int64_t cached_memory() {
  const State& current = state();
  CUDAMAT_CUDA(cudaStreamSynchronize(current.stream));
  std::uint64_t reserved = 0;
  std::uint64_t used = 0;
  CUDAMAT_CUDA(cudaMemPoolGetAttribute(current.pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
  CUDAMAT_CUDA(cudaMemPoolGetAttribute(current.pool, cudaMemPoolAttrUsedMemCurrent, &used));
  return static_cast<std::int64_t>(reserved - std::min(used, reserved));
}

void set_memory_limit(std::int64_t bytes) {
  if (bytes < 0) misuse("set_memory_limit", "the limit cannot be negative; got {}", bytes);
  const std::lock_guard lock(record().mutex);
  record().devices[current_device()].limit = static_cast<std::size_t>(bytes);
}

std::int64_t memory_limit() {
  const std::lock_guard lock(record().mutex);
  return static_cast<std::int64_t>(record().devices[current_device()].limit);
}

void release_cached_memory() {
  const State& current = state();
  CUDAMAT_CUDA(cudaStreamSynchronize(current.stream));
  CUDAMAT_CUDA(cudaMemPoolTrimTo(current.pool, 0));
}

// ---- the engine's memory ----

template <class T>
T* Engine<T>::allocate(Index n) {
  if (n < 0 || n > std::numeric_limits<Index>::max() / Index(sizeof(T)))
    throw OutOfMemory(fmt::format("[empty] cannot allocate {} numbers of {} bytes", n, sizeof(T)));
  return static_cast<T*>(allocate_bytes("empty", std::size_t(n) * sizeof(T)));
}

template <class T>
void Engine<T>::deallocate(T* data, Index /*n*/) noexcept {
  free_bytes(data);
}

template <class T>
void Engine<T>::synchronize() {
  cuda_sync_threads();
}

bool memory_suffices(const std::function<void()>& work) try {
  work();
  return true;
} catch (const OutOfMemory&) {
  return false;
}

template <>
const char* Engine<float>::name() {
  return "cudamat float32";
}

template <>
const char* Engine<double>::name() {
  return "cudamat float64";
}

#define INSTANTIATE(T)                                     \
  template T* Engine<T>::allocate(Index);                  \
  template void Engine<T>::deallocate(T*, Index) noexcept; \
  template void Engine<T>::synchronize();
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace cudamat::cuda

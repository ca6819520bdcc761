// Allocations and copies.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>

#include "cudamat/simt/memory.hpp"
#include "cudamat/simt/pools.hpp"
#include "cudamat/simt/runtime.hpp"
#include "cudamat/simt/simt.hpp"

namespace simt {
namespace {

/// `stream`: whose next works may use the memory; nullptr: all of the host's.
cudaError_t allocate(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                     const Stream& stream = nullptr) {
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  const int device = device_of(pool);
  if (!reserve(pool, bytes)) {
    finish_device(device);  // frees wait there
    if (!reserve(pool, bytes)) return cudaErrorMemoryAllocation;
  }
  *pointer = map(Kind::kDevice, device, bytes);
  note_pool(*pointer, pool);
  if (stream != nullptr) order(stream, "cudaMallocAsync", {{*pointer, Access::kAllocate}});
  return cudaSuccess;
}

/// False if no allocation begins there.
bool give_back(void* pointer) {
  std::size_t bytes = 0;
  int device = 0;
  forget_uses(pointer);
  if (unmap(Kind::kDevice, pointer, &bytes, &device) == Unmapped::kUnknown) return false;
  unreserve(pointer, bytes);
  return true;
}

bool is_allocation(const void* pointer) {
  Region region;
  return find_region(pointer, &region) && region.data == pointer && region.kind == Kind::kDevice;
}

}  // namespace

void set_strict(bool strict) {
  set_strict_memory(strict);
}

void check_device_range(const void* data, std::size_t bytes, const char* verb) {
  if (bytes == 0) return;
  if (!check_range(data, bytes, verb)) fail("%s memory of the host", verb);
}

// ---- copies ----

namespace {

/// Rows of `width` bytes, `pitch` bytes apart.
struct Rows {
  std::byte* data;
  std::size_t pitch;
};

struct Copy {
  Rows target;
  Rows source;
  std::size_t width;
  std::size_t height;

  [[nodiscard]] std::size_t extent(const Rows& rows) const {
    return rows.pitch * (height - 1) + width;
  }
  void run() const {
    for (std::size_t i = 0; i < height; ++i)
      std::memmove(target.data + i * target.pitch, source.data + i * source.pitch, width);
  }
};

enum class Side { kHost, kPinned, kDevice };

/// What memory it is, after a check of the range.
Side side_of(const Rows& rows, const Copy& copy, const char* verb) {
  if (!check_range(rows.data, copy.extent(rows), verb)) return Side::kHost;
  Region region{};
  find_region(rows.data, &region);
  return region.kind == Kind::kDevice ? Side::kDevice : Side::kPinned;
}

bool fits(cudaMemcpyKind kind, Side target, Side source) {
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  return kind == cudaMemcpyDefault ||
         (to_device == (target == Side::kDevice) && from_device == (source == Side::kDevice));
}

/// A copy on a stream, as "API synchronization behavior" of the runtime's manual has it: pageable
/// sources are read at once, pageable targets are written before the call returns.
cudaError_t queue_copy(const char* name, const Copy& copy, cudaMemcpyKind kind,
                       const Stream& stream) {
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (copy.width == 0 || copy.height == 0) return cudaSuccess;
  const Doing doing(name);
  const Side target = side_of(copy.target, copy, "writes");
  const Side source = side_of(copy.source, copy, "reads");
  if (!fits(kind, target, source)) return cudaErrorInvalidValue;
  const bool pageable = target == Side::kHost || source == Side::kHost;
  if (const cudaError_t error = work_in_capture(stream, pageable)) return error;
  Copy queued = copy;
  std::shared_ptr<std::vector<std::byte>> staged;
  if (source == Side::kHost && streams() == Streams::kLazy) {
    staged = std::make_shared<std::vector<std::byte>>(copy.width * copy.height);
    queued.source = {staged->data(), copy.width};
    Copy{queued.source, copy.source, copy.width, copy.height}.run();
  }
  submit(stream, name, {{copy.source.data, Access::kRead}, {copy.target.data, Access::kWrite}},
         [queued, staged, target] {
           check_range(queued.target.data, queued.extent(queued.target), "writes");
           if (staged == nullptr)
             check_range(queued.source.data, queued.extent(queued.source), "reads");
           queued.run();
         });
  if (target == Side::kHost) host_waits_for(stream);
  return cudaSuccess;
}

Rows rows(const void* data, std::size_t pitch) {
  return {static_cast<std::byte*>(const_cast<void*>(data)), pitch};
}

}  // namespace
}  // namespace simt

using simt::begin;
using simt::report;

cudaError_t cudaMemcpy(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
  if (const cudaError_t error = begin("cudaMemcpy")) return report(error);
  const simt::Stream stream = simt::find_stream(nullptr);
  const cudaError_t error = simt::queue_copy(
      "cudaMemcpy", {simt::rows(target, bytes), simt::rows(source, bytes), bytes, 1}, kind, stream);
  simt::host_waits_for(stream);
  return report(error);
}

cudaError_t cudaMemcpyAsync(void* target, const void* source, std::size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  if (const cudaError_t error = begin("cudaMemcpyAsync")) return report(error);
  return report(simt::queue_copy("cudaMemcpyAsync",
                                 {simt::rows(target, bytes), simt::rows(source, bytes), bytes, 1},
                                 kind, simt::find_stream(stream)));
}

cudaError_t cudaMemcpy2DAsync(void* target, std::size_t target_pitch, const void* source,
                              std::size_t source_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  constexpr std::size_t kMostPitch = 0x7fffffff;  // cudaDevAttrMaxPitch
  if (const cudaError_t error = begin("cudaMemcpy2DAsync")) return report(error);
  if (width > target_pitch || width > source_pitch || target_pitch > kMostPitch ||
      source_pitch > kMostPitch)
    return report(cudaErrorInvalidPitchValue);
  return report(simt::queue_copy(
      "cudaMemcpy2DAsync",
      {simt::rows(target, target_pitch), simt::rows(source, source_pitch), width, height}, kind,
      simt::find_stream(stream)));
}

cudaError_t cudaMemsetAsync(void* target, int value, std::size_t bytes, cudaStream_t stream) {
  if (const cudaError_t error = begin("cudaMemsetAsync")) return report(error);
  const simt::Stream found = simt::find_stream(stream);
  if (found == nullptr) return report(cudaErrorInvalidResourceHandle);
  if (bytes == 0) return cudaSuccess;
  const simt::Doing doing("cudaMemsetAsync");
  if (!simt::check_range(target, bytes, "writes")) return report(cudaErrorInvalidValue);
  if (const cudaError_t error = simt::work_in_capture(found)) return report(error);
  simt::submit(found, "cudaMemsetAsync", {{target, simt::Access::kWrite}}, [=] {
    simt::check_range(target, bytes, "writes");
    std::memset(target, value, bytes);
  });
  return cudaSuccess;
}

// ---- allocations ----

cudaError_t cudaMalloc(void** pointer, std::size_t size) {
  if (const cudaError_t error = begin("cudaMalloc", cudaErrorMemoryAllocation))
    return report(error);
  return report(simt::allocate(pointer, size, simt::default_pool(simt::current_device())));
}

cudaError_t cudaFree(void* pointer) {
  const cudaError_t error = begin("cudaFree");
  if (pointer == nullptr) return report(error);
  simt::host_waits_for_device(-1);  // the real one waits for the device too
  const simt::Doing doing("cudaFree");
  return report(simt::give_back(pointer) ? error : cudaErrorInvalidValue);
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t size, cudaStream_t stream) {
  if (const cudaError_t error = begin("cudaMallocAsync", cudaErrorMemoryAllocation))
    return report(error);
  const simt::Stream found = simt::find_stream(stream);
  if (found == nullptr) return report(cudaErrorInvalidResourceHandle);
  if (const cudaError_t error = simt::unsafe_in_capture()) return report(error);
  if (const cudaError_t error = simt::wait_in_capture(found)) return report(error);
  return report(simt::allocate(pointer, size, simt::default_pool(found->device), found));
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  if (const cudaError_t error = begin("cudaMallocFromPoolAsync", cudaErrorMemoryAllocation))
    return report(error);
  const simt::Stream found = simt::find_stream(stream);
  if (found == nullptr) return report(cudaErrorInvalidResourceHandle);
  if (const cudaError_t error = simt::unsafe_in_capture()) return report(error);
  if (const cudaError_t error = simt::wait_in_capture(found)) return report(error);
  if (!simt::is_pool(pool)) return report(cudaErrorInvalidValue);
  if (simt::device_of(pool) != found->device) return report(cudaErrorInvalidDevice);
  return report(simt::allocate(pointer, size, pool, found));
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  const cudaError_t error = begin("cudaFreeAsync");
  const simt::Stream found = simt::find_stream(stream);
  if (found == nullptr) return report(cudaErrorInvalidResourceHandle);
  if (pointer == nullptr) return report(error);
  if (!simt::is_allocation(pointer)) return report(cudaErrorInvalidValue);
  if (const cudaError_t in_capture = simt::unsafe_in_capture()) return report(in_capture);
  if (const cudaError_t in_capture = simt::wait_in_capture(found)) return report(in_capture);
  simt::submit(found, "cudaFreeAsync", {{pointer, simt::Access::kFree}},
               [pointer] { simt::give_back(pointer); });
  return report(error);
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t size, unsigned flags) {
  *pointer = nullptr;
  if (const cudaError_t error = begin("cudaHostAlloc", cudaErrorMemoryAllocation))
    return report(error);
  if ((flags & ~unsigned{cudaHostAllocPortable}) != 0) return report(cudaErrorInvalidValue);
  if (size > 0) *pointer = simt::map(simt::Kind::kPinned, simt::current_device(), size);
  return cudaSuccess;
}

cudaError_t cudaMallocHost(void** pointer, std::size_t size) {
  return cudaHostAlloc(pointer, size, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void* pointer) {
  const cudaError_t error = begin("cudaFreeHost");
  if (pointer == nullptr) return report(error);
  simt::host_waits_for_device(-1);  // the real one waits too
  const simt::Doing doing("cudaFreeHost");
  std::size_t bytes = 0;
  int device = 0;
  const bool known =
      simt::unmap(simt::Kind::kPinned, pointer, &bytes, &device) == simt::Unmapped::kDone;
  return report(known ? error : cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  if (const cudaError_t error = begin("cudaMemGetInfo")) return report(error);
  simt::memory_info(simt::current_device(), free, total);
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  if (const cudaError_t error = begin("cudaPointerGetAttributes")) return report(error);
  void* const address = const_cast<void*>(pointer);
  *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, address};
  simt::Region region{};
  const auto* const at = static_cast<const std::byte*>(pointer);
  if (!simt::find_region(pointer, &region) || region.freed || at < region.data ||
      at >= region.data + region.bytes)
    return cudaSuccess;
  if (region.kind == simt::Kind::kDevice)
    *attributes = {cudaMemoryTypeDevice, region.device, address, nullptr};
  else
    *attributes = {cudaMemoryTypeHost, region.device, address, address};
  return cudaSuccess;
}

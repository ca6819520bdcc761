// Memory pools: the devices' own and those that programs make.
#include "cudamat/simt/pools.hpp"

#include <algorithm>
#include <list>
#include <map>
#include <mutex>

#include "cudamat/simt/memory.hpp"
#include "cudamat/simt/runtime.hpp"
#include "cudamat/simt/simt.hpp"

struct CUmemPoolHandle_st {
  int device = 0;
  std::uint64_t release_threshold = 0;
  std::size_t used = 0;      ///< by live allocations
  std::size_t reserved = 0;  ///< with what the pool keeps of freed ones
  std::size_t used_high = 0;
  std::size_t reserved_high = 0;
};

namespace simt {
namespace {

struct Pools {
  std::mutex mutex;
  std::list<CUmemPoolHandle_st> all;
  std::map<int, cudaMemPool_t> defaults;         ///< by device
  std::map<const void*, cudaMemPool_t> pool_of;  ///< live allocations
  std::size_t total = std::size_t{4} << 30;
};

Pools& pools() {
  static auto* const the_pools = new Pools;
  return *the_pools;
}

/// The lock is held, here and below.
std::size_t reserved_on(int device) {
  std::size_t bytes = 0;
  for (const CUmemPoolHandle_st& pool : pools().all)
    if (pool.device == device) bytes += pool.reserved;
  return bytes;
}

bool known(cudaMemPool_t pool) {
  return std::ranges::any_of(pools().all,
                             [&](const CUmemPoolHandle_st& one) { return &one == pool; });
}

bool is_default(cudaMemPool_t pool) {
  return std::ranges::any_of(pools().defaults, [&](const auto& one) { return one.second == pool; });
}

cudaMemPool_t make_pool(int device) {
  pools().all.emplace_back().device = device;
  return &pools().all.back();
}

}  // namespace

cudaMemPool_t default_pool(int device) {
  const std::lock_guard lock(pools().mutex);
  cudaMemPool_t& pool = pools().defaults[device];
  if (pool == nullptr) pool = make_pool(device);
  return pool;
}

bool is_pool(cudaMemPool_t pool) {
  const std::lock_guard lock(pools().mutex);
  return known(pool);
}

int device_of(cudaMemPool_t pool) {
  return pool->device;
}

bool reserve(cudaMemPool_t pool, std::size_t bytes) {
  const std::lock_guard lock(pools().mutex);
  const std::size_t others = reserved_on(pool->device) - pool->reserved;
  const std::size_t taken = others + pool->used;
  if (taken > pools().total || bytes > pools().total - taken) return false;
  pool->used += bytes;
  pool->reserved = std::max(pool->reserved, pool->used);
  pool->used_high = std::max(pool->used_high, pool->used);
  pool->reserved_high = std::max(pool->reserved_high, pool->reserved);
  return true;
}

void note_pool(const void* allocation, cudaMemPool_t pool) {
  const std::lock_guard lock(pools().mutex);
  pools().pool_of[allocation] = pool;
}

void unreserve(const void* allocation, std::size_t bytes) {
  const std::lock_guard lock(pools().mutex);
  const auto found = pools().pool_of.find(allocation);
  found->second->used -= bytes;
  pools().pool_of.erase(found);
}

void set_memory(std::size_t bytes) {
  const std::lock_guard lock(pools().mutex);
  pools().total = bytes;
}

void memory_info(int device, std::size_t* free, std::size_t* total) {
  const std::lock_guard lock(pools().mutex);
  *total = pools().total;
  *free = *total - std::min(*total, reserved_on(device));
}

void trim_at_synchronisation(int device) {
  check_canaries(true);
  const std::lock_guard lock(pools().mutex);
  for (CUmemPoolHandle_st& pool : pools().all) {
    if (pool.device != device) continue;
    const auto keep =
        static_cast<std::size_t>(std::min<std::uint64_t>(pool.release_threshold, pool.reserved));
    pool.reserved = std::max(pool.used, keep);
  }
}

}  // namespace simt

using simt::begin;
using simt::report;

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  if (const cudaError_t error = begin("cudaDeviceGetDefaultMemPool")) return report(error);
  if (device < 0 || device >= simt::device_total()) return report(cudaErrorInvalidDevice);
  *pool = simt::default_pool(device);
  return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attr, void* value) {
  if (const cudaError_t error = begin("cudaMemPoolSetAttribute")) return report(error);
  const std::lock_guard lock(simt::pools().mutex);
  const std::uint64_t number = *static_cast<const std::uint64_t*>(value);
  switch (attr) {
    case cudaMemPoolAttrReleaseThreshold:
      pool->release_threshold = number;
      return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh:
    case cudaMemPoolAttrReservedMemHigh:
      if (number != 0) return report(cudaErrorInvalidValue);
      (attr == cudaMemPoolAttrUsedMemHigh ? pool->used_high : pool->reserved_high) = 0;
      return cudaSuccess;
    default:
      return report(cudaErrorInvalidValue);
  }
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attr, void* value) {
  if (const cudaError_t error = begin("cudaMemPoolGetAttribute")) return report(error);
  const std::lock_guard lock(simt::pools().mutex);
  auto& number = *static_cast<std::uint64_t*>(value);
  switch (attr) {
    case cudaMemPoolAttrReleaseThreshold:
      number = pool->release_threshold;
      break;
    case cudaMemPoolAttrReservedMemCurrent:
      number = pool->reserved;
      break;
    case cudaMemPoolAttrReservedMemHigh:
      number = pool->reserved_high;
      break;
    case cudaMemPoolAttrUsedMemCurrent:
      number = pool->used;
      break;
    case cudaMemPoolAttrUsedMemHigh:
      number = pool->used_high;
      break;
    default:
      return report(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t bytes_to_keep) {
  if (const cudaError_t error = begin("cudaMemPoolTrimTo")) return report(error);
  const std::lock_guard lock(simt::pools().mutex);
  pool->reserved = std::max(pool->used, std::min(pool->reserved, bytes_to_keep));
  return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  if (const cudaError_t error = begin("cudaMemPoolCreate", cudaErrorMemoryAllocation))
    return report(error);
  const cudaMemLocation& where = properties->location;
  if (properties->allocType != cudaMemAllocationTypePinned ||
      properties->handleTypes != cudaMemHandleTypeNone || where.type != cudaMemLocationTypeDevice)
    return report(cudaErrorInvalidValue);
  if (where.id < 0 || where.id >= simt::device_total()) return report(cudaErrorInvalidDevice);
  const std::lock_guard lock(simt::pools().mutex);
  *pool = simt::make_pool(where.id);
  return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  const cudaError_t error = begin("cudaMemPoolDestroy");
  const std::lock_guard lock(simt::pools().mutex);
  if (!simt::known(pool) || simt::is_default(pool)) return report(cudaErrorInvalidValue);
  // The real one is gone when what was allocated from it is freed.
  if (pool->used != 0) simt::fail("the pool is destroyed with %zu bytes in use", pool->used);
  simt::pools().all.remove_if([&](const CUmemPoolHandle_st& one) { return &one == pool; });
  return report(error);
}

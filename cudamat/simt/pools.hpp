// Memory pools, and how much memory each device has left. For the execution's own files.
#pragma once

#include <cstddef>
#include <cuda_runtime.h>

namespace simt {

/// A device's default pool. What cudaMalloc gives is counted there, too.
cudaMemPool_t default_pool(int device);
bool is_pool(cudaMemPool_t pool);
int device_of(cudaMemPool_t pool);

/// Counts the bytes; false if the device does not have so many in addition to what its other pools
/// hold or keep.
bool reserve(cudaMemPool_t pool, std::size_t bytes);
/// The allocation is of this pool.
void note_pool(const void* allocation, cudaMemPool_t pool);
/// It is freed.
void unreserve(const void* allocation, std::size_t bytes);

}  // namespace simt

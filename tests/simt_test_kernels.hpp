// Kernels for the tests of the execution itself: broken ones, each with a mistake that must be
// found, and right ones. simt_broken_kernels.cu has them.
#pragma once

#include <cstddef>
#include <cuda_runtime.h>

#include "cudamat/cuda/launch.cuh"

namespace simt_test {

// ---- right ----
__global__ void add_one(const float* a, float* out, int n);
/// out[block] is the sum of the block's part of a; blockDim.x is a multiple of 32.
__global__ void block_sum(const float* a, float* out, int n);
/// out (cols x rows) is the transpose of a (rows x cols), both column-major; tiles of 8 x 8.
__global__ void transpose(const float* a, float* out, int rows, int cols);
/// out[t] = a[n - 1 - t] for one block of n threads.
__global__ void reverse(const float* a, float* out);
__global__ void count_positive(const int* a, int n, unsigned* count, int* largest);
/// out[8 t ..]: what thread t of one warp gets from each of the intrinsics.
__global__ void intrinsics(int* out);
/// Every half of a warp shuffles by itself.
__global__ void half_warps(int* out);

// ---- barriers ----
__global__ void reverse_without_barrier(const float* a, float* out);
/// One barrier is missing: between reading a neighbour's value and writing one's own.
__global__ void shift_without_barrier(float* out);
__global__ void barrier_for_some(float* out);
__global__ void return_before_barrier(float* out);
__global__ void two_barriers(float* out);
__global__ void barrier_and_shuffle(int* out);

// ---- warps ----
__global__ void shuffle_full_mask(int* out);
__global__ void shuffle_after_return(int* out);
__global__ void leave_before_shuffle(int* out);
__global__ void shuffle_outside_mask(int* out);
__global__ void shuffle_from_outside_mask(int* out);
__global__ void different_intrinsics(int* out);
__global__ void different_masks(int* out);
__global__ void width_of_three(int* out);

// ---- memory ----
__global__ void write_one_past(float* out, int n);
__global__ void write_one_before(float* out, int n);
__global__ void read_one_past(const float* a, float* out, int n);
__global__ void shared_one_past(float* out);
__global__ void shared_one_before(float* out);
__global__ void read_uninitialised_shared(float* out);
__global__ void shared_of_the_block_before(float* out);
__global__ void double_values(float* a, int n);
struct Operands {
  const float* a;
  float* out;
};
__global__ void copy_operands(Operands operands, int n);
__global__ void write_null(Operands operands);
__global__ void throws(int* out);
__global__ void recurse(int* out, int depth);

/// Launches under a name; returns the launch's status.
template <class... Params, class... Args>
cudaError_t run(const char* name, dim3 blocks, dim3 threads, std::size_t shared_bytes,
                cudaStream_t stream, void (*kernel)(Params...), const Args&... args) {
  cudamat::cuda::launching = name;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...);
}

}  // namespace simt_test

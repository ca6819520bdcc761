#include <stdexcept>

#include "tests/simt_test_kernels.hpp"

namespace simt_test {

using cudamat::cuda::shared_memory;

namespace {

constexpr unsigned kAllLanes = 0xffffffffu;

__device__ int global_thread() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}
__device__ int lane() {
  return static_cast<int>(threadIdx.x % 32);
}

}  // namespace

// ---- right ----

__global__ void add_one(const float* a, float* out, int n) {
  const int i = global_thread();
  if (i < n) out[i] = a[i] + 1;
}

__global__ void block_sum(const float* a, float* out, int n) {
  float* const of_warps = shared_memory<float>();
  const int i = global_thread();
  float sum = i < n ? a[i] : 0;
  for (unsigned distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(kAllLanes, sum, distance);
  if (lane() == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  float total = 0;
  for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) total += of_warps[warp];
  out[blockIdx.x] = total;
}

__global__ void transpose(const float* a, float* out, int rows, int cols) {
  constexpr unsigned kTile = 8;
  float* const tile = shared_memory<float>();
  const auto row = static_cast<int>(blockIdx.x * kTile + threadIdx.x);
  const auto col = static_cast<int>(blockIdx.y * kTile + threadIdx.y);
  if (row < rows && col < cols) tile[threadIdx.y * (kTile + 1) + threadIdx.x] = a[row + col * rows];
  __syncthreads();
  const auto out_row = static_cast<int>(blockIdx.y * kTile + threadIdx.x);
  const auto out_col = static_cast<int>(blockIdx.x * kTile + threadIdx.y);
  if (out_row < cols && out_col < rows)
    out[out_row + out_col * cols] = tile[threadIdx.x * (kTile + 1) + threadIdx.y];
}

__global__ void reverse(const float* a, float* out) {
  float* const values = shared_memory<float>();
  values[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

__global__ void count_positive(const int* a, int n, unsigned* count, int* largest) {
  const int i = global_thread();
  if (i >= n) return;
  if (a[i] > 0) atomicAdd(count, 1u);
  atomicMax(largest, a[i]);
}

__global__ void intrinsics(int* out) {
  const int mine = 100 + lane();
  int* const at = out + 8 * lane();
  at[0] = __shfl_sync(kAllLanes, mine, 3, 8);
  at[1] = __shfl_up_sync(kAllLanes, mine, 1, 16);
  at[2] = __shfl_down_sync(kAllLanes, mine, 2);
  at[3] = __shfl_xor_sync(kAllLanes, mine, 5);
  at[4] = static_cast<int>(__ballot_sync(kAllLanes, lane() % 4 == 0));
  at[5] = __any_sync(kAllLanes, lane() == 31);
  at[6] = __all_sync(kAllLanes, lane() < 31);
  __syncwarp();
  at[7] = static_cast<int>(__shfl_sync(kAllLanes, 0.5 * lane(), 6));
}

__global__ void half_warps(int* out) {
  int value = lane();
  if (lane() < 16) {
    for (int i = 0; i < 4; ++i) value += __shfl_xor_sync(0x0000ffffu, value, 1 << i, 16);
  } else {
    for (int i = 0; i < 4; ++i) value += __shfl_xor_sync(0xffff0000u, value, 1 << i, 16);
  }
  out[lane()] = value;
}

// ---- barriers ----

__global__ void reverse_without_barrier(const float* a, float* out) {
  float* const values = shared_memory<float>();
  values[threadIdx.x] = a[threadIdx.x];
  out[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

__global__ void shift_without_barrier(float* out) {
  float* const values = shared_memory<float>();
  values[threadIdx.x] = static_cast<float>(threadIdx.x);
  __syncthreads();
  const float next = values[(threadIdx.x + 1) % blockDim.x];
  values[threadIdx.x] = next;
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}

__global__ void barrier_for_some(float* out) {
  if (threadIdx.x < 40) __syncthreads();
  out[threadIdx.x] = 1;
}

__global__ void return_before_barrier(float* out) {
  if (threadIdx.x == 63) return;
  __syncthreads();
  out[threadIdx.x] = 1;
}

__global__ void two_barriers(float* out) {
  if (threadIdx.x < 32)
    __syncthreads();
  else
    __syncthreads();
  out[threadIdx.x] = 1;
}

__global__ void barrier_and_shuffle(int* out) {
  if (threadIdx.x < 8) __syncthreads();
  out[threadIdx.x] = __shfl_sync(kAllLanes, lane(), 0);
}

// ---- warps ----

__global__ void shuffle_full_mask(int* out) {
  out[threadIdx.x] = __shfl_sync(kAllLanes, lane(), 0);
}

__global__ void shuffle_after_return(int* out) {
  if (lane() >= 16) return;
  out[threadIdx.x] = __shfl_sync(kAllLanes, lane(), 0);
}

__global__ void leave_before_shuffle(int* out) {
  if (lane() == 0) return;
  out[threadIdx.x] = __shfl_sync(kAllLanes, lane(), 1);
}

__global__ void shuffle_outside_mask(int* out) {
  out[threadIdx.x] = __shfl_sync(0x0000ffffu, lane(), 0);
}

__global__ void shuffle_from_outside_mask(int* out) {
  if (lane() < 16) out[threadIdx.x] = __shfl_sync(0x0000ffffu, lane(), 20);
}

__global__ void different_intrinsics(int* out) {
  if (lane() < 16)
    out[threadIdx.x] = __shfl_sync(kAllLanes, lane(), 0);
  else
    out[threadIdx.x] = __any_sync(kAllLanes, lane());
}

__global__ void different_masks(int* out) {
  const unsigned mask = lane() < 16 ? kAllLanes : 0xffff0000u;
  out[threadIdx.x] = __shfl_sync(mask, lane(), 16);
}

__global__ void width_of_three(int* out) {
  out[threadIdx.x] = __shfl_sync(kAllLanes, lane(), 0, 3);
}

// ---- memory ----

__global__ void write_one_past(float* out, int n) {
  const int i = global_thread();
  if (i <= n) out[i] = 1;
}

__global__ void write_one_before(float* out, int n) {
  const int i = global_thread();
  if (i < n) out[i - 1] = 1;
}

__global__ void read_one_past(const float* a, float* out, int n) {
  const int i = global_thread();
  if (i < n) out[i] = a[i + 1];
}

__global__ void shared_one_past(float* out) {
  float* const values = shared_memory<float>();
  values[threadIdx.x + 1] = 1;
  out[threadIdx.x] = 1;
}

__global__ void shared_one_before(float* out) {
  float* const values = shared_memory<float>();
  values[static_cast<int>(threadIdx.x) - 1] = 1;
  out[threadIdx.x] = 1;
}

__global__ void read_uninitialised_shared(float* out) {
  float* const values = shared_memory<float>();
  if (threadIdx.x % 2 == 0) values[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}

__global__ void shared_of_the_block_before(float* out) {
  float* const values = shared_memory<float>();
  if (blockIdx.x == 0) values[threadIdx.x] = 1;
  out[global_thread()] = values[threadIdx.x];
}

__global__ void double_values(float* a, int n) {
  const int i = global_thread();
  if (i < n) a[i] *= 2;
}

__global__ void copy_operands(Operands operands, int n) {
  const int i = global_thread();
  if (i < n) operands.out[i] = operands.a[i];
}

__global__ void write_null(Operands operands) {
  operands.out[threadIdx.x] = 0;
}

__global__ void throws(int* out) {
  if (threadIdx.x == 7) throw std::runtime_error("seven");
  out[threadIdx.x] = 0;
}

__global__ void recurse(int* out, int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  if (depth > 0) recurse(out, depth - 1);
  out[0] = frame[0];
}

}  // namespace simt_test

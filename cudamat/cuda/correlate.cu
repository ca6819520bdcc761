// Correlation with a small kernel, directly.
#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/launch.cuh"

namespace cudamat::cuda {
namespace {

/// A thread computes whole sums, in the order of npmat: down the kernel's columns, one after the
/// other. Neighbouring threads are neighbours in a column, so that they read neighbouring elements
/// of mat, all through the cache, and the same of the kernel.
template <class T>
__global__ void correlate_kernel(const T* __restrict__ mat, Index rows, Index cols,
                                 const T* __restrict__ kernel, Index kernel_rows, Index kernel_cols,
                                 T* __restrict__ target) {
  const Index up = kernel_rows / 2, left = kernel_cols / 2;
  for (Index at = first_item(); at < rows * cols; at += stride()) {
    const Index j = at / rows, i = at - j * rows;
    const Index first_q = j < left ? left - j : 0;
    const Index last_q = cols - j + left < kernel_cols ? cols - j + left : kernel_cols;
    const Index first_p = i < up ? up - i : 0;
    const Index last_p = rows - i + up < kernel_rows ? rows - i + up : kernel_rows;
    T sum = 0;
    for (Index q = first_q; q < last_q; ++q) {
      const T* const column = mat + (i - up) + rows * (j + q - left);
      const T* const factors = kernel + kernel_rows * q;
#pragma unroll 4
      for (Index p = first_p; p < last_p; ++p) sum += column[p] * factors[p];
    }
    target[at] = sum;
  }
}

}  // namespace

template <class T>
void Engine<T>::correlate(const T* mat, Index rows, Index cols, const T* kernel, Index kernel_rows,
                          Index kernel_cols, T* target) {
  launch({cudamat::name(Op::correlate).data(), dim3(blocks_for(rows * cols, kThreads))},
         correlate_kernel<T>, mat, rows, cols, kernel, kernel_rows, kernel_cols, target);
}

#define INSTANTIATE(T) \
  template void Engine<T>::correlate(const T*, Index, Index, const T*, Index, Index, T*);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace cudamat::cuda

// Matrices of printed CUDA programs: their memory, launches of kernels for their elements, and what
// is read from arrays and written to them.
#pragma once

#include <cstddef>

#include "cudamat/cuda/launch.cuh"
#include "rewriter/emit/standalone/cuda/device.cuh"

namespace cudamat::cuda {

template <class T>
__global__ void fill_kernel(T* target, Index n, T value) {
  for (Index k = first_item(); k < n; k += stride()) target[k] = value;
}

template <class T>
void fill(T* target, Index n, T value) {
  launch({"fill", blocks_for(n, kThreads)}, fill_kernel<T>, target, n, value);
}

}  // namespace cudamat::cuda

namespace cudamat {

using cuda::first_item;

using cuda::stride;

/// Queues a kernel for so many items.
template <class... Params, class... Args>
void launch(void (*kernel)(Params...), Index items, Args... args) {
  cuda::launch({"a kernel", cuda::blocks_for(items, cuda::kThreads)}, kernel, args...);
}

/// The device's memory of a run, in bytes; not initialised.
class Memory {
 public:
  explicit Memory(std::size_t bytes) { CUDAMAT_CUDA(cudaMalloc(&data_, bytes)); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { (void)cudaFree(data_); }
  Matrix matrix(std::size_t at, Index rows, Index cols) const {
    return {reinterpret_cast<T*>(data_ + at), rows, cols};
  }

 private:
  char* data_ = nullptr;
};

/// Copies an array, of the host or of the device, column by column, and back.
inline void upload(const T* array, Matrix target) {
  if (target.size() > 0)
    CUDAMAT_CUDA(cudaMemcpyAsync(target.data, array, sizeof(T) * std::size_t(target.size()),
                                 cudaMemcpyDefault, cuda::state().stream));
}
inline void download(Matrix source, T* array) {
  cuda::copy_to_host(source.data, array, source.size());
}

/// The first element, when it is computed.
inline T first(Matrix a) {
  T value{};
  cuda::copy_to_host(a.data, &value, 1);
  return value;
}

inline void fill(Matrix target, T value) {
  cuda::fill(target.data, target.size(), value);
}

__global__ void ones_kernel(Matrix target, Index i, Index j, Index count) {
  for (Index k = first_item(); k < count; k += stride()) target(i + k, j + k) = 1;
}

/// Zeros, and `count` ones down a diagonal from row i and column j on.
inline void eye(Matrix target, Index i, Index j, Index count) {
  fill(target, 0);
  launch(ones_kernel, count, target, i, j, count);
}

__global__ void transpose_kernel(Matrix source, Matrix target) {
  for (Index k = first_item(); k < source.size(); k += stride())
    target(k / source.rows, k % source.rows) = source[k];
}

/// An array of NumPy's of two dimensions, row by row, as a matrix, and back.
inline void read_rows(const T* array, Matrix target) {
  const cuda::Workspace<T> rows(target.size());
  const Matrix transposed{rows.data(), target.cols, target.rows};
  upload(array, transposed);
  launch(transpose_kernel, target.size(), transposed, target);
}
inline void write_rows(Matrix source, T* array) {
  const cuda::Workspace<T> rows(source.size());
  const Matrix transposed{rows.data(), source.cols, source.rows};
  launch(transpose_kernel, source.size(), source, transposed);
  download(transposed, array);
}

}  // namespace cudamat

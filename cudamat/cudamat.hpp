// Cudamat on the GPU, in float (as the original) and double.
//
//   #include "cudamat/cudamat.hpp"
//   namespace cm = cudamat;
//   cm::CUDAMatrix<float> a(cm::HostMatrix<float>{{1, 2}, {3, 4}});
//   auto b = cm::dot(a, a.T());
//
// cudamat/matrix.hpp and cudamat/functions.hpp document the calls, cudamat/cuda/device.hpp devices,
// contexts and memory, cudamat/cuda/stream.hpp how to order other work with theirs. npmat/npmat.hpp
// has the same names on the CPU.
#pragma once

#include "cudamat/cuda/device.hpp"
#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/stream.hpp"
#include "cudamat/functions.hpp"
#include "cudamat/matrix.hpp"

namespace cudamat {

template <class T>
using CUDAMatrix = Matrix<cuda::Engine<T>>;

/// Uninitialised, zero and standard normal matrices.
template <class T>
CUDAMatrix<T> empty(Shape shape) {
  return CUDAMatrix<T>::empty(shape);
}
template <class T>
CUDAMatrix<T> zeros(Shape shape) {
  return CUDAMatrix<T>::zeros(shape);
}
template <class T>
CUDAMatrix<T> randn(Index rows, Index cols) {
  return CUDAMatrix<T>::randn({rows, cols});
}

using cuda::cublas_init;
using cuda::cublas_shutdown;
using cuda::cuda_set_device;
using cuda::cuda_sync_threads;

/// Later names of the original package.
inline void init(int max_ones = 0) {
  cuda::cublas_init(max_ones);
}
inline void shutdown() {
  cuda::cublas_shutdown();
}

}  // namespace cudamat

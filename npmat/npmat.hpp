// npmat: Cudamat's interface on the CPU, in float, double and long double (80 bits on x86).
//
//   #include "npmat/npmat.hpp"
//   namespace cm = npmat;
//   cm::CUDAMatrix<float> a(cm::HostMatrix<float>{{1, 2}, {3, 4}});
//   auto b = cm::dot(a, a.T());
//
// cudamat/matrix.hpp and cudamat/functions.hpp document the calls.
#pragma once

#include "cudamat/functions.hpp"
#include "cudamat/matrix.hpp"
#include "npmat/engine.hpp"

namespace npmat {

using namespace cudamat;  // NOLINT(google-build-using-namespace): the same API under this name

template <class T>
using CUDAMatrix = cudamat::Matrix<npmat::Engine<T>>;

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

// Set-up calls of the original package; a CPU needs no set-up.
inline void cublas_init() {}
inline void cublas_shutdown() {}
inline void init(Index /*max_ones*/ = 0) {}
inline void shutdown() {}
inline void cuda_set_device(int /*device*/) {}
inline void cuda_sync_threads() {}

}  // namespace npmat

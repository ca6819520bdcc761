// Whole matrices from a number, and element by element from two others.
#include "cudamat/cuda/elementwise.cuh"
#include "cudamat/cuda/engine.hpp"
#include "cudamat/functors.hpp"

namespace cudamat::cuda {
namespace {

template <class T>
struct Constant {
  T value;
  __device__ T operator()() const { return value; }
};

}  // namespace

template <class T>
void Engine<T>::fill(T* target, Index n, T value) {
  elementwise("fill", Constant<T>{value}, target, n);
}

template <class T>
void Engine<T>::where(const T* cond, const T* yes, const T* no, T* target, Index n) {
  elementwise(cudamat::name(Op::where).data(), functors::Choose{}, target, n, cond, yes, no);
}

#define INSTANTIATE(T)                         \
  template void Engine<T>::fill(T*, Index, T); \
  template void Engine<T>::where(const T*, const T*, const T*, T*, Index);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace cudamat::cuda

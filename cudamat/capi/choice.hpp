// Which engine the library computes on.
#pragma once

#include <cstdint>

#include "cudamat/error.hpp"
#include "npmat/engine.hpp"
#ifdef CUDAMAT_CAPI_CUDA
#include "cudamat/cuda/device.hpp"
#include "cudamat/cuda/engine.hpp"
#endif

namespace cudamat::capi {

enum class Choice : std::uint8_t { Npmat, Cuda };

/// By GNUMPY_USE_GPU, at the first call. Throws LibraryError where a GPU was demanded and there is
/// none, or where the variable has no meaning.
Choice choice();

/// An engine's devices.
template <class E>
struct Device;

template <>
struct Device<npmat::Engine<float>> {
  static int count() { return 1; }
  static void set(int /*device*/) {}
  static void start() {}
  static void shutdown() {}
};

#ifdef CUDAMAT_CAPI_CUDA
template <>
struct Device<cuda::Engine<float>> {
  static int count() { return cuda::device_count(); }
  static void set(int device) { cuda::cuda_set_device(device); }
  static void start() { cuda::cublas_init(); }
  static void shutdown() { cuda::cublas_shutdown(); }
};
#endif

/// f(e) with an object e of the chosen engine's class.
template <class F>
void on_engine(F&& f) {
  switch (choice()) {
    case Choice::Npmat:
      return f(npmat::Engine<float>());
    case Choice::Cuda:
#ifdef CUDAMAT_CAPI_CUDA
      return f(cuda::Engine<float>());
#else
      break;
#endif
  }
  throw InternalError("the C interface has no such engine");
}

}  // namespace cudamat::capi

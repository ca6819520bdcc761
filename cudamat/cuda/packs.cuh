// Matrices seen as packs of 16 bytes.
#pragma once

#include "cudamat/cuda/launch.cuh"

namespace cudamat::cuda {

/// The same memory as packs; aligned_for_packs() says whether it may be used.
template <class T>
const Pack<T>* as_packs(const T* pointer) {
  return reinterpret_cast<const Pack<T>*>(pointer);
}
template <class T>
Pack<T>* as_packs(T* pointer) {
  return reinterpret_cast<Pack<T>*>(pointer);
}

/// Whether stretches of memory of these lengths are whole packs.
template <class T, class... Extents>
bool whole_packs(Extents... extents) {
  return ((extents % Pack<T>::kSize == 0) && ...);
}

/// Whether packs may be read or written at all of them.
template <class... Pointers>
bool all_aligned(const Pointers*... pointers) {
  return (aligned_for_packs(pointers) && ...);
}

}  // namespace cudamat::cuda

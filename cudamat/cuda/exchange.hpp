// Memory of CUDA devices for cudamat/exchange.hpp: cudamat's matrices from and for other libraries.
//
// Memory of the calling thread's device is shared; memory of the host is copied. What another
// library gives as CUDA's must be: CUDA itself is asked where an address is.
#pragma once

#include "cudamat/cuda/engine.hpp"
#include "cudamat/exchange.hpp"

namespace cudamat::cuda {

const Sharing& sharing_of_cuda();

template <class T>
const Sharing& sharing(const Engine<T>* /*engine*/) {
  return sharing_of_cuda();
}

}  // namespace cudamat::cuda

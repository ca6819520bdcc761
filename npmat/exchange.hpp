// Memory of the CPU for cudamat/exchange.hpp: npmat's matrices from and for other libraries.
// Pinned memory of CUDA's is memory of the CPU, too.
#pragma once

#include "cudamat/exchange.hpp"
#include "npmat/engine.hpp"

namespace npmat {

const cudamat::Sharing& sharing_of_cpu();

template <class T>
const cudamat::Sharing& sharing(const Engine<T>* /*engine*/) {
  return sharing_of_cpu();
}

}  // namespace npmat

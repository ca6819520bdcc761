// Draws that are made by a kernel of the engine's own instead of cuRAND.
#pragma once

#include <cstdint>

#include "cudamat/index.hpp"

namespace cudamat::cuda {

/// Where uniforms are taken from: philox_uniforms() of cudamat/philox.hpp.
struct Drawn {
  std::uint64_t seed;
  std::uint64_t position;
};

/// Takes n values from the stream of T, as Engine<T>::uniform of n would.
template <class T>
Drawn draw_later(Index n);

}  // namespace cudamat::cuda

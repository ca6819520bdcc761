// Element-wise operations: the engine's function. Not a .cu file, because nvcc cannot read fmt.
#include "cudamat/cuda/map.hpp"

#include "cudamat/cuda/engine.hpp"
#include "cudamat/error.hpp"

namespace cudamat::cuda {

template <class T>
void Engine<T>::map(const MapCall<T>& call) {
  if (call.rows == 0 || call.cols == 0) return;
  const bool unary = row(call.op).family == Family::Unary;
  if (!(unary ? map_unary(call) : map_binary(call)))
    throw InternalError(
        fmt::format("map: {} has no implementation of this form", cudamat::name(call.op)));
}

template void Engine<float>::map(const MapCall<float>&);
template void Engine<double>::map(const MapCall<double>&);

}  // namespace cudamat::cuda

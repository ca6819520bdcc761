// The unary rows in float.
#include "cudamat/cuda/map_unary.cuh"

namespace cudamat::cuda {

template bool map_unary(const MapCall<float>&);

}  // namespace cudamat::cuda

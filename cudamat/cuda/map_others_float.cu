// The rows with more than one operand, in float.
#include "cudamat/cuda/map_others.cuh"

namespace cudamat::cuda {

template bool map_others(const MapCall<float>&);

}  // namespace cudamat::cuda

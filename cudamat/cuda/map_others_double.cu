// The rows with more than one operand, in double.
#include "cudamat/cuda/map_others.cuh"

namespace cudamat::cuda {

template bool map_others(const MapCall<double>&);

}  // namespace cudamat::cuda

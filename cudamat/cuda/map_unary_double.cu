// The unary rows in double.
#include "cudamat/cuda/map_unary.cuh"

namespace cudamat::cuda {

template bool map_unary(const MapCall<double>&);

}  // namespace cudamat::cuda

// The element-wise rows of the op table with more than one operand. They are together because they
// share functors, and with them kernels.
#include "cudamat/cuda/map.cuh"

namespace cudamat::cuda {

template <class T>
bool map_binary(const MapCall<T>& call) {
  switch (call.op) {
#define ROW(op, family, style, functor, numpy, facts) \
  case Op::op:                                        \
    return map_row<Family::family, functors::functor>(call);
    CUDAMAT_BINARY_OPS(ROW)
    CUDAMAT_BROADCAST_OPS(ROW)
    CUDAMAT_OTHER_MAP_OPS(ROW)
#undef ROW
    default:
      return false;
  }
}

template bool map_binary(const MapCall<float>&);
template bool map_binary(const MapCall<double>&);

}  // namespace cudamat::cuda

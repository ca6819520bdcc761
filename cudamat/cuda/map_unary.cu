// The unary rows of the op table.
#include "cudamat/cuda/map.cuh"

namespace cudamat::cuda {

template <class T>
bool map_unary(const MapCall<T>& call) {
  switch (call.op) {
#define ROW(op, family, style, functor, numpy, facts) \
  case Op::op:                                        \
    return map_row<Family::family, functors::functor>(call);
    CUDAMAT_UNARY_OPS(ROW)
#undef ROW
    default:
      return false;
  }
}

template bool map_unary(const MapCall<float>&);
template bool map_unary(const MapCall<double>&);

}  // namespace cudamat::cuda

// The unary rows of the op table.
#pragma once

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

}  // namespace cudamat::cuda

// Sums, means, products and extremes over an axis.
#include <stdexcept>

#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/reduce.cuh"

namespace cudamat::cuda {
namespace {

template <class F, class T>
void reduce_axis(const ReduceCall<T>& call) {
  const Segments shape = segments(call);
  reduce_segments<Fold<T, F>>(
      cudamat::name(call.op).data(), Numbers<T>{call.a}, shape,
      Update<T>{call.target, call.mult, call.beta, T(shape.length), call.op == Op::mean});
}

/// Runs a row of the table.
template <Family kFamily, class F, class T>
void reduce_row(const ReduceCall<T>& call) {
  if constexpr (kFamily == Family::ArgReduction)
    reduce_to_index<F>(call);
  else
    reduce_axis<F>(call);
}

}  // namespace

template <class T>
void Engine<T>::reduce(const ReduceCall<T>& call) {
  if ((call.axis == 0 ? call.cols : call.rows) == 0) return;
  switch (call.op) {
#define ROW(op, family, style, functor, numpy, facts) \
  case Op::op:                                        \
    return reduce_row<Family::family, functors::functor>(call);
    CUDAMAT_REDUCTION_OPS(ROW)
#undef ROW
#define ROW(op, family, style, functor, numpy, facts) case Op::op:
    CUDAMAT_MAP_OPS(ROW)
    CUDAMAT_WHOLE_OPS(ROW)
    CUDAMAT_OTHER_OPS(ROW)
#undef ROW
    break;
  }
  throw std::logic_error("reduce: not a reduction");
}

template void Engine<float>::reduce(const ReduceCall<float>&);
template void Engine<double>::reduce(const ReduceCall<double>&);

}  // namespace cudamat::cuda

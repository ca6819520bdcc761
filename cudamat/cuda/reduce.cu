// Sums, means, products and extremes over an axis.
#include <stdexcept>

#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/reduce.cuh"
#include "cudamat/cuda/reduce.hpp"

namespace cudamat::cuda {
namespace {

template <class F, class T>
void reduce_axis(const ReduceCall<T>& call) {
  const Segments shape = segments(call);
  reduce_segments<Fold<T, F>>(
      cudamat::name(call.op).data(), Numbers<T>{call.a}, shape,
      Update<T>{call.target, call.mult, call.beta, T(shape.length), call.op == Op::mean});
}

/// run.operator()<family, functor>() of a row of the table.
template <class Run>
void for_reducer(Op op, const Run& run) {
  switch (op) {
#define ROW(op, family, style, functor, numpy, facts) \
  case Op::op:                                        \
    return run.template operator()<Family::family, functors::functor>();
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

}  // namespace

template <class T>
void Engine<T>::reduce(const ReduceCall<T>& call) {
  if ((call.axis == 0 ? call.cols : call.rows) == 0) return;
  for_reducer(call.op, [&]<Family kFamily, class F>() {
    if constexpr (kFamily == Family::ArgReduction)
      reduce_to_index<F>(call);
    else
      reduce_axis<F>(call);
  });
}

template <class T>
void reduce_parts(Op op, const Segments& shape, const T* parts, const Update<T>& result) {
  for_reducer(op, [&]<Family kFamily, class F>() {
    if constexpr (kFamily != Family::ArgReduction)
      reduce_segments<Fold<T, F>>(cudamat::name(op).data(), Numbers<T>{parts}, shape, result);
  });
}

template void Engine<float>::reduce(const ReduceCall<float>&);
template void Engine<double>::reduce(const ReduceCall<double>&);
template void reduce_parts(Op, const Segments&, const float*, const Update<float>&);
template void reduce_parts(Op, const Segments&, const double*, const Update<double>&);

}  // namespace cudamat::cuda

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

}  // namespace

template <class T>
void Engine<T>::reduce(const ReduceCall<T>& call) {
  if ((call.axis == 0 ? call.cols : call.rows) == 0) return;
  switch (call.op) {
    case Op::sum:
    case Op::mean:
      return reduce_axis<functors::Sum>(call);
    case Op::max:
      return reduce_axis<functors::Max>(call);
    case Op::min:
      return reduce_axis<functors::Min>(call);
    case Op::prod:
      return reduce_axis<functors::Prod>(call);
    case Op::argmax:
    case Op::argmin:
      return reduce_to_index(call);
    default:
      throw std::logic_error("reduce: not a reduction");
  }
}

template void Engine<float>::reduce(const ReduceCall<float>&);
template void Engine<double>::reduce(const ReduceCall<double>&);

}  // namespace cudamat::cuda

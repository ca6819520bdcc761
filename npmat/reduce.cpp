// Sums, means, products, extremes: over an axis and over everything.
#include "cudamat/error.hpp"
#include "npmat/engine.hpp"
#include "npmat/reduce_lanes.hpp"

namespace npmat {
namespace {

using cudamat::Op;
using cudamat::ReduceCall;
namespace functors = cudamat::functors;

constexpr Index kShort = 64;     ///< shorter columns are reduced several at a time
constexpr Index kTogether = 16;  ///< so many

/// out[c] = reduction of column c, for kTogether columns of `rows` elements, one after the other.
template <class R>
CUDAMAT_TARGET_CLONES void reduce_together(const typename R::Value* a, Index rows,
                                           typename R::Acc* out) {
  typename R::Acc acc[kTogether];
  for (Index c = 0; c < kTogether; ++c) acc[c] = R::identity();
  for (Index i = 0; i < rows; ++i)
    for (Index c = 0; c < kTogether; ++c)
      acc[c] = R::join(acc[c], R::load(a, nullptr, i + rows * c));
  for (Index c = 0; c < kTogether; ++c) out[c] = acc[c];
}

template <class R, class Sink>
void reduce_short_columns(const typename R::Value* a, Index rows, Index begin, Index end,
                          const Sink& sink) {
  typename R::Acc values[kTogether];
  Index j = begin;
  for (; j + kTogether <= end; j += kTogether) {
    reduce_together<R>(a + rows * j, rows, values);
    sink(j, kTogether, values);
  }
  for (; j < end; ++j) {
    values[0] = R::identity();
    for (Index i = 0; i < rows; ++i)
      values[0] = R::join(values[0], R::load(a, nullptr, i + rows * j));
    sink(j, 1, values);
  }
}

/// Calls sink(j, count, values) with the reductions of columns j, j + 1 ... until all are done.
template <class R, class Sink>
void reduce_columns(const typename R::Value* a, Index rows, Index cols, const Sink& sink) {
  const Index grain = std::max(Index(1), kPiece / rows);
  if (rows < kShort)
    return parallel_for(
        cols, (grain + kTogether - 1) / kTogether * kTogether,
        [&](Index begin, Index end) { reduce_short_columns<R>(a, rows, begin, end, sink); });
  const Plan plan(1, rows);
  const auto reduce = [&](Index j, bool parallel) {
    reduce_rows<R>(plan, a + rows * j, nullptr, parallel,
                   [&](Index, Index, const auto* value) { sink(j, 1, value); });
  };
  if (cols < kPieces && rows > kPiece) {
    for (Index j = 0; j < cols; ++j) reduce(j, true);
    return;
  }
  parallel_for(cols, grain, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) reduce(j, false);
  });
}

/// beta * target + mult * value, where a 0 hides the target and a 1 changes nothing.
template <class T>
T update(const T& target, T beta, T value, T mult) {
  const T scaled = mult == T(1) ? value : mult * value;
  return beta == T(0) ? scaled : beta * target + scaled;
}

template <class T, class F>
void reduce_axis(const ReduceCall<T>& call) {
  using R = Plain<T, F>;
  const Index length = call.axis == 0 ? call.rows : call.cols;
  const Index count = call.axis == 0 ? call.cols : call.rows;
  const auto sink = [&](Index first, Index some, const typename R::Acc* values) {
    for (Index i = 0; i < some; ++i) {
      T& target = call.target[first + i];
      const T value = call.op == Op::mean ? T(values[i]) / T(length) : T(values[i]);
      target = update(target, call.beta, value, call.mult);
    }
  };
  const auto none = R::identity();
  if (length == 0)
    for (Index i = 0; i < count; ++i) sink(i, 1, &none);
  else if (call.axis == 0)
    reduce_columns<R>(call.a, call.rows, call.cols, sink);
  else
    reduce_rows<R>(Plan(call.rows, call.cols), call.a, nullptr, true, sink);
}

template <class R>
typename R::Acc reduce_whole(const typename R::Value* a, const typename R::Value* b, Index n) {
  auto result = R::identity();
  if (n > 0)
    reduce_rows<R>(Plan(1, n), a, b, true,
                   [&](Index, Index, const auto* value) { result = *value; });
  return result;
}

}  // namespace

template <class T>
void reduce_to_index(const ReduceCall<T>& call);  // reduce_arg.cpp

template <class T>
void Engine<T>::reduce(const cudamat::ReduceCall<T>& call) {
  if ((call.axis == 0 ? call.cols : call.rows) == 0) return;
  switch (call.op) {
    case Op::sum:
    case Op::mean:
      return reduce_axis<T, functors::Sum>(call);
    case Op::max:
      return reduce_axis<T, functors::Max>(call);
    case Op::min:
      return reduce_axis<T, functors::Min>(call);
    case Op::prod:
      return reduce_axis<T, functors::Prod>(call);
    case Op::argmax:
    case Op::argmin:
      return reduce_to_index(call);
    default:
      throw cudamat::InternalError("reduce: not a reduction");
  }
}

template <class T>
T Engine<T>::reduce_all(cudamat::Op op, const T* a, const T* b, Index n) {
  switch (op) {
    case Op::euclid_norm:
      return T(std::sqrt(reduce_whole<Squares<T>>(a, nullptr, n)));
    case Op::manhattan_norm:
      return T(reduce_whole<Magnitudes<T>>(a, nullptr, n));
    case Op::vdot:
      return T(reduce_whole<Products<T>>(a, b, n));
    case Op::allfinite:
      return T(reduce_whole<Finiteness<T>>(a, nullptr, n) == T(0));
    case Op::total_sum:
      return T(reduce_whole<Total<T>>(a, nullptr, n));
    case Op::total_mean:
      return T(reduce_whole<Total<T>>(a, nullptr, n)) / T(n);
    case Op::total_max:
      return reduce_whole<Plain<T, functors::Max>>(a, nullptr, n);
    default:
      throw cudamat::InternalError("reduce_all: not a reduction");
  }
}

#define INSTANTIATE(T)                                            \
  template void Engine<T>::reduce(const cudamat::ReduceCall<T>&); \
  template T Engine<T>::reduce_all(cudamat::Op, const T*, const T*, Index);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(long double)
#undef INSTANTIATE

}  // namespace npmat

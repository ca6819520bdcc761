// Sums, means, products, extremes: over an axis and over everything.
#include "cudamat/error.hpp"
#include "npmat/engine.hpp"
#include "npmat/reduce_lanes.hpp"
#include "npmat/reductions.hpp"

namespace npmat {
namespace {

using cudamat::Op;
using cudamat::ReduceCall;
namespace functors = cudamat::functors;

constexpr Index kBuffer = 1024;  ///< numbers of short columns at a time

/// out[j] = reduction of column j of `cols` columns of rows < kShortColumn, rows * cols <= kBuffer.
/// Neighbours are joined, which halves the columns, until their length is odd; then the elements of
/// many columns are taken one after the other.
template <class R>
CUDAMAT_TARGET_CLONES void reduce_halves(const typename R::Value* a, Index rows, Index cols,
                                         typename R::Acc* out) {
  alignas(64) typename R::Acc buffer[kBuffer];
  Index n = rows * cols;
  if (rows % 2 == 0) {
    n /= 2, rows /= 2;
    for (Index i = 0; i < n; ++i)
      buffer[i] = R::join(R::load(a, nullptr, 2 * i), R::load(a, nullptr, 2 * i + 1));
  } else {
    for (Index i = 0; i < n; ++i) buffer[i] = R::load(a, nullptr, i);
  }
  while (rows % 2 == 0) {
    n /= 2, rows /= 2;
#pragma GCC ivdep
    for (Index i = 0; i < n; ++i) buffer[i] = R::join(buffer[2 * i], buffer[2 * i + 1]);
  }
  for (Index j = 0; j < cols; ++j) out[j] = buffer[rows * j];
  for (Index i = 1; i < rows; ++i)
#pragma GCC ivdep
    for (Index j = 0; j < cols; ++j) out[j] = R::join(out[j], buffer[i + rows * j]);
}

/// out[j] = reduction of column j of `cols` columns, which are as many as short_columns() says or
/// fewer.
template <class R>
void reduce_some_columns(const typename R::Value* a, Index rows, Index cols, typename R::Acc* out) {
  if (rows < kShortColumn)
    reduce_halves<R>(a, rows, cols, out);
  else
    reduce_runs<R>(a, rows, cols, out);
}

template <class R, class Sink>
void reduce_short_columns(const typename R::Value* a, Index rows, Index begin, Index end,
                          const Sink& sink) {
  typename R::Acc values[kBuffer];
  const Index together = short_columns(rows);
  for (Index j = begin; j < end; j += together) {
    const Index count = std::min(together, end - j);
    reduce_some_columns<R>(a + rows * j, rows, count, values);
    sink(j, count, values);
  }
}

/// Calls sink(j, count, values) with the reductions of columns j, j + 1 ... until all are done.
template <class R, class Sink>
void reduce_columns(const typename R::Value* a, Index rows, Index cols, const Sink& sink) {
  const Index grain = std::max(Index(1), kPiece / rows);
  if (rows < kLongColumn)
    return parallel_for(cols, grain, [&](Index begin, Index end) {
      reduce_short_columns<R>(a, rows, begin, end, sink);
    });
  const Plan plan(1, rows);
  const auto reduce = [&](Index j, bool parallel) {
    reduce_rows<R>(plan, Elements<R>{a + rows * j, nullptr}, parallel,
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

/// Sets the targets first, first + 1 ... of a reduction to what becomes of its values.
template <class T, class Acc>
void set_results(const ReduceResults<T>& results, Index first, Index some, const Acc* values) {
  T* const target = results.target + first;
  if (results.beta == T(0) && results.mult == T(1) && results.mean_of < 0) {
    for (Index i = 0; i < some; ++i) target[i] = T(values[i]);
    return;
  }
  for (Index i = 0; i < some; ++i) {
    const T value = results.mean_of < 0 ? T(values[i]) : T(values[i]) / T(results.mean_of);
    target[i] = update(target[i], results.beta, value, results.mult);
  }
}

template <class T, class F>
void reduce_axis(const ReduceCall<T>& call) {
  using R = Plain<T, F>;
  const Index length = call.axis == 0 ? call.rows : call.cols;
  const Index count = call.axis == 0 ? call.cols : call.rows;
  const ReduceResults<T> results{call.op == Op::mean ? length : -1, call.mult, call.beta,
                                 call.target};
  const auto sink = [&](Index first, Index some, const typename R::Acc* values) {
    set_results(results, first, some, values);
  };
  const auto none = R::identity();
  if (length == 0)
    for (Index i = 0; i < count; ++i) sink(i, 1, &none);
  else if (call.axis == 0)
    reduce_columns<R>(call.a, call.rows, call.cols, sink);
  else
    reduce_rows<R>(Plan(call.rows, call.cols), Elements<R>{call.a, nullptr}, true, sink);
}

template <class R>
typename R::Acc reduce_whole(const typename R::Value* a, const typename R::Value* b, Index n) {
  auto result = R::identity();
  if (n > 0)
    reduce_rows<R>(Plan(1, n), Elements<R>{a, b}, true,
                   [&](Index, Index, const auto* value) { result = *value; });
  return result;
}

/// A reducer's functions without its types.
template <class R>
struct Erased {
  using T = typename R::Value;
  using Acc = typename R::Acc;
  static void clear(void* acc, Index lanes) {
    std::fill_n(static_cast<Acc*>(acc), lanes, R::identity());
  }
  static void join(void* acc, const void* other, Index lanes) {
    join_lanes<R>(static_cast<Acc*>(acc), static_cast<const Acc*>(other), lanes);
  }
  static void fold(void* acc, Index rows, Index fold) {
    fold_lanes<R>(static_cast<Acc*>(acc), rows, fold);
  }
  static void take(const T* a, Index ld, Index lanes, Index steps, void* acc) {
    accumulate_lanes<R>(a, nullptr, ld, lanes, steps, static_cast<Acc*>(acc));
  }
  static void columns(const T* a, Index rows, Index cols, void* acc) {
    reduce_some_columns<R>(a, rows, cols, static_cast<Acc*>(acc));
  }
  static void finish(const ReduceResults<T>& results, Index first, Index some, const void* acc) {
    set_results(results, first, some, static_cast<const Acc*>(acc));
  }
  static constexpr Reduction<T> kReduction{sizeof(Acc), clear, join, fold, take, columns, finish};
};

}  // namespace

Index short_columns(Index rows) {
  return rows < kShortColumn ? kBuffer / rows : 64;
}

template <class T>
const Reduction<T>& reduction(Op op) {
  switch (op) {
    case Op::total_sum:
    case Op::total_mean:
      return Erased<Total<T>>::kReduction;
    case Op::total_max:
      return Erased<Plain<T, functors::Max>>::kReduction;
#define ROW(op, family, style, functor, numpy, facts) \
  case Op::op:                                        \
    return Erased<Plain<T, functors::functor>>::kReduction;
      CUDAMAT_FOLD_OPS(ROW)
      CUDAMAT_TRUTH_OPS(ROW)
#undef ROW
    default:
      throw cudamat::InternalError("reduction: not one that a fused statement has");
  }
}

template <class F, class T>
void reduce_to_index(const ReduceCall<T>& call);  // reduce_arg.cpp

/// Runs a row of the table.
template <cudamat::Family kFamily, class F, class T>
void reduce_row(const ReduceCall<T>& call) {
  if constexpr (kFamily == cudamat::Family::ArgReduction)
    reduce_to_index<F>(call);
  else
    reduce_axis<T, F>(call);
}

template <class T>
void Engine<T>::reduce(const cudamat::ReduceCall<T>& call) {
  if ((call.axis == 0 ? call.cols : call.rows) == 0) return;
  switch (call.op) {
#define ROW(op, family, style, functor, numpy, facts) \
  case Op::op:                                        \
    return reduce_row<cudamat::Family::family, functors::functor>(call);
    CUDAMAT_REDUCTION_OPS(ROW)
#undef ROW
#define ROW(op, family, style, functor, numpy, facts) case Op::op:
    CUDAMAT_MAP_OPS(ROW)
    CUDAMAT_WHOLE_OPS(ROW)
    CUDAMAT_OTHER_OPS(ROW)
#undef ROW
    break;
  }
  throw cudamat::InternalError("reduce: not a reduction");
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
#define ROW(op, family, style, functor, numpy, facts) case Op::op:
      CUDAMAT_MAP_OPS(ROW)
      CUDAMAT_REDUCTION_OPS(ROW)
      CUDAMAT_OTHER_OPS(ROW)
#undef ROW
      break;
  }
  throw cudamat::InternalError("reduce_all: not a reduction");
}

template <class T>
void Engine<T>::reduce_all(const cudamat::WholeCall<T>& call) {
  T value = reduce_all(call.op, call.a, call.b, call.n);
  if (call.mult != T(1)) value = call.mult * value;
  *call.target = call.beta == T(0) ? value : call.beta * *call.target + value;
}

#define INSTANTIATE(T)                                                      \
  template void Engine<T>::reduce(const cudamat::ReduceCall<T>&);           \
  template const Reduction<T>& reduction(Op);                               \
  template T Engine<T>::reduce_all(cudamat::Op, const T*, const T*, Index); \
  template void Engine<T>::reduce_all(const cudamat::WholeCall<T>&);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(long double)
#undef INSTANTIATE

}  // namespace npmat

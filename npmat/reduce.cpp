// Reductions. All of them are made of one loop: `lanes` accumulators side by side that take `steps`
// rows of numbers, consecutive rows `ld` apart. A column is a row of 64 lanes; the sums along the
// rows of a matrix are lanes already. Steps are combined pairwise, and large inputs are cut into
// pieces by their shape alone, so the order of the operations never depends on the threads.
//
// Sums of float are accumulated in double.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "cudamat/error.hpp"
#include "cudamat/functors.hpp"
#include "npmat/engine.hpp"
#include "npmat/parallel.hpp"
#include "npmat/target_clones.hpp"

namespace npmat {
namespace {

using cudamat::Op;
using cudamat::ReduceCall;
namespace functors = cudamat::functors;

constexpr Index kLanes = 64;       ///< accumulators for a contiguous run
constexpr Index kMaxLanes = 2048;  ///< accumulators that stay in the first-level cache
constexpr Index kRun = 128;        ///< steps that one accumulator takes before pairs are formed
constexpr Index kPieces = 64;      ///< at most so many pieces a call
constexpr Index kPiece = 65536;    ///< no pieces smaller than this, in elements
constexpr Index kShort = 32;       ///< shorter columns are reduced one element after the other

// ---- what is accumulated

/// The value that stands for element i, and how two values become one.
template <class T, class F>
struct Plain {
  using Value = T;
  using Acc =
      std::conditional_t<std::is_same_v<F, functors::Sum> && std::is_same_v<T, float>, double, T>;
  static Acc identity() { return F::template identity<Acc>(); }
  static Acc load(const T* a, const T*, Index i) { return Acc(a[i]); }
  static Acc join(Acc x, Acc y) { return F{}(x, y); }
};

template <class T>
struct Squares : Plain<T, functors::Sum> {
  using typename Plain<T, functors::Sum>::Acc;
  static Acc load(const T* a, const T*, Index i) { return Acc(a[i]) * Acc(a[i]); }
};

template <class T>
struct Magnitudes : Plain<T, functors::Sum> {
  using typename Plain<T, functors::Sum>::Acc;
  static Acc load(const T* a, const T*, Index i) { return Acc(std::abs(a[i])); }
};

template <class T>
struct Products : Plain<T, functors::Sum> {
  using typename Plain<T, functors::Sum>::Acc;
  static Acc load(const T* a, const T* b, Index i) { return Acc(a[i]) * Acc(b[i]); }
};

/// Zero for finite numbers, NaN for the others: the sum tells.
template <class T>
struct Finiteness : Plain<T, functors::Sum> {
  using Acc = T;
  static Acc identity() { return T(0); }
  static Acc load(const T* a, const T*, Index i) { return a[i] - a[i]; }
  static Acc join(Acc x, Acc y) { return x + y; }
};

// ---- the loop

/// acc[l] takes the numbers at a[l + ld * step] for all steps, four at a time. kFixed is the number
/// of lanes where it is known.
template <class R, Index kFixed>
CUDAMAT_TARGET_CLONES void accumulate(const typename R::Value* a, const typename R::Value* b,
                                      Index ld, Index any_lanes, Index steps,
                                      typename R::Acc* acc) {
  const Index lanes = kFixed > 0 ? kFixed : any_lanes;
  Index step = 0;
  for (; step + 4 <= steps; step += 4) {
    const Index at = ld * step;
#pragma GCC ivdep
    for (Index l = 0; l < lanes; ++l)
      acc[l] = R::join(
          acc[l], R::join(R::join(R::load(a, b, at + l), R::load(a, b, at + ld + l)),
                          R::join(R::load(a, b, at + 2 * ld + l), R::load(a, b, at + 3 * ld + l))));
  }
  for (; step < steps; ++step)
#pragma GCC ivdep
    for (Index l = 0; l < lanes; ++l) acc[l] = R::join(acc[l], R::load(a, b, ld * step + l));
}

template <class R>
CUDAMAT_TARGET_CLONES void join_lanes(typename R::Acc* acc, const typename R::Acc* other,
                                      Index lanes) {
#pragma GCC ivdep
  for (Index l = 0; l < lanes; ++l) acc[l] = R::join(acc[l], other[l]);
}

/// Sets acc to the reduction of all steps, pairs of runs first. `spare` has room for `lanes`
/// numbers for each halving.
template <class R>
void reduce_steps(const typename R::Value* a, const typename R::Value* b, Index ld, Index lanes,
                  Index steps, typename R::Acc* acc, typename R::Acc* spare) {
  if (steps <= kRun) {
    std::fill_n(acc, lanes, R::identity());
    if (lanes == kLanes)
      accumulate<R, kLanes>(a, b, ld, lanes, steps, acc);
    else
      accumulate<R, 0>(a, b, ld, lanes, steps, acc);
    return;
  }
  const Index half = (steps / 2 + kRun - 1) / kRun * kRun;
  reduce_steps<R>(a, b, ld, lanes, half, acc, spare + lanes);
  reduce_steps<R>(a + half * ld, b + (b ? half * ld : 0), ld, lanes, steps - half, spare,
                  spare + lanes);
  join_lanes<R>(acc, spare, lanes);
}

/// Room for the accumulators of reduce_steps and their spare ones.
template <class Acc>
class Workspace {
 public:
  Workspace(Index lanes, Index steps) : lanes_(lanes) {
    const Index levels = steps <= kRun ? 0 : std::bit_width(std::uint64_t(steps / kRun)) + 1;
    const Index count = lanes * (levels + 1);
    if (count <= Index(std::size(small_))) return;
    large_.reset(new Acc[std::size_t(count)]);
  }
  Acc* acc() { return large_ ? large_.get() : small_; }
  Acc* spare() { return acc() + lanes_; }

 private:
  Index lanes_;
  std::unique_ptr<Acc[]> large_;
  alignas(64) Acc small_[1024];
};

// ---- rows x cols, along the rows

/// How the reduction along the rows of a rows x cols matrix is cut: blocks of rows, pieces of
/// steps. A matrix with few rows is taken `fold` columns at a time.
struct Plan {
  Index rows, fold, lanes, steps, block, blocks, piece, pieces;

  Plan(Index rows_, Index cols) : rows(rows_) {
    fold = rows == 1 ? kLanes : rows <= 4 ? 64 : rows < kLanes ? 16 : 1;
    lanes = rows * fold;
    steps = cols / fold;
    blocks = (lanes + kMaxLanes - 1) / kMaxLanes;
    block = ((lanes + blocks - 1) / blocks + 15) / 16 * 16;
    blocks = (lanes + block - 1) / block;
    const Index wanted = std::clamp(lanes * steps / kPiece, Index(1), kPieces);
    pieces = std::max(Index(1), wanted / blocks);
    piece = std::max(kRun, ((steps + pieces - 1) / pieces + kRun - 1) / kRun * kRun);
    pieces = std::max(Index(1), (steps + piece - 1) / piece);
  }
};

/// out[i] = reduction of row i of a (rows x cols, cols > 0), on the threads allowed.
template <class R>
void reduce_rows(const typename R::Value* a, const typename R::Value* b, Index rows, Index cols,
                 typename R::Acc* out, bool parallel) {
  using Acc = typename R::Acc;
  const Plan plan(rows, cols);
  const Index tasks = plan.blocks * plan.pieces;
  Workspace<Acc> results(plan.lanes, 0);
  std::vector<Acc> many(plan.pieces > 1 ? std::size_t(plan.lanes * plan.pieces) : 0);
  Acc* const partial = many.empty() ? results.acc() : many.data();
  const auto run = [&](Index begin, Index end) {
    for (Index task = begin; task < end; ++task) {
      const Index first = task % plan.blocks * plan.block;
      const Index piece = task / plan.blocks;
      const Index lanes = std::min(plan.block, plan.lanes - first);
      const Index steps = std::min(plan.piece, plan.steps - piece * plan.piece);
      Workspace<Acc> work(lanes, steps);
      const Index at = first + piece * plan.piece * plan.lanes;
      reduce_steps<R>(a + at, b + (b ? at : 0), plan.lanes, lanes, steps, work.acc(), work.spare());
      std::copy_n(work.acc(), lanes, partial + plan.lanes * piece + first);
    }
  };
  if (parallel)
    parallel_for(tasks, 1, run);
  else
    run(0, tasks);

  for (Index gap = 1; gap < plan.pieces; gap *= 2)
    for (Index i = 0; i + gap < plan.pieces; i += 2 * gap)
      join_lanes<R>(partial + plan.lanes * i, partial + plan.lanes * (i + gap), plan.lanes);
  const Index done = plan.lanes * plan.steps;
  for (Index i = done; i < rows * cols; ++i)
    partial[i - done] = R::join(partial[i - done], R::load(a, b, i));
  for (Index half = plan.fold / 2; half > 0; half /= 2)
    join_lanes<R>(partial, partial + rows * half, rows * half);
  std::copy_n(partial, rows, out);
}

/// out[j] = reduction of column j, columns shorter than kShort: several columns at once, one
/// element after the other.
template <class R>
CUDAMAT_TARGET_CLONES void reduce_short_columns(const typename R::Value* a, Index rows, Index cols,
                                                typename R::Acc* out) {
  Index j = 0;
  for (; j + 4 <= cols; j += 4) {
    typename R::Acc acc[4] = {R::identity(), R::identity(), R::identity(), R::identity()};
    for (Index i = 0; i < rows; ++i)
      for (Index c = 0; c < 4; ++c)
        acc[c] = R::join(acc[c], R::load(a, nullptr, i + rows * (j + c)));
    for (Index c = 0; c < 4; ++c) out[j + c] = acc[c];
  }
  for (; j < cols; ++j) {
    typename R::Acc acc = R::identity();
    for (Index i = 0; i < rows; ++i) acc = R::join(acc, R::load(a, nullptr, i + rows * j));
    out[j] = acc;
  }
}

/// out[j] = reduction of column j.
template <class R>
void reduce_columns(const typename R::Value* a, Index rows, Index cols, typename R::Acc* out) {
  const Index grain = std::max(Index(1), kPiece / std::max(rows, Index(1)));
  if (rows < kShort) {
    parallel_for(cols, grain, [&](Index begin, Index end) {
      reduce_short_columns<R>(a + rows * begin, rows, end - begin, out + begin);
    });
  } else if (cols < kPieces && rows > kPiece) {
    for (Index j = 0; j < cols; ++j) reduce_rows<R>(a + rows * j, nullptr, 1, rows, out + j, true);
  } else {
    parallel_for(cols, grain, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j)
        reduce_rows<R>(a + rows * j, nullptr, 1, rows, out + j, false);
    });
  }
}

/// beta * target + mult * value, where a 0 hides and a 1 changes nothing.
template <class T>
T update(T target, T beta, T value, T mult) {
  const T scaled = mult == T(1) ? value : mult * value;
  return beta == T(0) ? scaled : beta * target + scaled;
}

template <class T, class F>
void reduce_axis(const ReduceCall<T>& call) {
  using R = Plain<T, F>;
  const Index length = call.axis == 0 ? call.rows : call.cols;
  const Index count = call.axis == 0 ? call.cols : call.rows;
  Workspace<typename R::Acc> work(count, 0);
  auto* const values = work.acc();
  if (length == 0)
    std::fill_n(values, count, R::identity());
  else if (call.axis == 0)
    reduce_columns<R>(call.a, call.rows, call.cols, values);
  else
    reduce_rows<R>(call.a, nullptr, call.rows, call.cols, values, true);
  for (Index i = 0; i < count; ++i) {
    T value = T(values[i]);
    if (call.op == Op::mean) value /= T(length);
    call.target[i] = update(call.beta == T(0) ? T(0) : call.target[i], call.beta, value, call.mult);
  }
}

// ---- the index of the winner

/// A winner and its place. Later ones are joined in order.
template <class T>
struct Winner {
  T value;
  Index place;
};

/// The winner of a contiguous run of n > 0 numbers: block by block, then the place within the
/// block.
template <class T, class F>
Winner<T> winner(const T* a, Index n) {
  using R = Plain<T, F>;
  constexpr Index kBlock = kLanes * 32;
  Winner<T> best{a[0], 0};
  Index best_block = 0;
  alignas(64) T acc[kLanes];
  for (Index i = 0; i < n; i += kBlock) {
    const Index count = std::min(kBlock, n - i);
    const Index steps = count / kLanes;
    std::fill_n(acc, kLanes, R::identity());
    accumulate<R, kLanes>(a + i, nullptr, kLanes, kLanes, steps, acc);
    for (Index k = steps * kLanes; k < count; ++k)
      acc[k % kLanes] = R::join(acc[k % kLanes], a[i + k]);
    for (Index half = kLanes / 2; half > 0; half /= 2) join_lanes<R>(acc, acc + half, half);
    if (F::displaces(best.value, acc[0])) best.value = acc[0], best_block = i;
  }
  const bool is_nan = best.value != best.value;
  for (best.place = best_block;; ++best.place)
    if (const T x = a[best.place]; is_nan ? x != x : x == best.value) return best;
}

template <class T, class F>
void arg_columns(const T* a, Index rows, Index cols, T* target) {
  const Index piece = rows <= 4 * kPiece || cols >= kPieces
                          ? rows
                          : std::max(kPiece, (rows + kPieces - 1) / kPieces);
  const Index pieces = (rows + piece - 1) / piece;
  std::vector<Winner<T>> winners(std::size_t(pieces * cols));
  const Index grain = std::max(Index(1), kPiece / piece);
  parallel_for(pieces * cols, grain, [&](Index begin, Index end) {
    for (Index task = begin; task < end; ++task) {
      const Index first = task % pieces * piece;
      const Index column = task / pieces;
      auto best = winner<T, F>(a + rows * column + first, std::min(piece, rows - first));
      best.place += first;
      winners[std::size_t(task)] = best;
    }
  });
  for (Index j = 0; j < cols; ++j) {
    const auto* const mine = winners.data() + pieces * j;
    Winner<T> best = mine[0];
    for (Index i = 1; i < pieces; ++i)
      if (F::displaces(best.value, mine[i].value)) best = mine[i];
    target[j] = T(best.place);
  }
}

template <class T>
using StepIndex = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// Lane by lane: the winner of steps [0, steps) and its step.
template <class T, class F>
CUDAMAT_TARGET_CLONES void arg_lanes(const T* a, Index ld, Index lanes, Index steps, T* value,
                                     StepIndex<T>* place) {
  std::copy_n(a, lanes, value);
  std::fill_n(place, lanes, StepIndex<T>(0));
  for (Index step = 1; step < steps; ++step) {
    const T* const from = a + ld * step;
    const auto index = StepIndex<T>(step);
#pragma GCC ivdep
    for (Index l = 0; l < lanes; ++l) {
      const T x = from[l];
      const bool wins = F::displaces(value[l], x);
      value[l] = wins ? x : value[l];
      place[l] = wins ? index : place[l];
    }
  }
}

template <class T, class F>
void arg_rows(const T* a, Index rows, Index cols, T* target) {
  constexpr Index kBlock = 1024;
  const Index blocks = (rows + kBlock - 1) / kBlock;
  const Index wanted = std::clamp(rows * cols / kPiece, Index(1), kPieces);
  const Index piece = std::min(Index(1) << 30, (cols * blocks + wanted - 1) / wanted);
  const Index pieces = (cols + piece - 1) / piece;
  std::vector<Winner<T>> winners(std::size_t(pieces * rows));
  parallel_for(blocks * pieces, 1, [&](Index begin, Index end) {
    alignas(64) T value[kBlock];
    alignas(64) StepIndex<T> place[kBlock];
    for (Index task = begin; task < end; ++task) {
      const Index first = task % blocks * kBlock;
      const Index column = task / blocks * piece;
      const Index lanes = std::min(kBlock, rows - first);
      arg_lanes<T, F>(a + first + rows * column, rows, lanes, std::min(piece, cols - column), value,
                      place);
      auto* const mine = winners.data() + rows * (task / blocks) + first;
      for (Index l = 0; l < lanes; ++l) mine[l] = {value[l], column + Index(place[l])};
    }
  });
  for (Index i = 0; i < rows; ++i) {
    Winner<T> best = winners[std::size_t(i)];
    for (Index p = 1; p < pieces; ++p) {
      const auto& later = winners[std::size_t(i + rows * p)];
      if (F::displaces(best.value, later.value)) best = later;
    }
    target[i] = T(best.place);
  }
}

template <class T, class F>
void arg_axis(const ReduceCall<T>& call) {
  if (call.axis == 0)
    arg_columns<T, F>(call.a, call.rows, call.cols, call.target);
  else if (call.rows == 1)
    arg_columns<T, F>(call.a, call.cols, 1, call.target);
  else
    arg_rows<T, F>(call.a, call.rows, call.cols, call.target);
}

template <class R>
typename R::Acc reduce_whole(const typename R::Value* a, const typename R::Value* b, Index n) {
  if (n == 0) return R::identity();
  typename R::Acc value;
  reduce_rows<R>(a, b, 1, n, &value, true);
  return value;
}

/// Running sums of `lanes` rows at once.
template <class T>
CUDAMAT_TARGET_CLONES void scan_rows(const T* source, T* target, Index rows, Index lanes,
                                     Index cols) {
  for (Index l = 0; l < lanes; ++l) target[l] = source[l];
  for (Index j = 1; j < cols; ++j)
#pragma GCC ivdep
    for (Index l = 0; l < lanes; ++l)
      target[l + rows * j] = target[l + rows * (j - 1)] + source[l + rows * j];
}

}  // namespace

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
      return arg_axis<T, functors::Max>(call);
    case Op::argmin:
      return arg_axis<T, functors::Min>(call);
    default:
      throw cudamat::InternalError("reduce: no reduction is called so");
  }
}

template <class T>
T Engine<T>::reduce_all(cudamat::Op op, const T* a, const T* b, Index n) {
  using Total = Plain<T, functors::Sum>;
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
      return T(reduce_whole<Total>(a, nullptr, n));
    case Op::total_mean:
      return T(reduce_whole<Total>(a, nullptr, n)) / T(n);
    case Op::total_max:
      return reduce_whole<Plain<T, functors::Max>>(a, nullptr, n);
    default:
      throw cudamat::InternalError("reduce_all: no reduction is called so");
  }
}

template <class T>
void Engine<T>::cumsum(const T* source, T* target, Index rows, Index cols) {
  if (rows == 0 || cols == 0) return;
  parallel_for(rows, std::max(Index(64), kPiece / cols), [&](Index begin, Index end) {
    for (Index first = begin; first < end; first += kMaxLanes)
      scan_rows(source + first, target + first, rows, std::min(kMaxLanes, end - first), cols);
  });
}

#define INSTANTIATE(T)                                                      \
  template void Engine<T>::reduce(const cudamat::ReduceCall<T>&);           \
  template T Engine<T>::reduce_all(cudamat::Op, const T*, const T*, Index); \
  template void Engine<T>::cumsum(const T*, T*, Index, Index);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(long double)
#undef INSTANTIATE

}  // namespace npmat

// The index of the winner, and running sums.
#include <vector>

#include "npmat/engine.hpp"
#include "npmat/reduce_lanes.hpp"

namespace npmat {

using cudamat::ReduceCall;

namespace {

constexpr Index kShort = 4;  ///< shorter columns are searched kTogether at a time,
constexpr Index kTogether = 16;
constexpr Index kMiddling = 256;          ///< longer ones in more lanes,
constexpr Index kRunBlock = 32 * kLanes;  ///< and yet longer ones by blocks
constexpr Index kLong = kPiece;
constexpr Index kBlock = 1024;  ///< lanes searched side by side

/// Steps are counted in integers as wide as the values, so that both fit vectors of one length.
template <class T>
using Step = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
constexpr Index kMostSteps = Index(1) << 30;

/// Lanes that hide how long one waits for the step before.
template <class T>
constexpr Index kMany = 256 / Index(sizeof(T));

/// The winner so far meets the next number.
template <class F, class T>
[[gnu::always_inline]] inline void take(T& value, Step<T>& place, T x, Step<T> at) {
  const bool wins = F::displaces(value, x);
  value = wins ? x : value;
  place = wins ? at : place;
}

/// The places of the winners of some columns, kTogether at most: the winner of each lane, side by
/// side, then of neighbours, the first of equals.
template <class F, Index kWide, class T, class Place>
CUDAMAT_TARGET_CLONES void search_by_lanes(const T* a, Index rows, Index cols, Place* target) {
  alignas(64) T value[kWide * kTogether];
  alignas(64) Step<T> place[kWide * kTogether];
  for (Index j = 0; j < cols; ++j) {
    const T* const column = a + rows * j;
    T* const best = value + kWide * j;
    Step<T>* const at = place + kWide * j;
    Step<T> i = Step<T>(std::min(kWide, rows));
    for (Step<T> l = 0; l < i; ++l) best[l] = column[l], at[l] = l;
    for (Step<T> l = i; l < kWide; ++l) best[l] = column[0], at[l] = 0;
    for (; i + kWide <= rows; i += kWide)
#pragma GCC unroll 1  // unrolled, selects do not become vector blends
      for (Step<T> l = 0; l < kWide; ++l) {
        take<F>(best[l], at[l], column[i + l], i + l);
      }
#pragma GCC unroll 1
    for (Step<T> l = 0; l < rows - i; ++l) {
      take<F>(best[l], at[l], column[i + l], i + l);
    }
  }
  for (Index n = kWide / 2 * cols; n >= cols; n /= 2)
#pragma GCC ivdep
    for (Index i = 0; i < n; ++i) {
      const T x = value[2 * i], y = value[2 * i + 1];
      const Step<T> at_x = place[2 * i], at_y = place[2 * i + 1];
      const bool wins = F::displaces(x, y), loses = F::displaces(y, x), is_first = at_y < at_x;
      value[i] = wins ? y : x;
      place[i] = wins ? at_y : loses ? at_x : is_first ? at_y : at_x;
    }
  for (Index j = 0; j < cols; ++j) target[j] = Place(place[j]);
}

/// Winners of kTogether short columns.
template <class F, class T, class Place>
CUDAMAT_TARGET_CLONES void search_together(const T* a, Index rows, Place* target) {
  T value[kTogether];
  Step<T> place[kTogether];
  for (Index c = 0; c < kTogether; ++c) value[c] = a[rows * c], place[c] = 0;
  for (Index i = 1; i < rows; ++i)
    for (Index c = 0; c < kTogether; ++c) {
      take<F>(value[c], place[c], a[i + rows * c], Step<T>(i));
    }
  for (Index c = 0; c < kTogether; ++c) target[c] = Place(place[c]);
}

/// The place of the winner of a long run of numbers: of blocks, which is the least work a number,
/// then in its block.
template <class F, class T>
Index search_run(const T* a, Index n) {
  using R = Plain<T, F>;
  T best = a[0];
  Index block = 0;
  alignas(64) T acc[kLanes];
  for (Index i = 0; i < n; i += kRunBlock) {
    const Plan plan(1, std::min(kRunBlock, n - i));
    std::fill_n(acc, plan.lanes, R::identity());
    accumulate_lanes<R>(a + i, nullptr, plan.lanes, plan.lanes, plan.steps, acc);
    finish_lanes(Accumulators<R>{}, plan, Elements<R>{a + i, nullptr}, acc);
    if (F::displaces(best, acc[0])) best = acc[0], block = i;
  }
  Index place = 0;
  search_by_lanes<F, kMany<T>>(a + block, std::min(kRunBlock, n - block), 1, &place);
  return block + place;
}

/// Some columns of one length.
template <class F, class T, class Place>
void search_some(const T* a, Index rows, Index cols, Place* target) {
  Index j = 0;
  if (rows < kShort)
    for (; j + kTogether <= cols; j += kTogether)
      search_together<F>(a + rows * j, rows, target + j);
  if (rows >= kLong)
    for (; j < cols; ++j) target[j] = Place(search_run<F>(a + rows * j, rows));
  for (; j < cols; j += kTogether) {
    const Index some = std::min(kTogether, cols - j);
    if (rows < kMiddling)
      search_by_lanes<F, kNarrowLanes>(a + rows * j, rows, some, target + j);
    else
      search_by_lanes<F, kMany<T>>(a + rows * j, rows, some, target + j);
  }
}

/// Columns of one length, cut into pieces if they are few and long.
template <class T, class F>
void search_columns(const T* a, Index rows, Index cols, T* target) {
  if (cols >= kPieces || rows <= 2 * kPiece)
    return parallel_for(cols, std::max(Index(1), kPiece / rows), [&](Index begin, Index end) {
      search_some<F>(a + rows * begin, rows, end - begin, target + begin);
    });
  const Index piece = std::max(kPiece, (rows + kPieces - 1) / kPieces);
  const Index pieces = (rows + piece - 1) / piece;
  std::vector<Index> places(std::size_t(pieces * cols));
  parallel_for(pieces * cols, 1, [&](Index begin, Index end) {
    for (Index task = begin; task < end; ++task) {
      const Index first = task % pieces * piece;
      search_some<F>(a + rows * (task / pieces) + first, std::min(piece, rows - first), 1,
                     &places[std::size_t(task)]);
    }
  });
  for (Index j = 0; j < cols; ++j) {
    const T* const column = a + rows * j;
    Index best = -1;
    for (Index p = 0; p < pieces; ++p) {
      const Index place = piece * p + places[std::size_t(pieces * j + p)];
      if (best < 0 || F::displaces(column[best], column[place])) best = place;
    }
    target[j] = T(best);
  }
}

/// Lane by lane: the winner of all steps and its step.
template <class T, class F>
CUDAMAT_TARGET_CLONES void search_lanes(const T* a, Index ld, Index lanes, Index steps, T* value,
                                        Step<T>* place) {
  for (Index l = 0; l < lanes; ++l) value[l] = a[l], place[l] = 0;
  for (Index step = 1; step < steps; ++step) {
    const T* const from = a + ld * step;
#pragma GCC ivdep
    for (Index l = 0; l < lanes; ++l) {
      take<F>(value[l], place[l], from[l], Step<T>(step));
    }
  }
}

template <class T>
struct Winner {
  T value;
  Index place;
};

/// The better of two winners of one row, whichever comes first.
template <class T, class F>
Winner<T> better(const Winner<T>& x, const Winner<T>& y) {
  if (F::displaces(x.value, y.value)) return y;
  if (F::displaces(y.value, x.value)) return x;
  return x.place <= y.place ? x : y;
}

/// Along the rows: blocks of lanes, pieces of steps, as a plan cuts them.
template <class T, class F>
void search_rows(const T* a, Index rows, Index cols, T* target) {
  const Index fold = rows >= kLanes || cols < 2 * kLanes ? 1 : (kLanes + rows - 1) / rows;
  const Index lanes = rows * fold, steps = cols / fold;
  const Index blocks = (lanes + kBlock - 1) / kBlock;
  const Index wanted = std::clamp(lanes * steps / kPiece / blocks, Index(1), kPieces);
  const Index piece = std::min(kMostSteps, (steps + wanted - 1) / wanted);
  const Index pieces = (steps + piece - 1) / piece;
  const bool direct = pieces == 1 && fold == 1;
  std::vector<Winner<T>> winners(direct ? 0 : std::size_t(rows), Winner<T>{T(0), -1});
  std::vector<Winner<T>> parts(direct ? 0 : std::size_t(pieces * lanes));
  const Index grain = lanes * steps < kPiece ? blocks * pieces : 1;
  parallel_for(blocks * pieces, grain, [&](Index begin, Index end) {
    alignas(64) T value[kBlock];
    alignas(64) Step<T> place[kBlock];
    for (Index task = begin; task < end; ++task) {
      const Index first = task % blocks * kBlock, step = task / blocks * piece;
      const Index some = std::min(kBlock, lanes - first);
      search_lanes<T, F>(a + first + lanes * step, lanes, some, std::min(piece, steps - step),
                         value, place);
      for (Index l = 0; l < some; ++l)
        if (direct)
          target[first + l] = T(place[l]);
        else
          parts[std::size_t(lanes * (task / blocks) + first + l)] = {
              value[l], (step + place[l]) * fold + (first + l) / rows};
    }
  });
  if (direct) return;
  const auto meet = [&](Index row, const Winner<T>& other) {
    auto& winner = winners[std::size_t(row)];
    winner = winner.place < 0 ? other : better<T, F>(winner, other);
  };
  for (Index i = 0; i < pieces * lanes; ++i) meet(i % lanes % rows, parts[std::size_t(i)]);
  for (Index i = lanes * steps; i < rows * cols; ++i) meet(i % rows, {a[i], i / rows});
  for (Index i = 0; i < rows; ++i) target[i] = T(winners[std::size_t(i)].place);
}

template <class T, class F>
void search(const ReduceCall<T>& call) {
  if (call.axis == 1 && call.rows > 1)
    search_rows<T, F>(call.a, call.rows, call.cols, call.target);
  else if (call.axis == 1)
    search_columns<T, F>(call.a, call.cols, 1, call.target);
  else
    search_columns<T, F>(call.a, call.rows, call.cols, call.target);
}

/// Running sums of `lanes` rows side by side.
template <class T>
CUDAMAT_TARGET_CLONES void scan_rows(const T* source, T* target, Index rows, Index lanes,
                                     Index cols) {
  for (Index l = 0; l < lanes; ++l) target[l] = source[l];
  for (Index j = 1; j < cols; ++j)
#pragma GCC ivdep
    for (Index l = 0; l < lanes; ++l)
      target[l + rows * j] = target[l + rows * (j - 1)] + source[l + rows * j];
}

/// The running sum of one row.
template <class T>
void scan_row(const T* source, T* target, Index cols) {
  T sum = source[0];
  target[0] = sum;
  for (Index j = 1; j < cols; ++j) target[j] = sum += source[j];
}

}  // namespace

/// The rows of CUDAMAT_ARG_OPS.
template <class F, class T>
void reduce_to_index(const ReduceCall<T>& call) {
  search<T, F>(call);
}

template <class T>
void Engine<T>::cumsum(const T* source, T* target, Index rows, Index cols) {
  if (rows == 0 || cols == 0) return;
  if (rows == 1) return scan_row(source, target, cols);
  parallel_for(rows, std::max(Index(16), kPiece / cols), [&](Index begin, Index end) {
    for (Index first = begin; first < end; first += kMaxLanes)
      scan_rows(source + first, target + first, rows, std::min(kMaxLanes, end - first), cols);
  });
}

#define ROW(op, family, style, functor, numpy, facts)                                   \
  template void reduce_to_index<cudamat::functors::functor>(const ReduceCall<float>&);  \
  template void reduce_to_index<cudamat::functors::functor>(const ReduceCall<double>&); \
  template void reduce_to_index<cudamat::functors::functor>(const ReduceCall<long double>&);
CUDAMAT_ARG_OPS(ROW)
#undef ROW

template void Engine<float>::cumsum(const float*, float*, Index, Index);
template void Engine<double>::cumsum(const double*, double*, Index, Index);
template void Engine<long double>::cumsum(const long double*, long double*, Index, Index);

}  // namespace npmat

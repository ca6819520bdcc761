// Products of a matrix and a vector: reductions of the matrix, its elements weighted.
//
// Products are rounded to T and added up in T, by fours and then over runs, at most 16 additions
// one after the other; what runs give is added up as in reductions, in double for float.
#include "npmat/product_vector.hpp"

#include <cstring>

#include "npmat/reduce_lanes.hpp"

namespace npmat {
namespace {

template <class T>
using Acc = typename Total<T>::Acc;

/// 64 bytes of numbers, which are added and multiplied at once; one long double.
template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(64)));
  typedef T unaligned __attribute__((vector_size(64), aligned(alignof(T)), may_alias));
};
template <>
struct VectorOf<long double> {
  using type = long double;
  using unaligned = long double;
};
template <class T>
using Vector = typename VectorOf<T>::type;
template <class T>
inline constexpr Index kWidth = sizeof(Vector<T>) / sizeof(T);

/// The vector that begins at *from, aligned as numbers are.
template <class T>
[[gnu::always_inline]] inline const typename VectorOf<T>::unaligned& load(const T* from) {
  return *reinterpret_cast<const typename VectorOf<T>::unaligned*>(from);
}

// ---- along rows: accumulators side by side, which take column after column

constexpr Index kWeightedRun = 64;  ///< steps: 16 additions of four columns each

/// run[l] = the sum of a[l + ld * step] * weights[step] over at most kWeightedRun steps, for
/// kVectors vectors of lanes, the last of which may overlap its neighbour: vector v begins at lane
/// starts[v].
template <class T, int kVectors>
[[gnu::always_inline]] inline void accumulate_few(const T* a, const T* weights, Index ld,
                                                  const Index (&starts)[4], Index steps, T* run) {
  Vector<T> sums[kVectors] = {};
  Index step = 0;
  for (; step + 4 <= steps; step += 4) {
    const T *const x = a + ld * step, *const w = weights + step;
    for (int v = 0; v < kVectors; ++v) {
      const T* const y = x + starts[v];
      sums[v] += (load(y) * w[0] + load(y + ld) * w[1]) +
                 (load(y + 2 * ld) * w[2] + load(y + 3 * ld) * w[3]);
    }
  }
  for (; step < steps; ++step)
    for (int v = 0; v < kVectors; ++v) sums[v] += load(a + ld * step + starts[v]) * weights[step];
  for (int v = 0; v < kVectors; ++v) std::memcpy(run + starts[v], &sums[v], sizeof sums[v]);
}

/// acc[l] takes a[l + ld * step] * weights[step] of at most kWeightedRun steps; at most 4 * kWidth
/// lanes. A vector of lanes is read whole, beyond the last lane if there are fewer.
template <class T>
CUDAMAT_TARGET_CLONES void accumulate_few_lanes(const T* a, const T* weights, Index ld, Index lanes,
                                                Index steps, Acc<T>* acc) {
  const Index vectors = (lanes + kWidth<T> - 1) / kWidth<T>;
  Index starts[4] = {};
  for (Index v = 0; v < 4; ++v)
    starts[v] = std::max(Index(0), std::min(kWidth<T> * v, lanes - kWidth<T>));
  alignas(64) T run[4 * kWidth<T>];
  if (vectors == 1)
    accumulate_few<T, 1>(a, weights, ld, starts, steps, run);
  else if (vectors == 2)
    accumulate_few<T, 2>(a, weights, ld, starts, steps, run);
  else if (vectors == 3)
    accumulate_few<T, 3>(a, weights, ld, starts, steps, run);
  else
    accumulate_few<T, 4>(a, weights, ld, starts, steps, run);
  for (Index l = 0; l < lanes; ++l) acc[l] += Acc<T>(run[l]);
}

/// The same for any number of lanes from kWidth on.
template <class T>
CUDAMAT_TARGET_CLONES void accumulate_lanes_weighted(const T* a, const T* weights, Index ld,
                                                     Index lanes, Index steps, Acc<T>* acc) {
  constexpr Index kW = kWidth<T>;
  const Index whole = lanes / kW * kW;
  alignas(64) T run[kMaxLanes];
  std::fill_n(run, whole, T(0));
  Index step = 0;
  for (; step + 4 <= steps; step += 4) {
    const T *const x = a + ld * step, *const w = weights + step;
    for (Index l = 0; l < whole; l += kW) {
      const T* const y = x + l;
      Vector<T> sum;
      std::memcpy(&sum, run + l, sizeof sum);
      sum += (load(y) * w[0] + load(y + ld) * w[1]) +
             (load(y + 2 * ld) * w[2] + load(y + 3 * ld) * w[3]);
      std::memcpy(run + l, &sum, sizeof sum);
    }
  }
  for (; step < steps; ++step)
#pragma GCC ivdep
    for (Index l = 0; l < whole; ++l) run[l] += a[l + ld * step] * weights[step];
  for (Index l = 0; l < whole; ++l) acc[l] += Acc<T>(run[l]);
  if (whole == lanes) return;
  Acc<T> last[kW] = {};
  accumulate_few_lanes(a + lanes - kW, weights, ld, kW, steps, last);
  for (Index l = whole; l < lanes; ++l) acc[l] += last[l - (lanes - kW)];
}

/// The rows of a matrix of `size` elements, column j weighted with weights[j], for reduce_rows with
/// a plan that takes one column at a step.
template <class T>
struct WeightedColumns {
  const T* a;
  const T* weights;
  Index size;

  void take(const Plan& plan, Index lane, Index lanes, Index step, Index steps, Acc<T>* acc) const {
    for (const Index end = step + steps; step < end; step += kWeightedRun)
      take_run(plan, lane, lanes, step, std::min(kWeightedRun, end - step), acc);
  }
  void take_rest(const Plan& /*plan*/, Acc<T>* /*acc*/) const {}  // there is none

 private:
  void take_run(const Plan& plan, Index lane, Index lanes, Index step, Index steps,
                Acc<T>* acc) const {
    const T* from = a + lane + plan.lanes * step;
    const T* weight = weights + step;
    if (lanes > 4 * kWidth<T>)
      return accumulate_lanes_weighted(from, weight, plan.lanes, lanes, steps, acc);
    // As long as vectors do not reach beyond the matrix.
    const Index left = a + size - from, reach = std::max(lanes, kWidth<T>);
    const Index some = left < reach ? 0 : std::min((left - reach) / plan.lanes + 1, steps);
    accumulate_few_lanes(from, weight, plan.lanes, lanes, some, acc);
    for (Index s = some; s < steps; ++s)
      for (Index l = 0; l < lanes; ++l)
        acc[l] += Acc<T>(from[l + plan.lanes * s]) * Acc<T>(weight[s]);
  }
};

// ---- down columns, some side by side

constexpr Index kColumns = 16;  ///< side by side

/// Rows of a run: 16 additions of four vectors each.
template <class T>
inline constexpr Index kRunRows = 64 * kWidth<T>;

/// lanes = the products of `rows` rows of kCount columns with the vector, lane by lane, those that
/// are no whole vector omitted.
template <class T, int kCount>
[[gnu::always_inline]] inline void multiply_columns(const T* a, Index ld, const T* vector,
                                                    Index rows, T* lanes) {
  constexpr Index kW = kWidth<T>;
  Vector<T> sums[kCount] = {};
  Index i = 0;
  for (; i + 4 * kW <= rows; i += 4 * kW) {
    const Vector<T> x0 = load(vector + i), x1 = load(vector + i + kW);
    const Vector<T> x2 = load(vector + i + 2 * kW), x3 = load(vector + i + 3 * kW);
    for (int c = 0; c < kCount; ++c) {
      const T* const y = a + ld * c + i;
      sums[c] +=
          (load(y) * x0 + load(y + kW) * x1) + (load(y + 2 * kW) * x2 + load(y + 3 * kW) * x3);
    }
  }
  for (; i + kW <= rows; i += kW) {
    const Vector<T> x = load(vector + i);
    for (int c = 0; c < kCount; ++c) sums[c] += load(a + ld * c + i) * x;
  }
  for (int c = 0; c < kCount; ++c) std::memcpy(lanes + kW * c, &sums[c], sizeof sums[c]);
}

/// sums[j] = the products of `rows` <= kRunRows rows of column j of `cols` <= kColumns columns with
/// the vector.
template <class T>
CUDAMAT_TARGET_CLONES void multiply_run(const T* a, Index ld, const T* vector, Index rows,
                                        Index cols, Acc<T>* sums) {
  constexpr Index kW = kWidth<T>;
  alignas(64) T lanes[kColumns * kW];
  Index j = 0;
  for (; j + 4 <= cols; j += 4)
    multiply_columns<T, 4>(a + ld * j, ld, vector, rows, lanes + kW * j);
  for (; j < cols; ++j) multiply_columns<T, 1>(a + ld * j, ld, vector, rows, lanes + kW * j);
  for (Index n = cols * kW / 2; n >= cols; n /= 2) {
#pragma GCC ivdep
    for (Index i = 0; i < n; ++i) lanes[i] = lanes[2 * i] + lanes[2 * i + 1];
  }
  for (j = 0; j < cols; ++j) sums[j] = Acc<T>(lanes[j]);
  for (Index i = rows / kW * kW; i < rows; ++i)
    for (j = 0; j < cols; ++j) sums[j] += Acc<T>(a[i + ld * j] * vector[i]);
}

/// The same for any number of rows, runs joined in pairs.
template <class T>
void multiply_rows(const T* a, Index ld, const T* vector, Index rows, Index cols, Acc<T>* sums) {
  if (rows <= kRunRows<T>) return multiply_run(a, ld, vector, rows, cols, sums);
  const Index half = (rows / 2 + kRunRows<T> - 1) / kRunRows<T> * kRunRows<T>;
  Acc<T> others[kColumns];
  multiply_rows(a, ld, vector, half, cols, sums);
  multiply_rows(a + half, ld, vector + half, rows - half, cols, others);
  for (Index j = 0; j < cols; ++j) sums[j] += others[j];
}

/// Calls sink(j, count, sums) with the columns j, j + 1 ... of a (rows x cols) times the vector.
template <class T, class Sink>
void columns_times_vector(const T* a, const T* vector, Index rows, Index cols, const Sink& sink) {
  const Index groups = (cols + kColumns - 1) / kColumns;
  const Index wanted = std::clamp(rows * cols / kPiece, Index(1), kPieces) / groups;
  const Index runs = (rows + kRunRows<T> - 1) / kRunRows<T>;
  const Index piece =
      (runs + std::max(Index(1), wanted) - 1) / std::max(Index(1), wanted) * kRunRows<T>;
  const Index pieces = (rows + piece - 1) / piece;
  std::unique_ptr<Acc<T>[]> parts;  // of all pieces
  if (pieces > 1) parts.reset(new Acc<T>[std::size_t(pieces * cols)]);
  const Index grain = pieces > 1 ? 1 : std::max(Index(1), kPiece / (rows * kColumns));
  parallel_for(groups * pieces, grain, [&](Index begin, Index end) {
    for (Index task = begin; task < end; ++task) {
      const Index j = task % groups * kColumns, count = std::min(kColumns, cols - j);
      const Index p = task / groups, first = piece * p;
      Acc<T> sums[kColumns];
      Acc<T>* const to = pieces > 1 ? parts.get() + cols * p + j : sums;
      multiply_rows(a + rows * j + first, rows, vector + first, std::min(piece, rows - first),
                    count, to);
      if (pieces == 1) sink(j, count, sums);
    }
  });
  for (Index gap = 1; gap < pieces; gap *= 2)
    for (Index p = 0; p + gap < pieces; p += 2 * gap)
      join_lanes<Total<T>>(parts.get() + cols * p, parts.get() + cols * (p + gap), cols);
  if (pieces > 1) sink(Index(0), cols, parts.get());
}

}  // namespace

template <class T>
void vector_product(const cudamat::GemmCall<T>& call) {
  const bool column = call.n == 1;
  const T* const matrix = column ? call.a : call.b;
  const T* const vector = column ? call.b : call.a;
  const bool along_rows = column ? !call.trans_a : call.trans_b;
  const Index count = column ? call.m : call.n;
  const auto sink = [&](Index first, Index some, const Acc<T>* sums) {
    for (Index i = 0; i < some; ++i) {
      T& c = call.c[first + i];
      c = update(c, call.beta, T(sums[i]), call.alpha);
    }
  };
  if (!along_rows || count == 1) return columns_times_vector(matrix, vector, call.k, count, sink);
  const WeightedColumns<T> columns{matrix, vector, count * call.k};
  reduce_rows<Total<T>>(Plan(count, call.k, 1), columns, true, sink);
}

template void vector_product(const cudamat::GemmCall<float>&);
template void vector_product(const cudamat::GemmCall<double>&);
template void vector_product(const cudamat::GemmCall<long double>&);

}  // namespace npmat

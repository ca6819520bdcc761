// What reductions do to numbers: reducers, and the loops that take numbers into accumulators side
// by side. Compiled loops of fused statements (column_source.hpp) are made of them, too.
//
// Sums of float are accumulated in double.
#pragma once

#include <cmath>
#include <type_traits>

#include "cudamat/functors.hpp"
#include "cudamat/index.hpp"
#include "npmat/target_clones.hpp"

namespace npmat {

using cudamat::Index;

inline constexpr Index kLanes = 64;        ///< accumulators for a contiguous run
inline constexpr Index kNarrowLanes = 16;  ///< for a short one
inline constexpr Index kRun = 128;         ///< steps that an accumulator takes before pairs form
inline constexpr Index kAhead = 4096;      ///< bytes by which a contiguous run is prefetched

/// From this length on columns are reduced by a plan each (reduce_lanes.hpp).
inline constexpr Index kLongColumn = 512;
inline constexpr Index kShortColumn = 32;  ///< and from this one on one by one

/// Of what is in memory: numbers are asked for kAhead bytes before they are loaded.
template <class T>
struct InMemory {
  using Value = T;
  static void ask(const T* a, Index at, Index n) {
    for (Index l = 0; l < n; l += 64 / Index(sizeof(T)))
      __builtin_prefetch(a + at + l + kAhead / Index(sizeof(T)));
  }
};

/// For later: `lines` cache lines of an area, from this one on.
inline void ask_lines(const void* area, Index first, Index lines) {
  const char* const from = static_cast<const char*>(area) + 64 * first;
  for (Index l = 0; l < lines; ++l) __builtin_prefetch(from + 64 * l, 0, 2);
}

/// A reducer: the contribution of element i, and how two values are combined.
template <class T, class F>
struct Plain : InMemory<T> {
  using Acc =
      std::conditional_t<std::is_same_v<F, cudamat::functors::Sum> && std::is_same_v<T, float>,
                         double, T>;
  static Acc identity() { return F::template identity<Acc>(); }
  static Acc load(const T* a, const T*, Index i) { return Acc(F::term(a[i])); }
  static Acc join(Acc x, Acc y) { return F{}(x, y); }
};

template <class T>
using Total = Plain<T, cudamat::functors::Sum>;

template <class T>
struct Squares : Total<T> {
  using typename Total<T>::Acc;
  static Acc load(const T* a, const T*, Index i) { return Acc(a[i]) * Acc(a[i]); }
};

template <class T>
struct Magnitudes : Total<T> {
  using typename Total<T>::Acc;
  static Acc load(const T* a, const T*, Index i) { return Acc(std::abs(a[i])); }
};

template <class T>
struct Products : Total<T> {
  using typename Total<T>::Acc;
  static Acc load(const T* a, const T* b, Index i) { return Acc(a[i]) * Acc(b[i]); }
};

/// Zero for finite numbers, NaN for the others: the sum tells.
template <class T>
struct Finiteness : InMemory<T> {
  using Acc = T;
  static Acc identity() { return T(0); }
  static Acc load(const T* a, const T*, Index i) { return a[i] - a[i]; }
  static Acc join(Acc x, Acc y) { return x + y; }
};

/// acc[l] takes the numbers at a[l + ld * step] of all steps, four at a time. kFixed is the number
/// of lanes where it is known, else 0.
template <class R, Index kFixed>
CUDAMAT_TARGET_CLONES void accumulate(const typename R::Value* a, const typename R::Value* b,
                                      Index ld, Index any_lanes, Index steps,
                                      typename R::Acc* acc) {
  const Index lanes = kFixed > 0 ? kFixed : any_lanes;
  Index step = 0;
  for (; step + 4 <= steps; step += 4) {
    const Index at = ld * step;
    if constexpr (kFixed == kLanes) R::ask(a, at, 4 * kLanes);
#pragma GCC ivdep
    for (Index l = 0; l < lanes; ++l) {
      const auto first = R::join(R::load(a, b, at + l), R::load(a, b, at + ld + l));
      const auto second = R::join(R::load(a, b, at + 2 * ld + l), R::load(a, b, at + 3 * ld + l));
      acc[l] = R::join(acc[l], R::join(first, second));
    }
  }
  for (; step < steps; ++step)
#pragma GCC ivdep
    for (Index l = 0; l < lanes; ++l) acc[l] = R::join(acc[l], R::load(a, b, ld * step + l));
}

template <class R>
void accumulate_lanes(const typename R::Value* a, const typename R::Value* b, Index ld, Index lanes,
                      Index steps, typename R::Acc* acc) {
  if (lanes == kLanes)
    accumulate<R, kLanes>(a, b, ld, lanes, steps, acc);
  else if (lanes == kNarrowLanes)
    accumulate<R, kNarrowLanes>(a, b, ld, lanes, steps, acc);
  else
    accumulate<R, 0>(a, b, ld, lanes, steps, acc);
}

/// acc[l] takes other[l].
template <class R>
CUDAMAT_TARGET_CLONES void join_lanes(typename R::Acc* acc, const typename R::Acc* other,
                                      Index lanes) {
#pragma GCC ivdep
  for (Index l = 0; l < lanes; ++l) acc[l] = R::join(acc[l], other[l]);
}

/// acc[l] takes acc[l + kHalf] for l < kHalf, then the half of that, down to one.
template <class R, Index kHalf>
[[gnu::always_inline]] inline void fold_halves(typename R::Acc* acc) {
#pragma GCC ivdep
  for (Index l = 0; l < kHalf; ++l) acc[l] = R::join(acc[l], acc[l + kHalf]);
  if constexpr (kHalf > 1) fold_halves<R, kHalf / 2>(acc);
}

/// Folds `fold` (a power of two) groups of `rows` accumulators onto the first, in halves.
template <class R>
CUDAMAT_TARGET_CLONES void fold_lanes(typename R::Acc* acc, Index rows, Index fold) {
  if (rows == 1 && fold == kLanes) return fold_halves<R, kLanes / 2>(acc);
  for (Index half = fold / 2; half > 0; half /= 2)
#pragma GCC ivdep
    for (Index l = 0; l < rows * half; ++l) acc[l] = R::join(acc[l], acc[l + rows * half]);
}

/// out[j] = reduction of column j of `cols` columns of rows < kLongColumn.
template <class R>
CUDAMAT_TARGET_CLONES void reduce_runs(const typename R::Value* a, Index rows, Index cols,
                                       typename R::Acc* out) {
  constexpr Index kWide = kNarrowLanes;
  for (Index j = 0; j < cols; ++j) {
    const auto* const column = a + rows * j;
    alignas(64) typename R::Acc acc[kWide];
    for (Index l = 0; l < kWide; ++l) acc[l] = R::load(column, nullptr, l);
    Index i = kWide;
    for (; i + kWide <= rows; i += kWide)
#pragma GCC unroll 1  // unrolled, selects do not become vector blends
      for (Index l = 0; l < kWide; ++l) acc[l] = R::join(acc[l], R::load(column, nullptr, i + l));
    for (Index l = 0; l < rows - i; ++l) acc[l] = R::join(acc[l], R::load(column, nullptr, i + l));
    for (Index half = kWide / 2; half > 0; half /= 2)
#pragma GCC unroll 1
      for (Index l = 0; l < half; ++l) acc[l] = R::join(acc[l], acc[l + half]);
    out[j] = acc[0];
  }
}

/// beta * target + mult * value, where a 0 hides the target and a 1 changes nothing.
template <class T>
T update(const T& target, T beta, T value, T mult) {
  const T scaled = mult == T(1) ? value : mult * value;
  return beta == T(0) ? scaled : beta * target + scaled;
}

/// The reduction of a run of n < (kRun + 1) * kWidth numbers in kWidth accumulators, kLanes or
/// kNarrowLanes, as the loops of reduce.cpp have it.
template <class R, Index kWidth>
typename R::Acc reduce_run(const typename R::Value* a, const typename R::Value* b, Index n) {
  alignas(64) typename R::Acc acc[kWidth];
  for (auto& each : acc) each = R::identity();
  const Index steps = n / kWidth, rest = n % kWidth;
  accumulate<R, kWidth>(a, b, kWidth, kWidth, steps, acc);
  for (Index l = 0; l < rest; ++l) acc[l] = R::join(acc[l], R::load(a, b, kWidth * steps + l));
  fold_lanes<R>(acc, 1, kWidth);
  return acc[0];
}

inline constexpr Index kShortSum = 128;  ///< products that are added up in few accumulators
inline constexpr Index kShortLanes = 8;

/// beta * c + alpha * the sum of a[p] * b[p] over p < k <= kShortSum: in lanes, which are added in
/// halves, and what is no whole set of lanes one after the other. A beta of 0 hides c.
template <class T>
T short_product(const T* a, const T* b, Index k, T c, T beta, T alpha) {
  if (k == 0) return beta == T(0) ? T(0) : beta * c;
  T lanes[kShortLanes] = {};
  Index p = 0;
  for (; p + kShortLanes <= k; p += kShortLanes)
    for (Index l = 0; l < kShortLanes; ++l) lanes[l] += a[p + l] * b[p + l];
  for (Index half = kShortLanes / 2; half > 0; half /= 2)
    for (Index l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  T sum = lanes[0];
  for (; p < k; ++p) sum += a[p] * b[p];
  return update(c, beta, sum, alpha);
}

/// Products of at most so many rows, columns and terms of a sum are the loops below.
inline constexpr Index kTinyProduct = 8;

/// tiny_product() of M rows. The compiler knows the lengths of the loops: otherwise a product of
/// 8 x 8 takes four times as long.
template <class T, int M>
[[gnu::always_inline]] inline void tiny_rows(bool trans_a, bool trans_b, Index n, Index k,
                                             const T* a, const T* b, T* c, T beta, T alpha) {
  for (Index j = 0; j < n; ++j) {
    T sums[M] = {};
#pragma GCC unroll 8
    for (Index p = 0; p < k; ++p) {
      const T factor = trans_b ? b[j + n * p] : b[p + k * j];
#pragma GCC unroll 8
      for (int i = 0; i < M; ++i) sums[i] += (trans_a ? a[p + k * i] : a[i + M * p]) * factor;
    }
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i) c[i + M * j] = update(c[i + M * j], beta, sums[i], alpha);
  }
}

/// c (m x n) = beta * c + alpha * op(a) @ op(b): each sum one term after the other. A beta of 0
/// hides c. No extent is 0 or more than kTinyProduct.
template <class T>
CUDAMAT_TARGET_CLONES void tiny_product(bool trans_a, bool trans_b, Index m, Index n, Index k,
                                        const T* a, const T* b, T* c, T beta, T alpha) {
  const auto rows = [&](auto count) {
    tiny_rows<T, count>(trans_a, trans_b, n, k, a, b, c, beta, alpha);
  };
  switch (m) {
    case 1:
      return rows(std::integral_constant<int, 1>());
    case 2:
      return rows(std::integral_constant<int, 2>());
    case 3:
      return rows(std::integral_constant<int, 3>());
    case 4:
      return rows(std::integral_constant<int, 4>());
    case 5:
      return rows(std::integral_constant<int, 5>());
    case 6:
      return rows(std::integral_constant<int, 6>());
    case 7:
      return rows(std::integral_constant<int, 7>());
    default:
      return rows(std::integral_constant<int, kTinyProduct>());
  }
}

/// The reduction of a column of kShortColumn <= rows < (kRun + 1) * kLanes, as the loops of
/// reduce.cpp have it.
template <class R>
typename R::Acc reduce_column(const typename R::Value* a, Index rows) {
  if (rows >= kLongColumn) return reduce_run<R, kLanes>(a, nullptr, rows);
  typename R::Acc value;
  reduce_runs<R>(a, rows, 1, &value);
  return value;
}

}  // namespace npmat

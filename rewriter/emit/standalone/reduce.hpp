// Reductions of printed C++ programs. The order of the operations depends on the shape alone, and
// is that of npmat (npmat/reduce_lanes.hpp and reduce.cpp): so are the bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "cudamat/functors.hpp"
#include "rewriter/emit/standalone/matrix.hpp"

namespace cudamat {

/// Sums of float are accumulated in double.
template <class F>
using Accumulator =
    std::conditional_t<std::is_same_v<F, functors::Sum> && std::is_same_v<T, float>, double, T>;

/// acc[l] takes load(l + lanes * step) of the steps [first, last), four at a time.
template <class F, class A, class Load>
void take_steps(const Load& load, Index lanes, Index first, Index last, A* acc) {
  const F join{};
  Index step = first;
  for (; step + 4 <= last; step += 4)
#pragma GCC ivdep
    for (Index l = 0; l < lanes; ++l) {
      const Index at = l + lanes * step;
      const A one = join(A(load(at)), A(load(at + lanes)));
      const A two = join(A(load(at + 2 * lanes)), A(load(at + 3 * lanes)));
      acc[l] = join(acc[l], join(one, two));
    }
  for (; step < last; ++step)
#pragma GCC ivdep
    for (Index l = 0; l < lanes; ++l) acc[l] = join(acc[l], A(load(l + lanes * step)));
}

/// acc = the reduction of the steps, runs of 128 of them joined in pairs.
template <class F, class A, class Load>
void reduce_steps(const Load& load, Index lanes, Index first, Index last, A* acc) {
  constexpr Index kRun = 128;
  if (last - first <= kRun) {
    std::fill_n(acc, lanes, F::template identity<A>());
    return take_steps<F>(load, lanes, first, last, acc);
  }
  const Index half = ((last - first) / 2 + kRun - 1) / kRun * kRun;
  std::vector<A> other(static_cast<std::size_t>(lanes));
  reduce_steps<F>(load, lanes, first, first + half, acc);
  reduce_steps<F>(load, lanes, first + half, last, other.data());
  for (Index l = 0; l < lanes; ++l) acc[l] = F{}(acc[l], other[static_cast<std::size_t>(l)]);
}

/// The reduction along each row of the rows x cols numbers load(k), column by column.
template <class F, class A, class Load>
std::vector<A> reduce_rows(Index rows, Index cols, const Load& load) {
  // A matrix with few rows is taken some columns at a time, a long one in pieces.
  const Index fold = rows == 1 && cols < 512 ? 16 : rows <= 4 ? 64 : rows < 64 ? 16 : 1;
  const Index lanes = rows * fold, steps = cols / fold;
  Index blocks = (lanes + 2047) / 2048;
  const Index block = ((lanes + blocks - 1) / blocks + 15) / 16 * 16;
  blocks = (lanes + block - 1) / block;
  const Index wanted = std::clamp(lanes * steps / 65536, Index(1), Index(64)) / blocks;
  const Index piece = std::max(Index(128), (steps / std::max(Index(1), wanted) + 127) / 128 * 128);
  const Index pieces = std::max(Index(1), (steps + piece - 1) / piece);
  std::vector<A> all(static_cast<std::size_t>(lanes * pieces));
  A* const acc = all.data();
#pragma omp parallel for if (pieces > 1)
  for (Index p = 0; p < pieces; ++p)
    reduce_steps<F>(load, lanes, p * piece, std::min(steps, (p + 1) * piece), acc + lanes * p);
  for (Index gap = 1; gap < pieces; gap *= 2)
    for (Index p = 0; p + gap < pieces; p += 2 * gap)
      for (Index l = 0; l < lanes; ++l)
        acc[lanes * p + l] = F{}(acc[lanes * p + l], acc[lanes * (p + gap) + l]);
  for (Index l = 0; l < rows * (cols % fold); ++l) acc[l] = F{}(acc[l], A(load(lanes * steps + l)));
  for (Index half = fold / 2; half > 0; half /= 2)
    for (Index l = 0; l < rows * half; ++l) acc[l] = F{}(acc[l], acc[l + rows * half]);
  all.resize(static_cast<std::size_t>(rows));
  return all;
}

/// The reduction of a column of n numbers load(i).
template <class F, class A, class Load>
A reduce_column(Index n, const Load& load) {
  constexpr Index kLanes = 16;
  const F join{};
  if (n == 0) return F::template identity<A>();
  if (n >= 512) return reduce_rows<F, A>(1, n, load)[0];
  A acc[2 * kLanes] = {};
  if (n < 2 * kLanes) {  // neighbours are joined until their number is odd
    for (Index i = 0; i < n; ++i) acc[i] = A(load(i));
    for (; n % 2 == 0; n /= 2)
      for (Index i = 0; i < n / 2; ++i) acc[i] = join(acc[2 * i], acc[2 * i + 1]);
    for (Index i = 1; i < n; ++i) acc[0] = join(acc[0], acc[i]);
    return acc[0];
  }
  for (Index l = 0; l < kLanes; ++l) acc[l] = A(load(l));
  for (Index i = kLanes; i < n; i += kLanes)
    for (Index l = 0; l < std::min(kLanes, n - i); ++l) acc[l] = join(acc[l], A(load(i + l)));
  for (Index half = kLanes / 2; half > 0; half /= 2)
    for (Index l = 0; l < half; ++l) acc[l] = join(acc[l], acc[l + half]);
  return acc[0];
}

/// target = mult * the reduction + beta * target, of rows x cols numbers load(k), over an axis.
template <class F, class Load>
void reduce(Index rows, Index cols, const Load& load, int axis, Matrix target, T mult = 1,
            T beta = 0, Index mean_of = 0) {
  using A = Accumulator<F>;
  const auto term = [&](Index k) { return F::term(load(k)); };
  const auto set = [&](Index at, A value) {
    T result = mean_of == 0 ? T(value) : T(value) / T(mean_of);
    if (mult != T(1)) result = mult * result;
    target[at] = beta == T(0) ? result : beta * target[at] + result;
  };
  if (axis == 0) {
#pragma omp parallel for if (rows * cols > 65536)
    for (Index j = 0; j < cols; ++j)
      set(j, reduce_column<F, A>(rows, [&](Index i) { return term(i + rows * j); }));
    return;
  }
  if (cols == 0) {
    for (Index i = 0; i < rows; ++i) set(i, F::template identity<A>());
    return;
  }
  if (rows == 0) return;
  const std::vector<A> values = reduce_rows<F, A>(rows, cols, term);
  for (Index i = 0; i < rows; ++i) set(i, values[static_cast<std::size_t>(i)]);
}

template <class F>
void reduce(Matrix a, int axis, Matrix target, T mult = 1, T beta = 0) {
  reduce<F>(
      a.rows, a.cols, [&](Index k) { return a[k]; }, axis, target, mult, beta);
}

inline void mean(Matrix a, int axis, Matrix target, T mult = 1, T beta = 0) {
  reduce<functors::Sum>(
      a.rows, a.cols, [&](Index k) { return a[k]; }, axis, target, mult, beta,
      axis == 0 ? a.rows : a.cols);
}

/// The reduction of n numbers load(k); a sum is rounded once, to T.
template <class F, class Load>
Accumulator<F> reduce_all(Index n, const Load& load) {
  using A = Accumulator<F>;
  return n == 0 ? F::template identity<A>() : reduce_rows<F, A>(1, n, load)[0];
}

inline T total(Matrix a) {
  return T(reduce_all<functors::Sum>(a.size(), [&](Index k) { return a[k]; }));
}
inline T total_mean(Matrix a) {
  return total(a) / T(a.size());
}
inline T total_max(Matrix a) {
  return reduce_all<functors::Max>(a.size(), [&](Index k) { return a[k]; });
}
inline T euclid_norm(Matrix a) {
  using A = Accumulator<functors::Sum>;
  return T(
      std::sqrt(reduce_all<functors::Sum>(a.size(), [&](Index k) { return A(a[k]) * A(a[k]); })));
}
inline T manhattan_norm(Matrix a) {
  return T(reduce_all<functors::Sum>(a.size(), [&](Index k) { return std::abs(a[k]); }));
}
inline T vdot(Matrix a, Matrix b) {
  using A = Accumulator<functors::Sum>;
  return T(reduce_all<functors::Sum>(a.size(), [&](Index k) { return A(a[k]) * A(b[k]); }));
}
inline T allfinite(Matrix a) {
  bool all = true;
  for (Index k = 0; k < a.size(); ++k) all = all && std::isfinite(a[k]);
  return T(all);
}

/// The place of the extreme, or of the first NaN, along the axis.
template <class F>
void find(Matrix a, int axis, Matrix target) {
  const Index count = axis == 0 ? a.cols : a.rows, n = axis == 0 ? a.rows : a.cols;
  for (Index c = 0; c < count; ++c) {
    const auto at = [&](Index p) { return axis == 0 ? a(p, c) : a(c, p); };
    Index best = 0;
    for (Index p = 1; p < n; ++p)
      if (F::displaces(at(best), at(p))) best = p;
    target[c] = T(best);
  }
}

}  // namespace cudamat

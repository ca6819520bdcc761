// Reductions of printed CUDA programs: those of the engine (cuda/reduce.cuh), in its order, of
// matrices and of what is computed for each element.
#pragma once

#include <cstdint>
#include <limits>

#include "cudamat/cuda/reduce.cuh"
#include "rewriter/emit/standalone/cuda/arrays.cuh"

namespace cudamat {

/// What terms(k) gives for each k.
template <class Terms>
struct Computed {
  using Item = T;
  Terms terms;

  bool aligned() const { return false; }
  __device__ T operator[](Index k) const { return terms(k); }
  __device__ cuda::Pack<T> pack(Index k) const {
    cuda::Pack<T> all;
    for (int p = 0; p < cuda::Pack<T>::kSize; ++p) all.v[p] = terms(k + p);
    return all;
  }
};

/// The segments of an axis. Rows of one number are columns of one number, too.
inline cuda::Segments segments(Index rows, Index cols, int axis) {
  if (axis == 0) return {1, rows, cols};
  if (cols == 1) return {1, 1, rows};
  return {rows, cols, 1};
}

/// target = mult * the reduction + beta * target, of rows x cols numbers, over an axis.
template <class F, class Source>
void reduce_source(const Source& source, Index rows, Index cols, int axis, Matrix target, T mult,
                   T beta, Index mean_of) {
  if (target.size() == 0) return;
  const cuda::Update<T> update{target.data, mult, beta, T(mean_of), mean_of != 0};
  cuda::reduce_segments<cuda::Fold<T, F>>("reduction", source, segments(rows, cols, axis), update);
}

/// The same of terms(k) for the elements k of rows x cols, column by column.
template <class F, class Terms>
void reduce(const Terms& terms, Index rows, Index cols, int axis, Matrix target, T mult = 1,
            T beta = 0, Index mean_of = 0) {
  reduce_source<F>(Computed<Terms>{terms}, rows, cols, axis, target, mult, beta, mean_of);
}

template <class F>
void reduce(Matrix a, int axis, Matrix target, T mult = 1, T beta = 0) {
  reduce_source<F>(cuda::Numbers<T>{a.data}, a.rows, a.cols, axis, target, mult, beta, 0);
}

inline void mean(Matrix a, int axis, Matrix target, T mult = 1, T beta = 0) {
  reduce_source<functors::Sum>(cuda::Numbers<T>{a.data}, a.rows, a.cols, axis, target, mult, beta,
                               axis == 0 ? a.rows : a.cols);
}

/// The place of the extreme, or of the first NaN, along the axis.
template <class F>
void find(Matrix a, int axis, Matrix target) {
  if (target.size() == 0) return;
  cuda::reduce_segments<cuda::WinningNumbers<T, F, Index>>(
      "place of the extreme", cuda::Numbers<T>{a.data}, segments(a.rows, a.cols, axis),
      cuda::Places<T>{target.data});
}

/// target[0] = what Finish makes of the reduction R of all n numbers.
template <class R, class Finish = cuda::Itself, class Source>
void reduce_whole(const Source& source, Index n, Matrix target, bool mean = false) {
  const cuda::Finished<T, Finish> sink{{target.data, T(1), T(0), T(n), mean}};
  cuda::reduce_segments<R>("reduction", source, {1, n, 1}, sink);
}

inline void total(Matrix a, Matrix target) {
  reduce_whole<cuda::Fold<T, functors::Sum>>(cuda::Numbers<T>{a.data}, a.size(), target);
}
inline void total_mean(Matrix a, Matrix target) {
  reduce_whole<cuda::Fold<T, functors::Sum>>(cuda::Numbers<T>{a.data}, a.size(), target, true);
}
inline void total_max(Matrix a, Matrix target) {
  reduce_whole<cuda::Fold<T, functors::Max>>(cuda::Numbers<T>{a.data}, a.size(), target);
}
inline void euclid_norm(Matrix a, Matrix target) {
  reduce_whole<cuda::SumOfSquares<T>, cuda::Root>(cuda::Numbers<T>{a.data}, a.size(), target);
}
inline void manhattan_norm(Matrix a, Matrix target) {
  reduce_whole<cuda::SumOf<T, T, functors::Abs>>(cuda::Numbers<T>{a.data}, a.size(), target);
}
inline void allfinite(Matrix a, Matrix target) {
  reduce_whole<cuda::SumOf<T, T, cuda::Finiteness>, cuda::IsZero>(cuda::Numbers<T>{a.data},
                                                                  a.size(), target);
}
inline void vdot(Matrix a, Matrix b, Matrix target) {
  reduce_whole<cuda::Fold<T, functors::Sum>>(cuda::Products<T>{a.data, b.data}, a.size(), target);
}

}  // namespace cudamat

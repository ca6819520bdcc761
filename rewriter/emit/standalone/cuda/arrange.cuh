// Moves, sorts and counts of printed CUDA programs, by the engine's kernels.
#pragma once

#include <string>

#include "rewriter/emit/standalone/cuda/arrays.cuh"

namespace cudamat {

/// Ends the program where a check fails, whose index is 0 if it holds.
inline void check(Matrix index, const char* wrong) {
  if (first(index) != 0) fail(wrong);
}

/// target[:, k] = a[:, indices[k]]; NaN where there is no such column.
inline void select_columns(Matrix a, Matrix indices, Matrix target) {
  cuda::for_columns("select_columns",
                    cuda::GatherColumns<T, T>{a.data, indices.data, target.data, a.rows, a.cols},
                    a.rows, indices.size());
}

/// target[:, indices[k]] = a[:, k]
inline void set_selected_columns(Matrix target, Matrix indices, Matrix a) {
  if (a.size() == 0) return;
  const Index count = indices.size();
  const cuda::Workspace<cuda::Last> lasts(target.cols);
  const T* const places = indices.data;
  launch(cuda::clear_lasts_kernel<T>, count, places, count, target.cols, lasts.data());
  launch(cuda::find_lasts_kernel<T>, count, places, count, target.cols, lasts.data());
  cuda::for_columns(
      "set_selected_columns",
      cuda::ScatterColumns<T, T>{a.data, places, lasts.data(), target.data, a.rows, target.cols},
      a.rows, count);
}

/// Running sums along the rows.
inline void cumsum(Matrix a, Matrix target) {
  cuda::cumsum(a.data, target.data, a.rows, a.cols);
}

/// Each column in ascending order, NaN last.
inline void sort(Matrix a, Matrix target) {
  if (a.data != target.data) cuda::copy(a.data, target.data, a.size());
  cuda::sort(target.data, a.rows, a.cols);
}

/// The places of each column's elements in ascending order; stable.
inline void argsort(Matrix a, Matrix target) {
  cuda::argsort(a.data, target.data, a.rows, a.cols);
}

/// How often each whole number occurs; with weights, their sums.
inline void bincount(Matrix a, Matrix weights, Matrix target) {
  const Index n = a.size(), wrong = cuda::first_without_place(a.data, n, target.size());
  if (wrong < n)
    fail("ValueError: bincount: " + std::to_string(first({a.data + wrong, 1, 1})) +
         " is not a whole number from 0 to " + std::to_string(target.size() - 1));
  cuda::count_by_key(a.data, weights.data, n, target.data, target.size());
}
inline void bincount(Matrix a, Matrix target) {
  bincount(a, {nullptr, 0, 0}, target);
}

}  // namespace cudamat

// Moves, sorts and counts of printed C++ programs.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "cudamat/detail/bincount.hpp"
#include "rewriter/emit/standalone/matrix.hpp"

namespace cudamat {

/// A number for a message.
inline std::string number_text(T number) {
  const auto whole = static_cast<Index>(number);
  return T(whole) == number ? std::to_string(whole) : std::to_string(number);
}

/// An index as an integer; negative ones count from the end.
inline Index place(T index, Index size) {
  if (!(index >= -T(size) && index < T(size)) || index != T(static_cast<Index>(index)))
    fail("IndexError: index " + number_text(index) + " is out of bounds for axis with size " +
         std::to_string(size));
  return static_cast<Index>(index) + (index < 0 ? size : 0);
}

/// Ends the program where a check fails, whose index is 0 if it holds.
inline void check(Matrix index, const char* wrong) {
  if (index[0] != 0) fail(wrong);
}

/// target[:, k] = a[:, indices[k]]
inline void select_columns(Matrix a, Matrix indices, Matrix target) {
  for (Index k = 0; k < indices.size(); ++k)
    std::copy_n(a.data + a.rows * place(indices[k], a.cols), a.rows, target.data + a.rows * k);
}

/// target[:, indices[k]] = a[:, k]
inline void set_selected_columns(Matrix target, Matrix indices, Matrix a) {
  for (Index k = 0; k < indices.size(); ++k)
    std::copy_n(a.data + a.rows * k, a.rows, target.data + a.rows * place(indices[k], target.cols));
}

/// Running sums along the rows.
inline void cumsum(Matrix a, Matrix target) {
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i < a.rows; ++i) target(i, j) = j == 0 ? a(i, j) : target(i, j - 1) + a(i, j);
}

/// Each column in ascending order, -0 before 0, NaN last.
inline void sort(Matrix a, Matrix target) {
  if (a.data != target.data) std::copy_n(a.data, a.size(), target.data);
#pragma omp parallel for if (a.size() > 65536)
  for (Index j = 0; j < a.cols; ++j) {
    T* const column = target.data + a.rows * j;
    T* const nans = std::partition(column, column + a.rows, [](T x) { return x == x; });
    std::sort(column, nans);
    const auto zeros = std::equal_range(column, nans, T(0));
    std::partition(zeros.first, zeros.second, [](T x) { return std::signbit(x); });
  }
}

/// The places of each column's elements in ascending order; stable.
inline void argsort(Matrix a, Matrix target) {
  std::vector<Index> order(static_cast<std::size_t>(a.rows));
  for (Index j = 0; j < a.cols; ++j) {
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Index p, Index q) {
      return a(p, j) < a(q, j) || (a(p, j) == a(p, j) && a(q, j) != a(q, j));
    });
    for (Index i = 0; i < a.rows; ++i) target(i, j) = T(order[static_cast<std::size_t>(i)]);
  }
}

inline std::size_t count_place(T number, Index size) {
  if (!(number >= 0 && number < T(size)) || number != T(static_cast<Index>(number)))
    fail("ValueError: bincount: " + number_text(number) + " is not a whole number from 0 to " +
         std::to_string(size - 1));
  return static_cast<std::size_t>(number);
}

/// How often each whole number occurs; with weights, their sums.
inline void bincount(Matrix a, Matrix target) {
  std::vector<Index> counts(static_cast<std::size_t>(target.size()), 0);
  for (Index k = 0; k < a.size(); ++k) ++counts[count_place(a[k], target.size())];
  std::copy(counts.begin(), counts.end(), target.data);
}
inline void bincount(Matrix a, Matrix weights, Matrix target) {
  detail::SumsByKey<T> sums(target.size());
  for (Index k = 0; k < a.size(); ++k) {
    const std::size_t place = count_place(a[k], target.size());
    sums.add(&place, &weights[k], 1);
  }
  sums.finish(target.data);
}

}  // namespace cudamat

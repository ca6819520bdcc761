// Equations, factorisations and counts: the operands of calls of family Solver, and the layout of
// several results in one target.
//
// A target with several results is a row, 1 x n, with one result after the other, each in
// column-major order, so that slice() and view() give access to them without a copy. The first
// result is always computed; the length of the target says which of the others are.
//
//   eigh   values (n, ascending), vectors (n x n, the columns)
//   svd    values (k, descending), U (m x k), Vh (k x n); or U (m x m), Vh (n x n); k = min(m, n)
//   qr     R (k x n), Q (m x k); or R (m x n), Q (m x m)
//   lstsq  solution (n x columns of b), values (k, descending), rank (1)
//   slogdet  sign, logarithm of the absolute value
#pragma once

#include <algorithm>

#include "cudamat/shape.hpp"

namespace cudamat {

/// The shapes of a factorisation's second and third result; without any 0 x 0.
struct Parts {
  Index values;  ///< the elements of the first one
  Shape second{}, third{};

  [[nodiscard]] Index size() const { return values + second.size() + third.size(); }
};

inline Parts eigh_parts(Index n, bool vectors) {
  return {n, vectors ? Shape{n, n} : Shape{}};
}

inline Parts svd_parts(Shape a, bool vectors, bool full) {
  const Index k = std::min(a.rows, a.cols);
  if (!vectors) return {k};
  return {k, {a.rows, full ? a.rows : k}, {full ? a.cols : k, a.cols}};
}

/// values: R.
inline Parts qr_parts(Shape a, bool with_q, bool complete) {
  const Index k = complete ? a.rows : std::min(a.rows, a.cols);
  return {k * a.cols, with_q ? Shape{a.rows, k} : Shape{}};
}

inline Parts lstsq_parts(Shape a, Index right) {
  return {a.cols * right, {1, std::min(a.rows, a.cols)}, {1, 1}};
}

/// Those of the choices that have `size` elements; values -1 if none has.
inline Parts chosen_parts(Index size, std::initializer_list<Parts> choices) {
  for (const Parts& parts : choices)
    if (parts.size() == size) return parts;
  return {-1};
}
inline Parts svd_parts(Shape a, Index size) {
  return chosen_parts(
      size, {svd_parts(a, false, false), svd_parts(a, true, false), svd_parts(a, true, true)});
}
inline Parts qr_parts(Shape a, Index size) {
  return chosen_parts(
      size, {qr_parts(a, false, false), qr_parts(a, true, false), qr_parts(a, true, true)});
}
inline Parts eigh_parts(Index n, Index size) {
  return chosen_parts(size, {eigh_parts(n, false), eigh_parts(n, true)});
}

}  // namespace cudamat

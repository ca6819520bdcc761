// The factors of products of printed programs.
#pragma once

#include "rewriter/emit/standalone/matrix.hpp"

namespace cudamat {

/// A matrix, or its transpose.
struct Operand {
  Matrix matrix;
  bool transposed = false;

  Operand(Matrix a, bool is_transposed = false) : matrix(a), transposed(is_transposed) {}
  Index rows() const { return transposed ? matrix.cols : matrix.rows; }
  Index cols() const { return transposed ? matrix.rows : matrix.cols; }
  T operator()(Index i, Index j) const { return transposed ? matrix(j, i) : matrix(i, j); }
};
inline Operand transposed(Matrix a) {
  return {a, true};
}

}  // namespace cudamat

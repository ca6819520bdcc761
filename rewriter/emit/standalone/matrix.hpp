// What a printed program (emit/cpp_program.hpp) computes with: matrices in memory of its own.
//
// The headers of this folder are C++17. A program has those functions of them that it calls, and
// its own scalar type in the place of T.
#pragma once

#include <stdexcept>
#include <string>

#include "cudamat/host_device.hpp"
#include "cudamat/index.hpp"

namespace cudamat {

using T = double;

/// A matrix in memory that it does not own, column by column.
struct Matrix {
  T* data;
  Index rows, cols;

  CUDAMAT_HD Index size() const { return rows * cols; }
  CUDAMAT_HD T& operator[](Index k) const { return data[k]; }
  CUDAMAT_HD T& operator()(Index i, Index j) const { return data[i + rows * j]; }
  Matrix slice(Index first, Index last) const { return {data + rows * first, rows, last - first}; }
  Matrix view(Index new_rows, Index new_cols) const { return {data, new_rows, new_cols}; }
};

[[noreturn]] inline void fail(const std::string& text) {
  throw std::runtime_error(text);
}

}  // namespace cudamat

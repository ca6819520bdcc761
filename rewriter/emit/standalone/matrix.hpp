// What a printed C++ program (emit/cpp_program.hpp) computes with: matrices in memory of its own.
//
// The headers of this folder are C++17. A program has those functions of them that it calls, and
// its own scalar type in the place of T.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

#include "cudamat/index.hpp"

namespace cudamat {

using T = double;

/// A matrix in memory that it does not own, column by column.
struct Matrix {
  T* data;
  Index rows, cols;

  Index size() const { return rows * cols; }
  T& operator[](Index k) const { return data[k]; }
  T& operator()(Index i, Index j) const { return data[i + rows * j]; }
  Matrix slice(Index first, Index last) const { return {data + rows * first, rows, last - first}; }
  Matrix view(Index new_rows, Index new_cols) const { return {data, new_rows, new_cols}; }
};

/// The memory of a run, in bytes; not initialised.
class Memory {
 public:
  explicit Memory(std::size_t bytes)
      : data_(static_cast<char*>(std::aligned_alloc(64, (bytes + 127) / 64 * 64))) {
    if (data_ == nullptr) throw std::bad_alloc();
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { std::free(data_); }
  Matrix matrix(std::size_t at, Index rows, Index cols) const {
    return {reinterpret_cast<T*>(data_ + at), rows, cols};
  }

 private:
  char* data_;
};

[[noreturn]] inline void fail(const std::string& text) {
  throw std::runtime_error(text);
}

/// An array of NumPy's of two dimensions, row by row, as a matrix, and back.
inline void read_rows(const T* array, Matrix target) {
  for (Index j = 0; j < target.cols; ++j)
    for (Index i = 0; i < target.rows; ++i) target(i, j) = array[i * target.cols + j];
}

inline void write_rows(Matrix source, T* array) {
  for (Index i = 0; i < source.rows; ++i)
    for (Index j = 0; j < source.cols; ++j) array[i * source.cols + j] = source(i, j);
}

}  // namespace cudamat

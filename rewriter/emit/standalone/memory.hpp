// The memory of printed C++ programs, and what is read from it and written to it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "rewriter/emit/standalone/matrix.hpp"

namespace cudamat {

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

inline void download(Matrix source, T* array) {
  std::copy_n(source.data, source.size(), array);
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

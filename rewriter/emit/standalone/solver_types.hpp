// What the engines' code for equations and factorisations needs, for printed programs: in C++17,
// under the names that it has in cudamat.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "rewriter/emit/standalone/matrix.hpp"

namespace cudamat {

struct Shape {
  Index rows = 0, cols = 0;
  Index size() const { return rows * cols; }
  Shape transposed() const { return {cols, rows}; }
};

/// The calls that the code names.
enum class Op {
  solve,
  inv,
  cholesky,
  det,
  slogdet,
  lstsq,
  eigh,
  svd,
  qr,
  bincount,
  cumsum,
  sort,
  argsort
};

using CUDAMatException = std::runtime_error;
using InternalError = std::runtime_error;

enum class Reason { Unsupported };
[[noreturn]] inline void misuse(Reason, std::string_view, const char* text) {
  fail(std::string("LinAlgError: ") + text);
}
[[noreturn]] inline void misuse(Reason reason, std::string_view name, const char*,
                                const char* text) {
  misuse(reason, name, text);
}
[[noreturn]] inline void misuse(Reason reason, std::string_view name, const char* text, Shape) {
  misuse(reason, name, text);
}
inline std::string_view name(Op) {
  return "a call";
}

}  // namespace cudamat

// What npmat's code for equations and factorisations needs, for printed C++ programs: in C++17,
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

enum class Op { solve, inv, cholesky, det, slogdet, lstsq, eigh, svd, qr };

/// solver.hpp of cudamat says what the target holds. b has `right` columns, `number` is a limit.
template <class Real>
struct SolverCall {
  Op op;
  Index rows, cols;
  const Real* a;
  Index right;
  const Real* b;
  Real number;
  Index size;
  Real* target;
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
inline std::string_view name(Op) {
  return "";
}

}  // namespace cudamat

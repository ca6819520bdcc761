// Equations and factorisations of printed C++ programs: by LAPACK, or with -DNO_BLAS by the
// textbook.
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include "npmat/lapack_calls.hpp"
#include "npmat/textbook.hpp"
#include "rewriter/emit/standalone/matrix.hpp"
#include "rewriter/emit/standalone/solver_types.hpp"

namespace cudamat {

/// float is computed in double.
using Wide = std::conditional_t<std::is_same_v<T, float>, double, T>;

template <class Real>
void run_solver(const SolverCall<Real>& call) {
#ifndef NO_BLAS
  if constexpr (std::is_same_v<Real, double>) return npmat::Lapack(call).run();
#endif
  npmat::textbook::solver<Real>(call);
}

inline void solver(Op op, Matrix a, Matrix b, T number, Matrix target) {
  const std::vector<Wide> wide_a(a.data, a.data + a.size()), wide_b(b.data, b.data + b.size());
  std::vector<Wide> result(static_cast<std::size_t>(target.size()));
  if (number < 0) number *= -std::numeric_limits<T>::epsilon();
  run_solver<Wide>({op, a.rows, a.cols, wide_a.data(), b.cols, wide_b.data(), number, target.size(),
                    result.data()});
  for (Index k = 0; k < target.size(); ++k) target[k] = T(result[static_cast<std::size_t>(k)]);
}
inline void solver(Op op, Matrix a, Matrix target) {
  solver(op, a, {nullptr, 0, 0}, 0, target);
}

}  // namespace cudamat

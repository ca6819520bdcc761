// Equations and factorisations of printed CUDA programs: the engine's calls of cuSOLVER.
#pragma once

#include "rewriter/emit/standalone/cuda/cusolver.cuh"

namespace cudamat {

inline void solver(Op op, Matrix a, Matrix b, T number, Matrix target) {
  if (target.size() == 0) return;
  cuda::Solver<T>({op, a.rows, a.cols, a.data, b.cols, b.data, number, target.size(), target.data})
      .run();
}
inline void solver(Op op, Matrix a, Matrix target) {
  solver(op, a, {nullptr, 0, 0}, 0, target);
}

}  // namespace cudamat

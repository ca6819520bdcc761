// run() on the GPU, where the CUDA engine was built (the target rewriter_cuda):
//
//   auto result = rewriter::run<cudamat::CUDAMatrix<float>>(list, {{"X", data}});
#pragma once

#include "cudamat/cudamat.hpp"
#include "rewriter/run/run.hpp"

namespace rewriter {

#define CUDAMAT_EXTERN_RUN(T)                               \
  extern template RunResult<T> run<cudamat::CUDAMatrix<T>>( \
      const StatementList&, const std::map<std::string, npmat::Array<T>>&, const RunOptions&);
CUDAMAT_EXTERN_RUN(float)
CUDAMAT_EXTERN_RUN(double)
#undef CUDAMAT_EXTERN_RUN

}  // namespace rewriter

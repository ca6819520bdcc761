// The runs on the GPU.
#include "rewriter/run/run_cuda.hpp"

#include "cudamat/cuda/graph.hpp"
#include "rewriter/run/runner.hpp"

namespace rewriter {

#define INSTANTIATE(T)                                 \
  template class PreparedList<cudamat::CUDAMatrix<T>>; \
  template RunResult<T> run<cudamat::CUDAMatrix<T>>(   \
      const StatementList&, const std::map<std::string, npmat::Array<T>>&, const RunOptions&);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace rewriter

// The CUDA engine links; where there is a GPU, the statements run on it. Against numbers worked out
// by hand.
#include <cstdio>
#include <vector>

#include "cudamat/cudamat.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/reader/reader.hpp"
#include "rewriter/run/run_cuda.hpp"

int main() {
  if (cudamat::cuda::device_count() == 0) {
    std::printf("no GPU: %s\n", cudamat::cuda::describe_device().c_str());
    return 0;
  }
  const rewriter::Source source("outside.py", "X: (2, 3)\nw: (3,)\ny = X @ w\n");
  const rewriter::StatementList list = rewriter::lower(rewriter::read(source));
  const auto result = rewriter::run<cudamat::CUDAMatrix<float>>(
      list, {{"X", {{2, 3}, {1, 2, 3, 4, 5, 6}}}, {"w", {{3}, {1, 2, -1}}}});
  const bool right = result.outputs.at("y").data == std::vector<float>{2, 8};
  std::puts(right ? "as by hand" : "wrong numbers");
  return right ? 0 : 1;
}

// A kernel as an operation of an expression: x + y and x - y, from one pass over memory.
#include <fmt/ranges.h>

#include "cudamat/kernels.hpp"
#include "rewriter/emit/print.hpp"
#include "rewriter/expr/custom.hpp"
#include "rewriter/expr/symbolic.hpp"
#include "rewriter/lower/lower.hpp"

namespace sym = rewriter;

int main() {
  const cudamat::ElementwiseKernel kernel("const float* x, const float* y, float* s, float* d",
                                          "s[i] = x[i] + y[i]; d[i] = x[i] - y[i]");
  sym::define_custom({
      .name = "both",
      .operands = 2,
      .shapes =
          [](const auto& dims) {
            return std::vector{dims[0], dims[0]};
          },
      .launch = [kernel](const sym::CustomCall& call) { kernel.run(call.arguments()); },
      .numpy =
          [](const auto& operands, const auto&) {  // as NumPy computes it
            auto results = std::vector{operands[0], operands[0]};
            for (std::size_t k = 0; k < results[0].data.size(); ++k) {
              results[0].data[k] += operands[1].data[k];
              results[1].data[k] -= operands[1].data[k];
            }
            return results;
          },
  });

  const auto x = sym::array(npmat::Array<float>{{2, 3}, {1, 2, 3, 4, 5, 6}});
  const auto y = sym::array(npmat::Array<float>{{3, 3}, {0, 0, 0, 3, 2, 1, 1, 1, 1}});
  const auto both = sym::custom("both", {x, y.rows(1, 3)});
  const auto product = both[0] * both[1];
  fmt::print("{}", sym::print_statements(sym::lower(product.node())));
  fmt::print("by the kernel:     {}\n", product.as_cuda<float>().data);
  fmt::print("as NumPy means it: {}\n", product.as_numpy<float>().data);
}

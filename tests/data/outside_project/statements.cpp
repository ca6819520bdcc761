// A program in NumPy notation: read, rewritten, printed, run as statements and evaluated by value;
// against numbers worked out by hand.
#include <cstdio>
#include <vector>

#include "rewriter/emit/print.hpp"
#include "rewriter/evaluate/evaluate.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/passes/pipeline.hpp"
#include "rewriter/reader/reader.hpp"
#include "rewriter/run/run.hpp"

int main() {
  const rewriter::Source source("outside.py", "X: (2, 3)\nw: (3,)\ny = 2 * (X @ w) - 1\n");
  const rewriter::Program program = rewriter::read(source);
  const rewriter::StatementList list =
      rewriter::run_passes(rewriter::lower(program), rewriter::parse_pass_names("all")).list;
  std::fputs(rewriter::print_statements(list).c_str(), stdout);

  const rewriter::Values<double> inputs = {{"X", {{2, 3}, {1, 2, 3, 4, 5, 6}}},
                                           {"w", {{3}, {1, 2, -1}}}};
  const std::vector<double> by_hand = {3, 15};  // 2 * (1 + 4 - 3) - 1, 2 * (4 + 10 - 6) - 1
  const auto result = rewriter::run<npmat::CUDAMatrix<double>>(list, inputs);
  const auto by_value = rewriter::evaluate({program.results[0].node}, inputs);
  const bool right = result.outputs.at("y").data == by_hand && by_value[0].data == by_hand;
  std::puts(right ? "as by hand" : "wrong numbers");
  return right ? 0 : 1;
}

// The memory plan against what runs measure, and against arithmetic done by hand.
#include "rewriter/passes/pipeline.hpp"
#include "rewriter/plan/memory_plan.hpp"
#include "rewriter/run/run.hpp"

#include "pass_lines.hpp"

namespace {

using namespace pass_lines;
using namespace rewriter;
using testing::HasSubstr;

constexpr const char* kGradient =
    "X: (5, 7)\nW: (7, 3)\n"
    "h = 1 / (1 + np.exp(-X @ W))\ngrad = X.T @ (h * (1 - h))\n";

Index evaluate(const MemoryPlan& plan) {
  Index sum = 0;
  for (const MemoryPlan::Term& term : plan.peak_terms) {
    Index product = term.count;
    for (const std::size_t symbol : term.symbols) product *= plan.symbols[symbol].value;
    sum += product;
  }
  return sum * plan.bytes_per_element;
}

std::map<std::string, npmat::Array<double>> ones(const StatementList& list) {
  std::map<std::string, npmat::Array<double>> inputs;
  for (const Binding& input : list.inputs) {
    npmat::Array<double> array{{input.dims.begin(), input.dims.end()}, {}};
    array.data.assign(static_cast<std::size_t>(npmat::element_count(array.shape)), 1.0);
    inputs.emplace(input.name, std::move(array));
  }
  return inputs;
}

TEST(MemoryPlan, CountsByHand) {
  const StatementList list = lowered("x: (2, 3)\ny = np.tanh(np.exp(x))\n");
  const MemoryPlan plan = memory_plan(list, 8);
  EXPECT_EQ(plan.inputs, 48);
  EXPECT_EQ(plan.peak, 3 * 48);
  EXPECT_EQ(plan.peak_at, 2);  // y's allocation
  EXPECT_EQ(plan.lower_bound, 3 * 48);
  EXPECT_EQ(peak_formula(plan), "8*(3*n1*n2)");
  ASSERT_EQ(plan.buffers.size(), 3U);
  EXPECT_EQ(plan.buffers[1].made, 0);
  EXPECT_EQ(plan.buffers[1].freed, 4);
  EXPECT_EQ(plan.buffers[2].freed, std::ssize(list.statements));
  EXPECT_TRUE(plan.buffers[2].is_output);
}

TEST(MemoryPlan, EqualExtentsHaveOneSymbol) {
  const MemoryPlan plan =
      memory_plan(lowered("x: (4, 4)\nv: (4,)\nw: (6,)\ny = x + v\nz = w * 2\n"), 4);
  ASSERT_EQ(plan.symbols.size(), 2U);
  EXPECT_EQ(plan.symbols[0].value, 4);
  EXPECT_EQ(plan.symbols[0].meaning, "rows of x, columns of x, elements of v");
  EXPECT_EQ(plan.symbols[1].meaning, "elements of w");
  EXPECT_EQ(evaluate(plan), plan.peak);
}

TEST(MemoryPlan, ExtentsThatNoInputHasGetSymbolsToo) {
  const MemoryPlan plan = memory_plan(lowered("x: (3, 4)\nw = np.ones((4, 7))\ny = x @ w\n"), 4);
  ASSERT_EQ(plan.symbols.size(), 3U);
  EXPECT_EQ(plan.symbols[2].value, 7);
  EXPECT_EQ(plan.symbols[2].meaning, "columns of w");
  EXPECT_EQ(peak_formula(plan), "4*(n1*n2 + n1*n3 + n2*n3)");
}

TEST(MemoryPlan, ThePeakIsWhatRunsMeasure) {
  const char* const programs[] = {
      kGradient,
      "x: (3, 4)\ny = x[:, 1:3]\nz = y * 2\nz[0, :] = 1\nw = np.concatenate((x, z), axis=1)\n",
      "x: (3, 4)\nfor i in range(4):\n  t = np.exp(x) + i\n  x = t - x[:, i:i+1]\n",
      "x: (3, 0)\ny = x.sum(axis=1)\n",
      "y = np.random.rand(3, 3) @ np.eye(3)\n",
      "x: ()\ny = x * 2\n",
  };
  for (const char* text : programs)
    for (const char* passes :
         {"none", "default", "all", "hoist", "reuse", "hoist,reuse", "order"}) {
      const StatementList list = run_passes(lowered(text), parse_pass_names(passes)).list;
      const MemoryPlan plan = memory_plan(list, sizeof(double));
      EXPECT_EQ(run<npmat::CUDAMatrix<double>>(list, ones(list)).peak_bytes, plan.peak)
          << text << passes;
      EXPECT_EQ(evaluate(plan), plan.peak) << text << passes;
      EXPECT_LE(plan.lower_bound, plan.peak) << text << passes;
    }
}

TEST(MemoryPlan, PrintsBuffersPeakFormulaAndBound) {
  const StatementList list = lowered(kGradient);
  const std::string text = print_memory_plan(list, memory_plan(list, 4));
  EXPECT_THAT(text, HasSubstr("n1 = 5  rows of X"));
  EXPECT_THAT(text, HasSubstr("prog.py:5"));
  EXPECT_THAT(text, HasSubstr("lower bound"));
  for (const MemoryPlan::Buffer& buffer : memory_plan(list, 4).buffers)
    EXPECT_THAT(text, HasSubstr(list.variables[static_cast<std::size_t>(buffer.var)].name + "  "));
}

}  // namespace

// Loops whose ranges, slices and matrices depend on the variables of loops around them: printed
// and read again, checked, counted, run, and in the other forms; loops that were written out and
// are loops again.
#include <gmock/gmock.h>

#include "rewriter/emit/print.hpp"
#include "rewriter/list/cost.hpp"
#include "rewriter/list/iterations.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/passes/pipeline.hpp"
#include "rewriter/reader/reader.hpp"
#include "rewriter/run/run.hpp"
#include "tests/list_check.hpp"

namespace {

using namespace rewriter;
using lists::lost;
using lists::parsed;
using testing::HasSubstr;

/// s = the sum of X[j:, i:j + 1] for all i <= j < 6, except for i = 5.
constexpr const char* kTriangle =
    "input X: (6, 6)\n"
    "s = cm.empty((1, 1))\n"
    "s.assign(0)\n"
    "for i in range(0, 5):\n"
    "  for j in range(i, 6):\n"
    "    cols = X.slice(i, j + 1)\n"
    "    part = cm.empty((6 - j, -1 * i + j + 1))\n"
    "    cols.get_row_slice(j, 6, target=part)\n"
    "    flat = part.view((1, 6 - j))\n";  // one column too few, but where i is j

std::string triangle() {
  std::string text = kTriangle;
  text.erase(text.find("    flat"));
  return text +
         "    row = cm.empty((1, -1 * i + j + 1))\n"
         "    part.sum(axis=0, target=row)\n"
         "    part.free_device_memory()\n"
         "    one = cm.empty((1, 1))\n"
         "    row.sum(axis=1, target=one)\n"
         "    s.add(one)\n"
         "    row.free_device_memory()\n"
         "    one.free_device_memory()\n"
         "output s: ()\n";
}

npmat::Array<double> numbers(Index rows, Index cols) {
  npmat::Array<double> array{{rows, cols}, {}};
  for (Index k = 0; k < rows * cols; ++k)
    array.data.push_back(static_cast<double>(k * k % 17) - 5.25);
  return array;
}

long double sum_of_triangle(const npmat::Array<double>& x) {
  long double sum = 0;
  for (Index i = 0; i < 5; ++i)
    for (Index j = i; j < 6; ++j)
      for (Index r = j; r < 6; ++r)
        for (Index c = i; c <= j; ++c) sum += x.data[static_cast<std::size_t>(6 * r + c)];
  return sum;
}

TEST(VaryingLoops, ReadPrintedAndRunAfterEveryPass) {
  const StatementList list = parsed(triangle());
  EXPECT_EQ(lost(list), "");
  const npmat::Array<double> x = numbers(6, 6);
  const auto check = [&](const StatementList& each) {
    const auto outputs = run<npmat::CUDAMatrix<double>>(each, {{"X", x}}).outputs;
    EXPECT_EQ(outputs.at("s").data[0], static_cast<double>(sum_of_triangle(x)));  // quarters
  };
  check(list);
  for (const char* const passes : {"default", "all"})
    run_passes(list, parse_pass_names(passes), [&](const PassRun& run, const StatementList& left) {
      SCOPED_TRACE(run.pass->name);
      EXPECT_EQ(lost(left), "");
      check(left);
    });
}

TEST(VaryingLoops, KnowTheLargestAndHowOften) {
  const StatementList list = parsed(triangle());
  const auto variable = [&](const char* name) {
    return *std::find_if(list.variables.begin(), list.variables.end(),
                         [&](const Variable& v) { return v.name == name; });
  };
  EXPECT_EQ(variable("cols").shape, (cudamat::Shape{6, 6}));
  EXPECT_EQ(variable("part").shape, (cudamat::Shape{6, 6}));
  EXPECT_EQ(variable("row").shape, (cudamat::Shape{1, 6}));
  EXPECT_EQ(cost_of(list, 8).launches, 1 + 4 * (6 + 5 + 4 + 3 + 2));
  IterationSpace space(list);
  space.open(0);
  space.open(1);
  EXPECT_EQ(space.iterations(), 20);
  EXPECT_EQ(space.bounds(0, {{0, -1}, {1, 1}}), (std::pair<Index, Index>{0, 5}));
}

TEST(VaryingLoops, AreCheckedInEveryIteration) {
  try {
    parsed(kTriangle);
    ADD_FAILURE() << "accepted";
  } catch (const ProgramError& error) {
    EXPECT_THAT(error.message(), HasSubstr("different element count"));
  }
}

TEST(VaryingLoops, InTheOtherForms) {
  const StatementList list = parsed(triangle());
  const std::string cpp = print_cudamat_cpp(list);
  EXPECT_THAT(cpp, HasSubstr("for (cm::Index j = i; j < 6; ++j) {"));
  EXPECT_THAT(cpp, HasSubstr("Matrix part = Matrix::empty({6 - j, j - i + 1});"));
  const std::string json = print_json(list);
  EXPECT_THAT(json, HasSubstr("\"start_terms\":[{\"loop\":\"i\",\"factor\":1}]"));
  EXPECT_THAT(json, HasSubstr("\"stretch\":[{\"loop\":\"i\",\"factor\":-1},{\"loop\":\"j\","));
  const std::string python = print_cudamat_py(list);
  EXPECT_THAT(python, HasSubstr("for j in range(i, 6):"));
  EXPECT_THAT(python, HasSubstr("part = cm.empty((6 - j, j - i + 1))"));
}

// ---- loops that the reader writes out

StatementList lowered(const std::string& program) {
  return lower(read(Source("prog.py", "import numpy as np\n" + program)));
}

std::string text(const std::string& program) {
  return print_statements(lowered(program));
}

TEST(RolledLoops, StayLoopsWhoseLengthIsThatOfNoIteration) {
  const auto statements = [](int n) {
    const std::string size = std::to_string(n);
    return lowered("A: (" + size + ", " + size + ")\nfor i in range(" + size +
                   "):\n    for j in range(i):\n        A[i, j] -= A[i, :j] @ A[j, :j]\n")
        .statements.size();
  };
  EXPECT_EQ(statements(8), statements(40));
}

TEST(RolledLoops, CarryWhatAnIterationLeaves) {
  const std::string list =
      text("x: (9,)\ns = 0.0\nfor i in range(1, 8):\n    s = s * 0.5 + x[i:].sum()\nt = s * 2\n");
  EXPECT_THAT(list, HasSubstr("for i in range(2, 8):"));
  EXPECT_THAT(list, HasSubstr("x.slice(i, 9)"));
  EXPECT_THAT(list, HasSubstr("\noutput s: ()"));
}

TEST(RolledLoops, SayWhatStaysWrittenOut) {
  const std::string list = text("x: (9,)\nfor i in range(9):\n    x[i:] *= x[:i + 1].sum()\n");
  EXPECT_THAT(list, HasSubstr("# unrolled: the first iteration and the last iteration"));
  EXPECT_THAT(list, HasSubstr("for i in range(1, 8):"));
}

TEST(RolledLoops, DoNotWriteOverWhatTheFirstIterationFound) {
  // The first iteration's w is x itself.
  const std::string program =
      "x: (6,)\nw = x * 1\nv = w\nfor i in range(1, 6):\n    w[:i] += 1\n    w = w * 2\n";
  const npmat::Array<double> x{{6}, {1, 2, 3, 4, 5, 6}};
  const auto outputs = run<npmat::CUDAMatrix<double>>(lowered(program), {{"x", x}}).outputs;
  EXPECT_THAT(outputs.at("v").data, testing::ElementsAre(2, 2, 3, 4, 5, 6));
  EXPECT_THAT(outputs.at("w").data, testing::ElementsAre(94, 94, 110, 134, 162, 192));
}

}  // namespace

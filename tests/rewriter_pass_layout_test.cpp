// The pass layout: what is held transposed, what that spares, and what must stay as it was written.
#include "rewriter/listing/compare.hpp"
#include "rewriter/listing/parse_list.hpp"
#include "rewriter/passes/layout.hpp"
#include "rewriter/passes/layout_choice.hpp"
#include "rewriter/passes/pipeline.hpp"

#include "pass_programs.hpp"

namespace {

using namespace pass_programs;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr auto kRounding = Remark::Kind::Rounding;

std::string with_x(const std::string& text) {
  return "import numpy as np\nX: (60, 12)\nW: (12, 7)\n" + text + "\n";
}

TEST(Layout, RowsOfABatchAreAView) {
  const std::string text = with_x(
      "s = np.zeros((12, 7))\nfor b in range(6):\n    v = X[10 * b:10 * b + 10]\n"
      "    s = s + v.T @ np.tanh(v @ W)");
  EXPECT_THAT(
      after(layout, text, kMayRound, {"s"}),
      ElementsAre("s.assign(0)", "for b in range(0, 6):", "v = X.slice(10 * b, 10 * b + 10)",
                  "t1.assign(v)", "cm.dot(v.T, W, target=t2)", "cm.tanh(t2, target=t3)",
                  "cm.dot(t1, t3, target=t4)", "s.add(t4, target=s_2)", "s.assign(s_2)",
                  "output s: (12, 7)"));
  EXPECT_THAT(remarks(layout, text, kRounding, kMayRound, {"s"}),
              Contains(StartsWith("X and v are held transposed; that saves")));
}

// Columns 64 KB apart displace each other from the caches, columns of 40 numbers do not; columns of
// ten are too short for other things.
TEST(Layout, ProductsOfVeryManyRowsHaveThemAsColumns) {
  const auto lines = [](int rows, int cols) {
    return after(layout, fmt::format("X: ({}, 48)\nW: (48, {})\ny = X @ W", rows, cols), kMayRound);
  };
  EXPECT_THAT(lines(16384, 40), Contains("output y: (16384, 40), transposed"));
  EXPECT_THAT(lines(16385, 40), Contains("output y: (16385, 40)"));
  EXPECT_THAT(lines(16384, 10), Contains("output y: (16384, 10)"));
}

TEST(Layout, InputsAndOutputsAreWhatTheProgramHas) {
  const StatementList list = lowered(with_x("y = X[3:9] * 2\nb = X[0] + 1"), {"y", "b"});
  const StatementList made = checked(layout, list, kMayRound).list;
  const std::string text = print_statements(made);
  EXPECT_THAT(text, HasSubstr("input X: (60, 12), transposed"));
  EXPECT_THAT(text, HasSubstr("output y: (6, 12), transposed"));
  EXPECT_THAT(text, HasSubstr("output b: (12,), transposed"));
  EXPECT_EQ(first_difference(made, parse_statements(Source("made.list", text))), "");
}

TEST(Layout, OneCopyOfAnInputOrAnOutputIsReasonEnoughIfItIsAsked) {
  const std::string text = with_x("y = np.tanh(X) * 2");
  const StatementList list = lowered(text, {"y"});
  EXPECT_TRUE(same_list(layout(list, kExact).list, list));
  const PassOptions numpys{.bindings_are_in_c_order = true};
  const std::string made = print_statements(checked(layout, list, numpys).list);
  EXPECT_THAT(made, HasSubstr("input X: (60, 12), transposed"));
  EXPECT_THAT(made, HasSubstr("output y: (60, 12), transposed"));
  EXPECT_THAT(remarks(layout, text, Remark::Kind::Made, numpys, {"y"}),
              Contains(HasSubstr("held transposed; that saves")));
  EXPECT_THAT(refusals(layout, with_x("y = np.tanh(X) @ W"), numpys),
              Contains(HasSubstr("in sums or products, which may round otherwise; transposed")));
}

/// What `convert` asks for: sums may have another order, other rewrites may not round otherwise.
TEST(Layout, WhatIsSummedIsUsedAsItLiesInNumPyWhereThatMayRound) {
  const PassOptions numpys{.bindings_are_in_c_order = true};
  const PassOptions converts{.layout_may_round = true, .bindings_are_in_c_order = true};
  for (const char* const sum : {"X.sum()", "(X * X).sum()", "np.max(X)", "X.sum(axis=0)",
                                "X.mean(axis=1)", "X @ W[:, 0]", "np.tanh(X).sum()"}) {
    const StatementList list = lowered(with_x(std::string("y = ") + sum), {"y"});
    EXPECT_THAT(print_statements(checked(layout, list, converts, 64).list),
                HasSubstr("input X: (60, 12), transposed"))
        << sum;
    EXPECT_THAT(print_statements(checked(layout, list, numpys).list),
                HasSubstr("input X: (60, 12) "))
        << sum;
  }
  // Of what depends on the order of its elements, in the matrix's columns, it stays.
  const std::string whole = "v = X.view((1, 720))\n";
  const auto made = [&](const std::string& text) {
    return print_statements(
        checked(layout, parse_statements(Source("test.list", "input X: (60, 12)\n" + whole + text)),
                converts, 64)
            .list);
  };
  EXPECT_THAT(made("y = cm.empty((1, 1))\nv.sum(axis=1, target=y)\noutput y: ()\n"),
              HasSubstr("input X: (60, 12), transposed"));
  for (const char* const ordered :
       {"y = cm.empty((1, 720))\nv.cumsum(target=y)\noutput y: (720,)\n",
        "y = cm.empty((1, 1))\nv.argmax(axis=1, target=y)\noutput y: ()\n",
        "t = v.slice(7, 9)\ny = cm.empty((1, 1))\nt.sum(axis=1, target=y)\noutput y: ()\n"})
    EXPECT_THAT(made(ordered), HasSubstr("input X: (60, 12) ")) << ordered;
}

TEST(Layout, AnInputOfWhichSingleRowsAreReadIsUsedAsItLiesInNumPy) {
  const PassOptions numpys{.bindings_are_in_c_order = true};
  const std::string text =
      "import numpy as np\nA: (40, 40)\nb: (40,)\nx = np.zeros(40)\nfor i in range(40):\n"
      "    x[i] = (b[i] - A[i, :i] @ x[:i]) / A[i, i]\ny = A[3, 5:9] * 2\nz = A[7] + x";
  const StatementList list = lowered(text, {"x", "y", "z"});
  const std::string made = print_statements(checked(layout, list, numpys).list);
  EXPECT_THAT(made, HasSubstr("input A: (40, 40), transposed"));
  EXPECT_THAT(made, Not(HasSubstr("get_row_slice")));
  EXPECT_THAT(made, HasSubstr("slice(0, i)"));
  for (const char* const other :
       {"\nw = A[:, 3] * 2", "\nw = A[3:5] * 2", "\nw = A @ x", "\nA[2, 3] = 4\nw = A[1] * 2"})
    EXPECT_THAT(print_statements(checked(layout, lowered(text + other, {"y", "w"}), numpys).list),
                AllOf(HasSubstr("input A: (40, 40)"), HasSubstr("get_row_slice")));
}

TEST(Layout, VectorsAreSeenTheOtherWayRoundWithoutACopy) {
  EXPECT_THAT(
      after(layout, with_x("c: (12,)\ny = np.exp(X[3:9]) + c * c\nz = c[2:5] * 1"), kMayRound),
      ElementsAre("t1 = X.slice(3, 9)", "cm.exp(t1, target=t2)", "t5 = t3.view((12, 1))",
                  "c.mult(c, target=t3)", "t2.add_col_vec(t5, target=y)", "t4 = c.slice(2, 5)",
                  "t4.mult(1, target=z)", "output y: (6, 12), transposed", "output z: (3,)"));
}

TEST(Layout, DrawsStayTheNumbersThatTheyAre) {
  const std::string text = with_x(
      "for b in range(5):\n    v = X[10 * b:10 * b + 10]\n    u = X[10 * b + 3:10 * b + 13]\n"
      "    r = np.random.rand(10, 12) < v + u\n    W += np.tanh(r.T @ np.tanh(v @ W))");
  const Lines lines = after(layout, text, kMayRound, {"W"});
  EXPECT_THAT(lines, Contains("v = X.slice(10 * b, 10 * b + 10)"));
  EXPECT_THAT(lines, Contains(HasSubstr(".transpose(target=")));
}

TEST(Layout, WhatMustStaySaysWhy) {
  EXPECT_THAT(refusals(layout, with_x("y = X[3:9] * 2\nz = X[:, 1] * 2"), kMayRound),
              Contains(HasSubstr("X has columns that are views")));
  EXPECT_THAT(refusals(layout, with_x("y = X[3:9] * 2\nz = np.sort(X, axis=0)"), kMayRound),
              Contains(HasSubstr("X is in sort()")));
  EXPECT_THAT(refusals(layout, with_x("y = X[3:9] @ W"), kExact),
              Contains(HasSubstr("is in sums or products, which may round otherwise")));
  EXPECT_THAT(after(layout, with_x("y = X[3:9] @ W"), kExact),
              Contains(StartsWith("X.get_row_slice(")));
}

/// A list over X (60, 12), of which `text` has the statements.
StatementList list_of(const std::string& text) {
  return parse_statements(Source("test.list", "input X: (60, 12)\n" + text));
}

TEST(Layout, AViewDoesNotOutliveWhatItShows) {
  const std::string take = "v = cm.empty((9, 12))\nX.get_row_slice(0, 9, target=v)\n";
  const std::string rest =
      "y = cm.empty((9, 12))\nv.mult(2, target=y)\noutput y: (9, 12)\noutput X: (60, 12)\n";
  const auto lines = [](const std::string& text) {
    return statements(checked(layout, list_of(text), kMayRound, 64).list);
  };
  EXPECT_THAT(lines(take + rest), Contains("v = X.slice(0, 9)"));
  EXPECT_THAT(lines(take + "X.mult(3)\n" + rest), Contains("v.assign(t1)"));
  EXPECT_THAT(lines(take + "w = cm.empty((4, 12))\nv.get_row_slice(2, 6, target=w)\nX.mult(3)\n"
                           "y = cm.empty((4, 12))\nw.mult(2, target=y)\noutput y: (4, 12)\n"),
              AllOf(Contains("v = X.slice(0, 9)"), Contains("w.assign(t1)")));
  EXPECT_THAT(lines("y = cm.empty((9, 12))\ny.assign(0)\nfor i in range(3):\n"
                    "  v = cm.empty((9, 12))\n  X.get_row_slice(i, i + 9, target=v)\n"
                    "  for j in range(4):\n    y.add(v)\n    X.mult(2)\n  v.free_device_memory()\n"
                    "output y: (9, 12)\n"),
              Contains("v.assign(t1)"));
}

TEST(Layout, NoRowsOfAVectorAreAView) {
  const StatementList list = parse_statements(
      Source("test.list",
             "input v: (1, 4)\n"
             "t = cm.empty((0, 4))\nv.get_row_slice(1, 1, target=t)\ny = cm.empty((0, 4))\n"
             "t.add(1, target=y)\noutput y: (0, 4)\n"));
  for (const bool vector : {false, true})
    for (const bool matrices : {false, true}) {
      const StatementList made = lay_out(list, Table<bool>({vector, matrices, matrices}));
      verify(made);
      expect_same_results<double>(list, made, false);
    }
}

TEST(Layout, IsInAllAndNotInDefault) {
  const auto has = [](std::string_view passes) {
    const PassChoice choice = parse_pass_names(passes);
    return std::count_if(choice.passes.begin(), choice.passes.end(),
                         [](const Pass* pass) { return pass->name == "layout"; });
  };
  EXPECT_EQ(has("default"), 0);
  EXPECT_EQ(has("default,layout"), 1);
  EXPECT_EQ(has("all"), 1);
  EXPECT_EQ(has("fast"), 1);
}

/// Whatever is held transposed of what may be, the list computes what it did: the choice is about
/// speed alone. Where it may not round, every bit.
void expect_any_layout_computes_the_same(const StatementList& list, unsigned seed,
                                         const PassOptions& options) {
  std::mt19937 random(seed);
  const LayoutChoice choice = choose_layout(list, options);
  for (int round = 0; round < 3; ++round) {
    Table<bool> transposed(list.variables.size(), false);
    for (const LayoutGroup& group : choice.groups) {
      const bool turned = group.as_written.empty() && random() % 2 == 0;
      for (const Var var : group.vars) transposed[var] = turned;
    }
    const StatementList made = lay_out(list, transposed);
    verify(made);
    expect_same_results<double>(list, made, false, options.may_round ? 256 : 0);
  }
}

TEST(Layout, AnyChoiceComputesTheSame) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + random_program(seed));
    for (const PassOptions& options : {kMayRound, kExact})
      expect_any_layout_computes_the_same(lowered(random_program(seed)), seed, options);
    if (HasFatalFailure()) return;
  }
}

TEST(Layout, AnyChoiceOfEveryProgramComputesTheSame) {
  unsigned seed = 0;
  for (const std::string& file : program_files()) {
    SCOPED_TRACE(file);
    const StatementList list = lower(read(Source::from_file(file)));
    for (const PassOptions& options : {kMayRound, kExact})
      expect_any_layout_computes_the_same(list, ++seed, options);
    if (HasFatalFailure()) return;
  }
}

}  // namespace

// The pass fuse: which calls become one statement, and which do not and say so; its inverse.
#include "rewriter/listing/compare.hpp"
#include "rewriter/passes/fuse.hpp"

#include "pass_programs.hpp"

namespace {

using namespace pass_programs;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string with_inputs(const std::string& text) {
  return "import numpy as np\nA: (8, 8)\nB: (8, 8)\nr: (8,)\nc: (8, 1)\n" + text + "\n";
}

Lines fused(const std::string& text, const std::vector<std::string>& outputs = {}) {
  return statements(fuse(lowered(with_inputs(text), outputs), kExact).list);
}

/// All remarks that refuse.
std::string refusals(const StatementList& list) {
  std::string text;
  for (const Remark& remark : fuse(list, kExact).remarks)
    if (remark.kind == Remark::Kind::Refused) text += remark.text() + "\n";
  return text;
}

TEST(Fuse, AChainIsOneStatementAndItsTemporariesAreGone) {
  EXPECT_THAT(fused("x = np.sqrt(np.abs(A * B + 1) * 0.5) - B"),
              ElementsAre("cm.fused(\"x = sqrt(abs(A * B + 1) * 0.5) - B\")", "output x: (8, 8)"));
}

TEST(Fuse, AStencilReadsRowsWithoutCopies) {
  EXPECT_THAT(
      fused("B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[2:, 1:-1])"),
      AllOf(Contains("cm.fused(\"t10[1:7] = (t1[1:7] + t3[1:7] + t6[2:8]) * 0.2\")"),
            Not(Contains(HasSubstr("get_row_slice"))), Not(Contains(HasSubstr("set_row_slice")))));
}

TEST(Fuse, VectorsAreSpread) {
  EXPECT_THAT(
      fused("x = (A + r) * c / r - c"),
      ElementsAre("cm.fused(\"x = (A + row(r)) * col(c) / row(r) - col(c)\")", "output x: (8, 8)"));
}

TEST(Fuse, ReductionsOfOneAxisJoinAndWhatOthersReadIsATarget) {
  EXPECT_THAT(
      fused("e = np.exp(A)\ns = e.sum(axis=1)\nm = (A * B).max(axis=1)\np = A @ e"),
      ElementsAre("cm.fused(\"e = exp(A); t1 = sum(e, axis=1); t3 = max(A * B, axis=1)\")",
                  "cm.dot(A, e, target=p)", "s = t1.view((1, 8))", "m = t3.view((1, 8))",
                  "output e: (8, 8)", "output s: (8,)", "output m: (8,)", "output p: (8, 8)"));
}

TEST(Fuse, SoftmaxIsOneStatement) {
  EXPECT_THAT(fused("e = np.exp(A - A.max(axis=1, keepdims=True))\n"
                    "y = e / e.sum(axis=1, keepdims=True)",
                    {"y"}),
              ElementsAre("cm.fused(\"u1 = exp(A - col(max(A, axis=1))); "
                          "y = u1 / col(sum(u1, axis=1))\")",
                          "output y: (8, 8)"));
  EXPECT_THAT(fused("e = np.exp(A - A.max(0))\ny = e / e.sum(0)", {"y"}),
              ElementsAre("cm.fused(\"u1 = exp(A + row(max(A, axis=0)) * -1); "
                          "y = u1 / row(sum(u1, axis=0))\")",
                          "output y: (8, 8)"));
}

TEST(Fuse, LayerNormIsOneStatementWhoseVectorsAreComputedOnce) {
  EXPECT_THAT(fused("d = A - A.mean(1, keepdims=True)\n"
                    "sd = np.sqrt((d * d).mean(1, keepdims=True) + 1e-5)\n"
                    "y = d / sd * r + r",
                    {"y", "sd"}),
              ElementsAre("cm.fused(\"u1 = A - col(mean(A, axis=1)); "
                          "col(sd) = sqrt(col(mean(u1 * u1, axis=1)) + 1e-05); "
                          "y = u1 / col(sd) * row(r) + row(r)\")",
                          "output y: (8, 8)", "output sd: (8, 1)"));
}

TEST(Fuse, WhatReadsAReductionOtherwiseStaysApart) {
  // Its sum over axis 1 is a row to NumPy, and is read along the other axis.
  const StatementList list = lowered(with_inputs("y = A / A.sum(axis=1)"), {"y"});
  EXPECT_THAT(statements(fuse(list, kExact).list), Contains(HasSubstr("A.sum(")));
  // What draws, and a reduction over the other axis.
  EXPECT_THAT(fused("y = (np.random.rand(8, 8) + A) / (A + 1).sum(1, keepdims=True)", {"y"}),
              Contains("t2.div_by_col(t4, target=y)"));
  EXPECT_THAT(fused("e = A - A.max(1, keepdims=True)\ny = e / e.sum(0)", {"y"}),
              ElementsAre("cm.fused(\"e = A - col(max(A, axis=1))\")",
                          "cm.fused(\"y = e / row(sum(e, axis=0))\")", "output y: (8, 8)"));
}

TEST(Fuse, UnfuseGivesTheCallsOfReductionsThatAreUsed) {
  const StatementList list = lowered(with_inputs("e = np.exp(A - A.max(axis=1, keepdims=True))\n"
                                                 "y = e / e.sum(axis=1, keepdims=True)"),
                                     {"y"});
  EXPECT_THAT(statements(unfuse(fuse(list, kExact).list, kExact).list),
              AllOf(Contains(HasSubstr("A.max(axis=1, target=")),
                    Contains(HasSubstr(".sum(axis=1, target=")),
                    Contains(HasSubstr(".div_by_col(")), Not(Contains(HasSubstr("fused")))));
}

TEST(Fuse, EverythingIsReducedInTheShapeThatItIsMadeIn) {
  EXPECT_THAT(fused("e = ((A - B) ** 2).mean()\nm = np.abs(A - B).max()", {"e", "m"}),
              ElementsAre("cm.fused(\"u1 = A - B; e = mean(u1 * u1); m = max(abs(A - B))\")",
                          "output e: ()", "output m: ()"));
}

TEST(Fuse, OverTheGraphNotOnlyNeighbours) {
  EXPECT_THAT(fused("x = A + 1\ny = A @ B\nz = x * 2\nw = np.exp(y)\nv = w - z", {"v"}),
              ElementsAre("cm.dot(A, B, target=y)", "cm.fused(\"v = exp(y) - (A + 1) * 2\")",
                          "output v: (8, 8)"));
}

TEST(Fuse, WhatLiesBetweenStaysBetween) {
  const StatementList list = lowered(with_inputs("x = A + 1\ny = x @ B\nz = x * y"), {"z"});
  EXPECT_THAT(statements(fuse(list, kExact).list),
              ElementsAre("A.add(1, target=x)", "cm.dot(x, B, target=y)", "x.mult(y, target=z)",
                          "output z: (8, 8)"));
  EXPECT_THAT(refusals(list), HasSubstr("others come between them"));
}

TEST(Fuse, WhatIsReadElsewhereThanItIsWrittenStaysApart) {
  const StatementList list = lowered(with_inputs("A[1:] = A[1:] * 2\nx = A[:-1] + 1"), {"x", "A"});
  const Lines lines = statements(fuse(list, kExact).list);
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [](const std::string& line) { return line.starts_with("cm.fused"); }),
            2);
}

TEST(Fuse, DrawsKeepTheirOrder) {
  const StatementList list = lowered(
      with_inputs("a = np.random.rand(8, 8)\nb = np.random.rand(8, 8)\nx = b - a * A"), {"x"});
  EXPECT_THAT(
      statements(fuse(list, kExact).list),
      ElementsAre("cm.fused(\"u1 = rand(); u2 = rand(); x = u2 - u1 * A\")", "output x: (8, 8)"));
}

TEST(Fuse, AMatrixThatIsReadAndWrittenKeepsItsOldValueWhereThatIsMeant) {
  EXPECT_THAT(fused("x = A * 2\nA += 1\ny = x + A", {"A", "y"}),
              ElementsAre("cm.fused(\"u1 = A; A = u1 + 1; y = u1 * 2 + A\")", "output A: (8, 8)",
                          "output y: (8, 8)"));
}

TEST(Fuse, LongChainsAreCut) {
  std::string text = "x = A * 1.5\n";
  for (int i = 0; i < 10'000; ++i) text += "x = x * B + 0.5\n";
  const StatementList list = lowered(with_inputs(text), {"x"});
  const StatementList result = fuse(list, kExact).list;
  verify(result);
  std::size_t calls = 0, steps = 0;
  for (const Statement& s : result.statements) {
    const bool is_fused = s.kind == Statement::Kind::Fused;
    if (!is_fused && s.kind != Statement::Kind::Call) continue;
    ++calls;
    steps += is_fused ? s.fused->steps.size() : 1;
  }
  EXPECT_EQ(steps, 20'001U);
  EXPECT_LE(calls, 20'001U / 56);
}

TEST(Fuse, RemarksCountThePasses) {
  const StatementList list = lowered(with_inputs("x = np.exp(A) * B"), {"x"});
  const std::vector<Remark> remarks = fuse(list, kExact).remarks;
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].text(),
            "cm.exp(A, target=t1); t1.mult(B, target=x) becomes cm.fused(\"x = exp(A) * B\"), "
            "3 passes over memory instead of 5");
}

TEST(Fuse, NothingIsThereWithoutElements) {
  const std::string text = "import numpy as np\nE: (0, 3)\nx = np.exp(E) * 2\ny = x.sum(axis=0)";
  EXPECT_THAT(statements(fuse(lowered(text), kExact).list), Not(Contains(HasSubstr("fused"))));
}

TEST(Fuse, RowsThatDependOnLoops) {
  const std::string text = with_inputs("for i in range(7):\n    A[i + 1] = A[i] * 0.5 + B[i] * 2");
  const StatementList list = lowered(text);
  const StatementList result = fuse(list, kExact).list;
  EXPECT_THAT(statements(result),
              Contains("cm.fused(\"A[i + 1:i + 2] = A[i:i + 1] * 0.5 + B[i:i + 1] * 2\")"));
  const auto data = data_for<double>(list, true);
  const auto before = run<npmat::CUDAMatrix<double>>(list, data, {}).outputs;
  const auto now = run<npmat::CUDAMatrix<double>>(result, data, {}).outputs;
  for (std::size_t i = 0; i < before.at("A").data.size(); ++i) {
    const double a = before.at("A").data[i], b = now.at("A").data[i];
    EXPECT_TRUE(a == b || (a != a && b != b)) << i;
  }
}

TEST(Unfuse, GivesCallsAgain) {
  const StatementList list =
      lowered(with_inputs("x = (A + r) * c\ny = np.maximum(x, r).sum()"), {"x", "y"});
  const StatementList result = fuse(list, kExact).list;
  const StatementList again = unfuse(result, kExact).list;
  verify(again);
  EXPECT_THAT(statements(result), Contains(HasSubstr("cm.fused(")));
  EXPECT_THAT(statements(again),
              AllOf(Not(Contains(HasSubstr("cm.fused("))), Contains(HasSubstr("A.add_row_vec(r")),
                    Contains(HasSubstr("mult_by_col(c")), Contains(HasSubstr("maximum("))));
  EXPECT_EQ(first_difference(again, unfuse(again, kExact).list), "");
}

}  // namespace

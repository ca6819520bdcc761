// The pass unroll: loops of few iterations unrolled, loops of many as they were, the same bits.
#include "rewriter/listing/compare.hpp"
#include "rewriter/passes/unroll.hpp"

#include "pass_programs.hpp"

namespace {

using namespace pass_programs;
using testing::ElementsAre;
using testing::HasSubstr;

std::string with_x(const std::string& text) {
  return "import numpy as np\nX: (12, 3)\n" + text + "\n";
}

TEST(Unroll, IterationsBecomeStatements) {
  EXPECT_THAT(
      after(unroll, with_x("s = np.zeros(3)\nfor i in range(2):\n    s += X[2 * i] * i")),
      ElementsAre("s.assign(0)", "X.get_row_slice(0, 1, target=t1)", "t2.assign(0)",
                  "t1.mult_by_col(t2, target=t3)", "s.add(t3)", "X.get_row_slice(2, 3, target=t4)",
                  "t5.assign(1)", "t4.mult_by_col(t5, target=t6)", "s.add(t6)", "output s: (3,)"));
}

TEST(Unroll, LongLoopsStayAndSayWhy) {
  const std::string text =
      with_x("for i in range(9):\n    for j in range(2):\n        X[i] *= j + 2.5");
  const StatementList list = lowered(text);
  const PassResult result = unroll(list, kExact);
  EXPECT_EQ(result.list.loops.size(), 1U);
  EXPECT_THAT(result.remarks[0].text(),
              HasSubstr("it has 9 iterations, and at most 8 are unrolled"));
  EXPECT_THAT(result.remarks[1].text(), HasSubstr("over j: its 2 iterations are unrolled"));
}

TEST(Unroll, WhatDependsOnOuterLoopsIsKnownThen) {
  const StatementList list = lowered(
      with_x("for i in range(1, 7):\n    for j in range(i):\n        X[j, 0] += X[i:, 1].sum()"));
  ASSERT_FALSE(list.loops.empty());
  const PassResult result = unroll(list, kExact);
  EXPECT_TRUE(result.list.loops.empty());
  for (const Variable& variable : result.list.variables) EXPECT_FALSE(variable.varying);
}

TEST(Unroll, ConditionsStay) {
  const StatementList list =
      lowered(with_x("for i in range(3):\n    if X[i, 0] > 0:\n        X[i] = 0"));
  const PassResult result = unroll(list, kExact);
  EXPECT_EQ(result.list.loops.size(), 3U);
  EXPECT_TRUE(std::all_of(result.list.loops.begin(), result.list.loops.end(),
                          [](const ListLoop& loop) { return loop.form == LoopForm::If; }));
}

TEST(Unroll, NoBitChangesAndASecondRunChangesNothing) {
  for (const char* const text :
       {"s = 0.0\nfor i in range(5):\n    for j in range(i, 5):\n        s += X[i:j + 1, 0].sum() "
        "* j",
        "for i in range(4):\n    X[i] = X[i + 1] * 0.5\n    for j in range(12):\n        X[j, 1] "
        "+= i",
        "w = X[0] * 1\nfor i in range(3):\n    w = w * X[i]\n    print(i, w[0])"}) {
    SCOPED_TRACE(text);
    const StatementList list = lowered(with_x(text));
    const StatementList once = checked(unroll, list, kExact).list;
    EXPECT_EQ(first_difference(once, unroll(once, kExact).list), "");
  }
}

}  // namespace

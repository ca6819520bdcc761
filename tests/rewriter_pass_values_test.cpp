// The passes that move statements and memory, dead, hoist, inplace, order and reuse: whether what
// they leave computes the same, above all where fewer statements or less memory would not.
#include "rewriter/passes/combine.hpp"
#include "rewriter/passes/dead.hpp"
#include "rewriter/passes/hoist.hpp"
#include "rewriter/passes/inplace.hpp"
#include "rewriter/passes/order.hpp"
#include "rewriter/passes/pipeline.hpp"
#include "rewriter/passes/reuse.hpp"
#include "rewriter/plan/memory_plan.hpp"

#include "pass_programs.hpp"

namespace {

using namespace pass_programs;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

PassResult hoist_and_reuse(const StatementList& list, const PassOptions& options) {
  return reuse(hoist(list, options).list, options);
}

Index peak(const StatementList& list) {
  return memory_plan(list, 4).peak;
}

TEST(Dead, IsExactOnManyPrograms) {
  expect_exact_on_many_programs(dead);
}
TEST(Hoist, IsExactOnManyPrograms) {
  expect_exact_on_many_programs(hoist);
}
TEST(InPlace, IsExactOnManyPrograms) {
  expect_exact_on_many_programs(inplace);
}
TEST(Order, IsExactOnManyPrograms) {
  expect_exact_on_many_programs(order);
}
TEST(Reuse, IsExactOnManyPrograms) {
  expect_exact_on_many_programs(reuse);
}

TEST(InPlace, CopiesNothingThatAConditionInALoopChanges) {
  const StatementList list = lowered(
      "import numpy as np\nx: (9,)\nout = np.zeros(9)\nk = 0\nwhile k < 9:\n"
      "    if x[k] > 0:\n        out[k] = x[k]\n    else:\n        out[k] = -x[k]\n    k = k + 1\n",
      {"out"});
  const auto copies = [](const StatementList& of) {
    return std::count_if(of.statements.begin(), of.statements.end(), [](const Statement& s) {
      return s.kind == Statement::Kind::Call && s.op == Op::assign && !s.operands.empty();
    });
  };
  EXPECT_GE(copies(list), 2);
  checked(inplace, list, kExact);
  EXPECT_EQ(copies(run_passes(list, parse_pass_names("default")).list), 0);
  // Here the old array is read where the new one is not yet complete.
  const StatementList both = lowered(
      "import numpy as np\nx: (9,)\nout = np.zeros(9)\nk = 0\nwhile k < 9:\n    old = out * 1\n"
      "    if x[k] > 0:\n        out[k] = old.sum() + 1\n    k = k + 1\n",
      {"out"});
  checked(inplace, both, kExact);
}

// As written, a and b are there at once. With b and its sums first, one could follow the other, but
// other numbers would be drawn.
TEST(Order, KeepsDrawsThoughAnotherOrderNeedsLess) {
  const StatementList list = lowered(
      "import numpy as np\na = np.random.rand(50, 60)\nb = np.random.rand(50, 60)\n"
      "d = b.sum(axis=1) @ a\n",
      {"d"});
  EXPECT_GE(peak(list), 2 * 50 * 60 * 4);
  EXPECT_EQ(statements(checked(order, list, kExact).list), statements(list));
}

// As written, u, a, b and g are there at once; with b after `a += g` they would be three.
TEST(Order, KeepsReadsBeforeWritesThoughAnotherOrderNeedsLess) {
  const StatementList list = lowered(
      "import numpy as np\nu: (2500,)\n"
      "a = u + 1\nb = np.exp(a)\ng = u * 2\na += g\nd = b @ a\n",
      {"d"});
  EXPECT_EQ(peak(list), 4 * 2500 * 4);
  EXPECT_EQ(statements(checked(order, list, kExact).list), statements(list));
}

TEST(Reuse, KeepsOutputsApart) {
  for (const char* text : {"a = np.exp(x)\nb = np.log(x)\n", "a = x / 3\nb = x * 2\nc = x + 1\n"}) {
    const StatementList list = lowered("import numpy as np\nx: (2, 3)\n" + std::string(text));
    EXPECT_THAT(checked(reuse, list, kExact).remarks, IsEmpty()) << text;
  }
}

// After `b *= a` the iteration does not need a, but the next one does: it adds a product to it.
TEST(Reuse, KeepsWhatTheNextIterationAddsTo) {
  const StatementList list =
      combine(lowered("import numpy as np\nx: (2, 3)\nz: (3, 3)\na = x * 1\nb = x * 1\n"
                      "for i in range(3):\n    a += b @ z\n    b *= a\n    t = np.exp(b)\n"
                      "    b += t.sum(axis=0)\n",
                      {"b"}),
              kMayRound)
          .list;
  ASSERT_THAT(statements(list), Contains(HasSubstr("add_dot")));
  for (const Remark& remark : checked(hoist_and_reuse, list, kExact).remarks)
    EXPECT_THAT(remark.text(), Not(HasSubstr("the memory of a")));
}

}  // namespace

// The pass exchange: loops that exchange matrices without copies, what stays and says why, the same
// bits.
#include "rewriter/listing/compare.hpp"
#include "rewriter/listing/parse_list.hpp"
#include "rewriter/passes/exchange.hpp"

#include "pass_programs.hpp"

namespace {

using namespace pass_programs;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::string program(const std::string& text) {
  return "import numpy as np\nA: (5, 4)\nB: (5, 4)\nC: (5, 4)\n" + text + "\n";
}

std::string remarks(const StatementList& list) {
  std::string text;
  for (const Remark& remark : exchange(list, kExact).remarks) text += remark.text() + "\n";
  return text;
}

TEST(Exchange, TwoIterationsAreOneAndNothingIsCopied) {
  const StatementList list =
      lowered(program("for i in range(6):\n    np.multiply(A, i + 0.5, out=B)\n    A, B = B, A"));
  const PassResult result = exchange(list, kExact);
  ASSERT_EQ(result.list.loops.size(), 1U);
  EXPECT_EQ(result.list.loops[0].step, 2);
  EXPECT_THAT(statements(list), Contains(HasSubstr(".assign(A)")));
  EXPECT_THAT(statements(result.list), Not(Contains(HasSubstr(".assign(A)"))));
  EXPECT_THAT(statements(result.list), Not(Contains(HasSubstr(".assign(B)"))));
  EXPECT_THAT(remarks(list), HasSubstr("2 iterations are one"));
}

TEST(Exchange, WhatIsLeftOfTheIterationsStandsBehindTheLoop) {
  const StatementList list =
      lowered(program("for i in range(2, 9):\n    C[0] = A[1] + i\n    A, B, C = C, A, B"));
  const PassResult result = exchange(list, kExact);
  ASSERT_EQ(result.list.loops.size(), 1U);
  EXPECT_EQ(result.list.loops[0].start, 2);
  EXPECT_EQ(result.list.loops[0].stop, 8);
  EXPECT_EQ(result.list.loops[0].step, 3);
  EXPECT_THAT(remarks(list), HasSubstr("3 iterations are one"));
}

TEST(Exchange, CopiesThatAreNoExchangeStay) {
  for (const char* const text : {"for i in range(6):\n    C = A.copy()\n    A = B * 2\n    B = C",
                                 "for i in range(6):\n    A, B = B, C\n    A[0] = i",
                                 "for i in range(6):\n    A[0] = i\n    A, B = B, C",
                                 "for i in range(6):\n    A[0] = i\n    B, A = A, C",
                                 "for i in range(6):\n    A[0] = i\n    B, C = C, A",
                                 "for i in range(6):\n    B[:] = A\n    A[0] = i"}) {
    SCOPED_TRACE(text);
    const StatementList list = lowered(program(text));
    EXPECT_EQ(first_difference(list, exchange(list, kExact).list), "");
    EXPECT_EQ(remarks(list), "");
  }
}

TEST(Exchange, WhatCannotBeSaysWhy) {
  const auto reason = [](const std::string& loop) {
    const std::string text = "input A: (5, 4)\ninput B: (5, 4)\ninput c: ()\n\n" + loop +
                             ":\n"
                             "  B.mult(2)\n"
                             "  c.subtract(1)\n"
                             "  t1 = cm.empty((5, 4))\n"
                             "  t1.assign(A)\n"
                             "  A.assign(B)\n"
                             "  B.assign(t1)\n"
                             "  t1.free_device_memory()\n"
                             "\noutput A: (5, 4)\n";
    return remarks(parse_statements(Source("test.list", text)));
  };
  EXPECT_THAT(reason("for i in range(0, 4)"), HasSubstr("2 iterations are one"));
  EXPECT_THAT(reason("for i in range(0, 4) while c"), HasSubstr("it has a condition"));
  EXPECT_THAT(reason("for i in range(0, 1)"), HasSubstr("it has 1 of the 2 iterations"));
  EXPECT_THAT(remarks(parse_statements(Source("test.list", R"(input A: (5, 4)
input B: (5, 4)

v = A.slice(0, 2)
for i in range(0, 4):
  v.mult(2)
  t1 = cm.empty((5, 4))
  t1.assign(A)
  A.assign(B)
  B.assign(t1)
  t1.free_device_memory()

output A: (5, 4)
)"))),
              HasSubstr("v is a view of one of them from outside the loop"));
}

TEST(Exchange, NoBitChangesAndASecondRunChangesNothing) {
  for (const char* const text :
       {"for i in range(7):\n    B[1:-1] = A[1:-1] * 0.5 + A[2:] * i\n    A, B = B, A\ns = A.sum()",
        "for i in range(11):\n    C[1:] = 2 * B[1:] - A[:-1]\n    A, B, C = B, C, A",
        "for j in range(3):\n    for i in range(5):\n        B[j] = A[i] * 0.5\n        A, B = B, "
        "A\n"
        "    A[0] += C[j]\n    A, C = C, A",
        "for i in range(9):\n    x = A + i\n    y = x * x\n    B[:] = y - C\n    for j in "
        "range(2):\n"
        "        C[j] = B[j + 1] + y[i // 9]\n    A, B = B, A",
        "for i in range(5):\n    A, B = B, A\nA += 1",
        "for j in range(3):\n    for i in range(3):\n        B[1:] = A[:-1] * 0.5\n        A, B = "
        "B, A\n"
        "C += A",
        "for i in range(2):\n    B[:] = A + i\n    A, B = B, A",
        "for i in range(1):\n    B[:] = A + i\n    A, B = B, A"}) {
    SCOPED_TRACE(text);
    const StatementList list = lowered(program(text));
    const StatementList once = checked(exchange, list, kExact).list;
    EXPECT_EQ(first_difference(once, exchange(once, kExact).list), "");
  }
}

}  // namespace

// The pass simplify: what it makes of programs, what it refuses, and that no bit changes.
#include "rewriter/passes/simplify.hpp"

#include "pass_programs.hpp"

namespace {

using namespace pass_programs;
using testing::ElementsAre;

constexpr const char* kX = "x: (4, 5)\ny: (4, 5)\nimport numpy as np\n";
std::string with_x(const std::string& text) {
  return kX + text + "\n";
}

TEST(Simplify, MultiplicationAndDivisionByOneVanish) {
  EXPECT_THAT(after(simplify, with_x("z = np.exp(x * 1) / 1")),
              ElementsAre("cm.exp(x, target=z)", "output z: (4, 5)"));
}
TEST(Simplify, SubtractingZeroVanishesAndSoDoesAddingMinusZero) {
  EXPECT_THAT(after(simplify, with_x("z = np.exp(x - 0)")),
              ElementsAre("cm.exp(x, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(simplify, with_x("z = np.exp(x + -0.0)")),
              ElementsAre("cm.exp(x, target=z)", "output z: (4, 5)"));
}
TEST(Simplify, AddingZeroStaysForItChangesMinusZero) {
  EXPECT_THAT(after(simplify, with_x("z = np.exp(x + 0)")),
              ElementsAre("x.add(0, target=t1)", "cm.exp(t1, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(refusals(simplify, with_x("z = np.exp(x + 0)")),
              ElementsAre("x.add(0, target=t1) would become x, but -0 becomes 0"));
  EXPECT_THAT(refusals(simplify, with_x("z = np.exp(x + 0)"), kMayRound),
              ElementsAre("x.add(0, target=t1) would become x, but -0 becomes 0"));
}
TEST(Simplify, SubtractingMinusZeroStays) {
  EXPECT_THAT(refusals(simplify, with_x("z = x - -0.0")),
              ElementsAre("x.subtract(-0.0, target=z) would become x, but -0 becomes 0"));
}
TEST(Simplify, AnIdentityInPlaceVanishes) {
  EXPECT_THAT(after(simplify, with_x("x *= 1\nx -= 0")), ElementsAre("output x: (4, 5)"));
}

TEST(Simplify, ChainsOfNumbersRound) {
  EXPECT_THAT(after(simplify, with_x("z = x + 1 + 2")),
              ElementsAre("x.add(1, target=t1)", "t1.add(2, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(refusals(simplify, with_x("z = x + 1 + 2")),
              ElementsAre("x.add(1, target=t1); t1.add(2, target=z) would become x.add(3, "
                          "target=z), but it rounds, or overflows, once instead of twice"));
  EXPECT_THAT(after(simplify, with_x("z = x + 1 + 2"), kMayRound),
              ElementsAre("x.add(3, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(simplify, with_x("z = x * 3 / 2"), kMayRound),
              ElementsAre("x.mult(1.5, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(simplify, with_x("z = x / 3 * 2"), kMayRound),
              ElementsAre("x.mult(0.6666666666666666, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(simplify, with_x("z = x / 3 / 2"), kMayRound),
              ElementsAre("x.divide(6, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(simplify, with_x("z = x - 3 + 1"), kMayRound),
              ElementsAre("x.add(-2, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(simplify, with_x("z = x - 1 - 2"), kMayRound),
              ElementsAre("x.add(-3, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(simplify, with_x("z = x + 5 - 3"), kMayRound),
              ElementsAre("x.add(2, target=z)", "output z: (4, 5)"));
}
TEST(Simplify, PowersOfTwoMayOverflow) {
  EXPECT_THAT(refusals(simplify, with_x("z = x * 2 * 0.5")),
              ElementsAre("x.mult(2, target=t1); t1.mult(0.5, target=z) would become x.mult(1, "
                          "target=z), but it rounds, or overflows, once instead of twice"));
}
TEST(Simplify, AChainWhoseProductVanishesStays) {
  EXPECT_THAT(
      after(simplify, with_x("z = x * 1e-30 * 1e-30"), kMayRound),
      ElementsAre("x.mult(1e-30, target=t1)", "t1.mult(1e-30, target=z)", "output z: (4, 5)"));
}
TEST(Simplify, AValueThatIsReadTwiceStays) {
  EXPECT_THAT(after(simplify, with_x("u = x * 3\nz = u * 2\nw = u + y"), kMayRound, {"z", "w"}),
              ElementsAre("x.mult(3, target=u)", "u.mult(2, target=z)", "u.add(y, target=w)",
                          "output z: (4, 5)", "output w: (4, 5)"));
}

TEST(Simplify, NegationsJoinFactors) {
  EXPECT_THAT(after(simplify, with_x("z = np.exp(-(-x))")),
              ElementsAre("cm.exp(x, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(simplify, with_x("z = -x * 3")),
              ElementsAre("x.mult(-3, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(simplify, with_x("z = -(x / 3)")),
              ElementsAre("x.divide(-3, target=z)", "output z: (4, 5)"));
}
TEST(Simplify, NegationsJoinSumsAndDifferences) {
  EXPECT_THAT(after(simplify, with_x("z = x + -y")),
              ElementsAre("x.subtract(y, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(simplify, with_x("z = x - -y")),
              ElementsAre("x.add(y, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(simplify, with_x("z = -x + y")),
              ElementsAre("y.subtract(x, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(simplify, with_x("z = -x - y")),
              ElementsAre("x.mult(-1, target=t1)", "t1.subtract(y, target=z)", "output z: (4, 5)"));
}
TEST(Simplify, ANegatedDifferenceHasZerosOfTheOtherSign) {
  EXPECT_THAT(after(simplify, with_x("z = -(x - y)")),
              ElementsAre("x.subtract(y, target=t1)", "t1.mult(-1, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(refusals(simplify, with_x("z = -(x - y)")),
              ElementsAre("x.subtract(y, target=t1); t1.mult(-1, target=z) would become "
                          "y.subtract(x, target=z), but zeros change their sign"));
  EXPECT_THAT(after(simplify, with_x("z = -(x - y)"), kMayRound),
              ElementsAre("y.subtract(x, target=z)", "output z: (4, 5)"));
}

TEST(Simplify, PowersMayRound) {
  EXPECT_THAT(
      refusals(simplify, with_x("z = np.power(x, 2)")),
      ElementsAre("cm.pow(x, 2, target=z) would become x.mult(x, target=z), but pow may round"));
  EXPECT_THAT(after(simplify, with_x("z = np.power(x, 2)"), kMayRound),
              ElementsAre("x.mult(x, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(simplify, with_x("z = np.exp(np.power(x, 1))"), kMayRound),
              ElementsAre("cm.exp(x, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(simplify, with_x("z = np.power(x, -1)"), kMayRound),
              ElementsAre("x.reciprocal(target=z)", "output z: (4, 5)"));
}

TEST(Simplify, TransposedTwiceIsNotTransposed) {
  EXPECT_THAT(after(simplify, with_x("z = np.exp(x.T.T)")),
              ElementsAre("cm.exp(x, target=z)", "output z: (4, 5)"));
}
TEST(Simplify, AWrittenMatrixIsNoLongerItsTransposesTranspose) {
  EXPECT_THAT(after(simplify, with_x("u = x.T.copy()\nx += 1\nz = np.exp(u.T)"), kExact, {"z"}),
              ElementsAre("x.transpose(target=t1)", "x.add(1)", "t1.transpose(target=t2)",
                          "cm.exp(t2, target=z)", "output z: (4, 5)"));
}
TEST(Simplify, TransposedVectorsAreViews) {
  EXPECT_THAT(after(simplify, "v: (5, 1)\nimport numpy as np\nz = np.exp(v.T)"),
              ElementsAre("t1 = v.view((1, 5))", "cm.exp(t1, target=z)", "output z: (1, 5)"));
}
TEST(Simplify, ATransposedVectorThatIsWrittenStaysACopy) {
  EXPECT_THAT(after(simplify, "v: (5, 1)\nu = v.T.copy()\nu += 1\nz = u + v.T", kExact, {"z"}),
              ElementsAre("t1 = v.view((1, 5))", "u.assign(t1)", "u.add(1)", "t2 = v.view((1, 5))",
                          "u.add(t2, target=z)", "output z: (1, 5)"));
}

TEST(Simplify, CopiesWhoseOriginalStaysVanish) {
  EXPECT_THAT(after(simplify, with_x("u = x.copy()\nw = u.copy()\nz = w + u"), kExact, {"z"}),
              ElementsAre("x.add(x, target=z)", "output z: (4, 5)"));
}
TEST(Simplify, ACopyStaysIfItsOriginalIsWritten) {
  const std::string program = with_x("u = x.copy()\nx += 1\nz = u + x");
  EXPECT_THAT(after(simplify, program, kExact, {"z"}),
              ElementsAre("u.assign(x)", "x.add(1)", "u.add(x, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(refusals(simplify, program, kExact, {"z"}),
              ElementsAre("u.assign(x) stays a copy: x is written while u is in use"));
}
TEST(Simplify, ACopyOfAValueThatEndsTakesItsPlace) {
  EXPECT_THAT(after(simplify, with_x("u = np.exp(x).copy()\nu += 1"), kExact, {"u"}),
              ElementsAre("cm.exp(x, target=u)", "u.add(1)", "output u: (4, 5)"));
}
TEST(Simplify, ACopyMayBeAnOutputWithItsOriginal) {
  EXPECT_THAT(after(simplify, with_x("u = np.exp(x)\nz = u.copy()")),
              ElementsAre("cm.exp(x, target=u)", "output u: (4, 5)", "output u as z: (4, 5)"));
}

TEST(Simplify, MatricesOfOneNumberAreThatNumber) {
  EXPECT_THAT(after(simplify, with_x("z = x * np.full((4, 5), 3.0)")),
              ElementsAre("x.mult(3, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(simplify, with_x("z = np.full((4, 5), 3.0) + x")),
              ElementsAre("x.add(3, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(simplify, with_x("z = x / np.full(5, 3.0)")),
              ElementsAre("x.divide(3, target=z)", "output z: (4, 5)"));
}
TEST(Simplify, ArithmeticOnThemIsDoneIfEveryPrecisionAgrees) {
  EXPECT_THAT(after(simplify, "import numpy as np\nz = np.ones((2, 2)) * -4 + 0.5"),
              ElementsAre("z.assign(-3.5)", "output z: (2, 2)"));
  EXPECT_THAT(after(simplify, "import numpy as np\nz = np.zeros((2, 2)) * -1"),
              ElementsAre("z.assign(-0.0)", "output z: (2, 2)"));
  EXPECT_THAT(after(simplify, "import numpy as np\nz = np.ones((2, 2)) * 0.1"),
              ElementsAre("t1.assign(1)", "t1.mult(0.1, target=z)", "output z: (2, 2)"));
  EXPECT_THAT(after(simplify, "import numpy as np\nz = np.ones((2, 2)) / 3"),
              ElementsAre("t1.assign(1)", "t1.divide(3, target=z)", "output z: (2, 2)"));
}

TEST(Simplify, WhatALoopReadsAgainStays) {
  EXPECT_THAT(after(simplify, with_x("z = x * 1\nfor i in range(3):\n  z = z * 1 + y")),
              ElementsAre("z.assign(x)", "for i in range(0, 3):", "z.add(y, target=z_2)",
                          "z.assign(z_2)", "output z: (4, 5)"));
}

TEST(Simplify, ManyProgramsKeepEveryBit) {
  expect_exact_on_many_programs(simplify);
}

}  // namespace

// The pass cse: what is computed once, what must be computed again, and that no bit changes.
#include "rewriter/passes/cse.hpp"

#include "pass_programs.hpp"

namespace {

using namespace pass_programs;
using testing::ElementsAre;

constexpr const char* kX = "x: (4, 5)\ny: (4, 5)\nimport numpy as np\n";
std::string with_x(const std::string& text) {
  return kX + text + "\n";
}

TEST(Cse, EqualSubtreesAreComputedOnce) {
  EXPECT_THAT(after(cse, with_x("z = np.exp(x + y) * np.sqrt(x + y)")),
              ElementsAre("x.add(y, target=t1)", "cm.exp(t1, target=t2)", "cm.sqrt(t1, target=t4)",
                          "t2.mult(t4, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(cse, with_x("z = np.exp(x).sum(0) + np.exp(x).sum(0)")),
              ElementsAre("cm.exp(x, target=t1)", "t1.sum(axis=0, target=t2)",
                          "t2.add(t2, target=z)", "output z: (5,)"));
}
TEST(Cse, SumsAndProductsCommuteDifferencesDoNot) {
  EXPECT_THAT(after(cse, with_x("z = np.exp(x + y) - np.exp(y + x)")),
              ElementsAre("x.add(y, target=t1)", "cm.exp(t1, target=t2)",
                          "t2.subtract(t2, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(
      after(cse, with_x("z = np.exp(x - y) - np.exp(y - x)")),
      ElementsAre("x.subtract(y, target=t1)", "cm.exp(t1, target=t2)", "y.subtract(x, target=t3)",
                  "cm.exp(t3, target=t4)", "t2.subtract(t4, target=z)", "output z: (4, 5)"));
}
TEST(Cse, TransposedOperandsAndAxesAndNumbersTellApart) {
  EXPECT_THAT(after(cse, with_x("z = x * 2 - x * 3")),
              ElementsAre("x.mult(2, target=t1)", "x.mult(3, target=t2)",
                          "t1.subtract(t2, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(cse, "v: (3,)\nimport numpy as np\ns: (3, 3)\nz = s.sum(0) * s.sum(1)"),
              ElementsAre("s.sum(axis=0, target=t1)", "s.sum(axis=1, target=t2)",
                          "t3 = t2.view((1, 3))", "t1.mult(t3, target=z)", "output z: (3,)"));
  EXPECT_THAT(after(cse, with_x("z = (x + 0.0) * (x + -0.0)")),
              ElementsAre("x.add(0, target=t1)", "x.add(-0.0, target=t2)", "t1.mult(t2, target=z)",
                          "output z: (4, 5)"));
}
TEST(Cse, ComputedInPlaceTwice) {
  EXPECT_THAT(after(cse, with_x("z = x * (1 - y) + y * (1 - y)")),
              ElementsAre("y.mult(-1, target=t1)", "t1.add(1)", "x.mult(t1, target=t2)",
                          "y.mult(t1, target=t4)", "t2.add(t4, target=z)", "output z: (4, 5)"));
}
TEST(Cse, AWriteMakesAnotherValue) {
  EXPECT_THAT(after(cse, with_x("u = np.exp(x)\nx += 1\nz = u * np.exp(x)"), kExact, {"z"}),
              ElementsAre("cm.exp(x, target=u)", "x.add(1)", "cm.exp(x, target=t1)",
                          "u.mult(t1, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(cse, with_x("u = np.exp(x)\nx[:, 1] = 7\nz = u * np.exp(x)"), kExact, {"z"}),
              ElementsAre("cm.exp(x, target=u)", "t1 = x.slice(1, 2)", "t1.assign(7)",
                          "cm.exp(x, target=t2)", "u.mult(t2, target=z)", "output z: (4, 5)"));
}
TEST(Cse, AWriteThroughAViewMakesAnotherValue) {
  EXPECT_THAT(
      after(cse,
            "v: (6,)\nimport numpy as np\nu = np.exp(v)\nw = v[2:4]\nw += 1\nz = u * np.exp(v)",
            kExact, {"z"}),
      ElementsAre("cm.exp(v, target=u)", "w = v.slice(2, 4)", "w.add(1, target=w_2)",
                  "v.set_col_slice(2, 4, w_2)", "cm.exp(v, target=t1)", "u.mult(t1, target=z)",
                  "output z: (6,)"));
}
TEST(Cse, EqualViewsShowEqualValues) {
  EXPECT_THAT(after(cse, "v: (6,)\nimport numpy as np\nz = np.exp(v[2:4]) - np.exp(v[2:4])"),
              ElementsAre("t1 = v.slice(2, 4)", "cm.exp(t1, target=t2)", "t3 = v.slice(2, 4)",
                          "t2.subtract(t2, target=z)", "output z: (2,)"));
  EXPECT_THAT(after(cse, "v: (6,)\nimport numpy as np\nz = np.exp(v[2:4]) - np.exp(v[3:5])"),
              ElementsAre("t1 = v.slice(2, 4)", "cm.exp(t1, target=t2)", "t3 = v.slice(3, 5)",
                          "cm.exp(t3, target=t4)", "t2.subtract(t4, target=z)", "output z: (2,)"));
}
TEST(Cse, RandomDrawsAreNeverEqual) {
  EXPECT_THAT(after(cse, "import numpy as np\nz = np.random.rand(2, 2) - np.random.rand(2, 2)"),
              ElementsAre("t1.fill_with_rand()", "t2.fill_with_rand()", "t1.subtract(t2, target=z)",
                          "output z: (2, 2)"));
  EXPECT_THAT(after(cse,
                    "import numpy as np\nnp.random.seed(1)\nu = np.random.rand(2, "
                    "2)\nnp.random.seed(1)\nz = np.random.rand(2, 2) - u",
                    kExact, {"z"}),
              ElementsAre("cm.CUDAMatrix.init_random(1)", "u.fill_with_rand()",
                          "cm.CUDAMatrix.init_random(1)", "t1.fill_with_rand()",
                          "t1.subtract(u, target=z)", "output z: (2, 2)"));
}
TEST(Cse, ACopyOfAValueHasThatValue) {
  EXPECT_THAT(
      after(cse, with_x("u = x.copy()\nz = np.exp(u) + np.exp(x)\nu += 1"), kExact, {"z", "u"}),
      ElementsAre("u.assign(x)", "cm.exp(u, target=t1)", "t1.add(t1, target=z)", "u.add(1)",
                  "output z: (4, 5)", "output u: (4, 5)"));
}
TEST(Cse, TheFirstValueLivesAsLongAsItIsNeeded) {
  const std::string program = with_x("u = np.exp(x).sum(0)\nw = np.log(y)\nz = np.exp(x) + w + u");
  EXPECT_THAT(
      after(cse, program, kExact, {"z"}),
      ElementsAre("cm.exp(x, target=t1)", "t1.sum(axis=0, target=u)", "cm.log(y, target=w)",
                  "t1.add(w, target=t3)", "t3.add_row_vec(u, target=z)", "output z: (4, 5)"));
}
TEST(Cse, AValueThatChangesLaterIsCopiedIfThatIsCheaper) {
  const std::string program = with_x("u = np.exp(x)\nz = np.exp(x)\nz += 1\nw = u * z");
  EXPECT_THAT(after(cse, program, kExact, {"w"}),
              ElementsAre("cm.exp(x, target=u)", "z.assign(u)", "z.add(1)", "u.mult(z, target=w)",
                          "output w: (4, 5)"));
  EXPECT_THAT(
      remarks(cse, program, Remark::Kind::Made, kExact, {"w"}),
      ElementsAre("cm.exp(x, target=z): a copy of u, which has that value (z is written later)"));
}
TEST(Cse, OtherwiseItIsComputedAgain) {
  const std::string program = with_x("u = x + y\nz = x + y\nz += 1\nw = u * z");
  EXPECT_THAT(after(cse, program, kExact, {"w"}),
              ElementsAre("x.add(y, target=u)", "x.add(y, target=z)", "z.add(1)",
                          "u.mult(z, target=w)", "output w: (4, 5)"));
  EXPECT_THAT(
      refusals(cse, program, kExact, {"w"}),
      ElementsAre(
          "x.add(y, target=z) is computed again, though u has that value: z is written later"));
}
TEST(Cse, AMatrixThatIsGoneHoldsNothing) {
  // The second product goes, and with it the ones that it was made of.
  const std::string program = with_x(
      "u = np.ones((4, 5))\nu *= y\nw = np.ones((4, 5))\nw *= y\nz = np.ones((4, 5)) - u / w");
  EXPECT_THAT(after(cse, program, kExact, {"z"}),
              ElementsAre("u.assign(1)", "u.mult(y)", "t1.assign(1)", "u.divide(u, target=t2)",
                          "t1.subtract(t2, target=z)", "output z: (4, 5)"));
}
TEST(Cse, TwoOutputsMayBeOneMatrix) {
  EXPECT_THAT(after(cse, with_x("u = np.exp(x)\nz = np.exp(x)")),
              ElementsAre("cm.exp(x, target=u)", "output u: (4, 5)", "output u as z: (4, 5)"));
}
TEST(Cse, ProductsAreComputedOnce) {
  EXPECT_THAT(
      after(cse, with_x("z = np.dot(x, y.T) - np.dot(x, y.T) / 2")),
      ElementsAre("y.transpose(target=t1)", "cm.dot(x, t1, target=t2)", "t2.divide(2, target=t5)",
                  "t2.subtract(t5, target=z)", "output z: (4, 4)"));
}

TEST(Cse, LoopsAreBoundaries) {
  EXPECT_THAT(after(cse, with_x("z = np.exp(x)\nfor i in range(3):\n  z = z + np.exp(x) * "
                                "np.exp(x)\nw = np.exp(x) + z")),
              ElementsAre("cm.exp(x, target=z)", "for i in range(0, 3):", "cm.exp(x, target=t1)",
                          "t1.mult(t1, target=t3)", "z.add(t3, target=z_2)", "z.assign(z_2)",
                          "cm.exp(x, target=t4)", "t4.add(z, target=w)", "output z: (4, 5)",
                          "output w: (4, 5)"));
}
TEST(Cse, SlicesThatMoveWithALoopAreEqualInOneIteration) {
  EXPECT_THAT(after(cse, with_x("z = y[0:1]\nfor i in range(3):\n  z = z + np.exp(x[i:i+1]) * "
                                "np.exp(x[i:i+1]) + x[i+1:i+2]")),
              ElementsAre("y.get_row_slice(0, 1, target=z)",
                          "for i in range(0, 3):", "x.get_row_slice(i, i + 1, target=t1)",
                          "cm.exp(t1, target=t2)", "t2.mult(t2, target=t5)", "z.add(t5, target=t6)",
                          "x.get_row_slice(i + 1, i + 2, target=t7)", "t6.add(t7, target=z_2)",
                          "z.assign(z_2)", "output z: (1, 5)"));
}

TEST(Cse, ManyProgramsKeepEveryBit) {
  expect_exact_on_many_programs(cse);
}

}  // namespace

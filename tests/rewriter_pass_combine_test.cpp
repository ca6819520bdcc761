// The pass combine: each richer call, what is refused and why, and that no bit changes where
// nothing may round.
#include "rewriter/passes/combine.hpp"
#include "rewriter/passes/inplace.hpp"

#include "pass_programs.hpp"

namespace {

using namespace pass_programs;
using testing::ElementsAre;

constexpr const char* kX =
    "x: (4, 5)\ny: (4, 5)\nrow: (5,)\ncol: (4, 1)\nW: (5, 5)\nimport numpy as np\n";
std::string with_x(const std::string& text) {
  return kX + text + "\n";
}

// ---- element by element: exact

TEST(Combine, AScaledTermIsAddMult) {
  EXPECT_THAT(after(combine, with_x("x += y * 0.1")),
              ElementsAre("x.add_mult(y, 0.1)", "output x: (4, 5)"));
  EXPECT_THAT(after(combine, with_x("x -= 0.1 * y")),
              ElementsAre("x.subtract_mult(y, 0.1)", "output x: (4, 5)"));
  EXPECT_THAT(after(combine, with_x("z = np.exp(x) + 3 * y")),
              ElementsAre("cm.exp(x, target=z)", "z.add_mult(y, 3)", "output z: (4, 5)"));
  EXPECT_THAT(after(combine, with_x("z = 3 * y + np.exp(x)")),
              ElementsAre("cm.exp(x, target=z)", "z.add_mult(y, 3)", "output z: (4, 5)"));
  EXPECT_THAT(after(combine, with_x("x += x * 0.1")),
              ElementsAre("x.add_mult(x, 0.1)", "output x: (4, 5)"));
}
TEST(Combine, WhatIsReadLaterIsNotWrittenOver) {
  const std::string program = with_x("z = x + y * 0.1\nw = x * z");
  EXPECT_THAT(after(combine, program, kExact, {"w"}),
              ElementsAre("y.mult(0.1, target=t1)", "x.add(t1, target=z)", "x.mult(z, target=w)",
                          "output w: (4, 5)"));
  EXPECT_THAT(refusals(combine, program, kExact, {"w"}),
              ElementsAre("y.mult(0.1, target=t1); x.add(t1, target=z) would become x.add_mult(y, "
                          "0.1), but x is read later"));
}
TEST(Combine, ATermThatIsReadTwiceStays) {
  EXPECT_THAT(after(combine, with_x("t = y * 3\nx += t\ny += t")),
              ElementsAre("y.mult(3, target=t)", "x.add(t)", "y.add(t)", "output t: (4, 5)",
                          "output x: (4, 5)", "output y: (4, 5)"));
}
TEST(Combine, ATermWhoseOperandChangesStays) {
  EXPECT_THAT(after(combine, with_x("t = y * 3\ny += 1\nx += t"), kExact, {"x", "y"}),
              ElementsAre("y.mult(3, target=t)", "y.add(1)", "x.add(t)", "output x: (4, 5)",
                          "output y: (4, 5)"));
}
TEST(Combine, AScaledColumnIsAddColMult) {
  EXPECT_THAT(after(combine, with_x("z = x + col * 3")),
              ElementsAre("x.add_col_mult(col, 3, target=z)", "output z: (4, 5)"));
}
TEST(Combine, OneOverXIsReciprocal) {
  EXPECT_THAT(after(combine, with_x("z = 1 / x")),
              ElementsAre("x.reciprocal(target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(combine, with_x("z = 2 / x")),
              ElementsAre("z.assign(2)", "z.divide(x)", "output z: (4, 5)"));
}
TEST(Combine, TheDerivativeOfTheLogisticUnitInTheFunctorsOrder) {
  EXPECT_THAT(after(combine, with_x("z = x * y * (1 - y)"), kExact, {"z"}),
              ElementsAre("x.mult_by_sigmoid_deriv(y)", "output x as z: (4, 5)"));
  EXPECT_THAT(after(combine, with_x("z = y * np.exp(x) * (1 - y)"), kExact, {"z"}),
              ElementsAre("cm.exp(x, target=z)", "z.mult_by_sigmoid_deriv(y)", "output z: (4, 5)"));
  EXPECT_THAT(after(combine, with_x("u = x * y * (1 - y)\nz = u + x"), kExact, {"z"}),
              ElementsAre("u.assign(x)", "u.mult_by_sigmoid_deriv(y)", "u.add(x, target=z)",
                          "output z: (4, 5)"));
  EXPECT_THAT(after(combine, with_x("z = x * x * (1 - x)"), kExact, {"z"}),
              ElementsAre("z.assign(x)", "z.mult_by_sigmoid_deriv(x)", "output z: (4, 5)"));
}
TEST(Combine, TheDerivativeOfWhatWasMultipliedInPlace) {
  EXPECT_THAT(after(combine, with_x("v = x.copy()\nv *= y\nz = v * (1 - y)"), kExact, {"z"}),
              ElementsAre("z.assign(x)", "z.mult_by_sigmoid_deriv(y)", "output z: (4, 5)"));
}

TEST(Combine, InAnotherOrderItRounds) {
  EXPECT_THAT(after(combine, with_x("z = x * (y * (1 - y))"), kExact, {"z"}),
              ElementsAre("y.mult(-1, target=t1)", "t1.add(1)", "y.mult(t1, target=t2)",
                          "x.mult(t2, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(refusals(combine, with_x("z = x * (y * (1 - y))"), kExact, {"z"}),
              ElementsAre("y.mult(-1, target=t1); t1.add(1); y.mult(t1, target=t2); "
                          "x.mult(t2, target=z) would become x.mult_by_sigmoid_deriv(y), but the "
                          "factors have another order"));
  EXPECT_THAT(after(combine, with_x("z = x * (y * (1 - y))"), kMayRound, {"z"}),
              ElementsAre("x.mult_by_sigmoid_deriv(y)", "output x as z: (4, 5)"));
  EXPECT_THAT(after(combine, with_x("z = (1 - y) * y * x"), kMayRound, {"z"}),
              ElementsAre("x.mult_by_sigmoid_deriv(y)", "output x as z: (4, 5)"));
}
TEST(Combine, OneMinusSomethingElseIsNoDerivative) {
  EXPECT_THAT(after(combine, with_x("z = x * y * (1 - x)"), kMayRound, {"z"}),
              ElementsAre("y.mult_by_sigmoid_deriv(x)", "output y as z: (4, 5)"));
  EXPECT_THAT(after(combine, with_x("z = x * y * (2 - y)"), kMayRound, {"z"}),
              ElementsAre("x.mult(y, target=t1)", "y.mult(-1, target=t2)", "t2.add(2)",
                          "t1.mult(t2, target=z)", "output z: (4, 5)"));
}

// ---- functions: rounding

TEST(Combine, TheLogisticFunction) {
  const std::string program = with_x("z = 1 / (1 + np.exp(-x))");
  EXPECT_THAT(after(combine, program),
              ElementsAre("x.mult(-1, target=t1)", "cm.exp(t1, target=t2)", "t2.add(1, target=t3)",
                          "t3.reciprocal(target=z)", "output z: (4, 5)"));
  EXPECT_THAT(refusals(combine, program),
              ElementsAre("x.mult(-1, target=t1); cm.exp(t1, target=t2); t2.add(1, target=t3); "
                          "t3.reciprocal(target=z) would become cm.sigmoid(x, target=z), but it "
                          "rounds otherwise, and does not overflow"));
  EXPECT_THAT(after(combine, program, kMayRound),
              ElementsAre("cm.sigmoid(x, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(combine, with_x("z = 1 / (np.exp(-x) + 1.0)"), kMayRound),
              ElementsAre("cm.sigmoid(x, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(combine, with_x("z = 1 / (1 + np.exp(x))"), kMayRound),
              ElementsAre("cm.exp(x, target=t1)", "t1.add(1, target=t2)", "t2.reciprocal(target=z)",
                          "output z: (4, 5)"));
}
TEST(Combine, TheSoftplusFunction) {
  const std::string program = with_x("z = np.log(1 + np.exp(x))");
  EXPECT_THAT(
      refusals(combine, program),
      ElementsAre(
          "cm.exp(x, target=t1); t1.add(1, target=t2); cm.log(t2, target=z) would become "
          "cm.log_1_plus_exp(x, target=z), but it rounds otherwise, and does not overflow"));
  EXPECT_THAT(after(combine, program, kMayRound),
              ElementsAre("cm.log_1_plus_exp(x, target=z)", "output z: (4, 5)"));
  EXPECT_THAT(after(combine, with_x("e = np.exp(x)\nz = np.log(1 + e)"), kMayRound, {"z", "e"}),
              ElementsAre("cm.exp(x, target=e)", "e.add(1, target=t1)", "cm.log(t1, target=z)",
                          "output z: (4, 5)", "output e: (4, 5)"));
}

// ---- sums: exact

TEST(Combine, ASumThatIsAddedIsAddSums) {
  EXPECT_THAT(after(combine, with_x("row += x.sum(0)")),
              ElementsAre("row.add_sums(x, axis=0)", "output row: (5,)"));
  EXPECT_THAT(after(combine, with_x("row -= x.sum(0) * 3")),
              ElementsAre("row.add_sums(x, axis=0, mult=-3)", "output row: (5,)"));
  EXPECT_THAT(after(combine, with_x("z = np.exp(row) + x.sum(0)")),
              ElementsAre("cm.exp(row, target=z)", "z.add_sums(x, axis=0)", "output z: (5,)"));
  EXPECT_THAT(
      after(combine, with_x("z = x.sum(0) - np.exp(row)")),
      ElementsAre("cm.exp(row, target=z)", "z.add_sums(x, axis=0, beta=-1)", "output z: (5,)"));
  EXPECT_THAT(
      after(combine, with_x("z = x.sum(0) - y.sum(0)")),
      ElementsAre("x.sum(axis=0, target=z)", "z.add_sums(y, axis=0, mult=-1)", "output z: (5,)"));
  EXPECT_THAT(after(combine, with_x("z = col + x.sum(1, keepdims=True)"), kExact, {"z"}),
              ElementsAre("col.add_sums(x, axis=1)", "output col as z: (4, 1)"));
}
TEST(Combine, AScaledSumThatAMeanIs) {
  EXPECT_THAT(after(combine, with_x("z = x.sum(0) * 3")),
              ElementsAre("x.sum(axis=0, target=z, mult=3)", "output z: (5,)"));
  EXPECT_THAT(after(combine, with_x("z = x.sum(0) / 4")),
              ElementsAre("x.mean(axis=0, target=z)", "output z: (5,)"));
  EXPECT_THAT(after(combine, with_x("z = x.sum(0) / 8")),
              ElementsAre("x.sum(axis=0, target=z, mult=0.125)", "output z: (5,)"));
  EXPECT_THAT(
      refusals(combine, with_x("z = x.sum(0) / 3")),
      ElementsAre("x.sum(axis=0, target=t1); t1.divide(3, target=z) would become x.sum(axis=0, "
                  "target=z, mult=0.3333333333333333), but 1 / n is rounded"));
  EXPECT_THAT(after(combine, with_x("z = x.sum(0) / 3"), kMayRound),
              ElementsAre("x.sum(axis=0, target=z, mult=0.3333333333333333)", "output z: (5,)"));
}
TEST(Combine, MomentumIsBeta) {
  EXPECT_THAT(after(combine, with_x("row = row * 0.9 + x.sum(0) - y.sum(0)")),
              ElementsAre("row.add_sums(x, axis=0, beta=0.9)", "row.add_sums(y, axis=0, mult=-1)",
                          "output row: (5,)"));
  EXPECT_THAT(after(combine, with_x("row *= 0.9\nrow += x.sum(0)")),
              ElementsAre("row.add_sums(x, axis=0, beta=0.9)", "output row: (5,)"));
}
TEST(Combine, ABetaOfZeroWouldHideNan) {
  EXPECT_THAT(after(combine, with_x("row *= 0\nrow += x.sum(0)")),
              ElementsAre("row.mult(0)", "row.add_sums(x, axis=0)", "output row: (5,)"));
  EXPECT_THAT(after(combine, with_x("row *= 1e-60\nrow += x.sum(0)")),
              ElementsAre("row.mult(1e-60)", "row.add_sums(x, axis=0)", "output row: (5,)"));
}
TEST(Combine, AMeanThatIsAddedRounds) {
  EXPECT_THAT(refusals(combine, with_x("row += x.mean(0)")),
              ElementsAre("x.mean(axis=0, target=t1); row.add(t1) would become row.add_sums(x, "
                          "axis=0, mult=0.25), but 1 / n is rounded"));
  EXPECT_THAT(after(combine, with_x("row += x.mean(0)"), kMayRound),
              ElementsAre("row.add_sums(x, axis=0, mult=0.25)", "output row: (5,)"));
}
TEST(Combine, ASumOfATransposedMatrix) {
  EXPECT_THAT(refusals(combine, with_x("z = x.T.sum(0)")),
              ElementsAre("x.transpose(target=t1); t1.sum(axis=0, target=z) would become "
                          "x.T.sum(axis=0, target=z), but the sums have another order"));
  EXPECT_THAT(after(combine, with_x("z = x.T.sum(0)"), kMayRound),
              ElementsAre("x.T.sum(axis=0, target=z)", "output z: (4,)"));
  EXPECT_THAT(after(combine, with_x("z = np.argmax(x.T, 0)")),
              ElementsAre("x.T.argmax(axis=0, target=z)", "output z: (4,)"));
}

// ---- products: rounding, but for the bias

TEST(Combine, ABiasGoesIntoTheProduct) {
  EXPECT_THAT(after(combine, with_x("z = np.dot(x, W) + row")),
              ElementsAre("cm.dot(x, W, target=z)", "z.add_row_vec(row)", "output z: (4, 5)"));
  EXPECT_THAT(after(combine, with_x("z = np.dot(x, W) + col")),
              ElementsAre("cm.dot(x, W, target=z)", "z.add_col_vec(col)", "output z: (4, 5)"));
  EXPECT_THAT(
      refusals(combine, with_x("u = np.dot(x, W)\nz = u + row")),
      ElementsAre(
          "u.add_row_vec(row, target=z) would become u.add_row_vec(row), but u is an output"));
}
TEST(Combine, TransposedOperandsAreFlags) {
  EXPECT_THAT(after(combine, with_x("z = np.dot(x.T, y)")),
              ElementsAre("x.transpose(target=t1)", "cm.dot(t1, y, target=z)", "output z: (5, 5)"));
  EXPECT_THAT(refusals(combine, with_x("z = np.dot(x.T, y)")),
              ElementsAre("x.transpose(target=t1); cm.dot(t1, y, target=z) would become "
                          "cm.dot(x.T, y, target=z), but products may round otherwise"));
  EXPECT_THAT(after(combine, with_x("z = np.dot(x.T, y)"), kMayRound),
              ElementsAre("cm.dot(x.T, y, target=z)", "output z: (5, 5)"));
  EXPECT_THAT(
      after(combine, with_x("z = x.T @ (x @ W.T)"), kMayRound),
      ElementsAre("cm.dot(x, W.T, target=t3)", "cm.dot(x.T, t3, target=z)", "output z: (5, 5)"));
}
TEST(Combine, ATransposedMatrixThatIsReadOtherwiseStays) {
  EXPECT_THAT(
      after(combine, with_x("t = W.T\nz = np.dot(x, t)\nw = np.exp(t)"), kMayRound, {"z", "w"}),
      ElementsAre("W.transpose(target=t)", "cm.dot(x, t, target=z)", "cm.exp(t, target=w)",
                  "output z: (4, 5)", "output w: (5, 5)"));
  EXPECT_THAT(
      refusals(combine, with_x("t = W.T\nz = np.dot(x, t)\nw = np.exp(t)"), kMayRound, {"z", "w"}),
      ElementsAre("W.transpose(target=t); cm.dot(x, t, target=z) would become cm.dot(x, "
                  "W.T, target=z), but t is read by cm.exp(t, target=w), too"));
}
TEST(Combine, AProductThatIsAddedIsAddDot) {
  EXPECT_THAT(after(combine, with_x("x += np.dot(y, W)")),
              ElementsAre("cm.dot(y, W, target=t1)", "x.add(t1)", "output x: (4, 5)"));
  EXPECT_THAT(refusals(combine, with_x("x += np.dot(y, W)")),
              ElementsAre("cm.dot(y, W, target=t1); x.add(t1) would become x.add_dot(y, W), but "
                          "products may round otherwise"));
  EXPECT_THAT(after(combine, with_x("x += np.dot(y, W)"), kMayRound),
              ElementsAre("x.add_dot(y, W)", "output x: (4, 5)"));
  EXPECT_THAT(after(combine, with_x("x -= np.dot(y, W) * 3"), kMayRound),
              ElementsAre("x.subtract_dot(y, W, mult=3)", "output x: (4, 5)"));
  EXPECT_THAT(after(combine, with_x("z = np.dot(y, W) - np.exp(x)"), kMayRound),
              ElementsAre("cm.exp(x, target=z)", "z.add_dot(y, W, beta=-1)", "output z: (4, 5)"));
  EXPECT_THAT(after(combine, with_x("z = np.dot(y, W) + np.dot(x, W)"), kMayRound),
              ElementsAre("cm.dot(y, W, target=z)", "z.add_dot(x, W)", "output z: (4, 5)"));
}
TEST(Combine, AProductOfItsTargetStays) {
  EXPECT_THAT(after(combine, with_x("x += np.dot(x, W)"), kMayRound),
              ElementsAre("cm.dot(x, W, target=t1)", "x.add(t1)", "output x: (4, 5)"));
  EXPECT_THAT(refusals(combine, with_x("x += np.dot(x, W)"), kMayRound),
              ElementsAre("cm.dot(x, W, target=t1); x.add(t1) would become x.add_dot(x, W), but it "
                          "reads what it writes"));
}
TEST(Combine, TheUpdateOfTheReport) {
  EXPECT_THAT(
      after(combine, with_x("W = W * 0.9 + np.dot(x.T, y) - np.dot(y.T, x)"), kMayRound),
      ElementsAre("W.add_dot(x.T, y, beta=0.9)", "W.subtract_dot(y.T, x)", "output W: (5, 5)"));
}

// ---- copies

TEST(Combine, WhatALoopCarriesIsComputedInPlace) {
  EXPECT_THAT(
      after(
          combine,
          with_x("for i in range(3):\n  row = row * 0.9 + x.sum(0) - y.sum(0)\n  x += row * 0.1")),
      ElementsAre("for i in range(0, 3):", "row.add_sums(x, axis=0, beta=0.9)",
                  "row.add_sums(y, axis=0, mult=-1)", "row.mult(0.1, target=t5)",
                  "x.add_row_vec(t5)", "output row: (5,)", "output x: (4, 5)"));
}
TEST(Combine, WhatALoopCarriesStaysIfItIsReadAfterTheNewOneIsComputed) {
  EXPECT_THAT(after(combine, with_x("for i in range(3):\n  new = x * 0.9\n  y += x\n  x = new"),
                    kExact, {"x", "y"}),
              ElementsAre("for i in range(0, 3):", "x.mult(0.9, target=new_)", "y.add(x)",
                          "x.assign(new_)", "output x: (4, 5)", "output y: (4, 5)"));
}

/// The statements from the last loop on, which is the innermost.
Lines innermost(const StatementList& list) {
  Lines lines = statements(list);
  const auto is_loop = [](const std::string& line) { return line.rfind("for ", 0) == 0; };
  const auto last = std::find_if(lines.rbegin(), lines.rend(), is_loop);
  lines.erase(lines.begin(), last.base());
  return lines;
}

// A minibatch of the report's listing 2.2 takes no more statements than that of the hand-written
// listing 2.1, which has 27: `mult(momentum)` is a beta here, and the error is computed on the
// device.
TEST(Combine, TheReportsMinibatch) {
  const StatementList literal =
      lower(read(Source::from_file(CUDAMAT_SOURCE_DIR "/tests/programs/rbm_training.py")));
  const StatementList combined = checked(combine, literal, kMayRound, 64).list;
  const Lines lines = innermost(inplace(combined, kMayRound).list);
  EXPECT_THAT(
      lines,
      ElementsAre("dat.get_row_slice(8 * batch, 8 * batch + 8, target=v1)",
                  "cm.dot(v1, w_vh, target=h1)", "h1.add_row_vec(w_h)", "cm.sigmoid(h1)",
                  "hSampled.fill_with_rand()", "hSampled.less_than(h1)",
                  "cm.dot(hSampled, w_vh.T, target=v2)", "v2.add_row_vec(w_v)", "cm.sigmoid(v2)",
                  "cm.dot(v2, w_vh, target=h2)", "h2.add_row_vec(w_h)", "cm.sigmoid(h2)",
                  "wu_vh.add_dot(v1.T, h1, beta=0.9)", "wu_vh.subtract_dot(v2.T, h2)",
                  "wu_v.add_sums(v1, axis=0, beta=0.9)", "wu_v.add_sums(v2, axis=0, mult=-1)",
                  "wu_h.add_sums(h1, axis=0, beta=0.9)", "wu_h.add_sums(h2, axis=0, mult=-1)",
                  "w_vh.add_mult(wu_vh, 0.0125)", "w_v.add_mult(wu_v, 0.0125)",
                  "w_h.add_mult(wu_h, 0.0125)", "v2.subtract(v1)", "t29.assign(v2.euclid_norm())",
                  "t29.mult(t29)", "t29.divide(96)", "err.set_col_slice(batch, batch + 1, t29)",
                  "err.mean(axis=1, target=t32)", "print(\"Mean squared error: {}\\n\", t32)",
                  "output w_vh: (12, 7)", "output w_v: (12,)", "output w_h: (7,)"));
}

TEST(Combine, ManyProgramsKeepEveryBit) {
  expect_exact_on_many_programs(combine);
}

}  // namespace

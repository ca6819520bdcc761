// Lists whose loops have conditions: what they compute, how they are printed and read again, what
// the verifier refuses, and that passes keep what may not be written.
#include <cmath>
#include <gmock/gmock.h>

#include "rewriter/emit/print.hpp"
#include "rewriter/list/liveness.hpp"
#include "rewriter/list/uses.hpp"
#include "rewriter/passes/pipeline.hpp"
#include "rewriter/run/run.hpp"
#include "tests/list_check.hpp"

namespace {

using namespace rewriter;
using lists::parsed;
using testing::HasSubstr;

// The Collatz sequence from n, at most 200 steps: all three forms.
constexpr const char* kCollatz = R"(input n: ()
steps = cm.empty((1, 1))
steps.assign(0)
more = cm.empty((1, 1))
n.greater_than(1, target=more)
odd = cm.empty((1, 1))
even = cm.empty((1, 1))
while more:
  n.mod(2, target=odd)
  odd.equals(0, target=even)
  if odd:
    n.mult(3)
    n.add(1)
  if even:
    n.divide(2)
  steps.add(1)
  n.greater_than(1, target=more)
more.assign(1)
odd.free_device_memory()
even.free_device_memory()
last = cm.empty((1, 1))
last.assign(-1)
for i in range(0, 200, 2) while more:
  last.assign(i)
  steps.greater_than(last, target=more)
more.free_device_memory()
output n: ()
output steps: ()
output last: ()
)";

double number(const RunResult<double>& result, const std::string& name) {
  return result.outputs.at(name).data.at(0);
}

RunResult<double> run_with(const StatementList& list, double n) {
  return run<npmat::CUDAMatrix<double>>(list, {{"n", {Dims{}, {n}}}});
}

TEST(Conditions, DecideHowOftenBodiesRun) {
  const StatementList list = parsed(kCollatz);
  // The numbers of steps are those of https://oeis.org/A006577.
  for (const auto& [n, steps] : {std::pair{1, 0}, {2, 1}, {3, 7}, {27, 111}, {97, 118}}) {
    const RunResult<double> result = run_with(list, n);
    EXPECT_EQ(number(result, "n"), 1);
    EXPECT_EQ(number(result, "steps"), steps) << n;
    EXPECT_EQ(number(result, "last"), 2 * std::ceil(steps / 2.0)) << n;
  }
}

TEST(Conditions, HoldWhereTheyAreNotZero) {
  const StatementList list = parsed(
      "input n: ()\nr = cm.empty((1, 1))\nr.assign(0)\nif n:\n  r.assign(1)\noutput r: ()\n");
  EXPECT_EQ(number(run_with(list, 0.0), "r"), 0);
  EXPECT_EQ(number(run_with(list, -0.0), "r"), 0);
  EXPECT_EQ(number(run_with(list, 0.25), "r"), 1);
  EXPECT_EQ(number(run_with(list, -std::nan("")), "r"), 1);  // as in Python
}

TEST(Conditions, ArePrintedAndReadAgain) {
  const StatementList list = parsed(kCollatz);
  EXPECT_EQ(lists::lost(list), "");
  for (const char* const passes : {"default", "all", "hoist", "reuse", "inplace"})
    EXPECT_EQ(lists::lost(run_passes(list, parse_pass_names(passes)).list), "") << passes;
}

TEST(Conditions, KeepTheirValuesThroughEveryPass) {
  const StatementList list = parsed(kCollatz);
  std::vector<std::string> choices{"default", "all", "hoist,reuse,inplace"};
  for (const Pass* pass : known_passes()) choices.emplace_back(pass->name);
  for (const std::string& choice : choices) {
    const StatementList better = run_passes(list, parse_pass_names(choice)).list;
    for (const int n : {1, 2, 3, 27})
      for (const char* const name : {"n", "steps", "last"})
        EXPECT_EQ(number(run_with(better, n), name), number(run_with(list, n), name))
            << choice << " " << n << " " << name;
  }
}

TEST(Conditions, LeaveThePastOfWhatTheyMayWriteAlive) {
  const StatementList list = parsed(
      "input c: ()\ninput n: ()\na = cm.empty((1, 1))\nn.add(1, target=a)\n"  // 0, 1
      "b = cm.empty((1, 1))\nn.add(2, target=b)\nb.free_device_memory()\n"    // 2, 3, 4
      "if c:\n  n.add(3, target=a)\n"                                         // 5, 6, 7
      "output a: ()\n");
  const Liveness live(list);
  ASSERT_EQ(live.lives(list.statements[0].target).size(), 1U);
  EXPECT_FALSE(Uses(list).of(list.statements[0].target).uses.back().whole);
  const auto result = run_passes(list, parse_pass_names("dead,reuse,inplace")).list;
  for (const double c : {0.0, 1.0}) {
    const auto got =
        run<npmat::CUDAMatrix<double>>(result, {{"c", {Dims{}, {c}}}, {"n", {Dims{}, {5}}}});
    EXPECT_EQ(number(got, "a"), c == 0 ? 6 : 8);
  }
}

TEST(Conditions, KeepHoistFromComputingWhatNobodyAskedFor) {
  const StatementList list = parsed(
      "input n: ()\ninput c: ()\nr = cm.empty((1, 1))\nr.assign(0)\nif c:\n"
      "  t = cm.empty((1, 1))\n  cm.exp(n, target=t)\n  r.add(t)\n  t.free_device_memory()\n"
      "output r: ()\n");
  const std::string text = print_statements(run_passes(list, parse_pass_names("hoist")).list);
  EXPECT_THAT(text, HasSubstr("t = cm.empty((1, 1))"));
  EXPECT_LT(text.find("t = cm.empty"), text.find("if c:"));
  EXPECT_GT(text.find("cm.exp(n"), text.find("if c:"));
}

TEST(Conditions, AreRefusedWithTheirPlace) {
  const std::string head = "input n: ()\ninput x: (2, 2)\nt = cm.empty((1, 1))\n";
  const auto refusal = [&](const std::string& rest) {
    try {
      parsed(head + rest);
    } catch (const ProgramError& error) {
      return std::to_string(error.location().line) + ": " + error.message();
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal("while x:\n  x.add(1)\n"), HasSubstr("4: condition must be 1x1; got 2x2"));
  EXPECT_THAT(refusal("if t:\n  x.add(1)\n"), HasSubstr("4: condition t is read before"));
  EXPECT_THAT(refusal("if 3:\n  x.add(1)\n"), HasSubstr("4: expected the matrix that is"));
  EXPECT_THAT(refusal("if nobody:\n  x.add(1)\n"), HasSubstr("4: 'nobody' is not defined"));
  EXPECT_THAT(refusal("for i in range(3) while\n  x.add(1)\n"),
              HasSubstr("4: expected the matrix"));
  EXPECT_THAT(refusal("if n:\n  t.assign(1)\nx.add(t)\n"),
              HasSubstr("6: [add] operand t is read before anything wrote to it"));
  EXPECT_THAT(refusal("if n:\n  for i in range(0, 2):\n    t.assign(1)\noutput t: ()\n"),
              HasSubstr("7: output t is read before anything wrote to it"));
  EXPECT_EQ(refusal("for i in range(0, 2):\n  t.assign(1)\noutput t: ()\n"), "accepted");
}

TEST(Conditions, AreWordsOfPythonAndCpp) {
  const StatementList list = parsed(
      "input n: ()\nm = cm.empty((1, 1))\nm.assign(n)\nif n:\n  m.add(1)\nwhile m:\n  m.add(-1)\n"
      "for i in range(0, 9, 2) while m:\n  m.add(1)\noutput m: ()\n");
  EXPECT_THAT(print_cudamat_py(list, {}),
              HasSubstr("    if n.asarray()[0, 0]:\n        m.add(1)\n"
                        "    while m.asarray()[0, 0]:\n        m.add(-1)\n"
                        "    for i in range(0, 9, 2):\n        if not m.asarray()[0, 0]: break\n"));
  const std::string cpp = print_cudamat_cpp(list, {});
  EXPECT_THAT(cpp, HasSubstr("if (n.asarray()(0, 0) != T(0)) {"));
  EXPECT_THAT(cpp, HasSubstr("while (m.asarray()(0, 0) != T(0)) {"));
  EXPECT_THAT(cpp,
              HasSubstr("for (cm::Index i = 0; i < 9 && m.asarray()(0, 0) != T(0); i += 2) {"));
}

}  // namespace

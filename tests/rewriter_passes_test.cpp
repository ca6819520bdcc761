// The passes dead, hoist, inplace, order and reuse: lists before and after, remarks, refusals.
#include "cudamat/error.hpp"
#include "rewriter/list/verify.hpp"
#include "rewriter/listing/compare.hpp"
#include "rewriter/passes/dead.hpp"
#include "rewriter/passes/hoist.hpp"
#include "rewriter/passes/inplace.hpp"
#include "rewriter/passes/order.hpp"
#include "rewriter/passes/pipeline.hpp"
#include "rewriter/passes/reuse.hpp"
#include "rewriter/plan/memory_plan.hpp"

#include "pass_lines.hpp"

namespace {

using namespace pass_lines;
using namespace rewriter;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kHead = "x: (2, 3)\nz: (2, 3)\n";

StatementList program(const std::string& text, const std::vector<std::string>& outputs = {}) {
  return lowered(std::string(kHead) + text, outputs);
}
Index peak(const StatementList& list) {
  return memory_plan(list, 4).peak;
}

// ---- dead ----

TEST(Dead, LeavesOutWhatNothingReads) {
  const StatementList list = program("a = np.exp(x)\nb = np.log(x)\nc = np.tanh(a)\n", {"b"});
  EXPECT_THAT(after(dead, list), ElementsAre("b = cm.empty((2, 3))", "cm.log(x, target=b)"));
  EXPECT_THAT(remarks(dead, list), Contains("exp into a: nothing reads it"));
  EXPECT_THAT(remarks(dead, list), Contains("tanh into c: nothing reads it"));
}

TEST(Dead, KeepsOutputsAndWhatTheyNeed) {
  const StatementList list = program("a = np.exp(x)\nb = np.log(a)\n");
  EXPECT_EQ(after(dead, list), lines(list));
  EXPECT_THAT(remarks(dead, list), IsEmpty());
}

TEST(Dead, LeavesOutValuesThatAreOverwritten) {
  const StatementList list = program("a = np.exp(x)\na = np.log(x)\n");
  EXPECT_THAT(after(dead, list), ElementsAre("a_2 = cm.empty((2, 3))", "cm.log(x, target=a_2)"));
}

TEST(Dead, KeepsDrawsBeforeOtherDraws) {
  const StatementList list = program("a = np.random.rand(2, 3)\nb = np.random.rand(2, 3)\n", {"b"});
  EXPECT_EQ(after(dead, list), lines(list));
  EXPECT_THAT(
      remarks(dead, list),
      ElementsAre("not done: fill_with_rand into a, which nothing reads, stays: later draws "
                  "would get other numbers"));
}

TEST(Dead, LeavesOutDrawsAfterTheLastOneReadAndBeforeASeed) {
  EXPECT_THAT(after(dead, program("a = np.random.rand(2, 3)\nb = np.random.rand(2, 3)\n", {"a"})),
              ElementsAre("a = cm.empty((2, 3))", "a.fill_with_rand()"));
  EXPECT_THAT(
      after(dead, program("a = np.random.rand(2, 3)\nnp.random.seed(3)\n"
                          "b = np.random.rand(2, 3)\n",
                          {"b"})),
      ElementsAre("cm.CUDAMatrix.init_random(3)", "b = cm.empty((2, 3))", "b.fill_with_rand()"));
}

TEST(Dead, KeepsWhatALaterIterationReads) {
  const std::string loop =
      "a = x * 1\nb = x * 1\nfor i in range(3):\n  c = a + b\n  b = c * 2\n"
      "  a = np.exp(a)\n";
  const StatementList needed = program(loop, {"b"});
  EXPECT_EQ(after(dead, needed), lines(needed));
  EXPECT_THAT(after(dead, program(loop, {"a"})), testing::Not(Contains(HasSubstr("add("))));
}

TEST(Dead, LeavesOutLoopsWithoutEffect) {
  EXPECT_THAT(after(dead, program("a = x * 2\nfor i in range(3):\n  b = x + i\n", {"a"})),
              ElementsAre("a = cm.empty((2, 3))", "x.mult(2, target=a)"));
}

// ---- inplace ----

TEST(InPlace, WritesOverAnOperandAtItsLastUse) {
  const StatementList list = program("a = np.tanh(np.exp(x) * z)\n");
  EXPECT_THAT(after(inplace, list), ElementsAre("a = cm.empty((2, 3))", "cm.exp(x, target=a)",
                                                "a.mult(z)", "cm.tanh(a)"));
  EXPECT_THAT(remarks(inplace, list), Contains("a is written over t1, whose last use this is"));
}

TEST(InPlace, LeavesOutCopies) {
  EXPECT_THAT(after(inplace, program("b = np.array(x + z)\n")),
              ElementsAre("b = cm.empty((2, 3))", "x.add(z, target=b)"));
}

TEST(InPlace, RefusesInputsOutputsAndWhatIsReadLater) {
  const StatementList list =
      program("a = np.exp(x)\nb = np.log(a)\nc = b + 1\nd = b * c\n", {"a", "d"});
  EXPECT_THAT(remarks(inplace, list),
              ElementsAre("not done: a gets a matrix of its own: x is an input",
                          "not done: b gets a matrix of its own: a is an output",
                          "not done: c gets a matrix of its own: b is used again",
                          "d is written over b, whose last use this is"));
  EXPECT_THAT(after(inplace, list), Contains("d.add(1, target=c)"));  // d in b's memory
}

TEST(InPlace, RefusesPartsOfLargerMatrices) {
  const StatementList list = program("a = np.exp(x)\nb = a[:, 0:2] * 2\n", {"b"});
  EXPECT_THAT(remarks(inplace, list), Contains(HasSubstr("is a part of a")));
}

TEST(InPlace, RefusesWhatTheNextIterationReads) {
  const StatementList list =
      program("a = np.exp(x)\nb = x * 1\nfor i in range(3):\n  b = a + i\n", {"b"});
  EXPECT_THAT(remarks(hoist, list), Contains(HasSubstr("allocated before the loop")));
  EXPECT_THAT(remarks(inplace, hoist(list, {}).list),
              Contains(HasSubstr("a is used by the next iteration")));
}

TEST(InPlace, KeepsViewsThatNothingReadsBeforeTheFree) {
  StatementList list =
      program("a = np.exp(x)\nb = a[:, 0:2]\nc = np.tanh(a)\nd = c.sum()\n", {"d"});
  verify(list);
  const auto view = std::find_if(list.statements.begin(), list.statements.end(),
                                 [](const auto& s) { return s.kind == Statement::Kind::Slice; });
  ASSERT_NE(view, list.statements.end());
  const auto free = std::find_if(view, list.statements.end(),
                                 [](const auto& s) { return s.kind == Statement::Kind::Free; });
  std::rotate(view, view + 1, free);  // to right before the free of a
  EXPECT_THAT(after(inplace, list), Contains("b = a.slice(0, 2)"));
}

TEST(InPlace, NeverWritesProductsOrTransposesOverTheirOperands) {
  const StatementList list = program("a = np.exp(x)\nb = a.T\nc = b @ a\n", {"c"});
  EXPECT_EQ(after(inplace, list), lines(list));
}

// ---- order ----

/// The sums of two large products are wanted; as written, both products are there at once.
constexpr const char* kWide =
    "u: (50, 1)\nv: (1, 50)\n"
    "a = u @ v\nb = u @ v\nc = a.sum(axis=0)\nd = b.sum(axis=0)\n";

TEST(Order, LowersThePeak) {
  const StatementList list = program(kWide, {"c", "d"});
  const StatementList made = order(list, {}).list;
  EXPECT_LT(peak(made), peak(list));
  EXPECT_THAT(after(order, list), ElementsAre("a = cm.empty((50, 50))", "cm.dot(u, v, target=a)",
                                              "c = cm.empty((1, 50))", "a.sum(axis=0, target=c)",
                                              "a.free_device_memory()", "b = cm.empty((50, 50))",
                                              "cm.dot(u, v, target=b)", "d = cm.empty((1, 50))",
                                              "b.sum(axis=0, target=d)", "b.free_device_memory()"));
  EXPECT_THAT(remarks(order, list), ElementsAre(HasSubstr("lower by 2,450 elements")));
}

TEST(Order, LeavesAListWhosePeakStays) {
  const StatementList list = program("a = np.exp(x)\nb = np.log(z)\nc = a + b\n", {"c"});
  EXPECT_EQ(after(order, list), lines(list));
  EXPECT_THAT(remarks(order, list), IsEmpty());
}

TEST(Order, KeepsTheOrderOfDraws) {
  const StatementList list = program(
      "a = np.random.rand(50, 50)\nb = np.random.rand(50, 50)\n"
      "d = b.sum(axis=0)\nc = a.sum(axis=0)\n",
      {"c", "d"});
  const Lines made = after(order, list);
  const auto second = std::find(made.begin(), made.end(), "b.fill_with_rand()");
  ASSERT_NE(second, made.end());
  EXPECT_LT(std::find(made.begin(), made.end(), "a.fill_with_rand()"), second);
  EXPECT_LT(peak(order(list, {}).list), peak(list));
}

TEST(Order, KeepsReadsBeforeTheWritesThatFollow) {
  const StatementList list = program("a = x + z\nb = np.exp(a)\na[0, :] = 7\nc = a * b\n", {"c"});
  const StatementList made = order(list, {}).list;
  EXPECT_LE(peak(made), peak(list));
  const Lines text = lines(made);
  const auto write = std::find_if(text.begin(), text.end(), [](const std::string& line) {
    return line.starts_with("a.set_row_slice");
  });
  ASSERT_NE(write, text.end());
  EXPECT_LT(std::find(text.begin(), text.end(), "cm.exp(a, target=b)"), write);
}

// ---- hoist ----

TEST(Hoist, TakesAllocationsAndInvariantsOutOfLoops) {
  const StatementList list =
      program("a = x * 1\nfor i in range(3):\n  b = np.exp(z) * 2\n  a += b * i\n", {"a"});
  const Lines made = after(hoist, list);
  const auto loop = std::find(made.begin(), made.end(), "for i in range(0, 3):");
  ASSERT_NE(loop, made.end());
  const Lines before(made.begin(), loop);
  EXPECT_THAT(before, Contains("cm.exp(z, target=t1)"));
  EXPECT_THAT(before, Contains("t1.mult(2, target=b)"));
  const Lines inside(loop, made.end());
  EXPECT_THAT(inside, testing::Not(Contains(HasSubstr("empty"))));
  EXPECT_THAT(inside, Contains(HasSubstr("  a.add(")));
}

TEST(Hoist, LeavesCallsThatAnIfMaySkip) {
  const Lines made =
      after(hoist, program("a = x * 1\nif x[0, 0] > 0:\n  b = np.exp(z)\n  a = a + b * x\n"));
  const auto line = [&](std::string_view text) {
    return std::find_if(made.begin(), made.end(), [&](const std::string& each) {
      return each.find(text) != std::string::npos;
    });
  };
  EXPECT_LT(line("b = cm.empty"), line("if t"));
  EXPECT_LT(line("if t"), line("cm.exp(z, target=b)"));
  EXPECT_LT(line("if t"), line("b.mult(x"));
}

TEST(Hoist, LeavesDrawsAndWhatChanges) {
  const StatementList list = program(
      "a = x * 1\nfor i in range(3):\n  r = np.random.rand(2, 3)\n"
      "  a = np.tanh(a) + r\n",
      {"a"});
  const Lines made = after(hoist, list);
  EXPECT_THAT(made, Contains("  r.fill_with_rand()"));
  EXPECT_THAT(made, Contains(HasSubstr("  cm.tanh(a")));
}

TEST(Hoist, LeavesSlicesThatDependOnTheLoop) {
  const Lines made = after(hoist, program("a = x[:, 0:1] * 1\nfor i in range(3):\n"
                                          "  a = a + x[:, i:i+1]\n",
                                          {"a"}));
  EXPECT_THAT(made, Contains(HasSubstr("  t")));
  EXPECT_THAT(made, Contains(HasSubstr("x.slice(i, i + 1)")));
}

TEST(Hoist, GoesThroughNestedLoops) {
  const Lines made = after(hoist, program("a = x * 1\nfor i in range(3):\n  for j in range(2):\n"
                                          "    a += np.exp(z) * j\n",
                                          {"a"}));
  const auto loop = std::find(made.begin(), made.end(), "for i in range(0, 3):");
  ASSERT_NE(loop, made.end());
  EXPECT_THAT(made, Contains("  for j in range(0, 2):"));
  EXPECT_THAT(Lines(loop, made.end()), testing::Not(Contains(HasSubstr("empty"))));
  EXPECT_THAT(Lines(made.begin(), loop), Contains(HasSubstr("cm.exp(z")));
}

TEST(Hoist, SaysWhyWhatIsTheSameInEveryIterationStays) {
  const StatementList list = program(
      "a = x * 1\nfor i in range(3):\n  b = np.exp(z)\n  a = a + b\n  b *= 2\n  a = a - b\n",
      {"a"});
  EXPECT_THAT(
      remarks(hoist, list),
      Contains(HasSubstr("exp into b stays in the loop, whose body writes over the result")));
  EXPECT_THAT(after(hoist, list), Contains("  cm.exp(z, target=b)"));
}

// ---- reuse ----

TEST(Reuse, SharesMemoryOfTheSameShape) {
  const StatementList list = program("a = (x @ z.T).sum(axis=0)\nb = (z @ x.T).sum(axis=0)\n");
  const Lines made = after(reuse, list);
  EXPECT_THAT(made, Contains("z.transpose(target=t1)"));
  EXPECT_THAT(made, Contains("x.transpose(target=t1)"));
  EXPECT_THAT(remarks(reuse, list), Contains("t3 takes the memory of t1"));
  EXPECT_LE(peak(reuse(list, {}).list), peak(list));
}

TEST(Reuse, SharesMemoryOfSmallerMatricesThroughViews) {
  const StatementList list = program(
      "a = (np.exp(x) * np.exp(z)).sum(axis=0)\n"
      "b = np.exp(x[:, 0:2]).sum(axis=0)\n");
  EXPECT_THAT(after(reuse, list), Contains(HasSubstr(".slice(0, 2)")));
  EXPECT_THAT(remarks(reuse, list), Contains(HasSubstr("t5 takes the memory of t3")));
}

TEST(Reuse, SaysHowFarFromTheLowerBoundThePlanIs) {
  const StatementList list = program("a = (x @ z.T).sum(axis=0)\nb = (z @ x.T).sum(axis=0)\n");
  EXPECT_THAT(remarks(reuse, list).back(), HasSubstr("as many as are wanted at once"));
}

TEST(Reuse, RefusesWhatWouldRaiseThePeak) {
  // The first matrix would lie idle while the large ones are there.
  const StatementList list = program(
      "u: (50, 1)\na = np.exp(u)\nb = a.sum()\n"
      "c = (u @ u.T).sum(axis=1)\nd = np.tanh(u)\ne = d.sum()\n",
      {"b", "c", "e"});
  const StatementList made = reuse(list, {}).list;
  EXPECT_LE(peak(made), peak(list));
}

TEST(Reuse, KeepsValuesThatLaterIterationsReadApart) {
  const StatementList list = program(
      "a = x * 1\nfor i in range(3):\n  t = np.exp(a)\n"
      "  u = t.sum(axis=0)\n  a = a * 2 + u\n",
      {"a"});
  const StatementList hoisted = hoist(list, {}).list;
  verify(reuse(hoisted, {}).list);
  EXPECT_LT(peak(reuse(hoisted, {}).list), peak(hoisted));
  EXPECT_THAT(remarks(reuse, hoisted), testing::Not(Contains(HasSubstr("memory of a"))));
}

// ---- the pipeline ----

TEST(Passes, NamesAreCheckedAndKeepTheirOrder) {
  EXPECT_THAT(parse_pass_names("none").passes, IsEmpty());
  const auto named = std::count_if(pipeline().begin(), pipeline().end(), [](const Pass& pass) {
    return pass.in != Pass::In::DefaultAndAll;
  });
  EXPECT_EQ(parse_pass_names("default").passes.size() + static_cast<std::size_t>(named),
            pipeline().size());
  std::string fast;
  for (const Pass* pass : parse_pass_names("fast").passes) fast += std::string(pass->name) + " ";
  EXPECT_THAT(fast, HasSubstr("hoist fuse inplace"));
  EXPECT_EQ(parse_pass_names("default,unroll").passes.front()->name, "unroll");
  EXPECT_EQ(parse_pass_names("default,dead").passes.back()->name, "dead");
  EXPECT_TRUE(parse_pass_names("fast").options.may_round);
  EXPECT_FALSE(parse_pass_names("default").options.may_round);
  EXPECT_TRUE(parse_pass_names("all").options.may_round);
  const PassChoice some = parse_pass_names("reuse,dead");
  ASSERT_EQ(some.passes.size(), 2U);
  EXPECT_EQ(some.passes[0]->name, "reuse");
  EXPECT_EQ(some.passes[1]->name, "dead");
  for (const char* wrong : {"", "ded", "dead,", ",dead", "dead, reuse", "Dead", "dead,default"})
    EXPECT_THAT([&] { parse_pass_names(wrong); },
                testing::ThrowsMessage<cudamat::CUDAMatException>(HasSubstr("dead")))
        << wrong;
}

TEST(Passes, OlderNamesAreUnderstood) {
  const PassChoice some = parse_pass_names("fold,accumulate");
  ASSERT_EQ(some.passes.size(), 2U);
  EXPECT_EQ(some.passes[0]->name, "simplify");
  EXPECT_EQ(some.passes[1]->name, "combine");
}

TEST(Passes, ARemarkSaysWhatBecomesWhatAndWhy) {
  using enum Remark::Kind;
  EXPECT_EQ((Remark{Made, {1, 0}, "a is b"}).text(), "a is b");
  EXPECT_EQ((Remark{Made, {1, 0}, "a", "b"}).text(), "a becomes b");
  EXPECT_EQ((Remark{Made, {1, 0}, "a", "b", "in place"}).text(), "a becomes b, in place");
  EXPECT_EQ((Remark{Rounding, {1, 0}, "a", "b", "c"}).text(), "a becomes b, but c");
  EXPECT_EQ((Remark{Refused, {1, 0}, "a", "b", "c"}).text(), "a would become b, but c");
}

TEST(Passes, StopAfterLeavesOutTheRest) {
  PassChoice choice = parse_pass_names("default");
  stop_after(choice, "inplace");
  EXPECT_EQ(choice.passes.back()->name, "inplace");
  PassChoice one = parse_pass_names("dead");
  EXPECT_THROW(stop_after(one, "reuse"), cudamat::CUDAMatException);
  EXPECT_THROW(stop_after(one, "nothing"), cudamat::CUDAMatException);
}

TEST(Passes, TheDriverTellsWhatChanged) {
  const StatementList list = program("a = np.tanh(np.exp(x))\n");
  std::vector<std::string> changed;
  const PipelineResult result = run_passes(list, parse_pass_names("dead,inplace,reuse"),
                                           [&](const PassRun& run, const StatementList& now) {
                                             verify(now);
                                             if (run.changed) changed.emplace_back(run.pass->name);
                                           });
  EXPECT_THAT(changed, ElementsAre("inplace"));
  EXPECT_EQ(result.runs.size(), 3U);
  EXPECT_EQ(result.runs[1].remarks.size(), 2U);
  EXPECT_THAT(lines(result.list),
              ElementsAre("a = cm.empty((2, 3))", "cm.exp(x, target=a)", "cm.tanh(a)"));
}

TEST(Passes, TheSamePassesGiveTheSameList) {
  const StatementList list = program(kWide, {"c", "d"});
  const PassChoice all = parse_pass_names("all");
  EXPECT_TRUE(same_list(run_passes(list, all).list, run_passes(list, all).list));
  EXPECT_FALSE(same_list(run_passes(list, all).list, list));
}

}  // namespace

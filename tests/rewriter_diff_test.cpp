// Lists side by side: the alignment of lines, the costs.
#include <gmock/gmock.h>
#include <random>

#include "rewriter/list/cost.hpp"
#include "rewriter/listing/diff.hpp"
#include "rewriter/text/align.hpp"
#include "tests/print_samples_calls.hpp"

namespace {

using namespace rewriter;
using testing::HasSubstr;

std::vector<std::string> random_lines(std::mt19937& random, std::size_t most, unsigned letters) {
  std::vector<std::string> lines(random() % (most + 1));
  for (std::string& line : lines)
    line = std::string(1, static_cast<char>('a' + random() % letters));
  return lines;
}

/// By the textbook's table.
std::size_t longest(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j)
      table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1
                                         : std::max(table[i - 1][j], table[i][j - 1]);
  return table[a.size()][b.size()];
}

TEST(CommonSubsequence, IsALongestOne) {
  std::mt19937 random(1);
  for (int round = 0; round < 600; ++round) {
    const unsigned letters = 1 + random() % 20;
    const auto a = random_lines(random, round % 4 == 0 ? 300 : 20, letters);
    const auto b = random_lines(random, round % 4 == 0 ? 300 : 20, letters);
    const auto pairs = common_subsequence(a, b);
    ASSERT_EQ(pairs.size(), longest(a, b));
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      ASSERT_EQ(a.at(pairs[k].first), b.at(pairs[k].second));
      if (k == 0) continue;
      ASSERT_LT(pairs[k - 1].first, pairs[k].first);
      ASSERT_LT(pairs[k - 1].second, pairs[k].second);
    }
  }
}

TEST(CommonSubsequence, TakesTensOfThousandsOfLines) {
  std::vector<std::string> a;
  std::vector<std::string> b;
  for (int i = 0; i < 30'000; ++i) {
    a.push_back(std::to_string(i));
    b.push_back(std::to_string((i + 10'000) % 30'000));
  }
  EXPECT_EQ(common_subsequence(a, b).size(), 20'000U);
}

TEST(PrintDiff, ShowsWhatChangedAndWhatItCosts) {
  samples::Builder a("p.py", "y = exp(x) + 1\n");
  const Var x = a.input("x", {2, 3});
  const Var t = a.at(1).empty("t1", {2, 3});
  a.call(Op::exp, t, {{x}});
  const Var y = a.empty("y", {2, 3});
  a.call(Op::add, y, {{t}}, {1}).free(t).output("y", y, {2, 3});
  samples::Builder b("p.py", "y = exp(x) + 1\n");
  const Var u = b.input("x", {2, 3});
  const Var v = b.at(1).empty("y", {2, 3});
  b.call(Op::exp, v, {{u}}).call(Op::add, v, {{v}}, {1}).output("y", v, {2, 3});
  EXPECT_EQ(print_diff(a.done(), "old/list", b.done(), "b", {.bytes_per_element = 8, .width = 63}),
            R"(old/list                         b
input x: (2, 3)                  input x: (2, 3)
# 1: y = exp(x) + 1              # 1: y = exp(x) + 1
t1 = cm.empty((2, 3))          <
cm.exp(x, target=t1)           <
y = cm.empty((2, 3))             y = cm.empty((2, 3))
t1.add(1, target=y)            | cm.exp(x, target=y)
t1.free_device_memory()        | y.add(1)
output y: (2, 3)                 output y: (2, 3)

                              list                 b        difference
statements                       5                 3                -2
calls                            2                 2                 0
temporaries                      1                 0                -1
allocated bytes                 96                48               -48
peak bytes                     144                96               -48
kernel launches                  2                 2                 0
)");
}

TEST(PrintDiff, CutsWhatDoesNotFit) {
  samples::Builder b;
  b.input("a_name_that_is_too_long_\xe6\xbc\xa2\xe5\xad\x97", {2, 3});
  const StatementList list = b.done();
  EXPECT_THAT(print_diff(list, "a", list, "b", {.width = 63}),
              HasSubstr("\ninput a_name_that_is_too_lo...   input a_name_that_is_too_lo...\n"));
  // A wide character that would stand half outside is left out.
  EXPECT_THAT(print_diff(list, "a", list, "b", {.width = 73}),
              HasSubstr("\ninput a_name_that_is_too_long_\xe6\xbc\xa2...   input"));
  EXPECT_THAT(print_diff(list, "a", list, "b", {.width = 71}),
              HasSubstr("\ninput a_name_that_is_too_long_...    input"));
}

TEST(Launches, AreThoseOfKernels) {
  const StatementList list = samples::calls(true).list;
  for (const Statement& s : list.statements) {
    const bool call = s.kind == Statement::Kind::Call;
    const bool whole =
        call && (s.op == Op::euclid_norm || s.op == Op::manhattan_norm || s.op == Op::allfinite ||
                 s.op == Op::vdot || s.op == Op::total_sum || s.op == Op::total_max ||
                 s.op == Op::total_mean);
    EXPECT_EQ(launches(s), whole ? 2 : call ? 1 : 0);
  }
}

TEST(CostOf, CountsMatricesThatAreNeitherInputNorOutput) {
  samples::Builder b;
  const Var x = b.input("x", {2, 3});
  const Var kept = b.constant("kept", {2, 2}, {1, 2, 3, 4});
  const Var shown = b.empty("shown", {3, 2});
  const Var view = b.slice("view", shown, 0, 1);
  b.call(Op::assign, shown, {}, {0}).seed(3).free(kept);
  b.output("v", view, {3, 1}).output("x", x, {2, 3});
  const ListCost cost = cost_of(b.done(), 4);
  EXPECT_EQ(cost.temporaries, 1);
  EXPECT_EQ(cost.statements, 6);
  EXPECT_EQ(cost.calls, 2);
  EXPECT_EQ(cost.allocated_bytes, 40);
  EXPECT_EQ(cost.peak_bytes, 64);
  EXPECT_EQ(cost.launches, 1);
}

}  // namespace

// Loops in statement lists: how programs become them, what verify() refuses, how they run and
// print. Values of programs with loops are judged by NumPy in tests/differential.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "rewriter/emit/print.hpp"
#include "rewriter/evaluate/evaluate.hpp"
#include "rewriter/list/verify.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/reader/reader.hpp"
#include "rewriter/run/run.hpp"
#include "tests/loop_sample.hpp"

namespace {

using rewriter::Statement;
using rewriter::StatementList;
using testing::HasSubstr;
using testing::Not;

StatementList lowered(const std::string& text, const std::vector<std::string>& outputs = {}) {
  StatementList list = rewriter::lower(rewriter::read(rewriter::Source("prog.py", text)), outputs);
  rewriter::verify(list);
  return list;
}

/// The statements of the printed list, without headings, columns, inputs and outputs.
std::string statements(const StatementList& list) {
  std::istringstream printed(rewriter::print_statements(list));
  std::string result;
  for (std::string line; std::getline(printed, line);) {
    line = line.substr(0, line.find("  #"));
    while (line.ends_with(' ')) line.pop_back();
    if (line.empty() || line.starts_with('#') || line.starts_with("input ") ||
        line.starts_with("output "))
      continue;
    result += line + "\n";
  }
  return result;
}

double result(const StatementList& list, const std::string& name) {
  return rewriter::run<npmat::CUDAMatrix<double>>(list, {}).outputs.at(name).data.at(0);
}

/// The values of the program's x, by its statements and by its tree.
void expect_x(const std::string& text, const std::vector<double>& expected) {
  const rewriter::Program program = rewriter::read(rewriter::Source("prog.py", text));
  const StatementList list = lowered(text, {"x"});
  EXPECT_EQ(rewriter::run<npmat::CUDAMatrix<double>>(list, {}).outputs.at("x").data, expected)
      << text;
  for (const auto& named : program.results)
    if (named.name == "x") {
      EXPECT_EQ(rewriter::evaluate<double>({named.node}, {}).at(0).data, expected) << text;
    }
}

TEST(LoopLowering, WritesInPlaceIntoTheMatrixFromBeforeTheLoop) {
  EXPECT_EQ(statements(lowered("import numpy as np\nX: (6, 3)\nw = np.zeros(3)\n"
                               "for i in range(2, 6):\n    w += X[i]\n",
                               {"w"})),
            "w = cm.empty((1, 3))\n"
            "w.assign(0)\n"
            "for i in range(2, 6):\n"
            "  t1 = cm.empty((1, 3))\n"
            "  X.get_row_slice(i, i + 1, target=t1)\n"
            "  w.add(t1)\n"
            "  t1.free_device_memory()\n");
}

TEST(LoopLowering, AssignsANewValueAtTheEndOfTheBody) {
  EXPECT_EQ(statements(lowered("import numpy as np\nv = np.ones(3)\n"
                               "for i in range(4):\n    v = v * 2 + i\n")),
            "v = cm.empty((1, 3))\n"
            "v.assign(1)\n"
            "for i in range(0, 4):\n"
            "  t1 = cm.empty((1, 3))\n"
            "  v.mult(2, target=t1)\n"
            "  t2 = cm.empty((1, 1))\n"
            "  t2.assign(i)\n"
            "  v_2 = cm.empty((1, 3))\n"
            "  t1.add_col_vec(t2, target=v_2)\n"
            "  t1.free_device_memory()\n"
            "  t2.free_device_memory()\n"
            "  v.assign(v_2)\n"
            "  v_2.free_device_memory()\n");
}

TEST(LoopLowering, CopiesAFirstValueThatIsNeededLater) {
  const std::string text =
      statements(lowered("import numpy as np\na = np.ones(2)\nb = a * 1\nfor i in range(3):\n    b "
                         "= b + a\nc = a + b\n"));
  EXPECT_THAT(text, Not(HasSubstr("a.assign(b")));
  const std::string kept = statements(
      lowered("import numpy as np\na = np.ones(2)\nb = a\nfor i in range(3):\n    b = b + a\n"));
  EXPECT_THAT(kept, HasSubstr("b = cm.empty((1, 2))\nb.assign(a)\nfor i in range(0, 3):\n"));
}

TEST(LoopLowering, SwapsThroughATemporary) {
  const StatementList list = lowered(
      "import numpy as np\na = np.zeros(1)\nb = np.ones(1)\n"
      "for i in range(5):\n    a, b = b, a\nx = a[0] * 10 + b[0]\n");
  EXPECT_EQ(result(list, "x"), 10);
  EXPECT_THAT(statements(list), HasSubstr("  t1.assign(b)\n  b.assign(a)\n  a.assign(t1)\n"));
}

TEST(LoopLowering, RotatesWithoutLosingAValue) {
  const StatementList list = lowered(
      "import numpy as np\na = np.ones(1)\nb = a * 2\nc = a * 3\n"
      "for i in range(4):\n    a, b, c = b, c, a\nx = a[0] * 100 + b[0] * 10 + c[0]\n");
  EXPECT_EQ(result(list, "x"), 231);
}

TEST(LoopLowering, ComputesAValueThatIsWantedBehindTheLoopWhereItIsWanted) {
  EXPECT_EQ(statements(lowered("import numpy as np\nX: (4, 3)\nfor i in range(4):\n"
                               "    y = X[i] * 2\nz = y + 1\n",
                               {"z"})),
            "y = cm.empty((1, 3))\n"
            "for i in range(0, 4):\n"
            "  t1 = cm.empty((1, 3))\n"
            "  X.get_row_slice(i, i + 1, target=t1)\n"
            "  t1.mult(2, target=y)\n"
            "  t1.free_device_memory()\n"
            "z = cm.empty((1, 3))\n"
            "y.add(1, target=z)\n"
            "y.free_device_memory()\n");
}

TEST(LoopLowering, KeepsNothingThatNobodyWantsBehindTheLoop) {
  EXPECT_THAT(statements(lowered("import numpy as np\nX: (4, 3)\nw = np.zeros(3)\n"
                                 "for i in range(4):\n    y = X[i] * 2\n    w += y\n",
                                 {"w"})),
              HasSubstr("for i in range(0, 4):\n  t1 = cm.empty"));
}

TEST(LoopLowering, GivesSequentialLoopsOneNameAndNestedOnesTwo) {
  const StatementList list = lowered(
      "import numpy as np\nx = np.zeros(2)\nfor i in range(2):\n    x += i\n"
      "for i in range(3):\n    for i in range(2):\n        x += i\n");
  ASSERT_EQ(list.loops.size(), 3u);
  EXPECT_EQ(list.loops[0].name, "i");
  EXPECT_EQ(list.loops[1].name, "i");
  EXPECT_NE(list.loops[2].name, "i");
}

TEST(LoopLowering, CountsWhereTheStepHasNoOtherForm) {
  const StatementList list = lowered(
      "import numpy as np\nx = np.zeros(10)\nn = 0\nfor i in range(9, 0, -2):\n"
      "    x[n] = i\n    n += 1\nfirst = x[0]\nfifth = x[4]\nm = x[n - 2]\n");
  EXPECT_EQ(result(list, "first"), 9);
  EXPECT_EQ(result(list, "fifth"), 1);
  EXPECT_EQ(result(list, "m"), 3);
}

TEST(LoopMemory, PeakIsThatOfTheRun) {
  const StatementList list = samples::loops();
  rewriter::verify(list);
  npmat::Array<double> x{{5, 6}, std::vector<double>(30, 0.5)};
  const auto run = rewriter::run<npmat::CUDAMatrix<double>>(list, {{"X", x}},
                                                            {.print = [](const std::string&) {}});
  const auto json = nlohmann::json::parse(rewriter::print_json(list, {.bytes_per_element = 8}));
  EXPECT_EQ(json["peak"]["bytes"], run.peak_bytes);
}

TEST(LoopRun, AnnouncesEveryIterationAndDrawsAnew) {
  const StatementList list = lowered(
      "import numpy as np\ns = 0\nfor i in range(3):\n    s += np.random.rand(2).sum()\n", {"s"});
  std::size_t announced = 0;
  rewriter::run<npmat::CUDAMatrix<double>>(list, {},
                                           {.before_statement = [&](std::size_t) { ++announced; }});
  std::size_t body = 0;
  for (std::size_t i = 0; i < list.statements.size(); ++i)
    body += rewriter::loop_nesting(list).around[i] != rewriter::kNoStatement;
  const std::size_t outside = list.statements.size() - body - 1;  // the End is announced each time
  EXPECT_EQ(announced, outside + 3 * (body + 1) + 1);

  const StatementList flat = lowered("import numpy as np\ns = np.random.rand(6).sum()\n");
  EXPECT_NEAR(result(list, "s"), result(flat, "s"), 1e-12);
}

TEST(LoopRun, CarriesEachValueToItsName) {
  const std::string head = "import numpy as np\na = np.ones(1)\nb = a * 2\nc = a * 3\n";
  expect_x(head + "for i in range(4):\n    a, b, c = b, c, a\nx = np.concatenate((a, b, c))\n",
           {2, 3, 1});
  expect_x(head + "for i in range(5):\n    a, b = b, a + b\nx = np.concatenate((a, b))\n",
           {13, 21});
}

TEST(LoopRun, BoundsFromTheEndMoveWithTheLoop) {
  const std::string head = "import numpy as np\nv = np.array([1, 2, 3, 4, 5])\n";
  expect_x(head + "x = np.zeros(2)\nfor i in range(2):\n    x = x * 10 + v[i - 4:i - 2]\n",
           {23, 34});
  expect_x(head + "x = np.zeros(1)\nfor i in range(5):\n    x = x * 10 + v[i - 5]\n", {12345});
}

TEST(LoopRun, PrintsAsPython) {
  const StatementList list = lowered(
      "import numpy as np\nx = np.array([1.5, -2.0])\nfor i in range(2):\n"
      "    print('x', x[i], i, 3, 0.25, x[i] > 0, np.argmax(x), sep=', ')\n"
      "    print('%5.2f|%-4d|%s%%' % (x[0], i, x[1]) + str(i * 2), end='')\n    print()\n");
  std::string printed;
  rewriter::run<npmat::CUDAMatrix<float>>(
      list, {}, {.print = [&](const std::string& text) { printed += text; }});
  EXPECT_EQ(printed,
            "x, 1.5, 0, 3, 0.25, True, 0\n 1.50|0   |-2.0%0\n"
            "x, -2.0, 1, 3, 0.25, False, 0\n 1.50|1   |-2.0%2\n");
}

TEST(LoopVerify, RefusesBodiesThatDoNotBalance) {
  const StatementList good =
      lowered("import numpy as np\nx = np.zeros(3)\nfor i in range(3):\n    x = x * 2 + x[i]\n");
  const auto refusal = [](const StatementList& list) -> std::string {
    try {
      rewriter::verify(list);
    } catch (const cudamat::InternalError& error) {
      return error.what();
    }
    return "accepted";
  };
  const auto find = [&](Statement::Kind kind, std::size_t from) {
    for (; good.statements[from].kind != kind; ++from) {
    }
    return static_cast<std::ptrdiff_t>(from);
  };
  const std::ptrdiff_t loop = find(Statement::Kind::Loop, 0);
  const std::ptrdiff_t free = find(Statement::Kind::Free, 0);
  const std::ptrdiff_t end = find(Statement::Kind::End, 0);

  StatementList list = good;
  list.statements.erase(list.statements.begin() + free);
  EXPECT_THAT(refusal(list), HasSubstr("the loop's body does not free"));

  list = good;
  Statement use;
  use.op = rewriter::Op::add;
  use.target = 0;
  use.operands = {{0}, {list.statements[static_cast<std::size_t>(loop) + 1].target}};
  list.statements.push_back(use);
  EXPECT_THAT(refusal(list), HasSubstr("used outside the loop that defines it"));

  list = good;
  list.statements.erase(list.statements.begin() + end);
  EXPECT_THAT(refusal(list), HasSubstr("a Loop without an End"));

  list = good;
  list.statements.erase(list.statements.begin() + loop);
  EXPECT_THAT(refusal(list), HasSubstr("an End without its Loop"));

  list = good;
  list.loops[0].stop = 4;
  EXPECT_THAT(refusal(list), HasSubstr("do not lie within 0:3"));

  list = good;
  list.loops[0].stop = 0;
  EXPECT_THAT(refusal(list), HasSubstr("never runs"));

  list = good;
  Statement outer;
  outer.kind = Statement::Kind::Free;
  outer.target = 0;
  list.statements.insert(list.statements.begin() + end, outer);
  EXPECT_THAT(refusal(list), HasSubstr("freed in another loop than it is made in"));

  list = good;
  for (Statement& s : list.statements) s.terms.push_back({1, 1});
  EXPECT_THAT(refusal(list), HasSubstr("depends on"));
}

TEST(LoopPrint, TreesAndGraphsShowLoops) {
  const rewriter::Program program = rewriter::read(rewriter::Source("loops.py", samples::kLoops));
  const std::string tree = rewriter::print_tree(program);
  EXPECT_THAT(tree, HasSubstr("\nfor int in range(0, 3):\n"));
  EXPECT_THAT(tree, HasSubstr("\n  for j in range(5, -1, -1):\n"));
  EXPECT_THAT(tree, HasSubstr("old of the iteration before"));
  EXPECT_THAT(tree, HasSubstr("old after the loop"));
  const std::string dot = rewriter::print_dot(program);
  EXPECT_THAT(dot, HasSubstr("label=\"for int in range(0, 3)\""));
  EXPECT_THAT(dot, HasSubstr("style=dashed"));
  EXPECT_EQ(std::count(dot.begin(), dot.end(), '{'), std::count(dot.begin(), dot.end(), '}'));
}

TEST(LoopPrint, JsonHasLoopsTermsAndParts) {
  const auto json = nlohmann::json::parse(rewriter::print_json(samples::loops()));
  std::vector<std::string> kinds;
  bool terms = false;
  bool parts = false;
  for (const auto& s : json["statements"]) {
    kinds.push_back(s["kind"]);
    if (s["kind"] == "loop" && s["loop"]["variable"] == "j") {
      EXPECT_EQ(s["loop"]["step"], -1);
    }
    terms = terms ||
            (s.contains("terms") && s["terms"][0] == nlohmann::json{{"loop", "j"}, {"factor", 1}});
    parts = parts || (s.contains("parts") && s["parts"][0]["text"] == "after {");
  }
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "loop"), 3);
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "end"), 3);
  EXPECT_TRUE(terms);
  EXPECT_TRUE(parts);
}

}  // namespace

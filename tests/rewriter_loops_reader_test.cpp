// The reader on loops, functions and lists: what it refuses and where, and the program that it
// makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "rewriter/expr/symbolic.hpp"
#include "rewriter/reader/reader.hpp"

namespace {

using rewriter::Program;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;

Program read(const std::string& text, const rewriter::ReadOptions& options = {}) {
  return rewriter::read(rewriter::Source("prog.py", text), options);
}

std::vector<std::string> names(const std::vector<Program::Named>& named) {
  std::vector<std::string> result;
  for (const Program::Named& item : named) result.push_back(item.name);
  return result;
}

std::string refusal(const std::string& text, const rewriter::ReadOptions& options = {}) {
  try {
    read("import numpy as np\nX: (6, 4)\n" + text, options);
  } catch (const cudamat::CUDAMatException& error) {
    return error.what();
  }
  return "(accepted)";
}

struct Case {
  const char* text;
  const char* says;
};

TEST(LoopReader, SaysWhatALoopCannotDo) {
  const Case cases[] = {
      {"for i in range(2.5):\n    y = X", "must be an int"},
      {"for i in range(0, 3, 0):\n    y = X", "the step must not be zero"},
      {"for i in range(7):\n    y = X[i]",
       "prog.py:4:9: [index] index 6 is out of bounds for axis 0 with size 6"},
      {"for i in 3:\n    y = X", "prog.py:3:10: 'int' object is not iterable"},
      {"def f(x):\n    for i in range(2):\n        if x[0, 0] > i:\n            return x\ny = f(X)",
       ""},
      {"for i in range(-7, 2):\n    y = X[i]", "out of bounds"},
      {"y = None\nfor i in range(3):\n    z = X if y == None else y\n    y = X", ""},
      {"for i in range(3):\n    y = z + 1\n    z = X", "name 'z' is not defined"},
      {"for i in range(0):\n    y = X\nz = y", "name 'y' has no value: the statement"},
      {"for i in range(3):\n    Q: (2, 3)", "Q has a value already"},
      {"y = X[0]\nz = X[1]\nfor i in range(3):\n    y = z\n    z = X[2]\nX += 1",
       "y may share its memory with an array of the loop above"},
      {"def f(x):\n    return f(x)\ny = f(X)", "the recursion must end"},
      {"return X", "'return' outside function"},
      {"def f(x, y=1):\n    return x\nz = f()", "[f] needs the argument 'x'"},
      {"def f(x):\n    return x\nz = f(X, X)", "[f] takes 1 arguments; got 2"},
      {"def f(x):\n    return x\nz = f(X, x=X)", "[f] got multiple values for argument 'x'"},
      {"def f(x):\n    return x\nz = f(y=X)", "[f] got an unexpected keyword argument 'y'"},
      {"print('%q' % 3)", "the format %q is not supported"},
      {"print('%d %d' % 3)", "not enough values for the format"},
      {"y = 'a' + 1", "'+' joins strings"},
      {"y = X if X > 0 else 1", "the truth of an array of shape (6, 4) is ambiguous"},
  };
  for (const Case& c : cases)
    if (*c.says != 0) {
      EXPECT_THAT(refusal(c.text), HasSubstr(c.says)) << c.text;
    }
}

TEST(LoopReader, TakesWhatIsTheSameInEveryIteration) {
  for (const char* text : {
           "s = 'text'\nfor i in range(3):\n    t = s\n    s = 'text'",
           "shape = X.shape\nfor i in range(3):\n    y = np.zeros(shape)\n    shape = y.shape",
           "for i in range(3):\n    if i >= 0 and not i < 0:\n        y = X\nz = y",
           "for i in range(3):\n    y = X[2 * i:2 * i + 2]\nz = y + X[i]",
           "for i in range(3):\n    y = X[i - 3]",
           "y = X * 1\nz = y\nfor i in range(3):\n    y += 1\nw = z + y",
       })
    EXPECT_EQ(refusal(text), "(accepted)") << text;
}

TEST(LoopReader, InputsFromOutsideAreDeclaredBeforeTheLoop) {
  const Program program = read("for i in range(3):\n    y = A + i\n", {.shapes = {{"A", {2}}}});
  EXPECT_THAT(names(program.inputs), ElementsAre("A"));
  EXPECT_THAT(names(program.results), ElementsAre("y"));
}

constexpr const char* kFunctions = R"(import numpy as np
scale = 2
def helper(x, by=scale):
    return x * by
def train(X: (3, 2), rate, steps=4):
    w = np.zeros(2)
    for i in range(steps):
        w = w + rate * helper(X[0])
    n = steps * 2
    return w, n, helper(w)
train(1, 2)
if __name__ == "__main__":
    left_out = nothing
)";

TEST(Functions, OneIsTheProgram) {
  const Program program =
      read(kFunctions, {.shapes = {}, .values = {{"rate", 0.5}}, .function = "train"});
  EXPECT_THAT(names(program.inputs), ElementsAre("X"));
  EXPECT_THAT(names(program.results), ElementsAre("w", "n", "result_3"));
  EXPECT_EQ(program.results[1].node->number, 8);
  const Program shaped = read(kFunctions, {.shapes = {{"X", {3, 2}}, {"rate", {}}},
                                           .values = {{"steps", std::int64_t{2}}},
                                           .function = "train"});
  EXPECT_THAT(names(shaped.inputs), ElementsAre("X", "rate"));
  EXPECT_EQ(shaped.results[1].node->number, 4);
}

TEST(Functions, AreMissedByNameAndParameter) {
  const auto says = [](const rewriter::ReadOptions& options) -> std::string {
    try {
      read(kFunctions, options);
    } catch (const cudamat::CUDAMatException& error) {
      return error.what();
    }
    return "(accepted)";
  };
  EXPECT_THAT(says({.shapes = {}, .function = "test"}),
              HasSubstr("the program defines no function 'test'"));
  EXPECT_THAT(says({.shapes = {}, .function = "train"}),
              HasSubstr("prog.py:5:22: the parameter rate of train is an array or a number"));
  EXPECT_THAT(says({.shapes = {{"X", {2, 3}}}, .values = {{"rate", 1.0}}, .function = "train"}),
              HasSubstr("X is declared as (3, 2), but its shape was given as (2, 3)"));
}

TEST(Functions, ShareArraysWithTheirCallers) {
  const Program program = read(
      "import numpy as np\ndef add_one(x):\n    x += 1\n"
      "a = np.zeros(2)\nb = a\nadd_one(a)\nc = b * 1\n");
  EXPECT_THAT(names(program.results), ElementsAre("a", "b", "c"));
  EXPECT_EQ(program.results[0].node, program.results[1].node);
  EXPECT_EQ(program.results[2].node->args[0], program.results[0].node);
}

TEST(Functions, WriteToInputsThatAreResultsThen) {
  const Program program = read("def add_one(x):\n    x += 1\nw: (4,)\nv: (4,)\nadd_one(w)\n");
  EXPECT_THAT(names(program.results), ElementsAre("w"));
}

TEST(Functions, AreNotWrittenOutWithoutEnd) {
  std::string text = "def f0(x):\n    return x + 1\n";
  for (int i = 1; i < 40; ++i)
    text += "def f" + std::to_string(i) + "(x):\n    return f" + std::to_string(i - 1) + "(x) + f" +
            std::to_string(i - 1) + "(x)\n";
  EXPECT_THAT(refusal(text + "y = f39(1.0)"), HasSubstr("more than 100000 calls of functions"));
}

/// How many nodes the reader makes for what is nested so deep, those that it throws away included.
std::uint64_t nodes_of(std::string (*text)(int), int depth) {
  const std::uint64_t before = rewriter::newest_node();
  read("x: (3,)\nA: (4,)\nB: (4,)\n" + text(depth));
  return rewriter::newest_node() - before;
}

std::string nested(int depth, const std::string& first, const std::string& otherwise,
                   const std::string& last) {
  std::string text;
  std::string indent;
  for (int i = 0; i < depth; ++i) {
    text += indent + "if x[" + std::to_string(i % 3) + "] > " + std::to_string(i) + ":\n" + indent +
            " " + first + "\n" + indent + "else:\n";
    indent += ' ';
  }
  return otherwise + text + indent + last + "\n";
}

TEST(Reading, OfALoopThatWouldBeTooLongEndsAfterItsFirstIteration) {
  const std::uint64_t before = rewriter::newest_node();
  EXPECT_THAT(
      refusal("ys = []\nW = [X, X * 2]\nfor i in range(1000000):\n    y = X * i\n"
              "    for k in range(20):\n        y = y + W[k * i % 2]\n    ys.append(y)\n"),
      ContainsRegex("1000000 iterations of about [0-9]+ operations, more than 500000 in all"));
  EXPECT_LT(rewriter::newest_node() - before, 2000);
}

TEST(Reading, OfALoopThatWouldBeTooLongEndsWhereItsIterationsDoNotGetShorter) {
  const std::uint64_t before = rewriter::newest_node();
  EXPECT_THAT(
      refusal("W = [X, X * 2]\ny = X\nfor i in range(1000):\n    for k in range(600):\n"
              "        y = y + W[k * (2 * i + 1) % 2]\n"),
      testing::AllOf(
          HasSubstr("since line 7: "), HasSubstr(": np.array(list) makes an array"),
          ContainsRegex("1000 iterations of about [0-9]+ operations, more than 500000 in all")));
  EXPECT_LT(rewriter::newest_node() - before, 20'000);
  EXPECT_EQ(refusal("W = [X, X * 2]\ny = X\nfor i in range(750):\n    for k in range(750 - i):\n"
                    "        y = y + W[k * (2 * i + 1) % 2]\n"),
            "(accepted)");
}

TEST(Reading, GrowsWithTheDepthOfWhatTheRunDecidesAsAPowerOfIt) {
  std::string (*const texts[])(int) = {
      [](int depth) {
        std::string value = "A";
        for (int i = 0; i < depth; ++i)
          value = "(B if x[0] > " + std::to_string(i) + " else " + value + ")";
        return "y = " + value + "\n";
      },
      [](int depth) {
        std::string value = "x[0] > 1";
        for (int i = 0; i < depth; ++i)
          value = "(A[int(x[1])] > " + std::to_string(i) + " and " + value + ")";
        return "y = " + value + "\n";
      },
      [](int depth) { return nested(depth, "y = A * 2", "", "y = B"); },
      [](int depth) { return nested(depth, "y = A * 2", "y = None\n", "pass"); },
      [](int depth) { return nested(depth, "y = (A, 1)", "y = (B, 0)\n", "y = (B, 2)"); },
      [](int depth) { return nested(depth, "r.append(x[0])", "r = []\n", "r.append(x[1])"); },
      [](int depth) {
        std::string text = "def f(x):\n";
        for (int i = 0; i < depth; ++i)
          text += " if x[0] > " + std::to_string(i) + ":\n  return x * 2\n";
        return text + " return x\ny = f(x)\n";
      },
  };
  for (const auto text : texts) EXPECT_LT(nodes_of(text, 20), 10 * nodes_of(text, 10)) << text(3);
  // Which arrays a name may share its memory with is found in one walk, not on all paths.
  std::string chain = "x: (3,)\ny: (4,)\ny = y + 0\n";
  for (int i = 0; i < 60; ++i) chain += "if x[0] > 1:\n y = y * 2\nelse:\n y = y + 1\n";
  EXPECT_THAT(names(read(chain).results), ElementsAre("y"));
}

}  // namespace

// The reader on loops, functions and lists: what it refuses and where, and the program that it
// makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "rewriter/reader/reader.hpp"

namespace {

using rewriter::Program;
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
      {"for i in X:\n    y = i", "prog.py:3:10: a loop runs over range(...) here; got an array"},
      {"for i in [1, 2]:\n    y = i", "a loop runs over range(...) here; got a list of 2"},
      {"for i in range(2.5):\n    y = X", "must be an int"},
      {"for i in range(3):\n    for j in range(i):\n        y = X",
       "must be the same in every iteration"},
      {"for i in range(0, 3, 0):\n    y = X", "the step must not be zero"},
      {"for i in range(5):\n    y = X[i:]", "the extent of a slice must be the same"},
      {"for i in range(7):\n    y = X[i]",
       "prog.py:4:9: [index] index i, which takes values from 0 to 6, is out of bounds for axis 0 "
       "with "
       "size 6"},
      {"for i in range(3):\n    y = X[3 * i:3 * i + 3]", "which is not within 0 to 6"},
      {"for i in range(-1, 2):\n    y = X[i]",
       "i takes values from -1 to 1: negative ones count from"},
      {"for i in range(-7, 2):\n    y = X[i]", "out of bounds"},
      {"for i in range(6):\n    y = X[i // 2]", "an index must be known when the program is read"},
      {"for i in range(6):\n    y = np.zeros(i)", "must be the same in every iteration"},
      {"for i in range(3):\n    if i > 1:\n        y = X", "what an if chooses must be known"},
      {"for i in range(3):\n    if X[0, 0] > 1:\n        y = X",
       "what an if chooses must be known"},
      {"y = X\nfor i in range(3):\n    y = y[:, :2]",
       "prog.py:4:1: y has the shape (6, 4) at the start of an iteration and (6, 2) at its end"},
      {"y = None\nfor i in range(3):\n    z = X if y == None else y\n    y = X", ""},
      {"y = 'a'\nfor i in range(3):\n    y = y + 'b'", "y is a text at the start of an iteration"},
      {"for i in range(3):\n    y = z + 1\n    z = X", "name 'z' is not defined"},
      {"for i in range(0):\n    y = X\nz = y", "name 'y' is not defined"},
      {"for i in range(3):\n    Q: (2, 3)", "must be declared before the loop"},
      {"for i in range(3):\n    def f(): pass", "defined at the top level"},
      {"e = []\nfor i in range(3):\n    e.append(X[0, i])\n    y = np.mean(e)",
       "differs between iterations"},
      {"e = []\nfor i in range(3):\n    e.append(X[i])",
       "a list takes numbers and single elements"},
      {"y = X * 1\nz = y\nfor i in range(3):\n    z += 1\n    z = z * 2",
       "share their memory when an iteration starts"},
      {"y = X\nz = y * 1\nfor i in range(2):\n    for j in range(3):\n        y[:] = z\n"
       "        y, z = z, y",
       "y and X share their memory when an iteration starts"},
      {"y = X * 1\nz = y\nw = X * 2\nfor i in range(2):\n    y, w = w, y\n"
       "for i in range(2):\n    y[0] = i\n    y = y * 2",
       "y and z share their memory when an iteration starts"},
      {"y = X\nw = X * 2\ndef f(a, b):\n    for i in range(3):\n        a, b = b, a\n        a += "
       "1\n"
       "    return a\nz = f(y, w)",
       "share their memory when an iteration starts"},
      {"y = X[0]\nz = X[1]\nfor i in range(3):\n    y = z\n    z = X[2]\nX += 1",
       "y may share its memory with an array of the loop above"},
      {"def f(x):\n    return f(x)\ny = f(X)", "a function that calls itself"},
      {"def f(x):\n    for i in range(2):\n        return x\ny = f(X)", "a return inside a loop"},
      {"return X", "'return' outside of a function"},
      {"def f(x, y=1):\n    return x\nz = f()", "[f] needs the argument 'x'"},
      {"def f(x):\n    return x\nz = f(X, X)", "[f] takes 1 arguments; got 2"},
      {"def f(x):\n    return x\nz = f(X, x=X)", "[f] got multiple values for argument 'x'"},
      {"def f(x):\n    return x\nz = f(y=X)", "[f] got an unexpected keyword argument 'y'"},
      {"print(X)", "texts and numbers can be printed here; got an array of shape (6, 4)"},
      {"print('%q' % 3)", "the format %q is outside of this notation"},
      {"print('%d %d' % 3)", "not enough values for the format"},
      {"y = 'a' + 1", "'+' joins texts"},
      {"y = X if X > 0 else 1", "the truth of an array of shape (6, 4) is not known"},
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
              HasSubstr("X is declared as (3, 2) here, but its shape was given as (2, 3)"));
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

}  // namespace

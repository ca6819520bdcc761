// The reader: which arrays names stand for, and what is refused where. Values are judged by NumPy
// in tests/differential; here are the structure of programs and the texts of errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "rewriter/reader/reader.hpp"

namespace {

using rewriter::Kind;
using rewriter::Program;
using ::testing::ElementsAre;

Program read(const std::string& text, const rewriter::ReadOptions& options = {}) {
  return rewriter::read(rewriter::Source("prog.py", text), options);
}

std::vector<std::string> names(const std::vector<Program::Named>& named) {
  std::vector<std::string> result;
  for (const Program::Named& item : named) result.push_back(item.name);
  return result;
}

const rewriter::Node& result(const Program& program, const std::string& name) {
  for (const Program::Named& item : program.results)
    if (item.name == name) return *item.node;
  throw std::out_of_range(name);
}

/// What read() says of a program that it refuses.
std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const rewriter::ProgramError& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(Reader, TakesInputsInTheOrderOfDeclarationAndResultsOfFirstAssignment) {
  const Program program = read("b: (2, 3)\na: (3,)\nz = b * 2\ny = a + 1\nz = z + y\n");
  EXPECT_THAT(names(program.inputs), ElementsAre("b", "a"));
  EXPECT_THAT(names(program.results), ElementsAre("z", "y"));
  EXPECT_THAT(names(program.assignments), ElementsAre("z", "y", "z"));
}

TEST(Reader, NumbersAndTuplesAreNoResults) {
  const Program program =
      read("a: (4, 5)\nn, m = a.shape\nk = n * m // 3 - len(a) % 3\nc = a * k\n");
  EXPECT_THAT(names(program.results), ElementsAre("c"));
  EXPECT_EQ(result(program, "c").args[1]->number, 5);
}

TEST(Reader, NamesOfOneArrayShareWhatIsDoneInPlace) {
  const Program program = read("x: (3,)\na = x * 2\nb = a\nb += 1\nc = a\n");
  EXPECT_EQ(&result(program, "a"), &result(program, "b"));
  EXPECT_EQ(&result(program, "a"), &result(program, "c"));
  EXPECT_TRUE(result(program, "a").in_place);
}

TEST(Reader, AssignmentMakesANewArrayAndLeavesTheOldOne) {
  const Program program = read("x: (3,)\na = x * 2\nb = a\nb = b + 1\n");
  EXPECT_NE(&result(program, "a"), &result(program, "b"));
  EXPECT_FALSE(result(program, "b").in_place);
}

TEST(Reader, ViewsWriteThroughToTheirArray) {
  for (const std::string view :
       {"x[1:3]", "x.T", "x[:, None, 2]", "x[2]", "x.reshape(20)", "x[1:].T"}) {
    const Program program = read("import numpy as np\nx: (4, 5)\nv = " + view + "\nv *= 2\n");
    EXPECT_THAT(names(program.results), ElementsAre("v", "x")) << view;
  }
}

TEST(Reader, CopiesDoNot) {
  for (const std::string copy : {"x.copy()", "np.array(x)", "x.flatten()", "x + 0", "+x"}) {
    const Program program = read("import numpy as np\nx: (4, 5)\nv = " + copy + "\nv *= 2\n");
    EXPECT_THAT(names(program.results), ElementsAre("v")) << copy;
  }
}

TEST(Reader, AViewSeesWhatIsWrittenToItsArrayLater) {
  const Program program = read("x: (4, 5)\na = x * 1\nv = a[1]\na += 1\n");
  const rewriter::Node& view = result(program, "v");
  EXPECT_EQ(view.kind, Kind::Slice);
  EXPECT_EQ(view.args[0].get(), &result(program, "a"));
  EXPECT_EQ(view.where.line, 3);
}

TEST(Reader, AnInputThatIsOverwrittenIsAResult) {
  EXPECT_THAT(names(read("x: (3,)\nx += 1\n").results), ElementsAre("x"));
  EXPECT_THAT(names(read("x: (3,)\nx[0] = 1\n").results), ElementsAre("x"));
  EXPECT_THAT(names(read("x: (3,)\ny = x\ny += 1\n").results), ElementsAre("y", "x"));
}

TEST(Reader, ScalarsOfNumpyAreImmutable) {
  const Program program = read("x: (3,)\ns = x.sum()\nt = s\nt += 1\n");
  EXPECT_NE(&result(program, "s"), &result(program, "t"));
}

TEST(Reader, NodesKnowTheLineOfTheirStatement) {
  const Program program = read("x: (3, 3)\n\na = (x +\n     x.T)\na *= 2\n");
  EXPECT_EQ(result(program, "a").where.line, 5);
  EXPECT_EQ(result(program, "a").args[0]->where.line, 3);
}

TEST(Reader, DrawsHappenEvenIfNothingReadsThem) {
  const Program program =
      read("import numpy as np\nnp.random.seed(3)\nn = np.random.rand(4).shape[0]\n");
  ASSERT_EQ(program.steps.size(), 2U);
  EXPECT_EQ(program.steps[0]->kind, Kind::Seed);
  EXPECT_EQ(program.steps[1]->kind, Kind::Random);
}

TEST(Reader, TakesShapesFromOutsideIfTheyAgree) {
  rewriter::ReadOptions options;
  options.shapes["x"] = {2, 3};
  EXPECT_THAT(names(read("y = x + 1\n", options).inputs), ElementsAre("x"));
  EXPECT_THAT(names(read("x: (2, 3)\ny = x + 1\n", options).inputs), ElementsAre("x"));
  EXPECT_THROW(read("x: (3, 2)\n", options), rewriter::ProgramError);
}

TEST(Reader, ImportsInEverySpelling) {
  for (const std::string text :
       {"import numpy\ny = numpy.exp(x)", "import numpy as n\ny = n.exp(x)",
        "from numpy import *\ny = exp(x)", "from numpy import exp as e\ny = e(x)",
        "import gnumpy as gpu\ny = gpu.exp(x)", "from gnumpy import *\ny = exp(x)",
        "import numpy as np\nfrom numpy.typing import NDArray\nfrom numpy.linalg import "
        "LinAlgError\n"
        "from numpy import nothing\ndef f(x: NDArray): return np.exp(x)\ny = f(x)"}) {
    EXPECT_EQ(result(read("x: (3,)\n" + text + "\n"), "y").op, rewriter::Op::exp) << text;
  }
  for (const std::string text :
       {"import scipy.special\ny = scipy.special.erf(x)",
        "from scipy import special\ny = special.erf(x)", "import scipy.special as s\ny = s.erf(x)",
        "import scipy\ny = scipy.special.erf(x)", "from scipy.special import erf\ny = erf(x)",
        "from scipy.special import *\ny = erf(x)"}) {
    EXPECT_EQ(result(read("x: (3,)\n" + text + "\n"), "y").op, rewriter::Op::erf) << text;
  }
}

TEST(Reader, PointsAtWhatItRefuses) {
  EXPECT_EQ(refusal("import numpy as np\nx: (3, 4)\ny = np.dto(x, x)\n"),
            "prog.py:3:5: np.dto is not supported; did you mean np.dot?\n"
            "    y = np.dto(x, x)\n"
            "        ^~~~~~");
  EXPECT_EQ(
      refusal("x: (3,)\ny = x + 2 * q\n"),
      "prog.py:2:13: name 'q' is not defined; if it is an input, declare its shape with a line "
      "`q: (rows, cols)` or with --shape q=RxC\n"
      "    y = x + 2 * q\n"
      "                ^");
  EXPECT_EQ(refusal("x: (3,)\ny = np.exp(x)\n"),
            "prog.py:2:5: np is not imported; write `import numpy as np`\n"
            "    y = np.exp(x)\n"
            "        ^~");
  EXPECT_EQ(refusal("x: (3, 4)\ny = x[::0]\n"),
            "prog.py:2:5: [index] slice step cannot be zero\n"
            "    y = x[::0]\n"
            "        ^~~~~~");
  EXPECT_EQ(refusal("k = 7 // (3 - 3)\n"),
            "prog.py:1:5: integer division or modulo by zero\n"
            "    k = 7 // (3 - 3)\n"
            "        ^~~~~~~~~~~~");
}

TEST(Reader, RefusesWritesWhoseReachDependsOnNumpysLayout) {
  EXPECT_EQ(refusal("x: (3, 4)\ny = x.T.reshape(12)\n"), "(accepted)");
  EXPECT_THAT(refusal("x: (3, 4)\ny = x.T.reshape(12)\ny += 1\n"),
              ::testing::HasSubstr("reshape a copy: a.copy().reshape(...)"));
  EXPECT_THAT(refusal("x: (3, 4)\ny = x.T.reshape(12)\nx += 1\n"),
              ::testing::HasSubstr("reshape a copy: a.copy().reshape(...)"));
}

TEST(Reader, ArraysLikeOthersHaveTheirLayout) {
  for (const std::string like :
       {"np.zeros_like(x.T)", "np.full_like(x.T, 2)", "np.clip(0, x.T, 1)"})
    EXPECT_THAT(
        refusal("import numpy as np\nx: (3, 4)\na = " + like + "\ny = a.reshape(12)\ny += 1\n"),
        ::testing::HasSubstr("reshape a copy: a.copy().reshape(...)"))
        << like;
}

TEST(Reader, SequencesAreJoinedAndRepeatedAsPythonDoes) {
  const Program program = read(
      "import numpy as np\nx: (4, 5)\na = np.zeros((2,) + x.shape[1:])\n"
      "b = np.array([1, 2] * 3 + [4])\nc = np.array(2 * [[0.5]])\nd = np.array([7] * -1)\n");
  EXPECT_THAT(result(program, "a").dims, ElementsAre(2, 5));
  EXPECT_THAT(result(program, "b").dims, ElementsAre(7));
  EXPECT_THAT(result(program, "c").dims, ElementsAre(2, 1));
  EXPECT_THAT(result(program, "d").dims, ElementsAre(0));
}

TEST(Reader, MaxAndMinOfNumbers) {
  const Program program = read(
      "import numpy as np\nx: (4, 5)\na = x[:min(100, len(x)), :max(x.shape) - 2]\n"
      "b = np.zeros((max((1, 2.5, 3)), min(True, 2)))\n");
  EXPECT_THAT(result(program, "a").dims, ElementsAre(4, 3));
  EXPECT_THAT(result(program, "b").dims, ElementsAre(3, 1));
}

TEST(Reader, RefusesWhatPythonMeansDifferently) {
  const struct {
    std::string text, says;
  } cases[] = {
      {"y = [1, 2] + (1, 2)", "can only concatenate list (not \"tuple\") to list; np.array"},
      {"y = [1, 2] * 1.5", "can't multiply sequence by non-int of type 'float'; np.array"},
      {"y = -[1, 2]", "bad operand type for unary -: 'list'"},
      {"y = [0.5] * 10 ** 9", "too long; np.full makes large arrays"},
      {"v = x[0] > 0\nv ^= x > 0", "shape (4,) doesn't match the broadcast shape (3, 4)"},
      {"y = max(x, 2)", "for arrays use np.max or np.maximum; got an array of shape (3, 4)"},
      {"y = min(())", "empty sequence"},
      {"y = np.array([x[0], x])", "must have one shape to make an array; got (4,) and (3, 4)"},
      {"y = x[x[0].argmax()]\nx += 1\nz = y + 1", "an array that was written to since"},
      {"y = (1, 2.0)[x[0].argmax()]", "of numbers of one type"},
      {"y = x[True]", "indexing by a boolean"},
      {"y = x[x.shape[0] > 2]", "indexing by a boolean"},
      {"y = np.arange(3) ** np.rint(x[0, :3]).astype(int)", "negative integer powers"},
      {"e = x + 1\nfrom numpy import *", "this import rebinds the name e"},
      {"y = np.linalg.norm(x, 3)", "invalid norm order for matrices"},
      {"from numpy.lib.stride_tricks import as_strided\ny = as_strided(x)",
       "np.lib.stride_tricks.as_strided is not supported"},
      {"from numpy import medain\ny = medain(x)", "did you mean np.median?"},
      {"y = x.flatten('F')", "only order='C'"},
      {"y = np.reshape(x, 4, 3)", "only order='C'"},
      {"y = x.sum(start=1)",
       "unexpected keyword argument 'start'; the supported ones are axis, dtype, keepdims"},
  };
  for (const auto& [text, says] : cases)
    EXPECT_THAT(refusal("import numpy as np\nx: (3, 4)\n" + text + "\n"),
                ::testing::HasSubstr(says))
        << text;
}

TEST(Reader, ArgumentsAreGivenOnce) {
  const struct {
    std::string text, parameter;
  } cases[] = {
      {"np.sum(x, 0, axis=1)", "axis"},
      {"x.sum(0, axis=0)", "axis"},
      {"np.concatenate((x, x), 1, axis=0)", "axis"},
      {"np.dot(x, x.T, a=x)", "a"},
  };
  for (const auto& [text, parameter] : cases)
    EXPECT_THAT(refusal("import numpy as np\nx: (3, 4)\ny = " + text + "\n"),
                ::testing::HasSubstr("got multiple values for argument '" + parameter + "'"))
        << text;
}

TEST(Reader, AnEllipsisStandsForTheAxesThatAreLeft) {
  const struct {
    std::string text;
    std::vector<rewriter::Index> dims;
  } cases[] = {
      {"x[...]", {3, 4}},          {"x[..., 1]", {3}},         {"x[1, ...]", {4}},
      {"x[..., :2]", {3, 2}},      {"x[:2, ..., 1:]", {2, 3}}, {"x[0, ..., 1:]", {3}},
      {"x[0][..., None]", {4, 1}},
  };
  for (const auto& [text, dims] : cases)
    EXPECT_THAT(result(read("x: (3, 4)\ny = " + text + " * 1\n"), "y").dims,
                ::testing::ElementsAreArray(dims))
        << text;
}

TEST(Reader, TheElementOfA0dArrayIsAScalar) {
  const Program program = read("a: ()\nb = a[()]\na += 1\nb += 2\n");
  EXPECT_FALSE(result(program, "b").in_place);
  EXPECT_NE(&result(program, "a"), &result(program, "b"));
}

TEST(Reader, ChainsOfManyViewsNeedNoStack) {
  std::string text = "x: (3, 4)\nv = x\n";
  for (int i = 0; i < 100000; ++i) text += "v = v.T\n";
  const Program program = read(text + "x += 1\n");
  EXPECT_THAT(names(program.results), ElementsAre("v", "x"));
}

}  // namespace

#include <array>
#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>

#include "npmat/npmat.hpp"
#include "npmat/npy.hpp"
#include "rewriter/evaluate/evaluate.hpp"
#include "rewriter/expr/symbolic.hpp"
#include "tests/numpy_corpus.hpp"
#include "tests/python.hpp"
#include "tests/sanitizers.hpp"

namespace {

namespace sym = rewriter;
using rewriter::Dims;
using rewriter::DType;
using testing::ElementsAre;
using testing::HasSubstr;

using Host = npmat::Array<double>;

const std::vector<Dims> kShapes{{},     {0},    {1},    {5},    {0, 3}, {3, 0},
                                {0, 0}, {1, 1}, {1, 5}, {4, 1}, {4, 5}};

Host ordinary(const Dims& shape, int start) {
  Host host{shape, {}};
  const auto size = static_cast<std::size_t>(npmat::element_count(shape));
  for (std::size_t i = 0; i < size; ++i)
    host.data.push_back(2 * std::sin(1.7 * static_cast<double>(i) + 0.9 * start) + 0.013);
  return host;
}

/// NaN, infinities, zeros and whole numbers.
Host special(const Dims& shape, int start) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr std::array kValues{
      1.0, -0.0, kInf, -1.0, 2.0,  std::numeric_limits<double>::quiet_NaN(),
      0.0, 0.5,  3.0,  -2.0, -kInf};
  Host host{shape, {}};
  const auto size = static_cast<std::size_t>(npmat::element_count(shape));
  for (std::size_t i = 0; i < size; ++i)
    host.data.push_back(kValues[(3 * i + static_cast<std::size_t>(start)) % kValues.size()]);
  return host;
}

/// One expression of the corpus on two operands.
struct Case {
  const tests::Expression* expression;
  std::size_t a;
  std::size_t b;
};

/// What NumPy makes of a case: a value with its type ('f', 'i', 'b'), or an error.
struct Answer {
  std::string error;
  char kind = 'f';
  Host value;
};

std::vector<Answer> ask_numpy(const std::vector<Case>& cases, const std::vector<Host>& operands) {
  const tests::TemporaryFolder folder;
  std::string script = R"(import sys
import numpy as np
np.seterr(all='ignore')
)";
  script += tests::kNumpyHelpers;
  script += R"(
operands = [np.load(sys.argv[1] + f'/{i}.npy') for i in range(int(sys.argv[2]))]
def answer(text, a, b):
    try:
        value = eval(text, globals(), {'a': operands[a].copy(), 'b': operands[b].copy()})
    except Exception as error:
        print('error', type(error).__name__, str(error).replace('\n', ' '))
        return
    value = np.asarray(value)
    kind = value.dtype.kind if value.dtype.str != '<f2' else 'h'
    print(kind, value.ndim, *value.shape, *[float(x).hex() for x in value.ravel()])
)";
  for (const Case& test : cases)
    script += fmt::format("answer(\"{}\", {}, {})\n", test.expression->python, test.a, test.b);
  for (std::size_t i = 0; i < operands.size(); ++i)
    npmat::save_npy(folder / (std::to_string(i) + ".npy"), operands[i]);
  std::istringstream lines(
      tests::run_python(script, {folder.path().string(), std::to_string(operands.size())}));

  std::vector<Answer> answers;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Answer answer;
    std::string word;
    words >> word;
    answer.kind = word[0];
    if (word == "error") {
      answer.error = line;
    } else {
      std::size_t ndim = 0;
      words >> ndim;
      answer.value.shape.resize(ndim);
      for (auto& extent : answer.value.shape) words >> extent;
      while (words >> word) answer.value.data.push_back(std::strtod(word.c_str(), nullptr));
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

char kind_of(DType dtype) {
  if (dtype == DType::Bool) return 'b';
  return dtype == DType::Float ? 'f' : 'i';
}

bool close(double got, double expected) {
  if (std::isnan(expected)) return std::isnan(got);
  if (got == expected) return true;
  return std::abs(got - expected) <= 1e-12 * std::abs(expected);
}

/// Whether a zero must have NumPy's sign. Integers have one zero; NumPy's sums and products start
/// from 0 or from the first element as the layout has it.
bool has_signed_zeros(const Case& test, const Answer& answer) {
  const std::string& text = test.expression->python;
  return answer.kind == 'f' && text.find("sum") == std::string::npos &&
         text.find("mean") == std::string::npos && text.find("dot") == std::string::npos;
}

/// Empty if the tree's shape, type and value are NumPy's.
std::string difference(const Case& test, const std::vector<Host>& operands, const Answer& answer) {
  try {
    const sym::Array tree =
        test.expression->build(sym::array(operands[test.a]), sym::array(operands[test.b]));
    if (!answer.error.empty()) return "no error; NumPy: " + answer.error;
    if (answer.kind == 'h') return "not refused, though NumPy gives float16";
    if (tree.shape() != answer.value.shape)
      return "shape " + sym::to_string(tree.shape()) + ", NumPy " +
             sym::to_string(answer.value.shape);
    if (kind_of(tree.dtype()) != answer.kind)
      return fmt::format("type {}, NumPy {}", kind_of(tree.dtype()), answer.kind);
    const Host value = tree.as_numpy<double>();
    if (value.shape != answer.value.shape)
      return "evaluated to shape " + sym::to_string(value.shape);
    const bool signed_zeros = has_signed_zeros(test, answer);
    for (std::size_t i = 0; i < answer.value.data.size(); ++i)
      if (!close(value.data.at(i), answer.value.data[i]) ||
          (signed_zeros && answer.value.data[i] == 0 &&
           std::signbit(value.data[i]) != std::signbit(answer.value.data[i])))
        return fmt::format("element {} is {}, NumPy {}", i, value.data[i], answer.value.data[i]);
    return {};
  } catch (const cudamat::CUDAMatException& error) {
    if (!answer.error.empty() || answer.kind == 'h') return {};
    return std::string("refused: ") + error.what();
  }
}

void compare(const std::vector<Case>& cases, const std::vector<Host>& operands) {
  const std::vector<Answer> answers = ask_numpy(cases, operands);
  ASSERT_EQ(answers.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& test = cases[i];
    EXPECT_EQ(difference(test, operands, answers[i]), "")
        << test.expression->python << " with a of shape " << sym::to_string(operands[test.a].shape)
        << " (data set " << test.a % 2 << "), b of shape "
        << sym::to_string(operands[test.b].shape);
  }
}

std::vector<Host> corpus_operands(int start) {
  std::vector<Host> operands;
  for (const Dims& shape : kShapes) {
    operands.push_back(ordinary(shape, start));
    operands.push_back(special(shape, start));
  }
  return operands;
}

TEST(Evaluate, AgreesWithNumpyOnOneOperand) {
  CUDAMAT_NEEDS_NUMPY();
  std::vector<Case> cases;
  for (const tests::Expression& expression : tests::unary_corpus())
    for (std::size_t a = 0; a < 2 * kShapes.size(); ++a) cases.push_back({&expression, a, a});
  compare(cases, corpus_operands(0));
}

TEST(Evaluate, AgreesWithNumpyOnTwoOperands) {
  CUDAMAT_NEEDS_NUMPY();
  std::vector<Host> operands = corpus_operands(0);
  const std::size_t count = operands.size();
  // The 0-d operand is infinite, not 0: np.dot(inf, 0) is 0 in NumPy, by a shortcut of its BLAS.
  for (Host& second : corpus_operands(2)) operands.push_back(std::move(second));
  std::vector<Case> cases;
  for (const tests::Expression& expression : tests::binary_corpus())
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = a % 2; b < count; b += 2) cases.push_back({&expression, a, count + b});
  compare(cases, operands);
}

// The usage case of the user's question: the gradient of a network with one hidden layer.
TEST(Evaluate, ComputesTheGradientAsNumpy) {
  CUDAMAT_NEEDS_NUMPY();
  const std::vector<Host> operands{ordinary({7, 4}, 1), ordinary({6, 7}, 2), ordinary({6, 7}, 3),
                                   ordinary({6, 4}, 4)};
  const auto W = sym::array(operands[0]);
  const auto X = sym::input("X", {6, 7});
  const auto x = X;
  const auto z = sym::array(operands[2]);
  const auto h = sym::array(operands[3]);
  const auto delta_o = -(x - z);
  const auto delta_h = sym::dot(delta_o, W) * h * (1.0 - h);
  const auto grad_W = sym::dot(X.T(), delta_h);
  EXPECT_EQ(grad_W.shape(), (Dims{7, 4}));

  const tests::Expression gradient{
      "np.dot(operands[1].T, np.dot(-(operands[1] - operands[2]), operands[0])"
      " * operands[3] * (1.0 - operands[3]))",
      nullptr};
  const Host expected = ask_numpy({{&gradient, 0, 0}}, operands).at(0).value;
  const auto values = sym::evaluate<double>({grad_W.node()}, {{"X", operands[1]}});
  ASSERT_EQ(values[0].shape, expected.shape);
  for (std::size_t i = 0; i < expected.data.size(); ++i)
    EXPECT_NEAR(values[0].data[i], expected.data[i], 1e-13);
}

TEST(Evaluate, GivesTheRootsInTheirOrder) {
  const auto x = sym::input("x", {2});
  const auto twice = x * 2;
  const auto values =
      sym::evaluate<float>({twice.node(), x.node(), twice.node()}, {{"x", {{2}, {1, 3}}}});
  ASSERT_EQ(values.size(), 3U);
  EXPECT_THAT(values[0].data, ElementsAre(2, 6));
  EXPECT_THAT(values[1].data, ElementsAre(1, 3));
  EXPECT_THAT(values[2].data, ElementsAre(2, 6));
}

TEST(Evaluate, ComputesInThePrecisionAskedFor) {
  const auto third = sym::full({1}, 1) / 3;
  EXPECT_EQ(third.as_numpy<float>().data[0], 1.0F / 3.0F);
  EXPECT_EQ(third.as_numpy<double>().data[0], 1.0 / 3.0);
  EXPECT_EQ(third.as_numpy<long double>().data[0], 1.0L / 3.0L);
}

TEST(Evaluate, ReadsDataOfAnyPrecision) {
  const long double value = 1.0L + 0x1p-60L;
  const auto a = sym::array(npmat::Array<long double>{{1}, {value}});
  const auto b = sym::array(npmat::Array<float>{{1}, {0.1F}});
  EXPECT_EQ(a.as_numpy<long double>().data[0], value);
  EXPECT_EQ(a.as_numpy<double>().data[0], 1.0);
  EXPECT_EQ(b.as_numpy<double>().data[0], static_cast<double>(0.1F));
}

TEST(Evaluate, DrawsInTheOrderOfBuildingFromTheEnginesStream) {
  const auto first = sym::rand({2, 3});
  const auto second = sym::randn({4});
  const auto third = sym::rand({});
  const auto values = sym::evaluate<double>({third.node(), second.node(), first.node()}, {}, 42);

  using Engine = npmat::Engine<double>;
  std::array<double, 6> uniform{};
  std::array<double, 4> normal{};
  double last = 0;
  Engine::seed(42);
  Engine::uniform(uniform.data(), 6);
  Engine::normal(normal.data(), 4);
  Engine::uniform(&last, 1);
  // columns of the 2 x 3 matrix are drawn one after the other
  EXPECT_THAT(values[2].data,
              ElementsAre(uniform[0], uniform[2], uniform[4], uniform[1], uniform[3], uniform[5]));
  EXPECT_THAT(values[1].data, testing::ElementsAreArray(normal));
  EXPECT_THAT(values[0].data, ElementsAre(last));
}

TEST(Evaluate, SeedStartsTheStreamAnew) {
  const auto before = sym::rand({3});
  const auto seed = sym::seed(7);
  const auto after = sym::rand({3});
  const auto values = sym::evaluate<double>({before.node(), seed.node(), after.node()}, {}, 7);
  EXPECT_EQ(values[0].data, values[2].data);
  EXPECT_EQ(values[1].size(), 0);
  EXPECT_NE(sym::evaluate<double>({before.node(), after.node()}, {}, 7)[1].data, values[2].data);
}

TEST(Evaluate, ADrawIsOneValueWhereverItIsUsed) {
  const auto r = sym::rand({5});
  EXPECT_THAT((r - r).as_numpy<double>().data, ElementsAre(0, 0, 0, 0, 0));
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const cudamat::CUDAMatException& error) {
    return error.what();
  }
  return "no error";
}

TEST(Evaluate, NamesAMissingInput) {
  const auto X = sym::input("X", {4, 5});
  const auto sum = X + sym::input("b", {5});
  EXPECT_EQ(error_of([&] {
              (void)sym::evaluate<double>({sum.node()}, {{"x", {{1}, {0}}}});
            }),
            "[evaluate] input X of shape (4, 5) has no value; values were given for: x");
  EXPECT_EQ(error_of([&] { (void)sum.as_numpy<float>(); }),
            "[evaluate] input X of shape (4, 5) has no value; values were given for: none");
}

TEST(Evaluate, RefusesAnInputOfAnotherShape) {
  const auto x = sym::input("x", {5});
  EXPECT_EQ(error_of([&] {
              (void)sym::evaluate<double>({x.node()}, {{"x", {{1, 5}, {1, 2, 3, 4, 5}}}});
            }),
            "[evaluate] input x must have shape (5,); got (1, 5)");
  EXPECT_THAT(error_of([&] {
                (void)sym::evaluate<double>({x.node()}, {{"x", {{5}, {1}}}});
              }),
              HasSubstr("(5,) needs 5 elements; data has 1"));
}

TEST(Evaluate, TakesATreeAMillionDeep) {
  const int depth = tests::under_sanitizers() ? 100'000 : 1'000'000;
  sym::Array sum = sym::full({1}, 0);
  for (int i = 0; i < depth; ++i) sum = sum + 1;
  EXPECT_EQ(sum.as_numpy<double>().data[0], depth);
}

TEST(Evaluate, ComputesASharedNodeOnce) {
  sym::Array x = sym::full({1}, 1);
  for (int i = 0; i < 60; ++i) x = x + x;
  EXPECT_EQ(x.as_numpy<double>().data[0], 0x1p60);
}

}  // namespace

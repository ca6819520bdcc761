// Symbolic arrays of more than two dimensions against NumPy: by value, and through statements.
#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "npmat/npmat.hpp"
#include "npmat/npy.hpp"
#include "rewriter/emit/print.hpp"
#include "rewriter/evaluate/evaluate.hpp"
#include "rewriter/expr/symbolic.hpp"
#include "rewriter/listing/parse_list.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/passes/pipeline.hpp"
#include "rewriter/run/run.hpp"
#include "tests/python.hpp"

namespace {

namespace sym = rewriter;
using rewriter::Dims;
using sym::Array;
using sym::Op;
using testing::HasSubstr;
using Host = npmat::Array<double>;

struct Case {
  Dims a, b;
  const char* python;  ///< over a and b
  Array (*build)(const Array& a, const Array& b);
};

#define CASE(shape_a, shape_b, python, expression)                                  \
  Case {                                                                            \
    Dims shape_a, Dims shape_b, python, [](const Array&a, const Array&b) -> Array { \
      (void)a, (void)b;                                                             \
      return expression;                                                            \
    }                                                                               \
  }
// clang-format off
const std::vector<Case> kCases = {
    // element-wise, broadcast
    CASE(({2, 3, 4}), ({2, 3, 4}), "a * b + 1", a * b + 1),
    CASE(({2, 3, 4}), ({4}), "a + b", a + b),
    CASE(({2, 3, 4}), ({3, 4}), "b - a", b - a),
    CASE(({2, 3, 4}), ({3, 1}), "a / b", a / b),
    CASE(({2, 3, 4}), ({2, 1, 1}), "a * b", a * b),
    CASE(({2, 3, 4}), ({2, 1, 4}), "a - b", a - b),
    CASE(({2, 3, 4}), ({1, 3, 1}), "np.maximum(a, b)", sym::maximum(a, b)),
    CASE(({2, 3, 4}), ({}), "a < b", a < b),
    CASE(({2, 1, 4}), ({3, 1}), "a * b", a * b),
    CASE(({2, 1, 3, 1}), ({5, 1, 2}), "a - b", a - b),
    CASE(({3, 1, 4, 2}), ({2, 1, 2}), "np.where(a > b, a, b)", sym::where(a > b, a, b)),
    CASE(({0, 3, 4}), ({4}), "a + b", a + b),
    CASE(({2, 3}), ({4, 2, 3}), "(a * 2) + b", (a * 2) + b),
    CASE(({1, 1, 1}), ({1}), "np.exp(a) - b", sym::exp(a) - b),
    CASE(({2, 3, 4}), ({2, 3, 4}), "(a >= b) & ~(a == 1)", sym::logical_and(a >= b, sym::not_equal(a, 1))),
    CASE(({3}), ({2, 3}), "np.broadcast_to(a, (4, 2, 3)) * b", sym::broadcast_to(a, {4, 2, 3}) * b),
    CASE(({2, 1, 3}), ({}), "np.broadcast_to(a, (2, 5, 3))", sym::broadcast_to(a, {2, 5, 3})),
    CASE(({2, 1}), ({}), "np.broadcast_to(a, (2, 5))", sym::broadcast_to(a, {2, 5})),
    CASE(({3}), ({}), "np.broadcast_to(a, (2, 3))", sym::broadcast_to(a, {2, 3})),
    CASE(({}), ({}), "np.broadcast_to(a, (2, 3, 2))", sym::broadcast_to(a, {2, 3, 2})),
    // reductions
    CASE(({2, 3, 4}), ({}), "a.sum()", a.sum()),
    CASE(({2, 3, 4}), ({}), "a.sum(keepdims=True)", a.sum({}, true)),
    CASE(({2, 3, 4}), ({}), "a.sum(0)", a.sum(0)),
    CASE(({2, 3, 4}), ({}), "a.max(1)", a.max(1)),
    CASE(({2, 3, 4}), ({}), "a.mean(-1, keepdims=True)", a.mean(-1, true)),
    CASE(({2, 3, 4}), ({}), "a.min(1, keepdims=True)", a.min(1, true)),
    CASE(({2, 3, 2, 2}), ({}), "a.prod(2)", sym::reduce(Op::prod, a, 2)),
    CASE(({2, 3, 4}), ({}), "a.argmax()", sym::reduce(Op::argmax, a)),
    CASE(({2, 3, 4}), ({}), "a.argmin(1)", sym::reduce(Op::argmin, a, 1)),
    CASE(({2, 3, 4}), ({}), "a.sum((0, 2))", sym::reduce_over(Op::sum, a, {0, 2})),
    CASE(({2, 3, 4}), ({}), "a.mean((2, 0), keepdims=True)", sym::reduce_over(Op::mean, a, {2, 0}, true)),
    CASE(({2, 3, 4, 2}), ({}), "a.max((1, 2))", sym::reduce_over(Op::max, a, {1, 2})),
    CASE(({2, 3, 4, 2}), ({}), "a.sum((0, 1, 3))", sym::reduce_over(Op::sum, a, {0, 1, 3})),
    CASE(({2, 3, 4}), ({}), "a.mean((0, 1, 2))", sym::reduce_over(Op::mean, a, {0, 1, 2})),
    CASE(({2, 0, 4}), ({}), "a.sum(1)", a.sum(1)),
    CASE(({2, 3, 4}), ({}), "a.var(1)", sym::variance(a, 1)),
    CASE(({2, 3, 4}), ({}), "a.std(2, ddof=1, keepdims=True)", sym::deviation(a, 2, true, 1)),
    CASE(({2, 3, 4}), ({}), "a.var()", sym::variance(a)),
    CASE(({2, 3, 4}), ({}), "np.sqrt((a * a).sum())", a.euclid_norm()),
    CASE(({2, 3, 4}), ({2, 3}), "a.sum(2) * b", a.sum(2) * b),
    CASE(({2, 3, 4}), ({3, 2}), "np.dot(b, a.sum(2)).sum(0)", sym::dot(b, a.sum(2)).sum(0)),
    // products
    CASE(({2, 3, 4}), ({4, 5}), "np.dot(a, b)", sym::dot(a, b)),
    CASE(({2, 3, 4}), ({4}), "np.dot(a, b)", sym::dot(a, b)),
    CASE(({4}), ({2, 4, 3}), "np.dot(a, b)", sym::dot(a, b)),
    CASE(({3, 4}), ({2, 4, 5}), "np.dot(a, b)", sym::dot(a, b)),
    CASE(({2, 3, 4}), ({2, 4, 2}), "np.dot(a, b)", sym::dot(a, b)),
    CASE(({2, 3, 4}), ({4, 5}), "a @ b", sym::matmul(a, b)),
    CASE(({2, 3, 4}), ({2, 4, 5}), "a @ b", sym::matmul(a, b)),
    CASE(({3, 4}), ({2, 4, 5}), "a @ b", sym::matmul(a, b)),
    CASE(({2, 1, 3, 4}), ({5, 4, 2}), "a @ b", sym::matmul(a, b)),
    CASE(({4}), ({2, 4, 5}), "a @ b", sym::matmul(a, b)),
    CASE(({0, 3, 4}), ({4, 5}), "np.dot(a, b)", sym::dot(a, b)),
    CASE(({0, 3, 4}), ({0, 4, 5}), "a @ b", sym::matmul(a, b)),
    // shapes
    CASE(({2, 3, 4}), ({}), "a.reshape(6, 4)", a.reshape({6, 4})),
    CASE(({6, 4}), ({}), "a.reshape(2, 3, -1) * 2", a.reshape({2, 3, -1}) * 2),
    CASE(({2, 3, 4}), ({4, 3}), "a.reshape(8, 3)[2:6] - b", a.reshape({8, 3}).rows(2, 6) - b),
    CASE(({2, 3, 4}), ({}), "a.T", a.T()),
    CASE(({2, 3, 4}), ({}), "a.transpose(0, 2, 1)", a.transpose({0, 2, 1})),
    CASE(({2, 3, 4}), ({}), "a.transpose(1, 0, 2)", a.transpose({1, 0, 2})),
    CASE(({3, 2, 4}), ({}), "a.transpose(1, 0, 2)", a.transpose({1, 0, 2})),
    CASE(({2, 3, 4}), ({}), "a.transpose(2, 0, 1)", a.transpose({2, 0, -2})),
    CASE(({2, 3, 4, 5}), ({}), "a.transpose(0, 2, 1, 3)", a.transpose({0, 2, 1, 3})),
    CASE(({2, 3, 4, 5}), ({}), "a.transpose(3, 1, 0, 2)", a.transpose({3, 1, 0, 2})),
    CASE(({2, 0, 4}), ({}), "a.transpose(1, 2, 0)", a.transpose({1, 2, 0})),
    CASE(({3, 4}), ({2, 4, 3}), "a.T + b", a.T() + b),
    CASE(({2, 3, 4}), ({}), "a[1]", a.slice({sym::index_range(1, 2)})),
    CASE(({2, 3, 4}), ({}), "a[:, 1:3]", a.slice({{0, 2}, {1, 3}})),
    CASE(({2, 3, 4}), ({}), "a[1:, 2, 1:3]", a.slice({{1, 2}, {2, 3, true}, {1, 3}})),
    CASE(({2, 3, 4}), ({}), "a[:, ::2]", a.stepped(1, {{0, {}}, 2, 2})),
    CASE(({2, 5, 4}), ({}), "a[:, 1::3, ::-1]", a.stepped(1, {{1, {}}, 3, 2}).stepped(2, {{3, {}}, -1, 4})),
    CASE(({5}), ({}), "a[::2]", a.stepped(0, {{0, {}}, 2, 3})),
    CASE(({4, 5}), ({}), "a[3:0:-2, 4::-3]", a.stepped(0, {{3, {}}, -2, 2}).stepped(1, {{4, {}}, -3, 2})),
    CASE(({2, 3, 4}), ({}), "np.take(a, [2, -3, 2], 1)", sym::take(a, sym::constant({{3}, {2, -3, 2}}, "[]", sym::DType::Int), 1)),
    CASE(({2, 3, 4}), ({}), "a[:, :, [3, 0]]", sym::take(a, sym::counting(3, -3, 2), 2)),
    CASE(({3, 4}), ({}), "a[[2, -1]]", sym::take(a, sym::constant({{2}, {2, -1}}, "[]", sym::DType::Int))),
    CASE(({3, 4}), ({}), "a[:, a.argmax(1)]", sym::take(a, sym::reduce(Op::argmax, a, 1), 1)),
    // parts that are written
    CASE(({2, 3, 4}), ({2, 4}), "assigned(a, np.s_[:, 1], b)", sym::set_slice(a, {{0, 2}, {1, 2, true}}, b)),
    CASE(({4, 5, 6}), ({3, 1, 2}), "assigned(a, np.s_[0:3, 1:4, 2:4], b)", sym::set_slice(a, {{0, 3}, {1, 4}, {2, 4}}, b)),
    CASE(({3, 2, 2, 4}), ({4}), "assigned(a, np.s_[1:, :, 1], b)", sym::set_slice(a, {{1, 3}, {0, 2}, {1, 2, true}}, b)),
    CASE(({3, 4, 5}), ({}), "assigned(a, np.s_[..., 4], 7)", sym::set_slice(a, {{0, 3}, {0, 4}, {4, 5}}, 7)),
    CASE(({1, 4, 5}), ({5}), "assigned(a, np.s_[:, 1:3], b)", sym::set_slice(a, {{0, 1}, {1, 3}}, b)),
    CASE(({5, 4}), ({3, 4}), "assigned(a, np.s_[::2], b)", sym::set_stepped(a, 0, {{0, {}}, 2, 3}, b)),
    CASE(({2, 5, 2}), ({2, 2, 2}), "assigned(a, np.s_[:, 4::-3], b)", sym::set_stepped(a, 1, {{4, {}}, -3, 2}, b)),
    CASE(({2, 3, 4}), ({2, 4}), "assigned(a, np.s_[:, [2, 0]], b[:, None] * [[1], [2]])", sym::put(a, sym::counting(2, -2, 2), b.reshape({2, 1, 4}) * sym::array(Host{{2, 1}, {1, 2}}), 1)),
    CASE(({4, 3}), ({2, 3}), "assigned(a, np.s_[[3, 1]], b)", sym::put(a, sym::counting(3, -2, 2), b)),
    CASE(({2, 3, 4}), ({2, 1, 4}), "np.concatenate((a, b), 1)", sym::concatenate({a, b}, 1)),
    CASE(({2, 3, 4}), ({1, 3, 4}), "np.concatenate((a, b))", sym::concatenate({a, b})),
    CASE(({2, 3, 4}), ({2, 3, 1}), "np.concatenate((a, b), -1)", sym::concatenate({a, b}, -1)),
  
    // sorting, and factorisations of what was of more dimensions
    CASE(({2, 3, 4}), ({}), "np.sort(a)", sym::sort(a, -1)),
    CASE(({2, 3, 4}), ({}), "np.sort(a, 0)", sym::sort(a, 0)),
    CASE(({2, 5, 4}), ({}), "np.sort(a, 1) * 2", sym::sort(a, 1) * 2),
    CASE(({2, 3, 4}), ({}), "np.sort(a, None)", sym::sort(a, {})),
    CASE(({2, 5, 4}), ({}), "np.argsort(a, 1)", sym::argsort(a, 1)),
    CASE(({0, 5, 4}), ({}), "np.argsort(a, 2)", sym::argsort(a, 2)),
    CASE(({2, 5, 4}), ({}), "np.median(a, 1)", sym::median(a, 1, false)),
    CASE(({2, 3, 4}), ({}), "np.median(a, 2, keepdims=True)", sym::median(a, 2, true)),
    CASE(({2, 5, 4}), ({}), "np.quantile(a, 0.3, 1)", sym::quantile(a, 0.3, 1, false)),
    CASE(({2, 5, 4}), ({}), "np.quantile(a, 0.9, keepdims=True)", sym::quantile(a, 0.9, {}, true)),
    CASE(({5}), ({2, 3, 4}), "np.searchsorted(np.sort(a), b)", sym::searchsorted(sym::sort(a, -1), b, false)),
    CASE(({2, 3, 3}), ({}), "np.linalg.inv(a[1] + 5 * np.eye(3))", sym::inv(a.slice({sym::index_range(1, 2)}) + sym::eye(3) * 5)),
    CASE(({2, 3, 3}), ({3}), "np.linalg.solve(a.sum(0) + 9 * np.eye(3), b)", sym::solve(a.sum(0) + sym::eye(3) * 9, b)),
    CASE(({2, 3, 3}), ({2, 1, 3}), "np.linalg.eigh(a.sum(0))[0] * b", sym::eigh(a.sum(0), true)[0] * b),
    CASE(({2, 3, 3}), ({2, 1, 3}), "np.linalg.svd(a.sum(0))[2] ** 2 + b", sym::square(sym::svd(a.sum(0), true, true)[2]) + b),
    CASE(({2, 3, 3}), ({}), "np.linalg.inv(a + 5 * np.eye(3))", sym::inv(a + sym::eye(3) * 5)),
    CASE(({2, 1, 3, 3}), ({}), "np.linalg.det(a + 5 * np.eye(3))", sym::det(a + sym::eye(3) * 5)),
    CASE(({2, 3, 3}), ({3, 4}), "np.linalg.solve(a + 5 * np.eye(3), np.stack([b, b]))", sym::solve(a + sym::eye(3) * 5, sym::broadcast_to(b, {2, 3, 4}))),
    CASE(({2, 3, 3}), ({2, 3}), "np.linalg.solve(a + 5 * np.eye(3), b)", sym::solve(a + sym::eye(3) * 5, b)),
    CASE(({3, 3}), ({2, 3, 2}), "np.linalg.solve(a + 5 * np.eye(3), b)", sym::solve(a + sym::eye(3) * 5, b)),
    CASE(({0, 3, 3}), ({}), "np.linalg.inv(a)", sym::inv(a)),
    CASE(({2, 3, 3}), ({}), "np.linalg.cholesky(a @ a.transpose(0, 2, 1) + np.eye(3))", sym::cholesky(sym::matmul(a, a.transpose({0, 2, 1})) + sym::eye(3))),
    // both layouts in one program
    CASE(({2, 3}), ({2, 3, 4}), "(a * 2).T.reshape(3, 2, 1) + b.transpose(1, 0, 2)", (a * 2).T().reshape({3, 2, 1}) + b.transpose({1, 0, 2})),
    CASE(({4, 3}), ({2, 3, 4}), "np.dot(b, a).sum((0, 1)) - a.sum(0)", sym::reduce_over(Op::sum, sym::dot(b, a), {0, 1}) - a.sum(0)),
    CASE(({3, 4}), ({5, 3, 4}), "(a - b).var(0)[1:].T @ a[1:]", sym::matmul(sym::variance(a - b, 0).rows(1, 3).T(), a.rows(1, 3))),
};
// clang-format on
#undef CASE

Host numbers(const Dims& shape, int start) {
  Host host{shape, {}};
  for (int k = 0; k < npmat::element_count(shape); ++k)
    host.data.push_back(((start + 7 * k) % 23 - 9) / 4.0);
  return host;
}

std::vector<Host> ask_numpy() {
  std::string script = R"(import numpy as np
np.seterr(all='ignore')
def numbers(shape, start):
    k = np.arange(int(np.prod(shape)))
    return ((start + 7 * k) % 23 - 9).reshape(shape) / 4.0
def assigned(a, index, value):
    a[index] = value
    return a
def answer(text, a, b):
    value = np.asarray(eval(text, globals(), {'a': numbers(a, 3), 'b': numbers(b, 8)}))
    print(value.ndim, *value.shape, *[float(x).hex() for x in value.ravel()])
)";
  for (const Case& each : kCases)
    script += fmt::format("answer('{}', {}, {})\n", each.python, sym::to_string(each.a),
                          sym::to_string(each.b));
  std::istringstream lines(tests::run_python(script, {}));
  std::vector<Host> answers;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::size_t ndim = 0;
    words >> ndim;
    Host& answer = answers.emplace_back();
    answer.shape.resize(ndim);
    for (auto& extent : answer.shape) words >> extent;
    for (std::string word; words >> word;)
      answer.data.push_back(std::strtod(word.c_str(), nullptr));
  }
  return answers;
}

void expect_equal(const Host& got, const Host& expected) {
  ASSERT_EQ(got.shape, expected.shape);
  ASSERT_EQ(got.data.size(), expected.data.size());
  for (std::size_t k = 0; k < got.data.size(); ++k)
    ASSERT_NEAR(got.data[k], expected.data[k], 1e-13 * std::max(1.0, std::abs(expected.data[k])))
        << "element " << k;
}

TEST(Dimensions, ValuesAndStatementsAreNumpys) {
  CUDAMAT_NEEDS_NUMPY();
  const std::vector<Host> answers = ask_numpy();
  ASSERT_EQ(answers.size(), kCases.size());
  for (std::size_t k = 0; k < kCases.size(); ++k) {
    const Case& each = kCases[k];
    SCOPED_TRACE(fmt::format("{} of {} and {}", each.python, sym::to_string(each.a),
                             sym::to_string(each.b)));
    const std::map<std::string, Host> values = {{"a", numbers(each.a, 3)},
                                                {"b", numbers(each.b, 8)}};
    const Array tree = each.build(sym::input("a", each.a), sym::input("b", each.b));
    expect_equal(sym::evaluate<double>({tree.node()}, values)[0], answers[k]);

    const sym::StatementList list = sym::lower(tree.node());
    const auto run = [&](const sym::StatementList& statements) {
      std::map<std::string, Host> inputs;
      for (const sym::Binding& input : statements.inputs)
        inputs.emplace(input.name, values.at(input.name));
      return sym::run<npmat::CUDAMatrix<double>>(statements, inputs).outputs.at("result");
    };
    expect_equal(run(list), answers[k]);
    expect_equal(run(sym::run_passes(list, sym::parse_pass_names("all")).list), answers[k]);
    const sym::StatementList again = sym::parse_statements(
        sym::Source("list", sym::print_statements(list, {.bytes_per_element = 8})));
    expect_equal(run(again), answers[k]);

    // bound to data
    expect_equal(
        each.build(sym::array(values.at("a")), sym::array(values.at("b"))).as_cuda<double>(),
        answers[k]);
  }
}

TEST(Dimensions, AnIndexOutOfBoundsEndsTheRun) {
  const Array index = sym::input("i", {2}, sym::DType::Int);
  const Array x = sym::input("x", {3, 4});
  for (const Array& tree : {sym::take(x, index), sym::put(x, index, 1.0)})
    for (const double wrong : {3.0, -4.0, 0.5}) {
      const std::map<std::string, Host> values = {{"i", {{2}, {0, wrong}}},
                                                  {"x", numbers({3, 4}, 1)}};
      EXPECT_THROW(sym::run<npmat::CUDAMatrix<double>>(sym::lower(tree.node()), values),
                   cudamat::CUDAMatException)
          << wrong;
      if (wrong == 0.5) continue;
      EXPECT_THROW(sym::evaluate<double>({tree.node()}, values), cudamat::CUDAMatException);
    }
}

TEST(Dimensions, DrawsComeInTheOrderOfTheProgram) {
  const Array one = sym::seed(1);
  const Array first = sym::rand({2, 3, 4});
  const Array two = sym::seed(2);
  const Array second = sym::rand({2, 3, 4});
  const std::vector<sym::NodePtr> roots = {one.node(), two.node(), (first - second).node()};
  sym::Program program;
  program.steps = roots;
  program.results.push_back({"d", roots[2]});
  const auto by_statements =
      sym::run<npmat::CUDAMatrix<double>>(sym::lower(program), {}).outputs.at("d");
  EXPECT_EQ(by_statements.data, sym::evaluate<double>(roots, {})[2].data);
  EXPECT_NE(by_statements.data[0], 0);
}

TEST(Dimensions, AListShowsThem) {
  const Array x = sym::input("x", {2, 3, 4});
  EXPECT_EQ(sym::print_statements(sym::lower((x + sym::input("b", {4})).node()), {}),
            R"(# Cudamat statements, float32             #  shape   bytes   total
input x: (2, 3, 4)                        #  4x6       +96      96
input b: (4,)                             #  1x4       +16     112

# -
t1 = b.view((4, 1))                       #  4x1      view
result = cm.empty((4, 6))                 #  4x6       +96     208 <- peak
x.add_col_vec(t1, target=result)          #  4x6

output result: (2, 3, 4)                  #  4x6        96

# 3 statements: 1 call, 1 allocation, 0 frees, 1 view
# peak 208 bytes, 112 of them inputs
)");
}

TEST(Dimensions, ProgramsTakeAndGiveThemInCOrder) {
  const sym::StatementList list = sym::lower((sym::input("x", {2, 3, 4}) * 2).node());
  const std::string python = sym::print_cudamat_py(list);
  EXPECT_THAT(
      python,
      HasSubstr("array = array.reshape(int(np.prod(array.shape[:-1])), array.shape[-1]).T\n"));
  EXPECT_THAT(python, HasSubstr("result.asarray().T.reshape((2, 3, 4))"));
  const std::string cpp = sym::print_cudamat_cpp(list);
  EXPECT_THAT(cpp, HasSubstr("host.data()[i] = array.data[i];"));
  EXPECT_THAT(cpp, HasSubstr("array.data.assign(host.values().begin(), host.values().end());"));
}

template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const cudamat::CUDAMatException& error) {
    return error.what();
  }
  return "no error";
}
#define ERROR_OF(expression) error_of([&] { (void)(expression); })

TEST(Dimensions, RefusesWhatNumpyRefuses) {
  const Array x = sym::input("x", {2, 3, 4});
  EXPECT_EQ(ERROR_OF(x + sym::input("y", {3})),
            "[add] operands could not be broadcast together with shapes (2, 3, 4) (3,)");
  EXPECT_THAT(ERROR_OF(sym::dot(x, sym::input("y", {3, 4}))),
              HasSubstr("not aligned: 4 (dim 2) != 3 (dim 0)"));
  EXPECT_THAT(ERROR_OF(sym::dot(x, x)), HasSubstr("not aligned: 4 (dim 2) != 3 (dim 1)"));
  EXPECT_THAT(ERROR_OF(sym::matmul(x, sym::input("y", {3, 4, 2}))), HasSubstr("broadcast"));
  EXPECT_THAT(ERROR_OF(x.transpose({0, 1})), HasSubstr("axes don't match array"));
  EXPECT_THAT(ERROR_OF(x.transpose({0, 1, 1})), HasSubstr("repeated axis"));
  EXPECT_THAT(ERROR_OF(x.sum(3)), HasSubstr("axis 3 is out of bounds for array of dimension 3"));
  EXPECT_THAT(ERROR_OF(sym::reduce_over(Op::sum, x, {0, -3})), HasSubstr("duplicate value"));
  EXPECT_THAT(ERROR_OF(sym::broadcast_to(x, {3, 4})), HasSubstr("(2, 3, 4) (3, 4)"));
  EXPECT_THAT(ERROR_OF(sym::input("y", Dims(33, 1))), HasSubstr("at most 32 dimensions"));
}

}  // namespace

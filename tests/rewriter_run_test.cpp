// Statements against plain evaluation of the same trees, bit for bit; aliasing; the runner's
// errors.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "rewriter/evaluate/evaluate.hpp"
#include "rewriter/expr/symbolic.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/run/run.hpp"

namespace {

using namespace rewriter;
using rewriter::Array;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <class T>
bool same_bits(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

template <class T>
void expect_same(const npmat::Array<T>& got, const npmat::Array<T>& expected,
                 const std::string& what) {
  ASSERT_EQ(got.shape, expected.shape) << what;
  ASSERT_EQ(got.data.size(), expected.data.size()) << what;
  for (std::size_t i = 0; i < got.data.size(); ++i)
    ASSERT_TRUE(same_bits(got.data[i], expected.data[i]))
        << what << ", element " << i << ": " << got.data[i] << " for " << expected.data[i];
}

Program program_of(const std::vector<std::pair<std::string, Array>>& results) {
  Program program;
  for (const auto& [name, array] : results) {
    program.steps.push_back(array.node());
    program.assignments.push_back({name, array.node()});
    program.results.push_back({name, array.node()});
  }
  return program;
}

/// Many small results at once: lowered as one program, run, and compared with evaluate().
template <class T>
class Cases {
 public:
  void add(const std::string& what, const Array& result) {
    results_.emplace_back("r" + std::to_string(results_.size()), result);
    what_.push_back(what + " -> " + to_string(result.shape()));
  }
  void check() {
    const Program program = program_of(results_);
    const StatementList list = lower(program);
    const auto got = run<npmat::CUDAMatrix<T>>(list, {}).outputs;
    const auto expected = evaluate<T>(program.steps, {});
    for (std::size_t i = 0; i < results_.size(); ++i)
      expect_same(got.at(results_[i].first), expected[i], what_[i]);
  }
  [[nodiscard]] std::size_t size() const { return results_.size(); }

 private:
  std::vector<std::pair<std::string, Array>> results_;
  std::vector<std::string> what_;
};

/// An array with NaN, infinities and both zeros among its numbers.
Array special(const Dims& dims, std::size_t first = 0) {
  static const std::vector<double> values = {0.0, -0.0, 1.5,  -2.25, kNan, kInf, -kInf, 3.0,
                                             0.1, 1e30, 7e-5, -0.75, 2.0,  -1.0, 1.0};
  npmat::Array<double> data{dims, {}};
  for (Index i = 0; i < npmat::element_count(dims); ++i)
    data.data.push_back(values[(first + static_cast<std::size_t>(i)) % values.size()]);
  return array(std::move(data));
}

/// Small multiples of a quarter: their sums and products have no rounding in any order.
Array exact(const Dims& dims, int seed = 0) {
  npmat::Array<double> data{dims, {}};
  std::minstd_rand random(static_cast<unsigned>(seed) + 1);
  for (Index i = 0; i < npmat::element_count(dims); ++i)
    data.data.push_back(static_cast<double>(random() % 17) / 4 - 2);
  return array(std::move(data));
}

const std::vector<Dims> kShapes = {{},     {1},    {5},    {0},    {3, 5}, {3, 1},
                                   {1, 5}, {1, 1}, {0, 5}, {3, 0}, {0, 1}, {1, 0}};
const std::vector<Op> kBinary = {
#define ROW(op, family, style, functor, numpy, facts) Op::op,
    CUDAMAT_BINARY_OPS(ROW)
#undef ROW
};
const std::vector<Op> kReductions = {
#define ROW(op, family, style, functor, numpy, facts) Op::op,
    CUDAMAT_REDUCTION_OPS(ROW)
#undef ROW
};
const std::vector<Op> kUnary = {
#define ROW(op, family, style, functor, numpy, facts) Op::op,
    CUDAMAT_UNARY_OPS(ROW)
#undef ROW
};

template <class T>
class RewriterRun : public testing::Test {};
using Types = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(RewriterRun, Types);

TYPED_TEST(RewriterRun, BinaryOperationsBroadcastAsEvaluated) {
  Cases<TypeParam> cases;
  for (const Op op : kBinary)
    for (const Dims& a : kShapes)
      for (const Dims& b : kShapes)
        if (broadcast(a, b))
          for (std::size_t shift = 0; shift < 15; shift += 4)
            cases.add(fmt::format("{}({}, {})", name(op), to_string(a), to_string(b)),
                      map(op, special(a), special(b, shift)));
  EXPECT_GT(cases.size(), 1000U);
  cases.check();
}

TYPED_TEST(RewriterRun, NumbersStandOnEitherSide) {
  Cases<TypeParam> cases;
  for (const Op op : kBinary)
    for (const Dims& dims : kShapes)
      for (const double number : {0.0, -0.0, 2.5, -1.0, kNan, kInf, 0.1}) {
        const std::string what = fmt::format("{} of {} and {}", name(op), to_string(dims), number);
        cases.add(what, map(op, special(dims), number));
        // Which zero of 0 and -0 is the larger, NumPy leaves open.
        const bool picks_a_zero = (op == Op::maximum || op == Op::minimum) && number == 0;
        if (!picks_a_zero) cases.add("number first: " + what, map(op, number, special(dims)));
        if (dims.empty()) cases.add("numbers: " + what, map(op, number, 1.25));
      }
  cases.check();
}

TYPED_TEST(RewriterRun, UnaryOperationsAndNegation) {
  Cases<TypeParam> cases;
  for (const Dims& dims : kShapes) {
    for (const Op op : kUnary) cases.add(std::string(name(op)), map(op, special(dims)));
    cases.add("-", -special(dims));
    cases.add("copy", special(dims).copy());
    cases.add("!=", not_equal(special(dims), special(dims, 1)));
    cases.add("<=", special(dims) <= special(dims, 2));
    cases.add(">=", special(dims) >= special(dims, 2));
    cases.add("<= number", special(dims) <= 1.5);
    cases.add("number <=", 1.5 <= special(dims));
    cases.add("logical_not", logical_not(special(dims)));
    cases.add("logical_and", logical_and(special(dims), special(dims, 3)));
    cases.add("clip", clip(special(dims), -1, 2));
    for (const double power : {2.0, 0.5, -1.0, 3.0, 0.0, 1.0})
      cases.add("power", power_operator(special(dims), power));
  }
  for (const Op op : kUnary) cases.add("of a number", map(op, 0.75));
  cases.check();
}

TYPED_TEST(RewriterRun, WhereBroadcastsAllThree) {
  Cases<TypeParam> cases;
  for (const Dims& c : kShapes)
    for (const Dims& a : kShapes)
      for (const Dims& b : kShapes) {
        const auto values = broadcast(a, b);
        if (!values || !broadcast(c, *values)) continue;
        cases.add(to_string(c) + to_string(a) + to_string(b),
                  where(special(c), special(a, 1), special(b, 2)));
      }
  cases.add("numbers", where(special({3, 5}), 1, -0.0));
  cases.add("number condition", where(1, special({3, 1}), special({5})));
  cases.check();
}

TYPED_TEST(RewriterRun, ReductionsOverEveryAxis) {
  Cases<TypeParam> cases;
  const std::vector<Dims> shapes = {{},     {1},    {5},    {0},    {4, 8},  {8, 1},
                                    {1, 8}, {1, 1}, {0, 5}, {3, 0}, {40, 3}, {64, 2}};
  for (const Op op : kReductions)
    for (const Dims& dims : shapes)
      for (int axis = -1; axis < static_cast<int>(dims.size()); ++axis)
        for (const bool keepdims : {false, true}) {
          const auto over = axis < 0 ? std::optional<int>() : axis;
          const Index count =
              axis < 0 ? npmat::element_count(dims) : dims[static_cast<std::size_t>(axis)];
          if (count == 0 && cudamat::row(op).has(cudamat::kNoEmpty)) continue;
          const std::string what =
              fmt::format("{} of {}, axis {}", name(op), to_string(dims), axis);
          cases.add(what, reduce(op, exact(dims) * 1.1, over, keepdims));
          cases.add(what, reduce(op, exact(dims) > 0, over, keepdims));
          cases.add("special " + what, reduce(op, special(dims), over, keepdims));
        }
  cases.check();
}

TYPED_TEST(RewriterRun, VarianceAndDeviation) {
  Cases<TypeParam> cases;
  for (const Dims& dims : kShapes)
    for (int axis = -1; axis < static_cast<int>(dims.size()); ++axis)
      for (const double ddof : {0.0, 1.0, 7.0}) {
        const auto over = axis < 0 ? std::optional<int>() : axis;
        const Array a = exact(dims) * 1.1;
        cases.add("var", variance(a, over, axis == 0, ddof));
        cases.add("std", deviation(a, over, axis == 1, ddof));
      }
  cases.check();
}

TYPED_TEST(RewriterRun, ProductsOfVectorsAndMatrices) {
  Cases<TypeParam> cases;
  for (const Index k : {0, 1, 5, 200}) {
    const Array a = randn({30, k});
    const Array b = randn({k, 4});
    const Array u = randn({k});
    const Array v = randn({k});
    cases.add("2-D, 2-D", dot(a, b));
    cases.add("2-D, 1-D", dot(a, v));
    cases.add("1-D, 2-D", dot(u, b));
    cases.add("1-D, 1-D", dot(u, v));
    cases.add("gram", dot(a, a.T()));
    cases.add("outer", outer(u, v));
    cases.add("transpose", a.T());
    cases.add("norm", a.euclid_norm());
    cases.add("manhattan", whole(Op::manhattan_norm, a));
  }
  cases.add("outer", outer(special({4}), special({3, 2})));
  cases.check();
}

TYPED_TEST(RewriterRun, ReshapesInCOrder) {
  Cases<TypeParam> cases;
  const std::vector<Dims> twelve = {{12}, {1, 12}, {12, 1}, {3, 4}, {4, 3}, {2, 6}, {6, 2}};
  for (const Dims& from : twelve)
    for (const Dims& to : twelve)
      cases.add(to_string(from) + " as " + to_string(to), special(from).reshape(to));
  for (const Dims& from : {Dims{}, Dims{1}, Dims{1, 1}})
    for (const Dims& to : {Dims{}, Dims{1}, Dims{1, 1}})
      cases.add(to_string(from) + " as " + to_string(to), special(from).reshape(to));
  cases.add("empty", special({0, 3}).reshape({3, 0}));
  cases.add("empty", special({0}).reshape({4, 0}));
  cases.check();
}

TYPED_TEST(RewriterRun, SlicesReadAndWrite) {
  Cases<TypeParam> cases;
  std::vector<Range> of_four = {{0, 4}, {1, 3}, {2, 2}, {0, 1}, {3, 4, true}, {0, 1, true}};
  std::vector<Range> of_five = {{0, 5}, {2, 5}, {3, 3}, {4, 5}, {2, 3, true}};
  const Array x = special({4, 5});
  for (const Range& rows : of_four)
    for (const Range& cols : of_five) {
      const std::vector<Range> ranges{rows, cols};
      const Array part = x.slice(ranges);
      const std::string what =
          fmt::format("[{}:{}, {}:{}]", rows.start, rows.stop, cols.start, cols.stop);
      cases.add(what, part);
      cases.add(what + " = number", set_slice(x, ranges, 7.5));
      cases.add(what + " = 0-d", set_slice(x, ranges, special({}, 2)));
      cases.add(what + " = full", set_slice(x, ranges, special(part.shape(), 6)));
      if (part.ndim() == 2) {
        cases.add(what + " = row", set_slice(x, ranges, special({part.shape(1)}, 3)));
        cases.add(what + " = column", set_slice(x, ranges, special({part.shape(0), 1}, 3)));
      }
      if (part.ndim() == 1)
        cases.add(what + " = (1, n)", set_slice(x, ranges, special({1, part.shape(0)}, 3)));
      // In place of a value that is needed afterwards, and of one that is not.
      const Array copy = x.copy();
      cases.add(what + " of a copy", set_slice(copy, ranges, copy.slice(ranges) * 2));
    }
  for (const Range& range : of_five) {
    const Array v = special({5});
    cases.add("vector", v.slice({range}));
    cases.add("vector = number", set_slice(v, {range}, 3));
    cases.add("vector = part", set_slice(v, {range}, special(v.slice({range}).shape(), 7)));
  }
  cases.add("rows, then columns of them", x.rows(1, 3).cols(1, 4).rows(0, 1));
  cases.check();
}

TYPED_TEST(RewriterRun, ConcatenatesAndMakesArrays) {
  Cases<TypeParam> cases;
  cases.add("1-D", concatenate({special({3}), special({0}), special({2}, 4)}));
  cases.add("rows", concatenate({special({2, 3}), special({1, 3}, 1), special({0, 3})}, 0));
  cases.add("columns", concatenate({special({2, 3}), special({2, 1}, 1)}, 1));
  cases.add("the same twice", concatenate({special({2, 3}).copy(), special({2, 3})}, 0));
  for (const Dims& dims : kShapes) {
    cases.add("full", full(dims, -0.0));
    cases.add("rand", rand(dims));
    cases.add("randn", randn(dims));
  }
  cases.add("rand of many", rand({70, 33}));
  cases.add("eye", eye(4, 3, 1));
  cases.check();
}

TYPED_TEST(RewriterRun, SeedStartsTheStreamAnew) {
  const Array a = rand({2, 3});
  const Array s = seed(7);
  const Array b = rand({2, 3});
  const Array s2 = seed(7);
  const Array c = rand({2, 3});
  Program program = program_of({{"a", a}, {"b", b}, {"c", c}});
  program.steps = {a.node(), s.node(), b.node(), s2.node(), c.node()};
  const auto got = run<npmat::CUDAMatrix<TypeParam>>(lower(program), {}, {.seed = 5}).outputs;
  const auto expected = evaluate<TypeParam>(program.steps, {}, 5);
  expect_same(got.at("a"), expected[0], "a");
  expect_same(got.at("b"), expected[2], "b");
  EXPECT_EQ(got.at("b").data, got.at("c").data);
  EXPECT_NE(got.at("a").data, got.at("b").data);
}

// ---- aliasing

/// Random programs of element-wise operations, views and writes in place, where every value may be
/// read again later and any may be an output.
template <class T>
void run_random_program(unsigned number) {
  std::mt19937 random(number);
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::vector<Array> values = {exact({4, 6}, 1),  exact({4, 6}, 2), exact({6}, 3),
                               exact({4, 1}, 4),  exact({24}, 5),   exact({}, 6),
                               input("X", {4, 6})};
  const auto range = [&](Index extent) {
    Range r;
    r.start = static_cast<Index>(pick(static_cast<std::size_t>(extent)));
    r.stop = r.start + 1 + static_cast<Index>(pick(static_cast<std::size_t>(extent - r.start)));
    return r;
  };
  const auto ranges_of = [&](const Array& a) {
    std::vector<Range> ranges;
    for (const Index extent : a.shape())
      ranges.push_back(pick(3) == 0 ? Range{0, extent} : range(extent));
    return ranges;
  };
  for (int step = 0; step < 40; ++step) {
    const Array a = values[pick(values.size())];
    const Array b = values[pick(values.size())];
    const auto both = broadcast(a.shape(), b.shape());
    if (both && npmat::element_count(*both) > 1000) continue;
    switch (pick(9)) {
      case 0:
      case 1:
      case 2: {
        if (!both) break;
        const Op ops[] = {Op::add, Op::subtract, Op::maximum, Op::less_than, Op::mult};
        Array result = map(ops[pick(5)], a, b);
        result = result.dtype() == DType::Bool ? result * 1.0 : clip(result, -9, 9);
        const Op op = pick(2) == 0 ? Op::add : Op::subtract;
        if (*both == a.shape() && pick(3) != 0) result = in_place(map(op, a, b));
        values.push_back(result);
        break;
      }
      case 3: {
        const std::vector<Range> ranges = ranges_of(a);
        const Array part = a.slice(ranges);
        if (broadcast(b.shape(), part.shape()) == part.shape())
          values.push_back(set_slice(a, ranges, b));
        else
          values.push_back(set_slice(a, ranges, pick(2) == 0 ? part : part + 0.25));
        break;
      }
      case 4:
        values.push_back(a.slice(ranges_of(a)));
        break;
      case 5:
        values.push_back(a.reshape({-1}));
        break;
      case 6:
        values.push_back(a.size() % 6 == 0 ? a.reshape({-1, 6}) : a.reshape({a.size(), 1}));
        break;
      case 7:
        values.push_back(pick(2) == 0 ? a.T() : a.copy());
        break;
      default:
        values.push_back(in_place(pick(2) == 0 ? a * 0.5 : a - 0.5));
        break;
    }
  }
  std::vector<std::pair<std::string, Array>> results;
  for (std::size_t i = 7; i < values.size(); ++i)
    if (pick(4) == 0 || i + 1 == values.size())
      results.emplace_back("v" + std::to_string(i), values[i]);
  Program program = program_of(results);
  program.steps.clear();
  for (const Array& value : values) program.steps.push_back(value.node());
  program.inputs.push_back({"X", values[6].node()});

  npmat::Array<T> x{{4, 6}, {}};
  for (int i = 0; i < 24; ++i) x.data.push_back(static_cast<T>(i % 7) - 3);
  const auto got = run<npmat::CUDAMatrix<T>>(lower(program), {{"X", x}}).outputs;
  const auto expected = evaluate<T>(program.steps, {{"X", x}});
  ASSERT_EQ(got.size(), results.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const auto found = got.find("v" + std::to_string(i)); found != got.end())
      expect_same(found->second, expected[i], fmt::format("program {}, value {}", number, i));
}

TYPED_TEST(RewriterRun, RandomProgramsThatWriteInPlaceKeepEveryValue) {
  for (unsigned number = 0; number < 300; ++number) {
    SCOPED_TRACE(number);
    run_random_program<TypeParam>(number);
    if (this->HasFatalFailure()) return;
  }
}

}  // namespace

// Operations of the user's in expressions and lists: their values, on npmat and on the CUDA engine,
// by what they mean in NumPy and by numbers of their own; how lists have them; what is refused.
#include <cmath>
#include <gmock/gmock.h>

#include "cudamat/cudamat.hpp"
#include "rewriter/evaluate/evaluate.hpp"
#include "rewriter/expr/build.hpp"
#include "rewriter/expr/custom.hpp"
#include "rewriter/list/cost.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/passes/pipeline.hpp"
#include "rewriter/run/run_cuda.hpp"

#include "custom_operations.hpp"
#include "list_check.hpp"

namespace {

using namespace rewriter;
using namespace custom_operations;
using testing::Contains;
using testing::HasSubstr;
const int defined = [] {
  define_both();
  define_places("places", false);
  define_places("places_of", true);
  define_outer();
  return 1;
}();

constexpr const char* kPassSets[] = {"none", "default",     "default,fuse",  "all",
                                     "fast", "unroll,fuse", "default,unroll"};

Program program_of(std::vector<Program::Named> results, std::vector<NodePtr> steps = {}) {
  Program program;
  program.assignments = program.results = std::move(results);
  program.steps = std::move(steps);
  for (const Program::Named& result : program.results) program.steps.push_back(result.node);
  return program;
}

/// The statements' texts that have this in them.
std::vector<std::string> lines_with(const StatementList& list, const std::string& what) {
  std::vector<std::string> lines;
  std::istringstream text(print_statements(list));
  for (std::string line; std::getline(text, line);) {
    line.resize(std::min(line.find('#'), line.size()));
    line.erase(line.find_last_not_of(' ') + 1);
    line.erase(0, line.find_first_not_of(' '));
    if (line.find(what) != std::string::npos) lines.push_back(line);
  }
  return lines;
}

template <class F>
std::string refusal(const F& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was refused";
}

template <class T>
npmat::Array<T> counting(Dims dims) {
  npmat::Array<T> array{std::move(dims), {}};
  for (Index k = 0; k < npmat::element_count(array.shape); ++k)
    array.data.push_back(static_cast<T>(k + 1));
  return array;
}

template <class M>
class Custom : public testing::Test {
 protected:
  using Element = typename M::value_type;

  /// Both ways give these numbers, with every choice of passes, and the call is made once.
  static void expect_values(const Program& program,
                            const std::map<std::string, npmat::Array<Element>>& inputs,
                            const std::map<std::string, std::vector<Element>>& wanted) {
    std::vector<NodePtr> roots;
    for (const Program::Named& result : program.results) roots.push_back(result.node);
    const auto by_value = evaluate<Element>(roots, inputs);
    for (std::size_t k = 0; k < roots.size(); ++k)
      expect_near(by_value[k].data, wanted.at(program.results[k].name), program.results[k].name);
    expect_values(lower(program), inputs, wanted);
  }
  static void expect_values(const StatementList& literal,
                            const std::map<std::string, npmat::Array<Element>>& inputs,
                            const std::map<std::string, std::vector<Element>>& wanted) {
    EXPECT_EQ(lists::lost(literal), "");
    for (const char* const passes : kPassSets) {
      SCOPED_TRACE(passes);
      const StatementList list = run_passes(literal, parse_pass_names(passes)).list;
      EXPECT_EQ(lists::lost(list), "");
      const RunResult<Element> result = run<M>(list, inputs);
      for (const auto& [name, numbers] : wanted)
        expect_near(result.outputs.at(name).data, numbers, name);
      EXPECT_EQ(result.peak_bytes, memory_use(list, sizeof(Element)).peak);
    }
  }
  static void expect_near(const std::vector<Element>& found, const std::vector<Element>& wanted,
                          const std::string& name) {
    ASSERT_EQ(found.size(), wanted.size()) << name;
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_NEAR(found[k], wanted[k],
                  Element(8) * std::numeric_limits<Element>::epsilon() * std::abs(wanted[k]))
          << name << "[" << k << "]";
  }
};
using Engines = testing::Types<npmat::CUDAMatrix<float>, npmat::CUDAMatrix<double>,
                               cudamat::CUDAMatrix<float>, cudamat::CUDAMatrix<double>>;
TYPED_TEST_SUITE(Custom, Engines);

TYPED_TEST(Custom, TwoResultsOfOneKernel) {
  using T = typename TypeParam::value_type;
  const Array x = input("x", {2, 3}), y = input("y", {2, 3});
  const auto results = custom("both", {x, y});
  const Program program = program_of({{"s", results[0].node()}, {"d", results[1].node()}});
  this->expect_values(
      program, {{"x", {{2, 3}, {1, 2, 3, 4, 5, 6}}}, {"y", {{2, 3}, {10, 0, -1, 0.5, 8, 2}}}},
      {{"s", {11, 2, 2, T(4.5), 13, 8}}, {"d", {-9, 2, 4, T(3.5), -3, 4}}});
  EXPECT_THAT(lines_with(lower(program), "cm.custom"),
              testing::ElementsAre("cm.custom(\"both\", x, y, targets=(s, d))"));
}

TYPED_TEST(Custom, AmongOtherOperationsItIsOnceInItsPlace) {
  using T = typename TypeParam::value_type;
  const Array x = input("x", {2, 2}), y = input("y", {2, 2});
  const auto results = custom("both", {x * 2 + 1, y - x});
  const auto same = custom("both", {x * 2 + 1, y - x});
  const Array z = results[0] * results[1] + same[1] - x;
  const Program program = program_of({{"z", z.node()}});
  const StatementList literal = lower(program);
  // a = 2x + 1, b = y - x: (a + b)(a - b) + (a - b) - x
  const std::vector<T> in_x = {1, 2, 3, 4}, in_y = {5, -1, 0.5, 8};
  std::vector<T> wanted;
  for (std::size_t k = 0; k < 4; ++k) {
    const T a = 2 * in_x[k] + 1, b = in_y[k] - in_x[k];
    wanted.push_back((a + b) * (a - b) + (a - b) - in_x[k]);
  }
  this->expect_values(program, {{"x", {{2, 2}, in_x}}, {"y", {{2, 2}, in_y}}}, {{"z", wanted}});
  for (const char* const passes : kPassSets)
    EXPECT_EQ(lines_with(run_passes(literal, parse_pass_names(passes)).list, "cm.custom").size(),
              2u)
        << passes;
}

TYPED_TEST(Custom, WhatNothingReadsIsCalled) {
  const Array x = input("x", {3});
  const auto unread = custom("both", {x, x + 1});
  const StatementList literal = lower(program_of({{"y", (x + 1).node()}}, {unread[0].node()}));
  for (const char* const passes : kPassSets) {
    const StatementList list = run_passes(literal, parse_pass_names(passes)).list;
    const int before = times_launched;
    run<TypeParam>(list, {{"x", counting<typename TypeParam::value_type>({3})}});
    EXPECT_EQ(times_launched - before, 1) << passes;
  }
}

TYPED_TEST(Custom, OperandsWithoutGapsAreCopiesInTheList) {
  const Array x = input("x", {3, 4});
  const Program rows = program_of({{"r", custom("places", {x.rows(1, 3)}, {2})[0].node()}});
  const Program turned = program_of({{"r", custom("places", {x.T()}, {2})[0].node()}});
  EXPECT_THAT(lines_with(lower(rows), "target"),
              testing::ElementsAre("x.get_row_slice(1, 3, target=t1)",
                                   "cm.custom(\"places\", t1, 2, targets=(r,))"));
  EXPECT_THAT(
      lines_with(lower(turned), "target"),
      testing::ElementsAre("x.transpose(target=t1)", "cm.custom(\"places\", t1, 2, targets=(r,))"));
  const auto data = counting<typename TypeParam::value_type>({3, 4});
  this->expect_values(rows, {{"x", data}}, {{"r", {10, 13, 16, 19, 118, 121, 124, 127}}});
  this->expect_values(turned, {{"x", data}},
                      {{"r", {2, 11, 20, 104, 113, 122, 206, 215, 224, 308, 317, 326}}});
}

TYPED_TEST(Custom, StridedOperandsAreNot) {
  using T = typename TypeParam::value_type;
  const Array x = input("x", {3, 4});
  const auto data = counting<T>({3, 4});
  const auto expect = [&](const Array& shown, const std::vector<std::string>& lines,
                          const std::vector<T>& wanted) {
    const Program program = program_of({{"r", custom("places_of", {shown}, {2})[0].node()}});
    std::vector<std::string> found;
    for (const char* const what : {"slice(", "transpose(", "custom("})
      std::ranges::copy(lines_with(lower(program), what), std::back_inserter(found));
    EXPECT_EQ(found, lines);
    this->expect_values(program, {{"x", data}}, {{"r", wanted}});
  };
  const auto call = [](const std::string& operand) {
    return "cm.custom(\"places_of\", " + operand + ", 2, targets=(r,))";
  };
  expect(x, {call("x")}, {2, 5, 8, 11, 110, 113, 116, 119, 218, 221, 224, 227});
  expect(x.rows(1, 3), {call("x[1:3]")}, {10, 13, 16, 19, 118, 121, 124, 127});
  expect(x.T(), {call("x.T")}, {2, 11, 20, 104, 113, 122, 206, 215, 224, 308, 317, 326});
  expect(x.T().rows(1, 3), {"t1 = x.slice(1, 3)", call("t1.T")}, {4, 13, 22, 106, 115, 124});
  expect(x.rows(1, 3).cols(2, 4).T(), {"t1 = x.slice(2, 4)", call("t1[1:3].T")},
         {14, 23, 116, 125});
  // A row and a column, which are of one dimension.
  expect(x.slice({index_range(2, 3)}),
         {"cm.custom(\"places_of\", x[2:3], 2, ndim=(1,), targets=(r,))"}, {18, 21, 24, 27});
  expect(x.slice({Range{0, 2}, index_range(3, 4)}),
         {"t1 = x.slice(3, 4)", "cm.custom(\"places_of\", t1[0:2].T, 2, ndim=(1,), targets=(r,))"},
         {8, 17});
  expect(x.rows(2, 2), {call("x[2:2]")}, {});
}

constexpr const char* kLoop = R"(
input x: (4, 6)
input y: (4, 2)
sum = cm.empty((4, 2))
sum.assign(0)
low = cm.empty((2, 6))
low.assign(0)
for i in range(0, 3):
  part = x.slice(2 * i, 2 * i + 2)
  s = cm.empty((4, 2))
  d = cm.empty((4, 2))
  cm.custom("both", part, y, targets=(s, d))
  sum.add(s)
  sum.add(d)
  u = cm.empty((2, 6))
  cm.custom("places_of", x[i:i + 2], 0.5, targets=(u,))
  low.add(u)
  s.free_device_memory()
  d.free_device_memory()
  u.free_device_memory()
output sum: (4, 2)
output low: (2, 6)
)";

TYPED_TEST(Custom, AListHasItInALoop) {
  using T = typename TypeParam::value_type;
  const StatementList list = lists::parsed(kLoop);
  std::vector<T> sum, low;
  const auto x = [](Index i, Index j) { return static_cast<T>(6 * i + j + 1); };
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 2; ++j) sum.push_back(2 * (x(i, j) + x(i, j + 2) + x(i, j + 4)));
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 6; ++j)
      low.push_back((x(i, j) + x(i + 1, j) + x(i + 2, j)) / 2 + static_cast<T>(3 * (100 * i + j)));
  this->expect_values(list, {{"x", counting<T>({4, 6})}, {"y", counting<T>({4, 2})}},
                      {{"sum", sum}, {"low", low}});
}

/// What a loop of the tree adds up: rows i and i + 1 of x through the operation.
TYPED_TEST(Custom, ATreeHasItInALoop) {
  using T = typename TypeParam::value_type;
  const auto loop = std::make_shared<const Loop>(Loop{"i", 0, 3, 1});
  const Array x = input("x", {4, 2}), first = full({2, 2}, 0);
  const auto begin = detail::make_node("for", rewriter::Kind::LoopBegin, DType::Float, {});
  begin->loop = loop;
  const auto carried = detail::make_node("for", rewriter::Kind::Carried, DType::Float, {2, 2},
                                         {first.node(), begin});
  carried->loop = loop;
  const Array part = x.slice({Range{0, 2, false, {{loop, 1}}}});
  const Array sum = Array(NodePtr(carried)) + custom("places_of", {part}, {1})[0] +
                    custom("places", {part}, {1})[0];
  const auto end = detail::make_node("for", rewriter::Kind::LoopEnd, DType::Float, {},
                                     {begin, carried, sum.node()});
  end->loop = loop;
  end->carried = 1;
  const auto after = detail::make_node("for", rewriter::Kind::After, DType::Float, {2, 2}, {end});
  const Program program = program_of({{"r", after}});
  EXPECT_THAT(lines_with(lower(program), "places_of"), Contains(HasSubstr("x[i:i + 2]")));
  this->expect_values(program, {{"x", counting<T>({4, 2})}}, {{"r", {18, 30, 630, 642}}});
}

TYPED_TEST(Custom, OfArraysInCOrder) {
  using T = typename TypeParam::value_type;
  const Array x = input("x", {2, 3, 2});
  const Array matrix = x.reshape({6, 2});
  const auto results = custom("both", {matrix, matrix * matrix});
  const Array z = results[1].reshape({2, 3, 2}) + custom("places_of", {matrix.T()}, {0})[0].sum();
  std::vector<T> wanted;  // the places of (2, 6) add up to 630
  for (Index k = 1; k <= 12; ++k) wanted.push_back(static_cast<T>(k - k * k + 630));
  const Program program = program_of({{"z", z.node()}});
  const std::map<std::string, npmat::Array<T>> inputs = {{"x", counting<T>({2, 3, 2})}};
  this->expect_values(program, inputs, {{"z", wanted}});
  // Of garrays: the matrix of an array has its elements by columns.
  const auto by_columns = [](const std::vector<T>& elements) {
    npmat::Array<T> held{{2, 6}, {}};
    for (std::size_t k = 0; k < 12; ++k) held.data.push_back(elements[k / 6 + k % 6 * 2]);
    return held;
  };
  const RunResult<T> result =
      run<TypeParam>(lower(program, {}, Layout::COrder), {{"x", by_columns(inputs.at("x").data)}});
  EXPECT_EQ(result.outputs.at("z").data, by_columns(wanted).data);
}

TEST(CustomList, ShapesOfResultsAreTheOperations) {
  const Array x = array(npmat::Array<double>{{3}, {1, 2, 3}});
  const Array y = array(npmat::Array<double>{{2}, {10, 0.5}});
  const Array z = custom("outer", {x, y})[0];
  EXPECT_EQ(z.shape(), (Dims{3, 2}));
  const std::vector<double> wanted = {10, 0.5, 20, 1, 30, 1.5};
  EXPECT_EQ(z.as_numpy<double>().data, wanted);
  EXPECT_EQ(z.as_cuda<double>().data, wanted);
  EXPECT_THAT(lines_with(lower(z.node()), "custom"),
              Contains("cm.custom(\"outer\", t1, t2, ndim=(1, 1), targets=(result,))"));
}

TEST(CustomList, MemoryIsPlanned) {
  const Array x = input("x", {10, 10}), y = input("y", {10, 10});
  const auto results = custom("both", {x * y, y});
  const StatementList list = lower(program_of({{"z", (results[0] + results[1]).node()}}));
  // While it runs: x, y, x * y and both results; then, without x * y, their sum.
  EXPECT_EQ(memory_use(list, 4).peak, 5 * 400);
  const StatementList better = run_passes(list, parse_pass_names("default")).list;
  EXPECT_EQ(memory_use(better, 4).peak, 5 * 400);
  const auto data = counting<float>({10, 10});
  EXPECT_EQ(run<npmat::CUDAMatrix<float>>(better, {{"x", data}, {"y", data}}).peak_bytes, 2000);
  const ListCost cost = cost_of(list, 4);
  EXPECT_EQ(cost.launches, 3);
  const auto call = std::ranges::find(list.statements, Statement::Kind::Custom, &Statement::kind);
  EXPECT_EQ(work_of(list, *call, {}, 4)->bytes, 4 * 400);
}

TEST(CustomList, ReplayLeavesItAlone) {
  const auto result = run<cudamat::CUDAMatrix<float>>(
      lists::parsed(kLoop), {{"x", counting<float>({4, 6})}, {"y", counting<float>({4, 2})}});
  std::vector<std::string> refused;
  for (const ReplayRemark& remark : result.replay)
    if (remark.refused) refused.push_back(remark.text);
  EXPECT_THAT(refused,
              Contains("cm.custom(\"both\", part, y, targets=(s, d)), it is a custom operation"));
}

TEST(CustomList, PrintersSayWhatItIs) {
  const Array x = input("x", {2, 3});
  const auto node = custom("places_of", {x.T().rows(0, 2)}, {0.5})[0].node();
  const StatementList list = lower(node);
  EXPECT_THAT(print_json(list), HasSubstr(R"("kind":"custom","op":"places_of")"));
  EXPECT_THAT(print_dot(list), HasSubstr("places_of"));
  EXPECT_THAT(print_tree({node}), HasSubstr("custom places_of 0.5, operand 0: transposed"));
  EXPECT_THAT(refusal([&] { print_cudamat_py(list); }),
              HasSubstr("[cudamat-py] places_of is a custom operation"));
  EXPECT_THAT(refusal([&] { print_cudamat_cpp(list); }),
              HasSubstr("[cudamat-cpp] places_of is a custom operation"));
  EXPECT_THAT(refusal([&] { print_array_module(list, ArrayLibrary::Torch); }),
              HasSubstr("[torch] places_of is a custom operation"));
}

TEST(CustomList, WhatDoesNotFitIsRefused) {
  const Array x = input("x", {2, 3}), y = input("y", {3, 2});
  EXPECT_THAT(refusal([&] {
                custom("bot", {x, x});
              }),
              HasSubstr("no operation 'bot' is defined; define_custom() defines one; defined are: "
                        "both, outer, places, places_of"));
  EXPECT_THAT(refusal([&] { custom("both", {x}); }),
              HasSubstr("[both] takes 2 operands and 0 numbers; got 1 and 0"));
  EXPECT_THAT(refusal([&] { custom("both", {x, y}); }), HasSubstr("x and y have different shapes"));
  EXPECT_THAT(refusal([&] { custom("outer", {x, y}); }), HasSubstr("[outer] takes vectors"));
  EXPECT_THAT(refusal([&] {
                custom("both", {x.reshape({1, 2, 3}), x.reshape({1, 2, 3})});
              }),
              HasSubstr("operand 0 has the shape (1, 2, 3)"));
  EXPECT_THAT(refusal(define_both), HasSubstr("an operation 'both' is defined already"));
  CustomOperation operation;
  operation.name = "a b";
  EXPECT_THAT(refusal([&] { define_custom(operation); }), HasSubstr("is not an identifier"));
  operation.name = "empty";
  EXPECT_THAT(refusal([&] { define_custom(operation); }), HasSubstr("[empty] an operation needs"));
  // A kernel knows float and double.
  EXPECT_THAT(refusal([&] {
                run<npmat::CUDAMatrix<long double>>(lower(custom("both", {x, x})[0].node()),
                                                    {{"x", counting<long double>({2, 3})}});
              }),
              HasSubstr("it knows float and double"));
}

TEST(CustomList, ListsThatAreWrongAreRefused) {
  const auto refused = [](const std::string& line) {
    return refusal([&] {
      lists::parsed(
          "input x: (2, 3)\ns = cm.empty((2, 3))\nd = cm.empty((2, 3))\n"
          "e = cm.empty((3, 3))\n" +
          line + "\noutput s: (2, 3)\n");
    });
  };
  EXPECT_THAT(refused("cm.custom(\"bot\", x, x, targets=(s, d))"), HasSubstr("no operation 'bot'"));
  EXPECT_THAT(refused("cm.custom(\"both\", x, targets=(s, d))"),
              HasSubstr("[both] takes 2 operands; has 1"));
  EXPECT_THAT(refused("cm.custom(\"both\", x, x, 1, targets=(s, d))"),
              HasSubstr("takes 0 numbers; has 1"));
  EXPECT_THAT(refused("cm.custom(\"both\", x, x, targets=(s,))"),
              HasSubstr("has 1 targets; the operation 2 results"));
  EXPECT_THAT(refused("cm.custom(\"both\", x, x, targets=(s, e))"),
              HasSubstr("target e must be 2x3; got 3x3"));
  EXPECT_THAT(refused("cm.custom(\"both\", x, x, targets=(s, s))"),
              HasSubstr("target s overlaps target s"));
  EXPECT_THAT(refused("cm.custom(\"both\", x, x, targets=(s, x))"),
              HasSubstr("target x overlaps operand x"));
  EXPECT_THAT(refused("cm.custom(\"both\", x, x[0:2], targets=(s, d))"),
              HasSubstr("takes no rows of a matrix"));
  EXPECT_THAT(refused("cm.custom(\"places\", x.T, 1, targets=(s,))"),
              HasSubstr("does not accept transposed operands"));
  EXPECT_THAT(refused("cm.custom(\"places_of\", x[0:3], 1, targets=(s,))"), HasSubstr("rows"));
  EXPECT_THAT(refused("cm.custom(\"places_of\", x, 1, ndim=(1,), targets=(s,))"),
              HasSubstr("operand x is 2x3: no array of 1 dimensions"));
  EXPECT_THAT(refused("cm.custom(\"places_of\", 1, x, targets=(s,))"),
              HasSubstr("an operand follows a number; it is written cm.custom("));
  EXPECT_THAT(refused("cm.custom(\"places_of\", x, 1)"), HasSubstr("it has no targets"));
  EXPECT_THAT(refused("cm.custom(\"both\", s, x, targets=(s, d))"),
              HasSubstr("s is read before anything wrote to it"));
}

TEST(CustomList, AFaultInTheKernelIsReported) {
  define_custom({
      .name = "too_far",
      .shapes = [](const std::vector<Dims>& dims) { return dims; },
      .launch =
          [](const CustomCall& call) {
            static const SourceModule module(
                "__global__ void shifted(const float* x, float* y) { y[threadIdx.x] = "
                "x[threadIdx.x + 1]; }");
            module.get_function("shifted").run({.block = {call.operands[0].size()}},
                                               call.arguments());
          },
      .numpy = [](const auto& operands, const auto&) { return operands; },
  });
  const Array x = array(npmat::Array<float>{{3}, {1, 2, 3}});
  try {
    (void)custom("too_far", {x})[0].as_cuda<float>();
    FAIL() << "nothing was found";
  } catch (const cudamat::KernelFault& fault) {
    EXPECT_THAT(fault.what(), HasSubstr("thread (2,0,0) of block (0,0,0) reads x[3]"));
  }
}

}  // namespace

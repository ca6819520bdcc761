// What the runner promises: values under aliasing, arrays, memory, errors, the hook.
#include <gmock/gmock.h>

#include "rewriter/expr/symbolic.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/run/run.hpp"

namespace {

using namespace rewriter;
using rewriter::Array;
using testing::HasSubstr;

Program program_of(const std::vector<std::pair<std::string, Array>>& results) {
  Program program;
  for (const auto& [name, array] : results) {
    program.steps.push_back(array.node());
    program.assignments.push_back({name, array.node()});
    program.results.push_back({name, array.node()});
  }
  return program;
}

using Matrix = npmat::CUDAMatrix<double>;
using Outputs = std::map<std::string, npmat::Array<double>>;

TEST(RewriterRunAlias, AViewTakenBeforeAWriteInPlaceKeepsItsValue) {
  const Array x = input("x", {2, 2});
  const Array left = x.cols(0, 1);
  const Array written = in_place(x + 10);
  const Program program = program_of({{"left", left}, {"x", written}});
  const Outputs got = run<Matrix>(lower(program), {{"x", {{2, 2}, {1, 2, 3, 4}}}}).outputs;
  EXPECT_EQ(got.at("left").data, (std::vector<double>{1, 3}));
  EXPECT_EQ(got.at("x").data, (std::vector<double>{11, 12, 13, 14}));
}

TEST(RewriterRunAlias, ColumnsMoveWithinTheirMatrix) {
  const Array x = input("x", {2, 3});
  const Array moved = set_slice(x, {{0, 2}, {1, 3}}, x.cols(0, 2));
  const Outputs got =
      run<Matrix>(lower(program_of({{"x", moved}})), {{"x", {{2, 3}, {1, 2, 3, 4, 5, 6}}}}).outputs;
  EXPECT_EQ(got.at("x").data, (std::vector<double>{1, 1, 2, 4, 4, 5}));
}

TEST(RewriterRunAlias, TheCallersInputStaysAsItIs) {
  const std::map<std::string, npmat::Array<double>> inputs = {{"x", {{2}, {1, 2}}}};
  const Array x = input("x", {2});
  EXPECT_EQ(run<Matrix>(lower(program_of({{"x", in_place(x * 3)}})), inputs).outputs.at("x").data,
            (std::vector<double>{3, 6}));
  EXPECT_EQ(inputs.at("x").data, (std::vector<double>{1, 2}));
}

TEST(RewriterRunAlias, OneMatrixServesTwoNames) {
  const Array x = input("x", {2});
  const Array y = x + 1;
  const Outputs got =
      run<Matrix>(lower(program_of({{"y", y}, {"z", y}, {"w", x}})), {{"x", {{2}, {1, 2}}}})
          .outputs;
  EXPECT_EQ(got.at("y").data, got.at("z").data);
  EXPECT_EQ(got.at("w").data, (std::vector<double>{1, 2}));
}

// ---- the runner

TEST(RewriterRunner, TakesArraysByRowsAndGivesThemSo) {
  const Array x = input("x", {2, 3});
  const auto result = run<Matrix>(lower((x * 10).node()), {{"x", {{2, 3}, {1, 2, 3, 4, 5, 6}}}});
  EXPECT_EQ(result.outputs.at("result").shape, (Dims{2, 3}));
  EXPECT_EQ(result.outputs.at("result").data, (std::vector<double>{10, 20, 30, 40, 50, 60}));
}

TEST(RewriterRunner, MeasuresThePeak) {
  const Array x = input("x", {10, 10});
  // x, then t1, then t1 and the result.
  const auto result =
      run<Matrix>(lower(exp(x + 1).node()), {{"x", {{10, 10}, std::vector<double>(100, 0.5)}}});
  EXPECT_EQ(result.peak_bytes, 3 * 100 * 8);
}

TEST(RewriterRunner, AsCudaGoesThroughStatements) {
  const Array x = array(npmat::Array<double>{{2, 2}, {1, 2, 3, 4}});
  EXPECT_EQ(dot(x, x).as_cuda<float>().data, (std::vector<float>{7, 10, 15, 22}));
  EXPECT_EQ(dot(x, x).as_cuda<long double>().data, (std::vector<long double>{7, 10, 15, 22}));
  EXPECT_EQ(x.sum().as_cuda<double>().shape, Dims{});
  EXPECT_EQ(Array(2.5).as_cuda<double>().data, std::vector<double>{2.5});
}

TEST(RewriterRunner, LongDoubleKeepsItsDigits) {
  const long double third = 1.0L / 3;
  const Array x = array(npmat::Array<long double>{{1}, {third}});
  EXPECT_EQ((x * 3).as_cuda<long double>().data[0], third * 3);
  EXPECT_EQ(x.as_cuda<long double>().data[0], third);
}

template <class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const cudamat::CUDAMatException& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(RewriterRunner, RefusesMissingAndMisshapenInputs) {
  const StatementList list = lower((input("x", {2, 3}) + 1).node());
  EXPECT_THAT(message_of([&] { run<Matrix>(list, {}); }),
              HasSubstr("input x of shape (2, 3) has no value"));
  EXPECT_THAT(message_of([&] {
                run<Matrix>(list, {{"x", {{6}, std::vector<double>(6)}}});
              }),
              HasSubstr("input x must have shape (2, 3); got (6,)"));
  EXPECT_THAT(message_of([&] {
                run<Matrix>(list, {{"x", {{2, 3}, {1, 2}}}});
              }),
              HasSubstr("needs 6 elements"));
}

TEST(RewriterRunner, OutOfMemoryNamesStatementBytesAndTheLargestMatrices) {
  Program program;
  program.source = Source("prog.py", "a = np.ones((10, 10))\nb = a + 1\nc = np.ones((100, 100))\n");
  Array a = 0, b = 0, c = 0;
  {
    const At at({1, 5});
    a = ones({10, 10});
  }
  {
    const At at({2, 5});
    b = a + 1;
  }
  {
    const At at({3, 5});
    c = ones({100, 100});
  }
  program.results = program.assignments = {{"a", a.node()}, {"b", b.node()}, {"c", c.node()}};
  program.steps = {a.node(), b.node(), c.node()};
  const StatementList list = lower(program);
  RunOptions options;
  options.memory_limit = 50000;
  EXPECT_THROW(run<Matrix>(list, {}, options), cudamat::OutOfMemory);
  const std::string text = message_of([&] { run<Matrix>(list, {}, options); });
  EXPECT_THAT(text, HasSubstr("prog.py:3:5: "));
  EXPECT_THAT(text, HasSubstr("c = empty(100x100), 80,000 bytes"));
  EXPECT_THAT(text, HasSubstr("in use: 1,600 bytes"));
  EXPECT_THAT(text, HasSubstr("allowed: 50,000 bytes"));
  EXPECT_THAT(text, HasSubstr("a 10x10, 800 bytes, prog.py:1: a = np.ones((10, 10))"));
  EXPECT_THAT(text, HasSubstr("b 10x10, 800 bytes, prog.py:2: b = a + 1"));
  options.memory_limit = 81632;  // 32 beside the peak: a and b begin at multiples of 64
  EXPECT_EQ(run<Matrix>(list, {}, options).peak_bytes, 81600);
}

TEST(RewriterRunner, RefusesMoreMemoryThanTheMachineHas) {
  const StatementList list = lower(ones({Index(1) << 31, Index(1) << 29}).node());
  EXPECT_THROW(run<Matrix>(list, {}), cudamat::OutOfMemory);
  EXPECT_THAT(message_of([&] { run<Matrix>(list, {}); }), HasSubstr("result = empty("));
}

TEST(RewriterRunner, TheHookSeesEveryStatementAndMayStopTheRun) {
  const StatementList list = lower(exp(input("x", {2}) + 1).node());
  struct Stop {};
  std::vector<std::size_t> seen;
  RunOptions options;
  options.before_statement = [&](std::size_t i) { seen.push_back(i); };
  run<Matrix>(list, {{"x", {{2}, {1, 2}}}}, options);
  ASSERT_EQ(seen.size(), list.statements.size() + 1);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], i);
  options.before_statement = [](std::size_t i) {
    if (i == 2) throw Stop();
  };
  EXPECT_THROW(run<Matrix>(list, {{"x", {{2}, {1, 2}}}}, options), Stop);
}

TEST(RewriterRunner, TheHookBehindAStatementSeesTheLoopsOfItsIteration) {
  StatementList list = lower(exp(input("x", {2})).node());
  list.loops.push_back(Loop{"i", 3, 9, 2});
  const std::size_t call = 1;
  ASSERT_EQ(list.statements[call].kind, Statement::Kind::Call);
  Statement loop;
  loop.kind = Statement::Kind::Loop;
  Statement end;
  end.kind = Statement::Kind::End;
  list.statements.insert(list.statements.begin() + call + 1, end);
  list.statements.insert(list.statements.begin() + call, loop);
  std::vector<std::pair<std::size_t, Index>> seen;
  std::size_t announced = 0;
  RunOptions options;
  options.before_statement = [&](std::size_t i) { announced = i; };
  options.after_statement = [&](std::size_t i, const LoopVariables& at) {
    EXPECT_EQ(i, announced);
    if (i == call + 1) seen.emplace_back(i, at[0]);
  };
  run<Matrix>(list, {{"x", {{2}, {1, 2}}}}, options);
  EXPECT_THAT(seen, testing::ElementsAre(std::pair(call + 1, 3), std::pair(call + 1, 5),
                                         std::pair(call + 1, 7)));
  struct Stop {};
  options.after_statement = [](std::size_t, const LoopVariables&) { throw Stop(); };
  EXPECT_THROW(run<Matrix>(list, {{"x", {{2}, {1, 2}}}}, options), Stop);
}

TEST(RewriterRunner, RefusesAListThatIsIllFormed) {
  StatementList list = lower(exp(input("x", {2})).node());
  list.statements[1].operands[0].var = list.statements[1].target;
  EXPECT_THROW(run<Matrix>(list, {{"x", {{2}, {1, 2}}}}), cudamat::InternalError);
}

}  // namespace

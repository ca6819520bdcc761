// A list made ready once runs again and again on the caller's memory; what a function returned.
#include <array>
#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <vector>

#include "rewriter/expr/symbolic.hpp"
#include "rewriter/list/lasting.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/reader/reader.hpp"
#include "rewriter/run/prepared.hpp"

namespace {

using namespace rewriter;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;
using Matrix = npmat::CUDAMatrix<double>;
using Returned = Program::Returned;

Program read_function(const std::string& text, ReadOptions options) {
  options.function = "f";
  return read(Source("f.py", text), options);
}

TEST(RewriterPrepared, RunsAgainOnOtherMemory) {
  const Program program =
      read_function("def f(x, w):\n    return x @ w\n", {.shapes = {{"x", {2, 3}}, {"w", {3}}}});
  PreparedList<Matrix> prepared(lower(program));
  const std::array<double, 6> x{1, 2, 3, 4, 5, 6};
  std::array<double, 2> result{};
  for (const double k : {1.0, 2.0, -1.0}) {
    const std::array<double, 3> w{k, 0, 2 * k};
    prepared.run(std::array{x.data(), w.data()}, std::array{result.data()});
    EXPECT_THAT(result, ElementsAre(7 * k, 16 * k));
  }
}

TEST(RewriterPrepared, WhatFollowsFromConstantsAloneStays) {
  const Program program = read_function(
      "import numpy as np\ndef f(x):\n    w = np.cos(np.arange(3.0))\n    v = w * 2\n    return x "
      "* v + w, x + 1\n",
      {.shapes = {{"x", {3}}}});
  PreparedList<Matrix> prepared(lower(program));
  const StatementList& list = prepared.list();
  const Table<bool> lasts = lasting_results(list);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < lasts.size(); ++i)
    if (lasts[i]) names.push_back(list.variables[i].name);
  EXPECT_THAT(names, UnorderedElementsAre("w", "v"));
  std::array<double, 3> result{}, other{};
  for (const double k : {1.0, 2.0, -1.0}) {
    const std::array<double, 3> x{k, 0, 2 * k};
    prepared.run(std::array{x.data()}, std::array{result.data(), other.data()});
    EXPECT_THAT(result,
                testing::Pointwise(testing::DoubleNear(1e-15),
                                   {2 * k + 1, std::cos(1.0), (4 * k + 1) * std::cos(2.0)}));
    EXPECT_THAT(other, ElementsAre(k + 1, 1, 2 * k + 1));
  }
}

TEST(RewriterPrepared, AnInputThatTheListWritesToStaysAsItIs) {
  const Program program =
      read_function("def f(x):\n    x += 1\n    return x.T\n", {.shapes = {{"x", {2, 2}}}});
  PreparedList<Matrix> prepared(lower(program));
  const std::array<double, 4> x{1, 2, 3, 4};
  std::vector<std::array<double, 4>> results(prepared.list().outputs.size());
  std::vector<double*> places;
  for (auto& result : results) places.push_back(result.data());
  for (int i = 0; i < 2; ++i) prepared.run(std::array{x.data()}, places);
  EXPECT_THAT(x, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(results, UnorderedElementsAre(ElementsAre(2, 4, 3, 5), ElementsAre(2, 3, 4, 5)));
}

TEST(RewriterPrepared, OutputsMayLieInInputsThatAreCopied) {
  const Program program =
      read_function("def f(a, b):\n    t = a.copy()\n    a[:] = b\n    b[:] = t\n",
                    {.shapes = {{"a", {3}}, {"b", {3}}}});
  EXPECT_THAT(program.written_inputs, ElementsAre("a", "b"));
  PreparedList<Matrix> prepared(lower(program), {true, true});
  std::array<double, 3> a{1, 2, 3};
  std::array<double, 3> b{4, 5, 6};
  std::vector<double*> places;
  for (const Binding& output : prepared.list().outputs)
    places.push_back(output.name == "a" ? a.data() : output.name == "b" ? b.data() : nullptr);
  prepared.run(std::array<const double*, 2>{a.data(), b.data()}, places);
  EXPECT_THAT(a, ElementsAre(4, 5, 6));
  EXPECT_THAT(b, ElementsAre(1, 2, 3));
}

/// Calls `look` when all is computed, before the run ends.
RunOptions looking(const PreparedList<Matrix>& prepared, const std::function<void()>& look) {
  RunOptions options;
  options.before_statement = [end = prepared.list().statements.size(), look](std::size_t at) {
    if (at == end) look();
  };
  return options;
}

TEST(RewriterPrepared, OutputsAreComputedWhereTheyAreToBe) {
  const Program program =
      read_function("def f(x):\n    return x * 2, x.reshape(2, 2).T\n", {.shapes = {{"x", {4}}}});
  PreparedList<Matrix> prepared(lower(program));
  const std::array<double, 4> x{1, 2, 3, 4};
  std::array<double, 4> twice{};
  std::array<double, 4> turned{};
  std::vector<double*> places;
  for (const Binding& output : prepared.list().outputs)
    places.push_back((output.dims.size() == 1 ? twice : turned).data());
  int looks = 0;
  const auto look = [&] {
    ++looks;
    EXPECT_THAT(twice, ElementsAre(2, 4, 6, 8));
  };
  prepared.run(std::array{x.data()}, places, looking(prepared, look));
  EXPECT_EQ(looks, 1);
  EXPECT_THAT(turned, ElementsAre(1, 3, 2, 4));
}

TEST(RewriterPrepared, AnInputIsUpdatedInItsPlace) {
  const Program program =
      read_function("def f(x, y):\n    x += y\n", {.shapes = {{"x", {3}}, {"y", {3}}}});
  PreparedList<Matrix> prepared(lower(program), {true, false});
  std::array<double, 3> x{1, 2, 3};
  const std::array<double, 3> y{10, 20, 30};
  const auto look = [&x] { EXPECT_THAT(x, ElementsAre(11, 22, 33)); };
  prepared.run(std::array<const double*, 2>{x.data(), y.data()}, std::array{x.data()},
               looking(prepared, look));
  EXPECT_THAT(x, ElementsAre(11, 22, 33));
}

TEST(RewriterPrepared, AnInputMayLieWhereAnotherOnesResultIsToBe) {
  const Program program =
      read_function("def f(x, y):\n    x += 1\n    y += 2\n", {.shapes = {{"x", {3}}, {"y", {3}}}});
  PreparedList<Matrix> prepared(lower(program), {true, true});
  std::array<double, 3> x{1, 2, 3};
  std::array<double, 3> y{4, 5, 6};
  std::vector<double*> places;
  for (const Binding& output : prepared.list().outputs)
    places.push_back(output.name == "x" ? y.data() : x.data());
  prepared.run(std::array<const double*, 2>{x.data(), y.data()}, places);
  EXPECT_THAT(y, ElementsAre(2, 3, 4));
  EXPECT_THAT(x, ElementsAre(6, 7, 8));
}

TEST(RewriterPrepared, OutputsThatAreNotWantedAreNotWritten) {
  const Program program =
      read_function("def f(x):\n    return x + 1, x + 2\n", {.shapes = {{"x", {2}}}});
  PreparedList<Matrix> prepared(lower(program));
  const std::array<double, 2> x{1, 2};
  std::array<double, 2> second{};
  prepared.run(std::array{x.data()}, std::array<double*, 2>{nullptr, second.data()});
  EXPECT_THAT(second, ElementsAre(3, 4));
}

// ---- misuse ----

/// y = x * 2; z = x + y: what it says of this memory.
std::string refusal(const std::vector<const double*>& inputs, const std::vector<double*>& outputs) {
  const Program program = read_function("def f(x, w):\n    y = x * 2\n    return x + y, y * w\n",
                                        {.shapes = {{"x", {3}}, {"w", {3}}}});
  PreparedList<Matrix> prepared(lower(program));
  EXPECT_EQ(prepared.list().outputs.size(), 2U);
  try {
    prepared.run(inputs, outputs);
  } catch (const cudamat::CUDAMatException& error) {
    return error.what();
  }
  return "";
}

TEST(RewriterPreparedMisuse, NeedsMemoryForEachInputAndOutput) {
  std::array<double, 12> memory{};
  double* const x = memory.data();
  EXPECT_THAT(refusal({}, {x + 6, x + 9}),
              HasSubstr("[PreparedList::run] there must be memory for each of the list's 2 inputs, "
                        "x (3,), w (3,); got 0"));
  EXPECT_THAT(refusal({x, x, x}, {x + 6, x + 9}), HasSubstr("2 inputs, x (3,), w (3,); got 3"));
  EXPECT_THAT(refusal({x, x + 3}, {}), HasSubstr("each of the list's 2 outputs, "));
  EXPECT_THAT(refusal({x, x + 3}, {x + 6, x + 9, x}), HasSubstr("; got 3"));
  EXPECT_THAT(refusal({x, nullptr}, {x + 6, x + 9}),
              HasSubstr("the input w must have memory for 24 bytes, its elements (3,); got null"));
  EXPECT_EQ(refusal({x, x + 3}, {x + 6, nullptr}), "");
  EXPECT_EQ(refusal({x, x}, {x + 3, x + 6}), "");
}

TEST(RewriterPreparedMisuse, RejectsOutputsThatOverlap) {
  std::array<double, 12> memory{};
  double* const x = memory.data();
  for (const int at : {0, 1, 2})
    EXPECT_THAT(refusal({x + 1, x + 9}, {x + at, x + 6}), HasSubstr("overlaps the input x, which"));
  EXPECT_THAT(refusal({x, x + 3}, {x + 9, x + 5}), HasSubstr("overlaps the input w, which"));
  EXPECT_THAT(refusal({x, x + 3}, {x + 6, x + 8}), HasSubstr("the outputs "));
  EXPECT_THAT(memory, testing::Each(0));
}

TEST(RewriterPreparedMisuse, RejectsOverwrittenOfAnotherLength) {
  const Program program = read_function("def f(x):\n    return x + 1\n", {.shapes = {{"x", {2}}}});
  EXPECT_THROW(PreparedList<Matrix>(lower(program), {true, false}), cudamat::CUDAMatException);
}

TEST(RewriterPreparedMisuse, AnInputWithoutElementsMayBeNull) {
  const Program program =
      read_function("def f(x):\n    return x.sum()\n", {.shapes = {{"x", {0}}}});
  PreparedList<Matrix> prepared(lower(program));
  double result = 7;
  prepared.run(std::array<const double*, 1>{nullptr}, std::array{&result});
  EXPECT_EQ(result, 0);
}

TEST(RewriterReturned, HasTheStructureThatPythonHas) {
  const Program program = read_function(
      "def f(x):\n"
      "    y = x + 1\n"
      "    return y, {'s': x.sum(), 'k': 3}, [x, None], 'text', 0.5\n",
      {.shapes = {{"x", {2}}}});
  ASSERT_TRUE(program.returned);
  const Returned& tuple = *program.returned;
  ASSERT_EQ(tuple.kind, Returned::Kind::Tuple);
  ASSERT_EQ(tuple.parts.size(), 5U);
  EXPECT_EQ(tuple.parts[0].kind, Returned::Kind::Array);
  EXPECT_EQ(tuple.parts[0].text, "y");
  const Returned& dict = tuple.parts[1];
  ASSERT_EQ(dict.kind, Returned::Kind::Dict);
  EXPECT_EQ(dict.parts[0].text, "s");
  EXPECT_EQ(dict.parts[1].kind, Returned::Kind::Scalar);
  EXPECT_EQ(dict.parts[3].integer, 3);
  ASSERT_EQ(tuple.parts[2].kind, Returned::Kind::List);
  EXPECT_EQ(tuple.parts[2].parts[0].kind, Returned::Kind::Input);
  EXPECT_EQ(tuple.parts[2].parts[1].kind, Returned::Kind::None);
  EXPECT_EQ(tuple.parts[3].text, "text");
  EXPECT_EQ(tuple.parts[4].number, 0.5);
}

TEST(RewriterReadOptions, ImportsAndNumbersOfTheRunComeFromOutside) {
  const Program program =
      read_function("def f(x, rate):\n    return exp(x) * rate + m.ones(2), rate\n",
                    {.shapes = {{"x", {2}}},
                     .numbers = {{"rate", DType::Float}},
                     .imports = {{"numpy", "exp", "exp"}, {"numpy", "", "m"}}});
  PreparedList<Matrix> prepared(lower(program));
  ASSERT_EQ(prepared.list().inputs.size(), 2U);
  const std::array<double, 2> x{0, 0};
  std::array<double, 2> result{};
  for (const double rate : {2.0, 5.0}) {
    prepared.run(std::array<const double*, 2>{x.data(), &rate},
                 std::array<double*, 2>{result.data(), nullptr});
    EXPECT_THAT(result, ElementsAre(rate + 1, rate + 1));
  }
  EXPECT_EQ(program.returned->parts[1].kind, Returned::Kind::Input);
}

}  // namespace

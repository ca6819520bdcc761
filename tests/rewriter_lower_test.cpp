// What lowering writes: whole lists of small trees, every broadcasting case, names, frees, size.
#include <gmock/gmock.h>
#include <set>

#include "cudamat/error.hpp"
#include "rewriter/expr/symbolic.hpp"
#include "rewriter/list/names.hpp"
#include "rewriter/list/verify.hpp"
#include "rewriter/lower/lower.hpp"

namespace {

using namespace rewriter;
using testing::ElementsAre;
using testing::HasSubstr;
using Lines = std::vector<std::string>;

/// A line for each statement: `t1 = empty 4x5`, `t1 <- add x y`, `t2 = view t1 1x20`, `free t1`. A
/// transposed operand has a `'`, numbers and integers follow the operands.
Lines lines(const StatementList& list) {
  Lines result;
  const auto name = [&](Var var) { return list.variables[static_cast<std::size_t>(var)].name; };
  for (const Statement& s : list.statements) {
    std::string arguments;
    for (const auto& operand : s.operands)
      arguments += " " + name(operand.var) + (operand.transposed ? "'" : "");
    for (const rewriter::Number& number : s.numbers)
      arguments += fmt::format(" {}", number.value());
    for (const Index integer : s.integers) arguments += fmt::format(" {}", integer);
    const auto shape = [&] { return list.variables[static_cast<std::size_t>(s.target)].shape; };
    switch (s.kind) {
      case Statement::Kind::Empty:
        result.push_back(fmt::format("{} = empty {}", name(s.target), shape()));
        break;
      case Statement::Kind::Constant:
        result.push_back(fmt::format("{} = constant {} {}", name(s.target), shape(), s.text));
        break;
      case Statement::Kind::Slice:
        result.push_back(fmt::format("{} = slice{}", name(s.target), arguments));
        break;
      case Statement::Kind::Reshape:
        result.push_back(fmt::format("{} = view{} {}", name(s.target), arguments, shape()));
        break;
      case Statement::Kind::Call:
        result.push_back(fmt::format("{} <- {}{}", name(s.target), cudamat::name(s.op), arguments));
        break;
      case Statement::Kind::Seed:
        result.push_back("seed" + arguments);
        break;
      case Statement::Kind::Free:
        result.push_back("free " + name(s.target));
        break;
      case Statement::Kind::Loop:
        result.push_back("for " + list.loops[static_cast<std::size_t>(s.loop)].name);
        break;
      case Statement::Kind::End:
        result.push_back("end");
        break;
      case Statement::Kind::Print:
        result.push_back("print" + arguments);
        break;
      case Statement::Kind::Fused:
        result.push_back("fused" + arguments);
        break;
      case Statement::Kind::Custom:
        result.push_back("custom" + arguments);
        break;
    }
  }
  return result;
}

Lines lowered(const Array& result) {
  const StatementList list = lower(result.node());
  verify(list);
  return lines(list);
}

Program program_of(const std::vector<std::pair<std::string, Array>>& assignments) {
  Program program;
  for (const auto& [name, array] : assignments) {
    program.steps.push_back(array.node());
    program.assignments.push_back({name, array.node()});
    std::erase_if(program.results, [&](const auto& known) { return known.name == name; });
    program.results.push_back({name, array.node()});
  }
  return program;
}

Lines lowered(const std::vector<std::pair<std::string, Array>>& assignments,
              const std::vector<std::string>& outputs = {}) {
  const StatementList list = lower(program_of(assignments), outputs);
  verify(list);
  return lines(list);
}

const Array kMatrix = input("x", {4, 5});
const Array kOther = input("y", {4, 5});
const Array kRow = input("r", {5});
const Array kColumn = input("c", {4, 1});
const Array kNumber = input("s", {});

// ---- the gradient of the first document

TEST(Lower, TheGradient) {
  const Array x = input("x", {128, 784});
  const Array z = input("z", {128, 784});
  const Array h = input("h", {128, 500});
  const Array W = input("W", {784, 500});
  const Array X = input("X", {128, 784});
  const Array delta_o = -(x - z);
  const Array product = dot(delta_o, W) * h;  // C++ may evaluate operands in any order
  const Array delta_h = product * (1.0 - h);
  const Array grad_W = dot(X.T(), delta_h);
  EXPECT_THAT(
      lowered({{"delta_o", delta_o}, {"delta_h", delta_h}, {"grad_W", grad_W}}, {"grad_W"}),
      ElementsAre("t1 = empty 128x784", "t1 <- subtract x z",                     //
                  "delta_o = empty 128x784", "delta_o <- mult t1 -1", "free t1",  //
                  "t2 = empty 128x500", "t2 <- dot delta_o W", "free delta_o",    //
                  "t3 = empty 128x500", "t3 <- mult t2 h", "free t2",             //
                  "t4 = empty 128x500", "t4 <- mult h -1", "t4 <- add t4 1",      //
                  "delta_h = empty 128x500", "delta_h <- mult t3 t4", "free t3", "free t4",
                  "t5 = empty 784x128", "t5 <- transpose X",  //
                  "grad_W = empty 784x500", "grad_W <- dot t5 delta_h", "free delta_h", "free t5"));
}

TEST(Lower, SharedNodesOnce) {
  const Array e = exp(kMatrix);
  EXPECT_THAT(lowered(e * e + e),
              ElementsAre("t1 = empty 4x5", "t1 <- exp x",       //
                          "t2 = empty 4x5", "t2 <- mult t1 t1",  //
                          "result = empty 4x5", "result <- add t2 t1", "free t1", "free t2"));
}

// ---- broadcasting

TEST(LowerBroadcast, MatrixWithRow) {
  const auto end = [](const std::string& call) {
    return ElementsAre("result = empty 4x5", "result <- " + call);
  };
  EXPECT_THAT(lowered(kMatrix + kRow), end("add_row_vec x r"));
  EXPECT_THAT(lowered(kMatrix * kRow), end("mult_by_row x r"));
  EXPECT_THAT(lowered(kMatrix / kRow), end("div_by_row x r"));
  EXPECT_THAT(lowered(kMatrix + input("r", {1, 5})), end("add_row_vec x r"));
  EXPECT_THAT(lowered(kRow + kMatrix), end("add_row_vec x r"));
  EXPECT_THAT(lowered(kRow * kMatrix), end("mult_by_row x r"));
  EXPECT_THAT(lowered(kMatrix - kRow),
              ElementsAre("t1 = empty 1x5", "t1 <- mult r -1",  //
                          "result = empty 4x5", "result <- add_row_vec x t1", "free t1"));
}

TEST(LowerBroadcast, MatrixWithColumn) {
  const auto end = [](const std::string& call) {
    return ElementsAre("result = empty 4x5", "result <- " + call);
  };
  EXPECT_THAT(lowered(kMatrix + kColumn), end("add_col_vec x c"));
  EXPECT_THAT(lowered(kMatrix * kColumn), end("mult_by_col x c"));
  EXPECT_THAT(lowered(kMatrix / kColumn), end("div_by_col x c"));
  EXPECT_THAT(lowered(kMatrix - kColumn), end("add_col_mult x c -1"));
  EXPECT_THAT(lowered(kColumn + kMatrix), end("add_col_vec x c"));
}

TEST(LowerBroadcast, VectorOnTheLeftOfWhatDoesNotCommute) {
  EXPECT_THAT(lowered(kRow - kMatrix), ElementsAre("result = empty 4x5", "result <- mult x -1",
                                                   "result <- add_row_vec result r"));
  EXPECT_THAT(lowered(kColumn - kMatrix), ElementsAre("result = empty 4x5", "result <- mult x -1",
                                                      "result <- add_col_vec result c"));
  EXPECT_THAT(lowered(kRow / kMatrix),
              ElementsAre("result = empty 4x5", "result <- assign 1",
                          "result <- mult_by_row result r", "result <- divide result x"));
}

TEST(LowerBroadcast, VectorsWhereThereIsNoBroadcastCall) {
  EXPECT_THAT(lowered(kMatrix < kRow),
              ElementsAre("t1 = empty 4x5", "t1 <- assign 1", "t1 <- mult_by_row t1 r",  //
                          "result = empty 4x5", "result <- less_than x t1", "free t1"));
  EXPECT_THAT(lowered(maximum(kMatrix, kColumn)),
              ElementsAre("t1 = empty 4x5", "t1 <- assign 1", "t1 <- mult_by_col t1 c",  //
                          "result = empty 4x5", "result <- maximum x t1", "free t1"));
  EXPECT_THAT(lowered(kColumn < kMatrix),
              ElementsAre("result = empty 4x5", "result <- assign 1",
                          "result <- mult_by_col result c", "result <- less_than result x"));
}

TEST(LowerBroadcast, RowWithColumn) {
  EXPECT_THAT(lowered(kRow * kColumn),
              ElementsAre("result = empty 4x5", "result <- assign 1",
                          "result <- mult_by_row result r", "result <- mult_by_col result c"));
  EXPECT_THAT(lowered(kColumn > kRow),
              ElementsAre("result = empty 4x5", "result <- assign 1",
                          "result <- mult_by_col result c",                              //
                          "t1 = empty 4x5", "t1 <- assign 1", "t1 <- mult_by_row t1 r",  //
                          "result <- greater_than result t1", "free t1"));
}

TEST(LowerBroadcast, ZeroDimensionalWithMatrixGoesThroughAColumn) {
  EXPECT_THAT(lowered(kMatrix * kNumber),
              ElementsAre("t1 = empty 4x1", "t1 <- assign 1", "t1 <- mult_by_row t1 s",  //
                          "result = empty 4x5", "result <- mult_by_col x t1", "free t1"));
}

TEST(LowerBroadcast, ZeroDimensionalWithVectorIsAVectorOfOne) {
  EXPECT_THAT(lowered(kRow + kNumber),
              ElementsAre("result = empty 1x5", "result <- add_col_vec r s"));
  EXPECT_THAT(lowered(kColumn / kNumber),
              ElementsAre("result = empty 4x1", "result <- div_by_row c s"));
  EXPECT_THAT(lowered(kNumber + kNumber), ElementsAre("result = empty 1x1", "result <- add s s"));
}

TEST(LowerBroadcast, NumberOnTheLeft) {
  const auto with = [](const Array& a, const std::vector<std::string>& calls) {
    Lines expected = {"result = empty 4x5"};
    for (const std::string& text : calls) expected.push_back("result <- " + text);
    EXPECT_EQ(lowered(a), expected);
  };
  with(2 + kMatrix, {"add x 2"});
  with(2 * kMatrix, {"mult x 2"});
  with(2 - kMatrix, {"mult x -1", "add result 2"});
  with(2 / kMatrix, {"assign 2", "divide result x"});
  with(map(Op::pow, 2, kMatrix), {"assign 2", "pow result x"});
  with(2 < kMatrix, {"greater_than x 2"});
  with(2 > kMatrix, {"less_than x 2"});
  with(maximum(0, kMatrix), {"maximum x 0"});
  with(equal(2, kMatrix), {"equals x 2"});
  with(kMatrix - 2, {"subtract x 2"});
}

TEST(LowerBroadcast, WhereExpandsItsOperands) {
  EXPECT_THAT(lowered(where(kMatrix, kRow, 0)),
              ElementsAre("t1 = empty 4x5", "t1 <- assign 1", "t1 <- mult_by_row t1 r",  //
                          "t2 = empty 4x5", "t2 <- assign 0",                            //
                          "result = empty 4x5", "result <- where x t1 t2", "free t1", "free t2"));
}

TEST(Lower, ComparisonsThatCudamatLacks) {
  EXPECT_THAT(lowered(not_equal(kMatrix, kOther)),
              ElementsAre("t1 = empty 4x5", "t1 <- equals x y",  //
                          "result = empty 4x5", "result <- equals t1 0", "free t1"));
  EXPECT_THAT(lowered(kMatrix <= kOther),
              ElementsAre("t1 = empty 4x5", "t1 <- less_than x y",  //
                          "t2 = empty 4x5", "t2 <- equals x y",     //
                          "result = empty 4x5", "result <- maximum t1 t2", "free t1", "free t2"));
}

// ---- reductions and products

TEST(LowerReduce, OverAnAxis) {
  EXPECT_THAT(lowered(kMatrix.sum(0)), ElementsAre("result = empty 1x5", "result <- sum x 0"));
  EXPECT_THAT(lowered(kMatrix.max(1, true)),
              ElementsAre("result = empty 4x1", "result <- max x 1"));
  EXPECT_THAT(lowered(kMatrix.mean(1)),
              ElementsAre("t1 = empty 4x1", "t1 <- mean x 1", "result = view t1 1x4"));
  EXPECT_THAT(lowered(kRow.sum(0)), ElementsAre("result = empty 1x1", "result <- sum r 1"));
}

TEST(LowerReduce, OverAll) {
  EXPECT_THAT(lowered(kMatrix.sum()),
              ElementsAre("t1 = view x 1x20", "result = empty 1x1", "result <- sum t1 1"));
  EXPECT_THAT(lowered(kRow.sum()), ElementsAre("result = empty 1x1", "result <- sum r 1"));
  EXPECT_THAT(lowered(reduce(Op::argmax, kMatrix)),
              ElementsAre("t1 = empty 5x4", "t1 <- transpose x", "t2 = view t1 1x20",
                          "result = empty 1x1", "result <- argmax t2 1", "free t1"));
}

TEST(LowerReduce, VarianceStepByStep) {
  EXPECT_THAT(lowered(variance(kMatrix, 1, true)),
              ElementsAre("t1 = empty 4x1", "t1 <- mean x 1",                         //
                          "t2 = empty 4x5", "t2 <- add_col_mult x t1 -1", "free t1",  //
                          "t3 = empty 4x5", "t3 <- mult t2 t2", "free t2",            //
                          "result = empty 4x1", "result <- mean t3 1", "free t3"));
  EXPECT_THAT(lowered(deviation(kMatrix, 0, false, 1)),
              ElementsAre("t1 = empty 1x5", "t1 <- mean x 0",                     //
                          "t2 = empty 1x5", "t2 <- mult t1 -1", "free t1",        //
                          "t3 = empty 4x5", "t3 <- add_row_vec x t2", "free t2",  //
                          "t4 = empty 4x5", "t4 <- mult t3 t3", "free t3",        //
                          "t5 = empty 1x5", "t5 <- sum t4 0", "free t4",          //
                          "t6 = empty 1x5", "t6 <- divide t5 3", "free t5",       //
                          "result = empty 1x5", "result <- sqrt t6", "free t6"));
}

TEST(LowerReduce, NormsAreAssigned) {
  EXPECT_THAT(lowered(kMatrix.euclid_norm()),
              ElementsAre("result = empty 1x1", "result <- euclid_norm x"));
}

TEST(LowerSolver, CountsHaveNoWeights) {
  const Array places = input("k", {9}).as_type(DType::Int);
  EXPECT_THAT(lowered(bincount(places, std::nullopt, 4)).back(), "result <- bincount k");
  EXPECT_THAT(lowered(bincount(places, input("w", {9}), 4)).back(), "result <- bincount k w");
}

TEST(LowerDot, VectorsUseFlags) {
  const Array u = input("u", {4});
  EXPECT_THAT(lowered(dot(kMatrix, kRow)), ElementsAre("result = empty 1x4", "result <- dot r x'"));
  EXPECT_THAT(lowered(dot(u, kMatrix)), ElementsAre("result = empty 1x5", "result <- dot u x"));
  EXPECT_THAT(lowered(dot(kRow, kRow)), ElementsAre("result = empty 1x1", "result <- dot r r'"));
  EXPECT_THAT(lowered(dot(kMatrix, input("W", {5, 3}))),
              ElementsAre("result = empty 4x3", "result <- dot x W"));
}

// ---- moving data

TEST(LowerMove, ReshapeIsAViewOnlyBetweenVectors) {
  EXPECT_THAT(lowered(kRow.reshape({5, 1})), ElementsAre("result = view r 5x1"));
  EXPECT_THAT(lowered(kMatrix.ravel()),
              ElementsAre("t1 = empty 5x4", "t1 <- transpose x", "result = view t1 1x20"));
  EXPECT_THAT(lowered(input("v", {6}).reshape({2, 3})),
              ElementsAre("t1 = view v 3x2", "result = empty 2x3", "result <- transpose t1"));
  EXPECT_THAT(lowered(kMatrix.reshape({10, 2})),
              ElementsAre("t1 = empty 5x4", "t1 <- transpose x", "t2 = view t1 2x10",
                          "result = empty 10x2", "result <- transpose t2", "free t1"));
}

TEST(LowerMove, AViewOfEverythingIsItsOperandUnlessItHasAName) {
  EXPECT_THAT(lowered(exp(kRow.reshape({1, 5}))),
              ElementsAre("result = empty 1x5", "result <- exp r"));
  EXPECT_THAT(lowered(exp(kMatrix.rows(0, 4))),
              ElementsAre("result = empty 4x5", "result <- exp x"));
  EXPECT_THAT(lowered(kRow.reshape({1, 5})), ElementsAre("result = view r 1x5"));
  EXPECT_THAT(lowered(kMatrix.rows(0, 4)), ElementsAre("result = slice x 0 5"));
}

TEST(LowerMove, ColumnsAreViewsRowsAreCopies) {
  EXPECT_THAT(lowered(kMatrix.cols(1, 3)), ElementsAre("result = slice x 1 3"));
  EXPECT_THAT(lowered(kMatrix.rows(1, 3)),
              ElementsAre("result = empty 2x5", "result <- get_row_slice x 1 3"));
  EXPECT_THAT(
      lowered(kMatrix.slice({{1, 3}, {2, 5}})),
      ElementsAre("t1 = slice x 2 5", "result = empty 2x3", "result <- get_row_slice t1 1 3"));
  EXPECT_THAT(lowered(kMatrix.slice({{2, 3, true}})),
              ElementsAre("result = empty 1x5", "result <- get_row_slice x 2 3"));
  EXPECT_THAT(lowered(kMatrix.slice({{0, 4}, {2, 3, true}})),
              ElementsAre("t1 = slice x 2 3", "result = view t1 1x4"));
  EXPECT_THAT(lowered(kRow.slice({{1, 2, true}})), ElementsAre("result = slice r 1 2"));
}

TEST(LowerMove, ConcatenateFillsItsParts) {
  EXPECT_THAT(lowered(concatenate({kMatrix, kOther}, 0)),
              ElementsAre("result = empty 8x5", "result <- set_row_slice x 0 4",
                          "result <- set_row_slice y 4 8"));
  EXPECT_THAT(lowered(concatenate({kRow, kRow})),
              ElementsAre("result = empty 1x10", "result <- set_col_slice r 0 5",
                          "result <- set_col_slice r 5 10"));
}

TEST(Lower, LeavesAndSeeds) {
  EXPECT_THAT(lowered({{"a", full({2, 2}, 3)}, {"e", eye(2)}, {"n", seed(4)}, {"u", rand({3})}},
                      {"a", "e", "u"}),
              ElementsAre("a = empty 2x2", "a <- assign 3", "e = constant 2x2 np.eye(2)", "seed 4",
                          "u = empty 1x3", "u <- fill_with_rand"));
}

TEST(Lower, ANumberIsAnArrayOfOne) {
  EXPECT_THAT(lowered(Array(2.5)), ElementsAre("result = empty 1x1", "result <- assign 2.5"));
}

// ---- in place

TEST(LowerInPlace, WritesOverTheOperandThatNobodyReadsAgain) {
  EXPECT_THAT(lowered({{"x", in_place(kMatrix + kOther)}}), ElementsAre("x <- add x y"));
  EXPECT_THAT(lowered({{"x", in_place(kMatrix - kRow)}}),
              ElementsAre("t1 = empty 1x5", "t1 <- mult r -1", "x <- add_row_vec x t1", "free t1"));
  EXPECT_THAT(lowered({{"x", in_place(kMatrix + kMatrix)}}), ElementsAre("x <- add x x"));
  EXPECT_THAT(lowered({{"x", set_slice(kMatrix, {{0, 4}, {1, 3}}, 0)}}),
              ElementsAre("t1 = slice x 1 3", "t1 <- assign 0"));
  EXPECT_THAT(lowered({{"x", set_slice(kMatrix, {{1, 2, true}}, kRow)}}),
              ElementsAre("x <- set_row_slice r 1 2"));
}

TEST(LowerInPlace, MakesANewMatrixWhereTheOldValueIsNeeded) {
  const Array sum = in_place(kMatrix + 1);
  EXPECT_THAT(lowered({{"x", sum}, {"z", sum * kMatrix}}),
              ElementsAre("x_2 = empty 4x5", "x_2 <- add x 1", "z = empty 4x5", "z <- mult x_2 x"));
  // The old value is an output.
  EXPECT_THAT(lowered({{"old", kMatrix}, {"x", in_place(kMatrix + 1)}}),
              ElementsAre("x_2 = empty 4x5", "x_2 <- add x 1"));
}

TEST(LowerInPlace, MakesANewMatrixWhereAViewOfTheOldOneIsNeeded) {
  const Array left = kMatrix.cols(0, 2);
  const Array sum = in_place(kMatrix + 1);
  EXPECT_THAT(lowered({{"left", left}, {"x", sum}}),
              ElementsAre("left = slice x 0 2", "x_2 = empty 4x5", "x_2 <- add x 1"));
  const Array row = kRow.reshape({1, 5});
  EXPECT_THAT(lowered({{"r", in_place(kRow + 1)}, {"n", exp(row)}}, {"r", "n"}),
              ElementsAre("r_2 = empty 1x5", "r_2 <- add r 1",  //
                          "n = empty 1x5", "n <- exp r"));
  const Array column = kRow.reshape({5, 1});
  EXPECT_THAT(lowered({{"r", in_place(kRow + 1)}, {"n", exp(column)}}, {"r", "n"}),
              ElementsAre("t1 = view r 5x1", "r_2 = empty 1x5", "r_2 <- add r 1",  //
                          "n = empty 5x1", "n <- exp t1"));
}

TEST(LowerInPlace, MakesANewMatrixWhereAnOperandIsAViewOfTheTarget) {
  EXPECT_THAT(lowered({{"x", in_place(kMatrix + kMatrix.cols(1, 2))}}),
              ElementsAre("t1 = slice x 1 2", "x_2 = empty 4x5", "x_2 <- add_col_vec x t1"));
}

TEST(LowerInPlace, CopiesAPartThatIsMovedWithinItsMatrix) {
  EXPECT_THAT(lowered({{"x", set_slice(kMatrix, {{0, 4}, {1, 3}}, kMatrix.cols(0, 2))}}),
              ElementsAre("t1 = slice x 0 2", "t2 = empty 4x2", "t2 <- assign t1",
                          "x <- set_col_slice t2 1 3", "free t2"));
}

// ---- names

TEST(LowerNames, OfInputsAssignmentsAndTemporaries) {
  const Array x = input("t1", {2});
  const Array h = exp(x) + 1;
  EXPECT_THAT(lowered({{"h", h}, {"h", h * 2}, {"t3", h + 2}}),
              ElementsAre("t2 = empty 1x2", "t2 <- exp t1",             //
                          "h = empty 1x2", "h <- add t2 1", "free t2",  //
                          "h_2 = empty 1x2", "h_2 <- mult h 2",         //
                          "t3 = empty 1x2", "t3 <- add h 2", "free h"));
}

TEST(LowerNames, ReservedOnesGetASuffixAndBindingsKeepTheUsersSpelling) {
  const Array x = input("class", {2});
  const StatementList list = lower(program_of({{"int", x + 1}, {"int_", x + 2}, {"__x", x + 3}}));
  EXPECT_EQ(list.inputs[0].name, "class");
  EXPECT_EQ(list.variables[0].name, "class_");
  std::vector<std::string> names;
  for (const Binding& output : list.outputs) names.push_back(output.name);
  EXPECT_THAT(names, ElementsAre("int", "int_", "__x"));
  std::set<std::string> unique;
  for (const Variable& variable : list.variables) {
    EXPECT_FALSE(is_reserved_name(variable.name)) << variable.name;
    EXPECT_TRUE(unique.insert(variable.name).second) << variable.name;
  }
  verify(list);
}

TEST(LowerNames, EveryKeywordOfBothLanguagesIsReserved) {
  for (const char* name :
       {"False",      "None",     "True",    "and",      "as",       "assert",   "async",
        "await",      "break",    "class",   "continue", "def",      "del",      "elif",
        "else",       "except",   "finally", "for",      "from",     "global",   "if",
        "import",     "in",       "is",      "lambda",   "nonlocal", "not",      "or",
        "pass",       "raise",    "return",  "try",      "while",    "with",     "yield",
        "alignas",    "auto",     "bool",    "char",     "concept",  "const",    "co_await",
        "delete",     "double",   "enum",    "float",    "int",      "long",     "namespace",
        "new",        "operator", "private", "requires", "short",    "signed",   "static",
        "struct",     "template", "this",    "typename", "union",    "unsigned", "using",
        "void",       "volatile", "xor",     "NULL",     "std",      "cm",       "np",
        "CUDAMatrix", "__init__", "_Bool"})
    EXPECT_TRUE(is_reserved_name(name)) << name;
  for (const char* name : {"x", "W", "h_2", "print", "grad_W", "_", "_x", "data", "match"})
    EXPECT_FALSE(is_reserved_name(name)) << name;
}

TEST(LowerNames, RefusesAnOutputThatIsNotAssigned) {
  const Program program = program_of({{"a", kMatrix + 1}, {"b", kMatrix + 2}});
  try {
    lower(program, {"a", "q"});
    FAIL() << "accepted";
  } catch (const cudamat::CUDAMatException& error) {
    EXPECT_THAT(error.what(), HasSubstr("no array to 'q'; it assigns a, b"));
  }
  EXPECT_EQ(lower(program, {"b", "b"}).outputs.size(), 1U);
}

TEST(Lower, RefusesOneInputInTwoShapes) {
  EXPECT_THROW(lower((input("x", {2, 3}) + input("x", {3})).node()), cudamat::CUDAMatException);
}

TEST(Lower, KeepsTheLineOfEveryStatement) {
  Array a = 0;
  {
    const At at({3, 5});
    a = exp(kMatrix) + 1;
  }
  for (const Statement& s : lower(a.node()).statements) EXPECT_EQ(s.where.line, 3);
}

TEST(Lower, ProductsOfManyMatricesAreALoop) {
  const auto product = [](Index count) {
    return lowered(matmul(input("x", {count, 3, 4}), input("y", {count, 4, 2})));
  };
  EXPECT_EQ(product(500).size(), product(9).size());
  EXPECT_LT(product(500).size(), 20U);
}

TEST(Lower, StepsThatNobodyReadsAreThereToo) {
  Program program = program_of({{"a", kMatrix + 1}});
  program.steps.push_back(exp(kOther).node());
  EXPECT_THAT(lines(lower(program)), ElementsAre("a = empty 4x5", "a <- add x 1",  //
                                                 "t1 = empty 4x5", "t1 <- exp y", "free t1"));
}

// ---- size

TEST(LowerSize, LongProgramsAndDeepExpressions) {
  const auto program_of_size = [](int lines) {
    Array x = input("x", {3, 4});
    std::vector<std::pair<std::string, Array>> assignments;
    for (int i = 0; i < lines; ++i) {
      x = i % 3 == 0 ? set_slice(x, {{0, 3}, {1, 2}}, x.cols(0, 1)) : exp(x) + 1;
      assignments.emplace_back("x", x);
    }
    return program_of(assignments);
  };
  const Program program = program_of_size(10000);
  const StatementList list = lower(program);
  EXPECT_GT(list.statements.size(), 30000U);
  EXPECT_FALSE(rewriter::find_problem(list).has_value());

  Array deep = input("x", {3, 4});
  for (int i = 0; i < 200000; ++i) deep = deep + 1;
  EXPECT_GT(lower(deep.node()).statements.size(), 200000U);
}

TEST(LowerSize, TheSameProgramGivesTheSameList) {
  const auto once = [] {
    const Array x = input("x", {4, 5});
    return lowered({{"a", exp(x) * 2}, {"b", x.sum() + x.mean()}});
  };
  EXPECT_EQ(once(), once());
}

}  // namespace

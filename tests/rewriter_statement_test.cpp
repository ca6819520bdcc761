// verify() refuses every kind of ill-formed list, and says where.
#include <functional>
#include <gmock/gmock.h>

#include "cudamat/error.hpp"
#include "rewriter/list/statement.hpp"
#include "rewriter/list/verify.hpp"

namespace {

using namespace rewriter;
using SKind = Statement::Kind;
using testing::HasSubstr;

Statement statement(SKind kind, Var target, std::vector<Statement::Operand> operands = {},
                    std::vector<Number> numbers = {}, std::vector<Index> integers = {}) {
  Statement s;
  s.kind = kind;
  s.target = target;
  s.operands = std::move(operands);
  s.numbers = std::move(numbers);
  s.integers = std::move(integers);
  return s;
}

Statement call(Op op, Var target, std::vector<Statement::Operand> operands,
               std::vector<Number> numbers = {}, std::vector<Index> integers = {}) {
  Statement s =
      statement(SKind::Call, target, std::move(operands), std::move(numbers), std::move(integers));
  s.op = op;
  return s;
}

constexpr Var x = 0, t = 1, row = 2, column = 3, left = 4, flat = 5, one = 6, square = 7;

/// x and the rest are 4x6; a list with one statement of most kinds.
StatementList good() {
  StatementList list;
  list.variables = {{"x", {4, 6}},       {"t", {4, 6}},        {"row", {1, 6}}, {"column", {4, 1}},
                    {"left", {4, 3}, x}, {"flat", {1, 24}, x}, {"one", {1, 1}}, {"square", {4, 4}}};
  list.inputs = {{"x", x, {4, 6}}};
  list.statements = {
      statement(SKind::Empty, t),
      call(Op::exp, t, {{x}}),
      statement(SKind::Empty, row),
      call(Op::sum, row, {{x}}, {}, {0}),
      statement(SKind::Empty, column),
      call(Op::max, column, {{x}}, {}, {1}),
      call(Op::add_row_vec, t, {{t}, {row}}),
      call(Op::add_col_mult, t, {{t}, {column}}, {-1}),
      statement(SKind::Slice, left, {{x}}, {}, {3, 6}),
      statement(SKind::Reshape, flat, {{x}}),
      call(Op::set_col_slice, t, {{left}}, {}, {0, 3}),
      statement(SKind::Empty, one),
      call(Op::euclid_norm, one, {{flat}}),
      statement(SKind::Empty, square),
      call(Op::dot, square, {{x}, {t, true}}),
      call(Op::add_dot, square, {{x}, {x, true}}, {1, 1}),
      statement(SKind::Seed, kNoVar, {}, {}, {3}),
      call(Op::fill_with_rand, column, {}),
      statement(SKind::Free, row),
      statement(SKind::Free, column),
      statement(SKind::Free, one),
  };
  list.outputs = {{"t", t, {4, 6}}, {"s", square, {4, 4}}};
  return list;
}

std::string refusal(const StatementList& list) {
  try {
    verify(list);
  } catch (const cudamat::InternalError& error) {
    return error.what();
  }
  return "accepted";
}

/// What verify() says of the good list after a change.
std::string after(const std::function<void(StatementList&)>& change) {
  StatementList list = good();
  change(list);
  return refusal(list);
}

/// What it says of the good list with a statement added at the end.
std::string with(Statement s) {
  return after([&](StatementList& list) { list.statements.push_back(std::move(s)); });
}

TEST(Statements, MatrixShapeOfArrays) {
  EXPECT_EQ(matrix_shape({}), (cudamat::Shape{1, 1}));
  EXPECT_EQ(matrix_shape({5}), (cudamat::Shape{1, 5}));
  EXPECT_EQ(matrix_shape({2, 3}), (cudamat::Shape{2, 3}));
  EXPECT_EQ(matrix_shape({2, 3, 4}), (cudamat::Shape{4, 6}));
}

TEST(Statements, OwnerOfAView) {
  EXPECT_EQ(owner(good(), left), x);
  EXPECT_EQ(owner(good(), t), t);
}

TEST(Verify, AcceptsAGoodList) {
  EXPECT_EQ(refusal(good()), "accepted");
  EXPECT_EQ(refusal(StatementList()), "accepted");
}

TEST(Verify, NamesTheStatementAndItsLine) {
  Statement s = call(Op::exp, t, {{row}});
  s.where = {7, 3};
  EXPECT_THAT(with(s), HasSubstr("statement 21 (exp), line 7: operand row"));
}

TEST(Verify, RefusesUseBeforeDefinition) {
  EXPECT_THAT(after([](auto& l) { l.statements.erase(l.statements.begin()); }),
              HasSubstr("t is used before it is defined"));
  EXPECT_THAT(after([](auto& l) { l.statements.erase(l.statements.begin() + 8); }),
              HasSubstr("left is used before it is defined"));
  EXPECT_THAT(after([](auto& l) { l.inputs.clear(); }),
              HasSubstr("x is used before it is defined"));
  EXPECT_THAT(with(call(Op::exp, t, {{99}})), HasSubstr("no variable 99"));
  EXPECT_THAT(with(call(Op::exp, kNoVar, {{x}})), HasSubstr("no variable -1"));
}

TEST(Verify, RefusesToReadWhatNobodyWrote) {
  EXPECT_THAT(after([](auto& l) { l.statements.erase(l.statements.begin() + 1); }),
              HasSubstr("t is read before anything wrote to it"));
  EXPECT_THAT(after([](auto& l) {
                l.statements.erase(l.statements.begin() + 14);  // add_dot reads its target
              }),
              HasSubstr("target square is read before"));
}

TEST(Verify, RefusesUseAfterFree) {
  EXPECT_THAT(with(call(Op::add_row_vec, t, {{t}, {row}})),
              HasSubstr("row is used after its memory was freed"));
  EXPECT_THAT(after([](auto& l) {
                l.variables.push_back({"v", {1, 3}, row});
                l.statements.insert(l.statements.begin() + 4,
                                    statement(SKind::Slice, 8, {{row}}, {}, {0, 3}));
                l.statements.push_back(call(Op::exp, 8, {{8}}));
              }),
              HasSubstr("v is used after its memory was freed"));
}

TEST(Verify, SelectionsHaveOneIndexForEachColumn) {
  const auto selecting = [](Op op, std::vector<Statement::Operand> operands, Var target) {
    return with(call(op, target, std::move(operands)));
  };
  EXPECT_EQ(after([](auto& l) {
              l.variables.push_back({"indices", {1, 3}});
              l.variables.push_back({"part", {4, 3}});
              l.inputs.push_back({"indices", 8, {3}});
              l.statements.push_back(statement(SKind::Empty, 9));
              l.statements.push_back(call(Op::select_columns, 9, {{x}, {8}}));
              l.statements.push_back(call(Op::set_selected_columns, t, {{8}, {9}}));
            }),
            "accepted");
  EXPECT_THAT(selecting(Op::select_columns, {{x}, {x}}, t),
              HasSubstr("indices must be a vector of 6; got 4x6"));
  EXPECT_THAT(after([](auto& l) {
                l.variables.push_back({"indices", {1, 6}});
                l.inputs.push_back({"indices", 8, {6}});
                l.statements.push_back(call(Op::select_columns, square, {{t}, {8}}));
              }),
              HasSubstr("indices must be a vector of 4; got 1x6"));
  EXPECT_THAT(after([](auto& l) {
                l.variables.push_back({"indices", {1, 6}});
                l.inputs.push_back({"indices", 8, {6}});
                l.statements.push_back(call(Op::select_columns, t, {{t}, {8}}));
              }),
              HasSubstr("overlaps"));
}

TEST(Verify, RefusesWrongFrees) {
  EXPECT_THAT(with(statement(SKind::Free, row)), HasSubstr("row is freed twice"));
  EXPECT_THAT(with(statement(SKind::Free, left)), HasSubstr("left is a view"));
  EXPECT_THAT(with(statement(SKind::Free, x)), HasSubstr("x is an input"));
  EXPECT_THAT(with(statement(SKind::Free, t)), HasSubstr("output t is used after"));
}

TEST(Verify, RefusesASecondDefinition) {
  EXPECT_THAT(with(statement(SKind::Empty, t)), HasSubstr("t is defined twice"));
  EXPECT_THAT(with(statement(SKind::Slice, left, {{x}}, {}, {3, 6})),
              HasSubstr("left is defined twice"));
  EXPECT_THAT(after([](auto& l) { l.inputs.push_back(l.inputs[0]); }),
              HasSubstr("two inputs have the variable x"));
  EXPECT_THAT(after([](auto& l) {
                l.inputs.push_back({"x", t, {4, 6}});
              }),
              HasSubstr("two inputs are called 'x'"));
  EXPECT_THAT(after([](auto& l) { l.outputs[1].name = "t"; }),
              HasSubstr("two outputs are called 't'"));
}

TEST(Verify, RefusesBadVariables) {
  EXPECT_THAT(after([](auto& l) { l.variables[t].name = "x"; }),
              HasSubstr("two variables are called x"));
  for (const char* name : {"", "2x", "a b", "a-b"})
    EXPECT_THAT(after([&](auto& l) { l.variables[t].name = name; }),
                HasSubstr("is not the name of a variable"));
  EXPECT_THAT(after([](auto& l) {
                l.variables[t].shape = {-1, 6};
              }),
              HasSubstr("t has an impossible shape"));
  EXPECT_THAT(after([](auto& l) {
                l.variables[t].shape = {Index(1) << 40, Index(1) << 40};
              }),
              HasSubstr("t has an impossible shape"));
  EXPECT_THAT(after([](auto& l) { l.variables[left].view_of = flat; }),
              HasSubstr("left is a view of flat, which owns no memory"));
  EXPECT_THAT(after([](auto& l) { l.variables[left].view_of = left; }),
              HasSubstr("which owns no memory"));
  EXPECT_THAT(after([](auto& l) { l.variables[left].view_of = t; }),
              HasSubstr("left does not show the memory of x"));
  EXPECT_THAT(after([](auto& l) { l.variables[t].view_of = x; }), HasSubstr("t is a view"));
  EXPECT_THAT(after([](auto& l) { l.variables[left].view_of = kNoVar; }),
              HasSubstr("left is not a view"));
}

TEST(Verify, RefusesBindingsOfAnotherShape) {
  EXPECT_THAT(after([](auto& l) {
                l.inputs[0].dims = {6, 4};
              }),
              HasSubstr("input x is an array of shape (6, 4), its variable x is 4x6"));
  EXPECT_THAT(after([](auto& l) { l.outputs[0].dims = {24}; }), HasSubstr("output t"));
}

TEST(Verify, RefusesViewsThatDoNotFit) {
  EXPECT_THAT(after([](auto& l) {
                l.statements[8].integers = {4, 7};
              }),
              HasSubstr("columns 4:7 do not lie within 0:6"));
  EXPECT_THAT(after([](auto& l) {
                l.statements[8].integers = {3, 5};
              }),
              HasSubstr("target must be 4x2; got 4x3"));
  EXPECT_THAT(after([](auto& l) {
                l.variables[flat].shape = {1, 23};
              }),
              HasSubstr("1x23 has a different element count from 4x6"));
}

TEST(Verify, RefusesWrongArguments) {
  EXPECT_THAT(with(call(Op::exp, t, {{x}, {x}})), HasSubstr("takes 1 operands; has 2"));
  EXPECT_THAT(with(call(Op::exp, t, {{x}}, {1})), HasSubstr("takes 0 numbers; has 1"));
  EXPECT_THAT(with(call(Op::add, t, {{x}})), HasSubstr("takes 1 numbers; has 0"));
  EXPECT_THAT(with(call(Op::add, t, {{x}, {x}}, {1})), HasSubstr("takes 0 numbers; has 1"));
  EXPECT_THAT(with(call(Op::sum, row, {{x}})), HasSubstr("takes 1 integers; has 0"));
  EXPECT_THAT(with(call(Op::max, t, {{x}}, {2}, {0})), HasSubstr("takes 0 numbers"));
  EXPECT_THAT(with(call(Op::add_dot, square, {{x}, {x, true}})), HasSubstr("takes 2 numbers"));
  EXPECT_THAT(with(call(Op::where, t, {{x}, {x}})), HasSubstr("takes 3 operands"));
  EXPECT_THAT(with(statement(SKind::Seed, kNoVar)), HasSubstr("takes 1 integers"));
  EXPECT_THAT(with(statement(SKind::Seed, t, {}, {}, {1})), HasSubstr("a seed has no target"));
  EXPECT_THAT(with(call(Op::softmax, t, {{x}})), HasSubstr("no statement has this operation"));
}

TEST(Verify, RefusesShapesThatDoNotFit) {
  EXPECT_THAT(with(call(Op::exp, square, {{x}})),
              HasSubstr("target must be 4x6 to match mat; got 4x4"));
  EXPECT_THAT(with(call(Op::add_row_vec, t, {{x}, {flat}})),
              HasSubstr("vec must be 1x6 to match mat 4x6; got 1x24"));
  EXPECT_THAT(with(call(Op::mult_by_col, t, {{x}, {flat}})), HasSubstr("vec must be 4x1"));
  EXPECT_THAT(with(call(Op::sum, t, {{x}}, {}, {0})),
              HasSubstr("target must be 1x6 to match (axis 0) mat 4x6; got 4x6"));
  EXPECT_THAT(with(call(Op::sum, t, {{x}}, {}, {2})), HasSubstr("axis must be 0 or 1; got 2"));
  EXPECT_THAT(with(call(Op::dot, square, {{x}, {x}})),
              HasSubstr("m1 4x6 and m2 4x6: the columns of m1 must be as many as the rows of m2"));
  EXPECT_THAT(with(call(Op::dot, t, {{x}, {x, true}})),
              HasSubstr("target must be 4x4 for m1 4x6 and m2 6x4; got 4x6"));
  EXPECT_THAT(with(call(Op::euclid_norm, t, {{x}})), HasSubstr("target must be 1x1; got 4x6"));
  EXPECT_THAT(with(call(Op::transpose, square, {{x}})),
              HasSubstr("target must be 6x4 to match mat 4x6; got 4x4"));
  EXPECT_THAT(with(call(Op::get_row_slice, t, {{x}}, {}, {0, 5})),
              HasSubstr("rows 0:5 do not lie within 0:4"));
  EXPECT_THAT(with(call(Op::set_row_slice, t, {{x}}, {}, {0, 3})),
              HasSubstr("mat must be 3x6 to match the rows of self 4x6; got 4x6"));
}

TEST(Verify, RefusesFlagsWhereNobodyReadsThem) {
  EXPECT_THAT(with(call(Op::exp, square, {{square, true}})),
              HasSubstr("does not accept transposed operands"));
  EXPECT_THAT(with(call(Op::transpose, square, {{square, true}})),
              HasSubstr("does not accept transposed operands"));
}

TEST(Verify, RefusesIllegalAliases) {
  EXPECT_THAT(with(call(Op::dot, square, {{square}, {square}})),
              HasSubstr("target 4x4 overlaps m1 4x4, which is read while it is written"));
  EXPECT_THAT(with(call(Op::transpose, square, {{square}})), HasSubstr("overlaps"));
  EXPECT_THAT(with(call(Op::set_col_slice, x, {{left}}, {}, {0, 3})),
              HasSubstr("self 4x6 overlaps mat 4x3, which is read while it is written"));
  // Two views that share a column may not be operand and target even of an element-wise call.
  EXPECT_THAT(after([](auto& l) {
                l.variables.push_back({"middle", {4, 3}, x});
                l.statements.push_back(statement(SKind::Slice, 8, {{x}}, {}, {1, 4}));
                l.statements.push_back(call(Op::exp, 8, {{left}}));
              }),
              HasSubstr("target 4x3 partly overlaps mat 4x3; give it memory of its own"));
}

TEST(Verify, AcceptsViewsSideBySideAndInPlace) {
  StatementList list = good();
  list.variables.push_back({"right", {4, 3}, x});
  list.statements.push_back(statement(SKind::Slice, 8, {{x}}, {}, {0, 3}));
  list.statements.push_back(call(Op::exp, 8, {{left}}));
  list.statements.push_back(call(Op::exp, 8, {{8}}));
  list.statements.push_back(call(Op::add, x, {{x}, {x}}));
  EXPECT_EQ(refusal(list), "accepted");
}

}  // namespace

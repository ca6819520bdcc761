// Printed statement lists, read again: the round trip, what may be written besides, and what is
// refused, with its line.
#include <algorithm>
#include <bit>
#include <gmock/gmock.h>
#include <limits>

#include "rewriter/emit/print.hpp"
#include "rewriter/listing/compare.hpp"
#include "rewriter/listing/literals.hpp"
#include "rewriter/listing/print_text.hpp"
#include "rewriter/listing/scope.hpp"
#include "tests/list_check.hpp"
#include "tests/print_samples_calls.hpp"
#include "tests/print_samples_spellings.hpp"

namespace {

using namespace rewriter;
using lists::lost;
using lists::parsed;
using samples::Builder;
using testing::HasSubstr;

TEST(ParseStatements, ReadsBackTheSamples) {
  EXPECT_EQ(lost(StatementList()), "");
  EXPECT_EQ(lost(samples::gradient()), "");
  EXPECT_EQ(lost(samples::awkward()), "");
  for (const bool extensions : {false, true}) EXPECT_EQ(lost(samples::calls(extensions).list), "");
}

TEST(ParseStatements, ReadsBackEveryWayToCallEveryOp) {
  const StatementList list = samples::all_spellings();
  const print::ListNames names(list);
  std::string text = "x y z\n";
  for (const Statement& s : list.statements) text += print::statement_text(list, s, names) + "\n";
  const Source source("calls", text);
  const ast::TokenList tokens = ast::tokenize(source);
  ast::TokenCursor cursor(source, tokens);
  StatementList made;
  ListScope scope(cursor, made);
  for (int i = 0; i < 3; ++i) scope.define(cursor.next(), cudamat::Shape{2, 2});
  expect(cursor, ast::TokenKind::Newline, "the end of the names");
  for (const Statement& s : list.statements) {
    const Statement read = read_statement_call(cursor, scope);
    expect(cursor, ast::TokenKind::Newline, "the end of the call");
    ASSERT_EQ(read.op, s.op);
    ASSERT_EQ(read.target, s.target) << cudamat::name(s.op);
    ASSERT_EQ(read.operands, s.operands) << cudamat::name(s.op);
    ASSERT_EQ(read.integers, s.integers) << cudamat::name(s.op);
    ASSERT_EQ(read.numbers.size(), s.numbers.size()) << cudamat::name(s.op);
    for (std::size_t i = 0; i < s.numbers.size(); ++i)
      ASSERT_TRUE(same_number(read.numbers[i].value(), s.numbers[i].value()))
          << cudamat::name(s.op);
  }
  EXPECT_GT(list.statements.size(), 1000U);
}

/// A list that does nothing but hold these data.
template <class T>
StatementList holding(cudamat::Shape shape, std::vector<T> values, std::string text = "") {
  Builder b;
  const Var c = b.constant("c", shape, {}, std::move(text));
  StatementList list = b.output("c", c, {shape.rows, shape.cols}).done();
  list.statements[0].data = std::make_shared<const HostData>(
      npmat::Array<T>{{shape.rows, shape.cols}, std::move(values)});
  return list;
}

TEST(ParseStatements, KeepsEveryBitOfNumbers) {
  Builder b;
  const Var x = b.input("x", {1, 1});
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const double number = std::bit_cast<double>(random());
    if (!std::isnan(number)) b.call(Op::add, x, {{x}}, {number});
  }
  using Limits = std::numeric_limits<double>;
  for (const double number :
       {0.0, -0.0, 1.0, -1.0, 1e15, 1e16, 9007199254740993.0, 0.1, Limits::denorm_min(),
        Limits::max(), Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()})
    b.call(Op::mult, x, {{x}}, {number}).call(Op::assign, x, {}, {number});
  EXPECT_EQ(lost(b.done()), "");
}

TEST(ParseStatements, KeepsDataOfEveryTypeAndSize) {
  std::mt19937_64 random(3);
  std::vector<float> single;
  std::vector<double> wide;
  std::vector<long double> extended;
  for (int i = 0; i < 600; ++i) {
    const auto bits = random();
    wide.push_back(std::isnan(std::bit_cast<double>(bits)) ? 0.5 : std::bit_cast<double>(bits));
    single.push_back(static_cast<float>(static_cast<double>(bits) * 1e-19));
    extended.push_back(
        std::ldexp(static_cast<long double>(bits), static_cast<int>(bits % 20000) - 10000));
  }
  EXPECT_EQ(lost(holding<float>({30, 20}, single)), "");
  EXPECT_EQ(lost(holding<double>({30, 20}, wide)), "");
  EXPECT_EQ(lost(holding<long double>({30, 20}, extended)), "");
  const StatementList list = parsed(print_statements(holding<long double>({30, 20}, extended)));
  EXPECT_EQ(std::get<npmat::Array<long double>>(*list.statements[0].data).data, extended);
  using Limits = std::numeric_limits<long double>;
  EXPECT_EQ(lost(holding<long double>({1, 4},
                                      {Limits::infinity(), -Limits::infinity(), 1e-4000L, -0.0L})),
            "");
  EXPECT_EQ(lost(holding<double>({0, 3}, {})), "");
  EXPECT_EQ(lost(holding<double>({3, 0}, {})), "");
}

TEST(ParseStatements, PrintsASpellingOnlyIfItSaysTheData) {
  const auto text = [](const char* spelling) {
    return print_statements(holding<double>({1, 2}, {1, 2}, spelling));
  };
  EXPECT_THAT(text("np.array([[1.0,\n  2.0]])"),
              HasSubstr("cm.CUDAMatrix(np.array([[1.0, 2.0]]))"));
  for (const char* spelling :
       {"my_table", "np.array([1, 3])", "np.array([1, 2]) + 0", "np.array([[1], [2]])"}) {
    EXPECT_THAT(text(spelling), HasSubstr("cm.CUDAMatrix(np.array([[1, 2]]))")) << spelling;
    EXPECT_EQ(lost(holding<double>({1, 2}, {1, 2}, spelling)), "") << spelling;
  }
}

TEST(ParseStatements, KeepsNamesThatAreNoIdentifiers) {
  Builder b;
  int k = 0;
  for (const char* name :
       {"a name", "\"'\\", "line\nend\t", "", "42", "input", "as", "\xf0\x9f\x98\x80"}) {
    const Var x = b.input_as(name, "x" + std::to_string(++k), {2});
    b.output(name, x, {2});
  }
  const Var input = b.input("output", {3, 2});
  b.call(Op::exp, input, {{input}});
  EXPECT_EQ(lost(b.done()), "");
}

TEST(ParseStatements, TakesTheLinesOfTheHeadings) {
  const StatementList list = parsed(
      "# a.py as Cudamat statements, float32\ninput x: (2, 3)\n\n# 12: y = np.exp(x)\n"
      "cm.exp(x)\n# a remark\nx.add(1)  # 3: no heading\n# -\nx.add(2)\n#  3:\nx.add(3)\n"
      "# 4 statements: 4 calls\n");
  std::vector<int> lines;
  for (const Statement& s : list.statements) lines.push_back(s.where.line);
  EXPECT_THAT(lines, testing::ElementsAre(12, 12, 0, 3));
  EXPECT_EQ(list.source->name(), "a.py");
  EXPECT_EQ(list.source->line(12), "y = np.exp(x)");
}

TEST(ParseStatements, ReadsWhatPeopleWrite) {
  const StatementList list = parsed(
      "input x:(2,3)\r\n\r\nt = cm.empty( (2, 3) )\r\n"
      "x.add(x, t)   # by position\r\n  # a comment\r\n"
      "t.mult(+2.50, target=t)\nc = cm.CUDAMatrix(np.array([\n  [1, 2],\n"
      "  [3, 4]]))\ns = cm.empty((2, 2))\ncm.dot(x, t.T, target=s, alpha=2)\n"
      "z = cm.CUDAMatrix(np.ones((2, 2)))\nz.add_dot(c, s, beta=0.5)\n"
      "n = cm.CUDAMatrix(np.zeros(3))\ne = cm.CUDAMatrix(np.eye(2, k=1))\n");
  Builder b;
  const Var x = b.input("x", {2, 3});
  const Var t = b.empty("t", {2, 3});
  b.call(Op::add, t, {{x}, {x}}).call(Op::mult, t, {{t}}, {2.5});
  const Var c = b.constant("c", {2, 2}, {1, 2, 3, 4}, "np.array([ [1, 2], [3, 4]])");
  const Var s = b.empty("s", {2, 2});
  b.call(Op::dot, s, {{x}, {t, true}}, {0, 2});
  const Var z = b.constant("z", {2, 2}, {1, 1, 1, 1}, "np.ones((2, 2))");
  b.call(Op::add_dot, z, {{c}, {s}}, {1, 0.5});
  b.constant("n", {1, 3}, {0, 0, 0}, "np.zeros(3)");
  b.constant("e", {2, 2}, {0, 1, 0, 0}, "np.eye(2, k=1)");
  EXPECT_EQ(first_difference(list, b.done()), "");
}

TEST(CompareLists, NamesWhatDiffers) {
  const auto changed = [](auto change) {
    StatementList list = samples::gradient();
    change(list);
    return first_difference(samples::gradient(), list);
  };
  EXPECT_EQ(changed([](auto&) {}), "");
  EXPECT_THAT(changed([](auto& l) { l.statements[3].numbers[0] = -2; }),
              HasSubstr("statement 3: numbers: 't1.mult(-1, target=delta_o)' and 't1.mult(-2, "));
  EXPECT_THAT(changed([](auto& l) { l.statements[1].operands[0].var = 0; }), HasSubstr("operands"));
  EXPECT_THAT(changed([](auto& l) { l.statements[20].operands[0].transposed = false; }),
              HasSubstr("operands"));
  EXPECT_THAT(changed([](auto& l) { l.statements[1].op = Op::add; }), HasSubstr("kind"));
  EXPECT_THAT(changed([](auto& l) { l.statements[1].where.line = 8; }), HasSubstr("lines"));
  EXPECT_THAT(changed([](auto& l) { l.statements.pop_back(); }), HasSubstr("21 and 20 statements"));
  EXPECT_THAT(changed([](auto& l) { l.outputs[0].name = "other"; }), HasSubstr("output 0"));
  EXPECT_THAT(changed([](auto& l) { l.variables[5].shape = {784, 128}; }), HasSubstr("target"));
  EXPECT_THAT(changed([](auto& l) { l.source.reset(); }), HasSubstr("source"));
  EXPECT_THAT(first_difference(holding<double>({1, 1}, {0.0}), holding<double>({1, 1}, {-0.0})),
              HasSubstr("data"));
  EXPECT_EQ(first_difference(holding<double>({1, 1}, {0.5}), holding<float>({1, 1}, {0.5F})), "");
}

// ---- what is refused

constexpr const char* kHead =
    "input x: (4, 6)\n"                  // 1
    "t = cm.empty((4, 6))\n"             // 2
    "cm.exp(x, target=t)\n"              // 3
    "row = cm.empty((1, 6))\n"           // 4
    "x.sum(axis=0, target=row)\n"        // 5
    "left = t.slice(0, 3)\n"             // 6
    "one = cm.empty((1, 1))\n"           // 7
    "gone = cm.CUDAMatrix(np.eye(4))\n"  // 8
    "gone.free_device_memory()\n";       // 9

struct Refused {
  const char* line;  ///< stands in line 10
  int column;
  const char* says;
};

const Refused kRefused[] = {
    // not of the grammar
    {"t.add(1", 6, "'(' is never closed"},
    {"t.add(1) t.add(2)", 10, "expected the end of the line"},
    {"  t.add(1)", 1, "indented"},
    {"t", 2, "expected '.'"},
    {"t = 3", 5, "a variable is made by cm.empty"},
    {"u = x.add(1)", 5, "a variable is made by cm.empty"},
    {"u = np.zeros((2, 3))", 5, "a variable is made by cm.empty"},
    {"t $ 3", 3, "unexpected character"},
    {"1 + 2", 1, "expected a statement"},
    {"input y: (2, 3)", 1, "inputs come first"},
    {"output t: (4, 6) t", 18, "expected the end of the line"},
    {"output t as 3: (4, 6)", 13, "expected a name"},
    {"output t: (4, 6, 9223372036854775807)", 11, "2^63"},
    {"output t: (-4, 6)", 12, "negative"},
    {"output t: (4)", 13, "one dimension is written (4,)"},
    {"u = cm.empty((4,))", 14, "two dimensions"},
    {"u = cm.empty((4, 2.5))", 18, "whole number"},
    {"u = cm.empty((4, 99999999999999999999))", 18, "whole number"},
    {"cm.CUDAMatrix.init_random(x)", 27, "expected a number"},
    // calls
    {"t.frobnicate(x)", 3, "no statement has a call 'frobnicate'"},
    {"t.correlate(x)", 3, "no statement has a call 'correlate'"},
    {"x.exp(target=t)", 1, "cm.exp(a, target=t)"},
    {"cm.add(x, t)", 4, "a.add(b or number, target=t)"},
    {"x.add(t, t, t)", 13, "too many arguments"},
    {"x.add()", 7, "an argument is missing"},
    {"cm.exp()", 8, "an argument is missing"},
    {"x.sum(axis=0)", 13, "no call without a target"},
    {"x.sign()", 8, "no call without a target"},
    {"x.add(t, goal=t)", 10, "no argument is called 'goal'"},
    {"x.add(t, target=t, target=t)", 20, "given twice"},
    {"x.sum(axis=0, row)", 15, "a positional argument follows a keyword argument"},
    {"x.sum(axis=t, target=row)", 12, "expected a whole number"},
    {"x.sum(axis=0.5, target=row)", 12, "whole number"},
    {"x.mean(axis=0, target=row, mult=2)", 28, "no argument is called 'mult'"},
    {"t.add_mult(3)", 12, "expected a variable, found a number"},
    {"t.add_mult(x, x)", 15, "expected a number"},
    {"t.add(float('huge'))", 7, "float('inf')"},
    {"t.add(x.Q)", 9, "variable's .T"},
    {"t.T.assign(x)", 1, "cannot write to a transpose"},
    {"cm.exp(x, target=t.T)", 18, "a target cannot be a transpose"},
    {"x.euclid_norm()", 3, "t.assign(a.euclid_norm())"},
    {"one.assign(cm.exp(x, target=t))", 12, "only a call that gives a number"},
    // data
    {"u = cm.CUDAMatrix(np.array([[1, 2], [3]]))", 37, "this row has 1 numbers, the first one 2"},
    {"u = cm.CUDAMatrix(np.array([[1, 2], 3]))", 37, "another row"},
    {"u = cm.CUDAMatrix(np.array(['1']))", 29, "dtype=np.longdouble"},
    {"u = cm.CUDAMatrix(np.array(['1x'], dtype=np.longdouble))", 29, "not a number"},
    {"u = cm.CUDAMatrix(np.array([1], dtype=np.int8))", 42, "np.longdouble"},
    {"u = cm.CUDAMatrix(np.geomspace(0, 1))", 22, "np.array, np.full"},
    {"u = cm.CUDAMatrix(...)", 19, "expected an array"},
    {"u = cm.CUDAMatrix(np.full((4000000000, 4000000000), 0))", 19, "2^63"},
    {"u = cm.CUDAMatrix(np.zeros((1000000, 90000000)))", 19, "bytes"},
    {"u = cm.CUDAMatrix(np.zeros((1, 2, 3)))", 19, "dimensions"},
    // definitions and uses
    {"t.add(y)", 7, "'y' is not defined"},
    {"t.add(later)\nlater = cm.empty((4, 6))", 7, "later is used before it is defined in line 11"},
    {"t = cm.empty((4, 6))", 1, "t is defined twice, first in line 2"},
    {"x = cm.empty((4, 6))", 1, "x is defined twice, first in line 1"},
    {"u = cm.empty((4, 6))\nt.add(u)", 0, "[add] operand u is read before anything wrote to it"},
    {"gone.add(1)", 1, "[add] operand gone is used after its memory was freed"},
    {"gone.free_device_memory()", 1, "freed twice"},
    {"x.free_device_memory()", 1, "the caller's"},
    {"left.free_device_memory()", 1, "is a view"},
    {"t.free_device_memory()\nleft.add(1)", 0, "left is used after its memory was freed"},
    {"output gone: (4, 4)", 1, "output gone is used after its memory was freed"},
    {"output t: (6, 4)", 1, "output t is an array of shape (6, 4), its variable t is 4x6"},
    {"output t: (4, 6)\noutput x as t: (4, 6)", 0, "two outputs are called 't'"},
    {"output t: (4, 6)\nt.add(1)", 0, "follows the outputs"},
    // shapes and aliases
    {"x.add(row, target=t)", 1, "[add] val must be 4x6 to match mat; got 1x6"},
    {"cm.dot(x, t, target=one)", 1,
     "[dot] m1 4x6 and m2 4x6: the columns of m1 must be as many as the rows of m2"},
    {"cm.dot(x, t.T, target=t)", 1, "[dot] target must be 4x4 for m1 4x6 and m2 6x4; got 4x6"},
    {"x.sum(axis=2, target=row)", 1, "[sum] axis must be 0 or 1; got 2"},
    {"x.add(t.T, target=t)", 1, "[add] does not accept transposed operands"},
    {"t.add_dot(x, x)", 1,
     "[add_dot] m1 4x6 and m2 4x6: the columns of m1 must be as many as the rows of m2"},
    {"u = x.slice(3, 7)", 1, "columns 3:7 do not lie within 0:6"},
    {"u = x.slice(3, 1)", 1, "columns 3:1 do not lie within 0:6"},
    {"u = x.view((5, 5))", 1, "5x5 has a different element count from 4x6"},
    {"t.cumsum(target=t)\nu = cm.empty((6, 4))\nt.transpose(target=t)", 0,
     "[transpose] target must be 6x4 to match mat 4x6; got 4x6"},
    {"q = t.slice(1, 4)\nleft.add(q)", 0, "[add] target 4x3 partly overlaps val 4x3"},
    {"t.set_col_slice(3, 6, left)", 1, "[set_col_slice] self 4x6 overlaps mat 4x3"},
    {"row.add_sums(row, axis=0)", 1, "[add_sums] self 1x6 overlaps mat 1x6"},
};

TEST(ParseStatements, RefusesWithLineAndColumn) {
  for (const Refused& refused : kRefused) {
    SCOPED_TRACE(refused.line);
    const std::string text = std::string(kHead) + refused.line + "\n";
    try {
      parsed(text);
      ADD_FAILURE() << "accepted";
    } catch (const ProgramError& error) {
      EXPECT_THAT(error.message(), HasSubstr(refused.says));
      EXPECT_EQ(error.file(), "list.txt");
      // Column 0: the problem is in the last line.
      const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
      EXPECT_EQ(error.location().line, refused.column == 0 ? lines : 10);
      EXPECT_EQ(error.location().column, std::max(refused.column, 1));
    }
  }
  EXPECT_NO_THROW(parsed(kHead));
}

TEST(ParseStatements, RefusesBadInputs) {
  const auto refusal = [](const char* text) -> std::string {
    try {
      parsed(text);
    } catch (const ProgramError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(refusal("input x: (2, 3)\ninput x as y: (2, 3)\n"),
              HasSubstr("list.txt:2:1: two inputs are called 'x'"));
  EXPECT_THAT(refusal("input x: (2, 3)\ninput x: (2, 3)\n"),
              HasSubstr("list.txt:2:7: x is defined twice"));
  EXPECT_THAT(refusal("input 'a b': (2, 3)\n"),
              HasSubstr("list.txt:1:7: a name in quotes needs a variable"));
  EXPECT_THAT(refusal("input x (2, 3)\n"), HasSubstr("expected ':'"));
  EXPECT_THAT(refusal("input x: (4000000000, 4000000000)\n"),
              HasSubstr("list.txt:1:7: x has an impossible shape"));
}

TEST(ParseStatements, NeverReturnsAnIllFormedList) {
  const lists::Fates fates =
      lists::damaged(print_statements(samples::calls(true).list),
                     {".", "(", ")", ",", "1", "T", "a", "=", "'", "[", "-", " ", "#", "target="});
  EXPECT_GT(fates.accepted, 150);
  EXPECT_GT(fates.refused, 150);
}

TEST(ParseStatements, TakesAHundredThousandStatements) {
  Builder b("p.py", "x");
  const Var x = b.input("x", {2, 2});
  for (int i = 0; i < 50'000; ++i) {
    const Var t = b.at(1).empty("v" + std::to_string(i), {2, 2});
    b.call(Op::exp, t, {{x}});
  }
  EXPECT_EQ(lost(b.done()), "");
}

}  // namespace

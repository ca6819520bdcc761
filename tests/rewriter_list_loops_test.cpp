// Printed statement lists with loops and prints, read again: the round trip, what may be written
// besides, and what is refused, with its line.
#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>

#include "rewriter/emit/print.hpp"
#include "rewriter/listing/compare.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/passes/pipeline.hpp"
#include "rewriter/reader/reader.hpp"
#include "tests/list_check.hpp"
#include "tests/loop_sample.hpp"

namespace {

using namespace rewriter;
using lists::lost;
using lists::parsed;
using testing::HasSubstr;

std::string lost_of(const std::string& program) {
  return lost(lower(read(Source("prog.py", program))));
}

TEST(ParseLoops, ReadsBackTheProgramsOfTheTestsAfterEveryPass) {
  int loops = 0;
  int prints = 0;
  const std::filesystem::path folder = CUDAMAT_SOURCE_DIR "/tests/programs";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const StatementList list = lower(read(Source::from_file(entry.path().string())));
    EXPECT_EQ(lost(list), "") << entry.path();
    for (const char* const passes : {"default", "all"})
      run_passes(list, parse_pass_names(passes),
                 [&](const PassRun& run, const StatementList& left) {
                   EXPECT_EQ(lost(left), "") << entry.path() << " after " << run.pass->name;
                 });
    loops += !list.loops.empty();
    prints += std::any_of(list.statements.begin(), list.statements.end(),
                          [](const Statement& s) { return s.kind == Statement::Kind::Print; });
  }
  EXPECT_GT(loops, 5);
  EXPECT_GT(prints, 0);
}

TEST(ParseLoops, ReadsBackTheSample) {
  const StatementList list = samples::loops();
  ASSERT_THAT(print_statements(list), HasSubstr("\n  pass\n"));
  EXPECT_EQ(lost(list), "");
}

TEST(ParseLoops, ReadsBackEveryKindOfText) {
  EXPECT_EQ(
      lost_of("import numpy as np\nx = np.array([1.5, -2.0])\nfor i in range(-2, 9, 3):\n"
              "    print('{x}', x[0], i, 3, 'a\\t\\\\\"', x[1] > 0, np.argmax(x), sep='}{')\n"
              "    print('%5.2f|%-4d|%s%%|%+g' % (x[0], i, x[1], x[0]) + str(i * 2), end='')\n"
              "    print('%d' % x[0], -i - 1, 5 - 2 * i)\n    print()\n    print('', end='')\n"
              "    print(x[0], sep='', end='')\n"),
      "");
}

TEST(ParseLoops, ReadsBackExceptions) {
  const std::string program =
      "import numpy as np\nx: (3,)\nif x[0] > 1: raise ValueError\n"
      "for i in range(3):\n    assert x[i] > 0, f'{i}: {x[i]:.3f} {{}}'\n"
      "    if x.sum() > i: raise np.linalg.LinAlgError(i)\n";
  ReadOptions options;
  options.raises = true;
  const StatementList list = lower(read(Source("prog.py", program), options));
  EXPECT_EQ(lost(list), "");
  const std::string printed = print_statements(list);
  EXPECT_THAT(printed, HasSubstr("\n  raise ValueError()"));
  EXPECT_THAT(printed, HasSubstr("raise AssertionError(\"{}: {:.3f} {{}}\", i, "));
  EXPECT_THAT(printed, HasSubstr("raise np.linalg.LinAlgError(\"{}\", i)"));
  EXPECT_THAT(print_json(list), HasSubstr("{\"raises\":\"ValueError\"}"));
  EXPECT_THAT(print_cudamat_py(list), HasSubstr("raise ValueError("));
  EXPECT_THAT(print_cudamat_cpp(list), HasSubstr("throw cm::CUDAMatException("));
  EXPECT_EQ(lost(lower(read(Source("prog.py", program)))), "");
}

TEST(ParseLoops, ReadsBackIntegersOfSeveralLoops) {
  EXPECT_EQ(lost_of("import numpy as np\nX: (24, 24)\ny = np.zeros(3)\n"
                    "for int in range(2):\n    for for_ in range(3, 0, -1):\n"
                    "        for c in range(2):\n"
                    "            y += X[12 * int + 4 * c, 8 * for_ - 7 - c:8 * for_ - c - 4]\n"
                    "            X[12 * int + c, 0] = int - 2 * c + 7\n"
                    "    y[int] = for_ - int\n"),
            "");
}

/// As people would write it, against the list made by hand.
TEST(ParseLoops, ReadsWhatPeopleWrite) {
  const StatementList list = parsed(
      "# a.py as Cudamat statements, float32\ninput x: (2, 12)\ninput y: (2, 12)\ninput one: ()\n"
      "# 3: for i in range(2):\nfor i in range(2):\n   \n"
      "# 4: for j in ...\n        part = x.slice((i+1)*4 - 3, 4*i + 3)  # any number of spaces\n"
      "        for j in range(5, -1, -2):\n"
      "         y.set_col_slice(2*2 - (-j), j*1 + 3*2 + 0*i, part)\n"
      "        pass\n"
      "        print(\"{} {{{:.3f}}}\", 3 - 0 - i*2 + i, int(one))\n"
      "        one.assign(+7 - -i)\n"
      "# 5 statements: 3 calls\n");
  using Kind = Statement::Kind;
  using Terms = std::vector<Statement::Term>;
  ASSERT_EQ(list.loops.size(), 2U);
  EXPECT_EQ(list.loops[0].name + list.loops[1].name, "ij");
  EXPECT_EQ(list.loops[0].start, 0);
  EXPECT_EQ(list.loops[0].stop, 2);
  EXPECT_EQ(list.loops[1].step, -2);
  std::vector<Kind> kinds;
  for (const Statement& s : list.statements) kinds.push_back(s.kind);
  EXPECT_THAT(kinds, testing::ElementsAre(Kind::Loop, Kind::Slice, Kind::Loop, Kind::Call,
                                          Kind::End, Kind::Print, Kind::Call, Kind::End));
  EXPECT_THAT(list.statements[1].integers, testing::ElementsAre(1, 3));
  EXPECT_EQ(list.statements[1].terms, (Terms{{0, 4}}));
  EXPECT_EQ(list.statements[1].where.line, 4);
  EXPECT_EQ(list.statements[7].loop, 0);
  EXPECT_EQ(list.statements[7].where.line, 3);
  EXPECT_THAT(list.statements[3].integers, testing::ElementsAre(4, 6));
  EXPECT_EQ(list.statements[3].terms, (Terms{{1, 1}}));
  const auto& parts = list.statements[5].parts;
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].constant, 3);
  EXPECT_EQ(parts[0].terms, (Terms{{0, -1}}));
  EXPECT_EQ(parts[1].text, " {");
  EXPECT_EQ(parts[2].text, ".3f");
  EXPECT_EQ(parts[2].dtype, DType::Int);
  EXPECT_EQ(parts[3].text, "}");
  EXPECT_THAT(list.statements[6].numbers, testing::ElementsAre(7));
  EXPECT_EQ(list.statements[6].terms, (Terms{{0, 1}}));
}

TEST(ParseLoops, ReadsTheMethodsOfTheOriginalPackage) {
  const StatementList list = parsed(
      "input h: (2, 3)\nt = cm.empty((2, 3))\nh.apply_sigmoid()\nh.apply_tanh(target=t)\n"
      "t.apply_soft_threshold(0.5)\n");
  const StatementList same = parsed(
      "input h: (2, 3)\nt = cm.empty((2, 3))\ncm.sigmoid(h)\ncm.tanh(h, target=t)\n"
      "cm.soft_threshold(t, 0.5)\n");
  EXPECT_EQ(first_difference(list, same), "");
}

TEST(ParseLoops, ComparesRangesNamesAndTexts) {
  const auto text = [](const char* loop, const char* print) {
    return parsed(std::string(loop) + "\n  " + print + "\n");
  };
  const StatementList list = text("for i in range(0, 3):", "print(\"a{}\", i)");
  EXPECT_EQ(first_difference(list, text("for i in range(3):", "print('a{}', 1 * i)")), "");
  for (const char* loop : {"for j in range(0, 3):", "for i in range(0, 4):",
                           "for i in range(1, 3):", "for i in range(0, 3, 2):"})
    EXPECT_THAT(first_difference(list, text(loop, "print(\"a\")")), HasSubstr("ranges")) << loop;
  for (const char* print : {"print(\"b{}\", i)", "print(\"a{:d}\", i)", "print(\"a{}\", i + 1)"})
    EXPECT_THAT(first_difference(list, text("for i in range(3):", print)), HasSubstr("texts"));
}

// ---- what is refused

constexpr const char* kHead =
    "input x: (4, 6)\n"                      // 1
    "t = cm.empty((4, 6))\n"                 // 2
    "cm.exp(x, target=t)\n"                  // 3
    "one = cm.empty((1, 1))\n"               // 4
    "one.assign(0)\n"                        // 5
    "for i in range(0, 3):\n"                // 6
    "  part = t.slice(2 * i, 2 * i + 2)\n";  // 7

struct Refused {
  const char* line;  ///< stands in line 8
  int column;        ///< 0: the problem is in the last line
  const char* says;
};

const Refused kRefused[] = {
    // blocks
    {"    part.add(1)", 1, "indented more than those of its loop"},
    {" part.add(1)", 2, "matches no line above"},
    {"  for j in range(3):\n  t.add(1)", 3, "a loop needs a body"},
    {"  for j in range(3):", 3, "a loop needs a body"},
    {"  for j in range(3): t.add(1)", 22, "expected the end of the line"},
    {"  for j in range(3)\n    pass", 20, "expected ':'"},
    {"  for j of range(3):\n    pass", 9, "expected 'in', found 'of'"},
    {"  for 3 in range(3):\n    pass", 7, "expected the name of the loop's variable"},
    {"  for j in x:\n    pass", 12, "range(START, STOP)"},
    {"  for j in range(0):\n    pass", 12, "range(0, 0, 1) has no numbers"},
    {"  for j in range(1, 3, -1):\n    pass", 12, "range(1, 3, -1) has no numbers"},
    {"  for j in range(1, 3, 0):\n    pass", 12, "the step of a range cannot be 0"},
    {"  for j in range(1, 2, 3, 4):\n    pass", 27, "range(START, STOP, STEP)"},
    {"  for j in range():\n    pass", 18, "expected a number"},
    {"  for j in range(0, k):\n    pass", 21, "expected a number"},
    {"  for j in range(0, 1, i):\n    pass", 24, "expected a number"},
    {"  for j in range(i + 1, 1):\n    pass", 7, "no numbers in any iteration"},
    {"  for j in range(-9223372036854775807, 2):\n    pass", 12, "2^63 or more apart"},
    {"pass", 5, "expected '.'"},
    {"  input y: (4, 6)", 3, "inputs come first"},
    {"  output t: (4, 6)", 3, "an output is inside a loop"},
    {"output t: (4, 6)\nprint(\"\")", 0, "follows the outputs"},
    // names
    {"  for i in range(2):\n    pass", 7, "i is the variable of the loop around it, in line 6"},
    {"  for t in range(2):\n    pass", 7, "t is the matrix of line 2; a loop's variable needs"},
    {"  i = cm.empty((2, 2))", 3, "i is the variable of the loop in line 6; a matrix needs"},
    {"  i.add(1)", 3, "i is the variable of the loop in line 6, not a matrix"},
    {"  x.add(1, target=i)", 19, "i is the variable of the loop in line 6, not a matrix"},
    {"u = t.slice(i, i + 1)", 13, "i is used outside its loop, in line 6"},
    {"  t.add(y)\n  y = cm.empty((2, 2))", 9, "y is used before it is defined in line 9"},
    // integers
    {"  t.add(i)", 9, "[add] only assign() and slices take a loop's variable"},
    {"  one.assign(i * i)", 16, "the variable of only one loop"},
    {"  one.assign(2.5 * i)", 14, "whole number"},
    {"  one.assign(i + one)", 18, "expected a whole number, found the matrix one"},
    {"  one.assign(i + k)", 18, "a variable of a loop around this line, found 'k'"},
    {"  one.assign(i + )", 18, "expected a whole number, found ')'"},
    {"  one.assign((i + 1)", 13, "'(' is never closed"},
    {"  one.assign(9223372036854775807 * i)", 14, "64 bits"},
    {"  one.assign(9223372036854775807 * 9 - i)", 14, "64 bits"},
    {"  q = t.slice(part, 2)", 15, "expected a whole number, found the matrix part"},
    {"  x.sum(axis=i, target=one)", 14, "expected a whole number"},
    // prints
    {"  print(3)", 9, "expected the string in quotes"},
    {"  print(\"{}\")", 13, "a number for each of the string's 1 replacement fields"},
    {"  print(\"a\", i)", 12, "the string has 0 replacement fields"},
    {"  raise 3", 9, "the exception's type"},
    {"  raise E", 10, "'('"},
    {"  print(\"{\", i)", 9, "a '{' that nothing closes"},
    {"  print(\"}\")", 9, "a '}' that closes nothing"},
    {"  print(\"{0}\", i)", 9, "'{0}' is not a replacement field"},
    {"  print(\"{:.2q}\", i)", 9, "'{:.2q}' is not a replacement field"},
    {"  print(\"{}\", 2.5)", 15, "whole number"},
    {"  print(\"{}\", nobody)", 15, "'nobody' is not defined"},
    {"print(\"{}\", i)", 13, "the variable of the loop in line 6"},
    {"  print(\"{}\", int(i))", 19, "the variable of the loop in line 6"},
    {"  print(\"{}\", part)", 3, "operand must be 1x1; got 4x2"},
    {"  print(f\"{i}\")", 9, "f-strings"},
    // what find_problem() says
    {"  q = t.slice(2 * i, 2 * i + 3)", 3, "columns 0:7 do not lie within 0:6"},
    {"  q = t.slice(i - 1, i)", 3, "columns -1:2 do not lie within 0:6"},
    {"  q = t.slice(i + 1, i)", 3, "do not lie within 0:6"},
    {"  t.set_col_slice(i, i + 2, part)", 3, "[set_col_slice] self 4x6 overlaps mat 4x2"},
    {"  q = t.slice(i, i + 2)\n  part.add(q)", 0, "[add] target 4x2 partly overlaps val 4x2"},
    {"  t.set_row_slice(i + 2, i + 3, x)", 3, "rows 2:5 do not lie within 0:4"},
    {"  u = cm.empty((2, 2))", 3, "the loop's body does not free u"},
    {"  u = cm.empty((4, 6))\n  t.add(u)", 0, "read before anything wrote"},
    {"  t.free_device_memory()", 3, "t is freed in another loop than it is made in"},
    {"part.add(1)", 1, "part is used outside the loop that defines it"},
    {"output part: (4, 2)", 1, "part is used outside the loop that defines it"},
    // what depends on a loop's variable
    {"  q = t.slice(i, 2 * i - 1)", 3, "columns 0:-1 do not lie within 0:6"},
    {"  q = t.slice(i, 3 * i + 1)", 3, "columns 2:7 do not lie within 0:6"},
    {"  q = cm.empty((4, i - 1))", 3, "q would be 4x-1 in an iteration"},
    {"  q = cm.empty((i, 2))\n  t.get_row_slice(0, i + 1, target=q)", 0, "target must be 1x6"},
    {"  q = t.slice(0, i)\n  q.add(t)", 0, "[add] val must be 4x0 to match mat; got 4x6"},
    {"  q = t.slice(0, 2 * i)\n  q.add(part)", 0, "[add] val must be 4x0 to match mat; got 4x2"},
    {"  q = t.slice(0, i + 1)\n  r = t.slice(1, i + 2)\n  q.add(r)", 0, "partly overlaps"},
    {"  q = t.slice(0, i + 1)\n  r = q.view((2, i + 2))", 0, "different element count"},
    {"  for j in range(i, 3):\n    q = t.slice(0, j - i)\n    q.add(t)", 0, "val must be 4x0"},
    {"  q = cm.empty((1, 2))\n  r = q.view((i + 1, 2 - i))", 0, "different element count"},
    {"  q = cm.empty((i, 2))\n  q.assign(1)\n  r = q.slice(0, 2 - i)\n  s = r.view((2 - i, i))\n"
     "  r.transpose(target=s)",
     0, "overlaps"},
    {"  for j in range(0, 1000000000000):\n    for k in range(j, 5):", 0, "too many iterations"},
    {"  for j in range(0, i):\n    one.add(1)\nq = cm.empty((1, 1))\nfor k in range(2):\n"
     "  for j in range(0, k):\n    q.assign(1)\none.add(q)",
     0, "read before anything wrote to it"},
    {"for j in range(1):\n  q = t.slice(9223372036854775807 * j, 9223372036854775807 * j + 1)", 0,
     "the integer exceeds 64 bits"},
};

TEST(ParseLoops, RefusesWithLineAndColumn) {
  for (const Refused& refused : kRefused) {
    SCOPED_TRACE(refused.line);
    const std::string text = std::string(kHead) + refused.line + "\n";
    try {
      parsed(text);
      ADD_FAILURE() << "accepted";
    } catch (const ProgramError& error) {
      EXPECT_THAT(error.message(), HasSubstr(refused.says));
      const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
      EXPECT_EQ(error.location().line, refused.column == 0 ? lines : 8);
      EXPECT_TRUE(refused.column == 0 || error.location().column == refused.column)
          << error.location().column;
    }
  }
  EXPECT_NO_THROW(parsed(kHead));
}

TEST(ParseLoops, NeverReturnsAnIllFormedList) {
  const lists::Fates fates = lists::damaged(
      print_statements(samples::loops()),
      {"(", ")", ",", "1", "j", " + ", "-", "*", "{", "}", ":", "=", " ", "#", "for ", "int"});
  EXPECT_GT(fates.accepted, 100);
  EXPECT_GT(fates.refused, 100);
}

TEST(ParseLoops, TakesTenThousandLoops) {
  std::string text = "input x: (2, 2)\n";
  for (int i = 0; i < 10'000; ++i) text += "for i in range(0, 3):\n  x.add(1)\n";
  std::string indent;
  for (int i = 0; i < 100; ++i) {
    text += indent + "for j" + std::to_string(i) + " in range(0, 1):\n";
    indent += "  ";
  }
  text += indent + "x.add(1)\n";
  const StatementList list = parsed(text);
  EXPECT_EQ(list.loops.size(), 10'100U);
  EXPECT_EQ(lost(list), "");
}

}  // namespace

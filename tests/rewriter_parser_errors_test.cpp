// The exact text of errors: file:line:column, the message, the line and the caret.
#include <gtest/gtest.h>

#include "rewriter/python/parser.hpp"

namespace rewriter::ast {
namespace {

std::string error_of(std::string text) {
  try {
    parse(Source("prog.py", std::move(text)));
  } catch (const ProgramError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ParserErrors, PointAtTheToken) {
  EXPECT_EQ(error_of("a = 1\nb = (a + ) * 2\n"),
            "prog.py:2:10: expected an expression after '+', got ')'\n"
            "    b = (a + ) * 2\n"
            "             ^");
  EXPECT_EQ(error_of("a = 1 two\n"),
            "prog.py:1:7: expected an operator or the end of the statement, got 'two'\n"
            "    a = 1 two\n"
            "          ^~~");
  EXPECT_EQ(error_of("a = f(b c)\n"),
            "prog.py:1:9: expected an operator, ',' or ')', got 'c'\n"
            "    a = f(b c)\n"
            "            ^");
}

TEST(ParserErrors, PointAfterTheLastTokenWhereOneIsMissing) {
  EXPECT_EQ(error_of("a = b *   # product\nc = 1\n"),
            "prog.py:1:8: expected an expression after '*', got the end of the line\n"
            "    a = b *   # product\n"
            "           ^");
  EXPECT_EQ(error_of("import"),
            "prog.py:1:7: expected a name, got the end of the line\n"
            "    import\n"
            "          ^");
}

TEST(ParserErrors, UnderlineTheWholeOffender) {
  EXPECT_EQ(error_of("np.dot(a, b) = c\n"),
            "prog.py:1:1: the value of an expression cannot be assigned to; a target is a name, "
            "x.name, x[...] or names with commas\n"
            "    np.dot(a, b) = c\n"
            "    ^~~~~~~~~~~~");
  EXPECT_EQ(error_of("f(axis=0, x + y)\n"),
            "prog.py:1:11: a positional argument cannot follow a keyword argument\n"
            "    f(axis=0, x + y)\n"
            "              ^~~~~");
}

TEST(ParserErrors, CountCharactersAndAlignTheCaret) {
  EXPECT_EQ(error_of("\xce\xb4 = \xce\xb5 + )\n"),
            "prog.py:1:9: ')' closes nothing\n"
            "    \xce\xb4 = \xce\xb5 + )\n"
            "            ^");
  // a wide character takes two columns of the terminal, a combining one takes none
  EXPECT_EQ(error_of("a = '\xe6\x97\xa5\xe6\x9c\xac' ?\n"),
            "prog.py:1:10: unexpected character '?' (U+003F)\n"
            "    a = '\xe6\x97\xa5\xe6\x9c\xac' ?\n"
            "               ^");
  EXPECT_EQ(error_of("a = 'e\xcc\x81' ?\n"),
            "prog.py:1:10: unexpected character '?' (U+003F)\n"
            "    a = 'e\xcc\x81' ?\n"
            "            ^");
  EXPECT_EQ(error_of("a\t= b\t?\n"),
            "prog.py:1:7: unexpected character '?' (U+003F)\n"
            "    a   = b ?\n"
            "            ^");
}

TEST(ParserErrors, CutLongLinesAroundTheCaret) {
  std::string line = "y = x0";
  for (int i = 1; i < 100; ++i) line += " + x" + std::to_string(i);
  EXPECT_EQ(
      error_of(line + " $" + line),
      "prog.py:1:593: unexpected character '$' (U+0024)\n"
      "    ...x93 + x94 + x95 + x96 + x97 + x98 + x99 $y = x0 + x1 + x2 + x3 + x4 + x5 + x6 + "
      "x7 + x8 + x9 + x10 +...\n"
      "                                               ^");
}

TEST(ParserErrors, KeepControlCharactersFromTheTerminal) {
  EXPECT_EQ(error_of("a = '\x1b[31m' $\n"),
            "prog.py:1:13: unexpected character '$' (U+0024)\n"
            "    a = '?[31m' $\n"
            "                ^");
  EXPECT_EQ(error_of("a = \x1b\n"),
            "prog.py:1:5: unexpected control character U+001B\n"
            "    a = ?\n"
            "        ^");
}

TEST(ParserErrors, NameDamagedText) {
  EXPECT_EQ(error_of("a = 1\nb = '\xe9'\n"),
            "prog.py:2:6: byte 0xE9 is not UTF-8; save the program as UTF-8\n"
            "    b = '\xef\xbf\xbd'\n"
            "         ^");
  EXPECT_EQ(error_of(std::string("a = 1\0\n", 7)),
            "prog.py:1:6: a zero byte; is this a text file?\n"
            "    a = 1?\n"
            "         ^");
}

TEST(ParserErrors, NameTheBracketThatIsNeverClosed) {
  EXPECT_EQ(error_of("a = np.dot(b, (c + d)\ne = f(a)\n"),
            "prog.py:1:11: '(' is never closed\n"
            "    a = np.dot(b, (c + d)\n"
            "              ^");
  EXPECT_EQ(error_of("a = (b\n     + c]\n"),
            "prog.py:2:9: ']' does not close the '(' of line 1, column 5\n"
            "    + c]\n"
            "       ^");
  // the report's listing 2.2 has this line, with one bracket too many
  EXPECT_EQ(error_of("err.append((v2-v1).euclid_norm()**2/(num_vis*batch_size)))\n"),
            "prog.py:1:58: ')' closes nothing\n"
            "    err.append((v2-v1).euclid_norm()**2/(num_vis*batch_size)))\n"
            "                                                             ^");
}

TEST(ParserErrors, PointAtIndentation) {
  EXPECT_EQ(error_of("a = 1\n  b = 2\n"),
            "prog.py:2:1: unexpected indentation\n"
            "      b = 2\n"
            "    ^~");
}

TEST(ParserErrors, ReportTheFirstErrorOfTheText) {
  EXPECT_EQ(error_of("a = = 1\nb = '\nc = 0b3"),
            "prog.py:1:5: expected an expression after '=', got '='\n"
            "    a = = 1\n"
            "        ^");
}

TEST(ParserErrors, RefuseStatementsByName) {
  EXPECT_EQ(error_of("if a:\n    break\n"),
            "prog.py:2:5: 'break' outside loop\n"
            "    break\n"
            "    ^~~~~");
  EXPECT_EQ(error_of("class 3: b = 1\n").substr(0, 11), "prog.py:1:7");
}

struct Case {
  const char* text;
  const char* first_line;
};

TEST(ParserErrors, SayWhatToWriteInstead) {
  const Case cases[] = {
      {"c = a if b",
       "1:11: expected 'else' after a value and its condition, as in a if b else c; "
       "got the end of the line"},
      {"c = a else d", "1:7: there is no 'if' before this 'else'"},
      {"for f(a) in c: pass",
       "1:5: the value of an expression cannot be assigned to; a target is a name, x.name, "
       "x[...] or names with commas"},
      {"for a = c: pass", "1:7: expected 'in' after what a loop assigns, got '='"},
      {"for i in range(3)\n  x = i", "1:18: expected ':' after the line, got the end of the line"},
      {"for i in range(3):\nx = i", "2:1: expected an indented block"},
      {"if a: for i in b: pass", "1:7: a compound statement needs a line of its own"},
      {"if a:\n  x = 1\n    y = 2", "3:1: unexpected indentation"},
      {"else: x = 1", "1:1: this belongs to a compound statement, and there is none before it"},
      {"def f(**a, b): pass", "1:12: the parameter ** must be the last one"},
      {"def f(a, a): pass", "1:10: the parameter 'a' is given twice"},
      {"def f(a=1, b): pass", "1:12: a parameter without a default follows one that has a default"},
      {"def f(a b): pass", "1:9: expected ',' or ')', got 'b'"},
      {"global k.x", "1:8: 'global' takes names"},
      {"def f(): nonlocal a, 1", "1:22: expected a name, got '1'"},
      {"class A: yield x", "1:10: 'yield' outside function"},
      {"try: x\nexcept A, B: y", "2:9: several exceptions are written as a tuple: except (A, B)"},
      {"try: x\nexcept* A: y", "2:7: except* is not supported"},
      {"try: x\ny", "2:1: expected 'except' or 'finally', got 'y'"},
      {"with a, : b", "1:9: expected an expression after ',', got ':'"},
      {"class A.b: pass", "1:7: a class is class NAME: or class NAME(bases):"},
      {"class A:\n  x = = 1", "2:7: expected an expression after '=', got '='"},
      {"@a\nasync def f(): x", "2:1: async is not supported"},
      {"@a\nx = 1", "2:1: expected a def or a class, got 'x'"},
      {"x = f(y, i for i in y)",
       "1:12: a comprehension needs brackets of its own in a call with other arguments"},
      {"x = 1 + lambda: 0", "1:9: a lambda needs parentheses here"},
      {"(y[0] := 3)", "1:7: ':=' must be in parentheses and assigns to a name"},
      {"f(y + *z)",
       "1:7: '*' unpacks arguments of calls and elements of lists; it cannot be used here"},
      {"x = (*y)", "1:6: a star unpacks into a list or a tuple: (*a,)"},
      {"x = f'{y'", "1:7: a '{' of an f-string is never closed; '{{' prints one"},
      {"x = f'}'", "1:7: a single '}' in an f-string; '}}' prints one"},
      {"x = {y: z, w}", "1:12: a dictionary holds pairs, key: value; a set holds none"},
      {"x = 2jj", "1:5: '2jj' is not a number"},
      {"x = 0x2j", "1:5: '0x2j' is not a number"},
      {"X: 128, 784", "1:7: a shape is written in parentheses: NAME: (rows, columns)"},
      {"X[0]: (1, 2)", "1:1: only a name can be annotated, as in X: (128, 784)"},
      {"print 'a'", "1:1: print is a function in Python 3: print(...)"},
      {"x = 010", "1:5: an integer cannot start with 0; write 10, or octal as 0o10"},
      {"x = 10L", "1:5: integers have no suffix in Python 3; write 10"},
      {"x = 1.5f", "1:5: numbers have no suffix in Python; write 1.5"},
      {"x = 2y", "1:5: '2y' is not a number"},
      {"x = y <> z", "1:7: '<>' is '!=' in Python 3"},
      {"x = y \xe2\x88\x92 z", "1:7: U+2212 is not part of Python; write -"},
      {"x = \xe2\x80\x9cy\xe2\x80\x9d", "1:5: U+201C is not part of Python; write a plain quote"},
      {"x =\xc2\xa0y", "1:4: U+00A0 is not part of Python; write a plain space"},
      {"x = y\xc2\xb2", "1:6: U+00B2 is not part of Python; write **2"},
      {"x = (y = 2)", "1:8: '=' assigns and cannot be used inside an expression; == compares"},
      {"f(x.y=2)", "1:6: only a name can come before the '=' of a keyword argument"},
      {"f(x=2, x=3)", "1:8: the argument 'x' is given twice"},
      {"x = y + not z",
       "1:9: 'not' binds more weakly than the '+' before it; put it into parentheses "
       "with its operand"},
      {"x[1:2:3:4]", "1:8: a slice is start:stop:step, with two colons at most"},
      {"x[]", "1:3: an index is missing between '[' and ']'"},
      {"x = ...", "1:5: '...' has a meaning only as an index, as in x[..., 0]"},
      {"x, (y, 1) = z",
       "1:8: this cannot be assigned to; a target is a name, x.name, x[...] or names with "
       "commas"},
      {"*x, *y = z", "1:5: two targets with a star"},
      {"x, y += z", "1:1: an augmented assignment has one target"},
      {"x = y.class", "1:7: 'class' is a Python keyword and cannot be an attribute"},
      {"x = class", "1:5: expected an expression, got the Python keyword 'class'"},
      {"x = 'abc", "1:5: this string is not closed on its line"},
      {"x = '''abc", "1:5: this string is never closed"},
      {"x = '\\x4'", "1:6: this escape needs 2 hexadecimal digits"},
      {"x = y \\ z", "1:7: '\\' continues a line only as its very last character"},
      {"x = y \\", "1:7: the program ends after '\\'"},
  };
  for (const Case& c : cases) {
    const std::string error = error_of(c.text);
    EXPECT_EQ(error.substr(0, error.find('\n')), std::string("prog.py:") + c.first_line) << c.text;
  }
}

TEST(ParserErrors, ContainersAreNestedAtMostAHundredDeep) {
  for (const auto& [open, close] :
       {std::pair("[", "]"), {"(", ",)"}, {"{", "}"}, {"{1: ", "}"}, {"[*", "]"}})
    for (const int deep : {101, 100000})
      for (const char* const value : {"", " = x"}) {
        std::string text, end;
        for (int i = 0; i < deep; ++i) {
          text += open;
          end += close;
        }
        const std::string error = error_of(text + "(x)" + end + value);
        EXPECT_NE(error.find(": lists, tuples and dictionaries are nested more than 100 deep\n"),
                  std::string::npos)
            << error;
      }
}

TEST(ParserErrors, CarryTheirParts) {
  const Source source("dir/p.py", "a = 1\n  b = 2 +\n");
  const ProgramError error(source, {10, 11}, "no");
  EXPECT_EQ(error.file(), "dir/p.py");
  EXPECT_EQ(error.location(), (SourceLocation{2, 5}));
  EXPECT_EQ(error.span(), (Span{10, 11}));
  EXPECT_EQ(error.message(), "no");
  EXPECT_STREQ(error.what(), "dir/p.py:2:5: no\n    b = 2 +\n      ^");
  const ProgramError multi(source, {4, 12}, "no");
  EXPECT_STREQ(multi.what(), "dir/p.py:1:5: no\n    a = 1\n        ^");
}

}  // namespace
}  // namespace rewriter::ast

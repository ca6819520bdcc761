// What the tree holds beyond what Python's own has: the flat order, places, statements; and inputs
// of any depth, length and damage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rewriter/python/lexer.hpp"
#include "rewriter/python/parser.hpp"
#include "tests/rewriter_parser_corpus.hpp"
#include "tests/rewriter_parser_generator.hpp"

namespace rewriter::ast {
namespace {

using testing::ElementsAre;

Program parse_text(std::string text) {
  return parse(Source("prog.py", std::move(text)));
}

std::string repeat(std::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

// The flat order that ast.hpp promises, from the children alone.
void check_order(const Program& program) {
  for (ExprId id = 0; id < program.exprs.size(); ++id) {
    const Expr& e = program[id];
    ExprId next = e.first;  // where the next child's subtree has to start
    for (const ExprId child : program.children(e)) {
      if (child == kNoExpr) continue;
      ASSERT_LT(child, id);
      ASSERT_EQ(program[child].first, next);
      next = child + 1;
      ASSERT_GE(program[child].span.begin, e.span.begin);
      ASSERT_LE(program[child].span.end, e.span.end);
    }
    ASSERT_EQ(next, id);
    ASSERT_LE(e.span.begin, e.token.begin);
    ASSERT_LE(e.token.end, e.span.end);
    ASSERT_LE(e.span.end, program.source.text().size());
  }
  for (const Statement& s : program.statements) {
    ASSERT_LE(s.line, s.last_line);
    ASSERT_LE(s.last_line, program.source.line_count());
  }
}

TEST(Parser, StoresChildrenBeforeParentsAndSubtreesWithoutGaps) {
  for (const std::string& text : kTaken) check_order(parse_text(text));
}

TEST(Parser, NumbersNodesInTheOrderOfEvaluation) {
  const Program p = parse_text("y = f(a + b, k=c)[1:, d]\n");
  std::vector<std::string> nodes;
  for (const Expr& e : p.exprs) nodes.emplace_back(p.source.slice(e.span));
  EXPECT_THAT(nodes, ElementsAre("y", "f", "a", "b", "a + b", "c", "k=c", "f(a + b, k=c)", "1",
                                 "1:", "d", "f(a + b, k=c)[1:, d]"));
}

TEST(Parser, NodesNameTheirOperator) {
  const Program p = parse_text("(a) + b.T.f(c)[d] < (-e)\n");
  std::vector<std::string> tokens;
  for (const Expr& e : p.exprs) {
    if (e.child_count > 0) tokens.emplace_back(p.source.slice(e.token));
  }
  EXPECT_THAT(tokens, ElementsAre("T", "f", "(", "[", "+", "-", "<"));
  EXPECT_EQ(p.text(static_cast<ExprId>(p.exprs.size() - 1)), "(a) + b.T.f(c)[d] < (-e)");
}

TEST(Parser, StatementsKnowTheirLinesAndText) {
  const Program p = parse_text("# c\na = 1; b += (2 +\n 3) # d\n\n'''doc\n'''\nX: (1, 2)\npass\n");
  std::vector<std::string> texts;
  std::vector<std::pair<int, int>> lines;
  for (const Statement& s : p.statements) {
    texts.emplace_back(p.text(s));
    lines.emplace_back(s.line, s.last_line);
  }
  EXPECT_THAT(texts, ElementsAre("a = 1", "b += (2 +\n 3)", "X: (1, 2)", "pass"));
  EXPECT_THAT(lines,
              ElementsAre(std::pair(2, 2), std::pair(2, 3), std::pair(7, 7), std::pair(8, 8)));
  EXPECT_EQ(p.source.slice(p.statements[1].token), "+=");
}

TEST(Parser, TakesManyDecoratorsWithoutRecursion) {
  const Program p = parse_text(repeat("@a\n", 100000) + "def f(): pass");
  EXPECT_EQ(p.decorators_of(p.statements[0]).size(), 100000u);
}

TEST(Parser, EqualNamesShareOneString) {
  const Program p = parse_text("a = a + \xcf\xb5 + \xce\xb5 + b.a\n");
  EXPECT_EQ(p[0].payload, p[1].payload);
  EXPECT_EQ(p[2].payload, p[4].payload);
  EXPECT_EQ(p.strings.size(), 3u);
}

TEST(Parser, KeepsExactIntegersAndTheNearestDouble) {
  const Program p = parse_text("9223372036854775807, 9223372036854775808, 9007199254740993, 0.1");
  EXPECT_EQ(p.numbers[0].integer, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(p.numbers[1].kind, Number::Kind::BigInteger);
  EXPECT_EQ(p.numbers[1].real, 0x1p63);
  EXPECT_EQ(p.numbers[2].integer, 9007199254740993);
  EXPECT_EQ(p.numbers[2].real, 0x1p53);
  EXPECT_EQ(p.numbers[3].kind, Number::Kind::Real);
  EXPECT_EQ(p.numbers[3].real, 0x1.999999999999ap-4);
}

TEST(Parser, ReadsTheSameWithAnyLineEndAndAByteOrderMark) {
  for (const char* end : {"\n", "\r\n", "\r"}) {
    const std::string text = fmt::format(
        "\xEF\xBB\xBF"
        "a = 1{0}{0}b = (2 +{0}3){0}",
        end);
    const Program p = parse_text(text);
    ASSERT_EQ(p.statements.size(), 2u);
    EXPECT_EQ(p.statements[0].span, (Span{0, 5}));
    EXPECT_EQ(p.statements[1].line, 3);
    EXPECT_EQ(p.statements[1].last_line, 4);
  }
}

TEST(Parser, TakesEmptyPrograms) {
  for (const char* text : {"", "\n", "# c", "\xEF\xBB\xBF", "  \n\t# c\n   ", "'doc'", "\r\n"}) {
    EXPECT_TRUE(parse_text(text).statements.empty());
  }
}

// ---- blocks: the lexer knows them already ----

std::string token_letters(std::string text) {
  std::string letters;
  for (const Token& token : tokenize(Source("prog.py", std::move(text))).tokens) {
    switch (token.kind) {
      case TokenKind::Name:
        letters += 'n';
        break;
      case TokenKind::For:
        letters += 'f';
        break;
      case TokenKind::Colon:
        letters += ':';
        break;
      case TokenKind::Newline:
        letters += ';';
        break;
      case TokenKind::Indent:
        letters += '{';
        break;
      case TokenKind::Dedent:
        letters += '}';
        break;
      case TokenKind::EndOfFile:
        letters += '$';
        break;
      case TokenKind::Error:
        letters += '!';
        break;
      default:
        letters += '.';
    }
  }
  return letters;
}

TEST(Lexer, MarksBlocks) {
  EXPECT_EQ(token_letters("for x:\n  y\n  for z:\n    a\n\n# c\n  b\nc\n"),
            "fn:;{n;fn:;{n;}n;}n;$");
  EXPECT_EQ(token_letters("for x:\n  for y:\n\t  z"), "fn:;{fn:;{n;}}$");
  EXPECT_EQ(token_letters("for x:\n  (y\n)\n  [\nz]\na"), "fn:;{.n.;.n.;}n;$");
}

TEST(Lexer, RefusesIndentationThatMatchesNothingOrDependsOnTabs) {
  EXPECT_EQ(token_letters("for x:\n    y\n  z\n"), "fn:;{n;}!");
  EXPECT_EQ(token_letters("for x:\n        y\n\tz\n"), "fn:;{n;!");
  EXPECT_EQ(token_letters("for x:\n\ty\n        z\n"), "fn:;{n;!");
  EXPECT_EQ(tokenize(Source("s", "for x:\n    y\n  z\n")).error,
            "this indentation matches no line above");
  EXPECT_EQ(tokenize(Source("s", "for x:\n\ty\n        z\n")).error,
            "tabs and spaces are mixed in the indentation; use spaces");
}

TEST(Source, CountsColumnsInCharacters) {
  const Source source("s", "a\n\xce\xb5\t\xe6\x97\xa5x\r\n\nb");
  EXPECT_EQ(source.line_count(), 4);
  EXPECT_EQ(source.line(2), "\xce\xb5\t\xe6\x97\xa5x");
  EXPECT_EQ(source.line(3), "");
  EXPECT_EQ(source.location(0), (SourceLocation{1, 1}));
  EXPECT_EQ(source.location(8), (SourceLocation{2, 4}));
  EXPECT_EQ(source.location(11), (SourceLocation{3, 1}));
  EXPECT_EQ(source.location(13), (SourceLocation{4, 2}));
}

TEST(Source, FromFileNamesWhatItCannotRead) {
  try {
    Source::from_file("/nonexistent/prog.py");
    FAIL();
  } catch (const cudamat::CUDAMatException& error) {
    EXPECT_STREQ(error.what(),
                 "[read] cannot open /nonexistent/prog.py: No such file or directory");
  }
  EXPECT_THROW(Source::from_file("/"), cudamat::CUDAMatException);
}

// ---- depth and length ----

struct Long {
  const char* name;
  std::string text;
  std::size_t nodes;
};

void PrintTo(const Long& program, std::ostream* out) {
  *out << program.name;
}

class ParserLong : public testing::TestWithParam<Long> {};

TEST_P(ParserLong, ParsesWithoutRecursion) {
  const Program p = parse_text(GetParam().text);
  EXPECT_EQ(p.exprs.size(), GetParam().nodes);
  check_order(p);
}

INSTANTIATE_TEST_SUITE_P(
    All, ParserLong,
    testing::Values(
        Long{"parentheses", repeat("(", 100000) + "x" + repeat(")", 100000), 1},
        Long{"terms", "x" + repeat("+x", 1000000), 2000001},
        Long{"minuses", repeat("-", 100000) + "x", 100001},
        Long{"nots", repeat("not ", 100000) + "x", 100001},
        Long{"powers", "x" + repeat("**x", 100000), 200001},
        Long{"signed_powers", "x" + repeat("**-x", 100000), 300001},
        Long{"calls", repeat("f(", 100000) + "x" + repeat(")", 100000), 200001},
        Long{"chained_calls", "f" + repeat("(x)", 100000), 200001},
        Long{"keywords", repeat("f(k=", 100000) + "x" + repeat(")", 100000), 300001},
        Long{"arguments", "f(" + repeat("x,", 100000) + ")", 100002},
        Long{"subscripts", repeat("x[1:", 100000) + "x" + repeat("]", 100000), 400001},
        Long{"lists", repeat("[", 100) + repeat("]", 100), 100},
        Long{"tuples", repeat("(", 100) + ")" + repeat(",)", 99), 100},
        Long{"targets_in_brackets", repeat("[", 100) + "x" + repeat("]", 100) + " = y", 102},
        Long{"attributes", "x" + repeat(".T", 100000), 100001},
        Long{"targets", repeat("x = ", 100000) + "x", 100001},
        Long{"mixed", repeat("-f(x, (y + [z * ", 30000) + "1" + repeat("]))", 30000), 270001},
        Long{"statements", repeat("x = y + 1; ", 100000), 400000}),
    [](const auto& test) { return test.param.name; });

TEST(Parser, RefusesDeepDamageWithoutRecursion) {
  for (const char* open : {"(", "[", "f(", "x[", "-(", "f(a=", "x[:", "{", "not "}) {
    EXPECT_THROW(parse_text(repeat(open, 100000)), ProgramError) << open;
    EXPECT_THROW(parse_text(repeat(open, 100000) + "x y"), ProgramError) << open;
  }
}

TEST(Parser, RefusesVeryLongLinesInAShortText) {
  for (const int length : {1000, 200000}) {
    const std::string text = repeat("x+", length) + "$" + repeat("+x", length);
    try {
      parse_text(text);
      FAIL();
    } catch (const ProgramError& error) {
      EXPECT_EQ(error.location().column, 2 * length + 1);
      EXPECT_LT(std::string_view(error.what()).size(), 400u);
    }
  }
}

// ---- damage ----

TEST(Parser, MutatedProgramsParseOrThrowProgramError) {
  Generator generator(3);
  int parsed = 0;
  for (int i = 0; i < 40000; ++i) {
    const auto& seeds = i % 4 > 0 ? kTaken : i % 8 > 0 ? kOutside : kMalformed;
    std::string text = generator.mutate(seeds[generator.below(seeds.size())]);
    if (i % 3 == 0 && !text.empty()) {
      text[generator.below(text.size())] = static_cast<char>(generator.below(256));
    }
    try {
      const Program p = parse_text(text);
      check_order(p);
      ++parsed;
    } catch (const ProgramError& error) {
      const std::string_view what = error.what();
      ASSERT_TRUE(what.starts_with("prog.py:")) << what;
      ASSERT_EQ(std::count(what.begin(), what.end(), '\n'), 2) << what;
      ASSERT_GE(error.location().line, 1);
      ASSERT_LE(error.location().line, Source("", text).line_count());
    }
    if (HasFatalFailure()) FAIL() << text;
  }
  EXPECT_GT(parsed, 3000);
}

TEST(Parser, EveryPrefixOfAProgramParsesOrThrowsProgramError) {
  for (const std::string& text : kTaken) {
    for (std::size_t length = 0; length < text.size(); ++length) {
      try {
        check_order(parse_text(text.substr(0, length)));
      } catch (const ProgramError&) {
      }
    }
  }
}

}  // namespace
}  // namespace rewriter::ast

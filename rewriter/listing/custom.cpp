// Users' operations in the printed list:
//
//   cm.custom("both", x[0:2].T, y, 0.5, ndim=(2, 1), targets=(s, d))
//
// Operands, then numbers. ndim says how many dimensions the operands have in NumPy; without it all
// have two.
#include "rewriter/expr/custom.hpp"

#include <algorithm>

#include "cudamat/error.hpp"
#include "rewriter/listing/literals.hpp"
#include "rewriter/listing/print_text.hpp"
#include "rewriter/listing/scope.hpp"
#include "rewriter/python/literals.hpp"

namespace rewriter {

using ast::Token;
using ast::TokenCursor;
using ast::TokenKind;

namespace print {

std::string custom_text(const Statement& s, const ListNames& names) {
  std::string text = fmt::format("cm.custom(\"{}\"", s.custom->name);
  for (std::size_t i = 0; i < s.operands.size(); ++i) {
    text += ", " + names[s.operands[i].var];
    if (const Statement::Rows* const rows = rows_of(s, i))
      text +=
          fmt::format("[{}:{}]", affine_text(rows->first, names), affine_text(rows->last, names));
    if (s.operands[i].transposed) text += ".T";
  }
  for (const Number& number : s.numbers) text += ", " + python_number(number.value());
  const auto tuple = [&](std::string_view keyword, const auto& elements, const auto& element) {
    text += fmt::format(", {}=(", keyword);
    for (std::size_t i = 0; i < elements.size(); ++i)
      text += (i == 0 ? "" : ", ") + element(elements[i]);
    text += elements.size() == 1 ? ",)" : ")";
  };
  if (std::ranges::any_of(s.integers, [](Index ndim) { return ndim != 2; }))
    tuple("ndim", s.integers, [](Index ndim) { return fmt::format("{}", ndim); });
  tuple("targets", s.targets, [&](Var target) { return names[target]; });
  return text + ")";
}

void refuse_custom(const StatementList& list, const Statement& s, const std::string& printer) {
  throw cudamat::CUDAMatException(printer,
                                  located(list, s.where,
                                          fmt::format("{} is a custom operation: a printed program "
                                                      "does not contain its kernel; run() calls it",
                                                      s.custom->name)));
}

}  // namespace print

namespace {

class CustomReader {
 public:
  CustomReader(TokenCursor& cursor, const ListScope& scope) : cursor_(cursor), scope_(scope) {}

  Statement read() {
    for (int i = 0; i < 3; ++i) cursor_.next();
    expect(cursor_, TokenKind::LeftParen, "'('");
    s_.kind = Statement::Kind::Custom;
    name();
    while (cursor_.accept(TokenKind::Comma) && !cursor_.at(TokenKind::RightParen)) argument();
    if (s_.targets.empty()) fail(cursor_.peek(), "it has no targets");
    expect(cursor_, TokenKind::RightParen, "')'");
    if (s_.integers.empty()) s_.integers.assign(s_.operands.size(), 2);
    if (has_rows_)
      s_.rows.resize(s_.operands.size() + s_.targets.size());
    else
      s_.rows.clear();
    return std::move(s_);
  }

 private:
  [[noreturn]] void fail(const Token& token, const std::string& message) const {
    cursor_.fail(token,
                 message + "; it is written cm.custom(\"NAME\", a, b, number, targets=(t, u))");
  }

  void name() {
    const Token token = cursor_.next();
    if (token.kind != TokenKind::String) fail(token, "expected the operation's name in quotes");
    const ast::StringValue value = ast::string_value(cursor_.text(token));
    if (!value.error.empty()) cursor_.fail(token, value.error);
    s_.custom = find_custom(value.text);
    if (s_.custom == nullptr) cursor_.fail(token, unknown_custom(value.text));
  }

  void argument() {
    const Token first = cursor_.peek();
    if (cursor_.peek(1).kind == TokenKind::Assign) return keyword();
    if (!s_.targets.empty() || !s_.integers.empty())
      fail(first, "a positional argument follows a keyword argument");
    if (at_number(cursor_)) {
      s_.numbers.emplace_back(read_number(cursor_));
      return;
    }
    if (!s_.numbers.empty()) fail(first, "an operand follows a number");
    operand();
  }

  /// NAME, NAME.T, NAME[FIRST:LAST] or NAME[FIRST:LAST].T.
  void operand() {
    Statement::Operand operand{variable()};
    s_.rows.emplace_back();
    if (cursor_.accept(TokenKind::LeftBracket)) {
      Statement::Rows rows;
      rows.first = scope_.numbered(read_loop_integer(cursor_, scope_));
      expect(cursor_, TokenKind::Colon, "':'");
      rows.last = scope_.numbered(read_loop_integer(cursor_, scope_));
      expect(cursor_, TokenKind::RightBracket, "']'");
      s_.rows.back() = std::move(rows);
      has_rows_ = true;
    }
    if (cursor_.accept(TokenKind::Dot)) {
      const Token flag = cursor_.next();
      if (cursor_.text(flag) != "T") fail(flag, "an operand is a variable, rows of one or its .T");
      operand.transposed = true;
    }
    s_.operands.push_back(operand);
  }
  Var variable() {
    const Token token = cursor_.next();
    if (!is_variable_name(token)) fail(token, "expected a variable");
    return scope_.use(token);
  }

  void keyword() {
    const Token word = cursor_.next();
    const std::string_view text = cursor_.text(word);
    const bool is_ndim = text == "ndim";
    if (!is_ndim && text != "targets") fail(word, fmt::format("no argument is called '{}'", text));
    if (is_ndim ? !s_.integers.empty() : !s_.targets.empty())
      fail(word, fmt::format("'{}' is given twice", text));
    cursor_.next();
    expect(cursor_, TokenKind::LeftParen, "'('");
    do {
      if (cursor_.at(TokenKind::RightParen)) break;
      if (is_ndim)
        s_.integers.push_back(read_integer(cursor_));
      else
        s_.targets.push_back(variable());
    } while (cursor_.accept(TokenKind::Comma));
    expect(cursor_, TokenKind::RightParen, "')'");
  }

  TokenCursor& cursor_;
  const ListScope& scope_;
  Statement s_;
  bool has_rows_ = false;
};

}  // namespace

Statement read_custom(TokenCursor& cursor, const ListScope& scope) {
  return CustomReader(cursor, scope).read();
}

}  // namespace rewriter

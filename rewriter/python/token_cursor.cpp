#include "rewriter/python/token_cursor.hpp"

namespace rewriter::ast {

std::string TokenCursor::describe(const Token& token) const {
  constexpr std::size_t kLongest = 40;
  switch (token.kind) {
    case TokenKind::EndOfFile:
    case TokenKind::Dedent:
      return "the end of the program";
    case TokenKind::Newline:
      return "the end of the line";
    case TokenKind::Indent:
      return "an indented line";
    case TokenKind::String:
      return "a string";
    default:
      break;
  }
  const std::string_view spelling = text(token);
  if (spelling.size() > kLongest) {
    return token.kind == TokenKind::Number ? "a number" : "a name";
  }
  return fmt::format("'{}'", spelling);
}

void TokenCursor::check_brackets_before(Span span) const {
  if (list_->unclosed && list_->unclosed->begin < span.begin) {
    throw ProgramError(source_, *list_->unclosed,
                       fmt::format("'{}' is never closed", source_.slice(*list_->unclosed)));
  }
}

void TokenCursor::fail(Span span, const std::string& message) const {
  check_brackets_before(span);
  throw ProgramError(source_, span, message);
}

void TokenCursor::fail_unsupported(Span span, const std::string& message) const {
  check_brackets_before(span);
  throw UnsupportedError(source_, span, message);
}

void TokenCursor::fail(const Token& token, const std::string& message) const {
  if (token.kind == TokenKind::Error) throw ProgramError(source_, token.span, list_->error);
  fail(token.span, message);
}

}  // namespace rewriter::ast

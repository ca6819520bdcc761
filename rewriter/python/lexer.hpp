// Text to tokens, with Python's rules for lines and indentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/text/source.hpp"

namespace rewriter::ast {

enum class TokenKind : std::uint8_t {
  // clang-format off
  EndOfFile, Newline, Indent, Dedent, Error,
  Name, Number, String,
  // punctuation
  LeftParen, RightParen, LeftBracket, RightBracket, LeftBrace, RightBrace,
  Comma, Colon, Semicolon, Dot, Ellipsis, Assign, Arrow, Walrus,
  Plus, Minus, Star, Slash, DoubleSlash, Percent, At, DoubleStar,
  Ampersand, Bar, Caret, Tilde, LeftShift, RightShift,
  Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual,
  PlusAssign, MinusAssign, StarAssign, SlashAssign, DoubleSlashAssign, PercentAssign, AtAssign,
  DoubleStarAssign, AmpersandAssign, BarAssign, CaretAssign, LeftShiftAssign, RightShiftAssign,
  // keywords, in the order of their spellings
  False, None, True, And, As, Assert, Async, Await, Break, Class, Continue, Def, Del, Elif, Else,
  Except, Finally, For, From, Global, If, Import, In, Is, Lambda, Nonlocal, Not, Or, Pass, Raise,
  Return, Try, While, With, Yield,
  // clang-format on
};

inline bool is_keyword(TokenKind kind) {
  return kind >= TokenKind::False;
}

struct Token {
  TokenKind kind = TokenKind::EndOfFile;
  Span span;
};

/// The tokens of a program. The list ends with EndOfFile, after the Newline and Dedents that close
/// it, or with Error at the first place that is not a token; `error` then says why. So a parser
/// that meets errors in order reports the first one of the text.
struct TokenList {
  std::vector<Token> tokens;
  std::string error;
  /// The first bracket that nothing closes, if there is one.
  std::optional<Span> unclosed;
};

/// Comments, blank lines and line ends inside brackets leave no token. Throws ProgramError where
/// the text as a whole is not a program: bytes that are not UTF-8, or zero bytes.
TokenList tokenize(const Source& source);

/// The tokens of one of its files.
TokenList tokenize_file(const Source& source, std::size_t file);

/// The tokens of a part of it, as inside brackets, where line ends do not count: of an expression
/// in an f-string. The list ends with EndOfFile at the part's end.
TokenList tokenize_part(const Source& source, Span part);

}  // namespace rewriter::ast

// A place in a list of tokens, and the errors that a parser reports there.
#pragma once

#include <string>
#include <string_view>

#include "rewriter/python/lexer.hpp"
#include "rewriter/text/source.hpp"

namespace rewriter::ast {

class TokenCursor {
 public:
  TokenCursor(const Source& source, const TokenList& list) : source_(source), list_(&list) {}

  /// After the end, the last token of the list is returned.
  const Token& peek(std::size_t ahead = 0) const {
    const std::size_t last = list_->tokens.size() - 1;
    return list_->tokens[position_ + ahead < last ? position_ + ahead : last];
  }
  bool at(TokenKind kind) const { return peek().kind == kind; }
  const Token& next() {
    const Token& token = peek();
    ++position_;
    return token;
  }
  bool accept(TokenKind kind) {
    if (!at(kind)) return false;
    ++position_;
    return true;
  }
  /// The token before this one. Requires that next() was called.
  const Token& previous() const { return list_->tokens[position_ - 1]; }
  bool at_start() const { return position_ == 0; }
  std::size_t position() const { return position_; }
  /// To a position that it had before.
  void rewind(std::size_t position) { position_ = position; }

  const Source& source() const { return source_; }

  /// While it exists, the cursor iterates over other tokens of the same text.
  class Aside {
   public:
    Aside(TokenCursor& cursor, const TokenList& list)
        : cursor_(cursor), list_(cursor.list_), position_(cursor.position_) {
      cursor.list_ = &list;
      cursor.position_ = 0;
    }
    ~Aside() {
      cursor_.list_ = list_;
      cursor_.position_ = position_;
    }
    Aside(const Aside&) = delete;
    Aside& operator=(const Aside&) = delete;

   private:
    TokenCursor& cursor_;
    const TokenList* list_;
    std::size_t position_;
  };
  std::string_view text(const Token& token) const { return source_.slice(token.span); }

  /// "'+'", "the end of the line": how an error names a token.
  std::string describe(const Token& token) const;

  /// Throws a ProgramError. After a bracket that nothing closes, that bracket is the error.
  [[noreturn]] void fail(Span span, const std::string& message) const;
  [[noreturn]] void fail(const Token& token, const std::string& message) const;
  /// Throws an UnsupportedError, or the error of such a bracket.
  [[noreturn]] void fail_unsupported(Span span, const std::string& message) const;

 private:
  void check_brackets_before(Span span) const;

  const Source& source_;
  const TokenList* list_;
  std::size_t position_ = 0;
};

}  // namespace rewriter::ast

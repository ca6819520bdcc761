// The reader of lists: print("epoch {}, loss {:.4f}\n", epoch + 1, loss), and raise
// ValueError("the loss is {}", loss).
#include <algorithm>

#include "rewriter/expr/text_format.hpp"
#include "rewriter/listing/literals.hpp"
#include "rewriter/listing/scope.hpp"
#include "rewriter/python/literals.hpp"

namespace rewriter {

using ast::Token;
using ast::TokenCursor;
using ast::TokenKind;

namespace {

using Part = Statement::Part;

class PrintReader {
 public:
  PrintReader(TokenCursor& cursor, const ListScope& scope) : cursor_(cursor), scope_(scope) {
    s_.kind = Statement::Kind::Print;
  }

  Statement read() {
    if (cursor_.next().kind == TokenKind::Raise) {
      exception();
      if (cursor_.at(TokenKind::LeftParen) && cursor_.peek(1).kind == TokenKind::RightParen) {
        cursor_.next();
        cursor_.next();
        return std::move(s_);
      }
    }
    expect(cursor_, TokenKind::LeftParen, "'('");
    const Token text = cursor_.next();
    if (text.kind != TokenKind::String)
      cursor_.fail(text, fmt::format("expected the string in quotes, found {}; a print is written "
                                     "print(\"TEXT {{}}\\n\", NUMBER)",
                                     cursor_.describe(text)));
    const ast::StringValue value = ast::string_value(cursor_.text(text));
    if (!value.error.empty()) cursor_.fail(text, value.error);
    split(text, value.text);
    numbers();
    return std::move(s_);
  }

 private:
  /// ValueError, np.linalg.LinAlgError
  void exception() {
    std::string type;
    do {
      const Token name = cursor_.next();
      if (name.kind != TokenKind::Name)
        cursor_.fail(name, fmt::format("expected the exception's type, found {}; it is written "
                                       "raise ValueError(\"TEXT\")",
                                       cursor_.describe(name)));
      type += (type.empty() ? "" : ".") + std::string(cursor_.text(name));
    } while (cursor_.accept(TokenKind::Dot));
    s_.parts.push_back({.kind = TextPart::Kind::Exception, .text = type});
  }

  /// Splits the format into texts and places for numbers, which are Elements for now.
  void split(const Token& token, std::string_view format) {
    for (std::size_t i = 0; i < format.size();) {
      const std::string_view rest = format.substr(i);
      if (rest.starts_with("{{") || rest.starts_with("}}")) {
        add_text(rest.substr(0, 1));
        i += 2;
      } else if (rest[0] == '}') {
        cursor_.fail(token, "a '}' that closes nothing; '}}' prints one");
      } else if (rest[0] == '{') {
        const std::size_t end = rest.find('}');
        if (end == rest.npos) cursor_.fail(token, "a '{' that nothing closes; '{{' prints one");
        add_place(token, rest.substr(1, end - 1));
        i += end + 1;
      } else {
        const std::size_t end = std::min(rest.find_first_of("{}"), rest.size());
        add_text(rest.substr(0, end));
        i += end;
      }
    }
  }

  void add_text(std::string_view text) {
    if (s_.parts.empty() || s_.parts.back().kind != TextPart::Kind::Text)
      s_.parts.push_back({.kind = TextPart::Kind::Text, .text = {}});
    s_.parts.back().text += text;
  }

  void add_place(const Token& token, std::string_view inside) {
    const bool plain = inside.empty();
    if (!plain && (inside[0] != ':' ||
                   !(is_number_format(inside.substr(1)) || array_format(inside.substr(1)))))
      cursor_.fail(token, fmt::format("'{{{}}}' is not a replacement field; {{}}, {{:.4f}}, "
                                      "{{:<8d}} and {{:(2, 3)}} are",
                                      inside));
    s_.parts.push_back(
        {.kind = TextPart::Kind::Element, .text = std::string(plain ? inside : inside.substr(1))});
  }

  static bool is_place(const Part& part) {
    return part.kind == TextPart::Kind::Element || part.kind == TextPart::Kind::Integer;
  }

  void numbers() {
    std::size_t places = 0;
    for (const Part& part : s_.parts) places += is_place(part);
    for (Part& part : s_.parts) {
      if (!is_place(part)) continue;
      if (!cursor_.accept(TokenKind::Comma))
        cursor_.fail(cursor_.peek(), fmt::format("expected ',' and a number for each of the "
                                                 "string's {} replacement fields; found {}",
                                                 places, cursor_.describe(cursor_.peek())));
      number(part);
    }
    if (cursor_.at(TokenKind::Comma))
      cursor_.fail(
          cursor_.peek(),
          fmt::format(
              "the string has {} replacement fields, {{}} or {{:FORMAT}}; got one number more",
              places));
    expect(cursor_, TokenKind::RightParen, "')'");
  }

  void number(Part& part) {
    const Token first = cursor_.peek();
    const bool typed = cursor_.peek(1).kind == TokenKind::LeftParen &&
                       (cursor_.text(first) == "int" || cursor_.text(first) == "bool");
    if (typed) {
      part.dtype = cursor_.text(first) == "int" ? DType::Int : DType::Bool;
      cursor_.next();
      cursor_.next();
      element(part);
      expect(cursor_, TokenKind::RightParen, "')'");
    } else if (is_variable_name(first) && scope_.find_loop(first) == nullptr) {
      element(part);
    } else {
      const Affine integer = read_loop_integer(cursor_, scope_);
      part.kind = TextPart::Kind::Integer;
      part.constant = integer.constant;
      part.terms = scope_.numbered(integer.terms);
    }
  }

  void element(Part& part) {
    part.operand = s_.operands.size();
    s_.operands.push_back({scope_.use(cursor_.next())});
  }

  TokenCursor& cursor_;
  const ListScope& scope_;
  Statement s_;
};

}  // namespace

Statement read_print(TokenCursor& cursor, const ListScope& scope) {
  return PrintReader(cursor, scope).read();
}

}  // namespace rewriter

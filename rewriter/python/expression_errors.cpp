// What ExpressionParser says about a token that cannot stand where it does.
#include "rewriter/python/expression_parser.hpp"

namespace rewriter::ast {

void ExpressionParser::fail_operand() const {
  const Token& token = cursor_.peek();
  switch (token.kind) {
    case TokenKind::Lambda:
      cursor_.fail(token, "a lambda needs parentheses here");
    case TokenKind::Yield:
    case TokenKind::Await:
      cursor_.fail_unsupported(token.span,
                               fmt::format("{} is not supported", cursor_.describe(token)));
    case TokenKind::Star:
    case TokenKind::DoubleStar:
      cursor_.fail(
          token,
          fmt::format("{} unpacks arguments of calls and elements of lists; it cannot be used here",
                      cursor_.describe(token)));
    case TokenKind::Ellipsis:
      cursor_.fail_unsupported(token.span, "'...' has a meaning only as an index, as in x[..., 0]");
    default:
      break;
  }
  if (is_keyword(token.kind)) {
    cursor_.fail(token, fmt::format("expected an expression, got the Python keyword {}",
                                    cursor_.describe(token)));
  }
  const bool after = !cursor_.at_start() && cursor_.previous().kind != TokenKind::Newline &&
                     cursor_.previous().kind != TokenKind::Semicolon;
  const std::string before =
      after ? fmt::format(" after {}", cursor_.describe(cursor_.previous())) : "";
  cursor_.fail(token,
               fmt::format("expected an expression{}, got {}", before, cursor_.describe(token)));
}

void ExpressionParser::check_value(const StringValue& value, Span span) const {
  if (value.unsupported) cursor_.fail_unsupported(span, value.error);
  if (!value.error.empty()) cursor_.fail(span, value.error);
}

void ExpressionParser::check_target(ExprId id, int most_stars) const {
  const Expr& target = program_[id];
  if (target.kind == ExprKind::Tuple || target.kind == ExprKind::List) {
    int stars = 0;
    for (ExprId element : program_.children(target)) {
      if (program_[element].kind == ExprKind::Starred) {
        if (++stars > most_stars)
          cursor_.fail(program_[element].span,
                       most_stars > 0 ? "two targets with a star"
                                      : "a star cannot be used here; del takes names and x[...]");
        element = program_.child(element, 0);
      }
      check_target(element, most_stars);
    }
  } else if (target.kind != ExprKind::Name && target.kind != ExprKind::Subscript &&
             target.kind != ExprKind::Attribute) {
    const bool compared = target.kind != ExprKind::Call && target.kind != ExprKind::Binary;
    cursor_.fail(target.span,
                 fmt::format("{} cannot be assigned to; a target is a name, x.name, x[...] "
                             "or names with commas",
                             compared ? "this" : "the value of an expression"));
  }
}

void ExpressionParser::fail_after_operand() const {
  const Token& token = cursor_.peek();
  const Frame::Kind inside = frames_.back().kind;
  switch (token.kind) {
    case TokenKind::Else:
      cursor_.fail(token, "there is no 'if' before this 'else'");
    case TokenKind::Async:
      cursor_.fail_unsupported(token.span, "async is not supported");
    case TokenKind::Walrus:
      cursor_.fail(token, "':=' must be in parentheses and assigns to a name");
    case TokenKind::Assign:
      if (inside == Frame::Kind::Call) {
        cursor_.fail(token, "only a name can come before the '=' of a keyword argument");
      }
      if (inside != Frame::Kind::Statement) {
        cursor_.fail(token, "'=' assigns and cannot be used inside an expression; == compares");
      }
      break;
    default:
      break;
  }
  const std::string_view wanted = inside == Frame::Kind::Statement ? " or the end of the statement"
                                  : inside == Frame::Kind::List || inside == Frame::Kind::Subscript
                                      ? ", ',' or ']'"
                                      : ", ',' or ')'";
  cursor_.fail(token,
               fmt::format("expected an operator{}, got {}", wanted, cursor_.describe(token)));
}

}  // namespace rewriter::ast

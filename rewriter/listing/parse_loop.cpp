// The reader of lists: loops, and the integers that depend on their variables.
#include "cudamat/error.hpp"
#include "rewriter/listing/literals.hpp"
#include "rewriter/listing/scope.hpp"
#include "rewriter/python/literals.hpp"
#include "rewriter/text/depth.hpp"

namespace rewriter {

using ast::Token;
using ast::TokenCursor;
using ast::TokenKind;

namespace {

class IntegerReader {
 public:
  IntegerReader(TokenCursor& cursor, const ListScope& scope) : cursor_(cursor), scope_(scope) {}

  Affine sum() {
    Affine result = product();
    while (cursor_.at(TokenKind::Plus) || cursor_.at(TokenKind::Minus)) {
      const bool minus = cursor_.next().kind == TokenKind::Minus;
      const Affine more = product();
      result = minus ? result - more : result + more;
    }
    return result;
  }

 private:
  Affine product() {
    Affine result = factor();
    while (cursor_.at(TokenKind::Star)) {
      const Token times = cursor_.next();
      const Affine more = factor();
      if (!result.known() && !more.known())
        cursor_.fail(times, "a product may have the variable of only one loop");
      result = more.known() ? result * more.constant : more * result.constant;
    }
    return result;
  }

  Affine factor() {
    bool negative = false;
    for (; cursor_.at(TokenKind::Minus) || cursor_.at(TokenKind::Plus); cursor_.next())
      negative ^= cursor_.at(TokenKind::Minus);
    const Affine result = unsigned_factor();
    return negative ? result * -1 : result;
  }

  Affine unsigned_factor() {
    const Token first = cursor_.peek();
    if (first.kind == TokenKind::Number) return {read_integer(cursor_)};
    if (is_variable_name(first)) {
      const LoopPtr loop = scope_.use_loop(first);
      cursor_.next();
      return {0, {{loop, 1}}};
    }
    if (first.kind != TokenKind::LeftParen)
      cursor_.fail(first,
                   fmt::format("expected a whole number, found {}", cursor_.describe(first)));
    const Deeper deeper(depth_, [&] { cursor_.fail(first, too_deep("brackets")); });
    cursor_.next();
    const Affine result = sum();
    expect(cursor_, TokenKind::RightParen, "')'");
    return result;
  }

  TokenCursor& cursor_;
  const ListScope& scope_;
  int depth_ = 0;
};

/// (STOP), (START, STOP) or (START, STOP, STEP).
ListLoop read_range(TokenCursor& cursor, const ListScope& scope) {
  const Token range = cursor.next();
  constexpr const char* kForm = "a loop runs over range(START, STOP) or range(START, STOP, STEP)";
  if (cursor.text(range) != "range") cursor.fail(range, kForm);
  expect(cursor, TokenKind::LeftParen, "'('");
  std::vector<ListInteger> bounds;
  Index step = 1;
  do {
    if (bounds.size() == 3) cursor.fail(cursor.peek(), kForm);
    const bool known = bounds.size() == 2 || !at_loop_integer(cursor, scope);
    bounds.push_back(known ? ListInteger{read_integer(cursor), {}}
                           : scope.numbered(read_loop_integer(cursor, scope)));
  } while (cursor.accept(TokenKind::Comma));
  expect(cursor, TokenKind::RightParen, "',' or ')'");
  const Span span{range.span.begin, cursor.previous().span.end};
  if (bounds.size() == 1) bounds.insert(bounds.begin(), ListInteger{});
  if (bounds.size() == 3) step = bounds[2].constant;
  ListLoop loop(Loop{{}, bounds[0].constant, bounds[1].constant, step});
  loop.start_terms = bounds[0].terms;
  loop.stop_terms = bounds[1].terms;
  Index distance = 0;
  if (__builtin_sub_overflow(loop.stop, loop.start, &distance) || distance == INT64_MIN)
    cursor.fail(span, "the ends of the range are 2^63 or more apart");
  if (loop.step == 0) cursor.fail(span, "the step of a range cannot be 0");
  if (!loop.varies() && loop.Loop::count() == 0)
    cursor.fail(span, fmt::format("range({}, {}, {}) has no numbers; a loop runs at least once",
                                  loop.start, loop.stop, loop.step));
  return loop;
}

}  // namespace

bool at_loop_integer(const TokenCursor& cursor, const ListScope& scope) {
  int depth = 0;
  for (std::size_t ahead = 0;; ++ahead) {
    const Token& token = cursor.peek(ahead);
    if (token.kind == TokenKind::LeftParen) ++depth;
    if (token.kind == TokenKind::RightParen && depth-- == 0) return false;
    if (token.kind == TokenKind::Comma && depth == 0) return false;
    if (token.kind == TokenKind::Newline || token.kind == TokenKind::EndOfFile ||
        token.kind == TokenKind::Error)
      return false;
    const bool attribute = ahead > 0 && cursor.peek(ahead - 1).kind == TokenKind::Dot;
    if (is_variable_name(token) && !attribute && scope.find_loop(token) != nullptr) return true;
  }
}

Affine read_loop_integer(TokenCursor& cursor, const ListScope& scope) {
  const Span first = cursor.peek().span;
  try {
    Affine result = IntegerReader(cursor, scope).sum();
    static_cast<void>(result.least());  // throws if 64 bits do not hold it
    static_cast<void>(result.greatest());
    return result;
  } catch (const ProgramError&) {
    throw;
  } catch (const cudamat::CUDAMatException&) {
    cursor.fail({first.begin, cursor.previous().span.end}, "the integer exceeds 64 bits");
  }
}

namespace {

/// `while NAME`, `if NAME`: the operand that is the condition.
void read_condition(TokenCursor& cursor, const ListScope& scope, Statement& s) {
  cursor.next();
  const Token name = cursor.next();
  if (!is_variable_name(name))
    cursor.fail(name, fmt::format("expected the matrix that is the condition, found {}",
                                  cursor.describe(name)));
  s.operands = {{scope.use(name)}};
}

}  // namespace

Statement read_loop(TokenCursor& cursor, ListScope& scope) {
  Statement s;
  s.kind = Statement::Kind::Loop;
  if (const Token first = cursor.peek(); first.kind != TokenKind::For) {
    read_condition(cursor, scope, s);
    expect(cursor, TokenKind::Colon, "':'");
    const bool is_if = first.kind == TokenKind::If;
    s.loop = scope.begin_loop(first, Loop{"", 0, 1, 1, is_if ? LoopForm::If : LoopForm::While});
    return s;
  }
  cursor.next();
  const Token name = cursor.next();
  if (!is_variable_name(name))
    cursor.fail(name, fmt::format("expected the name of the loop's variable, found {}",
                                  cursor.describe(name)));
  if (cursor.peek().kind != TokenKind::In)
    cursor.fail(cursor.peek(), fmt::format("expected 'in', found {}; a loop is written "
                                           "for NAME in range(START, STOP):",
                                           cursor.describe(cursor.peek())));
  cursor.next();
  ListLoop loop = read_range(cursor, scope);
  loop.name = cursor.text(name);
  if (cursor.at(TokenKind::While)) {
    read_condition(cursor, scope, s);
    loop.form = LoopForm::ForWhile;
  }
  expect(cursor, TokenKind::Colon, "':'");
  s.loop = scope.begin_loop(name, loop);
  return s;
}

}  // namespace rewriter

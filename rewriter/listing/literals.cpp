#include "rewriter/listing/literals.hpp"

#include <algorithm>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <vector>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/symbolic.hpp"
#include "rewriter/python/literals.hpp"

namespace rewriter {

namespace {

using ast::Token;
using ast::TokenCursor;
using ast::TokenKind;

Span joined(Span first, Span last) {
  return {first.begin, last.end};
}

bool at_word(const TokenCursor& cursor, std::string_view word) {
  return cursor.at(TokenKind::Name) && cursor.text(cursor.peek()) == word;
}

ast::Number literal(TokenCursor& cursor) {
  if (!cursor.at(TokenKind::Number))
    cursor.fail(cursor.peek(),
                fmt::format("expected a number, found {}", cursor.describe(cursor.peek())));
  return ast::number_value(cursor.text(cursor.next()));
}

/// What stands between the quotes.
std::string string_at(TokenCursor& cursor) {
  const Token token = cursor.next();
  ast::StringValue value = ast::string_value(cursor.text(token));
  if (!value.error.empty()) cursor.fail(token.span, value.error);
  return std::move(value.text);
}

/// The elements of np.array's argument.
class Rows {
 public:
  explicit Rows(TokenCursor& cursor) : cursor_(cursor) {}

  /// [..], [[..], ..], or a single number.
  void read() {
    if (!cursor_.at(TokenKind::LeftBracket)) return element();
    cursor_.next();
    if (!cursor_.at(TokenKind::LeftBracket)) {
      dims_ = {row()};
      return;
    }
    Index rows = 0;
    Index cols = 0;
    do {
      if (cursor_.at(TokenKind::RightBracket)) break;
      const Token& first = cursor_.peek();
      expect(cursor_, TokenKind::LeftBracket, "the '[' of another row");
      const Index length = row();
      if (rows++ == 0) cols = length;
      if (length != cols)
        cursor_.fail(joined(first.span, cursor_.previous().span),
                     fmt::format("this row has {} numbers, the first one {}", length, cols));
    } while (cursor_.accept(TokenKind::Comma));
    expect(cursor_, TokenKind::RightBracket, "',' or ']'");
    dims_ = {rows, cols};
  }

  /// With dtype=np.longdouble the elements keep all their digits.
  std::shared_ptr<const HostData> data(bool keeps_digits) {
    if (keeps_digits)
      return std::make_shared<const HostData>(npmat::Array<long double>{dims_, std::move(values_)});
    if (text_) cursor_.fail(*text_, "a number in quotes needs dtype=np.longdouble");
    return std::make_shared<const HostData>(
        npmat::Array<double>{dims_, {values_.begin(), values_.end()}});
  }

 private:
  /// The elements up to the ']' after a '[' that was read; their number.
  Index row() {
    Index count = 0;
    do {
      if (cursor_.at(TokenKind::RightBracket)) break;
      element();
      ++count;
    } while (cursor_.accept(TokenKind::Comma));
    expect(cursor_, TokenKind::RightBracket, "',' or ']'");
    return count;
  }

  void element() {
    if (!cursor_.at(TokenKind::String)) {
      values_.push_back(read_number(cursor_));
      return;
    }
    static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
    const Span span = cursor_.peek().span;
    const std::string digits = string_at(cursor_);
    char* end = nullptr;
    values_.push_back(strtold_l(digits.c_str(), &end, c_locale));
    if (digits.empty() || end != digits.c_str() + digits.size())
      cursor_.fail(span, fmt::format("'{}' is not a number", digits));
    if (!text_) text_ = span;
  }

  TokenCursor& cursor_;
  Dims dims_;
  std::vector<long double> values_;
  std::optional<Span> text_;  ///< the first element in quotes
};

std::shared_ptr<const HostData> read_rows(TokenCursor& cursor) {
  Rows rows(cursor);
  rows.read();
  bool keeps_digits = false;
  if (cursor.accept(TokenKind::Comma)) {
    constexpr const char* kOnly = "'dtype=np.longdouble'";
    if (!at_word(cursor, "dtype")) expect(cursor, TokenKind::RightParen, kOnly);
    cursor.next();
    expect(cursor, TokenKind::Assign, kOnly);
    if (!at_word(cursor, "np")) expect(cursor, TokenKind::Name, kOnly);
    cursor.next();
    expect(cursor, TokenKind::Dot, kOnly);
    if (!at_word(cursor, "longdouble"))
      cursor.fail(cursor.peek(), "the only dtype that is supported is np.longdouble");
    cursor.next();
    keeps_digits = true;
  }
  return rows.data(keeps_digits);
}

/// np.full(dims, number), np.zeros(dims), np.ones(dims): the number is given for the latter two.
std::shared_ptr<const HostData> read_full(TokenCursor& cursor, std::optional<double> value) {
  Dims dims = cursor.at(TokenKind::LeftParen) ? read_dims(cursor) : Dims{read_integer(cursor)};
  if (!value) {
    expect(cursor, TokenKind::Comma, "',' and the number");
    value = read_number(cursor);
  }
  detail::check_dims("full", dims);
  detail::check_memory("full", dims);
  const auto size = static_cast<std::size_t>(npmat::element_count(dims));
  return std::make_shared<const HostData>(
      npmat::Array<double>{std::move(dims), std::vector<double>(size, *value)});
}

std::shared_ptr<const HostData> read_eye(TokenCursor& cursor) {
  const Index n = read_integer(cursor);
  std::optional<Index> m;
  Index k = 0;
  for (int position = 1; cursor.accept(TokenKind::Comma); ++position) {
    const bool keyword = cursor.at(TokenKind::Name);
    const bool is_k = keyword ? at_word(cursor, "k") : position == 2;
    if (keyword && !is_k && !at_word(cursor, "M"))
      cursor.fail(cursor.peek(), "np.eye takes N, M and k");
    if (keyword) {
      cursor.next();
      expect(cursor, TokenKind::Assign, "'='");
    }
    if (position > 2) cursor.fail(cursor.peek(), "np.eye takes N, M and k");
    (is_k ? k : m.emplace()) = read_integer(cursor);
  }
  return eye(n, m, k).node()->data;
}

/// np.arange(stop), np.arange(start, stop), np.arange(start, stop, step)
std::shared_ptr<const HostData> read_arange(TokenCursor& cursor) {
  std::vector<double> numbers;
  do numbers.push_back(read_number(cursor));
  while (numbers.size() < 3 && cursor.accept(TokenKind::Comma));
  if (numbers.size() == 1) numbers.insert(numbers.begin(), 0);
  return arange(numbers[0], numbers[1], numbers.size() == 3 ? numbers[2] : 1).node()->data;
}

/// np.linspace(start, stop, count), with `, endpoint=False` or without
std::shared_ptr<const HostData> read_linspace(TokenCursor& cursor) {
  const double start = read_number(cursor);
  expect(cursor, TokenKind::Comma, "','");
  const double stop = read_number(cursor);
  expect(cursor, TokenKind::Comma, "','");
  const Index count = read_integer(cursor);
  const bool is_open = cursor.accept(TokenKind::Comma);
  if (is_open) {
    constexpr const char* kOnly = "'endpoint=False'";
    if (!at_word(cursor, "endpoint")) expect(cursor, TokenKind::RightParen, kOnly);
    cursor.next();
    expect(cursor, TokenKind::Assign, kOnly);
    if (!at_word(cursor, "False")) expect(cursor, TokenKind::RightParen, kOnly);
    cursor.next();
  }
  return linspace(start, stop, count, !is_open).node()->data;
}

/// np.tri(n, m, k)
std::shared_ptr<const HostData> read_tri(TokenCursor& cursor) {
  const Index n = read_integer(cursor);
  expect(cursor, TokenKind::Comma, "','");
  const Index m = read_integer(cursor);
  expect(cursor, TokenKind::Comma, "','");
  return tri(n, m, read_integer(cursor)).node()->data;
}

std::shared_ptr<const HostData> read_call(TokenCursor& cursor, const Token& function) {
  const std::string_view name = cursor.text(function);
  if (name == "array") return read_rows(cursor);
  if (name == "full") return read_full(cursor, std::nullopt);
  if (name == "zeros") return read_full(cursor, 0);
  if (name == "ones") return read_full(cursor, 1);
  if (name == "eye") return read_eye(cursor);
  if (name == "arange") return read_arange(cursor);
  if (name == "linspace") return read_linspace(cursor);
  if (name == "tri") return read_tri(cursor);
  cursor.fail(
      function.span,
      "data are np.array, np.full, np.zeros, np.ones, np.eye, np.tri, np.arange or np.linspace of "
      "plain numbers");
}

}  // namespace

void expect(TokenCursor& cursor, TokenKind kind, std::string_view what) {
  if (!cursor.accept(kind))
    cursor.fail(cursor.peek(),
                fmt::format("expected {}, found {}", what, cursor.describe(cursor.peek())));
}

bool at_number(const TokenCursor& cursor) {
  return cursor.at(TokenKind::Number) || cursor.at(TokenKind::Minus) ||
         cursor.at(TokenKind::Plus) ||
         (at_word(cursor, "float") && cursor.peek(1).kind == TokenKind::LeftParen);
}

double read_number(TokenCursor& cursor) {
  if (at_word(cursor, "float")) {
    const Span begin = cursor.next().span;
    expect(cursor, TokenKind::LeftParen, "'('");
    const std::string value = cursor.at(TokenKind::String) ? string_at(cursor) : "";
    expect(cursor, TokenKind::RightParen, "')'");
    if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (value == "inf") return std::numeric_limits<double>::infinity();
    if (value == "-inf") return -std::numeric_limits<double>::infinity();
    cursor.fail(joined(begin, cursor.previous().span),
                "write a plain number, float('nan'), float('inf') or float('-inf')");
  }
  const bool negative = cursor.accept(TokenKind::Minus);
  if (!negative) cursor.accept(TokenKind::Plus);
  const ast::Number number = literal(cursor);
  // Python's -0 is the integer, which has no sign.
  if (number.kind == ast::Number::Kind::Integer)
    return static_cast<double>(negative ? -number.integer : number.integer);
  return negative ? -number.real : number.real;
}

Index read_integer(TokenCursor& cursor) {
  const bool negative = cursor.accept(TokenKind::Minus);
  const ast::Number number = literal(cursor);
  if (number.kind != ast::Number::Kind::Integer)
    cursor.fail(cursor.previous().span, "expected a whole number below 2^63");
  return negative ? -number.integer : number.integer;
}

Dims read_dims(TokenCursor& cursor) {
  expect(cursor, TokenKind::LeftParen, "'(' and the dimensions");
  Dims dims;
  bool comma = true;
  while (!cursor.at(TokenKind::RightParen)) {
    if (!comma) expect(cursor, TokenKind::Comma, "',' or ')'");
    if (cursor.at(TokenKind::RightParen)) {
      comma = true;
      break;
    }
    const Span first = cursor.peek().span;
    dims.push_back(read_integer(cursor));
    if (dims.back() < 0) cursor.fail(joined(first, cursor.previous().span), "a negative dimension");
    comma = cursor.accept(TokenKind::Comma);
  }
  expect(cursor, TokenKind::RightParen, "')'");
  if (dims.size() == 1 && !comma)
    cursor.fail(cursor.previous().span, fmt::format("one dimension is written ({},)", dims[0]));
  return dims;
}

std::shared_ptr<const HostData> read_array(TokenCursor& cursor) {
  if (!at_word(cursor, "np"))
    cursor.fail(cursor.peek(), fmt::format("expected an array such as np.array([1, 2]), found {}",
                                           cursor.describe(cursor.peek())));
  const Span begin = cursor.next().span;
  expect(cursor, TokenKind::Dot, "'.'");
  const Token function = cursor.next();
  if (function.kind != TokenKind::Name) cursor.fail(function, "expected the name of a function");
  expect(cursor, TokenKind::LeftParen, "'('");
  std::shared_ptr<const HostData> data;
  try {
    data = read_call(cursor, function);
  } catch (const ProgramError&) {
    throw;
  } catch (const cudamat::CUDAMatException& error) {  // of an array that cannot be
    cursor.fail(joined(begin, cursor.previous().span), error.what());
  }
  expect(cursor, TokenKind::RightParen, "')'");
  if (!data) cursor.fail(joined(begin, cursor.previous().span), "an array without elements");
  return data;
}

std::shared_ptr<const HostData> read_array(const std::string& text) {
  try {
    const Source source("array", text);
    const ast::TokenList tokens = ast::tokenize(source);
    TokenCursor cursor(source, tokens);
    auto data = read_array(cursor);
    cursor.accept(TokenKind::Newline);
    return cursor.at(TokenKind::EndOfFile) ? data : nullptr;
  } catch (const cudamat::CUDAMatException&) {
    return nullptr;
  }
}

}  // namespace rewriter

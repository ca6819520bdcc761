#include "rewriter/parse_list.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "rewriter/lexer.hpp"
#include "rewriter/list_literals.hpp"
#include "rewriter/list_scope.hpp"
#include "rewriter/literals.hpp"

namespace rewriter {

using ast::Token;
using ast::TokenCursor;
using ast::TokenKind;

const Var* ListScope::find(const Token& name) const {
  const auto found = vars_.find(cursor_.text(name));
  return found == vars_.end() ? nullptr : &found->second;
}

Var ListScope::use(const Token& name) const {
  if (const Var* const var = find(name)) return *var;
  const std::string_view text = cursor_.text(name);
  for (std::size_t ahead = 0; cursor_.peek(ahead).kind != TokenKind::EndOfFile; ++ahead) {
    const Token& token = cursor_.peek(ahead);
    if (token.kind == TokenKind::Error) break;
    if (cursor_.peek(ahead + 1).kind == TokenKind::Assign && cursor_.text(token) == text &&
        (ahead == 0 || cursor_.peek(ahead - 1).kind == TokenKind::Newline))
      cursor_.fail(name, fmt::format("{} is used before it is defined in line {}", text,
                                     cursor_.source().line_of(token.span.begin)));
  }
  cursor_.fail(name, fmt::format("{} is not defined", cursor_.describe(name)));
}

Var ListScope::define(const Token& name, cudamat::Shape shape, Var view_of) {
  const std::string_view text = cursor_.text(name);
  const auto [found, is_new] = vars_.emplace(text, static_cast<Var>(list_.variables.size()));
  if (!is_new) {
    const Span first = defined_at_[static_cast<std::size_t>(found->second)];
    cursor_.fail(name, fmt::format("{} is defined twice, first in line {}", text,
                                   cursor_.source().line_of(first.begin)));
  }
  list_.variables.push_back({std::string(text), shape, view_of});
  defined_at_.push_back(name.span);
  return found->second;
}

namespace {

using Kind = Statement::Kind;

/// The comments that say which lines of the program the statements come from.
class Headings {
 public:
  explicit Headings(const Source& text) : name_(name_in(text.line(1))) {
    for (int line = 1; line <= text.line_count(); ++line) add(line, text.line(line));
    fallback_ = text.name();
  }

  /// The place of a statement that stands in this line of the list.
  SourceLocation place_of(int line) const {
    const auto next = lines_.upper_bound(line);
    if (next == lines_.begin() || std::prev(next)->second == 0) return {0, 0};
    return {std::prev(next)->second, 1};
  }

  /// The program, as far as the headings show it.
  std::optional<Source> source() const {
    if (name_.empty() && texts_.empty()) return std::nullopt;
    std::string program;
    int line = 1;
    for (const auto& [number, text] : texts_) {
      program.append(static_cast<std::size_t>(number - line), '\n');
      program += text;
      line = number;
    }
    return Source(name_.empty() ? fallback_ : name_, std::move(program));
  }

 private:
  // A heading may name any line; its text is kept up to this one, since those before it are made.
  static constexpr int kLastLine = 10'000'000;

  /// # gradient.py as Cudamat statements, float32
  static std::string name_in(std::string_view title) {
    const std::size_t end = title.rfind(" as Cudamat statements, ");
    if (!title.starts_with("# ") || end == title.npos || end < 2) return {};
    return std::string(title.substr(2, end - 2));
  }

  /// "#  12: text" or "# -".
  void add(int line, std::string_view text) {
    if (!text.starts_with("# ")) return;
    text.remove_prefix(std::min(text.find_first_not_of(' ', 1), text.size()));
    if (text == "-") lines_[line] = 0;
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0 || digits > 9 || digits == text.size() || text[digits] != ':') return;
    int number = 0;
    for (const char c : text.substr(0, digits)) number = number * 10 + (c - '0');
    lines_[line] = number;
    text.remove_prefix(std::min(digits + 2, text.size()));
    if (number > 0 && number <= kLastLine && !text.empty()) texts_.emplace(number, text);
  }

  std::string name_;
  std::string fallback_;
  std::map<int, int> lines_;          ///< line of the list: line of the program, 0 for none
  std::map<int, std::string> texts_;  ///< by line of the program
};

class ListParser {
 public:
  ListParser(const Source& source, const ast::TokenList& tokens)
      : source_(source), cursor_(source, tokens), headings_(source), scope_(cursor_, list_) {}

  StatementList parse() {
    list_.source = headings_.source();
    while (!cursor_.at(TokenKind::EndOfFile)) line();
    if (const auto problem = find_problem(list_)) report(*problem);
    return std::move(list_);
  }

 private:
  void line();
  bool at_binding(std::string_view keyword) const;
  std::string binding_name();
  Dims binding_dims();
  void input();
  void output();
  void statement();
  Statement definition();
  void allocation(Statement& s, const Token& name);
  void view(Statement& s, const Token& name);
  Statement seed();
  cudamat::Shape shape();
  Token variable_name();
  std::string_view text(std::size_t ahead = 0) const { return cursor_.text(cursor_.peek(ahead)); }
  bool follows(std::initializer_list<std::string_view> words) const;
  Span since(const Token& first) const { return {first.span.begin, cursor_.previous().span.end}; }
  [[noreturn]] void report(const Problem& problem) const;

  const Source& source_;
  TokenCursor cursor_;
  Headings headings_;
  StatementList list_;
  ListScope scope_;
  std::vector<Span> input_spans_;
  std::vector<Span> statement_spans_;
  std::vector<Span> output_spans_;
};

/// Whether these tokens, `.` between them, come next.
bool ListParser::follows(std::initializer_list<std::string_view> words) const {
  std::size_t ahead = 0;
  for (const std::string_view word : words) {
    if (ahead != 0 && cursor_.peek(ahead++).kind != TokenKind::Dot) return false;
    if (text(ahead++) != word) return false;
  }
  return true;
}

// `input` and `output` may be names of variables too.
bool ListParser::at_binding(std::string_view keyword) const {
  const TokenKind next = cursor_.peek(1).kind;
  return text() == keyword && next != TokenKind::Dot && next != TokenKind::Assign;
}

void ListParser::line() {
  const Token first = cursor_.peek();
  const TokenKind next = cursor_.peek(1).kind;
  const bool loop = first.kind == TokenKind::For && next == TokenKind::Name;
  const bool print = text() == "print" && next == TokenKind::LeftParen;
  if (loop || print)
    cursor_.fail(first, "lists with loops and prints are written, but not read yet");
  if (first.kind == TokenKind::Indent) cursor_.fail(first, "an indented line outside of a loop");
  if (!is_variable_name(first))
    cursor_.fail(first, fmt::format("expected a statement, found {}", cursor_.describe(first)));
  if (at_binding("input")) {
    input();
    input_spans_.push_back(since(first));
  } else if (at_binding("output")) {
    output();
    output_spans_.push_back(since(first));
  } else {
    if (!list_.outputs.empty()) cursor_.fail(first, "a statement stands behind the outputs");
    statement();
    statement_spans_.push_back(since(first));
  }
  expect(cursor_, TokenKind::Newline, "the end of the line");
}

std::string ListParser::binding_name() {
  const Token token = cursor_.next();
  if (is_variable_name(token)) return std::string(cursor_.text(token));
  if (token.kind != TokenKind::String)
    cursor_.fail(token, fmt::format("expected a name, found {}", cursor_.describe(token)));
  ast::StringValue name = ast::string_value(cursor_.text(token));
  if (!name.error.empty()) cursor_.fail(token, name.error);
  return std::move(name.text);
}

Token ListParser::variable_name() {
  const Token token = cursor_.next();
  if (!is_variable_name(token))
    cursor_.fail(token, fmt::format("expected a variable, found {}", cursor_.describe(token)));
  return token;
}

Dims ListParser::binding_dims() {
  expect(cursor_, TokenKind::Colon, "':' and the dimensions");
  const Token first = cursor_.peek();
  Dims dims = read_dims(cursor_);
  if (dims.size() > 2) cursor_.fail(since(first), "arrays have at most two dimensions here");
  return dims;
}

void ListParser::input() {
  const Token keyword = cursor_.next();
  if (!list_.statements.empty() || !list_.outputs.empty())
    cursor_.fail(keyword, "an input stands behind a statement; inputs come first");
  Token variable = cursor_.peek();
  const std::string name = binding_name();
  if (cursor_.accept(TokenKind::As))
    variable = variable_name();
  else if (!is_variable_name(variable))
    cursor_.fail(variable, "a name in quotes needs a variable: \"name\" as VARIABLE");
  const Dims dims = binding_dims();
  list_.inputs.push_back({name, scope_.define(variable, matrix_shape(dims)), dims});
}

void ListParser::output() {
  cursor_.next();
  const Token variable = variable_name();
  const std::string name =
      cursor_.accept(TokenKind::As) ? binding_name() : std::string(cursor_.text(variable));
  const Dims dims = binding_dims();
  list_.outputs.push_back({name, scope_.use(variable), dims});
}

void ListParser::statement() {
  const int line = source_.line_of(cursor_.peek().span.begin);
  Statement s;
  if (cursor_.peek(1).kind == TokenKind::Assign) {
    s = definition();
  } else if (follows({"cm", "CUDAMatrix", "init_random"})) {
    s = seed();
  } else if (cursor_.peek(1).kind == TokenKind::Dot && text(2) == "free_device_memory") {
    s.kind = Kind::Free;
    s.target = scope_.use(cursor_.next());
    cursor_.next();
    cursor_.next();
    expect(cursor_, TokenKind::LeftParen, "'('");
    expect(cursor_, TokenKind::RightParen, "')'");
  } else {
    s = read_statement_call(cursor_, scope_);
  }
  s.where = headings_.place_of(line);
  list_.statements.push_back(std::move(s));
}

Statement ListParser::seed() {
  for (int i = 0; i < 5; ++i) cursor_.next();
  expect(cursor_, TokenKind::LeftParen, "'('");
  Statement s;
  s.kind = Kind::Seed;
  s.integers = {read_integer(cursor_)};
  expect(cursor_, TokenKind::RightParen, "')'");
  return s;
}

/// NAME = ...
Statement ListParser::definition() {
  const Token name = cursor_.next();
  cursor_.next();
  Statement s;
  if (follows({"cm", "empty"}) || follows({"cm", "CUDAMatrix"})) {
    allocation(s, name);
  } else if (is_variable_name(cursor_.peek()) && cursor_.peek(1).kind == TokenKind::Dot &&
             (text(2) == "slice" || text(2) == "view")) {
    view(s, name);
  } else {
    cursor_.fail(cursor_.peek(),
                 "a variable is made by cm.empty((ROWS, COLS)), cm.CUDAMatrix(ARRAY), "
                 "x.slice(FIRST, LAST) or x.view((ROWS, COLS))");
  }
  expect(cursor_, TokenKind::RightParen, "')'");
  return s;
}

cudamat::Shape ListParser::shape() {
  const Token first = cursor_.peek();
  const Dims dims = read_dims(cursor_);
  if (dims.size() != 2) cursor_.fail(since(first), "a matrix has two dimensions, (ROWS, COLS)");
  return {dims[0], dims[1]};
}

void ListParser::allocation(Statement& s, const Token& name) {
  s.kind = text(2) == "empty" ? Kind::Empty : Kind::Constant;
  for (int i = 0; i < 3; ++i) cursor_.next();
  expect(cursor_, TokenKind::LeftParen, "'('");
  if (s.kind == Kind::Empty) {
    s.target = scope_.define(name, shape());
    return;
  }
  const Token first = cursor_.peek();
  s.data = read_array(cursor_);
  s.text = source_.slice(since(first));
  const Dims dims = std::visit([](const auto& array) -> Dims { return array.shape; }, *s.data);
  s.target = scope_.define(name, matrix_shape(dims));
}

void ListParser::view(Statement& s, const Token& name) {
  const Var of = scope_.use(cursor_.next());
  cursor_.next();
  s.kind = cursor_.text(cursor_.next()) == "slice" ? Kind::Slice : Kind::Reshape;
  s.operands = {{of}};
  expect(cursor_, TokenKind::LeftParen, "'('");
  cudamat::Shape made;
  if (s.kind == Kind::Slice) {
    s.integers.push_back(read_integer(cursor_));
    expect(cursor_, TokenKind::Comma, "','");
    s.integers.push_back(read_integer(cursor_));
    // Columns that run backwards are find_problem()'s to refuse, as such.
    made = {list_.variables[static_cast<std::size_t>(of)].shape.rows,
            s.integers[1] < s.integers[0] ? 0 : s.integers[1] - s.integers[0]};
  } else {
    made = shape();
  }
  s.target = scope_.define(name, made, owner(list_, of));
}

void ListParser::report(const Problem& problem) const {
  using Place = Problem::Place;
  std::string message = problem.text;
  Span span;
  switch (problem.place) {
    case Place::Variable:
      span = scope_.defined_at(problem.index);
      break;
    case Place::Input:
      span = input_spans_[problem.index];
      break;
    case Place::Output:
      span = output_spans_[problem.index];
      break;
    case Place::Statement: {
      span = statement_spans_[problem.index];
      const Statement& s = list_.statements[problem.index];
      if (s.kind == Kind::Call) message = fmt::format("[{}] {}", cudamat::name(s.op), message);
      break;
    }
  }
  throw ProgramError(source_, span, message);
}

}  // namespace

StatementList parse_statements(const Source& source) {
  const ast::TokenList tokens = ast::tokenize(source);
  return ListParser(source, tokens).parse();
}

}  // namespace rewriter

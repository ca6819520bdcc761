#include "rewriter/listing/parse_list.hpp"

#include <algorithm>
#include <utility>

#include "rewriter/expr/custom.hpp"
#include "rewriter/list/verify.hpp"
#include "rewriter/listing/headings.hpp"
#include "rewriter/listing/literals.hpp"
#include "rewriter/listing/scope.hpp"
#include "rewriter/python/lexer.hpp"
#include "rewriter/python/literals.hpp"

namespace rewriter {

using ast::Token;
using ast::TokenCursor;
using ast::TokenKind;

namespace {

using Kind = Statement::Kind;

class ListParser {
 public:
  ListParser(const Source& source, const ast::TokenList& tokens)
      : source_(source), cursor_(source, tokens), headings_(source), scope_(cursor_, list_) {}

  StatementList parse() {
    list_.source = headings_.source();
    list_.remarks = headings_.remarks();
    while (!cursor_.at(TokenKind::EndOfFile)) line();
    if (headings_.cut_off())
      cursor_.fail(cursor_.peek(),
                   "the list is cut off: the line '# ... statements: ...' that ends it is "
                   "missing. If its first line is removed, too, it is read as it is");
    if (const auto problem = find_problem(list_)) report(*problem);
    return std::move(list_);
  }

 private:
  void line();
  bool at_binding(std::string_view keyword) const;
  std::string binding_name();
  Dims binding_dims();
  bool is_transposed();
  void input();
  void output();
  bool statement();
  void end_loop();
  Statement definition();
  void allocation(Statement& s, const Token& name);
  void view(Statement& s, const Token& name);
  Statement seed();
  Extents extents();
  Token variable_name();
  std::string_view text(std::size_t ahead = 0) const { return cursor_.text(cursor_.peek(ahead)); }
  bool follows(std::initializer_list<std::string_view> words) const;
  Span since(const Token& first) const { return {first.span.begin, cursor_.previous().span.end}; }
  [[noreturn]] void report(const Problem& problem) const;

  const Source& source_;
  TokenCursor cursor_;
  ListHeadings headings_;
  StatementList list_;
  ListScope scope_;
  std::vector<Span> input_spans_;
  std::vector<Span> statement_spans_;
  std::vector<Span> output_spans_;
  std::vector<std::size_t> open_;  ///< the Loops whose bodies are being read
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
  if (first.kind == TokenKind::Dedent) return end_loop();
  if (first.kind == TokenKind::Indent)
    cursor_.fail(first, scope_.in_loop() ? "this line is indented more than those of its loop"
                                         : "an indented line outside a loop");
  if (!is_variable_name(first))
    cursor_.fail(first, fmt::format("expected a statement, found {}", cursor_.describe(first)));
  bool has_body = false;
  if (at_binding("input")) {
    input();
    input_spans_.push_back(since(first));
  } else if (at_binding("output")) {
    output();
    output_spans_.push_back(since(first));
  } else {
    if (!list_.outputs.empty()) cursor_.fail(first, "a statement follows the outputs");
    has_body = statement();
  }
  expect(cursor_, TokenKind::Newline, "the end of the line");
  if (has_body && !cursor_.accept(TokenKind::Indent))
    cursor_.fail(first, "a loop needs a body, indented below it; 'pass' if that is empty");
}

void ListParser::end_loop() {
  cursor_.next();
  const std::size_t loop = open_.back();
  open_.pop_back();
  Statement s;
  s.kind = Kind::End;
  s.loop = scope_.end_loop();
  s.where = list_.statements[loop].where;
  if (list_.loops[s.loop].repeats_condition()) s.operands = list_.statements[loop].operands;
  list_.statements.push_back(std::move(s));
  statement_spans_.push_back(statement_spans_[loop]);
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
  try {
    if (dims.size() > 2) (void)npmat::element_count(dims);
  } catch (const cudamat::CUDAMatException& error) {
    cursor_.fail(since(first), error.what());
  }
  return dims;
}

/// ", transposed" after a binding's dimensions.
bool ListParser::is_transposed() {
  if (!cursor_.accept(TokenKind::Comma)) return false;
  const Token word = cursor_.next();
  if (cursor_.text(word) != "transposed") cursor_.fail(word, "expected 'transposed'");
  return true;
}

void ListParser::input() {
  const Token keyword = cursor_.next();
  if (!list_.statements.empty() || !list_.outputs.empty())
    cursor_.fail(keyword, "an input follows a statement; inputs come first");
  Token variable = cursor_.peek();
  const std::string name = binding_name();
  if (cursor_.accept(TokenKind::As))
    variable = variable_name();
  else if (!is_variable_name(variable))
    cursor_.fail(variable, "a name in quotes needs a variable: \"name\" as VARIABLE");
  Binding binding = {name, kNoVar, binding_dims(), is_transposed()};
  binding.var = scope_.define(variable, held_shape(binding));
  list_.inputs.push_back(std::move(binding));
}

void ListParser::output() {
  const Token keyword = cursor_.next();
  if (scope_.in_loop())
    cursor_.fail(keyword, "an output is inside a loop; outputs come after all statements");
  const Token variable = variable_name();
  const std::string name =
      cursor_.accept(TokenKind::As) ? binding_name() : std::string(cursor_.text(variable));
  Dims dims = binding_dims();
  const bool transposed = is_transposed();
  list_.outputs.push_back({name, scope_.use(variable), std::move(dims), transposed});
}

/// Whether a body follows, indented.
bool ListParser::statement() {
  const Token first = cursor_.peek();
  const TokenKind next = cursor_.peek(1).kind;
  Statement s;
  const bool begins_loop =
      first.kind == TokenKind::For || first.kind == TokenKind::While || first.kind == TokenKind::If;
  if (begins_loop && next != TokenKind::Dot && next != TokenKind::Assign) {
    s = read_loop(cursor_, scope_);
    open_.push_back(list_.statements.size());
  } else if (first.kind == TokenKind::Pass && next == TokenKind::Newline && scope_.in_loop()) {
    cursor_.next();
    return false;
  } else if (first.kind == TokenKind::Raise ||
             (text() == "print" && next == TokenKind::LeftParen)) {
    s = read_print(cursor_, scope_);
  } else if (next == TokenKind::Assign) {
    s = definition();
  } else if (follows({"cm", "CUDAMatrix", "init_random"})) {
    s = seed();
  } else if (follows({"cm", "fused"})) {
    s = read_fused(cursor_, scope_);
    expect(cursor_, TokenKind::RightParen, "')'");
  } else if (follows({"cm", "custom"})) {
    s = read_custom(cursor_, scope_);
  } else if (next == TokenKind::Dot && text(2) == "free_device_memory") {
    s.kind = Kind::Free;
    s.target = scope_.use(cursor_.next());
    cursor_.next();
    cursor_.next();
    expect(cursor_, TokenKind::LeftParen, "'('");
    expect(cursor_, TokenKind::RightParen, "')'");
  } else {
    s = read_statement_call(cursor_, scope_);
  }
  s.where = headings_.place_of(source_.line_of(first.span.begin));
  list_.statements.push_back(std::move(s));
  statement_spans_.push_back(since(first));
  return list_.statements.back().kind == Kind::Loop;
}

Statement ListParser::seed() {
  for (int i = 0; i < 5; ++i) cursor_.next();
  expect(cursor_, TokenKind::LeftParen, "'('");
  Statement s;
  s.kind = Kind::Seed;
  const ListInteger number = at_loop_integer(cursor_, scope_)
                                 ? scope_.numbered(read_loop_integer(cursor_, scope_))
                                 : ListInteger{read_integer(cursor_), {}};
  s.integers = {number.constant};
  s.terms = number.terms;
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

Extents ListParser::extents() {
  const Token first = cursor_.peek();
  if (first.kind == TokenKind::LeftParen && at_loop_integer(cursor_, scope_)) {
    cursor_.next();
    Extents extents;
    extents.rows = scope_.numbered(read_loop_integer(cursor_, scope_));
    expect(cursor_, TokenKind::Comma, "','");
    extents.cols = scope_.numbered(read_loop_integer(cursor_, scope_));
    cursor_.accept(TokenKind::Comma);
    expect(cursor_, TokenKind::RightParen, "')'");
    return extents;
  }
  const Dims dims = read_dims(cursor_);
  if (dims.size() != 2) cursor_.fail(since(first), "a matrix has two dimensions, (ROWS, COLS)");
  return cudamat::Shape{dims[0], dims[1]};
}

void ListParser::allocation(Statement& s, const Token& name) {
  s.kind = text(2) == "empty" ? Kind::Empty : Kind::Constant;
  for (int i = 0; i < 3; ++i) cursor_.next();
  expect(cursor_, TokenKind::LeftParen, "'('");
  if (s.kind == Kind::Empty) {
    s.target = scope_.define(name, extents());
    return;
  }
  const Token first = cursor_.peek();
  s.data = read_array(cursor_);
  s.text = source_.slice(since(first));
  const Dims dims = std::visit([](const auto& array) -> Dims { return array.shape; }, *s.data);
  if (dims.size() > 2) cursor_.fail(since(first), "a matrix has at most two dimensions");
  s.target = scope_.define(name, matrix_shape(dims));
}

void ListParser::view(Statement& s, const Token& name) {
  const Var of = scope_.use(cursor_.next());
  cursor_.next();
  s.kind = cursor_.text(cursor_.next()) == "slice" ? Kind::Slice : Kind::Reshape;
  s.operands = {{of}};
  expect(cursor_, TokenKind::LeftParen, "'('");
  Extents made;
  if (s.kind == Kind::Slice) {
    const Affine first = read_loop_integer(cursor_, scope_);
    expect(cursor_, TokenKind::Comma, "','");
    const Affine last = read_loop_integer(cursor_, scope_);
    s.integers = {first.constant, last.constant};
    s.terms = scope_.numbered(first.terms);
    s.stretch = scope_.numbered(last - first).terms;
    // Columns that run backwards, or too far, are find_problem()'s to refuse, as such.
    Index count = 0;
    if (__builtin_sub_overflow(last.constant, first.constant, &count) || count < 0) count = 0;
    const Variable& whole = list_.variables[of];
    made = whole.varying.value_or(whole.shape);
    made.cols = {s.stretch.empty() ? count : last.constant - first.constant, s.stretch};
  } else {
    made = extents();
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
      if (s.kind == Kind::Custom) message = fmt::format("[{}] {}", s.custom->name, message);
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

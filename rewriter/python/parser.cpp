#include "rewriter/python/parser.hpp"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <utility>

#include "rewriter/python/expression_parser.hpp"
#include "rewriter/python/lexer.hpp"
#include "rewriter/python/token_cursor.hpp"
#include "rewriter/text/depth.hpp"

namespace rewriter::ast {
namespace {

Operator augmented_operator(TokenKind kind) {
  switch (kind) {
    case TokenKind::PlusAssign:
      return Operator::Add;
    case TokenKind::MinusAssign:
      return Operator::Subtract;
    case TokenKind::StarAssign:
      return Operator::Multiply;
    case TokenKind::SlashAssign:
      return Operator::Divide;
    case TokenKind::DoubleSlashAssign:
      return Operator::FloorDivide;
    case TokenKind::PercentAssign:
      return Operator::Modulo;
    case TokenKind::AtAssign:
      return Operator::MatMul;
    case TokenKind::DoubleStarAssign:
      return Operator::Power;
    case TokenKind::AmpersandAssign:
      return Operator::BitAnd;
    case TokenKind::BarAssign:
      return Operator::BitOr;
    case TokenKind::CaretAssign:
      return Operator::BitXor;
    case TokenKind::LeftShiftAssign:
      return Operator::LeftShift;
    case TokenKind::RightShiftAssign:
      return Operator::RightShift;
    default:
      return Operator::None;
  }
}

// What to say about a statement that starts with such a token and is not taken; empty for the
// others.
std::string_view refusal(TokenKind kind) {
  switch (kind) {
    case TokenKind::Else:
    case TokenKind::Elif:
    case TokenKind::Except:
    case TokenKind::Finally:
      return "this belongs to a compound statement, and there is none before it";
    default:
      return "";
  }
}

class Parser {
 public:
  Parser(const Source& source, const TokenList& list)
      : program_(source), cursor_(program_.source, list), expressions_(program_, cursor_) {
    program_.exprs.reserve(list.tokens.size());
    program_.links.reserve(list.tokens.size());
  }

  Program run() {
    read_file();
    for (std::size_t file = 1; file < program_.source.file_count(); ++file) {
      const TokenList list = tokenize_file(program_.source, file);
      const TokenCursor::Aside tokens(cursor_, list);
      const Span span = program_.source.file(file);
      Statement module;
      module.kind = StatementKind::Module;
      module.span = module.token = {span.begin, span.begin};
      module.line = module.last_line = program_.source.line_of(span.begin);
      program_.modules.push_back(count());
      program_.statements.push_back(module);
      read_file();
      close(program_.modules.back());
    }
    program_.source = program_.source.with_functions(functions());
    return std::move(program_);
  }

 private:
  void read_file() {
    while (!cursor_.at(TokenKind::EndOfFile)) {
      refuse_indentation();
      read_statement();
    }
  }

  /// Those whose lines are not all that a reader of a list wants to know: methods, and those of
  /// other files than the first.
  std::vector<Source::Function> functions() const {
    struct Block {
      std::uint32_t end;
      std::string name;
      bool is_named;  // in a class or another file
    };
    std::vector<Block> around;
    std::vector<Source::Function> result;
    for (std::uint32_t i = 0; i < count(); ++i) {
      while (!around.empty() && around.back().end <= i) around.pop_back();
      const Statement& statement = program_.statements[i];
      if (!has_scope(statement)) continue;
      if (statement.kind == StatementKind::Module) {
        around.push_back({statement.end, "", true});
        continue;
      }
      const std::string& own = program_.string(program_.targets(statement)[0]);
      const std::string name =
          around.empty() || around.back().name.empty() ? own : around.back().name + "." + own;
      const bool is_class = statement.kind == StatementKind::Class;
      const bool is_named = is_class || (!around.empty() && around.back().is_named);
      if (!is_class && is_named && statement.end > i + 1)
        result.push_back({program_.statements[i + 1].line,
                          program_.statements[statement.end - 1].last_line, name});
      around.push_back({statement.end, name, is_named});
    }
    return result;
  }

  void refuse_indentation() const {
    if (cursor_.at(TokenKind::Indent)) cursor_.fail(cursor_.peek(), "unexpected indentation");
  }

  void read_statement() {
    const Token first = cursor_.peek();
    if (is_compound(first.kind) && is_within_line())
      cursor_.fail(first, "a compound statement needs a line of its own");
    if (at_match()) return read_match();
    if (const std::string_view why = refusal(first.kind); !why.empty()) {
      cursor_.fail(first, std::string(why));
    }
    Statement statement;
    switch (first.kind) {
      case TokenKind::For:
        return read_for(statement);
      case TokenKind::While:
        return read_while(statement);
      case TokenKind::If:
        return read_if(statement);
      case TokenKind::Def:
        return read_def(statement);
      case TokenKind::Try:
        return read_try(statement);
      case TokenKind::With:
        return read_with(statement);
      case TokenKind::Class:
        return read_class(statement);
      case TokenKind::Return:
        read_return(statement);
        break;
      case TokenKind::Import:
        read_import(statement);
        break;
      case TokenKind::From:
        read_from_import(statement);
        break;
      case TokenKind::Pass:
        cursor_.next();
        break;
      case TokenKind::Break:
      case TokenKind::Continue:
        read_jump(statement);
        break;
      case TokenKind::Assert:
        read_assert(statement);
        break;
      case TokenKind::Del:
        read_delete(statement);
        break;
      case TokenKind::Nonlocal:
      case TokenKind::Global:
        read_outer_names(statement);
        break;
      case TokenKind::Raise:
        read_raise(statement);
        break;
      case TokenKind::Yield:
        read_yield(statement);
        break;
      case TokenKind::Async:
        fail_async();
      case TokenKind::At:
        return read_decorated();
      case TokenKind::Ellipsis:
        if (const TokenKind kind = cursor_.peek(1).kind;
            kind == TokenKind::Newline || kind == TokenKind::Semicolon) {
          cursor_.next();
          break;
        }
        [[fallthrough]];
      default:
        read_assignment_or_expression(statement);
    }
    finish(statement, first.span.begin);
  }

  static bool is_compound(TokenKind kind) {
    return kind == TokenKind::For || kind == TokenKind::If || kind == TokenKind::Def ||
           kind == TokenKind::While || kind == TokenKind::At || kind == TokenKind::Try ||
           kind == TokenKind::With || kind == TokenKind::Class;
  }
  /// Whether the statement at the cursor follows another, or a ':', on its line.
  bool is_within_line() const {
    return !cursor_.at_start() && (cursor_.previous().kind == TokenKind::Semicolon ||
                                   cursor_.previous().kind == TokenKind::Colon);
  }

  void finish(Statement& statement, std::uint32_t begin) {
    const std::uint32_t end = cursor_.previous().span.end;
    if (!cursor_.at(TokenKind::Newline) && !cursor_.at(TokenKind::Semicolon))
      fail_at_end(statement);
    if (cursor_.next().kind == TokenKind::Semicolon) cursor_.accept(TokenKind::Newline);
    if (statement.kind == StatementKind::Expression &&
        program_[statement.value].kind == ExprKind::String) {
      program_.exprs.pop_back();  // a docstring
      return;
    }
    statement.span = {begin, end};
    if (statement.kind != StatementKind::AugAssign) statement.token = statement.span;
    statement.line = program_.source.line_of(begin);
    statement.last_line = program_.source.line_of(end);
    program_.statements.push_back(statement);
  }

  // ---- compound statements

  // for TARGETS in EXPRESSION: block, perhaps an else
  void read_for(Statement& statement) {
    statement.kind = StatementKind::For;
    const std::uint32_t begin = cursor_.next().span.begin;
    const ExprId target =
        expressions_.parse(ExpressionParser::Commas::MakeTuple, ExpressionParser::Membership::Ends);
    expressions_.check_target(target);
    set_targets(statement, {target});
    if (!cursor_.accept(TokenKind::In)) fail_expected("'in' after what a loop assigns");
    statement.value = expressions_.parse(ExpressionParser::Commas::MakeTuple);
    read_loop(statement, begin);
  }

  // while EXPRESSION: block, perhaps an else
  void read_while(Statement& statement) {
    statement.kind = StatementKind::While;
    const std::uint32_t begin = cursor_.next().span.begin;
    statement.value = expressions_.parse_condition();
    read_loop(statement, begin);
  }

  void read_loop(Statement& statement, std::uint32_t begin) {
    ++around_.loops;
    const std::size_t at = read_body(statement, begin);
    --around_.loops;
    program_.statements[at].end = count();
    if (cursor_.at(TokenKind::Else)) {
      cursor_.next();
      read_block("'else'");
    }
    program_.statements[at].else_end = count();
  }

  // assert CONDITION, perhaps with a message
  void read_assert(Statement& statement) {
    statement.kind = StatementKind::Assert;
    cursor_.next();
    statement.value = expressions_.parse(ExpressionParser::Commas::End);
    if (cursor_.accept(TokenKind::Comma))
      statement.annotation = expressions_.parse(ExpressionParser::Commas::End);
  }

  // del x, y[0]
  void read_delete(Statement& statement) {
    statement.kind = StatementKind::Delete;
    cursor_.next();
    const ExprId target = expressions_.parse(ExpressionParser::Commas::MakeTuple);
    expressions_.check_target(target, 0);
    set_targets(statement, {target});
  }

  // nonlocal x, y; global x, y
  void read_outer_names(Statement& statement) {
    const Token token = cursor_.next();
    const bool is_global = token.kind == TokenKind::Global;
    statement.kind = is_global ? StatementKind::Global : StatementKind::Nonlocal;
    if (around_.functions == 0 && !is_global) cursor_.fail(token, "'nonlocal' outside function");
    for (std::size_t ahead = 0;; ahead += 2) {
      const Token& name = cursor_.peek(ahead);
      if (name.kind != TokenKind::Name)
        cursor_.fail(name, fmt::format("expected a name, got {}", cursor_.describe(name)));
      if (cursor_.peek(ahead + 1).kind != TokenKind::Comma) break;
    }
    statement.value = expressions_.parse(ExpressionParser::Commas::MakeTuple);
    const bool several = program_[statement.value].kind == ExprKind::Tuple;
    for (const ExprId id :
         several ? program_.children(statement.value) : std::span(&statement.value, 1))
      if (program_[id].kind != ExprKind::Name)
        cursor_.fail(program_[id].span, fmt::format("{} takes names", cursor_.describe(token)));
  }

  // raise, raise EXCEPTION, raise EXCEPTION from CAUSE
  void read_raise(Statement& statement) {
    statement.kind = StatementKind::Raise;
    cursor_.next();
    if (cursor_.at(TokenKind::Newline) || cursor_.at(TokenKind::Semicolon)) return;
    statement.value = expressions_.parse(ExpressionParser::Commas::End);
    if (cursor_.accept(TokenKind::From))
      statement.annotation = expressions_.parse(ExpressionParser::Commas::End);
  }

  // try: block, except EXCEPTION as NAME: blocks, else: block, finally: block
  void read_try(Statement& statement) {
    statement.kind = StatementKind::Try;
    const std::uint32_t begin = cursor_.next().span.begin;
    const std::size_t at = read_body(statement, begin);
    program_.statements[at].end = count();
    if (!cursor_.at(TokenKind::Except) && !cursor_.at(TokenKind::Finally))
      fail_expected("'except' or 'finally'");
    while (cursor_.at(TokenKind::Except)) {
      Statement handler;
      handler.kind = StatementKind::Handler;
      const std::uint32_t from = cursor_.next().span.begin;
      if (cursor_.at(TokenKind::Star))
        cursor_.fail_unsupported(cursor_.peek().span, "except* is not supported");
      if (!cursor_.at(TokenKind::Colon))
        handler.value = expressions_.parse(ExpressionParser::Commas::End);
      if (cursor_.at(TokenKind::Comma))
        cursor_.fail(cursor_.peek(), "several exceptions are written as a tuple: except (A, B)");
      if (cursor_.accept(TokenKind::As)) {
        if (!cursor_.at(TokenKind::Name)) fail_expected("a name");
        set_targets(handler, {expressions_.name(cursor_.next())});
      }
      close(read_body(handler, from));
    }
    for (const auto& [token, kind] : {std::pair{TokenKind::Else, StatementKind::Else},
                                      std::pair{TokenKind::Finally, StatementKind::Finally}})
      if (cursor_.at(token)) {
        Statement part;
        part.kind = kind;
        const std::uint32_t from = cursor_.next().span.begin;
        close(read_body(part, from));
      }
    program_.statements[at].else_end = count();
  }

  /// The statement's block ends here.
  void close(std::size_t at) {
    program_.statements[at].end = program_.statements[at].else_end = count();
  }

  /// What a call calls; of what is no call, itself.
  const Expr& callee_of(ExprId id) const {
    return program_[program_[id].kind == ExprKind::Call ? program_.child(id, 0) : id];
  }
  bool is_called(const Expr& expr, std::initializer_list<std::string_view> names) const {
    return (expr.kind == ExprKind::Name || expr.kind == ExprKind::Attribute) &&
           std::find(names.begin(), names.end(), program_.string(expr)) != names.end();
  }

  // with EXPRESSION as TARGET, ...: block
  void read_with(Statement& statement) {
    statement.kind = StatementKind::With;
    const std::uint32_t begin = cursor_.next().span.begin;
    const bool bracket = cursor_.at(TokenKind::LeftParen) && holds_what_is_entered();
    if (bracket) cursor_.next();
    read_entered(statement, begin, bracket);
  }

  /// One of what a `with` enters; those after it are entered in its block.
  void read_entered(Statement& statement, std::uint32_t begin, bool bracket) {
    statement.value = expressions_.parse(ExpressionParser::Commas::End);
    if (cursor_.accept(TokenKind::As)) {
      const ExprId target = expressions_.parse(ExpressionParser::Commas::End);
      expressions_.check_target(target);
      set_targets(statement, {target});
    }
    const bool more = cursor_.accept(TokenKind::Comma);
    const bool ends = bracket && cursor_.accept(TokenKind::RightParen);
    if (bracket && !more && !ends) fail_expected("',' or ')'");
    std::size_t at = 0;
    if (ends || !more) {
      at = read_body(statement, begin);
    } else {
      at = enter(statement, begin);
      const Deeper in_block = deeper();
      Statement inner;
      inner.kind = StatementKind::With;
      read_entered(inner, begin, bracket);
    }
    close(at);
  }

  /// Whether the bracket at the cursor holds all that a `with` enters, and is no tuple of it.
  bool holds_what_is_entered() const {
    int depth = 0;
    bool several = false;
    for (std::size_t ahead = 0;; ++ahead) {
      const TokenKind kind = cursor_.peek(ahead).kind;
      if (kind == TokenKind::EndOfFile || kind == TokenKind::Newline || kind == TokenKind::Error)
        return false;
      depth += kind == TokenKind::LeftParen || kind == TokenKind::LeftBracket ||
               kind == TokenKind::LeftBrace;
      depth -= kind == TokenKind::RightParen || kind == TokenKind::RightBracket ||
               kind == TokenKind::RightBrace;
      if (depth == 0) return several && cursor_.peek(ahead + 1).kind == TokenKind::Colon;
      if (depth > 1) continue;
      several = several || kind == TokenKind::As || kind == TokenKind::Comma;
      const TokenKind next = cursor_.peek(ahead + 1).kind;
      const bool begins = kind == TokenKind::LeftParen || kind == TokenKind::Comma;
      if (kind == TokenKind::Walrus || (begins && next == TokenKind::Star)) return false;
    }
  }

  // @numba.njit(parallel=True) above a def: what such functions do to it leaves its values alone.
  // Others are kept for the def or the class below.
  void read_decorated() {
    while (cursor_.accept(TokenKind::At)) {
      const ExprId id = expressions_.parse_condition();
      if (!is_called(callee_of(id), {"jit", "njit", "profile", "autojit"}))
        decorators_.push_back(id);
      if (!cursor_.accept(TokenKind::Newline)) fail_expected("the end of the line");
    }
    if (cursor_.at(TokenKind::Async)) fail_async();
    if (!cursor_.at(TokenKind::Def) && !cursor_.at(TokenKind::Class))
      fail_expected("a def or a class");
    read_statement();
  }

  [[noreturn]] void fail_async() const {
    cursor_.fail_unsupported(cursor_.peek().span, "async is not supported");
  }

  void take_decorators(Statement& statement) {
    statement.decorators = static_cast<std::uint32_t>(program_.links.size());
    statement.decorator_count = static_cast<std::uint32_t>(decorators_.size());
    program_.links.insert(program_.links.end(), decorators_.begin(), decorators_.end());
    decorators_.clear();
  }

  void read_jump(Statement& statement) {
    const Token& token = cursor_.next();
    const bool breaks = token.kind == TokenKind::Break;
    if (around_.loops == 0)
      cursor_.fail(token, fmt::format("'{}' outside loop", breaks ? "break" : "continue"));
    statement.kind = breaks ? StatementKind::Break : StatementKind::Continue;
  }

  // if EXPRESSION: block, then elif or else
  void read_if(Statement& statement) {
    statement.kind = StatementKind::If;
    const std::uint32_t begin = cursor_.next().span.begin;
    statement.value = expressions_.parse_condition();
    const std::size_t at = read_body(statement, begin);
    program_.statements[at].end = count();
    if (cursor_.at(TokenKind::Elif)) {
      const Deeper in_block = deeper();
      Statement other;
      read_if(other);
    } else if (cursor_.accept(TokenKind::Else)) {
      read_block("'else'");
    }
    program_.statements[at].else_end = count();
  }

  // match SUBJECT: cases. The subject has a name of its own; each case is an If in the else of the
  // one before it.
  void read_match() {
    Statement subject;
    subject.kind = StatementKind::Assign;
    const std::uint32_t begin = cursor_.next().span.begin;
    const std::string name = fmt::format("<match {}>", count());
    subject.value = expressions_.parse(ExpressionParser::Commas::MakeTuple);
    set_targets(subject, {expressions_.hidden_name(name)});
    (void)enter(subject, begin);
    if (!cursor_.accept(TokenKind::Colon)) fail_expected("':' after what is matched");
    if (!cursor_.accept(TokenKind::Newline) || !cursor_.accept(TokenKind::Indent))
      cursor_.fail(cursor_.peek(), "expected an indented block");
    const Deeper in_block = deeper();
    read_case(name);
    if (!cursor_.accept(TokenKind::Dedent)) fail_expected("'case'");
  }

  bool at_case() const {
    return cursor_.at(TokenKind::Name) && cursor_.text(cursor_.peek()) == "case";
  }

  // case PATTERN if GUARD: block
  void read_case(const std::string& subject) {
    Statement statement;
    statement.kind = StatementKind::If;
    const std::uint32_t begin = cursor_.next().span.begin;
    statement.value = expressions_.parse_case(subject);
    std::vector<ExprId> names;
    add_captures(program_.child(statement.value, 1), names);
    set_targets(statement, names);
    const std::size_t at = read_body(statement, begin);
    program_.statements[at].end = count();
    if (at_case()) {
      const Deeper in_block = deeper();
      read_case(subject);
    }
    program_.statements[at].else_end = count();
  }

  /// The names that a pattern binds.
  void add_captures(ExprId pattern, std::vector<ExprId>& names) const {
    const Expr& expr = program_[pattern];
    if (expr.kind == ExprKind::Name) {
      if (program_.string(pattern) != "_") names.push_back(pattern);
      return;
    }
    const auto parts = program_.children(pattern);
    if (expr.kind == ExprKind::Attribute) return;
    for (std::size_t i = expr.kind == ExprKind::Call ? 1 : 0; i < parts.size(); ++i) {
      const bool is_key = expr.kind == ExprKind::Dict && i % 2 == 0;
      if (!is_key && parts[i] != kNoExpr) add_captures(parts[i], names);
    }
  }

  // def NAME(parameters): block
  void read_def(Statement& statement) {
    statement.kind = StatementKind::Def;
    take_decorators(statement);
    const std::uint32_t begin = cursor_.next().span.begin;
    if (!cursor_.at(TokenKind::Name)) fail_expected("the function's name");
    set_targets(statement, {expressions_.name(cursor_.next())});
    if (!cursor_.accept(TokenKind::LeftParen)) fail_expected("'('");
    const std::vector<Parameter> parameters = expressions_.parameters(TokenKind::RightParen);
    if (!cursor_.accept(TokenKind::RightParen)) fail_expected("',' or ')'");
    if (cursor_.accept(TokenKind::Arrow)) expressions_.parse(ExpressionParser::Commas::End);
    statement.parameters = static_cast<std::uint32_t>(program_.parameters.size());
    statement.parameter_count = static_cast<std::uint32_t>(parameters.size());
    program_.parameters.insert(program_.parameters.end(), parameters.begin(), parameters.end());
    const Around outer =
        std::exchange(around_, {.functions = around_.functions + 1, .yields_here = true});
    const std::size_t at = read_body(statement, begin);
    program_.statements[at].is_generator = std::exchange(around_, outer).yields;
    close(at);
  }

  // class NAME(bases): block. A program may hold classes that it does not use: where the block has
  // what is not supported, its one statement says so.
  void read_class(Statement& statement) {
    statement.kind = StatementKind::Class;
    take_decorators(statement);
    const std::uint32_t begin = cursor_.next().span.begin;
    if (!cursor_.at(TokenKind::Name)) fail_expected("the class's name");
    const Span word = cursor_.peek().span;
    const ExprId name = expressions_.name(cursor_.peek());
    statement.value = expressions_.parse(ExpressionParser::Commas::End);
    const Expr& value = program_[statement.value];
    if ((value.kind != ExprKind::Name && value.kind != ExprKind::Call) ||
        callee_of(statement.value).span != word)
      cursor_.fail(value.span, "a class is class NAME: or class NAME(bases):");
    set_targets(statement, {name});
    const Around outer = std::exchange(around_, {.functions = around_.functions});
    const std::size_t body = cursor_.position();
    const std::size_t expressions = program_.exprs.size();
    const std::size_t links = program_.links.size();
    const auto at = static_cast<std::size_t>(count());
    try {
      (void)read_body(statement, begin);
    } catch (const UnsupportedError& error) {
      cursor_.rewind(body);
      expressions_.reset();
      decorators_.clear();
      program_.statements.resize(at + 1);
      program_.exprs.resize(expressions);
      program_.links.resize(links);
      skip_block();
      Statement unread = program_.statements[at];
      unread.kind = StatementKind::Unread;
      unread.value = expressions_.text(error.message(), unread.span);
      program_.statements.push_back(unread);
    }
    around_ = outer;
    close(at);
  }

  void skip_block() {
    while (!cursor_.at(TokenKind::Newline)) {
      if (ends_tokens()) fail_expected("the end of the line");
      cursor_.next();
    }
    cursor_.next();
    if (!cursor_.at(TokenKind::Indent)) return;
    int depth = 0;
    do {
      if (ends_tokens()) fail_expected("the end of the class");
      depth += cursor_.at(TokenKind::Indent) - cursor_.at(TokenKind::Dedent);
      cursor_.next();
    } while (depth > 0);
  }

  /// No token follows this one.
  bool ends_tokens() const {
    return cursor_.at(TokenKind::EndOfFile) || cursor_.at(TokenKind::Error);
  }

  void read_return(Statement& statement) {
    statement.kind = StatementKind::Return;
    cursor_.next();
    if (!cursor_.at(TokenKind::Newline) && !cursor_.at(TokenKind::Semicolon))
      statement.value = expressions_.parse(ExpressionParser::Commas::MakeTuple);
  }

  /// Enters a compound statement, whose header ends here, and reads the block below it. Returns the
  /// statement's index.
  std::size_t read_body(Statement& statement, std::uint32_t begin) {
    const std::size_t at = enter(statement, begin);
    read_block("the line");
    return at;
  }

  std::size_t enter(Statement& statement, std::uint32_t begin) {
    statement.span = {begin, cursor_.previous().span.end};
    statement.token = statement.span;
    statement.line = program_.source.line_of(begin);
    statement.last_line = program_.source.line_of(statement.span.end);
    program_.statements.push_back(statement);
    return program_.statements.size() - 1;
  }

  // `: statement; statement` to the end of the line, or the lines below that are indented more.
  void read_block(std::string_view after) {
    if (!cursor_.at(TokenKind::Colon))
      cursor_.fail(cursor_.peek(), fmt::format("expected ':' after {}, got {}", after,
                                               cursor_.describe(cursor_.peek())));
    cursor_.next();
    const Deeper in_block = deeper();
    if (!cursor_.accept(TokenKind::Newline)) {
      do {
        read_statement();
      } while (cursor_.previous().kind == TokenKind::Semicolon);
      return;
    }
    if (!cursor_.accept(TokenKind::Indent))
      cursor_.fail(cursor_.peek(), "expected an indented block");
    while (!cursor_.accept(TokenKind::Dedent)) {
      refuse_indentation();
      read_statement();
    }
  }

  /// While it lives, blocks are one level deeper.
  Deeper deeper() {
    return {depth_, [this] { cursor_.fail(cursor_.peek(), too_deep("blocks")); }};
  }

  std::uint32_t count() const { return static_cast<std::uint32_t>(program_.statements.size()); }

  [[noreturn]] void fail_at_end(const Statement& statement) {
    const Token& token = cursor_.peek();
    if (statement.kind == StatementKind::Import || statement.kind == StatementKind::Pass) {
      cursor_.fail(
          token, fmt::format("expected the end of the statement, got {}", cursor_.describe(token)));
    }
    if (statement.kind == StatementKind::Annotation && token.kind == TokenKind::Comma) {
      cursor_.fail(token, "a shape is written in parentheses: NAME: (rows, columns)");
    }
    if (statement.kind == StatementKind::Expression) {
      const Expr& e = program_[statement.value];
      if (e.kind == ExprKind::Name && program_.string(e) == "print") {
        cursor_.fail(e.span, "print is a function in Python 3: print(...)");
      }
    }
    expressions_.fail_after_operand();
  }

  void read_assignment_or_expression(Statement& statement) {
    statement.kind = StatementKind::Expression;
    statement.value = expressions_.parse(ExpressionParser::Commas::MakeTuple);
    const Operator op = augmented_operator(cursor_.peek().kind);
    if (op != Operator::None) {
      statement.kind = StatementKind::AugAssign;
      statement.op = op;
      set_single_target(statement, "an augmented assignment");
      statement.token = cursor_.next().span;
      statement.value = expressions_.parse(ExpressionParser::Commas::MakeTuple);
    } else if (cursor_.at(TokenKind::Colon)) {
      read_annotation(statement);
    } else if (cursor_.at(TokenKind::Assign)) {
      read_assignment(statement);
    }
  }

  /// Whether a match statement is at the cursor: a line, and below it `case`. Names elsewhere.
  bool at_match() const {
    const auto at_end = [](TokenKind kind) {
      return kind == TokenKind::Newline || kind == TokenKind::Semicolon ||
             kind == TokenKind::EndOfFile || kind == TokenKind::Error;
    };
    if (!cursor_.at(TokenKind::Name) || cursor_.text(cursor_.peek()) != "match") return false;
    std::size_t ahead = 1;
    while (!at_end(cursor_.peek(ahead).kind)) ++ahead;
    return cursor_.peek(ahead - 1).kind == TokenKind::Colon &&
           cursor_.peek(ahead + 1).kind == TokenKind::Indent &&
           cursor_.text(cursor_.peek(ahead + 2)) == "case";
  }

  // yield, yield EXPRESSION, yield from EXPRESSION
  void read_yield(Statement& statement) {
    const Token& token = cursor_.next();
    if (!around_.yields_here) cursor_.fail(token, "'yield' outside function");
    around_.yields = true;
    statement.kind = StatementKind::Yield;
    if (cursor_.accept(TokenKind::From)) {
      statement.kind = StatementKind::YieldFrom;
      statement.value = expressions_.parse(ExpressionParser::Commas::End);
    } else if (!cursor_.at(TokenKind::Newline) && !cursor_.at(TokenKind::Semicolon))
      statement.value = expressions_.parse(ExpressionParser::Commas::MakeTuple);
  }

  void read_assignment(Statement& statement) {
    statement.kind = StatementKind::Assign;
    std::vector<ExprId> targets;
    while (cursor_.accept(TokenKind::Assign)) {
      expressions_.check_target(statement.value);
      targets.push_back(statement.value);
      if (cursor_.at(TokenKind::Yield)) {
        statement.value = kNoExpr;
        read_yield(statement);
        break;
      }
      statement.value = expressions_.parse(ExpressionParser::Commas::MakeTuple);
    }
    set_targets(statement, targets);
  }

  // X: (128, 784), perhaps with = value.
  void read_annotation(Statement& statement) {
    statement.kind = StatementKind::Annotation;
    const Expr& target = program_[statement.value];
    constexpr const char* kWhat = "only a name can be annotated, as in X: (128, 784)";
    if (target.kind == ExprKind::Subscript) cursor_.fail_unsupported(target.span, kWhat);
    if (target.kind != ExprKind::Name && target.kind != ExprKind::Attribute)
      cursor_.fail(target.span, kWhat);
    set_targets(statement, {statement.value});
    cursor_.next();
    statement.annotation = expressions_.parse(ExpressionParser::Commas::End);
    statement.value = cursor_.accept(TokenKind::Assign)
                          ? expressions_.parse(ExpressionParser::Commas::MakeTuple)
                          : kNoExpr;
  }

  void set_targets(Statement& statement, const std::vector<ExprId>& targets) {
    statement.targets = static_cast<std::uint32_t>(program_.links.size());
    statement.target_count = static_cast<std::uint32_t>(targets.size());
    program_.links.insert(program_.links.end(), targets.begin(), targets.end());
  }

  // The value read so far is the one target of `what`.
  void set_single_target(Statement& statement, std::string_view what) {
    const ExprKind kind = program_[statement.value].kind;
    if (kind == ExprKind::Tuple || kind == ExprKind::List) {
      cursor_.fail(program_[statement.value].span, fmt::format("{} has one target", what));
    }
    expressions_.check_target(statement.value);
    set_targets(statement, {statement.value});
  }

  // import a.b as c, d
  void read_import(Statement& statement) {
    cursor_.next();
    begin_imports(statement);
    do {
      ImportedName imported;
      imported.span = cursor_.peek().span;
      imported.module = read_module();
      imported.alias = imported.module.substr(0, imported.module.find('.'));
      add_import(statement, std::move(imported));
    } while (cursor_.accept(TokenKind::Comma));
  }

  // from a.b import *     from a.b import c as d, e     from a.b import (c, d)
  void read_from_import(Statement& statement) {
    cursor_.next();
    begin_imports(statement);
    std::string module;
    while (cursor_.at(TokenKind::Dot) || cursor_.at(TokenKind::Ellipsis))
      module += cursor_.text(cursor_.next());
    if (module.empty() || !cursor_.at(TokenKind::Import)) module += read_module();
    if (!cursor_.accept(TokenKind::Import)) fail_expected("'import'");
    if (cursor_.at(TokenKind::Star)) {
      program_.imports.push_back({module, "*", "", cursor_.next().span});
      statement.import_count = 1;
      return;
    }
    const bool bracket = cursor_.accept(TokenKind::LeftParen);
    do {
      if (bracket && statement.import_count > 0 && cursor_.at(TokenKind::RightParen)) break;
      ImportedName imported;
      imported.module = module;
      imported.span = cursor_.peek().span;
      imported.name = imported.alias = read_name();
      add_import(statement, std::move(imported));
    } while (cursor_.accept(TokenKind::Comma));
    if (bracket && !cursor_.accept(TokenKind::RightParen)) fail_expected("',' or ')'");
  }

  void begin_imports(Statement& statement) {
    statement.kind = StatementKind::Import;
    statement.imports = static_cast<std::uint32_t>(program_.imports.size());
  }

  // Reads `as alias` if it is there.
  void add_import(Statement& statement, ImportedName imported) {
    imported.is_renamed = cursor_.accept(TokenKind::As);
    if (imported.is_renamed) imported.alias = read_name();
    imported.span.end = cursor_.previous().span.end;
    program_.imports.push_back(std::move(imported));
    ++statement.import_count;
  }

  std::string read_module() {
    std::string module = read_name();
    while (cursor_.accept(TokenKind::Dot)) {
      module += '.';
      module += read_name();
    }
    return module;
  }

  std::string read_name() {
    if (!cursor_.at(TokenKind::Name)) fail_expected("a name");
    return program_.strings[expressions_.intern_name(cursor_.text(cursor_.next()))];
  }

  [[noreturn]] void fail_expected(std::string_view wanted) const {
    cursor_.fail(cursor_.peek(),
                 fmt::format("expected {}, got {}", wanted, cursor_.describe(cursor_.peek())));
  }

  Program program_;
  TokenCursor cursor_;
  ExpressionParser expressions_;
  std::vector<ExprId> decorators_;  // above the def or class that is read next
  int depth_ = 0;
  /// What is around a statement.
  struct Around {
    int functions = 0;
    int loops = 0;             // in its function or class
    bool yields_here = false;  // its scope is a function's
    bool yields = false;       // a statement of that function
  };
  Around around_;
};

}  // namespace

Program parse(const Source& source) {
  return Parser(source, tokenize(source)).run();
}

}  // namespace rewriter::ast

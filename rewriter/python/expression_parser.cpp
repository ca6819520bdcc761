#include "rewriter/python/expression_parser.hpp"

#include <algorithm>

#include "rewriter/python/literals.hpp"

namespace rewriter::ast {
namespace {

// Python's precedences, weakest first.
enum Precedence : std::uint8_t {
  kEverything,
  kConditional,
  kOr,
  kAnd,
  kNot,
  kComparison,
  kBitOr,
  kBitXor,
  kBitAnd,
  kSum,
  kProduct,
  kSign,
  kPower,
};

struct InfixOperator {
  Operator op = Operator::None;
  Precedence precedence = kEverything;
};

InfixOperator infix_operator(TokenKind kind) {
  switch (kind) {
    case TokenKind::Or:
      return {Operator::Or, kOr};
    case TokenKind::And:
      return {Operator::And, kAnd};
    case TokenKind::Less:
      return {Operator::Less, kComparison};
    case TokenKind::LessEqual:
      return {Operator::LessEqual, kComparison};
    case TokenKind::Greater:
      return {Operator::Greater, kComparison};
    case TokenKind::GreaterEqual:
      return {Operator::GreaterEqual, kComparison};
    case TokenKind::Equal:
      return {Operator::Equal, kComparison};
    case TokenKind::NotEqual:
      return {Operator::NotEqual, kComparison};
    case TokenKind::Is:
      return {Operator::Is, kComparison};
    case TokenKind::Bar:
      return {Operator::BitOr, kBitOr};
    case TokenKind::Caret:
      return {Operator::BitXor, kBitXor};
    case TokenKind::Ampersand:
      return {Operator::BitAnd, kBitAnd};
    case TokenKind::Plus:
      return {Operator::Add, kSum};
    case TokenKind::Minus:
      return {Operator::Subtract, kSum};
    case TokenKind::Star:
      return {Operator::Multiply, kProduct};
    case TokenKind::Slash:
      return {Operator::Divide, kProduct};
    case TokenKind::DoubleSlash:
      return {Operator::FloorDivide, kProduct};
    case TokenKind::Percent:
      return {Operator::Modulo, kProduct};
    case TokenKind::At:
      return {Operator::MatMul, kProduct};
    case TokenKind::DoubleStar:
      return {Operator::Power, kPower};
    default:
      return {};
  }
}

}  // namespace

ExprId ExpressionParser::parse(Commas commas) {
  commas_ = commas;
  frames_.assign(1, Frame{});
  operands_.clear();
  State state = State::WantOperand;
  while (state != State::Done) {
    state = state == State::WantOperand ? read_operand() : read_operator();
  }
  return operands_.back().id;
}

ExpressionParser::State ExpressionParser::read_operand() {
  const Token& token = cursor_.peek();
  switch (token.kind) {
    case TokenKind::Number:
      program_.numbers.push_back(number_value(cursor_.text(token)));
      return leaf(ExprKind::Number, static_cast<std::uint32_t>(program_.numbers.size() - 1),
                  cursor_.next().span);
    case TokenKind::String:
      return string_leaf();
    case TokenKind::Name:
      return name_or_keyword_argument();
    case TokenKind::None:
      return leaf(ExprKind::None, 0, cursor_.next().span);
    case TokenKind::True:
      return leaf(ExprKind::True, 0, cursor_.next().span);
    case TokenKind::False:
      return leaf(ExprKind::False, 0, cursor_.next().span);
    case TokenKind::Ellipsis:
      if (frames_.back().kind != Frame::Kind::Subscript) fail_operand();
      return leaf(ExprKind::Ellipsis, 0, cursor_.next().span);
    case TokenKind::Minus:
      return prefix(Operator::Negative);
    case TokenKind::Plus:
      return prefix(Operator::Positive);
    case TokenKind::Tilde:
      return prefix(Operator::Invert);
    case TokenKind::Not:
      return logical_not();
    case TokenKind::LeftParen:
      push_bracket(Frame::Kind::Group, cursor_.next(), operands_.size());
      return State::WantOperand;
    case TokenKind::LeftBracket:
      push_bracket(Frame::Kind::List, cursor_.next(), operands_.size());
      return State::WantOperand;
    case TokenKind::RightParen:
    case TokenKind::RightBracket:
      return close(false);
    case TokenKind::Colon:
      return colon(false);
    case TokenKind::Comma:
      if (frames_.back().colons == 0) fail_operand();
      return separator();
    default:
      return end(false);
  }
}

ExpressionParser::State ExpressionParser::read_operator() {
  const Token& token = cursor_.peek();
  switch (token.kind) {
    case TokenKind::Dot:
      return attribute();
    case TokenKind::LeftParen:
      push_bracket(Frame::Kind::Call, cursor_.next(), operands_.size() - 1);
      return State::WantOperand;
    case TokenKind::LeftBracket:
      push_bracket(Frame::Kind::Subscript, cursor_.next(), operands_.size() - 1);
      return State::WantOperand;
    case TokenKind::RightParen:
    case TokenKind::RightBracket:
      return close(true);
    case TokenKind::Comma:
      return separator();
    case TokenKind::Colon:
      return colon(true);
    case TokenKind::If:
      return condition();
    case TokenKind::Else:
      return choice();
    case TokenKind::In:
    case TokenKind::Not:
    case TokenKind::LeftShift:
    case TokenKind::RightShift:
      fail_after_operand();
    default:
      break;
  }
  const InfixOperator found = infix_operator(token.kind);
  if (found.op != Operator::None) return infix(token, found.op, found.precedence);
  return end(true);
}

void ExpressionParser::push_bracket(Frame::Kind kind, const Token& token, std::size_t base) {
  Frame frame;
  frame.kind = kind;
  frame.token = token.span;
  frame.base = static_cast<std::uint32_t>(base);
  frames_.push_back(frame);
}

ExpressionParser::State ExpressionParser::leaf(ExprKind kind, std::uint32_t payload, Span span) {
  make(kind, Operator::None, payload, 0, span, span);
  return State::HaveOperand;
}

ExpressionParser::State ExpressionParser::string_leaf() {
  Span span = cursor_.peek().span;
  std::string text;
  while (cursor_.at(TokenKind::String)) {
    const Token& token = cursor_.next();
    const StringValue value = string_value(cursor_.text(token));
    if (!value.error.empty()) {
      const auto begin = static_cast<std::uint32_t>(token.span.begin + value.error_begin);
      const auto end = static_cast<std::uint32_t>(token.span.begin + value.error_end);
      cursor_.fail(Span{begin, end}, value.error);
    }
    text += value.text;
    span.end = token.span.end;
  }
  return leaf(ExprKind::String, intern(std::move(text)), span);
}

ExpressionParser::State ExpressionParser::name_or_keyword_argument() {
  const Token& token = cursor_.next();
  Frame& frame = frames_.back();
  if (frame.kind == Frame::Kind::Call && frame.keyword == Span{} && cursor_.at(TokenKind::Assign)) {
    frame.keyword = token.span;
    cursor_.next();
    return State::WantOperand;
  }
  return leaf(ExprKind::Name, intern_name(cursor_.text(token)), token.span);
}

ExpressionParser::State ExpressionParser::prefix(Operator op) {
  Frame frame;
  frame.kind = Frame::Kind::Prefix;
  frame.op = op;
  frame.precedence = op == Operator::Not ? kNot : kSign;
  frame.token = cursor_.next().span;
  frames_.push_back(frame);
  return State::WantOperand;
}

ExpressionParser::State ExpressionParser::logical_not() {
  const Frame& frame = frames_.back();
  if (is_operator(frame) && frame.precedence > kNot) {
    cursor_.fail(cursor_.peek(), fmt::format("'not' binds more weakly than the '{}' before it; put "
                                             "it into parentheses with its operand",
                                             spelling(frame.op)));
  }
  return prefix(Operator::Not);
}

ExpressionParser::State ExpressionParser::infix(const Token& token, Operator op,
                                                std::uint8_t precedence) {
  const bool comparison = precedence == kComparison;
  const bool to_the_right = comparison || precedence == kPower;
  reduce(static_cast<std::uint8_t>(to_the_right ? precedence + 1 : precedence));
  const Frame& left = frames_.back();
  if (comparison && left.kind == Frame::Kind::Infix && left.precedence == kComparison) chain(token);
  Frame frame;
  frame.kind = Frame::Kind::Infix;
  frame.op = op;
  frame.precedence = precedence;
  frame.token = cursor_.next().span;
  if (op == Operator::Is && cursor_.at(TokenKind::Not)) {
    frame.op = Operator::IsNot;
    frame.token.end = cursor_.next().span.end;
  }
  frames_.push_back(frame);
  return State::WantOperand;
}

// At the second operator of a < b < c: makes `a < b and b` of what is read. Computing b twice does
// no more than computing it once, if it calls nothing.
void ExpressionParser::chain(const Token& token) {
  const Operand middle = operands_.back();
  const ExprId first = program_.exprs[middle.id].first;
  for (ExprId id = first; id <= middle.id; ++id)
    if (program_.exprs[id].kind == ExprKind::Call)
      cursor_.fail(program_.exprs[id].span,
                   "comparisons cannot be chained around a call here; give its value a name");
  reduce(kComparison);
  Frame both;
  both.kind = Frame::Kind::Infix;
  both.op = Operator::And;
  both.precedence = kComparison;
  both.token = token.span;
  frames_.push_back(both);
  const auto shift = static_cast<ExprId>(program_.exprs.size()) - first;
  for (ExprId id = first; id <= middle.id; ++id) {
    Expr copy = program_.exprs[id];
    copy.first += shift;
    copy.children = static_cast<std::uint32_t>(program_.links.size());
    for (std::uint32_t i = 0; i < copy.child_count; ++i) {
      const ExprId child = program_.links[program_.exprs[id].children + i];
      program_.links.push_back(child == kNoExpr ? kNoExpr : child + shift);
    }
    program_.exprs.push_back(copy);
  }
  operands_.push_back({middle.id + shift, middle.span});
}

// a if b else c, which binds most weakly and to the right.
ExpressionParser::State ExpressionParser::condition() {
  reduce(kOr);
  if (frames_.back().kind == Frame::Kind::Condition) reduce_one();  // refuses: its else is missing
  Frame frame;
  frame.kind = Frame::Kind::Condition;
  frame.precedence = kConditional;
  frame.token = cursor_.next().span;
  frames_.push_back(frame);
  return State::WantOperand;
}

ExpressionParser::State ExpressionParser::choice() {
  reduce(kOr);
  if (frames_.back().kind != Frame::Kind::Condition) return end(true);
  frames_.back().kind = Frame::Kind::Choice;
  cursor_.next();
  return State::WantOperand;
}

ExpressionParser::State ExpressionParser::attribute() {
  cursor_.next();
  const Token& name = cursor_.peek();
  if (name.kind != TokenKind::Name) {
    cursor_.fail(name,
                 is_keyword(name.kind)
                     ? fmt::format("{} is a Python keyword and cannot be an attribute",
                                   cursor_.describe(name))
                     : fmt::format("expected a name after '.', got {}", cursor_.describe(name)));
  }
  cursor_.next();
  const Span span = {operands_.back().span.begin, name.span.end};
  make(ExprKind::Attribute, Operator::None, intern_name(cursor_.text(name)), 1, span, name.span);
  return State::HaveOperand;
}

// At a comma: ends an element.
ExpressionParser::State ExpressionParser::separator() {
  const bool have_operand =
      !(frames_.back().colons > 0 && cursor_.previous().kind == TokenKind::Colon);
  reduce(kEverything);
  if (frames_.back().kind == Frame::Kind::Statement && commas_ == Commas::End) return State::Done;
  finish_element(have_operand);
  frames_.back().comma = true;
  cursor_.next();
  return State::WantOperand;
}

// At a colon: one of a slice, or the end of what stands before an annotation.
ExpressionParser::State ExpressionParser::colon(bool have_operand) {
  const Token& token = cursor_.peek();
  if (have_operand) reduce(kEverything);
  Frame& frame = frames_.back();
  if (frame.kind != Frame::Kind::Subscript) return end(have_operand);
  if (frame.colons == 2) cursor_.fail(token, "a slice is start:stop:step, with two colons at most");
  if (frame.colons == 0) {
    frame.slice_begin = have_operand ? operands_.back().span.begin : token.span.begin;
  }
  if (!have_operand) operands_.push_back({kNoExpr, token.span});
  ++frame.colons;
  cursor_.next();
  return State::WantOperand;
}

ExpressionParser::State ExpressionParser::close(bool have_operand) {
  const Token& token = cursor_.peek();
  if (have_operand) reduce(kEverything);
  Frame& frame = frames_.back();
  if (have_operand && frame.kind == Frame::Kind::Statement) return end(true);
  if (is_operator(frame) || frame.kind == Frame::Kind::Statement || frame.keyword != Span{}) {
    if (!have_operand) fail_operand();
  }
  if (have_operand || frame.colons > 0) finish_element(have_operand);
  const std::size_t count = operands_.size() - frame.base;
  const Span bracket = {frame.token.begin, token.span.end};
  switch (frame.kind) {
    case Frame::Kind::Group:
      if (count == 1 && !frame.comma) {
        operands_.back().span = bracket;
      } else {
        make(ExprKind::Tuple, Operator::None, 0, count, bracket, bracket);
      }
      break;
    case Frame::Kind::List:
      make(ExprKind::List, Operator::None, 0, count, bracket, bracket);
      break;
    case Frame::Kind::Call: {
      if (frame.keywords) check_repeated_keywords(frame);
      const Span span = {operands_[frame.base].span.begin, token.span.end};
      make(ExprKind::Call, Operator::None, 0, count, span, frame.token);
      break;
    }
    default: {
      if (count == 1) cursor_.fail(token, "an index is missing between '[' and ']'");
      unwrap_index_tuple(frame);
      const Span span = {operands_[frame.base].span.begin, token.span.end};
      make(ExprKind::Subscript, Operator::None, 0, operands_.size() - frame.base, span,
           frame.token);
    }
  }
  frames_.pop_back();
  cursor_.next();
  return State::HaveOperand;
}

// At a token that cannot continue the expression: the end of it, if nothing is open.
ExpressionParser::State ExpressionParser::end(bool have_operand) {
  if (!have_operand) {
    const Frame& frame = frames_.back();
    const TokenKind kind = cursor_.peek().kind;
    const bool after_comma = frame.kind == Frame::Kind::Statement && frame.comma;
    const bool ends =
        kind == TokenKind::Newline || kind == TokenKind::Semicolon || kind == TokenKind::Assign;
    if (!after_comma || !ends) fail_operand();
  }
  reduce(kEverything);
  const Frame& frame = frames_.back();
  if (frame.kind != Frame::Kind::Statement) fail_after_operand();
  if (frame.comma) {
    const Span span = {operands_.front().span.begin, cursor_.previous().span.end};
    make(ExprKind::Tuple, Operator::None, 0, operands_.size(), span, span);
  }
  return State::Done;
}

void ExpressionParser::reduce(std::uint8_t precedence) {
  while (is_operator(frames_.back()) && frames_.back().precedence >= precedence) reduce_one();
}

// Makes a node of the innermost operator and its operands.
void ExpressionParser::reduce_one() {
  const Frame frame = frames_.back();
  if (frame.kind == Frame::Kind::Condition)
    cursor_.fail(cursor_.peek(), fmt::format("expected 'else' after a value and its condition, as "
                                             "in a if b else c; got {}",
                                             cursor_.describe(cursor_.peek())));
  frames_.pop_back();
  const bool unary = frame.kind == Frame::Kind::Prefix;
  const std::size_t count = unary ? 1 : frame.kind == Frame::Kind::Choice ? 3 : 2;
  const std::uint32_t begin =
      unary ? frame.token.begin : operands_[operands_.size() - count].span.begin;
  const ExprKind kind = unary                               ? ExprKind::Unary
                        : frame.kind == Frame::Kind::Choice ? ExprKind::Conditional
                        : frame.op >= Operator::Less        ? ExprKind::Compare
                                                            : ExprKind::Binary;
  make(kind, frame.op, 0, count, {begin, operands_.back().span.end}, frame.token);
}

// Between commas and brackets: completes a slice or a keyword argument.
void ExpressionParser::finish_element(bool have_operand) {
  Frame& frame = frames_.back();
  if (frame.colons > 0) {
    const Span here = {cursor_.previous().span.end, cursor_.previous().span.end};
    if (!have_operand) operands_.push_back({kNoExpr, here});
    finish_slice();
  } else if (frame.keyword != Span{}) {
    const Span span = {frame.keyword.begin, operands_.back().span.end};
    make(ExprKind::Keyword, Operator::None, intern_name(program_.source.slice(frame.keyword)), 1,
         span, frame.keyword);
    frame.keyword = {};
    frame.keywords = true;
  } else if (frame.keywords) {
    cursor_.fail(operands_.back().span, "a positional argument cannot follow a keyword argument");
  }
}

void ExpressionParser::finish_slice() {
  Frame& frame = frames_.back();
  if (frame.colons == 1) operands_.push_back({});
  const Span span = {frame.slice_begin, cursor_.previous().span.end};
  make(ExprKind::Slice, Operator::None, 0, 3, span, span);
  frame.colons = 0;
}

// x[(i, j)] is x[i, j]: the tuple, which is the last node, gives way to its elements.
void ExpressionParser::unwrap_index_tuple(const Frame& frame) {
  const bool single = operands_.size() - frame.base == 2 && !frame.comma;
  const Expr tuple = program_.exprs.back();
  if (!single || tuple.kind != ExprKind::Tuple) return;
  operands_.pop_back();
  for (const ExprId id : program_.children(tuple)) {
    operands_.push_back({id, program_.exprs[id].span});
  }
  program_.exprs.pop_back();
  program_.links.resize(tuple.children);
}

void ExpressionParser::check_repeated_keywords(const Frame& frame) {
  std::vector<std::pair<std::uint32_t, ExprId>> keywords;
  for (std::size_t i = frame.base + 1; i < operands_.size(); ++i) {
    const Expr& argument = program_.exprs[operands_[i].id];
    if (argument.kind == ExprKind::Keyword)
      keywords.emplace_back(argument.payload, operands_[i].id);
  }
  std::sort(keywords.begin(), keywords.end());
  for (std::size_t i = 1; i < keywords.size(); ++i) {
    if (keywords[i].first != keywords[i - 1].first) continue;
    const Expr& repeated = program_.exprs[keywords[i].second];
    cursor_.fail(repeated.token,
                 fmt::format("the argument '{}' is given twice", program_.string(repeated)));
  }
}

void ExpressionParser::make(ExprKind kind, Operator op, std::uint32_t payload, std::size_t count,
                            Span span, Span token) {
  const auto id = static_cast<ExprId>(program_.exprs.size());
  Expr node;
  node.kind = kind;
  node.op = op;
  node.payload = payload;
  node.first = id;
  node.children = static_cast<std::uint32_t>(program_.links.size());
  node.child_count = static_cast<std::uint32_t>(count);
  node.span = span;
  node.token = token;
  for (std::size_t i = operands_.size() - count; i < operands_.size(); ++i) {
    const ExprId child = operands_[i].id;
    if (node.first == id && child != kNoExpr) node.first = program_.exprs[child].first;
    program_.links.push_back(child);
  }
  operands_.resize(operands_.size() - count);
  program_.exprs.push_back(node);
  operands_.push_back({id, span});
}

ExprId ExpressionParser::name(const Token& token) {
  operands_.clear();
  leaf(ExprKind::Name, intern_name(cursor_.text(token)), token.span);
  return operands_.back().id;
}

std::uint32_t ExpressionParser::intern(std::string text) {
  const auto next = static_cast<std::uint32_t>(program_.strings.size());
  const auto [place, is_new] = interned_.try_emplace(std::move(text), next);
  if (is_new) program_.strings.push_back(place->first);
  return place->second;
}

std::uint32_t ExpressionParser::intern_name(std::string_view name) {
  const auto found = names_.find(name);
  if (found != names_.end()) return found->second;
  const std::uint32_t id = intern(normalized_name(name));
  names_.emplace(name, id);
  return id;
}

}  // namespace rewriter::ast

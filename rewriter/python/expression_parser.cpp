#include "rewriter/python/expression_parser.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "rewriter/python/inlining.hpp"
#include "rewriter/python/lexer.hpp"
#include "rewriter/python/literals.hpp"
#include "rewriter/text/depth.hpp"

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
  kStar,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShift,
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
    case TokenKind::In:
      return {Operator::In, kComparison};
    case TokenKind::Not:
      return {Operator::NotIn, kComparison};
    case TokenKind::LeftShift:
      return {Operator::LeftShift, kShift};
    case TokenKind::RightShift:
      return {Operator::RightShift, kShift};
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

ExprId ExpressionParser::parse(Commas commas, Membership membership) {
  parse_around({commas, membership, false, false});
  return operands_.back().id;
}

ExprId ExpressionParser::parse_condition() {
  parse_around({Commas::End, Membership::Compares, false, true});
  return operands_.back().id;
}

void ExpressionParser::parse_around(Around around) {
  around_ = around;
  frames_.assign(1, Frame{});
  operands_.clear();
  State state = State::WantOperand;
  while (state != State::Done) {
    state = state == State::WantOperand ? read_operand() : read_operator();
  }
}

ExpressionParser::State ExpressionParser::read_operand() {
  const Token& token = cursor_.peek();
  switch (token.kind) {
    case TokenKind::Number:
      program_.numbers.push_back(number_value(cursor_.text(token)));
      return leaf(ExprKind::Number, static_cast<std::uint32_t>(program_.numbers.size() - 1),
                  cursor_.next().span);
    case TokenKind::String:
      return at_joined() ? joined_leaf() : string_leaf();
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
    case TokenKind::LeftBrace:
      push_bracket(Frame::Kind::Brace, cursor_.next(), operands_.size());
      return State::WantOperand;
    case TokenKind::Star:
    case TokenKind::DoubleStar:
      return starred();
    case TokenKind::Lambda:
      return lambda();
    case TokenKind::RightParen:
    case TokenKind::RightBracket:
    case TokenKind::RightBrace:
      return close(false);
    case TokenKind::Colon:
      return colon(false);
    case TokenKind::Comma:
      if (frames_.back().colons == 0 || frames_.back().kind == Frame::Kind::Brace) fail_operand();
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
    case TokenKind::RightBrace:
      return close(true);
    case TokenKind::Comma:
      return separator();
    case TokenKind::Colon:
      return colon(true);
    case TokenKind::If:
      return condition();
    case TokenKind::Else:
      return choice();
    case TokenKind::Walrus:
      return walrus();
    case TokenKind::For:
      return comprehension();
    case TokenKind::In:
      if (around_.membership == Membership::Ends && !in_bracket()) return end(true);
      break;
    case TokenKind::Not:
      if (cursor_.peek(1).kind != TokenKind::In) fail_after_operand();
      break;
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
  std::optional<bool> is_bytes;
  while (cursor_.at(TokenKind::String)) {
    const Token& token = cursor_.next();
    const StringValue value = string_value(cursor_.text(token));
    if (is_bytes.value_or(value.is_bytes) != value.is_bytes)
      cursor_.fail(token.span, "cannot mix bytes and nonbytes literals");
    is_bytes = value.is_bytes;
    const std::string_view written = cursor_.text(token);
    if (value.is_bytes &&
        std::any_of(written.begin(), written.end(), [](char c) { return (c & 0x80) != 0; }))
      cursor_.fail(token.span, "bytes can only contain ASCII literal characters");
    check_value(value, {static_cast<std::uint32_t>(token.span.begin + value.error_begin),
                        static_cast<std::uint32_t>(token.span.begin + value.error_end)});
    text += value.text;
    span.end = token.span.end;
  }
  if (is_bytes == true) leaf(ExprKind::Name, intern("bytes"), span);
  leaf(ExprKind::String, intern(std::move(text)), span);
  if (is_bytes == true) {  // of the letters that have these bytes as their numbers
    leaf(ExprKind::String, intern("latin-1"), span);
    make(ExprKind::Call, Operator::None, 0, 3, span, span);
  }
  return State::HaveOperand;
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
  } else if (op == Operator::NotIn) {
    frame.token.end = cursor_.next().span.end;
  }
  frames_.push_back(frame);
  return State::WantOperand;
}

// At the second operator of a < b < c: makes `a < b and b` of what is read. Computing b twice does
// no more than computing it once, if it calls nothing; else it gets a name of its own.
void ExpressionParser::chain(const Token& token) {
  const Operand middle = operands_.back();
  const ExprId first = program_.exprs[middle.id].first;
  const bool calls = std::any_of(program_.exprs.begin() + first, program_.exprs.end(),
                                 [](const Expr& each) { return each.kind == ExprKind::Call; });
  const std::uint32_t name = calls ? intern(middle_name(middle.id)) : 0;
  if (calls) make(ExprKind::Named, Operator::None, name, 1, middle.span, middle.span);
  reduce(kComparison);
  Frame both;
  both.kind = Frame::Kind::Infix;
  both.op = Operator::And;
  both.precedence = kComparison;
  both.token = token.span;
  frames_.push_back(both);
  if (calls) {
    leaf(ExprKind::Name, name, middle.span);
    return;
  }
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
  if (around_.clause && frames_.back().kind == Frame::Kind::Statement) return end(true);
  if (frames_.back().kind == Frame::Kind::Condition)
    reduce_one();  // raises an error: its else is missing
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
  if (frames_.back().kind == Frame::Kind::Statement && around_.commas == Commas::End)
    return State::Done;
  if (frames_.back().comprehension) fail_after_operand();
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
  if (frame.kind == Frame::Kind::Brace && have_operand && frame.colons == 0 &&
      !frame.comprehension) {
    if (program_.exprs[operands_.back().id].kind == ExprKind::Starred)
      cursor_.fail(operands_.back().span, "a key cannot have a star");
    frame.colons = 1;
    cursor_.next();
    return State::WantOperand;
  }
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
  if (frame.kind == Frame::Kind::Brace && frame.colons > 0 && !have_operand) fail_operand();
  if (frame.comprehension) {
    const Span span = {frame.token.begin, token.span.end};
    program_.exprs.back().span = span;
    operands_.back().span = span;
    if (frame.kind != Frame::Kind::Call) {
      frames_.pop_back();
      cursor_.next();
      return State::HaveOperand;
    }
  }
  if (have_operand || frame.colons > 0) finish_element(have_operand);
  const std::size_t count = operands_.size() - frame.base;
  const Span bracket = {frame.token.begin, token.span.end};
  switch (frame.kind) {
    case Frame::Kind::Group:
      if (count == 1 && !frame.comma) {
        if (program_.exprs[operands_.back().id].kind == ExprKind::Starred)
          cursor_.fail(operands_.back().span, "a star unpacks into a list or a tuple: (*a,)");
        operands_.back().span = bracket;
      } else {
        make(ExprKind::Tuple, Operator::None, 0, count, bracket, bracket);
      }
      break;
    case Frame::Kind::List:
      make(ExprKind::List, Operator::None, 0, count, bracket, bracket);
      break;
    case Frame::Kind::Brace:
      make(count == 0 || frame.pairs ? ExprKind::Dict : ExprKind::Set, Operator::None, 0, count,
           bracket, bracket);
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
    const bool ends = kind == TokenKind::Newline || kind == TokenKind::Semicolon ||
                      kind == TokenKind::Assign || kind == TokenKind::Colon ||
                      kind == TokenKind::In || kind == TokenKind::EndOfFile;
    if (!after_comma || !ends) fail_operand();
  }
  reduce(kEverything);
  const Frame& frame = frames_.back();
  if (frame.kind != Frame::Kind::Statement) fail_after_operand();
  if (!frame.comma && program_.exprs[operands_.back().id].kind == ExprKind::Starred)
    cursor_.fail(operands_.back().span,
                 "a star alone is not supported; it unpacks into a list or "
                 "a tuple: (*a,)");
  if (frame.comma) {
    const Span span = {operands_.front().span.begin, cursor_.previous().span.end};
    make(ExprKind::Tuple, Operator::None, 0, operands_.size(), span, span);
  }
  return State::Done;
}

// ---- expressions inside of expressions: each is parsed by itself and becomes an operand

void ExpressionParser::nested(Around around) {
  const Deeper deeper(depth_, [this] {
    cursor_.fail(cursor_.peek(), too_deep("lambdas, comprehensions and the like"));
  });
  std::vector<Frame> frames = std::exchange(frames_, {});
  std::vector<Operand> operands = std::exchange(operands_, {});
  const Around outer = std::exchange(around_, around);
  parse_around(around);
  operands.push_back(operands_.back());
  frames_ = std::move(frames);
  operands_ = std::move(operands);
  around_ = outer;
}

ExpressionParser::State ExpressionParser::starred() {
  Frame& frame = frames_.back();
  const bool twice = cursor_.at(TokenKind::DoubleStar);
  const bool in_brace = frame.kind == Frame::Kind::Brace;
  const bool in_call = frame.kind == Frame::Kind::Call && frame.keyword == Span{};
  if (twice && in_brace && frame.colons == 0) {
    operands_.push_back({kNoExpr, cursor_.next().span});
    frame.colons = 1;
    return State::WantOperand;
  }
  const bool begins =
      (frame.kind == Frame::Kind::Statement && around_.commas == Commas::MakeTuple) ||
      frame.kind == Frame::Kind::Group || frame.kind == Frame::Kind::List ||
      (in_brace && frame.colons == 0);
  if (!in_call && (twice || !begins)) fail_operand();
  Frame star;
  star.kind = twice ? Frame::Kind::DoubleStarred : Frame::Kind::Starred;
  star.precedence = twice ? kConditional : kStar;
  star.token = cursor_.next().span;
  frames_.push_back(star);
  return State::WantOperand;
}

// NAME, NAME: annotation, NAME=value, *NAME, **NAME
Parameter ExpressionParser::parameter(const std::vector<Parameter>& before, bool annotated,
                                      bool keywords_only) {
  Parameter result;
  result.span = cursor_.peek().span;
  if (cursor_.accept(TokenKind::Star))
    result.kind = Parameter::Kind::Rest;
  else if (cursor_.accept(TokenKind::DoubleStar))
    result.kind = Parameter::Kind::Keywords;
  else if (keywords_only)
    result.kind = Parameter::Kind::KeywordOnly;
  if (!cursor_.at(TokenKind::Name))
    cursor_.fail(cursor_.peek(),
                 fmt::format("expected a name, got {}", cursor_.describe(cursor_.peek())));
  result.name = program_.strings[intern_name(cursor_.text(cursor_.next()))];
  for (const Parameter& other : before)
    if (other.name == result.name)
      cursor_.fail(result.span, fmt::format("the parameter '{}' is given twice", result.name));
  if (annotated && cursor_.accept(TokenKind::Colon)) {
    nested({Commas::End});
    result.annotation = operands_.back().id;
    operands_.pop_back();
  }
  const bool takes_value =
      result.kind == Parameter::Kind::Plain || result.kind == Parameter::Kind::KeywordOnly;
  if (takes_value && cursor_.accept(TokenKind::Assign)) {
    nested({Commas::End});
    result.value = operands_.back().id;
    operands_.pop_back();
  }
  if (result.kind == Parameter::Kind::Plain && result.value == kNoExpr && !before.empty() &&
      before.back().value != kNoExpr)
    cursor_.fail(result.span, "a parameter without a default follows one that has a default");
  return result;
}

std::vector<Parameter> ExpressionParser::parameters(TokenKind end) {
  std::vector<Parameter> result;
  bool keywords_only = false;
  while (!cursor_.at(end)) {
    if (!result.empty() && result.back().kind == Parameter::Kind::Keywords)
      cursor_.fail(cursor_.peek(), "the parameter ** must be the last one");
    if (cursor_.at(TokenKind::Slash) && !result.empty() && !keywords_only) {
      cursor_.next();  // those before it are given by their position, which all may be
    } else if (cursor_.at(TokenKind::Star) && cursor_.peek(1).kind == TokenKind::Comma &&
               !keywords_only) {
      cursor_.next();
      keywords_only = true;
      if (cursor_.peek(1).kind != TokenKind::Name)
        cursor_.fail(cursor_.peek(1), "a parameter * alone must be followed by a name");
    } else {
      const Parameter next = parameter(result, end == TokenKind::RightParen, keywords_only);
      if (next.kind == Parameter::Kind::Rest && keywords_only)
        cursor_.fail(next.span, "a second parameter *");
      keywords_only = keywords_only || next.kind == Parameter::Kind::Rest;
      result.push_back(next);
    }
    if (!cursor_.accept(TokenKind::Comma)) break;
  }
  return result;
}

ExpressionParser::State ExpressionParser::lambda() {
  const Frame& frame = frames_.back();
  if (is_operator(frame) && frame.kind != Frame::Kind::Choice) fail_operand();
  const Span token = cursor_.next().span;
  const std::vector<Parameter> names = parameters(TokenKind::Colon);
  if (!cursor_.accept(TokenKind::Colon))
    cursor_.fail(cursor_.peek(),
                 fmt::format("expected ':' after the parameters of a lambda, got {}",
                             cursor_.describe(cursor_.peek())));
  std::size_t count = 1;
  for (const Parameter& name : names)
    if (name.value != kNoExpr) {
      operands_.push_back({name.value, program_.exprs[name.value].span});
      ++count;
    }
  nested({Commas::End, around_.membership, around_.clause});
  program_.lambdas.push_back({static_cast<std::uint32_t>(program_.parameters.size()),
                              static_cast<std::uint32_t>(names.size())});
  program_.parameters.insert(program_.parameters.end(), names.begin(), names.end());
  make(ExprKind::Lambda, Operator::None, static_cast<std::uint32_t>(program_.lambdas.size() - 1),
       count, {token.begin, operands_.back().span.end}, token);
  return State::HaveOperand;
}

// At the := of `name := value`.
ExpressionParser::State ExpressionParser::walrus() {
  const Frame& frame = frames_.back();
  const Operand name = operands_.back();
  const bool plain =
      program_.exprs[name.id].kind == ExprKind::Name && program_.exprs[name.id].span == name.span;
  const bool inside = !is_operator(frame) && frame.colons == 0 && frame.keyword == Span{} &&
                      (frame.kind != Frame::Kind::Statement || around_.named);
  if (!plain || !inside) fail_after_operand();
  const std::uint32_t payload = program_.exprs[name.id].payload;
  operands_.pop_back();
  program_.exprs.pop_back();
  const Span token = cursor_.next().span;
  nested({Commas::End, around_.membership, around_.clause});
  make(ExprKind::Named, Operator::None, payload, 1, {name.span.begin, operands_.back().span.end},
       token);
  return State::HaveOperand;
}

// At the `for` after an element.
ExpressionParser::State ExpressionParser::comprehension() {
  reduce(kEverything);
  Frame& frame = frames_.back();
  if (frame.kind == Frame::Kind::Statement) return end(true);
  const bool dict = frame.kind == Frame::Kind::Brace && frame.colons > 0;
  const ExprKind last = program_.exprs[operands_.back().id].kind;
  const std::size_t before = frame.base + (frame.kind == Frame::Kind::Call ? 1 : 0);
  const bool fits = frame.kind != Frame::Kind::Subscript && !frame.comma && !frame.comprehension &&
                    frame.keyword == Span{} && operands_.size() - before == (dict ? 2 : 1) &&
                    (!dict || operands_[before].id != kNoExpr) && last != ExprKind::Starred &&
                    last != ExprKind::DoubleStarred;
  if (!fits && (frame.kind == Frame::Kind::Call || frame.kind == Frame::Kind::Subscript))
    cursor_.fail(cursor_.peek(),
                 "a comprehension needs brackets of its own in a call with other arguments");
  if (!fits && last < ExprKind::Named) fail_after_operand();
  const Bracket bracket = dict                               ? Bracket::Dict
                          : frame.kind == Frame::Kind::Brace ? Bracket::Set
                          : frame.kind == Frame::Kind::List  ? Bracket::List
                                                             : Bracket::Generator;
  const std::uint32_t begin = operands_[before].span.begin;
  std::size_t count = dict ? 2 : 1;
  while (cursor_.at(TokenKind::For)) {
    const Span token = cursor_.next().span;
    nested({Commas::MakeTuple, Membership::Ends});
    check_target(operands_.back().id);
    if (!cursor_.accept(TokenKind::In))
      cursor_.fail(cursor_.peek(), "expected 'in' after what a comprehension assigns");
    nested({Commas::End, Membership::Compares, true});
    std::size_t parts = 2;
    for (; cursor_.accept(TokenKind::If); ++parts)
      nested({Commas::End, Membership::Compares, true, true});
    make(ExprKind::Generator, Operator::None, 0, parts, {token.begin, operands_.back().span.end},
         token);
    ++count;
  }
  make(ExprKind::Comprehension, Operator::None, static_cast<std::uint32_t>(bracket), count,
       {begin, operands_.back().span.end}, frames_.back().token);
  frames_.back().comprehension = true;
  frames_.back().colons = 0;
  const TokenKind next = cursor_.peek().kind;
  if (next != TokenKind::RightParen && next != TokenKind::RightBracket &&
      next != TokenKind::RightBrace)
    fail_after_operand();
  return State::HaveOperand;
}

// ---- f-strings

namespace {

bool has_prefix(std::string_view literal, std::string_view letters) {
  return literal.substr(0, literal.find_first_of("'\"")).find_first_of(letters) !=
         std::string_view::npos;
}

}  // namespace

bool ExpressionParser::at_joined() const {
  for (std::size_t ahead = 0; cursor_.peek(ahead).kind == TokenKind::String; ++ahead)
    if (has_prefix(cursor_.text(cursor_.peek(ahead)), "fF")) return true;
  return false;
}

ExpressionParser::State ExpressionParser::joined_leaf() {
  Span span = cursor_.peek().span;
  std::size_t count = 0;
  while (cursor_.at(TokenKind::String)) {
    const Token token = cursor_.next();
    const std::string_view literal = cursor_.text(token);
    span.end = token.span.end;
    const bool formats = has_prefix(literal, "fF");
    if (!formats || has_prefix(literal, "bB")) {
      const StringValue value = string_value(literal);
      check_value(value, {static_cast<std::uint32_t>(token.span.begin + value.error_begin),
                          static_cast<std::uint32_t>(token.span.begin + value.error_end)});
      if (value.is_bytes) cursor_.fail(token.span, "cannot mix bytes and nonbytes literals");
      leaf(ExprKind::String, intern(value.text), token.span);
      ++count;
      continue;
    }
    const auto quote = static_cast<std::uint32_t>(literal.find_first_of("'\""));
    const bool triple = literal.size() >= quote + 6 && literal[quote + 1] == literal[quote] &&
                        literal[quote + 2] == literal[quote];
    const std::uint32_t width = triple ? 3 : 1;
    count += joined_pieces({token.span.begin + quote + width, token.span.end - width},
                           has_prefix(literal, "rR") ? "r" : "", 0);
  }
  make(ExprKind::Joined, Operator::None, 0, count, span, span);
  return State::HaveOperand;
}

/// The pieces of an f-string's inside, or of a format: one operand for each; how many.
std::size_t ExpressionParser::joined_pieces(Span part, std::string_view prefix, int depth) {
  const std::string_view text = program_.source.text();
  std::size_t count = 0;
  std::string plain;
  std::uint32_t begin = part.begin;
  const auto flush = [&](std::uint32_t end) {
    if (plain.empty()) return;
    const StringValue value = string_value(fmt::format("{}\"\"\"{}\"\"\"", prefix, plain));
    check_value(value, {begin, end});
    leaf(ExprKind::String, intern(value.text), {begin, end});
    ++count;
    plain.clear();
  };
  for (std::uint32_t i = part.begin; i < part.end;) {
    const char c = text[i];
    const bool twice = depth == 0 && i + 1 < part.end && text[i + 1] == c;
    if ((c == '{' || c == '}') && twice) {
      plain += c;
      i += 2;
    } else if (c == '}') {
      cursor_.fail(Span{i, i + 1}, "a single '}' in an f-string; '}}' prints one");
    } else if (c == '{') {
      if (depth > 1) cursor_.fail(Span{i, i + 1}, "an f-string's formats are nested too deeply");
      const Span inside = {i + 1, replacement_end(part, i)};
      if (text[inside.end] == '=') {  // {x=} shows its text, too
        std::uint32_t after = inside.end + 1;
        while (after < part.end && text[after] == ' ') ++after;
        for (const char letter : text.substr(inside.begin, after - inside.begin))
          plain += letter == '\\' ? "\\\\" : std::string(1, letter);
      }
      flush(i);
      i = replacement(part, inside, prefix, depth);
      ++count;
      begin = i;
    } else {
      const bool escapes = c == '\\' && i + 1 < part.end;
      const bool before_brace = escapes && (text[i + 1] == '{' || text[i + 1] == '}');
      plain += c;
      if (before_brace && prefix.empty()) plain += c;  // is kept as it is
      ++i;
      if (escapes && !before_brace) plain += text[i++];
    }
  }
  flush(part.end);
  return count;
}

/// Of the expression in the braces that open at `at`: where it ends, at a '}', ':', '!' or '='.
std::uint32_t ExpressionParser::replacement_end(Span part, std::uint32_t at) const {
  const std::string_view text = program_.source.text();
  std::vector<char> open;
  std::uint32_t end = at + 1;
  for (; end < part.end; ++end) {
    const char c = text[end];
    if (c == '\'' || c == '"') {
      const std::size_t close = text.find(c, end + 1);
      if (close == std::string_view::npos || close >= part.end) break;
      end = static_cast<std::uint32_t>(close);
    } else if (c == '(' || c == '[' || c == '{') {
      open.push_back(c);
    } else if (!open.empty() && (c == ')' || c == ']' || c == '}')) {
      open.pop_back();
    } else if (open.empty()) {
      const char next = end + 1 < part.end ? text[end + 1] : '\0';
      if (c == '}' || c == ':' || (c == '!' && next != '=')) return end;
      if ((c == '!' || c == '=' || c == '<' || c == '>') && next == '=')
        ++end;
      else if (c == '=')
        return end;
    }
  }
  cursor_.fail(Span{at, part.end}, "a '{' of an f-string is never closed; '{{' prints one");
}

/// {value!r:format}: one operand. Gives the place after it.
std::uint32_t ExpressionParser::replacement(Span part, Span inside, std::string_view prefix,
                                            int depth) {
  const std::string_view text = program_.source.text();
  const std::uint32_t at = inside.begin - 1;
  std::uint32_t end = inside.end;
  const Span here = {at, std::min(end + 1, part.end)};
  const TokenList tokens = tokenize_part(program_.source, inside);
  {
    const TokenCursor::Aside aside(cursor_, tokens);
    nested({Commas::MakeTuple});
    if (!cursor_.at(TokenKind::EndOfFile)) fail_after_operand();
  }
  const bool shows = text[end] == '=';
  if (shows) {
    do ++end;
    while (end < part.end && text[end] == ' ');
  }
  std::string conversion;
  if (end < part.end && text[end] == '!') {
    conversion = text.substr(end + 1, 1);
    end += 2;
    if (conversion != "r" && conversion != "s" && conversion != "a")
      cursor_.fail(here, "a conversion in an f-string is !r, !s or !a");
  }
  bool has_format = false;
  if (end < part.end && text[end] == ':') {
    has_format = true;
    const std::uint32_t begin = ++end;
    for (int deep = 0; end < part.end && (text[end] != '}' || deep > 0); ++end)
      deep += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
    const std::size_t pieces = joined_pieces({begin, end}, prefix, depth + 1);
    make(ExprKind::Joined, Operator::None, 0, pieces, {begin, end}, {begin, end});
  }
  if (end >= part.end || text[end] != '}') cursor_.fail(here, "expected '}' in an f-string");
  if (!has_format) operands_.push_back({kNoExpr, {end, end}});
  if (shows && !has_format && conversion.empty()) conversion = "r";
  const Span span = {at, end + 1};
  make(ExprKind::Formatted, Operator::None, intern(conversion), 2, span, span);
  return end + 1;
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
  const bool star = frame.kind == Frame::Kind::Starred;
  const bool stars = frame.kind == Frame::Kind::DoubleStarred;
  const bool unary = frame.kind == Frame::Kind::Prefix || star || stars;
  const std::size_t count = unary ? 1 : frame.kind == Frame::Kind::Choice ? 3 : 2;
  const std::uint32_t begin =
      unary ? frame.token.begin : operands_[operands_.size() - count].span.begin;
  const ExprKind kind = star                                ? ExprKind::Starred
                        : stars                             ? ExprKind::DoubleStarred
                        : unary                             ? ExprKind::Unary
                        : frame.kind == Frame::Kind::Choice ? ExprKind::Conditional
                        : frame.op >= Operator::Less        ? ExprKind::Compare
                                                            : ExprKind::Binary;
  for (std::size_t i = operands_.size() - count; i < operands_.size(); ++i)
    if (program_.exprs[operands_[i].id].kind == ExprKind::Starred)
      cursor_.fail(operands_[i].span, "a star cannot be used inside an expression");
  make(kind, frame.op, 0, count, {begin, operands_.back().span.end}, frame.token);
}

// Between commas and brackets: completes a slice or a keyword argument.
void ExpressionParser::finish_element(bool have_operand) {
  Frame& frame = frames_.back();
  if (frame.kind == Frame::Kind::Brace) {
    const bool pair = frame.colons > 0;
    if (operands_.size() - frame.base > (pair ? 2 : 1) && pair != frame.pairs)
      cursor_.fail(operands_.back().span, "a dictionary holds pairs, key: value; a set holds none");
    frame.pairs = pair;
    frame.colons = 0;
    return;
  }
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
  } else if (frame.kind == Frame::Kind::Call && operands_.size() > frame.base + 1 &&
             program_.exprs[operands_.back().id].kind == ExprKind::DoubleStarred) {
    frame.keywords = frame.unpacked = true;
  } else if (frame.unpacked ||
             (frame.keywords && program_.exprs[operands_.back().id].kind != ExprKind::Starred)) {
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

// x[(i, j)] is x[i, j]: the tuple, which is the last node, gives way to its elements. One element
// stays a tuple, which is a key of its own; so does x[i,].
void ExpressionParser::unwrap_index_tuple(const Frame& frame) {
  const Expr tuple = program_.exprs.back();
  if (operands_.size() - frame.base != 2) return;
  if (frame.comma && tuple.kind != ExprKind::Slice) {
    const Span span = {operands_.back().span.begin, cursor_.previous().span.end};
    make(ExprKind::Tuple, Operator::None, 0, 1, span, span);
  }
  if (frame.comma || tuple.kind != ExprKind::Tuple || tuple.child_count == 1) return;
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
  int depth = 0;
  const bool holds = kind == ExprKind::List || kind == ExprKind::Tuple || kind == ExprKind::Set ||
                     kind == ExprKind::Dict || kind == ExprKind::Comprehension;
  if (holds || kind == ExprKind::Starred)
    for (std::size_t i = operands_.size() - count; i < operands_.size(); ++i)
      depth = std::max(depth, operands_[i].depth);
  if (holds && ++depth > kDeepest) cursor_.fail(token, too_deep("lists, tuples and dictionaries"));
  operands_.resize(operands_.size() - count);
  program_.exprs.push_back(node);
  operands_.push_back({id, span, depth});
}

ExprId ExpressionParser::hidden_name(const std::string& name) {
  leaf(ExprKind::Name, intern(name), cursor_.previous().span);
  const ExprId id = operands_.back().id;
  operands_.pop_back();
  return id;
}

ExprId ExpressionParser::parse_case(const std::string& subject) {
  const Span begin = cursor_.peek().span;
  leaf(ExprKind::Name, intern(subject), begin);
  nested({.clause = true});
  std::size_t count = 2;
  if (cursor_.accept(TokenKind::If)) {
    nested({.named = true});
    count = 3;
  }
  const Span span{begin.begin, cursor_.previous().span.end};
  make(ExprKind::Case, Operator::None, 0, count, span, span);
  const ExprId id = static_cast<ExprId>(program_.exprs.size() - 1);
  operands_.clear();
  return id;
}

ExprId ExpressionParser::name(const Token& token) {
  operands_.clear();
  leaf(ExprKind::Name, intern_name(cursor_.text(token)), token.span);
  return operands_.back().id;
}

ExprId ExpressionParser::text(const std::string& text, Span span) {
  operands_.clear();
  leaf(ExprKind::String, intern(text), span);
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

#include <algorithm>
#include <array>
#include <optional>

#include "rewriter/list/call_form.hpp"
#include "rewriter/listing/literals.hpp"
#include "rewriter/listing/scope.hpp"

namespace rewriter {

namespace {

using ast::Token;
using ast::TokenCursor;
using ast::TokenKind;
using What = CallArgument::What;
using When = CallArgument::When;

/// "cm.dot(a, b, target=t, beta=number, alpha=number)": how a call is written.
std::string spelling(const cudamat::OpRow& row, const CallForm& form) {
  const bool function = !form.on_target && row.style == cudamat::Style::Function;
  std::string text = function ? "cm." : form.on_target ? "t." : "a.";
  text += fmt::format("{}({}", row.name, function ? "a" : "");
  bool first = !function;
  for (const CallArgument& argument : form.arguments) {
    text += first ? "" : ", ";
    first = false;
    if (!argument.keyword.empty()) text += fmt::format("{}=", argument.keyword);
    const char letter = static_cast<char>('a' + argument.index);
    if (argument.what == What::Operand) text += letter;
    if (argument.what == What::OperandOrNumber) text += fmt::format("{} or number", letter);
    if (argument.what == What::Number) text += "number";
    if (argument.what == What::Integer)
      text += !argument.keyword.empty() ? "0 or 1" : argument.index == 0 ? "first" : "last";
    if (argument.what == What::Target) text += "t";
  }
  text += ')';
  return form.gives_number ? fmt::format("t.assign({})", text) : text;
}

/// The functions that the original package has as methods, too: a.apply_sigmoid(target=t).
const cudamat::OpRow* find_applied(std::string_view name) {
  if (name == "apply_sigmoid") return &cudamat::row(Op::sigmoid);
  if (name == "apply_tanh") return &cudamat::row(Op::tanh);
  if (name == "apply_soft_threshold") return &cudamat::row(Op::soft_threshold);
  return nullptr;
}

/// What stands between a call's brackets, brought into the statement's order.
class CallReader {
 public:
  CallReader(TokenCursor& cursor, const ListScope& scope) : cursor_(cursor), scope_(scope) {}

  Statement read();

 private:
  struct Receiver {
    Token name;
    bool transposed = false;
  };

  Receiver receiver();
  void read_receiver(const Receiver& receiver, const Token& op);
  bool at_inner_call() const;
  void read_inner_call(const Receiver& target);
  void read_arguments();
  const CallArgument* keyword_argument();
  const CallArgument* next_argument();
  void read(const CallArgument& argument);
  void loop_number(const Token& begin);
  void complete();
  void complete(const CallArgument& argument);
  Statement statement() const;

  Statement::Operand operand();
  bool is_slice() const {
    return row_->family == cudamat::Family::GetSlice || row_->family == cudamat::Family::SetSlice;
  }
  std::size_t index_of(const CallArgument& argument) const {
    return static_cast<std::size_t>(&argument - form_->arguments.data());
  }
  [[noreturn]] void fail(const Token& token, const std::string& message) const {
    cursor_.fail(token, fmt::format("[{}] {}; it is written {}", row_->name, message,
                                    spelling(*row_, *form_)));
  }

  TokenCursor& cursor_;
  const ListScope& scope_;
  const cudamat::OpRow* row_ = nullptr;
  const CallForm* form_ = nullptr;
  bool function_ = false;  ///< cm.op(a), not a.op()

  Var target_ = kNoVar;
  std::array<std::optional<Statement::Operand>, 3> operands_;
  std::array<std::optional<double>, 2> numbers_;
  std::array<std::optional<Affine>, 2> integers_;
  LoopTerms terms_;              ///< of the number of an assign
  std::array<bool, 8> given_{};  ///< by position in the form
};

Statement::Operand CallReader::operand() {
  const Token name = cursor_.next();
  if (!is_variable_name(name)) fail(name, "expected a variable");
  const Var var = scope_.use(name);
  if (!cursor_.accept(TokenKind::Dot)) return {var, false};
  if (cursor_.text(cursor_.peek()) != "T")
    fail(cursor_.peek(), "an operand must be a variable or a variable's .T");
  cursor_.next();
  return {var, true};
}

/// NAME. or NAME.T.
CallReader::Receiver CallReader::receiver() {
  const Token name = cursor_.next();
  expect(cursor_, TokenKind::Dot, "'.'");
  const bool flag = cursor_.text(cursor_.peek()) == "T" && cursor_.peek(1).kind == TokenKind::Dot;
  if (flag) {
    cursor_.next();
    cursor_.next();
  }
  return {name, flag};
}

void CallReader::read_receiver(const Receiver& receiver, const Token& op) {
  const bool module = cursor_.text(receiver.name) == "cm" && !receiver.transposed;
  if (function_ && !module) fail(receiver.name, "this is not a method");
  if (!function_ && module && scope_.find(receiver.name) == nullptr) fail(op, "this is a method");
  if (function_) return;
  const Var var = scope_.use(receiver.name);
  if (form_->on_target && receiver.transposed)
    fail(receiver.name, "it cannot write to a transpose");
  if (form_->on_target)
    target_ = var;
  else
    operands_[0] = {var, receiver.transposed};
}

/// After `t.assign(`: whether a call follows, not an operand.
bool CallReader::at_inner_call() const {
  if (!is_variable_name(cursor_.peek()) || cursor_.peek(1).kind != TokenKind::Dot) return false;
  const TokenKind after = cursor_.peek(3).kind;
  return after == TokenKind::LeftParen || after == TokenKind::Dot;
}

void CallReader::read_inner_call(const Receiver& target) {
  const Token begin = cursor_.peek();
  target_ = scope_.use(target.name);
  CallReader inner(cursor_, scope_);
  inner.target_ = target_;
  const Statement made = inner.read();
  if (!inner.form_->gives_number)
    cursor_.fail(begin, fmt::format("only a call that gives a number can be assigned; write {}",
                                    spelling(*inner.row_, *inner.form_)));
  expect(cursor_, TokenKind::RightParen, "')'");
  row_ = inner.row_;
  form_ = inner.form_;
  operands_ = inner.operands_;
  given_ = inner.given_;
}

const CallArgument* CallReader::keyword_argument() {
  const std::string_view name = cursor_.text(cursor_.peek());
  for (const CallArgument& argument : form_->arguments)
    if (argument.keyword == name) return &argument;
  fail(cursor_.peek(), fmt::format("no argument is called '{}'", name));
}

/// The next one that has not been given.
const CallArgument* CallReader::next_argument() {
  for (const CallArgument& argument : form_->arguments)
    if (!given_[index_of(argument)]) return &argument;
  fail(cursor_.peek(), "too many arguments");
}

void CallReader::read(const CallArgument& argument) {
  given_[index_of(argument)] = true;
  const Token begin = cursor_.peek();
  switch (argument.what) {
    case What::OperandOrNumber:
      if (at_loop_integer(cursor_, scope_)) return loop_number(begin);
      if (at_number(cursor_)) {
        numbers_[0] = read_number(cursor_);
        return;
      }
      operands_[argument.index] = operand();
      return;
    case What::Operand:
      if (at_number(cursor_)) fail(begin, "expected a variable, found a number");
      operands_[argument.index] = operand();
      return;
    case What::Number:
      if (!at_number(cursor_)) fail(begin, "expected a number");
      numbers_[argument.index] = read_number(cursor_);
      return;
    case What::Integer:
      if (is_slice()) {
        integers_[argument.index] = read_loop_integer(cursor_, scope_);
        return;
      }
      if (!at_number(cursor_)) fail(begin, "expected a whole number");
      integers_[argument.index] = Affine{read_integer(cursor_)};
      return;
    case What::Target: {
      const Statement::Operand target = operand();
      if (target.transposed) fail(begin, "a target cannot be a transpose");
      target_ = target.var;
      return;
    }
  }
}

/// t.assign(2 * i + 1).
void CallReader::loop_number(const Token& begin) {
  if (row_->op != Op::assign) fail(begin, "only assign() and slices take a loop's variable");
  const Affine number = read_loop_integer(cursor_, scope_);
  numbers_[0] = static_cast<double>(number.constant);
  terms_ = number.terms;
}

void CallReader::read_arguments() {
  bool keywords = false;
  while (!cursor_.at(TokenKind::RightParen)) {
    const bool keyword = cursor_.peek(1).kind == TokenKind::Assign;
    const Token begin = cursor_.peek();
    if (!keyword && keywords) fail(begin, "a positional argument follows a keyword argument");
    keywords = keyword;
    if (function_ && !operands_[0]) {
      operands_[0] = operand();
    } else {
      const CallArgument* const argument = keyword ? keyword_argument() : next_argument();
      if (given_[index_of(*argument)])
        fail(begin, fmt::format("'{}' is given twice", argument->keyword));
      if (keyword) {
        cursor_.next();
        cursor_.next();
      }
      read(*argument);
    }
    if (!cursor_.accept(TokenKind::Comma)) break;
  }
  if (!cursor_.at(TokenKind::RightParen)) fail(cursor_.peek(), "expected ',' or ')'");
  complete();
  cursor_.next();
}

/// Gives the arguments that were omitted their values.
void CallReader::complete() {
  if (!form_->on_target && !operands_[0]) fail(cursor_.peek(), "an argument is missing");
  for (const CallArgument& argument : form_->arguments)
    if (!given_[index_of(argument)]) complete(argument);
}

void CallReader::complete(const CallArgument& argument) {
  switch (argument.when) {
    case When::IfNot1:
      numbers_[argument.index] = 1;
      return;
    case When::IfPresent:
      if (argument.what == What::Number && (numbers_[0] || numbers_[1]))
        numbers_[argument.index] = argument.by_default;
      return;
    case When::IfElsewhere:
      if (may_work_in_place(*row_) && !operands_[0]->transposed) {
        target_ = operands_[0]->var;
        return;
      }
      break;
    case When::Always:
      break;
  }
  fail(cursor_.peek(), argument.what == What::Target ? "a list has no call without a target"
                                                     : "an argument is missing");
}

Statement CallReader::statement() const {
  Statement s;
  s.op = row_->op;
  s.target = target_;
  for (const auto& operand : operands_)
    if (operand) s.operands.push_back(*operand);
  for (const auto& number : numbers_)
    if (number) s.numbers.emplace_back(*number);
  for (const auto& integer : integers_)
    if (integer) s.integers.push_back(integer->constant);
  s.terms = scope_.numbered(is_slice() ? integers_[0]->terms : terms_);
  if (is_slice()) s.stretch = scope_.numbered(*integers_[1] - *integers_[0]).terms;
  return s;
}

Statement CallReader::read() {
  const Receiver on = receiver();
  const Token op = cursor_.next();
  row_ = find_call(cursor_.text(op));
  const bool applied = row_ == nullptr && (row_ = find_applied(cursor_.text(op))) != nullptr;
  if (row_ == nullptr)
    cursor_.fail(op, fmt::format("no statement has a call {}", cursor_.describe(op)));
  form_ = call_form(*row_);
  function_ = !form_->on_target && row_->style == cudamat::Style::Function && !applied;
  expect(cursor_, TokenKind::LeftParen, "'('");
  if (row_->op == Op::assign && !on.transposed && at_inner_call()) {
    read_inner_call(on);
    return statement();
  }
  if (form_->gives_number && target_ == kNoVar)
    fail(op, "it gives a number; a list must assign it");
  read_receiver(on, op);
  read_arguments();
  return statement();
}

}  // namespace

Statement read_statement_call(TokenCursor& cursor, const ListScope& scope) {
  return CallReader(cursor, scope).read();
}

}  // namespace rewriter

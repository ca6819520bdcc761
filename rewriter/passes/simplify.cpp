#include "rewriter/passes/simplify.hpp"

#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "rewriter/passes/rules.hpp"

namespace rewriter {

namespace {

using cudamat::Family;
using rules::Match;
using rules::RuleRunner;
using rules::Verdict;

bool is_with_number(const Statement& s) {
  return rewriter::is_with_number(s, s.op);
}

bool is_copy(const Statement& s) {
  return s.op == Op::assign && !s.operands.empty();
}

Statement with_number(const Statement& s, Op op, Statement::Operand a, Number number) {
  Statement result = s;
  result.op = op;
  result.operands = {a};
  result.numbers = {number};
  return result;
}

Statement filled(const Statement& s, Number number) {
  Statement result = s;
  result.op = Op::assign;
  result.operands.clear();
  result.numbers = {number};
  return result;
}

Statement copied(const Statement& s, Var var) {
  Statement result = s;
  result.op = Op::assign;
  result.operands = {{var}};
  result.numbers.clear();
  return result;
}

struct Combined {
  Op op;
  double number;
  bool exact;
};

/// (x `first` a) `second` b as one operation with a number.
std::optional<Combined> combined(Op first, double a, Op second, double b) {
  const auto multiplies = [](Op op) { return op == Op::mult || op == Op::divide; };
  const auto adds = [](Op op) { return op == Op::add || op == Op::subtract; };
  if (multiplies(first) && multiplies(second)) {
    if (std::abs(a) == 1) return Combined{second, a * b, true};
    if (std::abs(b) == 1) return Combined{first, a * b, true};
    const double number = first == second ? a * b : first == Op::mult ? a / b : b / a;
    if (!std::isnormal(static_cast<float>(number))) return std::nullopt;
    return Combined{first == Op::divide && second == Op::divide ? Op::divide : Op::mult, number,
                    false};
  }
  if (adds(first) && adds(second)) {
    const double number = (first == Op::add ? a : -a) + (second == Op::add ? b : -b);
    if (!std::isfinite(static_cast<float>(number))) return std::nullopt;
    return Combined{Op::add, number, false};
  }
  return std::nullopt;
}

/// a `op` b, if it is the same number in every precision.
std::optional<double> exact_result(Op op, double a, double b) {
  const auto is_float = [](double number) {
    return std::isfinite(number) && static_cast<double>(static_cast<float>(number)) == number;
  };
  if (!is_float(a) || !is_float(b)) return std::nullopt;
  const long double x = a;
  const long double y = b;
  long double result = 0;
  switch (op) {
    case Op::add:
      result = x + y;
      break;
    case Op::subtract:
      result = x - y;
      break;
    case Op::mult:
      result = x * y;
      break;
    case Op::divide:
      if (b == 0) return std::nullopt;
      result = x / y;
      break;
    default:
      return std::nullopt;
  }
  const auto number = static_cast<double>(result);
  if (static_cast<long double>(number) != result || !is_float(number)) return std::nullopt;
  return number;
}

/// The call becomes another one, every bit as it was.
bool made(RuleRunner& run, Slot slot, Statement simpler) {
  run.list.made(slot, Remark::Kind::Made, run.text({slot}), run.list.text(simpler));
  run.list.replace(slot, std::move(simpler));
  return true;
}

/// A copy of a copy: one of the original.
bool copy_of_copy(RuleRunner& run, Slot slot) {
  const Statement& s = run.at(slot);
  if (!is_copy(s) || run.operand(slot) == s.target) return false;
  const Slot from = run.list.producer(slot, run.operand(slot));
  if (from == kNoSlot || !is_copy(run.at(from))) return false;
  const Var original = run.operand(from);
  if (!run.list.is_intact(original, from, slot) || !run.list.may_meet(original, s.target))
    return false;
  return made(run, slot, copied(s, original));
}

/// A copy that is none: both names stay the same, or the original ends here.
bool copy(RuleRunner& run, Slot slot) {
  const Statement& s = run.at(slot);
  if (!is_copy(s)) return false;
  const Var original = run.operand(slot);
  if (original == s.target) {
    run.list.erase(slot);
    return true;
  }
  const std::string text = run.list.text(slot);
  const auto joined = [&] {
    if (!run.list.join(slot, original).empty()) return false;
    run.list.made(slot, Remark::Kind::Made, text + ": no copy, it is the last use");
    run.list.erase(slot);
    return true;
  };
  if (run.list.is_output(s.target) && joined()) return true;  // under its own name
  const std::string reason = run.list.forward(slot, original);
  if (reason.empty()) {
    run.list.made(slot, Remark::Kind::Made, text + ": no copy, both stay the same");
    return true;
  }
  if (joined()) return true;
  run.list.refuse(slot, fmt::format("{} stays a copy: {}", text, reason));
  return false;
}

/// A transposed vector is a view of it, a single number that number.
bool transposed_vector(RuleRunner& run, Slot slot) {
  const Statement& s = run.at(slot);
  if (s.op != Op::transpose) return false;
  const Var x = run.operand(slot);
  const cudamat::Shape shape = run.list.shape(x);
  if (shape.rows != 1 && shape.cols != 1) return false;
  const std::string text = run.list.text(slot);
  if (run.list.varying(x) && shape.rows == shape.cols) return false;
  if (shape.rows == shape.cols) {
    run.list.made(slot, Remark::Kind::Made, text, run.list.name(x));
    run.list.replace(slot, copied(s, x));
    return true;
  }
  const std::string reason = run.list.show(slot, x);
  if (reason.empty())
    run.list.made(slot, Remark::Kind::Made, fmt::format("{} is the vector itself: a view", text));
  else
    run.list.refuse(slot, fmt::format("{} is not a view: {}", text, reason));
  return reason.empty();
}

/// Arithmetic on a matrix of one number.
std::optional<Statement> with_constant_operand(const RuleRunner& run, Slot slot) {
  const Statement& s = run.at(slot);
  const Family family = cudamat::row(s.op).family;
  if (s.operands.size() != 2) return std::nullopt;
  const auto b = run.list.constant(slot, run.operand(slot, 1));
  if (family == Family::Binary) {
    if (b) return with_number(s, s.op, s.operands[0], *b);
    const auto a = run.list.constant(slot, run.operand(slot));
    if (a && cudamat::row(s.op).has(cudamat::kCommutative))
      return with_number(s, s.op, s.operands[1], *a);
  }
  if (b && (family == Family::RowBroadcast || family == Family::ColBroadcast)) {
    const bool adds = s.op == Op::add_row_vec || s.op == Op::add_col_vec;
    const bool multiplies = s.op == Op::mult_by_row || s.op == Op::mult_by_col;
    return with_number(s, adds ? Op::add : multiplies ? Op::mult : Op::divide, s.operands[0], *b);
  }
  return std::nullopt;
}

bool with_constant(RuleRunner& run, Slot slot) {
  const Statement& s = run.at(slot);
  std::optional<Statement> simpler;
  if (is_with_number(s)) {
    if (const auto a = run.list.constant(slot, run.operand(slot)))
      if (const auto result = exact_result(s.op, a->value(), s.numbers[0].value()))
        simpler = filled(s, Number::computed(*result, {*a, s.numbers[0]}));
  } else if (is_copy(s)) {
    if (const auto a = run.list.constant(slot, run.operand(slot))) simpler = filled(s, *a);
  } else {
    simpler = with_constant_operand(run, slot);
  }
  return simpler && made(run, slot, std::move(*simpler));
}

/// (x op number) op number: one of them.
bool chain(RuleRunner& run, Slot slot) {
  using terms::call, terms::s, terms::x;
  const Statement& outer = run.at(slot);
  if (!is_with_number(outer)) return false;
  const Slot from = run.list.producer(slot, run.operand(slot));
  if (from == kNoSlot || !is_with_number(run.at(from))) return false;
  const Number first = run.at(from).numbers[0], second = outer.numbers[0];
  const auto result = combined(run.at(from).op, first.value(), outer.op, second.value());
  Match match;
  const rules::Term inner = call(run.at(from).op, {x}, {s});
  if (!result || !run.matches(call(outer.op, {inner}, {s}), slot, match) ||
      !run.list.may_meet(run.operand(from), outer.target))
    return false;
  Statement simpler = with_number(outer, result->op, run.at(from).operands[0],
                                  Number::computed(result->number, {first, second}));
  if (!run.may(slot, result->exact ? Verdict::Exact : Verdict::Rounds, run.text({from, slot}),
               run.list.text(simpler),
               result->exact ? "" : "it rounds, or overflows, once instead of twice"))
    return false;
  run.list.replace(slot, std::move(simpler));
  run.drop(from);
  return true;
}

const rules::RuleTable& table() {
  using namespace rules;
  using namespace terms;
  constexpr const char* kZero = "-0 becomes 0";  // however it may round: integers have no -0
  constexpr const char* kPow = "pow may round";
  static const RuleTable rules({
      exact(x * 1, x),
      exact(x / 1, x),
      exact(x - 0., x),
      exact(x + -0., x),
      never(x + 0., x, kZero),
      never(x - -0., x, kZero),
      rounds(pow(x, 1), x, kPow),
      by(copy_of_copy),
      by(copy),
      exact(transposed(shared(transposed(x))), x),
      by(transposed_vector),
      by(with_constant),
      by(chain),
      rounds(-(x - y), y - x, "zeros change their sign"),
      exact(either_way(x + -y), x - y),
      exact(x - -y, x + y),
      rounds(pow(x, 2), x * x, kPow),
      rounds(pow(x, -1), reciprocal(x), kPow),
  });
  return rules;
}

}  // namespace

PassResult simplify(const StatementList& list, const PassOptions& options) {
  return run_until_stable<RuleRunner>(list, options, table());
}

}  // namespace rewriter

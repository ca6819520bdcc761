// accumulate: products and sums, with what is done to their operands and results.
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "rewriter/passes/accumulating.hpp"

namespace rewriter {

using cudamat::Family;

namespace {

constexpr const char* kProductsRound = "products may round otherwise";

bool obeys_flags(const Statement& s) {
  if (s.kind != Statement::Kind::Call) return false;
  switch (cudamat::row(s.op).family) {
    case Family::Product:
    case Family::AddProduct:
    case Family::Reduction:
    case Family::ArgReduction:
    case Family::Accumulate:
      return true;
    default:
      return false;
  }
}

/// A factor that no precision turns into 0 or an infinity.
bool is_safe_factor(double number) {
  return std::isnormal(static_cast<float>(number));
}

bool is_power_of_two(double number) {
  int exponent = 0;
  return is_safe_factor(number) && std::abs(std::frexp(number, &exponent)) == 0.5;
}

/// c = alpha * a * b, with the factor that there is.
std::optional<Number> product_factor(const Statement& s) {
  if (s.op != Op::dot) return std::nullopt;
  if (s.numbers.empty()) return 1;
  return s.numbers[0] == 0 ? std::optional(s.numbers[1]) : std::nullopt;
}

}  // namespace

bool Accumulate::transposed_operand(Slot slot) {
  for (std::size_t i = 0; i < at(slot).operands.size(); ++i) {
    const Var t = operand(slot, i);
    const Slot from = list_.producer(slot, t);
    if (from == kNoSlot || at(from).op != Op::transpose) continue;
    const Var x = operand(from);
    Statement result = at(slot);
    result.operands[i] = {x, !result.operands[i].transposed};
    const std::string text = story({from, slot}, result);
    std::string reason;
    if (!list_.is_intact(x, from, slot)) reason = fmt::format("{} changes", list_.name(x));
    if (list_.owner(x) == list_.owner(result.target)) reason = "the target is that matrix";
    if (!list_.is_local(t)) reason = fmt::format("{} is read elsewhere", list_.name(t));
    for (Slot use = list_.next_use(t, from); use != kNoSlot; use = list_.next_use(t, use)) {
      if (at(use).target == t) break;
      if (!obeys_flags(at(use)))
        reason = fmt::format("{} is read by {}, too", list_.name(t), list_.text(use));
    }
    if (!reason.empty()) {
      refuse(slot, text, reason);
      continue;
    }
    const Family family = cudamat::row(result.op).family;
    const bool product = family == Family::Product || family == Family::AddProduct;
    if (family == Family::ArgReduction || (product && list_.transposed_factors_are_flags()))
      list_.made(slot, Receipt::Kind::Made, text);
    else if (!may_round(slot, text, product ? kProductsRound : "the sums have another order"))
      continue;
    list_.replace(slot, std::move(result));
    return true;
  }
  return false;
}

// A sum or a product, times a number.
bool Accumulate::scaled(Slot slot) {
  const Statement& s = at(slot);
  const bool divides = is_with_number(s, Op::divide);
  if (!divides && !is_with_number(s, Op::mult)) return false;
  const Slot from = inner(slot);
  if (from == kNoSlot || !at(from).numbers.empty() || !is_apart(at(from), s.target)) return false;
  if (at(from).op != Op::sum && at(from).op != Op::dot) return false;
  const bool sum = at(from).op == Op::sum;
  if (sum && divides && divided_sum(slot, from)) return true;
  const Number number =
      divides ? Number::computed(1 / s.numbers[0].value(), {s.numbers[0]}) : s.numbers[0];
  const bool exact = sum && (!divides || is_power_of_two(number.value()));
  if (!exact && !is_safe_factor(number.value())) return false;
  Statement result = at(from);
  result.target = s.target;
  result.where = s.where;
  result.numbers = sum ? std::vector<Number>{number} : std::vector<Number>{0, number};
  const std::string text = story({from, slot}, result);
  if (exact)
    list_.made(slot, Receipt::Kind::Made, text);
  else if (!may_round(slot, text, sum ? "1 / n is rounded" : kProductsRound))
    return false;
  list_.replace(slot, std::move(result));
  drop(from);
  return true;
}

// sum / n, n the number of summands: the engines' mean divides, too.
bool Accumulate::divided_sum(Slot slot, Slot sum) {
  const Statement& s = at(slot);
  const double count = s.numbers[0].value();
  if (s.numbers[0] != static_cast<double>(summands(at(sum))) || count < 1 || count > (1 << 24))
    return false;
  Statement result = at(sum);
  result.op = Op::mean;
  result.target = s.target;
  result.where = s.where;
  list_.made(slot, Receipt::Kind::Made, story({sum, slot}, result));
  list_.replace(slot, std::move(result));
  drop(sum);
  return true;
}

Index Accumulate::summands(const Statement& s) const {
  const cudamat::Shape shape = list_.shape(s.operands[0].var);
  return (s.integers[0] == 0) == s.operands[0].transposed ? shape.cols : shape.rows;
}

// x + t or x - t: products first, then sums, then other terms.
bool Accumulate::add(Slot slot) {
  const Statement& s = at(slot);
  if ((s.op != Op::add && s.op != Op::subtract) || s.operands.size() != 2 ||
      s.operands[0] == s.operands[1])
    return false;
  const auto rank = [&](std::size_t i) {
    const Slot term = inner(slot, i);
    if (term == kNoSlot) return 3;
    return at(term).op == Op::dot ? 0 : at(term).op == Op::sum ? 1 : 2;
  };
  const std::size_t first = rank(0) < rank(1) ? 0 : 1;
  return add_term(slot, first) || add_term(slot, 1 - first);
}

bool Accumulate::add_term(Slot slot, std::size_t i) {
  const Slot term = inner(slot, i);
  if (term == kNoSlot) return false;
  const Var x = operand(slot, 1 - i);
  auto result = term_update(slot, i, term);
  if (!result) return false;
  const bool product = at(term).op == Op::dot;
  const char* const but = product                   ? kProductsRound
                          : at(term).op == Op::mean ? "1 / n is rounded"
                                                    : nullptr;
  const bool fits =
      at(term).op == Op::mult ? list_.may_meet(operand(term), x) : is_apart(at(term), x);
  if (!fits) {
    result->target = x;
    refuse(slot, story({term, slot}, *result), "it reads what it writes");
    return false;
  }
  return update(slot, term, x, std::move(*result), but);
}

// What adds operand i, computed by `term`, to the other operand.
std::optional<Statement> Accumulate::term_update(Slot slot, std::size_t i, Slot term) const {
  const Statement& t = at(term);
  const bool subtracts = at(slot).op == Op::subtract;
  const double sign = subtracts && i == 1 ? -1 : 1;
  const double beta = subtracts && i == 0 ? -1 : 1;
  Statement result = t;
  if (const auto factor = product_factor(t)) {
    result.op = sign < 0 ? Op::subtract_dot : Op::add_dot;
    result.numbers = {*factor, beta};
  } else if (t.op == Op::sum) {
    result.op = Op::add_sums;
    const Number mult = t.numbers.empty() ? 1 : t.numbers[0];
    result.numbers = {sign < 0 ? -mult : mult, beta};
  } else if (t.op == Op::mean && summands(t) > 0) {
    result.op = Op::add_sums;
    result.numbers = {sign / static_cast<double>(summands(t)), beta};
  } else if (is_with_number(t, Op::mult) && beta == 1) {
    result.op = sign < 0 ? Op::subtract_mult : Op::add_mult;
  } else {
    return std::nullopt;
  }
  return result;
}

// u *= c before an update of u.
bool Accumulate::beta(Slot slot) {
  const Statement& s = at(slot);
  if (s.numbers[1] != 1) return false;
  const Slot from = list_.producer(slot, s.target);
  if (from == kNoSlot || !is_with_number(at(from), Op::mult) ||
      !is_safe_factor(at(from).numbers[0].value()) || !list_.is_only_reader(from, slot))
    return false;
  Statement result = s;
  result.numbers[1] = at(from).numbers[0];
  const std::string text = story({from, slot}, result);
  if (const std::string reason = list_.why_not_join(from, operand(from)); !reason.empty()) {
    refuse(slot, text, reason);
    return false;
  }
  if (s.op == Op::add_sums)
    list_.made(slot, Receipt::Kind::Made, text);
  else if (!may_round(slot, text, kProductsRound))
    return false;
  (void)list_.join(from, operand(from));
  result.target = at(slot).target;
  list_.replace(slot, std::move(result));
  drop(from);
  return true;
}

}  // namespace rewriter

#include "rewriter/passes/combine.hpp"

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

constexpr const char* kProducts = "products may round otherwise";
constexpr const char* kMeans = "1 / n is rounded";
constexpr const char* kFunctions = "it rounds otherwise, and does not overflow";

/// A factor that no precision turns into 0 or an infinity.
bool is_safe_factor(double number) {
  return std::isnormal(static_cast<float>(number));
}

bool is_power_of_two(double number) {
  int exponent = 0;
  return is_safe_factor(number) && std::abs(std::frexp(number, &exponent)) == 0.5;
}

// ---- what rules ask of the numbers

double number(const Match& match) {
  return match.numbers[0].value();
}
double count(const Match& match) {
  return match.numbers[1].value();
}
bool is_safe(const Match& match) {
  return is_safe_factor(number(match));
}
bool has_safe_inverse(const Match& match) {
  return is_safe_factor(1 / number(match));
}
bool has_exact_inverse(const Match& match) {
  return is_power_of_two(1 / number(match));
}
/// The engines' mean divides, too, by a number that every precision has.
bool is_count(const Match& match) {
  return match.numbers[0] == count(match) && number(match) >= 1 && number(match) <= (1 << 24);
}
bool is_of_some(const Match& match) {
  return count(match) > 0;
}

// ---- rules that are functions

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

/// Why operand i of the call cannot be read by flag from what `from` transposed; empty if it can.
std::string against_flag(const RuleRunner& run, Slot slot, Slot from, Var t) {
  const Var x = run.operand(from);
  std::string reason;
  if (!run.list.is_intact(x, from, slot)) reason = fmt::format("{} changes", run.list.name(x));
  if (run.list.owner(x) == run.list.owner(run.at(slot).target))
    reason = "the target is that matrix";
  if (!run.list.is_local(t)) reason = fmt::format("{} is read elsewhere", run.list.name(t));
  for (Slot use = run.list.next_use(t, from); use != kNoSlot; use = run.list.next_use(t, use)) {
    if (run.at(use).target == t) break;
    if (!obeys_flags(run.at(use)))
      reason = fmt::format("{} is read by {}, too", run.list.name(t), run.list.text(use));
  }
  return reason;
}

/// t = x transposed; dot(t, b): dot(x.T, b), also sums and reductions to places.
bool transposed_operand(RuleRunner& run, Slot slot) {
  if (!obeys_flags(run.at(slot))) return false;
  for (std::size_t i = 0; i < run.at(slot).operands.size(); ++i) {
    const Var t = run.operand(slot, i);
    const Slot from = run.list.producer(slot, t);
    if (from == kNoSlot || run.at(from).op != Op::transpose) continue;
    Statement result = run.at(slot);
    result.operands[i] = {run.operand(from), !result.operands[i].transposed};
    if (std::string reason = against_flag(run, slot, from, t); !reason.empty()) {
      run.list.refuse(slot, run.text({from, slot}), run.list.text(result), std::move(reason));
      continue;
    }
    const Family family = cudamat::row(result.op).family;
    const bool product = family == Family::Product || family == Family::AddProduct;
    const bool exact =
        family == Family::ArgReduction || (product && run.list.transposed_factors_are_flags());
    if (!run.may(slot, exact ? Verdict::Exact : Verdict::Rounds, run.text({from, slot}),
                 run.list.text(result),
                 exact     ? ""
                 : product ? kProducts
                           : "the sums have another order"))
      continue;
    run.list.replace(slot, std::move(result));
    return true;
  }
  return false;
}

/// u *= c before an update of u: the update's beta.
bool beta(RuleRunner& run, Slot slot) {
  const Statement& s = run.at(slot);
  const Family family = cudamat::row(s.op).family;
  if ((family != Family::AddProduct && family != Family::Accumulate) || s.numbers[1] != 1)
    return false;
  const Slot from = run.list.producer(slot, s.target);
  if (from == kNoSlot || !is_with_number(run.at(from), Op::mult) ||
      !is_safe_factor(run.at(from).numbers[0].value()) || !run.list.is_only_reader(from, slot))
    return false;
  Statement result = s;
  result.numbers[1] = run.at(from).numbers[0];
  const std::string text = run.text({from, slot});
  const std::string becomes = run.list.text(result);
  const Var u = run.operand(from);
  if (std::string reason = run.list.why_not_join(from, u); !reason.empty()) {
    run.list.refuse(slot, text, becomes, std::move(reason));
    return false;
  }
  const bool exact = s.op == Op::add_sums;
  if (!run.may(slot, exact ? Verdict::Exact : Verdict::Rounds, text, becomes,
               exact ? "" : kProducts))
    return false;
  (void)run.list.join(from, u);
  result.target = run.at(slot).target;
  run.list.replace(slot, std::move(result));
  run.drop(from);
  return true;
}

/// t = dot(a, b); t + bias: in place.
bool in_place_on_product(RuleRunner& run, Slot slot) {
  const Family broadcasts = cudamat::row(run.at(slot).op).family;
  if (broadcasts != Family::ColBroadcast && broadcasts != Family::RowBroadcast) return false;
  const Var t = run.operand(slot);
  const Slot from = run.list.producer(slot, t);
  if (t == run.at(slot).target || from == kNoSlot) return false;
  const Family family = cudamat::row(run.at(from).op).family;
  if (family != Family::Product && family != Family::AddProduct) return false;
  Statement result = run.at(slot);
  result.target = t;
  const std::string text = run.text({slot});
  const std::string becomes = run.list.text(result);
  const std::string reason = run.list.join(slot, t);
  if (reason.empty())
    run.list.made(slot, Remark::Kind::Made, text, becomes, "in place on the product");
  else
    run.list.refuse(slot, text, becomes, reason);
  return reason.empty();
}

/// (x * acts) * (1 - acts), 1 - acts being operand i: in the order of mult_by_sigmoid_deriv itself.
/// x * acts becomes x.
template <std::size_t i>
bool sigmoid_deriv(RuleRunner& run, Slot slot) {
  static const terms::Term one_minus = terms::a * -1 + 1;
  static const terms::Term pattern = i == 1 ? terms::y * one_minus : one_minus * terms::y;
  if (run.at(slot).op != Op::mult) return false;
  Match match;
  if (!run.matches(pattern, slot, match)) return false;
  const Var acts = match.leaves[static_cast<std::size_t>(terms::a.leaf)].operand.var;
  const Slot from = run.list.producer(slot, run.operand(slot, 1 - i));
  if (from == kNoSlot || run.at(from).op != Op::mult || run.at(from).operands.size() != 2 ||
      !run.list.is_only_reader(from, slot) || !run.list.is_intact(acts, from, slot))
    return false;
  const bool second = run.operand(from, 1) == acts;
  if (!second && run.operand(from) != acts) return false;
  const Var t = run.at(from).target;
  Statement result = run.at(slot);
  result.op = Op::mult_by_sigmoid_deriv;
  result.operands = {{acts}};
  result.target = t;
  const std::string text = run.text({match.inner[0].slot, match.inner[1].slot, from, slot});
  const std::string becomes = run.list.text(result);
  if (std::string reason = run.list.why_not_join(slot, t); !reason.empty()) {
    run.list.refuse(slot, text, becomes, std::move(reason));
    return false;
  }
  run.list.made(slot, Remark::Kind::Made, text, becomes);
  (void)run.list.join(slot, t);
  result.target = run.at(slot).target;
  run.list.replace(slot, std::move(result));
  if (!run.list.is_call(slot)) return true;
  const Var x = run.operand(from, second ? 0 : 1);  // by the name that it has now
  if (run.at(from).target == x || run.list.join(from, x).empty()) {
    run.drop(from);
    return true;
  }
  Statement copy = run.at(from);
  copy.op = Op::assign;
  copy.operands = {{x}};
  run.list.replace(from, std::move(copy));
  return true;
}

/// t = ...; x.assign(t): t is computed in x itself.
bool write_directly(RuleRunner& run, Slot slot) {
  const Statement& s = run.at(slot);
  if (s.op != Op::assign || s.operands.empty()) return false;
  if (run.operand(slot) == s.target) {
    run.list.erase(slot);
    return true;
  }
  std::string text = fmt::format("{}: {} is computed in {} itself", run.list.text(slot),
                                 run.list.name(run.operand(slot)), run.list.name(s.target));
  if (!run.list.write_directly(slot)) return false;
  run.list.made(slot, Remark::Kind::Made, std::move(text));
  return true;
}

// ---- the rules

const rules::RuleTable& table() {
  using namespace rules;
  using namespace terms;
  const Term& acts = a;
  const Term deriv = update(x, Op::mult_by_sigmoid_deriv, {acts});
  const Term one_minus = acts * -1 + 1;
  constexpr const char* kOrder = "the factors have another order";
  static const RuleTable rules({
      by(transposed_operand),
      by(beta),
      // a sum or a product, times a number
      exact(sum(a) / s, mean(a), is_count),
      exact(sum(a) / s, call(Op::sum, {a}, {1 / s}), has_exact_inverse),
      rounds(sum(a) / s, call(Op::sum, {a}, {1 / s}), kMeans, has_safe_inverse),
      exact(sum(a) * s, call(Op::sum, {a}, {s})),
      rounds(dot(a, b) * s, call(Op::dot, {a, b}, {0, s}), kProducts, is_safe),
      rounds(dot(a, b) / s, call(Op::dot, {a, b}, {0, 1 / s}), kProducts, has_safe_inverse),
      // x plus a term: products first, then sums, then others
      rounds(either_way(x + dot(a, b, s)), update(x, Op::add_dot, {a, b}, {s, 1}), kProducts),
      rounds(x - dot(a, b, s), update(x, Op::subtract_dot, {a, b}, {s, 1}), kProducts),
      rounds(dot(a, b, s) - x, update(x, Op::add_dot, {a, b}, {s, -1}), kProducts),
      exact(either_way(x + sum(a, s)), update(x, Op::add_sums, {a}, {s, 1})),
      exact(x - sum(a, s), update(x, Op::add_sums, {a}, {-s, 1})),
      exact(sum(a, s) - x, update(x, Op::add_sums, {a}, {s, -1})),
      rounds(x + mean(a), update(x, Op::add_sums, {a}, {1 / n, 1}), kMeans, is_of_some),
      exact(x + a * s, update(x, Op::add_mult, {a}, {s})),
      rounds(mean(a) + x, update(x, Op::add_sums, {a}, {1 / n, 1}), kMeans, is_of_some),
      exact(a * s + x, update(x, Op::add_mult, {a}, {s})),
      rounds(x - mean(a), update(x, Op::add_sums, {a}, {-(1 / n), 1}), kMeans, is_of_some),
      exact(x - a * s, update(x, Op::subtract_mult, {a}, {s})),
      rounds(mean(a) - x, update(x, Op::add_sums, {a}, {1 / n, -1}), kMeans, is_of_some),
      // element by element
      exact(filled(1) / x, reciprocal(x)),
      by(sigmoid_deriv<1>),
      rounds(x * either_way(acts * one_minus), deriv, kOrder),
      by(sigmoid_deriv<0>),
      rounds(either_way(acts * one_minus) * x, deriv, kOrder),
      exact(call(Op::add_col_vec, {x, a * s}), call(Op::add_col_mult, {x, a}, {s})),
      by(in_place_on_product),
      rounds(reciprocal(exp(x * -1) + 1), call(Op::sigmoid, {x}), kFunctions),
      rounds(log(exp(x) + 1), call(Op::log_1_plus_exp, {x}), kFunctions),
      by(write_directly),
  });
  return rules;
}

}  // namespace

PassResult combine(const StatementList& list, const PassOptions& options) {
  return run_until_stable<RuleRunner>(list, options, table());
}

}  // namespace rewriter

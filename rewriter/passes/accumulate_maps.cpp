// accumulate: calls that work element by element.
#include <algorithm>
#include <utility>

#include "rewriter/passes/accumulating.hpp"

namespace rewriter {

namespace {

constexpr const char* kFunctionsRound = "it rounds otherwise, and does not overflow";

}  // namespace

bool Accumulate::add_col_mult(Slot slot) {
  const Statement& s = at(slot);
  if (s.op != Op::add_col_vec) return false;
  const Slot from = inner(slot, 1);
  if (from == kNoSlot || !is_with_number(at(from), Op::mult) ||
      !list_.may_meet(operand(from), s.target))
    return false;
  Statement result = s;
  result.op = Op::add_col_mult;
  result.operands[1] = at(from).operands[0];
  result.numbers = at(from).numbers;
  list_.made(slot, Receipt::Kind::Made, story({from, slot}, result));
  list_.replace(slot, std::move(result));
  drop(from);
  return true;
}

bool Accumulate::reciprocal(Slot slot) {
  const Statement& s = at(slot);
  if (s.op != Op::divide || s.operands.size() != 2 || s.operands[0] == s.operands[1]) return false;
  const Slot from = list_.producer(slot, operand(slot));
  if (list_.constant(slot, operand(slot)) != 1) return false;
  Statement result = s;
  result.op = Op::reciprocal;
  result.operands.erase(result.operands.begin());
  list_.made(slot, Receipt::Kind::Made, story({from, slot}, result));
  const bool only = list_.is_only_reader(from, slot);
  list_.replace(slot, std::move(result));
  if (only) drop(from);
  return true;
}

std::optional<Accumulate::Chain> Accumulate::one_plus_exp(Slot slot) const {
  const Slot plus = inner(slot);
  if (plus == kNoSlot || !is_with_number(at(plus), Op::add, 1)) return std::nullopt;
  const Slot exp = inner(plus);
  if (exp == kNoSlot || at(exp).op != Op::exp) return std::nullopt;
  return Chain{exp, plus};
}

bool Accumulate::sigmoid(Slot slot) {
  if (at(slot).op != Op::reciprocal) return false;
  const auto chain = one_plus_exp(slot);
  if (!chain) return false;
  const Slot minus = inner(chain->first);
  if (minus == kNoSlot || !is_with_number(at(minus), Op::mult, -1)) return false;
  return function(slot, Op::sigmoid, {minus, chain->first, chain->second, slot});
}

bool Accumulate::log_1_plus_exp(Slot slot) {
  if (at(slot).op != Op::log) return false;
  const auto chain = one_plus_exp(slot);
  return chain && function(slot, Op::log_1_plus_exp, {chain->first, chain->second, slot});
}

// The calls, each of which alone reads what the one before it wrote, become op of what the first
// reads.
bool Accumulate::function(Slot slot, Op op, std::initializer_list<Slot> calls) {
  const Slot first = *calls.begin();
  const Statement::Operand x = at(first).operands[0];
  if ((x.var != at(first).target && !list_.is_intact(x.var, first, slot)) ||
      !list_.may_meet(x.var, at(slot).target))
    return false;
  Statement result = at(slot);
  result.op = op;
  result.operands = {x};
  if (!may_round(slot, story(calls, result), kFunctionsRound)) return false;
  list_.replace(slot, std::move(result));
  for (const Slot call : calls)
    if (call != slot) drop(call);
  return true;
}

// acts.mult(-1, target=t); t.add(1, target=t2)
std::optional<Accumulate::Chain> Accumulate::one_minus(Slot slot, std::size_t i) const {
  const Slot plus = inner(slot, i);
  if (plus == kNoSlot || !is_with_number(at(plus), Op::add, 1)) return std::nullopt;
  const Slot minus = inner(plus);
  if (minus == kNoSlot || !is_with_number(at(minus), Op::mult, -1)) return std::nullopt;
  if (!list_.is_intact(operand(minus), minus, slot)) return std::nullopt;
  return Chain{minus, plus};
}

bool Accumulate::sigmoid_deriv(Slot slot) {
  const Statement& s = at(slot);
  if (s.op != Op::mult || s.operands.size() != 2 || s.operands[0] == s.operands[1]) return false;
  for (const std::size_t i : {1, 0})
    if (modulated(slot, i) || modulated_by_product(slot, i)) return true;
  return false;
}

// (x * acts) * (1 - acts), the functor's own order: x * acts becomes x.
bool Accumulate::modulated(Slot slot, std::size_t i) {
  const auto chain = one_minus(slot, i);
  if (!chain) return false;
  const Var acts = operand(chain->first);
  const Slot from = list_.producer(slot, operand(slot, 1 - i));
  if (from == kNoSlot || at(from).op != Op::mult || at(from).operands.size() != 2 ||
      !list_.is_only_reader(from, slot) || !list_.is_intact(acts, from, slot))
    return false;
  const bool second = operand(from, 1) == acts;
  if (!second && operand(from) != acts) return false;
  const Var x = operand(from, second ? 0 : 1);
  const Var t = at(from).target;
  Statement result = at(slot);
  result.op = Op::mult_by_sigmoid_deriv;
  result.operands = {{acts}};
  result.target = t;
  const std::string text = story({chain->first, chain->second, from, slot}, result);
  if (const std::string reason = list_.why_not_join(slot, t); !reason.empty()) {
    refuse(slot, text, reason);
    return false;
  }
  list_.made(slot, Receipt::Kind::Made, text);
  (void)list_.join(slot, t);
  result.target = at(slot).target;
  list_.replace(slot, std::move(result));
  if (!list_.is_call(slot)) return true;
  const bool in_place = at(from).target == x || list_.join(from, x).empty();
  if (in_place) {
    drop(from);
    return true;
  }
  Statement copy = at(from);
  copy.op = Op::assign;
  copy.operands = {{x}};
  list_.replace(from, std::move(copy));
  return true;
}

// x * (acts * (1 - acts))
bool Accumulate::modulated_by_product(Slot slot, std::size_t i) {
  const Slot from = inner(slot, i);
  if (from == kNoSlot || at(from).op != Op::mult || at(from).operands.size() != 2) return false;
  for (const std::size_t j : {1, 0}) {
    const auto chain = one_minus(from, j);
    if (!chain) continue;
    const Var acts = operand(chain->first);
    const Var x = operand(slot, 1 - i);
    if (operand(from, 1 - j) != acts || !list_.is_intact(acts, chain->first, slot) ||
        !list_.may_meet(acts, x))
      continue;
    Statement result = at(slot);
    result.op = Op::mult_by_sigmoid_deriv;
    result.operands = {{acts}};
    if (update(slot, from, x, std::move(result), "the factors have another order")) return true;
  }
  return false;
}

}  // namespace rewriter

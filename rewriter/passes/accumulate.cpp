#include "rewriter/passes/accumulate.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "rewriter/passes/accumulating.hpp"

namespace rewriter {

using cudamat::Family;

PassResult Accumulate::run() {
  do {
    list_.start_round();
    for (Slot slot = 0; slot < list_.size(); ++slot)
      while (list_.is_call(slot) && step(slot)) {
      }
  } while (list_.changed_this_round());
  return list_.finish();
}

bool Accumulate::step(Slot slot) {
  switch (cudamat::row(at(slot).op).family) {
    case Family::Product:
    case Family::Reduction:
    case Family::ArgReduction:
      return transposed_operand(slot);
    case Family::AddProduct:
    case Family::Accumulate:
      return transposed_operand(slot) || beta(slot);
    case Family::Binary:
      return scaled(slot) || add(slot) || reciprocal(slot) || sigmoid_deriv(slot);
    case Family::ColBroadcast:
      return add_col_mult(slot) || in_place_on_product(slot);
    case Family::RowBroadcast:
      return in_place_on_product(slot);
    case Family::Unary:
      return sigmoid(slot) || log_1_plus_exp(slot);
    case Family::Assign:
      return write_directly(slot);
    default:
      return false;
  }
}

Slot Accumulate::inner(Slot slot, std::size_t i) const {
  const Slot from = list_.producer(slot, operand(slot, i));
  if (from == kNoSlot || !list_.is_only_reader(from, slot)) return kNoSlot;
  for (const auto& a : at(from).operands)
    if (a.var != at(from).target && !list_.is_intact(a.var, from, slot)) return kNoSlot;
  return from;
}

bool Accumulate::is_apart(const Statement& call, Var target) const {
  return std::all_of(call.operands.begin(), call.operands.end(), [&](const auto& operand) {
    return list_.owner(operand.var) != list_.owner(target);
  });
}

std::string Accumulate::story(std::initializer_list<Slot> from, const Statement& result) const {
  std::string text;
  for (const Slot slot : from) text += (text.empty() ? "" : "; ") + list_.text(slot);
  return fmt::format("{} becomes {}", text, list_.text(result));
}

void Accumulate::refuse(Slot slot, const std::string& story, const std::string& but) {
  const std::string_view becomes = " becomes ";
  const auto verb = story.find(becomes);
  list_.refuse(slot, fmt::format("{} would become {}, but {}", story.substr(0, verb),
                                 story.substr(verb + becomes.size()), but));
}

bool Accumulate::may_round(Slot slot, const std::string& story, const char* but) {
  if (list_.may_round())
    list_.made(slot, Receipt::Kind::Rounding, fmt::format("{}, but {}", story, but));
  else
    refuse(slot, story, but);
  return list_.may_round();
}

bool Accumulate::update(Slot slot, Slot from, Var x, Statement result, const char* but) {
  result.where = at(slot).where;
  result.target = x;
  const std::string text = story({from, slot}, result);
  if (const std::string reason = list_.why_not_join(slot, x, from); !reason.empty()) {
    refuse(slot, text, reason);
    return false;
  }
  if (but == nullptr)
    list_.made(slot, Receipt::Kind::Made, text);
  else if (!may_round(slot, text, but))
    return false;
  (void)list_.join(slot, x, from);
  result.target = at(slot).target;
  for (auto& operand : result.operands)
    if (operand.var == x) operand.var = result.target;
  list_.replace(slot, std::move(result));
  drop(from);
  return true;
}

bool Accumulate::in_place_on_product(Slot slot) {
  const Var t = operand(slot);
  const Slot from = list_.producer(slot, t);
  if (t == at(slot).target || from == kNoSlot) return false;
  const Family family = cudamat::row(at(from).op).family;
  if (family != Family::Product && family != Family::AddProduct) return false;
  Statement result = at(slot);
  result.target = t;
  const std::string text = story({slot}, result);
  const std::string reason = list_.join(slot, t);
  if (reason.empty())
    list_.made(slot, Receipt::Kind::Made, text + ", in place on the product");
  else
    refuse(slot, text, reason);
  return reason.empty();
}

bool Accumulate::write_directly(Slot slot) {
  if (at(slot).operands.empty()) return false;
  if (operand(slot) == at(slot).target) {
    list_.erase(slot);
    return true;
  }
  const std::string text = fmt::format("{}: {} is computed in {} itself", list_.text(slot),
                                       list_.name(operand(slot)), list_.name(at(slot).target));
  if (!list_.write_directly(slot)) return false;
  list_.made(slot, Receipt::Kind::Made, text);
  return true;
}

PassResult accumulate(const StatementList& list, const PassOptions& options) {
  return run_until_stable<Accumulate>(list, options);
}

}  // namespace rewriter

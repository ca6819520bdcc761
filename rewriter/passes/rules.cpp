#include "rewriter/passes/rules.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rewriter::rules {

namespace {

using cudamat::Family;

bool is_literal(const rewriter::Number& number, double literal) {
  return number == literal && std::signbit(number.value()) == std::signbit(literal);
}

/// The term with its operands in every order that it allows, its own first.
std::vector<Term> orders(const Term& term) {
  std::vector<Term> all = {term};
  all[0].any_order = false;
  for (std::size_t i = term.operands.size(); i-- > 0;) {
    std::vector<Term> next;
    for (const Term& operand : orders(term.operands[i]))
      for (Term each : all) {
        each.operands[i] = operand;
        next.push_back(std::move(each));
      }
    all = std::move(next);
  }
  if (!term.any_order) return all;
  const std::size_t count = all.size();
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(all[i]);
    std::swap(all.back().operands[0], all.back().operands[1]);
  }
  return all;
}

bool works_by_element(Op op) {
  switch (cudamat::row(op).family) {
    case Family::Product:
    case Family::AddProduct:
    case Family::Reduction:
    case Family::Accumulate:
      return false;
    default:
      return true;
  }
}

rewriter::Number value(const Number& number, const Match& match) {
  if (number.found < 0) return number.factor;
  const rewriter::Number& found = match.numbers[static_cast<std::size_t>(number.found)];
  if (number.inverse) return rewriter::Number::computed(number.factor / found.value(), {found});
  if (number.factor == 1) return found;
  if (number.factor == -1) return -found;
  return rewriter::Number::computed(number.factor * found.value(), {found});
}

}  // namespace

RuleTable::RuleTable(const std::vector<Rule>& rules) : by_op_(std::size(cudamat::kOpTable)) {
  for (const Rule& rule : rules) {
    if (rule.function != nullptr) {
      for (auto& each : by_op_) each.push_back(rule);
      continue;
    }
    for (Term& pattern : orders(rule.pattern)) {
      Rule one = rule;
      one.pattern = std::move(pattern);
      by_op_[static_cast<std::size_t>(one.pattern.op)].push_back(one);
      if (one.pattern.or_op) by_op_[static_cast<std::size_t>(*one.pattern.or_op)].push_back(one);
    }
  }
}

PassResult RuleRunner::run() {
  do {
    list.start_round();
    for (Slot slot = 0; slot < list.size(); ++slot)
      while (list.is_call(slot) && step(slot)) {
      }
  } while (list.changed_this_round());
  return list.finish();
}

bool RuleRunner::step(Slot slot) {
  const std::vector<Rule>& rules = rules_.of(at(slot).op);
  return std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) {
    return rule.function != nullptr ? rule.function(*this, slot) : apply(rule, slot);
  });
}

// ---- matching

bool RuleRunner::matches(const Term& pattern, Slot slot, Match& match) const {
  match.root = slot;
  return matches_call(pattern, slot, match) && can_be_read_at_root(match);
}

bool RuleRunner::matches_call(const Term& pattern, Slot slot, Match& match) const {
  const Statement& s = at(slot);
  if ((s.op != pattern.op && s.op != pattern.or_op) ||
      s.operands.size() != pattern.operands.size() || !s.terms.empty() ||
      !matches_numbers(pattern, slot, match))
    return false;
  for (std::size_t i = 0; i < s.operands.size(); ++i) {
    const Term& term = pattern.operands[i];
    const Statement::Operand& operand = s.operands[i];
    if (term.leaf != Term::kNoLeaf) {
      Match::Leaf& leaf = match.leaves[static_cast<std::size_t>(term.leaf)];
      if (leaf.reads > 0 && !(leaf.operand == operand)) return false;
      leaf.operand = operand;
      leaf.read_at.at(leaf.reads++) = slot;
      continue;
    }
    const Slot from = list.producer(slot, operand.var);
    if (from == kNoSlot || (at(from).op != term.op && at(from).op != term.or_op)) return false;
    const bool only = list.is_only_reader(from, slot);
    const bool twice = std::count(s.operands.begin(), s.operands.end(), operand) > 1;
    if (twice || (!only && !term.shared) || !matches_call(term, from, match)) return false;
    match.inner.push_back({from, only});
  }
  return true;
}

bool RuleRunner::matches_numbers(const Term& pattern, Slot slot, Match& match) const {
  const Statement& s = at(slot);
  if (cudamat::row(s.op).family == Family::Reduction) {
    if (list.varying(s.operands[0].var)) return false;  // there is no one number of summands
    match.integers = s.integers;
    match.numbers[static_cast<std::size_t>(terms::n.found)] =
        static_cast<double>(summands(list, s));
  }
  if (pattern.optional_factor) {
    rewriter::Number& factor = match.numbers[static_cast<std::size_t>(pattern.numbers[0].found)];
    factor = s.numbers.empty() ? rewriter::Number(1) : s.numbers.back();
    return s.op != Op::dot || s.numbers.empty() || s.numbers[0] == 0;  // beta
  }
  if (s.numbers.size() != pattern.numbers.size()) return false;
  for (std::size_t i = 0; i < s.numbers.size(); ++i) {
    const Number& number = pattern.numbers[i];
    if (number.found >= 0)
      match.numbers[static_cast<std::size_t>(number.found)] = s.numbers[i];
    else if (!is_literal(s.numbers[i], number.factor))
      return false;
  }
  return true;
}

// Every leaf holds at the root what it held where it was read. A call that works in place goes, so
// that what it wrote over stays.
bool RuleRunner::can_be_read_at_root(const Match& match) const {
  return std::all_of(match.leaves.begin(), match.leaves.end(), [&](const Match::Leaf& leaf) {
    const auto* const first = leaf.read_at.data();
    return std::all_of(first, first + leaf.reads, [&](Slot slot) {
      const bool in_place = slot != match.root && leaf.reads == 1 &&
                            at(slot).operands.size() == 1 && at(slot).target == leaf.operand.var;
      return in_place || list.is_intact(leaf.operand.var, slot, match.root);
    });
  });
}

Index summands(const Rewriting& list, const Statement& reduction) {
  const Statement::Operand& operand = reduction.operands[0];
  const cudamat::Shape shape = list.shape(operand.var);
  return (reduction.integers[0] == 0) == operand.transposed ? shape.cols : shape.rows;
}

// ---- rewriting

Statement RuleRunner::made_of(const Term& result, const Match& match) const {
  const auto leaf = [&](const Term& term) {
    return match.leaves[static_cast<std::size_t>(term.leaf)].operand;
  };
  Statement statement = at(match.root);
  statement.op = result.op;
  statement.operands.clear();
  statement.numbers.clear();
  statement.integers = match.integers;
  if (result.leaf != Term::kNoLeaf) statement.operands = {leaf(result)};
  for (const Term& operand : result.operands) statement.operands.push_back(leaf(operand));
  for (const Number& number : result.numbers) statement.numbers.push_back(value(number, match));
  if (result.updates != Term::kNoLeaf)
    statement.target = match.leaves[static_cast<std::size_t>(result.updates)].operand.var;
  return statement;
}

bool RuleRunner::reads_what_it_writes(const Statement& result) const {
  return std::any_of(result.operands.begin(), result.operands.end(), [&](const auto& operand) {
    return works_by_element(result.op) ? !list.may_meet(operand.var, result.target)
                                       : list.owner(operand.var) == list.owner(result.target);
  });
}

bool RuleRunner::apply(const Rule& rule, Slot slot) {
  Match match;
  if (!matches(rule.pattern, slot, match)) return false;
  if (rule.when != nullptr && !rule.when(match)) return false;
  Statement result = made_of(rule.result, match);
  const bool updates = rule.result.updates != Term::kNoLeaf;
  const bool unfit = reads_what_it_writes(result);
  if (unfit && !updates) return false;
  std::vector<Slot> slots;
  for (const Match::Inner& inner : match.inner) slots.push_back(inner.slot);
  slots.push_back(slot);
  const Var target = result.target;
  std::string reason;
  if (updates)
    reason = unfit ? "it reads what it writes"
                   : list.why_not_join(slot, target, match.inner.back().slot);
  std::string becomes =
      rule.result.leaf != Term::kNoLeaf ? list.name(result.operands[0].var) : list.text(result);
  if (!reason.empty()) {
    list.refuse(slot, text(slots), std::move(becomes), std::move(reason));
    return false;
  }
  if (!may(slot, rule.verdict, text(slots), std::move(becomes), rule.reason)) return false;
  if (updates) {
    (void)list.join(slot, target, match.inner.back().slot);
    result.target = at(slot).target;
    for (auto& operand : result.operands)
      if (operand.var == target) operand.var = result.target;
  }
  list.replace(slot, std::move(result));
  for (const Match::Inner& inner : match.inner)
    if (inner.only_reader) drop(inner.slot);
  return true;
}

std::string RuleRunner::text(const std::vector<Slot>& slots) const {
  std::string all;
  for (const Slot slot : slots) all += (all.empty() ? "" : "; ") + list.text(slot);
  return all;
}

bool RuleRunner::may(Slot slot, Verdict verdict, std::string what, std::string result,
                     const char* reason) {
  const bool made = verdict == Verdict::Exact || (verdict == Verdict::Rounds && list.may_round());
  if (!made)
    list.refuse(slot, std::move(what), std::move(result), reason);
  else
    list.made(slot, verdict == Verdict::Exact ? Remark::Kind::Made : Remark::Kind::Rounding,
              std::move(what), std::move(result), reason);
  return made;
}

}  // namespace rewriter::rules

#include "rewriter/passes/fold.hpp"

#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "rewriter/passes/rewriting.hpp"

namespace rewriter {

namespace {

using cudamat::Family;
using Kind = Statement::Kind;

bool is_zero(double number, bool negative) {
  return number == 0 && std::signbit(number) == negative;
}

bool is_with_number(const Statement& s) {
  return rewriter::is_with_number(s, s.op);
}

bool is_negation(const Statement& s) {
  return rewriter::is_with_number(s, Op::mult, -1) || rewriter::is_with_number(s, Op::divide, -1);
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

class Fold {
 public:
  Fold(const StatementList& list, const PassOptions& options) : list_(list, options) {}

  PassResult run() {
    do {
      list_.start_round();
      for (Slot slot = 0; slot < list_.size(); ++slot)
        while (list_.is_call(slot) && step(slot)) {
        }
    } while (list_.changed_this_round());
    return list_.finish();
  }

 private:
  bool step(Slot slot) {
    return identity(slot) || copy(slot) || transposed(slot) || with_constant(slot) || chain(slot) ||
           negation(slot) || power(slot);
  }

  const Statement& at(Slot slot) const { return list_.at(slot); }
  Var operand(Slot slot, std::size_t i = 0) const { return at(slot).operands[i].var; }

  /// The statement, and where it takes one before it along, that one.
  std::string before(Slot slot, Slot inner) const {
    return inner == kNoSlot ? list_.text(slot) : list_.text(inner) + "; " + list_.text(slot);
  }
  /// Where rounding is allowed it notes that; where not, the refusal.
  bool may_round(Slot slot, const std::string& result, const char* but, Slot inner = kNoSlot) {
    const std::string text = before(slot, inner);
    if (list_.may_round())
      list_.made(slot, Receipt::Kind::Rounding,
                 fmt::format("{} becomes {}, but {}", text, result, but));
    else
      list_.refuse(slot, fmt::format("{} would become {}, but {}", text, result, but));
    return list_.may_round();
  }
  void made(Slot slot, const std::string& result, Slot inner = kNoSlot) {
    list_.made(slot, Receipt::Kind::Made,
               fmt::format("{} becomes {}", before(slot, inner), result));
  }

  bool identity(Slot slot) {
    const Statement& s = at(slot);
    if (!is_with_number(s)) return false;
    if (s.numbers[0].is_mixed()) return false;
    const double number = s.numbers[0].value();
    const bool exact = ((s.op == Op::mult || s.op == Op::divide) && number == 1) ||
                       (s.op == Op::subtract && is_zero(number, false)) ||
                       (s.op == Op::add && is_zero(number, true));
    const std::string& x = list_.name(operand(slot));
    if (exact) {
      made(slot, x);
    } else if ((s.op == Op::add || s.op == Op::subtract) && number == 0) {
      list_.refuse(slot, fmt::format("{} would become {}, but -0 becomes 0", list_.text(slot), x));
      return false;  // however it may round: integers have no -0
    } else if (s.op == Op::pow && number == 1) {
      if (!may_round(slot, x, "pow may round")) return false;
    } else {
      return false;
    }
    list_.replace(slot, copied(s, operand(slot)));
    return true;
  }

  bool copy(Slot slot) {
    const Statement& s = at(slot);
    if (s.op != Op::assign || s.operands.empty()) return false;
    const Var x = operand(slot);
    if (x == s.target) {
      list_.erase(slot);
      return true;
    }
    if (const Slot from = list_.producer(slot, x); is_copy(from)) {
      const Var original = operand(from);
      if (list_.is_intact(original, from, slot) && list_.may_meet(original, s.target)) {
        made(slot, list_.text(copied(s, original)));
        list_.replace(slot, copied(s, original));
        return true;
      }
    }
    const std::string text = list_.text(slot);
    const auto joined = [&] {
      if (!list_.join(slot, x).empty()) return false;
      list_.made(slot, Receipt::Kind::Made, text + ": no copy, it is the last use");
      list_.erase(slot);
      return true;
    };
    if (list_.is_output(s.target) && joined()) return true;  // under its own name
    const std::string reason = list_.forward(slot, x);
    if (reason.empty()) {
      list_.made(slot, Receipt::Kind::Made, text + ": no copy, both stay the same");
      return true;
    }
    if (joined()) return true;
    list_.refuse(slot, fmt::format("{} stays a copy: {}", text, reason));
    return false;
  }
  bool is_copy(Slot slot) const {
    return slot != kNoSlot && at(slot).op == Op::assign && !at(slot).operands.empty();
  }

  bool transposed(Slot slot) {
    const Statement& s = at(slot);
    if (s.op != Op::transpose) return false;
    const Var x = operand(slot);
    const Slot from = list_.producer(slot, x);
    if (from != kNoSlot && at(from).op == Op::transpose &&
        list_.is_intact(operand(from), from, slot) && list_.may_meet(operand(from), s.target)) {
      made(slot, list_.name(operand(from)), from);
      list_.replace(slot, copied(s, operand(from)));
      return true;
    }
    const cudamat::Shape shape = list_.shape(x);
    if (shape.rows != 1 && shape.cols != 1) return false;
    if (shape.rows == shape.cols) {
      made(slot, list_.name(x));
      list_.replace(slot, copied(s, x));
      return true;
    }
    const std::string text = list_.text(slot);
    const std::string reason = list_.show(slot, x);
    if (reason.empty())
      list_.made(slot, Receipt::Kind::Made, fmt::format("{} is the vector itself: a view", text));
    else
      list_.refuse(slot, fmt::format("{} is no view: {}", text, reason));
    return reason.empty();
  }

  bool with_constant(Slot slot) {
    const Statement& s = at(slot);
    std::optional<Statement> simpler;
    if (is_with_number(s)) {
      if (const auto a = list_.constant(slot, operand(slot)))
        if (const auto result = exact_result(s.op, a->value(), s.numbers[0].value()))
          simpler = filled(s, Number::computed(*result, {*a, s.numbers[0]}));
    } else if (is_copy(slot)) {
      if (const auto a = list_.constant(slot, operand(slot))) simpler = filled(s, *a);
    } else {
      simpler = with_constant_operand(slot);
    }
    if (!simpler) return false;
    made(slot, list_.text(*simpler));
    list_.replace(slot, std::move(*simpler));
    return true;
  }

  std::optional<Statement> with_constant_operand(Slot slot) const {
    const Statement& s = at(slot);
    const Family family = cudamat::row(s.op).family;
    if (s.operands.size() != 2) return std::nullopt;
    const auto b = list_.constant(slot, operand(slot, 1));
    if (family == Family::Binary) {
      if (b) return with_number(s, s.op, s.operands[0], *b);
      const auto a = list_.constant(slot, operand(slot));
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

  bool chain(Slot slot) {
    const Statement& s = at(slot);
    if (!is_with_number(s)) return false;
    const Slot from = list_.producer(slot, operand(slot));
    if (from == kNoSlot || !is_with_number(at(from)) || !list_.is_only_reader(from, slot) ||
        !may_read_at(from, slot))
      return false;
    const Statement& inner = at(from);
    const Number first = inner.numbers[0], second = s.numbers[0];
    const auto result = combined(inner.op, first.value(), s.op, second.value());
    if (!result) return false;
    Statement simpler = with_number(s, result->op, inner.operands[0],
                                    Number::computed(result->number, {first, second}));
    if (result->exact)
      made(slot, list_.text(simpler), from);
    else if (!may_round(slot, list_.text(simpler), "it rounds, or overflows, once instead of twice",
                        from))
      return false;
    list_.replace(slot, std::move(simpler));
    drop(from);
    return true;
  }

  /// Whether the first operand of `from` can be read at `slot` instead: it is as it was, or `from`
  /// works in place and goes.
  bool may_read_at(Slot from, Slot slot) const {
    if (at(from).operands[0].var == at(from).target)
      return !list_.written_between(at(from).target, from, slot);
    return list_.can_move(from, slot) && list_.may_meet(operand(from), at(slot).target);
  }
  /// Erases a call that has lost its only reader, unless that happened already.
  void drop(Slot slot) {
    if (list_.is_call(slot)) list_.erase(slot);
  }

  bool negation(Slot slot) {
    const Statement& s = at(slot);
    if (is_negation(s)) return negated_difference(slot);
    if ((s.op != Op::add && s.op != Op::subtract) || s.operands.size() != 2 ||
        s.operands[0] == s.operands[1])
      return false;
    for (const std::size_t i : {1, 0}) {
      const Slot from = list_.producer(slot, operand(slot, i));
      if (from == kNoSlot || !is_negation(at(from)) || !list_.is_only_reader(from, slot) ||
          !may_read_at(from, slot) || (i == 0 && s.op == Op::subtract))
        continue;
      Statement simpler = s;
      simpler.op = s.op == Op::add ? Op::subtract : Op::add;
      simpler.operands = {s.operands[1 - i], at(from).operands[0]};
      made(slot, list_.text(simpler), from);
      list_.replace(slot, std::move(simpler));
      drop(from);
      return true;
    }
    return false;
  }

  bool negated_difference(Slot slot) {
    const Statement& s = at(slot);
    const Slot from = list_.producer(slot, operand(slot));
    if (from == kNoSlot || at(from).op != Op::subtract || at(from).operands.size() != 2 ||
        !list_.is_only_reader(from, slot) || !list_.can_move(from, slot))
      return false;
    Statement simpler = at(from);
    if (!list_.may_meet(operand(from), s.target) || !list_.may_meet(operand(from, 1), s.target))
      return false;
    std::swap(simpler.operands[0], simpler.operands[1]);
    simpler.target = s.target;
    simpler.where = s.where;
    if (!may_round(slot, list_.text(simpler), "zeros change their sign", from)) return false;
    list_.replace(slot, std::move(simpler));
    drop(from);
    return true;
  }

  bool power(Slot slot) {
    const Statement& s = at(slot);
    if (!is_with_number(s) || s.op != Op::pow) return false;
    Statement simpler = s;
    simpler.numbers.clear();
    if (s.numbers[0] == 2) {
      simpler.op = Op::mult;
      simpler.operands.push_back(s.operands[0]);
    } else if (s.numbers[0] == -1) {
      simpler.op = Op::reciprocal;
    } else {
      return false;
    }
    if (!may_round(slot, list_.text(simpler), "pow may round")) return false;
    list_.replace(slot, std::move(simpler));
    return true;
  }

  Rewriting list_;
};

}  // namespace

PassResult fold(const StatementList& list, const PassOptions& options) {
  return run_until_stable<Fold>(list, options);
}

}  // namespace rewriter

// Symbolic arrays: what is known of their values before the program runs.
#include "rewriter/expr/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rewriter::detail {

namespace {

Bounds joined(const Bounds& a, const Bounds& b) {
  return {std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
}

double times(double a, double b) {
  return a == 0 || b == 0 ? 0 : a * b;
}

Bounds products(const Bounds& a, const Bounds& b) {
  const auto [least, greatest] =
      std::minmax({times(a.least, b.least), times(a.least, b.greatest), times(a.greatest, b.least),
                   times(a.greatest, b.greatest)});
  return {least, greatest};
}

/// Of `count` of them added, of 0 of them too.
Bounds sums(const Bounds& each, Index count) {
  return products(joined(each, {0, 0}), {0, static_cast<double>(count)});
}

template <class Round>
Bounds rounded(const Bounds& a, const Round& round) {
  return {round(a.least), round(a.greatest)};
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Bounds kAnything{-kInfinity, kInfinity};

Bounds power_bounds(const Bounds& base, const Node& exponent, const Bounds& exponents) {
  if (!(exponents.least >= 0)) return kAnything;
  const double largest = std::max({std::abs(base.least), std::abs(base.greatest), 1.0});
  const double most = std::pow(largest, exponents.greatest);
  const bool is_even = exponent.kind == Kind::Number && std::fmod(exponent.number, 2) == 0;
  return {base.least >= 1 ? 1.0 : base.least >= 0 || is_even ? 0 : -most, most};
}

Bounds unary_bounds(Op op, const Bounds& a) {
  switch (op) {
    case Op::abs:
      return a.least >= 0 ? a : Bounds{0, std::max(-a.least, a.greatest)};
    case Op::sign:
      return {-1, 1};
    case Op::floor:
      return rounded(a, [](double x) { return std::floor(x); });
    case Op::ceil:
      return rounded(a, [](double x) { return std::ceil(x); });
    case Op::rint:
      return rounded(a, [](double x) { return std::nearbyint(x); });
    case Op::trunc:
      return rounded(a, [](double x) { return std::trunc(x); });
    case Op::exp:
      return {0, kInfinity};
    case Op::sqrt:
      return {0, std::sqrt(std::max(a.greatest, 0.0))};
    case Op::sin:
    case Op::cos:
    case Op::tanh:
      return {-1, 1};
    case Op::sigmoid:
      return {0, 1};
    default:
      return kAnything;
  }
}

/// Numbers beyond the limit, and NaN, become the least integer. Where that raises an error, as it
/// does of Python's int(), no NaN goes on.
Bounds integer_bounds(const Node& node, const Bounds& a) {
  const double limit = node.args[1]->number;
  const bool all_fit = std::trunc(a.least) >= -limit && std::trunc(a.greatest) < limit;
  const bool raises = node.dims.empty();
  if (all_fit && (raises || !may_be_nan(*node.args[0])))
    return rounded(a, [](double x) { return std::trunc(x); });
  return {raises ? std::max(-limit, std::trunc(a.least)) : -limit,
          std::min(limit - 1, std::trunc(a.greatest))};
}

/// Of integers in two's complement: with as many bits as the longer one.
Bounds bit_bounds(Op op, const Bounds& a, const Bounds& b) {
  if (op == Op::bit_and && (a.least >= 0 || b.least >= 0))
    return {0,
            std::min(a.least >= 0 ? a.greatest : kInfinity, b.least >= 0 ? b.greatest : kInfinity)};
  const Bounds both = joined(a, b);
  const double most = std::max(both.greatest, -1 - both.least);
  if (!(most < 0x1p63)) return both.least >= 0 ? Bounds{0, kInfinity} : kAnything;
  const double beyond = most <= 0 ? 1 : std::exp2(std::ilogb(most) + 1);
  return {both.least >= 0 ? 0 : -beyond, beyond - 1};
}

/// Of `shift`: the first operand grows and shrinks away from 0 and towards it.
Bounds shift_bounds(const Bounds& a, const Bounds& by) {
  const auto power = [](double y) { return std::exp2(std::clamp(y, -100.0, 100.0)); };
  return rounded(products(a, Bounds{power(by.least), power(by.greatest)}),
                 [](double x) { return std::floor(x); });
}

/// Of integers, of which a division by 0 gives 0.
Bounds division_bounds(Op op, const Bounds& a, const Bounds& b) {
  const double most = std::max(std::abs(a.least), std::abs(a.greatest));
  if (op == Op::integer_divide)
    return b.least >= 0 ? Bounds{std::min(a.least, 0.0), std::max(a.greatest, 0.0)}
                        : Bounds{-most, most};
  const double below = b.least < 0 ? std::min(b.least + 1, 0.0) : 0;
  const double above = std::max(b.greatest - 1, 0.0);
  return {below, a.least >= 0 && b.least >= 0 ? std::min(a.greatest, above) : above};
}

Bounds binary_bounds(Op op, const Node& node, const Bounds& a, const Bounds& b) {
  switch (op) {
    case Op::add:
      return {a.least + b.least, a.greatest + b.greatest};
    case Op::subtract:
      return {a.least - b.greatest, a.greatest - b.least};
    case Op::mult:
      return products(a, b);
    case Op::divide:
      return b.least > 0 ? products(a, {1 / b.greatest, 1 / b.least}) : kAnything;
    case Op::maximum:
      return {std::max(a.least, b.least), std::max(a.greatest, b.greatest)};
    case Op::minimum:
      return {std::min(a.least, b.least), std::min(a.greatest, b.greatest)};
    case Op::mod:
      if (b.least < 0) return kAnything;
      {
        const double most = is_integer(node.dtype) ? std::max(b.greatest - 1, 0.0) : b.greatest;
        return {0, a.least >= 0 ? std::min(a.greatest, most) : most};
      }
    case Op::to_int:
      return integer_bounds(node, a);
    case Op::wrap: {
      const bool known = node.args[1]->kind == Kind::Number;
      const double half = known ? node.args[1]->number / 2 : kInfinity;
      return {-half, half};
    }
    case Op::wrap_unsigned:
      return {0, node.args[1]->kind == Kind::Number ? node.args[1]->number - 1 : kInfinity};
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
      return bit_bounds(op, a, b);
    case Op::mult_int32:
      return {-0x1p31, 0x1p31 - 1};
    case Op::shift:
      return shift_bounds(a, b);
    case Op::integer_mod:
    case Op::integer_divide:
      return division_bounds(op, a, b);
    case Op::floor_divide:
      if (b.least < 1) return b.least >= 0 && a.least >= 0 ? Bounds{0, kInfinity} : kAnything;
      return {std::min(a.least, 0.0), std::max(a.greatest, 0.0)};
    case Op::pow:
      return power_bounds(a, *node.args[1], b);
    default:
      return kAnything;
  }
}

/// Whether both are one value.
bool is_same(const Node& a, const Node& b) {
  const auto is_number = [](const Node& node) {
    return node.kind == Kind::Number || node.kind == Kind::Fill;
  };
  return &a == &b || (is_number(a) && is_number(b) && a.number == b.number);
}

/// What a choice between a and b gives, which may be the smaller or the greater one: Python's
/// min(a, b), which is b if b < a, else a.
Bounds chosen_bounds(const Node& node, const Bounds& a, const Bounds& b) {
  const Node& condition = *node.args[0];
  const bool compares = condition.kind == Kind::Map &&
                        (condition.op == Op::less_than || condition.op == Op::greater_than);
  if (!compares) return joined(a, b);
  const auto chooses = [&](std::size_t first, std::size_t second) {
    return is_same(*condition.args[0], *node.args[first]) &&
           is_same(*condition.args[1], *node.args[second]);
  };
  const bool is_first_less = condition.op == Op::less_than;
  if (chooses(1, 2)) return binary_bounds(is_first_less ? Op::minimum : Op::maximum, node, a, b);
  if (chooses(2, 1)) return binary_bounds(is_first_less ? Op::maximum : Op::minimum, node, a, b);
  return joined(a, b);
}

/// `of(k)`: what is known of the operand k.
template <class Of>
Bounds computed(const Node& node, const Of& of) {
  switch (node.kind) {
    case Kind::Number:
    case Kind::Fill:
      return {node.number, node.number};
    case Kind::Constant:
    case Kind::Data:
      return std::visit(
          [](const auto& array) {
            Bounds all{kInfinity, -kInfinity};
            for (const auto x : array.data)
              all = joined(all, {static_cast<double>(x), static_cast<double>(x)});
            return array.data.empty() ? Bounds{0, 0} : all;
          },
          *node.data);
    case Kind::LoopValue: {
      const Affine value{static_cast<Index>(node.number), node.terms};
      return {static_cast<double>(value.least()), static_cast<double>(value.greatest())};
    }
    case Kind::Random:
      return node.op == Op::fill_with_rand ? Bounds{0, 1} : kAnything;
    case Kind::Map:
      return node.args.size() == 1 ? unary_bounds(node.op, of(0))
                                   : binary_bounds(node.op, node, of(0), of(1));
    case Kind::Where:
      return chosen_bounds(node, of(1), of(2));
    case Kind::Reduce: {
      if (cudamat::row(node.op).family == cudamat::Family::ArgReduction)
        return {0, static_cast<double>(node.args[0]->size())};
      const Index count = node.axis < 0 ? node.args[0]->size()
                                        : node.args[0]->dims[static_cast<std::size_t>(node.axis)];
      if (node.op == Op::sum) return sums(of(0), count);
      if (node.op == Op::max || node.op == Op::min || node.op == Op::mean) return of(0);
      return {of(0).least >= 0 ? 0 : -kInfinity, kInfinity};
    }
    case Kind::Sort:
      return node.op == Op::argsort ? Bounds{0, static_cast<double>(node.args[0]->dims[0]) - 1}
                                    : of(0);
    case Kind::Scan:
      return node.op == Op::cumsum ? sums(of(0), node.args[0]->size()) : kAnything;
    case Kind::Dot:
      return sums(products(of(0), of(1)), node.args[0]->dims.back());
    case Kind::SetSlice:
    case Kind::Concatenate: {
      Bounds all = of(0);
      for (std::size_t arg = 1; arg < node.args.size(); ++arg) all = joined(all, of(arg));
      return all;
    }
    case Kind::Put:
      return joined(of(0), of(2));
    case Kind::Transpose:
    case Kind::Reshape:
    case Kind::Broadcast:
    case Kind::Slice:
    case Kind::Take:
    case Kind::Copy:
      return of(0);
    default:
      return kAnything;
  }
}

/// What is known of the values of a type.
Bounds of_type(DType dtype) {
  if (dtype == DType::Bool) return {0, 1};
  return is_narrow(dtype) ? limits(dtype) : kAnything;
}

Bounds within_type(const Node& node, const Bounds& made) {
  const Bounds held = of_type(node.dtype);
  const Bounds both{std::max(made.least, held.least), std::min(made.greatest, held.greatest)};
  return both.least <= both.greatest ? both : held;  // NaN, or of nothing
}

Bounds bounds_at(const Node& node, int depth) {
  constexpr int kDeepest = 8;
  if (node.dtype == DType::Bool) return {0, 1};
  const auto of = [&](std::size_t arg) { return bounds_at(*node.args[arg], depth + 1); };
  return within_type(node, depth > kDeepest ? kAnything : computed(node, of));
}

bool may_be_nan_at(const Node& node, int depth);

bool is_finite(const Node& node, int depth) {
  const Bounds values = bounds_at(node, depth);
  return values.least > -kInfinity && values.greatest < kInfinity && !may_be_nan_at(node, depth);
}

/// Of operands none of which is NaN.
bool makes_nan(const Node& node, int depth) {
  const auto least = [&](std::size_t arg) { return bounds_at(*node.args[arg], depth).least; };
  const auto finite = [&](std::size_t arg) { return is_finite(*node.args[arg], depth); };
  switch (node.op) {
    case Op::sign:
    case Op::abs:
    case Op::floor:
    case Op::ceil:
    case Op::rint:
    case Op::trunc:
    case Op::exp:
    case Op::tanh:
    case Op::sigmoid:
    case Op::arctan:
    case Op::maximum:
    case Op::minimum:
      return false;
    case Op::sin:
    case Op::cos:
      return !finite(0);
    case Op::sqrt:
      return !(least(0) >= 0);
    case Op::add:
    case Op::subtract:
    case Op::mult:
      return !finite(0) || !finite(1);
    case Op::divide:
    case Op::mod:
      return !finite(0) || !finite(1) || !(least(1) > 0);
    default:
      return true;
  }
}

bool may_be_nan_at(const Node& node, int depth) {
  constexpr int kDeepest = 8;
  if (node.dtype != DType::Float) return false;
  if (depth > kDeepest) return true;
  const auto any = [&](std::size_t first) {
    return std::any_of(node.args.begin() + static_cast<std::ptrdiff_t>(first), node.args.end(),
                       [&](const NodePtr& arg) { return may_be_nan_at(*arg, depth + 1); });
  };
  switch (node.kind) {
    case Kind::Number:
    case Kind::Fill:
      return std::isnan(node.number);
    case Kind::Constant:
    case Kind::Data:
      return std::visit(
          [](const auto& array) {
            return std::any_of(array.data.begin(), array.data.end(),
                               [](auto x) { return std::isnan(x); });
          },
          *node.data);
    case Kind::LoopValue:
    case Kind::Random:
      return false;
    case Kind::Map:
      return any(0) || makes_nan(node, depth + 1);
    case Kind::Reduce:
      if (node.op == Op::max || node.op == Op::min) return any(0);
      return (node.op != Op::sum && node.op != Op::mean) || node.args[0]->size() == 0 ||
             !is_finite(*node.args[0], depth + 1);
    case Kind::Where:
      return any(1);
    case Kind::Sort:
    case Kind::Put:
    case Kind::SetSlice:
    case Kind::Concatenate:
    case Kind::Transpose:
    case Kind::Reshape:
    case Kind::Broadcast:
    case Kind::Slice:
    case Kind::Take:
    case Kind::Copy:
      return any(0);
    default:
      return true;
  }
}

}  // namespace

Bounds bounds(const Node& node) {
  return bounds_at(node, 0);
}

Bounds bounds_of(const Node& node, const std::function<Bounds(const Node&)>& operand) {
  return within_type(node,
                     computed(node, [&](std::size_t arg) { return operand(*node.args[arg]); }));
}

bool may_be_negative(const Node& node) {
  return !(bounds(node).least >= 0);
}

bool may_be_nan(const Node& node) {
  return may_be_nan_at(node, 0);
}

}  // namespace rewriter::detail

// Symbolic arrays: integers of NumPy's widths. The engines compute with floating-point numbers,
// which do not wrap: where what is known of a result does not exclude that it leaves its type, a
// statement wraps it.
#include "rewriter/expr/integers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "rewriter/expr/build.hpp"

namespace rewriter::detail {

using cudamat::misuse;

namespace {

constexpr double kExact = 0x1p53;

struct IntegerType {
  DType dtype;
  int bits;
  bool is_signed;
};
constexpr std::array kIntegerTypes{
    IntegerType{DType::Int8, 8, true},   IntegerType{DType::Uint8, 8, false},
    IntegerType{DType::Int16, 16, true}, IntegerType{DType::Uint16, 16, false},
    IntegerType{DType::Int32, 32, true}, IntegerType{DType::Uint32, 32, false},
    IntegerType{DType::Int, 64, true},   IntegerType{DType::Uint64, 64, false},
};

const IntegerType& integer_type(DType dtype) {
  return kIntegerTypes.at(static_cast<std::size_t>(dtype) - static_cast<std::size_t>(DType::Int8));
}

/// How many values the type has.
double count_of(const IntegerType& type) {
  return std::ldexp(1.0, type.bits);
}

Bounds limits(const IntegerType& type) {
  const double count = count_of(type);
  return type.is_signed ? Bounds{-count / 2, count / 2 - 1} : Bounds{0, count - 1};
}

/// The smallest type that holds the number, signed or not as `like` is; numbers below 0 are signed.
DType holder(double number, bool is_signed) {
  for (const IntegerType& type : kIntegerTypes) {
    const Bounds held = limits(type);
    if (type.is_signed == (is_signed || number < 0) && number >= held.least &&
        number <= held.greatest)
      return type.dtype;
  }
  return DType::Int;
}

/// Whether the run chooses between numbers of two types of integers.
bool is_of_either_width(const Node& node) {
  return node.kind == Kind::Where && node.is_scalar && is_integer(node.dtype) &&
         (node.args[1]->dtype != node.args[2]->dtype || is_of_either_width(*node.args[1]) ||
          is_of_either_width(*node.args[2]));
}

bool may_be_narrow(const Array& number) {
  return is_narrow(number.dtype()) || is_of_either_width(*number.node());
}

[[noreturn]] void refuse_unknown_number(DType dtype) {
  misuse("program",
         "NumPy's type of this result depends on a number that only the run knows, which {} may "
         "not hold; write a.astype(int)",
         type_name(dtype));
}

/// Of an array of integers beside a number of them, whose value counts and not its type.
DType beside_number(const Array& array, const Array& number) {
  const bool is_signed = integer_type(array.dtype()).is_signed;
  Bounds values = bounds(*number.node());
  constexpr double kMost = 0x1p62;
  values = {std::max(values.least, -kMost), std::min(values.greatest, kMost)};
  const auto type = [&](double value) { return promote(array.dtype(), holder(value, is_signed)); };
  const DType made = type(std::clamp(0.0, values.least, values.greatest));
  if (made != type(values.least) || made != type(values.greatest))
    refuse_unknown_number(array.dtype());
  return made;
}

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
    case Op::wrap: {
      const bool known = node.args[1]->kind == Kind::Number;
      const double half = known ? node.args[1]->number / 2 : kInfinity;
      return {-half, half};
    }
    case Op::floor_divide:
      if (b.least < 1) return b.least >= 0 && a.least >= 0 ? Bounds{0, kInfinity} : kAnything;
      return {std::min(a.least, 0.0), std::max(a.greatest, 0.0)};
    case Op::pow:
      return power_bounds(a, *node.args[1], b);
    default:
      return kAnything;
  }
}

Bounds bounds(const Node& node, int depth);

Bounds computed(const Node& node, int depth) {
  constexpr int kDeepest = 8;
  if (depth > kDeepest) return kAnything;
  const auto of = [&](std::size_t arg) { return bounds(*node.args[arg], depth + 1); };
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
      return joined(of(1), of(2));
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
  return is_narrow(dtype) ? limits(integer_type(dtype)) : kAnything;
}

Bounds bounds(const Node& node, int depth) {
  if (node.dtype == DType::Bool) return {0, 1};
  const Bounds made = computed(node, depth);
  const Bounds held = of_type(node.dtype);
  const Bounds both{std::max(made.least, held.least), std::min(made.greatest, held.greatest)};
  return both.least <= both.greatest ? both : held;  // NaN, or of nothing
}

bool fits(const Bounds& values, DType dtype) {
  if (!is_narrow(dtype)) return true;
  const Bounds held = limits(integer_type(dtype));
  if (dtype == DType::Uint64) return values.least >= 0;  // beyond 2^53 no number here is exact
  return values.least >= held.least && values.greatest <= held.greatest;
}

Array binary(Op op, DType dtype, const Array& a, const Array& b) {
  auto node = make_node(cudamat::numpy_name(op), Kind::Map, dtype,
                        broadcast_or_refuse(cudamat::numpy_name(op), a.shape(), b.shape()),
                        {a.node(), b.node()});
  node->op = op;
  return to_array(std::move(node));
}

/// A number in two parts, low + 2^16 high, whose products have few enough digits.
struct Halves {
  explicit Halves(const Array& a)
      : low(binary(Op::wrap, DType::Int, a, Array(65536.0))),
        high(binary(Op::divide, DType::Int, binary(Op::subtract, DType::Int, a, low),
                    Array(65536.0))) {}

  Array low;
  Array high;
};

/// To a known power by products, each of which wraps.
Array power(const Array& base, Index exponent, DType dtype) {
  std::optional<Array> made;
  if (exponent == 1) return base.dtype() == dtype ? base.copy() : as_integers(base, dtype);
  for (Array square = as_integers(base, dtype);;
       square = wrapped_map(Op::mult, square, square, dtype)) {
    if (exponent % 2 == 1) made = made ? wrapped_map(Op::mult, *made, square, dtype) : square;
    exponent /= 2;
    if (exponent == 0) return *made;
  }
}

}  // namespace

Bounds bounds(const Node& node) {
  return bounds(node, 0);
}

Bounds limits(DType dtype) {
  return limits(integer_type(dtype));
}

double whole_number(double number, DType dtype) {
  if (!(std::abs(number) < 0x1p63)) misuse("astype", "{} is no integer of 64 bits", number);
  const IntegerType& type = integer_type(dtype);
  const double count = count_of(type);
  const double rest = std::fmod(std::trunc(number), count) + 0.0;
  const Bounds held = limits(type);
  return rest > held.greatest ? rest - count : rest < held.least ? rest + count : rest;
}

Array scalar(double number, DType dtype) {
  auto node = make_node("scalar", Kind::Fill, dtype, Dims{});
  node->number = number;
  node->is_scalar = true;
  return to_array(std::move(node));
}

bool may_be_negative(const Node& node) {
  return !(bounds(node).least >= 0);
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::Float || b == DType::Float) return DType::Float;
  if (a == DType::Bool) return b;
  if (b == DType::Bool) return a;
  const IntegerType& x = integer_type(a);
  const IntegerType& y = integer_type(b);
  if (x.is_signed == y.is_signed) return x.bits < y.bits ? b : a;
  const IntegerType& with_sign = x.is_signed ? x : y;
  const IntegerType& other = x.is_signed ? y : x;
  if (with_sign.bits > other.bits) return with_sign.dtype;
  return other.bits == 64 ? DType::Float : holder(limits(other).greatest, true);
}

DType result_type(const Array& a, const Array& b) {
  const bool is_number = a.ndim() == 0;
  if (is_number == (b.ndim() == 0)) {
    if ((is_of_either_width(*a.node()) && may_be_narrow(b)) ||
        (is_of_either_width(*b.node()) && may_be_narrow(a)))
      misuse("program",
             "NumPy's type of this result depends on which of two numbers of different types the "
             "run chose; write int(a)");
    return promote(a.dtype(), b.dtype());
  }
  const Array& array = is_number ? b : a;
  const Array& number = is_number ? a : b;
  if (!is_integer(array.dtype()) || !is_integer(number.dtype()))
    return promote(a.dtype(), b.dtype());
  return array.dtype() == DType::Int ? DType::Int : beside_number(array, number);
}

DType first_type(const Array& a, const Array& b) {
  const DType both = result_type(a, b);
  if ((a.ndim() == 0) == (b.ndim() == 0) || !is_narrow(both) || integer_type(both).is_signed)
    return both;
  const Array& array = a.ndim() == 0 ? b : a;
  const Array& number = a.ndim() == 0 ? a : b;
  if (both == array.dtype()) return both;
  const DType with_sign =
      kIntegerTypes.at(static_cast<std::size_t>(both) - static_cast<std::size_t>(DType::Uint8))
          .dtype;
  const Bounds values = bounds(*number.node());
  if (values.greatest <= limits(with_sign).greatest) return with_sign;
  if (values.least > limits(with_sign).greatest) return both;
  refuse_unknown_number(with_sign);
}

DType sum_type(DType dtype) {
  if (dtype == DType::Float) return dtype;
  return dtype == DType::Bool || integer_type(dtype).is_signed ? DType::Int : DType::Uint64;
}

bool casts_to(DType from, DType to) {
  if (from == to || from == DType::Bool || to == DType::Float) return true;
  if (from == DType::Float || to == DType::Bool) return false;
  return integer_type(to).is_signed || !integer_type(from).is_signed;
}

Array wrapped(const Array& exact, DType dtype) {
  if (fits(bounds(*exact.node()), dtype)) return exact.as_type(dtype);
  const IntegerType& type = integer_type(dtype);
  if (dtype == DType::Uint64)
    misuse("program",
           "numbers below 0 become some near 2^64 in uint64, which are not exact here; write "
           "a.astype(int), or sum(dtype=int)");
  return binary(type.is_signed ? Op::wrap : Op::mod, dtype, exact, Array(count_of(type)));
}

Array wrapped_map(Op op, const Array& a, const Array& b, DType dtype) {
  const Node& exponent = *b.node();
  if (op == Op::pow && exponent.kind == Kind::Number && exponent.number >= 1 && !a.is_number())
    return power(a, static_cast<Index>(exponent.number), dtype);
  const Array exact = binary(op, DType::Int, a, b);
  const Bounds values = bounds(*exact.node());
  const double most = std::max(-values.least, values.greatest);
  if (op == Op::mult && most > kExact && dtype != DType::Uint64)
    return wrapped_products(a, b, dtype, [](const Array& x, const Array& y) {
      return binary(Op::mult, DType::Int, x, y);
    });
  if (op == Op::pow && most > kExact)
    misuse("power",
           "NumPy computes this in {}, which may wrap; write a.astype(int), or the power as a "
           "number",
           type_name(dtype));
  if (!fits(values, dtype)) return wrapped(exact, dtype);
  return op == Op::mult ? whole_product(binary(op, dtype, a, b), a, b) : binary(op, dtype, a, b);
}

Array wrapped_products(const Array& a, const Array& b, DType dtype,
                       const std::function<Array(const Array&, const Array&)>& product) {
  const auto is_exact = [](const Array& array) {
    const Bounds values = bounds(*array.node());
    return std::max(-values.least, values.greatest) <= kExact;
  };
  const Array plain = product(a, b);
  if (is_exact(plain)) return wrapped(plain, dtype);
  const Halves x(a);
  const Halves y(b);
  const Array low = product(x.low, y.low);
  const Array inner = binary(Op::add, DType::Int, product(x.low, y.high), product(x.high, y.low));
  if (dtype == DType::Uint64 || !is_exact(low) || !is_exact(inner))
    misuse("program", "NumPy computes these products in {}, which may wrap; write a.astype(int)",
           type_name(dtype));
  const Array part(65536.0);
  const Array upper = binary(Op::mult, DType::Int, binary(Op::wrap, DType::Int, inner, part), part);
  return wrapped(binary(Op::add, DType::Int, upper, low), dtype);
}

Array as_integers(const Array& a, DType dtype) {
  if (a.dtype() == dtype) return a;
  const Node& node = *a.node();
  if (node.kind == Kind::Number) return Array::number(whole_number(node.number, dtype), dtype);
  if (node.kind == Kind::Fill && !node.is_scalar)
    return full(node.dims, whole_number(node.number, dtype), dtype);
  return wrapped(a.dtype() == DType::Float ? truncated(a) : a, dtype);
}

}  // namespace rewriter::detail

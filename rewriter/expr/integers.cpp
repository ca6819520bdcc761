// Symbolic arrays: integers of NumPy's widths. The engines compute with floating-point numbers,
// which do not wrap: where what is known of a result does not exclude that it leaves its type, a
// statement wraps it.
#include "rewriter/expr/integers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cudamat/functors.hpp"
#include "rewriter/expr/build.hpp"

namespace rewriter::detail {

using cudamat::misuse;

namespace {

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

/// Whether the run chooses between an int and a float, or the number is computed of such a choice
/// in a few steps.
bool is_int_or_float(const Node& node, int steps = 8) {
  if (node.ndim() != 0 || node.dtype != DType::Float || steps == 0) return false;
  const auto is_float = [&](const NodePtr& arg) {
    return arg->dtype == DType::Float && !is_int_or_float(*arg, steps - 1);
  };
  if (node.kind == Kind::Where && node.is_scalar)
    return !is_float(node.args[1]) || !is_float(node.args[2]);
  using enum Op;
  const bool keeps_ints =
      node.kind == Kind::Map && (node.op == add || node.op == subtract || node.op == mult ||
                                 node.op == abs || node.op == floor_divide || node.op == mod);
  return keeps_ints && std::none_of(node.args.begin(), node.args.end(), is_float);
}

bool may_be_narrow(const Array& number) {
  return is_narrow(number.dtype()) || is_of_either_width(*number.node());
}

[[noreturn]] void refuse_unknown_number(DType dtype) {
  misuse("program",
         "NumPy's type of this result depends on a number that is known only at run time and may "
         "not fit {}; write a.astype(int)",
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

/// What nothing else uses as integers of this type: the operation itself is of the type.
Array with_type(const Array& made, DType dtype) {
  const NodePtr& node = made.node();
  if (node->dtype == dtype || node->kind != Kind::Map || node.use_count() > 1)
    return made.as_type(dtype);
  auto typed = make_like(*node, node->dims, node->args);
  typed->dtype = dtype;
  return to_array(std::move(typed));
}

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

bool is_of_either_width(const Node& node) {
  return node.kind == Kind::Where && node.is_scalar && is_integer(node.dtype) &&
         (node.args[1]->dtype != node.args[2]->dtype || is_of_either_width(*node.args[1]) ||
          is_of_either_width(*node.args[2]));
}

bool is_python_int(const Node& node) {
  const bool is_number = node.kind == Kind::Fill && node.dims.empty() && !node.is_scalar;
  return node.dtype == DType::Int && (is_number || node.kind == Kind::Number);
}

std::optional<DType> chosen_type(const Node& node) {
  std::optional<DType> type;
  std::vector<double> numbers;
  std::vector<const Node*> left{&node};
  while (!left.empty()) {
    const Node& each = *left.back();
    left.pop_back();
    if (is_of_either_width(each)) {
      left.insert(left.end(), {each.args[1].get(), each.args[2].get()});
    } else if (is_python_int(each)) {
      numbers.push_back(each.number);
    } else {
      if (!is_narrow(each.dtype) || type.value_or(each.dtype) != each.dtype) return std::nullopt;
      type = each.dtype;
    }
  }
  const auto holds = [&](double number) { return fits({number, number}, *type); };
  return type && std::ranges::all_of(numbers, holds) ? type : std::nullopt;
}

Bounds limits(DType dtype) {
  return limits(integer_type(dtype));
}

double integer_limit(DType dtype) {
  return promote(dtype, DType::Int32) == DType::Int32 ? 0x1p31 : 0x1p63;
}

/// A whole number in the type.
static double wrapped_number(double number, DType dtype) {
  const IntegerType& type = integer_type(dtype);
  const double count = count_of(type);
  const double rest = std::fmod(number, count) + 0.0;
  const Bounds held = limits(type);
  return rest > held.greatest ? rest - count : rest < held.least ? rest + count : rest;
}

double converted_number(double number, DType dtype) {
  return wrapped_number(cudamat::functors::ToInt{}(number, integer_limit(dtype)), dtype);
}

double whole_number(double number, DType from, DType dtype) {
  if (!(std::abs(number) < 0x1p63)) misuse("astype", "{} is not a 64-bit integer", number);
  return from == DType::Float ? converted_number(number, dtype) : wrapped_number(number, dtype);
}

Array scalar(double number, DType dtype) {
  auto node = make_node("scalar", Kind::Fill, dtype, Dims{});
  node->number = number;
  node->is_scalar = true;
  return to_array(std::move(node));
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
             "NumPy's type of this result depends on which of two numbers of different types is "
             "chosen at run time; write int(a)");
    return promote(a.dtype(), b.dtype());
  }
  const Array& array = is_number ? b : a;
  const Array& number = is_number ? a : b;
  if (is_narrow(array.dtype()) && is_int_or_float(*number.node()))
    misuse("program",
           "NumPy's type of this result depends on whether an int or a float is chosen at run "
           "time; write "
           "float(a), or U.astype(float)");
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
  if (fits(bounds(*exact.node()), dtype)) return with_type(exact, dtype);
  const IntegerType& type = integer_type(dtype);
  if (dtype == DType::Uint64)
    misuse("program",
           "numbers below 0 wrap to numbers near 2^64 in uint64, which are not represented "
           "exactly; write "
           "a.astype(int), or sum(dtype=int)");
  return binary(type.is_signed ? Op::wrap : Op::wrap_unsigned, dtype, exact, Array(count_of(type)));
}

Array wrapped_map(Op op, const Array& a, const Array& b, DType dtype) {
  const Node& exponent = *b.node();
  const bool is_known = exponent.kind == Kind::Number ||  // Python's, or NumPy's scalar
                        (exponent.kind == Kind::Fill && exponent.dims.empty());
  if (op == Op::pow && is_known && exponent.number >= 1 && !a.is_number())
    return power(a, static_cast<Index>(exponent.number), dtype);
  const Array exact = binary(op, DType::Int, a, b);
  const Bounds values = bounds(*exact.node());
  const double most = std::max(-values.least, values.greatest);
  if (op == Op::mult && most > kExact && dtype != DType::Uint64)  // of 32 bits
    return wrapped(binary(Op::mult_int32, DType::Int, a, b), dtype);
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
  if (node.kind == Kind::Number)
    return Array::number(whole_number(node.number, a.dtype(), dtype), dtype);
  if (node.kind == Kind::Fill && !node.is_scalar)
    return full(node.dims,
                a.dtype() == DType::Float ? converted_number(node.number, dtype)
                                          : whole_number(node.number, a.dtype(), dtype),
                dtype);
  if (a.dtype() != DType::Float) return wrapped(a, dtype);
  const Array whole = truncated(a, dtype);
  if (dtype == DType::Uint64 && bounds(node).least >= 0 && may_be_nan(node))
    return binary(Op::wrap_unsigned, dtype, whole, Array(0x1p64));  // of NaN it is 2^63
  return wrapped(whole, dtype);
}

}  // namespace rewriter::detail

namespace rewriter {

DType returned_type(const Node& node) {
  if (!detail::is_of_either_width(node)) return node.dtype;
  return detail::chosen_type(node).value_or(node.dtype);
}

}  // namespace rewriter

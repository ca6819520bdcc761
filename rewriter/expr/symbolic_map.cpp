// Symbolic arrays: element-wise operations, in NumPy's types.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/residues.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {
namespace {

using cudamat::Family;
using cudamat::misuse;
using cudamat::numpy_name;
using detail::make_node;
using detail::promote;
using detail::to_array;

Array make_map(Op op, DType dtype, const Array& a) {
  auto node = make_node(Kind::Map, dtype, a.shape(), a);
  node->op = op;
  return to_array(std::move(node));
}

Array make_map(Op op, DType dtype, const Array& a, const Array& b) {
  std::shared_ptr<Node> node;
  if (b.ndim() == 0 || a.shape() == b.shape()) {
    node = make_node(Kind::Map, dtype, a.shape(), a, b);
  } else {
    const std::string_view name = numpy_name(op);
    node = make_node(name, Kind::Map, dtype,
                     detail::broadcast_or_refuse(name, a.shape(), b.shape()), {a.node(), b.node()});
  }
  node->op = op;
  return to_array(std::move(node));
}

/// What NumPy's functions of floats make of an operand.
DType float_type(Op op, DType operand) {
  if (is_narrow(operand) && operand < DType::Int32)
    misuse(numpy_name(op), "NumPy computes this of {} in {}; write a.astype(float)",
           detail::type_name(operand), operand < DType::Int16 ? "float16" : "float32");
  if (operand == DType::Bool) {
    const bool is_scipys = cudamat::first_spelling(op).starts_with("scipy.");
    misuse(numpy_name(op), "{} computes this of booleans in {}; multiply by 1.0 first",
           is_scipys ? "SciPy" : "NumPy", is_scipys ? "float32" : "float16");
  }
  return DType::Float;
}

DType unary_type(Op op, DType operand) {
  const cudamat::OpRow& row = cudamat::row(op);
  if (row.has(cudamat::kTruth)) return DType::Bool;
  if (!cudamat::is_numpys(op)) return DType::Float;
  if (op == Op::sign && operand == DType::Bool)
    misuse(Exception::UFuncTypeError, "sign",
           "NumPy has no sign of booleans; multiply by 1.0 first");
  if (op == Op::reciprocal && operand != DType::Float)
    misuse(
        "reciprocal",
        "NumPy's reciprocal of an integer is an integer; write 1.0 / a, or multiply by 1.0 first");
  if (row.has(cudamat::kSame) || row.has(cudamat::kIntegers)) return operand;
  return float_type(op, operand);
}

/// Whether every value is known and one is as `is` says.
template <class Is>
bool has(const Node& node, const Is& is) {
  if (node.kind == Kind::Number || node.kind == Kind::Fill)
    return is(node.number) && node.size() > 0;
  if (node.data == nullptr) return false;
  return std::visit(
      [&](const auto& array) { return std::any_of(array.data.begin(), array.data.end(), is); },
      *node.data);
}

bool is_known(const Node& node) {
  return node.kind == Kind::Number || node.kind == Kind::Fill || node.data != nullptr;
}

/// Of what integers leave of each other, our floats would be NaN where NumPy has 0, and -0.
void check_division(Op op, DType both, const Array& divisor) {
  if (both == DType::Bool)
    misuse(numpy_name(op), "NumPy computes this of booleans in int8; multiply by 1.0 first");
  const bool above =
      is_known(*divisor.node()) && !has(*divisor.node(), [](auto x) { return !(x > 0); });
  if (is_integer(both) && !above)
    misuse(numpy_name(op),
           "NumPy's result of an integer divided by 0 is 0; divide integers by a number other than "
           "0, or multiply one of them by 1.0");
}

DType binary_type(Op op, const Array& a, const Array& b) {
  const cudamat::OpRow& row = cudamat::row(op);
  if (row.has(cudamat::kTruth)) return DType::Bool;
  if (op == Op::divide) return DType::Float;
  if (!row.has(cudamat::kSame) && !row.has(cudamat::kSums) && !row.has(cudamat::kIntegers))
    return float_type(op, detail::result_type(a, b));
  const bool divides = op == Op::mod || op == Op::floor_divide || op == Op::pow;
  const DType both = divides ? detail::first_type(a, b) : detail::result_type(a, b);
  if (op == Op::subtract && both == DType::Bool)
    misuse(Exception::TypeError, "subtract",
           "numpy boolean subtract is not supported; write a != b, or multiply one operand by 1.0");
  if (op == Op::mod || op == Op::floor_divide) check_division(op, both, b);
  if (op != Op::pow) return both;
  const Node& exponent = *b.node();
  const bool below = exponent.kind == Kind::LoopValue
                         ? Affine{static_cast<Index>(exponent.number), exponent.terms}.least() < 0
                         : has(exponent, [](auto x) { return x < 0; });
  if (both != DType::Float && a.size() > 0 && below)
    misuse(Exception::ValueError, "power",
           "Integers to negative integer powers are not allowed; write the power as a float, as in "
           "a ** -1.0");
  return both == DType::Bool ? DType::Int8 : both;
}

/// Arithmetic of two Python numbers.
Array number_result(double value, const Array& a, const Array& b) {
  const DType dtype = promote(a.dtype(), b.dtype()) == DType::Float ? DType::Float : DType::Int;
  return Array::number(dtype == DType::Int ? value + 0.0 : value, dtype);  // no integer is -0
}

/// NumPy squares truth values as int8.
DType square_type(DType dtype) {
  return dtype == DType::Bool ? DType::Int8 : dtype;
}

bool numbers(const Array& a, const Array& b) {
  return a.is_number() && b.is_number();
}

Array number_power(const Array& a, const Array& b) {
  const double base = a.node()->number;
  const double exponent = b.node()->number;
  if (base == 0 && exponent < 0 && std::isfinite(exponent))
    misuse(Exception::ZeroDivisionError, "power",
           "0 cannot be raised to a negative power: both operands are Python numbers");
  if (base < 0 && std::isfinite(base) && std::isfinite(exponent) &&
      exponent != std::floor(exponent))
    misuse("power", "{} ** {} is a complex number in Python; powers of Python numbers must be real",
           base, exponent);
  const double value = std::pow(base, exponent);
  return exponent < 0 ? Array(value) : number_result(value, a, b);
}

}  // namespace

Array detail::truncated(const Array& a, DType dtype) {
  return make_map(Op::to_int, DType::Int, a, Array(integer_limit(dtype)));
}

// Truth values that as_float() made numbers, in whatever shape, are still 0 and 1.
Array detail::truth(const Array& a) {
  if (a.dtype() == DType::Bool) return a;
  std::shared_ptr<const Node> node = a.node();
  while (node->kind == Kind::Reshape && node->by_columns) node = node->args[0];
  if (node->dtype != DType::Bool) return not_equal(a, 0);
  const Array truths(node);
  return truths.shape() == a.shape() ? truths : truths.reshape_columns(a.shape());
}

namespace {

bool may_be_zero(const Node& node) {
  return (node.kind != Kind::Number && node.kind != Kind::Fill) || node.number == 0;
}

}  // namespace

Array detail::whole_product(const Array& product, const Array& a, const Array& b) {
  if (!is_integer(product.dtype())) return product;
  const bool safe = (!may_be_negative(*a.node()) || !may_be_zero(*b.node())) &&
                    (!may_be_negative(*b.node()) || !may_be_zero(*a.node()));
  return safe ? product : make_map(Op::add, product.dtype(), product, Array(0));
}

std::optional<Dims> broadcast(const Dims& a, const Dims& b) {
  const Dims& longer = a.size() < b.size() ? b : a;
  const Dims& shorter = a.size() < b.size() ? a : b;
  Dims dims = longer;
  for (std::size_t back = 1; back <= shorter.size(); ++back) {
    Index& extent = dims[dims.size() - back];
    const Index other = shorter[shorter.size() - back];
    if (extent == 1)
      extent = other;
    else if (other != 1 && other != extent)
      return {};
  }
  return dims;
}

Array map(Op op, const Array& a) {
  if (cudamat::row(op).family != Family::Unary)
    throw cudamat::InternalError(fmt::format("map of {} with one operand", cudamat::name(op)));
  const DType dtype = unary_type(op, a.dtype());
  if (op == Op::abs && is_narrow(dtype))  // of which the least has none
    return detail::wrapped(make_map(op, DType::Int, a), dtype);
  return make_map(op, dtype, a);
}

/// Of integers of few bits, to a known power: where NumPy's wraps, ours has no digits left.
static void check_power(const Array& power) {
  if (detail::bounds(*power.node()).greatest >= 0x1p63)
    misuse("power",
           "NumPy computes this in int64, which may wrap; write float(a) for a power of floats");
}

Array map(Op op, const Array& a, const Array& b) {
  if (cudamat::row(op).family != Family::Binary)
    throw cudamat::InternalError(fmt::format("map of {} with two operands", cudamat::name(op)));
  const DType dtype = binary_type(op, a, b);
  if (is_narrow(dtype)) return detail::wrapped_map(op, a, b, dtype);
  // Sums of booleans are logical in NumPy; products of 1 and 0 are so anyway.
  const bool logical_sum = op == Op::add && dtype == DType::Bool;
  const Array result = make_map(logical_sum ? Op::maximum : op, dtype, a, b);
  if (op == Op::pow && dtype == DType::Int && is_narrow(a.dtype()) && b.is_number())
    check_power(result);
  return op == Op::mult ? detail::whole_product(result, a, b) : result;
}

Array where(const Array& condition, const Array& a, const Array& b, bool is_scalar) {
  const auto refuse = [&] {
    misuse(Exception::ValueError, "where",
           "operands could not be broadcast together with shapes {} {} {}",
           to_string(condition.shape()), to_string(a.shape()), to_string(b.shape()));
  };
  const std::optional<Dims> values = broadcast(a.shape(), b.shape());
  if (!values) refuse();
  std::optional<Dims> dims = broadcast(condition.shape(), *values);
  if (!dims) refuse();
  const DType dtype =  // the run takes a number as it is
      is_scalar ? detail::promote(a.dtype(), b.dtype()) : detail::result_type(a, b);
  auto node = make_node("where", Kind::Where, dtype, *std::move(dims),
                        {condition.node(), a.node(), b.node()});
  node->is_scalar = is_scalar;
  return to_array(std::move(node));
}

Array logical_not(const Array& a) {
  if (a.dtype() != DType::Bool) return equal(a, 0);
  return to_array(make_node("logical_not", Kind::LogicalNot, DType::Bool, a.shape(), {a.node()}));
}

Array logical_and(const Array& a, const Array& b) {
  return map(Op::mult, detail::truth(a), detail::truth(b));
}

Array logical_or(const Array& a, const Array& b) {
  return map(Op::maximum, detail::truth(a), detail::truth(b));
}

Array clip(const Array& a, const std::optional<Array>& low, const std::optional<Array>& high) {
  if (!low && !high) misuse(Exception::ValueError, "clip", "One of max or min must be given");
  const Array raised = low ? map(Op::maximum, a, *low) : a;
  return high ? map(Op::minimum, raised, *high) : raised;
}

static Array squared(const Array& a, DType dtype) {
  return is_narrow(dtype) ? detail::wrapped_map(Op::mult, a, a, dtype)
                          : make_map(Op::mult, dtype, a, a);
}

Array square(const Array& a) {
  return squared(a, square_type(a.dtype()));
}

Array round(const Array& a, int decimals) {
  if (a.dtype() == DType::Bool)
    misuse("round", "NumPy computes this of booleans in float16; multiply by 1.0 first");
  if (is_narrow(a.dtype()) && decimals < 0)
    misuse("round", "NumPy rounds integers to integers of their type; write a.astype(int)");
  if (a.dtype() == DType::Int && decimals < 0)
    return detail::as_integers(round(a * Array(1.0), decimals), DType::Int);
  if (is_integer(a.dtype())) return a.is_number() ? a : a.copy();
  if (decimals == 0) return map(Op::rint, a);
  const Array power(std::pow(10.0, std::abs(decimals)));
  if (decimals < 0) return map(Op::mult, map(Op::rint, map(Op::divide, a, power)), power);
  return map(Op::divide, map(Op::rint, map(Op::mult, a, power)), power);
}

/// Of integers that may be too large for the quotient's floats: divisors of 0 give 0, and no 0 is
/// -0, as floats have it of divisors below 0.
static Array divided_exactly(Op op, const Array& a, const Array& b, DType dtype) {
  const bool is_scalar = a.ndim() == 0 && b.ndim() == 0;
  const Array is_zero = equal(b, Array(0));
  const Array divisor = where(is_zero, Array(1), b, b.ndim() == 0);
  const Array rest = detail::wrapped(make_map(op, DType::Int, a, divisor), dtype);
  const Array zeros =
      op == Op::mod ? equal(rest, Array(0)) : logical_or(is_zero, equal(a, Array(0)));
  return where(zeros, Array(0), rest, is_scalar);
}

/// `op`, mod or floor_divide; `of_integers`: the same of integers.
static Array divided(Op op, Op of_integers, const Array& a, const Array& b) {
  const bool by_zero = b.is_number() && b.node()->number == 0;  // raises an error
  if (numbers(a, b) || by_zero) return map(op, a, b);
  const DType dtype = detail::first_type(a, b);
  if (!is_integer(dtype)) return map(op, a, b);
  if (detail::may_be_rounded(a) || detail::may_be_rounded(b))
    return divided_exactly(op, a, b, dtype);
  return detail::wrapped(make_map(of_integers, DType::Int, a, b), dtype);
}

Array mod(const Array& a, const Array& b) {
  // What wraps at 2^64 has the same remainder by a power of 2 alone.
  const bool is_power_of_2 =
      b.is_number() && std::exp2(std::floor(std::log2(b.node()->number))) == b.node()->number;
  if (is_power_of_2 || !detail::may_exceed_64_bits(a))
    if (const auto made = detail::residue(a, b)) return *made;
  return divided(Op::mod, Op::integer_mod, a, b);
}

Array floor_divide(const Array& a, const Array& b) {
  return divided(Op::floor_divide, Op::integer_divide, a, b);
}

// The fast paths are those of ndarray.__pow__ (fast_scalar_power in NumPy 1.24's number.c). To the
// power 0 NumPy writes ones, which is what pow gives. Of a scalar NumPy calls pow, whose squares
// are the rounded products but for the last place of a few.
Array power_operator(const Array& a, const Array& b) {
  if (numbers(a, b)) return number_power(a, b);
  if (!b.is_number() || a.is_number()) return map(Op::pow, a, b);
  const double exponent = b.node()->number;
  const bool is_square = exponent == 2 && a.dtype() == DType::Float;
  if (is_numpy_scalar(a) && !is_square) return map(Op::pow, a, b);
  if (exponent == 2) {
    const bool of_truths = a.dtype() == DType::Bool;  // NumPy never looks at the exponent's type
    return squared(a, square_type(of_truths ? a.dtype() : detail::result_type(a, b)));
  }
  if (a.dtype() != DType::Float) return map(Op::pow, a, b);
  if (exponent == 1 && !a.shape().empty()) return a.copy();  // else a scalar, as of all operators
  if (exponent == -1) return map(Op::reciprocal, a);
  if (exponent == 0.5) return map(Op::sqrt, a);
  return map(Op::pow, a, b);
}

Array operator+(const Array& a, const Array& b) {
  if (numbers(a, b)) return number_result(a.node()->number + b.node()->number, a, b);
  return map(Op::add, a, b);
}

Array operator-(const Array& a, const Array& b) {
  if (numbers(a, b)) return number_result(a.node()->number - b.node()->number, a, b);
  return map(Op::subtract, a, b);
}

Array operator*(const Array& a, const Array& b) {
  if (numbers(a, b)) return number_result(a.node()->number * b.node()->number, a, b);
  return map(Op::mult, a, b);
}

Array operator/(const Array& a, const Array& b) {
  if (!numbers(a, b)) return map(Op::divide, a, b);
  if (b.node()->number == 0)
    misuse(Exception::ZeroDivisionError, "divide",
           "division by zero: both operands are Python numbers");
  return a.node()->number / b.node()->number;
}

Array operator-(const Array& a) {
  if (a.is_number()) return number_result(-a.node()->number, a, a);
  if (a.dtype() == DType::Bool)
    misuse(Exception::TypeError, "negative",
           "the numpy boolean negative is not supported; write logical_not, or multiply by 1.0 "
           "first");
  if (is_narrow(a.dtype())) return detail::wrapped_map(Op::subtract, 0, a, a.dtype());
  if (a.dtype() == DType::Int) return map(Op::subtract, 0, a);  // no integer is -0
  return map(Op::mult, a, -1);
}

Array operator<(const Array& a, const Array& b) {
  return map(Op::less_than, a, b);
}

Array operator>(const Array& a, const Array& b) {
  return map(Op::greater_than, a, b);
}

Array operator<=(const Array& a, const Array& b) {
  const Array less = a < b;  // in this order: operands are evaluated in any
  return logical_or(less, equal(a, b));
}

Array operator>=(const Array& a, const Array& b) {
  const Array greater = a > b;
  return logical_or(greater, equal(a, b));
}

Array equal(const Array& a, const Array& b) {
  return map(Op::equals, a, b);
}

Array not_equal(const Array& a, const Array& b) {
  return logical_not(equal(a, b));
}

Array exp(const Array& a) {
  return map(Op::exp, a);
}

Array log(const Array& a) {
  return map(Op::log, a);
}

Array sqrt(const Array& a) {
  return map(Op::sqrt, a);
}

Array abs(const Array& a) {
  return map(Op::abs, a);
}

Array tanh(const Array& a) {
  return map(Op::tanh, a);
}

Array logistic(const Array& a) {
  return map(Op::sigmoid, a);
}

Array maximum(const Array& a, const Array& b) {
  return map(Op::maximum, a, b);
}

Array minimum(const Array& a, const Array& b) {
  return map(Op::minimum, a, b);
}

Array Array::logistic() const {
  return map(Op::sigmoid, *this);
}

Array Array::rand() const {
  return rewriter::rand(shape());
}

bool is_numpy_scalar(const Array& a) {
  const Node* node = a.node().get();
  const auto is_converted = [&] { return node->kind == Kind::Reshape && node->by_columns; };
  while (node->kind == Kind::Copy || (is_converted() && node->args[0]->ndim() == 0))
    node = node->args[0].get();
  if (node->ndim() != 0 || node->in_place) return false;
  switch (node->kind) {
    case Kind::Map:
    case Kind::LogicalNot:
    case Kind::Random:
    case Kind::Reduce:
    case Kind::Variance:
    case Kind::Deviation:
    case Kind::Whole:
    case Kind::Solver:
    case Kind::Dot:
    case Kind::Slice:
      return true;
    case Kind::Input:
    case Kind::Fill:
    case Kind::Where:
    case Kind::LoopValue:
    case Kind::Carried:
    case Kind::After:
      return node->is_scalar;
    default:
      return false;
  }
}

/// A product of integers with the 0 that whole_product() adds.
static bool is_whole_product(const Node& node) {
  return node.kind == Kind::Map && node.op == Op::add && is_integer(node.dtype) &&
         node.args[1]->kind == Kind::Number && node.args[1]->number == 0 &&
         node.args[0]->kind == Kind::Map && node.args[0]->op == Op::mult;
}

/// What NumPy calls the ufunc of an operator, or of one of its functions.
static std::string_view ufunc_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kNames{
      {{"+", "add"},
       {"-", "subtract"},
       {"*", "multiply"},
       {"/", "divide"},
       {"true_divide", "divide"},
       {"//", "floor_divide"},
       {"%", "remainder"},
       {"mod", "remainder"},
       {"**", "power"},
       {"@", "matmul"},
       {"&", "bitwise_and"},
       {"|", "bitwise_or"},
       {"^", "bitwise_xor"}}};
  if (name.starts_with("np.")) name.remove_prefix(3);
  for (const auto& [known, ufunc] : kNames)
    if (known == name) return ufunc;
  return name;
}

void detail::check_cast_in_place(std::string_view name, DType target, DType result) {
  if (!casts_to(result, target))
    misuse(Exception::UFuncTypeError, name,
           "Cannot cast ufunc '{}' output from dtype('{}') to dtype('{}') with casting rule "
           "'same_kind'",
           ufunc_name(name), type_name(result), type_name(target));
}

void detail::check_in_place(std::string_view name, const Array& target, const Array& result) {
  const Node& made = *result.node();
  if (made.dims != target.shape())
    misuse(Exception::ValueError, name,
           "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
           to_string(target.shape()), to_string(made.dims));
  check_cast_in_place(name, target.dtype(), made.dtype);
}

Array in_place(const Array& result) {
  if (result.node()->args.empty())
    throw cudamat::InternalError("in_place of an operation without operands");
  return in_place(result, Array(result.node()->args[0]));
}

Array in_place(const Array& result, const Array& target) {
  const Node& made = *result.node();
  if (is_narrow(target.dtype()) && !is_numpy_scalar(target)) {
    detail::check_in_place(made.kind == Kind::Map ? numpy_name(made.op) : "in_place", target,
                           result);
    return set_slice(target, {}, result);
  }
  if (is_whole_product(made) && made.args[0] != target.node()) {
    const Array product = in_place(Array(made.args[0]));
    if (!product.node()->in_place) return result;
    const auto node =
        make_node("multiply", Kind::Map, made.dtype, made.dims, {product.node(), made.args[1]});
    node->op = Op::add;
    node->in_place = true;
    return to_array(node);
  }
  if (target.is_number() || is_numpy_scalar(target)) return result;
  const std::string_view name = made.kind == Kind::Map ? numpy_name(made.op) : "in_place";
  detail::check_in_place(name, target, result);
  auto node = make_node(name, made.kind, target.dtype(), made.dims, made.args);
  node->op = made.op;
  node->number = made.number;
  node->axis = made.axis;
  node->keepdims = made.keepdims;
  node->ranges = made.ranges;
  node->text = made.text;
  node->in_place = true;
  return to_array(std::move(node));
}

}  // namespace rewriter

// Python's arithmetic on static numbers.
#include <algorithm>
#include <cmath>

#include "cudamat/functors.hpp"
#include "rewriter/expr/build.hpp"
#include "rewriter/expr/float_widths.hpp"
#include "rewriter/expr/integers.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

Value integer_power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result))
      misuse("program", "the integer exceeds 64 bits; write a float");
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base))
      misuse("program", "the integer exceeds 64 bits; write a float");
  }
  return {result};
}

Value integer_arithmetic(ast::Operator op, std::int64_t a, std::int64_t b) {
  using enum ast::Operator;
  std::int64_t result = 0;
  bool overflow = false;
  switch (op) {
    case Add:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case Subtract:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case Multiply:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    case FloorDivide:
    case Modulo: {
      if (b == 0)
        throw PythonError(
            "ZeroDivisionError", "program", "integer division or modulo by zero",
            {{op == Modulo ? "integer modulo by zero" : "integer division or modulo by zero"}});
      if (b == -1) {
        overflow = op == FloorDivide && __builtin_sub_overflow(std::int64_t{0}, a, &result);
        break;
      }
      const std::int64_t quotient = a / b - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);
      result = op == FloorDivide ? quotient : a - quotient * b;
      break;
    }
    case Power:
      return integer_power(a, b);
    case BitAnd:
      result = a & b;
      break;
    case BitOr:
      result = a | b;
      break;
    case BitXor:
      result = a ^ b;
      break;
    default:
      throw cudamat::InternalError("integer arithmetic of another operator");
  }
  if (overflow) misuse("program", "the integer exceeds 64 bits; write a float");
  return {result};
}

Value real_arithmetic(ast::Operator op, double a, double b) {
  using enum ast::Operator;
  switch (op) {
    case Add:
      return {a + b};
    case Subtract:
      return {a - b};
    case Multiply:
      return {a * b};
    case Power:
      if (a == 0 && b < 0 && std::isfinite(b))
        misuse(Exception::ZeroDivisionError, "program", "0 cannot be raised to a negative power");
      if (a < 0 && std::isfinite(a) && b != std::floor(b) && std::isfinite(b))
        misuse("program", "a negative number to a fractional power is complex");
      if (std::isfinite(a) && std::isfinite(b) && !std::isfinite(std::pow(a, b)))
        misuse("program", "the power exceeds the range of a float");
      return {std::pow(a, b)};
    default:
      break;
  }
  if (b == 0) throw PythonError("ZeroDivisionError", "program", "division by zero");
  if (op == Divide) return {a / b};
  return {op == Modulo ? cudamat::functors::Mod{}(a, b) : cudamat::functors::FloorDivide{}(a, b)};
}

template <class T>
bool compare(ast::Operator op, T a, T b) {
  using enum ast::Operator;
  switch (op) {
    case Less:
      return a < b;
    case LessEqual:
      return a <= b;
    case Greater:
      return a > b;
    case GreaterEqual:
      return a >= b;
    case Equal:
      return a == b;
    default:
      return a != b;
  }
}

}  // namespace

static Value truth_arithmetic(ast::Operator op, bool a, bool b) {
  using enum ast::Operator;
  if (op == Add || op == BitOr) return {a || b};
  if (op == Multiply || op == BitAnd) return {a && b};
  if (op == BitXor) return {a != b};
  misuse(Exception::TypeError, "program", "NumPy does not support '{}' of booleans",
         ast::spelling(op));
}

static Value python_numbers(ast::Operator op, const Value& a, const Value& b) {
  using enum ast::Operator;
  const bool whole = !a.is_real() && !b.is_real();
  if (op >= Less)
    return {whole ? compare(op, a.integer(""), b.integer("")) : compare(op, a.real(), b.real())};
  if ((op == BitAnd || op == BitOr || op == BitXor) && !whole)
    misuse(Exception::TypeError, "program", "'{}' expects ints", ast::spelling(op));
  if (op == MatMul) misuse(Exception::TypeError, "program", "'@' expects arrays; got two numbers");
  if (whole && op != Divide && !(op == Power && b.integer("") < 0))
    return integer_arithmetic(op, a.integer(""), b.integer(""));
  return real_arithmetic(op, a.real(), b.real());
}

Value number_arithmetic(ast::Operator op, const Value& a, const Value& b) {
  using enum ast::Operator;
  const bool is_numpy = a.is_numpy || b.is_numpy;
  const auto* truth_a = a.as<bool>();
  const auto* truth_b = b.as<bool>();
  const bool of_bits = op == BitAnd || op == BitOr || op == BitXor;
  const bool of_truths = truth_a != nullptr && truth_b != nullptr && op < Less;
  if (is_numpy && op == Power && !a.is_real() && !b.is_real() && b.integer("") < 0)
    misuse(Exception::ValueError, "program",
           "Integers to negative integer powers are not allowed; write a float");
  const bool divides = op == Divide || op == FloorDivide || op == Modulo;
  if (is_numpy && divides && b.real() == 0) {  // which NumPy does, and warns
    if (op != Divide && !a.is_real() && !b.is_real()) return {std::int64_t{0}, true};
    return {op == Modulo ? std::nan("") : a.real() / b.real(), true};
  }
  Value result = of_truths && (of_bits || (is_numpy && op != Divide))
                     ? truth_arithmetic(op, *truth_a, *truth_b)
                     : python_numbers(op, a, b);
  result.is_numpy = is_numpy;
  const auto bits = [](const Value& x) {  // of Python's numbers from NumPy 2 on none
    if (x.is_numpy && x.is_real()) return int{x.float_bits};
    return x.as<bool>() != nullptr || (!x.is_numpy && numpy_version() >= 2) ? 0 : 64;
  };
  if (const int wider = std::max(bits(a), bits(b)); wider != 0)
    result.float_bits = static_cast<std::uint8_t>(wider);
  return result;
}

}  // namespace rewriter

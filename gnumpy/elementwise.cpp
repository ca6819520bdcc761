#include <cmath>
#include <utility>

#include "gnumpy/build.hpp"
#include "gnumpy/errors.hpp"
#include "gnumpy/functions.hpp"

namespace gnumpy {

namespace sym = rewriter;
using In = const detail::Operands&;

#define UNARY(name, numpy, makes, expression)                                        \
  garray name(operand a) {                                                           \
    return detail::map(                                                              \
        numpy, detail::Makes::makes, [](In x) { return expression; }, std::move(a)); \
  }
#define BINARY(name, numpy, makes, expression)                                                     \
  garray name(operand a, operand b) {                                                              \
    return detail::map(                                                                            \
        numpy, detail::Makes::makes, [](In x) { return expression; }, std::move(a), std::move(b)); \
  }
BINARY(operator+, "add", Sums, x[0] + x[1])
BINARY(operator-, "subtract", Sums, x[0] - x[1])
BINARY(operator*, "multiply", Same, x[0] * x[1])
BINARY(operator/, "divide", Numbers, x[0] / x[1])
BINARY(operator%, "remainder", Numbers, sym::mod(x[0], x[1]))
BINARY(operator<, "less", Truths, x[0] < x[1])
BINARY(operator<=, "less_equal", Truths, x[0] <= x[1])
BINARY(operator>, "greater", Truths, x[0] > x[1])
BINARY(operator>=, "greater_equal", Truths, x[0] >= x[1])
BINARY(operator==, "equal", Truths, sym::equal(x[0], x[1]))
BINARY(operator!=, "not_equal", Truths, sym::not_equal(x[0], x[1]))
BINARY(operator&, "logical_and", Truths, sym::logical_and(x[0], x[1]))
BINARY(operator|, "logical_or", Truths, sym::logical_or(x[0], x[1]))
BINARY(logical_xor, "logical_xor", Truths,
       sym::not_equal(sym::not_equal(x[0], 0.0), sym::not_equal(x[1], 0.0)))
BINARY(power, "power", Numbers, sym::map(sym::Op::pow, x[0], x[1]))
BINARY(pow, "power", Numbers, sym::power_operator(x[0], x[1]))
UNARY(operator-, "negative", Numbers, -x[0])
UNARY(negative, "negative", Numbers, -x[0])
UNARY(logistic, "logistic", Numbers, sym::logistic(x[0]))
UNARY(square, "square", Same, sym::square(x[0]))
UNARY(isnumber, "isnumber", Truths, sym::logical_not(sym::map(sym::Op::isnan, x[0])))
UNARY(isreal, "isreal", Truths,
      sym::logical_not(sym::map(sym::Op::isnan, x[0]) + sym::map(sym::Op::isinf, x[0])))
UNARY(as_bool, "as_bool", Truths, sym::not_equal(x[0], 0.0))
UNARY(logical_not, "logical_not", Truths, sym::logical_not(x[0]))
#undef UNARY
#undef BINARY

// Rows of the op table.
#define ROW(op, ...)                                                     \
  garray op(operand a) {                                                 \
    return detail::map(                                                  \
        cudamat::numpy_name(sym::Op::op), detail::makes(sym::Op::op),    \
        [](In x) { return sym::map(sym::Op::op, x[0]); }, std::move(a)); \
  }
CUDAMAT_UNARY_OPS(ROW)
#undef ROW
#define ROW(op, ...)                                                                         \
  garray op(operand a, operand b) {                                                          \
    return detail::map(                                                                      \
        cudamat::numpy_name(sym::Op::op), detail::makes(sym::Op::op),                        \
        [](In x) { return sym::map(sym::Op::op, x[0], x[1]); }, std::move(a), std::move(b)); \
  }
CUDAMAT_BINARY_FUNCTION_OPS(ROW)
#undef ROW

garray operator^(operand a, operand b) {
  return logical_xor(std::move(a), std::move(b));
}

garray operator!(const garray_base& a) {
  return logical_not(operand(a, a.node()->where));
}
garray operator!(garray_base&& a) {
  const Where where = a.node()->where;
  return logical_not(operand(std::move(a), where));
}

garray where(operand condition, operand a, operand b) {
  return detail::map(
      "where", detail::Makes::Same, [](In x) { return sym::where(x[0], x[1], x[2]); },
      std::move(condition), std::move(a), std::move(b));
}

garray round(operand a, int decimals) {
  const Where where = a.where;
  constexpr int kMost = 300;
  if (decimals < -kMost || decimals > kMost)
    detail::misuse("round", where,
                   fmt::format("decimals must be from {} to {}; got {}", -kMost, kMost, decimals));
  if (decimals == 0) return rint(std::move(a));
  const operand power(std::pow(10.0, std::abs(decimals)), where);
  if (decimals < 0) {
    operand tens(std::move(a) / power, where);
    return operand(rint(std::move(tens)), where) * power;
  }
  operand parts(std::move(a) * power, where);
  return operand(rint(std::move(parts)), where) / power;
}

garray clip(operand a, std::optional<operand> least, std::optional<operand> greatest) {
  if (!least && !greatest) detail::misuse("clip", a.where, "One of max or min must be given");
  if (!greatest) return maximum(std::move(a), *std::move(least));
  if (!least) return minimum(std::move(a), *std::move(greatest));
  return detail::map(
      "clip", detail::Makes::Numbers, [](In x) { return sym::clip(x[0], x[1], x[2]); },
      std::move(a), *std::move(least), *std::move(greatest));
}

}  // namespace gnumpy

#include <cmath>
#include <utility>

#include "gnumpy/build.hpp"
#include "gnumpy/functions.hpp"
#include "gnumpy/say.hpp"

namespace gnumpy {

namespace sym = rewriter;
using In = const sym::Array*;

#define UNARY(name, expression)                                \
  garray name(operand a) {                                     \
    return detail::map(                                        \
        #name, [](In x) { return expression; }, std::move(a)); \
  }
#define BINARY(name, numpy, expression)                                      \
  garray name(operand a, operand b) {                                        \
    return detail::map(                                                      \
        numpy, [](In x) { return expression; }, std::move(a), std::move(b)); \
  }
UNARY(floor, sym::map(sym::Op::floor, x[0]))
UNARY(ceil, sym::map(sym::Op::ceil, x[0]))
UNARY(rint, sym::map(sym::Op::rint, x[0]))
UNARY(trunc, sym::map(sym::Op::trunc, x[0]))
UNARY(square, sym::square(x[0]))
UNARY(reciprocal, sym::map(sym::Op::reciprocal, x[0]))
UNARY(log1p, sym::map(sym::Op::log1p, x[0]))
UNARY(expm1, sym::map(sym::Op::expm1, x[0]))
BINARY(mod, "remainder", sym::mod(x[0], x[1]))
BINARY(operator%, "remainder", sym::mod(x[0], x[1]))
BINARY(floor_divide, "floor_divide", sym::floor_divide(x[0], x[1]))
BINARY(power, "power", sym::map(sym::Op::pow, x[0], x[1]))
BINARY(logical_xor, "logical_xor",
       sym::not_equal(sym::not_equal(x[0], 0.0), sym::not_equal(x[1], 0.0)))
#undef UNARY
#undef BINARY

garray operator^(operand a, operand b) {
  return logical_xor(std::move(a), std::move(b));
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
      "clip", [](In x) { return sym::clip(x[0], x[1], x[2]); }, std::move(a), *std::move(least),
      *std::move(greatest));
}

// ---- methods ----

#define METHOD(name)                                       \
  garray garray::name(Where where) const& {                \
    return gnumpy::name(operand(*this, where));            \
  }                                                        \
  garray garray::name(Where where)&& {                     \
    return gnumpy::name(operand(std::move(*this), where)); \
  }
METHOD(log1p)
METHOD(expm1)
METHOD(square)
METHOD(reciprocal)
METHOD(negative)
METHOD(floor)
METHOD(ceil)
METHOD(rint)
METHOD(trunc)
#undef METHOD
#define METHOD(name)                                                     \
  garray garray::name(operand b, Where where) const& {                   \
    return gnumpy::name(operand(*this, where), std::move(b));            \
  }                                                                      \
  garray garray::name(operand b, Where where)&& {                        \
    return gnumpy::name(operand(std::move(*this), where), std::move(b)); \
  }
METHOD(pow)
METHOD(maximum)
METHOD(minimum)
METHOD(mod)
METHOD(floor_divide)
#undef METHOD

garray garray::clip(const std::optional<operand>& least, const std::optional<operand>& greatest,
                    Where where) const {
  return gnumpy::clip(operand(*this, where), least, greatest);
}

garray garray::round(int decimals, Where where) const {
  return gnumpy::round(operand(*this, where), decimals);
}

}  // namespace gnumpy

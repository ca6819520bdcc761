#include "tests/conformance/reference.hpp"

#include <algorithm>
#include <cstdint>
#include <quadmath.h>
#include <random>
#include <stdexcept>

namespace conformance {

using cudamat::Family;

namespace {

template <class T>
constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();

Wide sigmoid(Wide x) {
  return x < 0 ? expq(x) / (1 + expq(x)) : 1 / (1 + expq(-x));
}

Wide log_1_plus_exp(Wide x) {
  return x > 1000 ? x : log1pq(expq(x));
}

/// The gamma function; NaN at the negative integers and -Inf, as in C.
Wide gamma(Wide x) {
  if (x < 0 && (isinfq(x) || floorq(x) == x)) return kNaN<double>;
  return tgammaq(x);
}

template <class T>
T sign(T x) {
  if (std::isnan(x)) return x;
  return x == 0 ? T(0) : std::copysign(T(1), x);
}

// Of two equal ones (zeros of different sign) the second, as functors.hpp says.
template <class T>
T smaller(T x, T y) {
  if (std::isnan(x) || std::isnan(y)) return kNaN<T>;
  return x < y ? x : y;
}

template <class T>
T larger(T x, T y) {
  if (std::isnan(x) || std::isnan(y)) return kNaN<T>;
  return x > y ? x : y;
}

/// What is left of x after whole multiples of y, with the sign of y.
template <class T>
T mod(T x, T y) {
  const T rest = static_cast<T>(fmodq(x, y));
  if (std::isnan(rest)) return rest;
  if (rest == 0) return std::signbit(y) ? -T(0) : T(0);
  return std::signbit(rest) == std::signbit(y) ? rest : rest + y;
}

/// The whole number x in an integer type with y different values.
Wide wrap(Wide x, Wide y, bool is_signed) {
  const Wide rest = fmodq(x, y);
  const Wide least = is_signed ? -y / 2 : 0;
  const Wide moved = rest >= y + least ? rest - y : rest < least ? rest + y : rest;
  return moved == 0 ? Wide(0) : moved;
}

/// What C's conversion to integers of [-limit, limit) makes of x on x86.
Wide to_int(Wide x, Wide limit) {
  const Wide whole = truncq(x);
  const bool fits = whole >= -limit && whole < limit;
  return !fits ? -limit : whole == 0 ? Wide(0) : whole;
}

/// The whole number below x / y, not rounded on the way.
template <class T>
Wide floor_divide(T x, T y) {
  if (y == 0) return x / y;
  const Wide rest = fmodq(x, y);
  const Wide below = rest != 0 && (rest < 0) != (y < 0) ? 1 : 0;
  const Wide quotient = rintq((x - rest) / y) - below;
  return quotient == 0 ? copysignq(0, x / y) : quotient;
}

__extension__ using Int128 = __int128;

/// Operations of integers of C, of whole numbers of T.
template <class T>
Wide of_integers(Op op, T x, T y) {
  if (!std::isfinite(x) || !std::isfinite(y)) return kNaN<double>;
  const auto a = static_cast<Int128>(x), b = static_cast<Int128>(y);
  switch (op) {
    case Op::bit_and:
      return static_cast<Wide>(a & b);
    case Op::bit_or:
      return static_cast<Wide>(a | b);
    case Op::bit_xor:
      return static_cast<Wide>(a ^ b);
    case Op::mult_int32:
      return static_cast<std::int32_t>(a * b);
    case Op::integer_mod:
      return b == 0 ? 0 : static_cast<Wide>((a % b + b) % b);
    case Op::integer_divide:
      return b == 0 ? 0 : static_cast<Wide>(a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0));
    default:
      throw std::logic_error(std::string(name(op)) + " is not of integers");
  }
}

/// The whole number below x * 2^y.
template <class T>
Wide shift(T x, T y) {
  if (std::isnan(y)) return y;
  const Wide below = floorq(ldexpq(x, static_cast<int>(std::clamp(y, T(-100), T(100)))));
  return below == 0 ? Wide(0) : below;
}

template <class T>
T soft_threshold(T x, T alpha) {
  return sign(x) * larger(std::abs(x) - alpha, T(0));
}

}  // namespace

template <class T>
T expected(Op op, T x, T y, T alpha) {
  const auto rounded = [](Wide value) { return static_cast<T>(value); };
  switch (op) {
    case Op::sign:
      return sign(x);
    case Op::sigmoid:
      return rounded(sigmoid(x));
    case Op::tanh:
      return rounded(tanhq(x));
    case Op::abs:
      return std::signbit(x) ? -x : x;
    case Op::exp:
      return rounded(expq(x));
    case Op::log:
      return rounded(logq(x));
    case Op::log_1_plus_exp:
      return rounded(log_1_plus_exp(x));
    case Op::sqrt:
      return std::sqrt(x);
    case Op::gamma:
      return rounded(gamma(x));
    case Op::lgamma:
      return std::isinf(x) ? std::abs(x) : rounded(lgammaq(x));
    case Op::reciprocal:
      return 1 / x;
    case Op::log1p:
      return rounded(log1pq(x));
    case Op::expm1:
      return rounded(expm1q(x));
    case Op::sin:
      return rounded(sinq(x));
    case Op::cos:
      return rounded(cosq(x));
    case Op::tan:
      return rounded(tanq(x));
    case Op::arcsin:
      return rounded(asinq(x));
    case Op::arccos:
      return rounded(acosq(x));
    case Op::arctan:
      return rounded(atanq(x));
    case Op::sinh:
      return rounded(sinhq(x));
    case Op::cosh:
      return rounded(coshq(x));
    case Op::arcsinh:
      return rounded(asinhq(x));
    case Op::arccosh:
      return rounded(acoshq(x));
    case Op::arctanh:
      return rounded(atanhq(x));
    case Op::cbrt:
      return rounded(cbrtq(x));
    case Op::erf:
      return rounded(erfq(x));
    case Op::log2:
      return rounded(log2q(x));
    case Op::log10:
      return rounded(log10q(x));
    case Op::floor:
      return rounded(floorq(x));
    case Op::ceil:
      return rounded(ceilq(x));
    case Op::rint:
      return rounded(rintq(x));
    case Op::trunc:
      return rounded(truncq(x));
    case Op::isnan:
      return std::isnan(x) ? T(1) : T(0);
    case Op::isinf:
      return std::isinf(x) ? T(1) : T(0);

    case Op::add:
    case Op::add_col_vec:
    case Op::add_row_vec:
      return x + y;
    case Op::subtract:
      return x - y;
    case Op::mult:
    case Op::mult_by_col:
    case Op::mult_by_row:
      return x * y;
    case Op::divide:
    case Op::div_by_col:
    case Op::div_by_row:
      return x / y;
    case Op::minimum:
      return smaller(x, y);
    case Op::maximum:
      return larger(x, y);
    case Op::less_than:
      return x < y ? T(1) : T(0);
    case Op::greater_than:
      return x > y ? T(1) : T(0);
    case Op::equals:
      return x == y ? T(1) : T(0);
    case Op::pow:
      return rounded(powq(x, y));
    case Op::arctan2:
      return rounded(atan2q(x, y));
    case Op::hypot:
      return rounded(hypotq(x, y));
    case Op::copysign:
      return rounded(copysignq(x, y));
    case Op::mod:
      return mod(x, y);
    case Op::floor_divide:
      return rounded(floor_divide(x, y));
    case Op::wrap:
    case Op::wrap_unsigned:
      return rounded(wrap(x, y, op == Op::wrap));
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::mult_int32:
    case Op::integer_mod:
    case Op::integer_divide:
      return rounded(of_integers(op, x, y));
    case Op::shift:
      return rounded(shift(x, y));
    case Op::to_int:
      return rounded(to_int(x, y));

    case Op::soft_threshold:
      return soft_threshold(x, y);
    case Op::add_col_mult:
    case Op::add_mult: {
      const volatile T product = alpha * y;  // rounded by itself, whatever the compiler may fuse
      return x + product;
    }
    case Op::subtract_mult: {
      const volatile T product = alpha * y;
      return x - product;
    }
    case Op::mult_by_sigmoid_deriv:
      return x * y * (1 - y);

      // Not element-wise: op_table.hpp tests each with a RowTest of its own.
#define ROW(op, family, style, functor, numpy, facts) case Op::op:
      CUDAMAT_REDUCTION_OPS(ROW)
      CUDAMAT_WHOLE_OPS(ROW)
      CUDAMAT_OTHER_OPS(ROW)
#undef ROW
      break;
  }
  throw std::logic_error(std::string(name(op)) + " is not element-wise");
}

template <class T>
const std::vector<T>& special_values() {
  using Limits = std::numeric_limits<T>;
  static const std::vector<T> values = [] {
    std::vector<T> result{Limits::quiet_NaN()};
    for (const T x : {Limits::infinity(), T(0), Limits::denorm_min(), Limits::min() / 2,
                      Limits::min(), Limits::epsilon(), T(0.5), T(1), 1 + Limits::epsilon(),
                      1 - Limits::epsilon() / 2, T(1.5), T(2), T(3), T(7), T(1e9), Limits::max()}) {
      result.push_back(x);
      result.push_back(-x);
    }
    return result;
  }();
  return values;
}

namespace {

/// A number of any sign and, if `all_exponents`, any exponent; otherwise one of everyday size.
template <class T>
T random_value(std::mt19937_64& random, bool all_exponents) {
  using Limits = std::numeric_limits<T>;
  const auto uniform = [&](T low, T high) {
    return low + (high - low) * (static_cast<T>(random() >> 11) / T(9007199254740992.0));
  };
  if (all_exponents) {
    const auto span = static_cast<unsigned>(Limits::max_exponent - Limits::min_exponent + 12);
    const T mantissa = uniform(1, 2);
    const T x = std::ldexp(mantissa, Limits::min_exponent - 12 + static_cast<int>(random() % span));
    return random() % 2 != 0 ? x : -x;
  }
  // The ranges where exp, tanh, gamma and their kin have their shapes, and around 0 and 1.
  switch (random() % 6) {
    case 0:
      return uniform(-10, 10);
    case 1:
      return uniform(-120, 120);
    case 2:
      return uniform(-800, 800);
    case 3:
      return 1 + uniform(-1, 1) / 64;
    case 4:
      return uniform(-1, 1);
    default:
      return static_cast<T>(static_cast<int>(random() % 65) - 32) / 2;
  }
}

/// A whole number of any number of bits that T has, up to 63.
template <class T>
T whole_value(std::mt19937_64& random) {
  const int bits = 1 + static_cast<int>(random() % std::min(std::numeric_limits<T>::digits, 63));
  const T x = static_cast<T>(random() >> (64 - bits));
  return random() % 2 != 0 ? x : -x;
}

bool has_second_operand(Op op) {
  return row(op).family != Family::Unary;
}

}  // namespace

template <class T>
bool takes(Op op, T x, T y) {
  if (!row(op).has(cudamat::kWhole)) return true;
  const auto is_whole = [](T value) {
    return !std::isfinite(value) ||
           (std::floor(value) == value &&
            std::abs(value) < std::ldexp(T(1), std::min(std::numeric_limits<T>::digits, 63)));
  };
  const bool wraps = op == Op::wrap || op == Op::wrap_unsigned;
  return is_whole(x) && is_whole(y) && (!wraps || (y > 0 && std::ilogb(y) == std::log2(y)));
}

template <class T>
std::vector<Sample<T>> samples(Op op, T alpha) {
  std::vector<Sample<T>> result;
  const auto add = [&](T x, T y) {
    if (takes(op, x, y)) result.push_back({x, y, expected(op, x, y, alpha)});
  };
  for (const T x : special_values<T>()) {
    if (!has_second_operand(op))
      add(x, T(0));
    else
      for (const T y : special_values<T>()) add(x, y);
  }
  std::mt19937_64 random(20100402 + static_cast<unsigned>(op));
  const bool wraps = op == Op::wrap || op == Op::wrap_unsigned;
  for (int i = 0; i < 4000 && row(op).has(cudamat::kWhole); ++i) {
    const T x = whole_value<T>(random), y = whole_value<T>(random);
    add(x, wraps             ? std::ldexp(T(1), static_cast<int>(random() % 64))
           : op == Op::shift ? std::remainder(y, T(128))
                             : y);
  }
  for (int i = 0; i < 4000 && !row(op).has(cudamat::kWhole); ++i) {
    const T x = random_value<T>(random, i % 4 == 0);
    T y = random_value<T>(random, i % 8 == 0);
    if (op == Op::pow && i % 2 == 0) y = std::fmod(y, T(16));
    if (i % 16 == 1) y = x;
    add(op == Op::pow && i % 3 != 0 ? std::abs(x) : x, y);
  }
  return result;
}

Wide wide_exp(Wide x) {
  return expq(x);
}

Wide wide_sqrt(Wide x) {
  return sqrtq(x);
}

#define INSTANTIATE(T)                               \
  template bool takes(Op op, T x, T y);              \
  template T expected(Op op, T x, T y, T alpha);     \
  template std::vector<Sample<T>> samples(Op op, T); \
  template const std::vector<T>& special_values<T>();
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(long double)
#undef INSTANTIATE

}  // namespace conformance

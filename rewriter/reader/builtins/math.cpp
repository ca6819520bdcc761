// Python's module math: of numbers that are static at once, of others by NumPy's functions.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/python_types.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

using Real = double (*)(double);

double checked(const Call& call, double result, std::initializer_list<double> of) {
  const bool finite = std::all_of(of.begin(), of.end(), [](double x) { return std::isfinite(x); });
  if (finite && std::isnan(result)) throw PythonError("ValueError", call.name, "math domain error");
  const double first = *of.begin();  // at a pole, which Python tells from what is too large
  const bool is_pole = has_word("math.atanh math.log1p math.log2 math.log10", call.name) ||
                       (has_word("math.gamma math.lgamma", call.name) && first <= 0) ||
                       (call.name == "math.pow" && first == 0);
  if (finite && !std::isfinite(result) && is_pole)
    throw PythonError("ValueError", call.name, "math domain error");
  if (finite && !std::isfinite(result))
    throw PythonError("OverflowError", call.name, "math range error");
  return result;
}

/// A number, known or not; Python's functions take arrays of one element as such, too.
const Value& math_argument(const Call& call, const Value& value) {
  const auto* object = value.as<ObjectPtr>();
  const bool fits =
      object != nullptr ? (*object)->read().size() == 1 : value.is_number() || value.is_integer();
  if (!fits)
    misuse(python_type(value).empty() ? Exception::None : Exception::TypeError, call.name,
           "takes a number; got {}; np.{} takes arrays", value.description(), call.name.substr(5));
  return value;
}

/// Computed by NumPy's function of the name, as Python's number.
Value computed(const Call& call, std::string_view numpy) {
  Call same{std::string(numpy), {}, {}, call.steps};
  for (const Value& value : call.arguments) {
    const auto* object = math_argument(call, value).as<ObjectPtr>();
    const Array one = object != nullptr ? (*object)->read().reshape({})
                                        : to_array(value, call.name + "'s argument");
    same.arguments.push_back(new_array(one.dtype() == DType::Float ? one : one * Array(1.0)));
  }
  const Value result = call_function(same);
  return python_number(to_array(result, call.name));
}

Value of_one(const Call& call, const std::string& numpy, Real function) {
  const Value& x = math_argument(call, only_argument(call));
  if (!x.is_number()) return computed(call, numpy);
  return {checked(call, function(x.real()), {x.real()})};
}

Value math_log(const Call& call) {
  if (call.arguments.size() == 2)
    return binary_operator(ast::Operator::Divide,
                           math_log({call.name, {call.arguments[0]}, {}, call.steps}),
                           math_log({call.name, {call.arguments[1]}, {}, call.steps}));
  const Value& x = math_argument(call, only_argument(call));
  if (!x.is_number()) return computed(call, "np.log");
  if (x.real() <= 0) throw PythonError("ValueError", call.name, "math domain error");
  return {std::log(x.real())};
}

/// Of two numbers; nothing of those of the run.
using Real2 = double (*)(double, double);
std::optional<Value> of_known_two(const Call& call, Real2 function) {
  if (call.arguments.size() != 2) misuse(Exception::TypeError, call.name, "takes two numbers");
  const Value& x = math_argument(call, call.arguments[0]);
  const Value& y = math_argument(call, call.arguments[1]);
  if (!x.is_number() || !y.is_number()) return std::nullopt;
  return Value{checked(call, function(x.real(), y.real()), {x.real(), y.real()})};
}

Value of_two(const Call& call, const std::string& numpy, Real2 function) {
  if (const auto known = of_known_two(call, function)) return *known;
  if (numpy.empty()) misuse(call.name, "takes numbers that are known when the program is read");
  return computed(call, numpy);
}

Value math_hypot(const Call& call) {
  if (const auto known = of_known_two(call, std::hypot)) return *known;
  const auto square = [&](std::size_t i) {
    return computed({call.name, {call.arguments[i]}, {}, call.steps}, "np.square");
  };
  const Value sum = binary_operator(ast::Operator::Add, square(0), square(1));
  return computed({call.name, {sum}, {}, call.steps}, "np.sqrt");
}

Value math_whole(const Call& call, const std::string& numpy, Real function) {
  const Value& x = math_argument(call, only_argument(call));
  if (x.as<Affine>() != nullptr) return x;
  if (!x.is_number()) return python_int(to_array(computed(call, numpy), "a number"));
  if (!x.is_real()) return {x.integer("")};
  const double whole = function(x.real());
  if (!(std::abs(whole) < 9.2e18)) misuse(call.name, "{} does not fit 64 bits", x.real());
  return {static_cast<std::int64_t>(whole)};
}

Value math_asks(const Call& call, const std::string& numpy, bool (*asks)(double)) {
  const Value& x = math_argument(call, only_argument(call));
  return x.is_number() ? Value{asks(x.real())} : computed(call, numpy);
}

Value product_of(Index first, Index last) {
  Value result{std::int64_t{1}};
  for (Index i = first; i <= last; ++i)
    result = number_arithmetic(ast::Operator::Multiply, result, {i});
  return result;
}

Value math_factorial(const Call& call) {
  const Index n = only_argument(call).integer("factorial's argument");
  if (n < 0) misuse(Exception::ValueError, call.name, "not defined for negative values");
  return product_of(2, n);
}

Value math_comb(const Call& call) {
  if (call.arguments.size() != 2) misuse(Exception::TypeError, call.name, "takes two ints");
  const Index n = call.arguments[0].integer("n");
  const Index k = call.arguments[1].integer("k");
  if (n < 0 || k < 0) misuse(Exception::ValueError, call.name, "takes non-negative ints");
  Value result{std::int64_t{1}};
  for (Index i = 1; i <= k; ++i)
    result = number_arithmetic(
        ast::Operator::FloorDivide,
        number_arithmetic(ast::Operator::Multiply, result, {std::int64_t{n - k + i}}), {i});
  return k > n ? Value{std::int64_t{0}} : result;
}

Value math_gcd(const Call& call) {
  Index result = 0;
  for (const Value& each : call.arguments)
    result = std::gcd(result, each.integer("gcd's argument"));
  return {result};
}

Value math_lcm(const Call& call) {
  Value result{std::int64_t{1}};
  for (const Value& each : call.arguments) {
    const Index number = std::abs(each.integer("lcm's argument"));
    if (number == 0) return {std::int64_t{0}};
    const Index more = number / std::gcd(number, result.integer(""));
    result = number_arithmetic(ast::Operator::Multiply, result, {more});
  }
  return result;
}

Value math_perm(const Call& call) {
  const auto bound = call.bind();
  const Index n = bound[0]->integer("n");
  const Index k = bound[1] == nullptr ? n : bound[1]->integer("k");
  if (n < 0 || k < 0) misuse(Exception::ValueError, call.name, "takes non-negative ints");
  return k > n ? Value{std::int64_t{0}} : product_of(n - k + 1, n);
}

Value math_isqrt(const Call& call) {
  const Index n = only_argument(call).integer("isqrt's argument");
  if (n < 0) throw PythonError("ValueError", call.name, "isqrt() argument must be nonnegative");
  auto root = static_cast<Index>(std::sqrt(static_cast<double>(n)));
  while (root > 0 && root > n / root) --root;
  while (root + 1 <= n / (root + 1)) ++root;
  return {root};
}

Value math_prod(const Call& call) {
  const std::vector<Value> given = call.values();
  Value result = given[1];
  for (const Value& each : elements_of(given[0]))
    result = binary_operator(ast::Operator::Multiply, result, each);
  return result;
}

/// Numbers that are known: their sum, rounded once.
Value math_fsum(const Call& call) {
  const Value& given = only_argument(call);
  std::vector<double> parts;  // whose sum is exact, without overlap
  const auto length = iteration_length(given);
  if (!length || given.as<ObjectPtr>() != nullptr || given.as<NumberList>() != nullptr)
    return call_function({"sum", call.arguments, {}, call.steps});
  for (const Value& each : elements_of(given)) {
    if (!each.is_number()) return call_function({"sum", call.arguments, {}, call.steps});
    double x = each.real();
    if (!std::isfinite(x)) return call_function({"sum", call.arguments, {}, call.steps});
    std::vector<double> left;
    for (double y : parts) {
      if (std::abs(x) < std::abs(y)) std::swap(x, y);
      const double high = x + y, low = y - (high - x);
      if (low != 0) left.push_back(low);
      x = high;
    }
    left.push_back(x);
    parts = std::move(left);
  }
  double high = 0, low = 0;
  while (!parts.empty() && low == 0) {
    const double x = high, y = parts.back();
    parts.pop_back();
    high = x + y;
    low = y - (high - x);
  }
  // What is left decides where the rest lies in the middle.
  if (!parts.empty() && low != 0 && (low < 0) == (parts.back() < 0)) {
    const double twice = low * 2, next = high + twice;
    if (twice == next - high) high = next;
  }
  return {high};
}

/// a and b, and the tolerances: abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol).
Value math_isclose(const Call& call) {
  using enum ast::Operator;
  const std::vector<Value> given = call.values();
  for (const Value& each : given) (void)math_argument(call, each);
  const bool is_known =
      std::all_of(given.begin(), given.end(), [](const Value& each) { return each.is_number(); });
  if (is_known) {
    const double a = given[0].real(), b = given[1].real();
    if (a == b) return {true};
    if (std::isinf(a) || std::isinf(b)) return {false};
    const double most =
        std::max(given[2].real() * std::max(std::abs(a), std::abs(b)), given[3].real());
    return {std::abs(a - b) <= most};
  }
  const auto of = [&](const char* function, std::vector<Value> arguments) {
    return to_array(call_function({function, std::move(arguments), {}, call.steps}), call.name);
  };
  const Array a = to_array(given[0], "a") * Array(1.0), b = to_array(given[1], "b") * Array(1.0);
  const auto value = [](const Array& array) { return new_array(array); };
  const Array larger = of("np.maximum", {value(map(Op::abs, a)), value(map(Op::abs, b))});
  const Array most = of("np.maximum", {value(larger * to_array(given[2], "rel_tol")), given[3]});
  const Array close = logical_and(map(Op::abs, a - b) <= most, of("np.isfinite", {value(larger)}));
  return python_number(logical_or(equal(a, b), close));
}

Value math_dist(const Call& call) {
  const std::vector<Value> given = call.values();
  const std::vector<Value> p = elements_of(given[0]), q = elements_of(given[1]);
  if (p.size() != q.size())
    throw PythonError("ValueError", call.name,
                      "both points must have the same number of dimensions");
  Value sum{0.0};
  double known = 0;
  bool is_known = true;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Value apart = binary_operator(ast::Operator::Subtract, p[i], q[i]);
    is_known = is_known && apart.is_number();
    if (is_known) known = std::hypot(known, apart.real());
    sum = binary_operator(ast::Operator::Add, sum,
                          binary_operator(ast::Operator::Multiply, apart, apart));
  }
  return is_known ? Value{known} : computed({call.name, {sum}, {}, call.steps}, "np.sqrt");
}

/// A number that is known, in two parts.
double known_real(const Call& call, const Value& value) {
  if (!value.is_number())
    misuse(call.name, "takes numbers that are known when the program is read");
  return value.real();
}

Value math_modf(const Call& call) {
  double whole = 0;
  const double part = std::modf(known_real(call, only_argument(call)), &whole);
  return new_sequence(false, {{part}, {whole}});
}

Value math_frexp(const Call& call) {
  int exponent = 0;
  const double part = std::frexp(known_real(call, only_argument(call)), &exponent);
  return new_sequence(false, {{part}, {std::int64_t{exponent}}});
}

Value math_ldexp(const Call& call) {
  const std::vector<Value> given = call.values();
  const double x = known_real(call, given[0]);
  const Index exponent = std::clamp<Index>(given[1].integer("the exponent"), -5000, 5000);
  return {checked(call, std::ldexp(x, static_cast<int>(exponent)), {x})};
}

Value math_ulp(const Call& call) {
  const double x = std::abs(known_real(call, only_argument(call)));
  if (!std::isfinite(x)) return {x};
  const double above = std::nextafter(x, std::numeric_limits<double>::infinity());
  return {std::isfinite(above) ? above - x : x - std::nextafter(x, 0.0)};
}

}  // namespace

void enter_math(FunctionTable& table) {
  const auto in_degrees = [](double x) { return x * 180 / M_PI; };
  const auto in_radians = [](double x) { return x * M_PI / 180; };
  const std::tuple<const char*, const char*, Real> of_reals[] = {
      {"sqrt", "np.sqrt", std::sqrt},
      {"exp", "np.exp", std::exp},
      {"expm1", "np.expm1", std::expm1},
      {"log2", "np.log2", std::log2},
      {"log10", "np.log10", std::log10},
      {"log1p", "np.log1p", std::log1p},
      {"sin", "np.sin", std::sin},
      {"cos", "np.cos", std::cos},
      {"tan", "np.tan", std::tan},
      {"sinh", "np.sinh", std::sinh},
      {"cosh", "np.cosh", std::cosh},
      {"tanh", "np.tanh", std::tanh},
      {"fabs", "np.abs", std::fabs},
      {"asin", "np.arcsin", std::asin},
      {"acos", "np.arccos", std::acos},
      {"atan", "np.arctan", std::atan},
      {"asinh", "np.arcsinh", std::asinh},
      {"acosh", "np.arccosh", std::acosh},
      {"atanh", "np.arctanh", std::atanh},
      {"radians", "np.radians", in_radians},
      {"degrees", "np.degrees", in_degrees},
      {"gamma", "np.gamma", std::tgamma},
      {"lgamma", "scipy.special.gammaln", std::lgamma},
      {"erf", "scipy.special.erf", std::erf},
      {"erfc", "scipy.special.erfc", std::erfc},
      {"cbrt", "np.cbrt", std::cbrt},
      {"exp2", "np.exp2", std::exp2},
  };
  for (const auto& [name, numpy, function] : of_reals)
    enter(table, Topic::Python,
          {{fmt::format("math.{}", name), "x", with(of_one, std::string(numpy), function)}});
  const auto of_pair = [](const char* numpy, Real2 function) {
    return with(of_two, std::string(numpy), function);
  };
  const auto of_whole = [](const char* numpy, Real function) {
    return with(math_whole, std::string(numpy), function);
  };
  const auto asking = [](const char* numpy, bool (*asks)(double)) {
    return with(math_asks, std::string(numpy), asks);
  };
  enter(table, Topic::Python,
        {{"math.log", "x, [base]", math_log},
         {"math.pow", "x, y", of_pair("np.power", std::pow)},
         {"math.atan2", "y, x", of_pair("np.arctan2", std::atan2)},
         {"math.hypot", "x, y", math_hypot},
         {"math.fmod", "x, y", of_pair("", std::fmod)},
         {"math.floor", "x", of_whole("np.floor", std::floor)},
         {"math.ceil", "x", of_whole("np.ceil", std::ceil)},
         {"math.trunc", "x", of_whole("np.trunc", std::trunc)},
         {"math.isnan", "x", asking("np.isnan", std::isnan)},
         {"math.isinf", "x", asking("np.isinf", std::isinf)},
         {"math.isfinite", "x", asking("np.isfinite", std::isfinite)},
         {"math.factorial", "x", math_factorial},
         {"math.comb", "n, k", math_comb},
         {"math.gcd", "*integers", math_gcd},
         {"math.lcm", "*integers", math_lcm},
         {"math.remainder", "x, y", of_pair("", std::remainder)},
         {"math.copysign", "x, y", of_pair("np.copysign", std::copysign)},
         {"math.nextafter", "x, y", of_pair("", std::nextafter)},
         {"math.perm", "n, k=None", math_perm},
         {"math.isqrt", "n", math_isqrt},
         {"math.prod", "iterable, start=1", math_prod},
         {"math.isclose", "a, b, rel_tol=1e-9, abs_tol=0.0", math_isclose},
         {"math.dist", "p, q", math_dist},
         {"math.modf", "x", math_modf},
         {"math.frexp", "x", math_frexp},
         {"math.ldexp", "x, i", math_ldexp},
         {"math.ulp", "x", math_ulp},
         {"math.fsum", "seq", math_fsum}});
}

}  // namespace rewriter

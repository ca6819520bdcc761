// The reader: Python's own functions and its module math.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/compose.hpp"
#include "rewriter/reader/dtypes.hpp"
#include "rewriter/reader/interpreter.hpp"
#include "rewriter/reader/packed.hpp"
#include "rewriter/reader/run_lengths.hpp"
#include "rewriter/reader/selection_calls.hpp"
#include "rewriter/reader/table.hpp"
#include "rewriter/text/unicode.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// A list of what the argument goes through; arrays and lists that grew stay what they are.
Value as_list(const Value& value) {
  if (value.as<Sequence>() != nullptr || value.as<ObjectPtr>() != nullptr ||
      value.as<NumberList>() != nullptr)
    return value;
  return new_sequence(true, elements_of(value));
}

const Value& only_argument(const Call& call) {
  if (call.arguments.size() != 1 || !call.keywords.empty())
    misuse(call.name, "takes one argument; got {}", call.arguments.size() + call.keywords.size());
  return call.arguments[0];
}

// ---- containers ----

Value builtin_list(const Call& call) {
  const bool is_list = call.name == "list";
  if (call.arguments.empty()) return new_sequence(is_list, {});
  const Value& x = only_argument(call);
  if (const auto* sequence = x.as<Sequence>(); sequence != nullptr && !is_list && !sequence->list)
    return x;
  return new_sequence(is_list, elements_of(x));
}

/// The elements where their order does not count.
std::vector<Value> any_order(const Value& value) {
  const auto* sequence = value.as<Sequence>();
  if (sequence == nullptr || !sequence->is_set) return elements_of(value);
  return {sequence->items.begin(), sequence->items.end()};
}

Value builtin_set(const Call& call) {
  std::vector<Value> items;
  if (!call.arguments.empty())
    for (const Value& item : any_order(only_argument(call))) {
      const auto same = [&](const Value& other) {
        const auto equal = known_equal(item, other);
        if (!equal) misuse("set", "holds what is known when the program is read");
        return *equal;
      };
      if (std::none_of(items.begin(), items.end(), same)) items.push_back(item);
    }
  Sequence set{true, std::move(items)};
  set.is_set = true;
  return {std::move(set)};
}

Value builtin_dict(const Call& call) {
  Dict result;
  if (!call.arguments.empty()) result = dict_of(call.arguments[0]);
  for (const auto& [name, value] : call.keywords) set_key(result, {name}, value);
  return {result};
}

Value builtin_zip(const Call& call) {
  if (!call.keywords.empty()) misuse("zip", "takes no keywords here");
  if (std::any_of(call.arguments.begin(), call.arguments.end(), has_run_length))
    return zipped_at_run(call.arguments);
  for (const Value& part : call.arguments)
    if (!iteration_length(part)) misuse("zip", "{} is not iterable", part.description());
  return {Iteration{Iteration::Kind::Zip, call.arguments}};
}

Value builtin_enumerate(const Call& call) {
  const auto bound = call.bind({"iterable", "start"}, 1);
  const Index start = bound[1] == nullptr ? 0 : bound[1]->integer("enumerate's start");
  if (has_run_length(*bound[0])) return enumerated_at_run(*bound[0], start);
  if (!iteration_length(*bound[0]))
    misuse("enumerate", "{} is not iterable", bound[0]->description());
  return {Iteration{Iteration::Kind::Enumerate, Items({*bound[0]}), start}};
}

Value builtin_slice(const Call& call) {
  const std::size_t count = call.arguments.size();
  if (count < 1 || count > 3 || !call.keywords.empty())
    misuse("slice", "takes one to three arguments; got {}", count);
  Slice result;
  const auto set = [](std::optional<Affine>& bound, const Value& value) {
    if (!value.is_none()) bound = value.affine("a bound of a slice");
  };
  if (count > 1) set(result.start, call.arguments[0]);
  set(result.stop, call.arguments[count == 1 ? 0 : 1]);
  if (count == 3) set(result.step, call.arguments[2]);
  return {result};
}

Value builtin_reversed(const Call& call) {
  const Value& x = only_argument(call);
  if (const auto selection = selection_of(x); selection && selection->first == 0)
    return select(reversed(*selection));
  if (const auto* range = x.as<RangeValue>()) {
    const Index count = *iteration_length(x);
    if (count == 0) return {RangeValue{0, 0, 1}};
    return {RangeValue{range->start + (count - 1) * range->step, range->start - range->step,
                       -range->step}};
  }
  if (!iteration_length(x) || x.as<Iteration>() != nullptr)
    misuse("reversed", "{} cannot be reversed", x.description());
  return {Iteration{Iteration::Kind::Reversed, Items({x})}};
}

// ---- truths ----

Value builtin_any(const Call& call) {
  const bool any = call.name == "any";
  const Value x = as_list(only_argument(call));
  if (x.as<Sequence>() == nullptr) {
    const Array array = array_argument(call, &x, "iterable");
    if (array.ndim() != 1)
      misuse(call.name, "goes through the rows of an array; np.{} asks for its elements",
             call.name);
    return python_number(reduce(any ? Op::any : Op::all, array));
  }
  std::optional<Array> joined;
  for (const Value& item : elements_of(x)) {
    if (const auto truth = truth_of(item)) {
      if (*truth == any && !joined) return {any};
      if (*truth == any)
        misuse(call.name,
               "holds truths that are known beside those that are not; ask for these "
               "first");
      continue;
    }
    const auto* object = item.as<ObjectPtr>();
    if (object == nullptr || !(*object)->shape().empty())
      misuse(call.name, "the truth of {} is not known before the program runs", item.description());
    const Array one = detail::truth((*object)->read());
    joined = !joined ? one : any ? logical_or(*joined, one) : logical_and(*joined, one);
  }
  return joined ? python_number(*joined) : Value{!any};
}

Value builtin_bool(const Call& call) {
  if (call.arguments.empty()) return {false};
  const Value& x = only_argument(call);
  if (const auto truth = truth_of(x)) return {*truth};
  const auto* object = x.as<ObjectPtr>();
  if (object != nullptr && (*object)->read().size() == 1)
    return python_number(detail::truth((*object)->read().reshape({})));
  misuse("bool", "the truth of {} is not known before the program runs", x.description());
}

// ---- characters and digits ----

Value builtin_ord(const Call& call) {
  const Value& x = only_argument(call);
  const auto* text = x.as<std::string>();
  const Character first = text == nullptr || text->empty() ? Character{} : decode_utf8(*text, 0);
  if (first.length == 0 || first.length != std::ssize(*text))
    misuse(call.name, "expected a character; got {}", x.description());
  return {static_cast<std::int64_t>(first.code)};
}

Value builtin_chr(const Call& call) {
  const Index code = only_argument(call).integer("chr's argument");
  if (code < 0 || code > 0x10FFFF) misuse(call.name, "arg not in range(0x110000); got {}", code);
  std::string text;
  append_utf8(text, static_cast<char32_t>(code));
  return {text};
}

Value builtin_digits(const Call& call) {
  const Index number = only_argument(call).integer(call.name + "'s argument");
  const auto size = number < 0 ? 0 - static_cast<std::uint64_t>(number) : std::uint64_t(number);
  const std::string digits = call.name == "bin"   ? fmt::format("0b{:b}", size)
                             : call.name == "oct" ? fmt::format("0o{:o}", size)
                                                  : fmt::format("0x{:x}", size);
  return {(number < 0 ? "-" : "") + digits};
}

// ---- types ----

/// What type() gives, by the name of the function that is the type.
std::string type_name(const Value& x) {
  if (x.as<bool>() != nullptr) return x.is_numpy ? "np.bool_" : "bool";
  if (x.is_integer()) return x.is_numpy ? "np.int64" : "int";
  if (x.is_real()) return x.is_numpy ? "np.float64" : "float";
  if (x.as<std::string>() != nullptr || x.as<Text>() != nullptr) return "str";
  if (x.as<Dict>() != nullptr) return "dict";
  if (x.as<NumberList>() != nullptr) return "list";
  if (x.as<Slice>() != nullptr) return "slice";
  if (x.as<RangeValue>() != nullptr) return "range";
  if (const auto* sequence = x.as<Sequence>())
    return sequence->is_set ? "set" : sequence->list ? "list" : "tuple";
  if (x.as<Selected>() != nullptr) return "np.ndarray";
  if (const auto* z = x.as<Complex>()) {
    const std::string part = type_name(z->parts[0]);
    return part == "float" ? "complex" : part == "np.ndarray" ? part : "np.complex128";
  }
  if (const auto* object = x.as<ObjectPtr>()) {
    const DType dtype = (*object)->read().dtype();
    const bool python = (*object)->is_python();
    if (!python && !(*object)->is_scalar()) return "np.ndarray";
    if (!python) return scalar_type(dtype);
    return dtype == DType::Bool ? "bool" : dtype == DType::Float ? "float" : "int";
  }
  misuse("type", "the type of {} is outside of this notation", x.description());
}

bool is_of_type(const std::string& type, const Value& asked) {
  if (const auto* several = asked.as<Sequence>())
    return std::any_of(several->items.begin(), several->items.end(),
                       [&](const Value& each) { return is_of_type(type, each); });
  if (asked.as<Ignored>() != nullptr) return false;
  if (const auto* module = asked.as<Module>(); module && module->name.starts_with("numbers.")) {
    const bool is_whole = type == "int" || type == "bool" || type.starts_with("np.int");
    return is_whole || (module->name != "numbers.Integral" &&
                        (type == "float" || type.starts_with("np.float")));
  }
  const auto* function = asked.as<Function>();
  if (function == nullptr) misuse("isinstance", "{} is no type here", asked.description());
  const std::string& name = function->name;
  if (name == type && name != kSomeFloat) return true;
  if (name == "int") return type == "bool";
  return is_kind_of_type(type, name);
}

Value builtin_isinstance(const Call& call) {
  if (call.arguments.size() != 2) misuse("isinstance", "takes a value and its types");
  const Value& x = call.arguments[0];
  if (const auto* dtype = x.as<Function>(); dtype != nullptr && dtype->dtype != Function::Dtype::No)
    return {is_of_type("np.dtype", call.arguments[1])};
  if (x.is_none() || x.as<UserFunction>() != nullptr || x.as<Function>() != nullptr) return {false};
  return {is_of_type(type_name(x), call.arguments[1])};
}

Value builtin_type(const Call& call) {
  return {Function{type_name(only_argument(call)), nullptr}};
}

Value only_a_type(const Call& call) {
  misuse(call.name, "is a type here, to be asked for; np.array makes arrays");
}

// ---- numbers ----

Value builtin_round(const Call& call) {
  const auto bound = call.bind({"number", "ndigits"}, 1);
  const Value& x = *bound[0];
  if (!x.is_number()) {
    const auto* object = x.as<ObjectPtr>();
    if (x.as<Affine>() != nullptr) return x;
    if (object == nullptr || !(*object)->is_scalar())
      misuse("round", "rounds a number; got {}; np.round(x) rounds arrays", x.description());
    if (bound[1] == nullptr)
      return python_int(to_array(call_function({"np.rint", {x}, {}, call.steps}), "a number"));
    return call_function({"np.round", {x, *bound[1]}, {}, call.steps});
  }
  const Index digits = bound[1] == nullptr ? 0 : bound[1]->integer("round's ndigits");
  if (!x.is_real()) {
    if (digits >= 0) return {x.integer("")};
    misuse("round", "an int to negative digits is outside of this notation");
  }
  if (bound[1] == nullptr) {
    if (!(std::abs(x.real()) < 9.2e18)) misuse("round", "{} does not fit 64 bits", x.real());
    return {static_cast<std::int64_t>(std::nearbyint(x.real()))};
  }
  if (!std::isfinite(x.real())) return x;
  if (digits < 0) misuse("round", "negative digits are outside of this notation");
  return {std::stod(fmt::format("{:.{}f}", x.real(), std::min<Index>(digits, 300))), x.is_numpy};
}

Value builtin_divmod(const Call& call) {
  if (call.arguments.size() != 2) misuse("divmod", "takes two numbers");
  return new_sequence(
      false, {binary_operator(ast::Operator::FloorDivide, call.arguments[0], call.arguments[1]),
              binary_operator(ast::Operator::Modulo, call.arguments[0], call.arguments[1])});
}

Value builtin_pow(const Call& call) {
  if (call.arguments.size() == 2)
    return binary_operator(ast::Operator::Power, call.arguments[0], call.arguments[1]);
  if (call.arguments.size() != 3) misuse("pow", "takes two numbers, or three ints");
  Index base = call.arguments[0].integer("pow's base");
  Index exponent = call.arguments[1].integer("pow's exponent");
  const Index modulus = call.arguments[2].integer("pow's modulus");
  if (exponent < 0 || modulus <= 0 || modulus > 3'000'000'000)
    misuse("pow", "takes a modulus from 1 to 3,000,000,000 and no negative exponent here");
  Index result = 1 % modulus;
  for (base = ((base % modulus) + modulus) % modulus; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = result * base % modulus;
    base = base * base % modulus;
  }
  return {result};
}

// ---- math ----

using Real = double (*)(double);

double checked(const Call& call, double result, std::initializer_list<double> of) {
  const bool finite = std::all_of(of.begin(), of.end(), [](double x) { return std::isfinite(x); });
  if (finite && std::isnan(result)) misuse(call.name, "math domain error");
  if (finite && !std::isfinite(result)) misuse(call.name, "math range error");
  return result;
}

/// A number, known or not; Python's functions take arrays of one element as such, too.
const Value& math_argument(const Call& call, const Value& value) {
  const auto* object = value.as<ObjectPtr>();
  const bool fits =
      object != nullptr ? (*object)->read().size() == 1 : value.is_number() || value.is_integer();
  if (!fits)
    misuse(call.name, "takes a number; got {}; np.{} takes arrays", value.description(),
           call.name.substr(5));
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

void enter_real(Handlers& table, const std::string& name, const std::string& numpy, Real function) {
  enter(table, "math." + name, [numpy, function](const Call& call) {
    const Value& x = math_argument(call, only_argument(call));
    if (!x.is_number()) return computed(call, "np." + numpy);
    return Value{checked(call, function(x.real()), {x.real()})};
  });
}

Value math_log(const Call& call) {
  if (call.arguments.size() == 2)
    return binary_operator(ast::Operator::Divide,
                           math_log({call.name, {call.arguments[0]}, {}, call.steps}),
                           math_log({call.name, {call.arguments[1]}, {}, call.steps}));
  const Value& x = math_argument(call, only_argument(call));
  if (!x.is_number()) return computed(call, "np.log");
  if (x.real() <= 0) misuse(call.name, "math domain error");
  return {std::log(x.real())};
}

Value math_two(const Call& call) {
  if (call.arguments.size() != 2) misuse(call.name, "takes two numbers");
  const Value& x = math_argument(call, call.arguments[0]);
  const Value& y = math_argument(call, call.arguments[1]);
  const bool is_power = call.name == "math.pow";
  const bool is_angle = call.name == "math.atan2";
  if (!x.is_number() || !y.is_number()) {
    if (is_power) return computed(call, "np.power");
    if (is_angle) return computed(call, "np.arctan2");
    if (call.name == "math.fmod") misuse(call.name, "takes numbers that are known");
    const Value a = computed({call.name, {x}, {}, call.steps}, "np.square");
    const Value b = computed({call.name, {y}, {}, call.steps}, "np.square");
    return computed({call.name, {binary_operator(ast::Operator::Add, a, b)}, {}, call.steps},
                    "np.sqrt");
  }
  const double result = is_power                   ? std::pow(x.real(), y.real())
                        : is_angle                 ? std::atan2(x.real(), y.real())
                        : call.name == "math.fmod" ? std::fmod(x.real(), y.real())
                                                   : std::hypot(x.real(), y.real());
  return {checked(call, result, {x.real(), y.real()})};
}

Value math_whole(const Call& call) {
  const Value& x = math_argument(call, only_argument(call));
  if (x.as<Affine>() != nullptr) return x;
  if (!x.is_number())
    return python_int(to_array(computed(call, "np." + call.name.substr(5)), "a number"));
  const double whole = call.name == "math.floor"  ? std::floor(x.real())
                       : call.name == "math.ceil" ? std::ceil(x.real())
                                                  : std::trunc(x.real());
  if (!x.is_real()) return {x.integer("")};
  if (!(std::abs(whole) < 9.2e18)) misuse(call.name, "{} does not fit 64 bits", x.real());
  return {static_cast<std::int64_t>(whole)};
}

Value math_asks(const Call& call) {
  const Value& x = math_argument(call, only_argument(call));
  if (!x.is_number()) return computed(call, "np." + call.name.substr(5));
  return {call.name == "math.isnan"   ? std::isnan(x.real())
          : call.name == "math.isinf" ? std::isinf(x.real())
                                      : std::isfinite(x.real())};
}

Value product_of(Index first, Index last) {
  Value result{std::int64_t{1}};
  for (Index i = first; i <= last; ++i)
    result = number_arithmetic(ast::Operator::Multiply, result, {i});
  return result;
}

Value math_factorial(const Call& call) {
  const Index n = only_argument(call).integer("factorial's argument");
  if (n < 0) misuse(call.name, "not defined for negative values");
  return product_of(2, n);
}

Value math_comb(const Call& call) {
  if (call.arguments.size() != 2) misuse(call.name, "takes two ints");
  const Index n = call.arguments[0].integer("n");
  const Index k = call.arguments[1].integer("k");
  if (n < 0 || k < 0) misuse(call.name, "takes no negative ints");
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

}  // namespace

void enter_builtins(Handlers& table) {
  enter(table, "list tuple", builtin_list);
  enter(table, "set frozenset", builtin_set);
  enter(table, "dict.fromkeys", [](const Call& call) {
    Dict made;
    for (const Value& key : elements_of(call.arguments.at(0)))
      set_key(made, key, call.arguments.size() > 1 ? call.arguments[1] : Value{});
    return Value{made};
  });
  enter(table, "dict", builtin_dict);
  enter(table, "zip", builtin_zip);
  enter(table, "enumerate", builtin_enumerate);
  enter(table, "reversed", builtin_reversed);
  enter(table, "slice", builtin_slice);
  enter(table, "any all", builtin_any);
  enter(table, "map filter sorted np.apply_along_axis np.piecewise np.vectorize",
        [](const Call& call) -> Value { misuse(call.name, "is called by its name only"); });
  enter(table, "bool", builtin_bool);
  enter(table, "isinstance", builtin_isinstance);
  enter(table, "type", builtin_type);
  enter(table,
        "np.number np.floating np.integer np.generic np.inexact np.signedinteger "
        "np.unsignedinteger np.complexfloating",
        only_a_type);
  enter(table, "round", builtin_round);
  enter(table, "ord", builtin_ord);
  enter(table, "chr", builtin_chr);
  enter(table, "bin oct hex", builtin_digits);
  enter(table, "divmod", builtin_divmod);
  enter(table, "pow", builtin_pow);
  const std::pair<const char*, Real> same[] = {
      {"sqrt", std::sqrt},   {"exp", std::exp},     {"expm1", std::expm1}, {"log2", std::log2},
      {"log10", std::log10}, {"log1p", std::log1p}, {"sin", std::sin},     {"cos", std::cos},
      {"tan", std::tan},     {"sinh", std::sinh},   {"cosh", std::cosh},   {"tanh", std::tanh}};
  for (const auto& [name, function] : same) enter_real(table, name, name, function);
  enter_real(table, "fabs", "abs", std::fabs);
  enter_real(table, "asin", "arcsin", std::asin);
  enter_real(table, "acos", "arccos", std::acos);
  enter_real(table, "atan", "arctan", std::atan);
  enter_real(table, "asinh", "arcsinh", std::asinh);
  enter_real(table, "acosh", "arccosh", std::acosh);
  enter_real(table, "atanh", "arctanh", std::atanh);
  enter_real(table, "radians", "radians", [](double x) { return x * M_PI / 180; });
  enter_real(table, "degrees", "degrees", [](double x) { return x * 180 / M_PI; });
  enter_real(table, "gamma", "gamma", std::tgamma);
  enter_real(table, "lgamma", "gammaln", std::lgamma);
  enter(table, "math.erf", [](const Call& call) {
    const Value& x = math_argument(call, only_argument(call));
    return x.is_number() ? Value{std::erf(x.real())} : computed(call, "scipy.special.erf");
  });
  enter(table, "math.log", math_log);
  enter(table, "math.pow math.atan2 math.hypot math.fmod", math_two);
  enter(table, "math.floor math.ceil math.trunc", math_whole);
  enter(table, "math.isnan math.isinf math.isfinite", math_asks);
  enter(table, "math.factorial", math_factorial);
  enter(table, "math.comb", math_comb);
  enter(table, "math.gcd", math_gcd);
  enter(table, "math.lcm", math_lcm);
  enter(table, "math.fsum", [](const Call& call) {
    return call_function({"sum", call.arguments, {}, call.steps});
  });
}

// ---- those that call functions they are given ----

/// np.piecewise: each function is given what its mask selects, and the last one the rest.
static Value piecewise(const Call& call,
                       const std::function<Value(const Value&, std::vector<Value>)>& apply) {
  const auto bound = call.bind({"x", "condlist", "funclist"}, 3);
  const Value x{object_argument(call, bound[0])};
  const auto* one = bound[1]->as<ObjectPtr>();
  const bool is_one = one != nullptr && (*one)->shape() == (*x.as<ObjectPtr>())->shape();
  const std::vector<Value> masks = is_one ? std::vector{*bound[1]} : elements_of(*bound[1]);
  const std::vector<Value> choices = elements_of(*bound[2]);
  if (masks.empty()) misuse(call.name, "needs a condition");
  if (choices.size() != masks.size() && choices.size() != masks.size() + 1)
    misuse(call.name, "with {0} condition(s), either {0} or {1} functions are expected",
           masks.size(), masks.size() + 1);
  const Value result = call_function({"np.zeros_like", {x}, {}, call.steps});
  const auto choose = [&](const Value& mask, const Value& choice) {
    const bool is_function =
        choice.as<Function>() != nullptr || choice.as<UserFunction>() != nullptr;
    assign_subscript(result, {mask}, is_function ? apply(choice, {subscript(x, {mask})}) : choice);
  };
  for (std::size_t i = 0; i < masks.size(); ++i) choose(masks[i], choices[i]);
  if (choices.size() == masks.size()) return result;
  Value rest = unary_operator(ast::Operator::Invert, masks[0]);
  for (std::size_t i = 1; i < masks.size(); ++i)
    rest = binary_operator(ast::Operator::BitAnd, rest,
                           unary_operator(ast::Operator::Invert, masks[i]));
  choose(rest, choices.back());
  return result;
}

/// np.apply_along_axis of a matrix: the function is given each row, or each column.
template <class F>
static Value along_axis(const Call& call, const F& apply) {
  if (call.arguments.size() < 3 || !call.keywords.empty())
    misuse(call.name, "takes a function, an axis, a matrix, and more arguments for the function");
  const auto* matrix = call.arguments[2].as<ObjectPtr>();
  if (matrix == nullptr || (*matrix)->shape().size() != 2)
    misuse(call.name, "takes a matrix; got {}", call.arguments[2].description());
  const Index axis = call.arguments[1].integer("the axis");
  if (axis < -2 || axis > 1) misuse(call.name, "axis {} is out of bounds for a matrix", axis);
  const bool of_columns = axis == 0 || axis == -2;
  Call turned{"np.transpose", {call.arguments[2]}, {}, call.steps};
  const Value rows = of_columns ? call_function(turned) : call.arguments[2];
  if (*iteration_length(rows) == 0) misuse(call.name, "there is nothing to apply the function to");
  std::vector<Array> results;
  for (const Value& row : elements_of(rows)) {
    std::vector<Value> arguments{row};
    arguments.insert(arguments.end(), call.arguments.begin() + 3, call.arguments.end());
    const Array result = to_array(apply(call.arguments[0], std::move(arguments)), "a result");
    results.push_back(with_axis(result, 0));
    if (result.ndim() > 1 || results.back().shape() != results[0].shape() ||
        result.dtype() != results[0].dtype())
      misuse(call.name, "the function gives numbers or vectors, of one type and size each time");
  }
  const Array joined = concatenate(results, 0);
  return new_array(of_columns && joined.ndim() == 2 ? joined.T() : joined);
}

std::optional<Value> Interpreter::print_either(const Call& call) {
  for (const Value& argument : call.arguments) {
    const auto number = number_of_either_kind(argument);
    if (!number) continue;
    const NodePtr choice = (*number)->read().node();
    const Array holds(choice->args[0]);
    for (const std::size_t side : {1UL, 2UL}) {
      Call one{call.name, {}, call.keywords, result_.steps};
      for (const Value& each : call.arguments)
        one.arguments.push_back(with_number(each, *number, Array(choice->args[side])));
      run_if((side == 1 ? holds : logical_not(holds)).node(), tree_.statements[executing_].span,
             executing_, executing_ + 1, [&] {
               if (!print_either(one)) (void)call_function(one);
               return Flow::Next;
             });
    }
    return Value{};
  }
  return std::nullopt;
}

std::optional<Value> Interpreter::call_with_functions(const Call& call) {
  const std::string& name = call.name;
  const auto apply = [&](const Value& function, std::vector<Value> arguments) {
    Call made{"", std::move(arguments), {}, result_.steps};
    if (const auto* known = function.as<Function>(); known != nullptr && known->self)
      made.arguments.insert(made.arguments.begin(), Value{known->self});
    return call_value(function, made);
  };
  if (auto made = heap_call(call)) return made;
  if (name == "print") {
    const auto is_whole = [](const Value& value) {
      bool found = value.as<Ignored>() != nullptr;
      for_each_part(value, [&](const Value& part) {
        const auto* object = part.as<ObjectPtr>();
        const auto* type = part.as<Function>();
        found = found ||
                (type != nullptr && type->name.starts_with("np.float") &&
                 type->dtype != Function::Dtype::Yes) ||
                (object != nullptr && !(*object)->shape().empty()) ||
                part.as<NumberList>() != nullptr || part.as<RunList>() != nullptr ||
                part.as<Selected>() != nullptr || part.as<Ignored>() != nullptr;
      });
      return found;
    };
    if (std::none_of(call.arguments.begin(), call.arguments.end(), is_whole))
      return print_either(call);
    result_.left_out.emplace(statement_place_.line,
                             "print of an array or of what is left out; --run shows every output");
    return Value{};
  }
  if (name == "map") {
    if (call.arguments.size() < 2) misuse("map", "takes a function and what it is applied to");
    const Value zipped{
        Iteration{Iteration::Kind::Zip,
                  std::vector<Value>(call.arguments.begin() + 1, call.arguments.end())}};
    std::vector<Value> results;
    const InUse in_use(*this, results);
    for (const Value& each : elements_of(zipped))
      results.push_back(apply(call.arguments[0], elements_of(each)));
    return gone_through(std::move(results));
  }
  if (name == "filter") {
    if (call.arguments.size() != 2) misuse("filter", "takes a function and what it is applied to");
    std::vector<Value> results;
    for (const Value& each : elements_of(call.arguments[1])) {
      const auto truth =
          truth_of(call.arguments[0].is_none() ? each : apply(call.arguments[0], {each}));
      if (!truth) misuse("filter", "what it takes must be known when the program is read");
      if (*truth) results.push_back(each);
    }
    return gone_through(std::move(results));
  }
  if (name == "np.piecewise") return piecewise(call, apply);
  if (name == "np.apply_along_axis") return along_axis(call, apply);
  if (name == "np.vectorize") {
    const auto bound = call.bind({"pyfunc", "otypes"}, 1);
    return Value{
        Method{"vectorize", Items({*bound[0], bound[1] == nullptr ? Value{} : *bound[1]})}};
  }
  if (name == "functools.partial") {
    if (call.arguments.empty()) misuse(name, "takes a function and its arguments");
    Dict named;
    for (const auto& [key, value] : call.keywords) set_key(named, {key}, value);
    return Value{Method{
        "partial", Items({call.arguments[0],
                          new_sequence(false, {call.arguments.begin() + 1, call.arguments.end()}),
                          {named}})}};
  }
  if (name == "functools.reduce") {
    if (call.arguments.size() < 2 || call.arguments.size() > 3 || !call.keywords.empty())
      misuse(name, "takes a function, what it is applied to, and perhaps what it begins with");
    std::vector<Value> items = elements_of(call.arguments[1]);
    if (call.arguments.size() == 3) items.insert(items.begin(), call.arguments[2]);
    if (items.empty()) misuse(name, "of an empty sequence needs an initial value");
    Value result = items[0];
    for (std::size_t i = 1; i < items.size(); ++i)
      result = apply(call.arguments[0], {result, items[i]});
    return result;
  }
  const bool extreme = name == "max" || name == "min";
  const auto keyword = [&](std::string_view wanted) -> const Value* {
    for (const auto& [key, value] : call.keywords)
      if (key == wanted) return &value;
    return nullptr;
  };
  if (name != "sorted" && !(extreme && keyword("key") != nullptr)) return std::nullopt;
  for (const auto& [key, value] : call.keywords)
    if (key != "key" && key != "reverse")
      misuse(name, "got an unexpected keyword argument '{}'", key);
  if (call.arguments.empty()) misuse(name, "needs what it goes through");
  if (name == "sorted" && keyword("key") == nullptr && is_selection(call.arguments[0]))
    return sorted_selection(call);
  if (const auto* array = call.arguments[0].as<ObjectPtr>();
      array != nullptr && name == "sorted" && keyword("key") == nullptr &&
      (*array)->read().ndim() == 1 && (*array)->read().dtype() != DType::Float) {
    std::vector<Value> ordered = elements_of(new_array(sort((*array)->read(), 0)));
    if (keyword("reverse") != nullptr && truth_of(*keyword("reverse")) == true)
      std::reverse(ordered.begin(), ordered.end());
    return new_sequence(true, std::move(ordered));
  }
  const std::vector<Value> items =
      call.arguments.size() > 1 ? call.arguments : any_order(call.arguments[0]);
  std::vector<Value> keys;
  for (const Value& item : items)
    keys.push_back(keyword("key") != nullptr && !keyword("key")->is_none()
                       ? apply(*keyword("key"), {item})
                       : item);
  if (extreme && are_run_keys(keys)) return extreme_by_run_keys(name, items, keys);
  const auto less = [&](std::size_t a, std::size_t b) {
    const auto truth = truth_of(known_less(keys[a], keys[b]));
    if (!truth) misuse(name, "compares what is known when the program is read");
    return *truth;
  };
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (extreme) {
    if (items.empty()) misuse(name, "arg is an empty sequence");
    std::size_t best = 0;
    for (const std::size_t i : order)
      if (name == "max" ? less(best, i) : less(i, best)) best = i;
    return items[best];
  }
  const bool down = keyword("reverse") != nullptr && truth_of(*keyword("reverse")) == true;
  if (are_run_keys(keys)) {
    std::vector<Value> ordered = sorted_by_run_keys(items, keys, down);
    for (const Value& item : items) freeze(item);
    for (const Value& item : ordered) freeze(item);
    return new_sequence(true, std::move(ordered));
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return down ? less(b, a) : less(a, b); });
  std::vector<Value> sorted;
  for (const std::size_t i : order) sorted.push_back(items[i]);
  return new_sequence(true, std::move(sorted));
}

Value known_less(const Value& a, const Value& b) {
  const auto* x = a.as<Sequence>();
  const auto* y = b.as<Sequence>();
  if (x == nullptr || y == nullptr) return binary_operator(ast::Operator::Less, a, b);
  for (std::size_t i = 0; i < std::min(x->items.size(), y->items.size()); ++i) {
    const auto same = known_equal(x->items[i], y->items[i]);
    if (!same) misuse("program", "compares what is known when the program is read");
    if (!*same) return known_less(x->items[i], y->items[i]);
  }
  return {x->items.size() < y->items.size()};
}

}  // namespace rewriter

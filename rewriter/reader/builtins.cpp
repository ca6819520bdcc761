// The reader: Python's own functions and its module math.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/compose.hpp"
#include "rewriter/reader/dtypes.hpp"
#include "rewriter/reader/packed.hpp"
#include "rewriter/reader/run_lengths.hpp"
#include "rewriter/reader/selection_calls.hpp"
#include "rewriter/reader/table.hpp"

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

Value builtin_list(const Call& call, bool is_list) {
  if (call.arguments.empty()) return new_sequence(is_list, {});
  const Value& x = only_argument(call);
  if (const auto* list = x.as<RunList>())
    return {RunList{*new_array(list->cell->read().copy()).as<ObjectPtr>(),
                    *new_array(list->count->read().copy()).as<ObjectPtr>(), list->form}};
  if (const auto selection = selection_of(x)) {
    if (!is_list) refuse_selection(call);
    return list_of_selection(call, *selection, false);
  }
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
  Sequence set{false, std::move(items)};
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
  const auto bound = call.bind();
  const Index start = bound[1]->integer("enumerate's start");
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

Value builtin_any(const Call& call, bool any) {
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

// ---- types ----

/// What type() gives, by the name of the function that is the type.
std::string type_name(const Value& x) {
  if (x.as<bool>() != nullptr) return x.is_numpy ? "np.bool_" : "bool";
  if (x.is_integer()) return x.is_numpy ? "np.int64" : "int";
  if (x.is_real()) return x.is_numpy ? "np.float64" : "float";
  if (x.as<std::string>() != nullptr || x.as<Text>() != nullptr) return "str";
  if (x.as<Dict>() != nullptr) return "dict";
  if (x.as<NumberList>() != nullptr) return "list";
  if (x.as<RangeValue>() != nullptr) return "range";
  if (const auto* sequence = x.as<Sequence>())
    return sequence->is_set ? "set" : sequence->list ? "list" : "tuple";
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

// ---- numbers ----

Value builtin_round(const Call& call) {
  const auto bound = call.bind();
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
  if (x.real() <= 0) misuse(call.name, "math domain error");
  return {std::log(x.real())};
}

/// Of two numbers; nothing of those of the run.
using Real2 = double (*)(double, double);
std::optional<Value> of_known_two(const Call& call, Real2 function) {
  if (call.arguments.size() != 2) misuse(call.name, "takes two numbers");
  const Value& x = math_argument(call, call.arguments[0]);
  const Value& y = math_argument(call, call.arguments[1]);
  if (!x.is_number() || !y.is_number()) return std::nullopt;
  return Value{checked(call, function(x.real(), y.real()), {x.real(), y.real()})};
}

Value of_two(const Call& call, const std::string& numpy, Real2 function) {
  if (const auto known = of_known_two(call, function)) return *known;
  if (numpy.empty()) misuse(call.name, "takes numbers that are known");
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

// ---- those that call functions they are given ----

/// np.piecewise: each function is given what its mask selects, and the last one the rest.
Value piecewise(const Call& call) {
  const auto bound = call.bind();
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
    assign_subscript(result, {mask},
                     is_function ? call.apply(choice, {subscript(x, {mask})}) : choice);
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
Value along_axis(const Call& call) {
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
    const Array result = to_array(call.apply(call.arguments[0], std::move(arguments)), "a result");
    results.push_back(with_axis(result, 0));
    if (result.ndim() > 1 || results.back().shape() != results[0].shape() ||
        result.dtype() != results[0].dtype())
      misuse(call.name, "the function gives numbers or vectors, of one type and size each time");
  }
  const Array joined = concatenate(results, 0);
  return new_array(of_columns && joined.ndim() == 2 ? joined.T() : joined);
}

Value py_map(const Call& call) {
  if (call.arguments.size() < 2) misuse("map", "takes a function and what it is applied to");
  const Value zipped{Iteration{
      Iteration::Kind::Zip, std::vector<Value>(call.arguments.begin() + 1, call.arguments.end())}};
  std::vector<std::vector<Value>> arguments;
  for (const Value& each : elements_of(zipped)) arguments.push_back(elements_of(each));
  return gone_through(call.reader().apply_each(call.arguments[0], arguments));
}

Value py_filter(const Call& call) {
  if (call.arguments.size() != 2) misuse("filter", "takes a function and what it is applied to");
  std::vector<Value> results;
  for (const Value& each : elements_of(call.arguments[1])) {
    const auto truth =
        truth_of(call.arguments[0].is_none() ? each : call.apply(call.arguments[0], {each}));
    if (!truth) misuse("filter", "what it takes must be known when the program is read");
    if (*truth) results.push_back(each);
  }
  return gone_through(std::move(results));
}

Value np_vectorize(const Call& call) {
  const auto bound = call.bind();
  return {Method{"np.vectorize()", Items({*bound[0], bound[1] == nullptr ? Value{} : *bound[1]})}};
}

/// The function of the program, given an array of indices for each axis.
Value np_fromfunction(const Call& call) {
  const auto bound = call.bind();
  if (bound[0]->as<UserFunction>() == nullptr)
    misuse(call.name, "expects a function of the program; got {}", bound[0]->description());
  const DType dtype = dtype_argument(bound[2]).value_or(DType::Float);
  return call.apply(*bound[0], index_arrays(call, *bound[1], dtype));
}

Value partial(const Call& call) {
  if (call.arguments.empty()) misuse(call.name, "takes a function and its arguments");
  Dict named;
  for (const auto& [key, value] : call.keywords) set_key(named, {key}, value);
  return {Method{"functools.partial()",
                 Items({call.arguments[0],
                        new_sequence(false, {call.arguments.begin() + 1, call.arguments.end()}),
                        {named}})}};
}

/// What partial() makes, called: the function, a tuple and a dictionary come first.
Value call_partial(const Call& call) {
  Call whole = call;
  whole.arguments = elements_of(call.arguments[1]);
  whole.arguments.insert(whole.arguments.end(), call.arguments.begin() + 3, call.arguments.end());
  whole.keywords.clear();
  Dict named = dict_of(call.arguments[2]);
  for (const auto& [keyword, value] : call.keywords) set_key(named, {keyword}, value);
  for (std::size_t i = 0; i < named.keys.size(); ++i)
    whole.keywords.emplace_back(*named.keys[i].as<std::string>(), named.values[i]);
  return call.reader().call_value(call.arguments[0], whole);
}

Value py_reduce(const Call& call) {
  if (call.arguments.size() < 2 || call.arguments.size() > 3 || !call.keywords.empty())
    misuse(call.name, "takes a function, what it is applied to, and perhaps what it begins with");
  std::vector<Value> items = elements_of(call.arguments[1]);
  if (call.arguments.size() == 3) items.insert(items.begin(), call.arguments[2]);
  if (items.empty()) misuse(call.name, "of an empty sequence needs an initial value");
  Value result = items[0];
  for (std::size_t i = 1; i < items.size(); ++i)
    result = call.apply(call.arguments[0], {result, items[i]});
  return result;
}

// ---- orders by keys ----

/// What items are compared by: what key= makes of them.
std::vector<Value> keys_of(const Call& call, const std::vector<Value>& items) {
  const Value* const key = call.keyword("key");
  if (key == nullptr) return items;
  std::vector<Value> keys;
  for (const Value& item : items) keys.push_back(call.apply(*key, {item}));
  return keys;
}

bool is_less(const Call& call, const Value& a, const Value& b) {
  const auto truth = truth_of(known_less(a, b));
  if (!truth) misuse(call.name, "compares what is known when the program is read");
  return *truth;
}

Value builtin_sorted(const Call& call) {
  const auto bound = call.bind();
  const bool down = truth_of(*bound[2]) == true, has_key = bound[1] != nullptr;
  if (!has_key && is_selection(*bound[0])) return sorted_selection(call);
  if (const auto* array = bound[0]->as<ObjectPtr>(); array != nullptr && !has_key &&
                                                     (*array)->read().ndim() == 1 &&
                                                     (*array)->read().dtype() != DType::Float) {
    std::vector<Value> ordered = elements_of(new_array(sort((*array)->read(), 0)));
    if (down) std::reverse(ordered.begin(), ordered.end());
    return new_sequence(true, std::move(ordered));
  }
  const std::vector<Value> items = any_order(*bound[0]);
  const std::vector<Value> keys = keys_of(call, items);
  std::vector<Value> sorted;
  if (are_run_keys(keys)) {
    sorted = sorted_by_run_keys(items, keys, down);
    for (const Value& item : items) call.reader().freeze(item);
    for (const Value& item : sorted) call.reader().freeze(item);
    return new_sequence(true, std::move(sorted));
  }
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return down ? is_less(call, keys[b], keys[a]) : is_less(call, keys[a], keys[b]);
  });
  for (const std::size_t i : order) sorted.push_back(items[i]);
  return new_sequence(true, std::move(sorted));
}

}  // namespace

Value extreme_by_key(const Call& call, Op op) {
  for (const auto& [key, value] : call.keywords)
    if (key != "key" && key != "default")
      misuse(call.name, "got an unexpected keyword argument '{}'", key);
  if (call.arguments.empty()) misuse(call.name, "needs what it goes through");
  const std::vector<Value> items =
      call.arguments.size() > 1 ? call.arguments : any_order(call.arguments[0]);
  const std::vector<Value> keys = keys_of(call, items);
  if (are_run_keys(keys)) return extreme_by_run_keys(op, items, keys);
  if (items.empty()) {
    if (const Value* const standard = call.keyword("default")) return *standard;
    misuse(call.name, "arg is an empty sequence");
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < items.size(); ++i)
    if (op == Op::max ? is_less(call, keys[best], keys[i]) : is_less(call, keys[i], keys[best]))
      best = i;
  return items[best];
}

void enter_builtins(FunctionTable& table) {
  enter(table, Topic::Python,
        {{"list", "*iterable", with(builtin_list, true), kRunLists | kSelections},
         {"tuple", "*iterable", with(builtin_list, false)},
         {"set frozenset", "*iterable", builtin_set},
         {"dict", "*mapping, **items", builtin_dict},
         {"zip", "*iterables", builtin_zip, kSelections},
         {"enumerate", "iterable, start=0", builtin_enumerate, kSelections},
         {"reversed", "sequence", builtin_reversed, kSelections},
         {"slice", "*bounds", builtin_slice},
         {"any", "iterable", with(builtin_any, true)},
         {"all", "iterable", with(builtin_any, false)},
         {"bool", "*x", builtin_bool, kAsksTruth},
         {"isinstance", "object, classinfo", builtin_isinstance, kAsksType},
         {"type", "object", builtin_type, kAsksType},
         {"round", "number, ndigits=None", builtin_round},
         {"divmod", "x, y", builtin_divmod},
         {"pow", "base, exp, mod=None", builtin_pow},
         {"map", "function, *iterables", py_map, kOfFunctions},
         {"filter", "function, iterable", py_filter, kOfFunctions},
         {"sorted", "iterable, *, key=None, reverse=False", builtin_sorted, kOfFunctions},
         {"functools.reduce", "function, iterable, *initial", py_reduce, kOfFunctions},
         {"functools.partial", "function, *args, **keywords", partial, kOfFunctions},
         {"np.piecewise", "x, condlist, funclist", piecewise, kOfFunctions},
         {"np.apply_along_axis", "func1d, axis, arr, *args", along_axis, kOfFunctions},
         {"functools.partial()", "*args", call_partial, kOfFunctions},
         {"np.vectorize", "pyfunc, otypes=None", np_vectorize, kOfFunctions},
         {"np.vectorize()", "*args", vectorized, kOfFunctions},
         {"np.fromfunction", "function, shape, dtype=None", np_fromfunction, kOfFunctions}});
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
        {{"math.log", "x, *base", math_log},
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
         {"math.fsum", "seq", [](const Call& call) {
            return call_function({"sum", call.arguments, {}, call.steps});
          }}});
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

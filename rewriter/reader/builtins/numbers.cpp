// Python's own functions of numbers: len, abs, max, min, sum, range, int and float.
#include <algorithm>
#include <cmath>
#include <limits>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/selections/run_lengths.hpp"
#include "rewriter/reader/selections/run_slices.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/keys.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/values/python_types.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

Value builtin_len(const Call& call) {
  const Value& x = *call.bind()[0];
  if (const auto* sequence = x.as<Sequence>())
    return {static_cast<std::int64_t>(sequence->items.size())};
  if (const auto* list = x.as<NumberList>()) return integer_value(list->length);
  if (const auto selection = selection_of(x))
    return selection->first == 0 ? python_number(selection->count())
                                 : Value{selection->whole.shape(0)};
  if (x.as<Ignored>() != nullptr && !is_chosen_text(x)) return x;
  if (x.as<Dict>() != nullptr || x.as<std::string>() != nullptr || x.as<RangeValue>() != nullptr)
    return {*iteration_length(x)};
  const auto* object = x.as<ObjectPtr>();
  refuse_length(x);
  if (object == nullptr) misuse("len", "{} has no length", x.description());
  return {(*object)->shape()[0]};
}

/// int, float and NumPy's types of floats.
enum class Number : std::uint8_t { Int, Float, Float32, Float64 };

/// The base that the digits are in; takes the prefix that says so away: 0x, 0o or 0b.
int base_in(std::string& digits, int base) {
  const std::size_t sign = digits.starts_with('-') || digits.starts_with('+') ? 1 : 0;
  const bool has_prefix = digits.size() > sign + 2 && digits[sign] == '0' &&
                          std::isalnum(static_cast<unsigned char>(digits[sign + 2])) != 0;
  const char letter = has_prefix ? digits[sign + 1] : ' ';
  const int said = letter == 'x' || letter == 'X'   ? 16
                   : letter == 'o' || letter == 'O' ? 8
                   : letter == 'b' || letter == 'B' ? 2
                                                    : 0;
  if (said != 0 && (base == 0 || base == said)) {
    digits.erase(sign, 2);
    return said;
  }
  return base == 0 ? 10 : base;
}

/// The number that a text says, an int in this base.
Value number_in_text(const Call& call, Number type, const std::string& text, int base = 10) {
  constexpr const char* kBlanks = " \t\n\r\f\v";
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  std::string digits = text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
  for (std::size_t at = digits.find('_'); at != std::string::npos; at = digits.find('_', at)) {
    const auto is_digit = [&](std::size_t i) {
      return i < digits.size() && std::isalnum(static_cast<unsigned char>(digits[i])) != 0;
    };
    if (at == 0 || !is_digit(at - 1) || !is_digit(at + 1)) break;
    digits.erase(at, 1);
  }
  const int asked = base;
  if (type == Number::Int) base = base_in(digits, base);
  // as std::stod and std::stoll, which also take what Python does not
  const bool fits = digits.find_first_of(" \t\n\r\f\v(") == std::string::npos &&
                    (type == Number::Int || digits.find_first_of("xX") == std::string::npos);
  std::size_t used = 0;
  try {
    if (fits) {
      const Value result = type == Number::Int
                               ? Value{std::int64_t{std::stoll(digits, &used, base)}}
                               : Value{std::stod(digits, &used)};
      if (used == digits.size()) return result;
    }
  } catch (const std::out_of_range&) {
    misuse(call.name, "{} exceeds 64 bits", digits);
  } catch (const std::invalid_argument&) {
  }
  const Value quoted = formatted_value({text}, "r", "");
  throw PythonError(
      "ValueError", call.name, fmt::format("cannot convert the string '{}'", text),
      {{(type == Number::Int ? fmt::format("invalid literal for int() with base {}: ", asked)
                             : std::string("could not convert string to float: ")) +
        *quoted.as<std::string>()}});
}

Value builtin_number(const Call& call, Number type) {
  const bool is_int = type == Number::Int, is_python = is_int || type == Number::Float;
  if (!is_python) asked_float_bits = type == Number::Float32 ? 32 : 64;
  if (call.arguments.empty() && call.keywords.empty())
    return is_int ? Value{std::int64_t{0}} : Value{0.0, !is_python};
  const auto bound = call.bind();
  const Value& x = *bound[0];
  const bool has_base = is_int && bound[1] != nullptr;
  const Index base = has_base ? bound[1]->integer("int's base") : 10;
  if (base != 0 && (base < 2 || base > 36))
    misuse(Exception::ValueError, "int", "the base must be 0 or from 2 to 36; got {}", base);
  if (const auto* text = x.as<std::string>())
    return number_in_text(call, type, *text, static_cast<int>(base));
  if (has_base)
    throw PythonError("TypeError", "int", "int() can't convert non-string with explicit base");
  const auto number = [&](const Array& value) {
    if (is_python) return python_number(value.reshape({}));
    return new_array(value.reshape({1}).slice({index_range(0, 1)}));  // a scalar
  };
  if (const auto* affine = x.as<Affine>())
    return is_int ? x : number(loop_value(*affine) * Array(1.0));
  if (const auto* object = x.as<ObjectPtr>()) {
    const Array value = (*object)->read();
    const bool is_one = (*object)->is_scalar() || (is_python && value.size() == 1);
    if (is_int && value.size() == 1) return python_int(value);
    if (is_python && value.size() != 1)
      throw PythonError("TypeError", call.name,
                        fmt::format("only arrays of one element can be converted to Python "
                                    "scalars; got the shape {}",
                                    to_string(value.shape())));
    if (!is_int && is_one)
      return number(value.dtype() == DType::Float ? value : value * Array(1.0));
    if (!is_python && value.dtype() == DType::Float && value.ndim() > 0) return {*object};
    if (!is_python)
      return new_array(converted(value, DType::Float).copy(), (*object)->contiguous());
  }
  if (x.is_none() || x.as<Sequence>() != nullptr || x.as<Dict>() != nullptr)
    throw PythonError("TypeError", call.name,
                      fmt::format("{}() argument must be a string{} or a real number, not '{}'",
                                  is_int ? "int" : "float", is_int ? ", a bytes-like object" : "",
                                  python_type(x)));
  if (!x.is_number())
    misuse(call.name, "expects a number known when the program is read; got {}", x.description());
  if (type == Number::Float32) return {x.real(), true, 32};
  if (!is_int) return {x.real(), !is_python};
  if (!x.is_real()) return {x.integer("")};
  if (!std::isfinite(x.real()))
    throw PythonError(std::isnan(x.real()) ? "ValueError" : "OverflowError", "int",
                      fmt::format("cannot convert float {} to integer",
                                  std::isnan(x.real()) ? "NaN" : "infinity"));
  const double whole = std::trunc(x.real());
  if (!(std::abs(whole) < 9.2e18)) misuse("int", "{} does not fit 64 bits", x.real());
  return {static_cast<std::int64_t>(whole)};
}

/// Whether the value is a list that holds numbers known only at run time.
bool is_list_of_elements(const Value& value) {
  const auto* sequence = value.as<Sequence>();
  if (sequence == nullptr) return value.as<NumberList>() != nullptr;
  const auto is_number = [](const Value& item) { return item.is_number(); };
  return !std::all_of(sequence->items.begin(), sequence->items.end(), is_number);
}

/// What Python makes of a list's elements: its own number, if they all are.
Value element_of(const Value& list, const Array& result) {
  const std::optional<ElementType> type = element_type(list);
  return type && type->is_python ? python_number(result) : new_array(result);
}

/// abs() of Python: a number stays Python's, and a truth value becomes an int.
Value builtin_abs(const Call& call) {
  const Value& x = *call.bind()[0];
  if (!is_python_number(x)) return call_as("np.abs", call);
  if (x.is_number())
    return x.is_real() ? Value{std::abs(x.real())}
                       : number_arithmetic(ast::Operator::Multiply, x,
                                           {std::int64_t{x.integer("") < 0 ? -1 : 1}});
  const Array number = to_array(x, "abs's argument");
  return python_number(
      map(Op::abs, number.dtype() == DType::Bool ? number.as_type(DType::Int) : number));
}

/// Whether it is an array of one dimension or more.
bool is_array(const Value& value) {
  const auto* object = value.as<ObjectPtr>();
  return object != nullptr && !(*object)->shape().empty();
}

/// The largest or smallest element as Python finds it, which keeps the first until one compares
/// beyond it: of NaNs only the first element can win, of zeros the first one does.
Array extreme_of_list(Op op, const Array& list) {
  if (list.dtype() != DType::Float || list.ndim() != 1 || list.shape()[0] == 0)
    return reduce(op, list);
  const double infinity = std::numeric_limits<double>::infinity();
  const Array least = Array::number(op == Op::max ? -infinity : infinity);
  const Array first = list.rows(0, 1).reshape({});
  const Array numbers = where(equal(list, list), list, least);
  const Array place = reduce(op == Op::max ? Op::argmax : Op::argmin, numbers);
  const Array best = to_array(subscript(new_array(numbers), {new_array(place)}), "the best");
  return where(equal(first, first), best, first, true);
}

/// Python's choice between two scalars, one of them a run-time value: the first, unless the second
/// compares beyond it.
Value extreme_of_two(const Call& call, Op op, const Value& first, const Value& second) {
  const auto is_scalar = [](const Value& value) {
    const auto* object = value.as<ObjectPtr>();
    return object != nullptr ? (*object)->shape().empty() : value.is_integer() || value.is_number();
  };
  for (const Value* value : {&first, &second})
    if (!is_scalar(*value))
      misuse(call.name, "is for Python numbers; for arrays use np.{0} or np.{0}imum; got {1}",
             call.name, value->description());
  const Array a = to_array(first, call.name);
  const Array b = to_array(second, call.name);
  if (a.dtype() == DType::Bool || b.dtype() == DType::Bool)
    misuse(call.name, "compares numbers; one of these is a boolean");
  const Array one = a.is_number() ? full({}, a.node()->number, a.dtype()) : a;
  const Array beyond = op == Op::max ? b > one : b < one;
  const bool python = is_python_number(first) && is_python_number(second);
  const Array chosen = where(beyond, b, one, true);
  return python ? python_number(chosen) : new_array(chosen);
}

/// Python compares arrays of one element, and takes the array whose element wins.
Value extreme_of_arrays(const Call& call, Op op, const std::vector<Value>& all) {
  const Array first = to_array(all[0], call.name);
  const bool one_each = std::all_of(all.begin(), all.end(), [&](const Value& value) {
    return is_array(value) && (*value.as<ObjectPtr>())->read().size() == 1 &&
           (*value.as<ObjectPtr>())->read().shape() == first.shape() &&
           (*value.as<ObjectPtr>())->read().dtype() == first.dtype();
  });
  if (!one_each)
    misuse(call.name, "is for Python numbers; for arrays use np.{0} or np.{0}imum", call.name);
  Array best = first;
  for (const Value& value : all) {
    const Array other = (*value.as<ObjectPtr>())->read();
    best = where(op == Op::max ? other > best : other < best, other, best);
  }
  const std::string why = fmt::format(
      "which of these arrays {}() returns is known only at run time; an in-place change of them is "
      "not supported; take copies of them",
      call.name);
  for (const Value& value : all) (*value.as<ObjectPtr>())->refuse_writes(why);
  const Value result = new_array(best);
  (*result.as<ObjectPtr>())->refuse_writes(why);
  return result;
}

/// max and min of numbers, given one by one or in one tuple.
Value builtin_extreme(const Call& given, Op op) {
  const auto holds_objects = [](const Value& value) {
    const auto* several = value.as<Sequence>();
    const auto is_one = [](const Value& each) {
      const auto* object = each.as<InstancePtr>();
      return object != nullptr;
    };
    return is_one(value) || (several != nullptr &&
                             std::any_of(several->items.begin(), several->items.end(), is_one));
  };
  if (given.keyword("key") != nullptr ||
      std::any_of(given.arguments.begin(), given.arguments.end(), holds_objects))
    return extreme_by_key(given, op);
  if (const auto made = call_of_other_form(given)) return *made;
  Call call = given;
  std::erase_if(call.keywords, [](const auto& keyword) {
    return keyword.first == "default" || keyword.first == "key";
  });
  if (call.arguments.size() == 1 && call.arguments[0].as<Sequence>() == nullptr &&
      iteration_length(call.arguments[0]) && call.arguments[0].as<ObjectPtr>() == nullptr &&
      call.arguments[0].as<NumberList>() == nullptr)
    call.arguments[0] = new_sequence(true, elements_of(call.arguments[0]));
  if (const auto* array = call.arguments.size() == 1 ? call.arguments[0].as<ObjectPtr>() : nullptr;
      array != nullptr && call.keywords.empty() && (*array)->read().ndim() == 1)
    return new_array(extreme_of_list(op, (*array)->read()));
  if (default_of_extreme(given) != nullptr && call.arguments.size() == 1 &&
      iteration_length(call.arguments[0]) == 0)
    return extreme_of_nothing(given);
  const auto is_text = [](const Value& value) {
    return value.as<std::string>() != nullptr || value.as<Sequence>() != nullptr;
  };
  const auto* one = call.arguments.size() == 1 ? call.arguments[0].as<Sequence>() : nullptr;
  const std::vector<Value> all = one != nullptr ? elements_of(call.arguments[0]) : call.arguments;
  if (one != nullptr && all.size() == 1 && call.keywords.empty()) return all[0];
  if (one != nullptr && call.keywords.empty() && std::any_of(all.begin(), all.end(), is_array))
    return extreme_of_arrays(call, op, all);
  if (!all.empty() && std::any_of(all.begin(), all.end(), is_text)) {
    Value best = all[0];
    for (const Value& each : all)
      if (truth_of(op == Op::max ? known_less(best, each) : known_less(each, best)) == true)
        best = each;
    return best;
  }
  const auto is_known = [](const Value& value) { return value.is_number(); };
  if (call.arguments.size() > 1 && call.keywords.empty() &&
      !std::all_of(all.begin(), all.end(), is_known)) {
    Value result = all[0];
    for (std::size_t i = 1; i < all.size(); ++i) result = extreme_of_two(call, op, result, all[i]);
    return result;
  }
  if (call.arguments.size() == 1 && call.keywords.empty() && is_list_of_elements(call.arguments[0]))
    return element_of(call.arguments[0],
                      extreme_of_list(op, to_array(call.arguments[0], call.name + "'s argument")));
  const auto* sequence = call.arguments.size() == 1 ? call.arguments[0].as<Sequence>() : nullptr;
  const Items items = sequence != nullptr ? sequence->items : Items(call.arguments);
  for (const Value& item : items)
    if (!item.is_number())
      misuse(call.name, "is for Python numbers; for arrays use np.{0} or np.{0}imum; got {1}",
             call.name, item.description());
  if (!call.keywords.empty())
    misuse(Exception::TypeError, call.name, "got an unexpected keyword argument '{}'",
           call.keywords[0].first);
  if (sequence == nullptr && items.size() < 2)
    misuse(Exception::TypeError, call.name, "expects two numbers or more, or a tuple of them");
  if (items.empty()) return extreme_of_nothing(given);
  const auto less = [](const Value& a, const Value& b) {
    return *number_arithmetic(ast::Operator::Less, a, b).as<bool>();
  };
  Value result = items[0];
  for (const Value& item : items)
    if (op == Op::max ? less(result, item) : less(item, result)) result = item;
  return result;
}

/// Whether one of the items is no scalar.
bool adds_arrays(const Sequence& sequence) {
  return std::any_of(sequence.items.begin(), sequence.items.end(), [](const Value& item) {
    return is_array(item) || item.as<Sequence>() != nullptr;
  });
}

/// Of numbers, of a list of them, or over the first axis of an array.
Value builtin_sum(const Call& call) {
  const auto bound = call.bind();
  const Value& given = *bound[0];
  const bool is_list = given.as<Sequence>() != nullptr || given.as<ObjectPtr>() != nullptr ||
                       given.as<NumberList>() != nullptr || !iteration_length(given);
  const Value x = is_list ? given : new_sequence(true, elements_of(given));
  if (const auto* sequence = x.as<Sequence>(); sequence != nullptr && adds_arrays(*sequence)) {
    Value sum = bound[1] != nullptr ? *bound[1] : Value{std::int64_t{0}};
    for (const Value& item : sequence->items) sum = binary_operator(ast::Operator::Add, sum, item);
    return sum;
  }
  if (bound[1] != nullptr)
    return binary_operator(
        ast::Operator::Add, *bound[1],
        builtin_sum({call.name, {x}, {}, call.steps, nullptr, nullptr, call.row}));
  if (const auto* sequence = x.as<Sequence>(); sequence != nullptr && !is_list_of_elements(x)) {
    Value sum{std::int64_t{0}};
    for (const Value& item : sequence->items)
      sum = number_arithmetic(ast::Operator::Add, sum, item);
    return sum;
  }
  refuse_iteration("sum", x);
  const Array array = array_argument(call, &x, "iterable");
  if (array.ndim() == 0) misuse(Exception::TypeError, "sum", "iteration over a 0-d array");
  Array sum = reduce(Op::sum, array, 0);
  // Beside a scalar the 0 that Python begins with counts as an int64 in NumPy 1.
  const bool is_of_int64 = array.ndim() == 1 && numpy_version() < 2;
  if (array.dtype() == DType::Uint64 && is_of_int64)
    sum = sum.as_float();
  else if (is_narrow(array.dtype()))
    sum = is_of_int64 ? sum.as_type(DType::Int) : detail::as_integers(sum, array.dtype());
  // Python begins with 0, and 0 + -0.0 is 0.0
  return element_of(x, sum.dtype() == DType::Float ? sum + 0.0 : sum);
}

Value builtin_range(const Call& call) {
  if (!call.keywords.empty()) misuse(Exception::TypeError, "range", "takes no keyword arguments");
  if (std::any_of(call.arguments.begin(), call.arguments.end(), is_run_bound))
    return range_at_run(call);
  std::vector<Index> numbers;
  for (const Value& argument : call.arguments)
    numbers.push_back(argument.integer("a number of range()"));
  if (numbers.empty() || numbers.size() > 3)
    misuse(Exception::TypeError, "range", "takes one to three ints; got {}", numbers.size());
  if (numbers.size() == 1) return {RangeValue{0, numbers[0], 1}};
  if (numbers.size() == 2) return {RangeValue{numbers[0], numbers[1], 1}};
  if (numbers[2] == 0) misuse(Exception::ValueError, "range", "the step must not be zero");
  return {RangeValue{numbers[0], numbers[1], numbers[2]}};
}

}  // namespace

void enter_numbers(FunctionTable& table) {
  enter(table, Topic::Python,
        {{"len", "x", builtin_len, kSelections},
         {"abs", "x", builtin_abs, kBesideMask},
         {"max", "*args, key=None, default=None", with(builtin_extreme, Op::max), kOfFunctions},
         {"min", "*args, key=None, default=None", with(builtin_extreme, Op::min), kOfFunctions},
         {"sum", "iterable, start=None", builtin_sum, kEachPart},
         {"mean", "*args", [](const Call& call) { return call_as("np.mean", call); }},
         {"range", "*bounds", builtin_range},
         {"int", "x, base=None", with(builtin_number, Number::Int)},
         {"float", "x", with(builtin_number, Number::Float)},
         {"np.float32", "x", with(builtin_number, Number::Float32)},
         {"np.float64 np.float_", "x", with(builtin_number, Number::Float64)}});
}

}  // namespace rewriter

#include "rewriter/reader/functions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/float_widths.hpp"
#include "rewriter/reader/bits.hpp"
#include "rewriter/reader/complex.hpp"
#include "rewriter/reader/compose.hpp"
#include "rewriter/reader/dtypes.hpp"
#include "rewriter/reader/library.hpp"
#include "rewriter/reader/run_lengths.hpp"
#include "rewriter/reader/run_slices.hpp"
#include "rewriter/reader/selection.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

// ---- Python's own ----

Value builtin_len(const Call& call) {
  const Value& x = *call.bind({"x"}, 1)[0];
  if (const auto* sequence = x.as<Sequence>())
    return {static_cast<std::int64_t>(sequence->items.size())};
  if (const auto* list = x.as<NumberList>()) return integer_value(list->length);
  if (x.as<Ignored>() != nullptr && !is_chosen_text(x)) return x;
  if (x.as<Dict>() != nullptr || x.as<std::string>() != nullptr || x.as<RangeValue>() != nullptr)
    return {*iteration_length(x)};
  const auto* object = x.as<ObjectPtr>();
  if (object == nullptr || (*object)->shape().empty())
    misuse("len", "{} has no length", x.description());
  return {(*object)->shape()[0]};
}

Value builtin_number(const Call& call) {
  if (call.arguments.empty() && call.keywords.empty())
    return call.name == "int" ? Value{std::int64_t{0}} : Value{0.0, call.name != "float"};
  const Value& x = *call.bind({"x"}, 1)[0];
  if (const auto* text = x.as<std::string>()) {
    std::size_t used = 0;
    try {
      const Value result = call.name == "int" ? Value{std::int64_t{std::stoll(*text, &used)}}
                                              : Value{std::stod(*text, &used)};
      if (text->find_first_not_of(" \t\n", used) == std::string::npos) return result;
    } catch (const std::exception&) {
    }
    misuse(call.name, "cannot convert the text '{}'", *text);
  }
  const auto number = [&](const Array& value) {
    if (call.name == "float") return python_number(value.reshape({}));
    return new_array(value.reshape({1}).slice({index_range(0, 1)}));  // a scalar
  };
  if (x.as<Affine>() != nullptr) {
    if (call.name == "int") return x;
    return number(loop_value(*x.as<Affine>()) * Array(1.0));
  }
  if (const auto* object = x.as<ObjectPtr>();
      object != nullptr && call.name != "int" &&
      ((*object)->is_scalar() || (call.name == "float" && (*object)->read().size() == 1))) {
    const Array value = (*object)->read();
    return number(value.dtype() == DType::Float ? value : value * Array(1.0));
  }
  if (const auto* object = x.as<ObjectPtr>();
      object != nullptr && call.name != "int" && call.name != "float") {
    const Array array = (*object)->read();
    if (array.dtype() == DType::Float && array.ndim() > 0) return {*object};
    return new_array(converted(array, DType::Float).copy(), (*object)->contiguous());
  }
  if (const auto* object = x.as<ObjectPtr>();
      object != nullptr && call.name == "int" && (*object)->read().size() == 1)
    return python_int((*object)->read());
  if (!x.is_number())
    misuse(call.name, "expects a number known when the program is read; got {}", x.description());
  if (call.name == "np.float32") return {x.real(), true, 32};
  if (call.name != "int") return {x.real(), call.name != "float"};
  if (!x.is_real()) return {x.integer("")};
  const double whole = std::trunc(x.real());
  if (!(std::abs(whole) < 9.2e18)) misuse("int", "{} does not fit 64 bits", x.real());
  return {static_cast<std::int64_t>(whole)};
}

/// Whether the value is a list that holds numbers known only when the program runs.
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
Value builtin_abs(const Call& call, const Handler& numpy) {
  const Value& x = *call.bind({"x"}, 1)[0];
  if (!is_python_number(x)) return numpy(call);
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

/// Python's choice between two scalars, of which the run computes one: the first, unless the second
/// compares beyond it.
Value extreme_of_two(const Call& call, const Value& first, const Value& second) {
  const auto is_scalar = [](const Value& value) {
    const auto* object = value.as<ObjectPtr>();
    return object != nullptr ? (*object)->shape().empty() : value.is_integer() || value.is_number();
  };
  for (const Value* value : {&first, &second})
    if (!is_scalar(*value))
      misuse(call.name, "is for Python numbers; np.{0} or np.{0}imum does it for arrays; got {1}",
             call.name, value->description());
  const Array a = to_array(first, call.name);
  const Array b = to_array(second, call.name);
  if (a.dtype() == DType::Bool || b.dtype() == DType::Bool)
    misuse(call.name, "compares numbers; one of these is a truth value");
  const Array one = a.is_number() ? full({}, a.node()->number, a.dtype()) : a;
  const Array beyond = call.name == "max" ? b > one : b < one;
  const bool python = is_python_number(first) && is_python_number(second);
  const Array chosen = where(beyond, b, one, true);
  return python ? python_number(chosen) : new_array(chosen);
}

/// Python compares arrays of one element, and takes the array whose element wins.
Value extreme_of_arrays(const Call& call, const std::vector<Value>& all) {
  const Array first = to_array(all[0], call.name);
  const bool one_each = std::all_of(all.begin(), all.end(), [&](const Value& value) {
    return is_array(value) && (*value.as<ObjectPtr>())->read().size() == 1 &&
           (*value.as<ObjectPtr>())->read().shape() == first.shape() &&
           (*value.as<ObjectPtr>())->read().dtype() == first.dtype();
  });
  if (!one_each)
    misuse(call.name, "is for Python numbers; np.{0} or np.{0}imum does it for arrays", call.name);
  Array best = first;
  for (const Value& value : all) {
    const Array other = (*value.as<ObjectPtr>())->read();
    best = where(call.name == "max" ? other > best : other < best, other, best);
  }
  const std::string why = fmt::format(
      "which of these arrays {}() gave is known only when the program runs, so an in-place change "
      "is outside the notation; take copies of them",
      call.name);
  for (const Value& value : all) (*value.as<ObjectPtr>())->refuse_writes(why);
  const Value result = new_array(best);
  (*result.as<ObjectPtr>())->refuse_writes(why);
  return result;
}

/// max and min of numbers, given one by one or in one tuple.
Value builtin_extreme(const Call& given) {
  Call call = given;
  std::optional<Value> standard;
  for (const auto& [keyword, value] : call.keywords)
    if (keyword == "default") standard = value;
  std::erase_if(call.keywords, [](const auto& keyword) { return keyword.first == "default"; });
  if (call.arguments.size() == 1 && call.arguments[0].as<Sequence>() == nullptr &&
      iteration_length(call.arguments[0]) && call.arguments[0].as<ObjectPtr>() == nullptr &&
      call.arguments[0].as<NumberList>() == nullptr)
    call.arguments[0] = new_sequence(true, elements_of(call.arguments[0]));
  if (const auto* array = call.arguments.size() == 1 ? call.arguments[0].as<ObjectPtr>() : nullptr;
      array != nullptr && call.keywords.empty() && (*array)->read().ndim() == 1)
    return new_array(extreme_of_list(call.name == "max" ? Op::max : Op::min, (*array)->read()));
  if (standard && call.arguments.size() == 1 && iteration_length(call.arguments[0]) == 0)
    return *standard;
  const auto is_text = [](const Value& value) {
    return value.as<std::string>() != nullptr || value.as<Sequence>() != nullptr;
  };
  const auto* one = call.arguments.size() == 1 ? call.arguments[0].as<Sequence>() : nullptr;
  const std::vector<Value> all = one != nullptr ? elements_of(call.arguments[0]) : call.arguments;
  if (one != nullptr && all.size() == 1 && call.keywords.empty()) return all[0];
  if (one != nullptr && call.keywords.empty() && std::any_of(all.begin(), all.end(), is_array))
    return extreme_of_arrays(call, all);
  if (!all.empty() && std::any_of(all.begin(), all.end(), is_text)) {
    Value best = all[0];
    for (const Value& each : all)
      if (truth_of(call.name == "max" ? known_less(best, each) : known_less(each, best)) == true)
        best = each;
    return best;
  }
  const auto is_known = [](const Value& value) { return value.is_number(); };
  if (call.arguments.size() > 1 && call.keywords.empty() &&
      !std::all_of(all.begin(), all.end(), is_known)) {
    Value result = all[0];
    for (std::size_t i = 1; i < all.size(); ++i) result = extreme_of_two(call, result, all[i]);
    return result;
  }
  if (call.arguments.size() == 1 && call.keywords.empty() && is_list_of_elements(call.arguments[0]))
    return element_of(call.arguments[0],
                      extreme_of_list(call.name == "max" ? Op::max : Op::min,
                                      to_array(call.arguments[0], call.name + "'s argument")));
  const auto* sequence = call.arguments.size() == 1 ? call.arguments[0].as<Sequence>() : nullptr;
  const Items items = sequence != nullptr ? sequence->items : Items(call.arguments);
  for (const Value& item : items)
    if (!item.is_number())
      misuse(call.name, "is for Python numbers; np.{0} or np.{0}imum does it for arrays; got {1}",
             call.name, item.description());
  if (!call.keywords.empty())
    misuse(call.name, "got an unexpected keyword argument '{}'", call.keywords[0].first);
  if (sequence == nullptr && items.size() < 2)
    misuse(call.name, "expects two numbers or more, or a tuple of them");
  if (items.empty()) misuse(call.name, "arg is an empty sequence");
  const auto less = [](const Value& a, const Value& b) {
    return *number_arithmetic(ast::Operator::Less, a, b).as<bool>();
  };
  Value result = items[0];
  for (const Value& item : items)
    if (call.name == "max" ? less(result, item) : less(item, result)) result = item;
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
  const auto bound = call.bind({"iterable", "start"}, 1);
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
    return binary_operator(ast::Operator::Add, *bound[1],
                           builtin_sum({call.name, {x}, {}, call.steps}));
  if (const auto* sequence = x.as<Sequence>(); sequence != nullptr && !is_list_of_elements(x)) {
    Value sum{std::int64_t{0}};
    for (const Value& item : sequence->items)
      sum = number_arithmetic(ast::Operator::Add, sum, item);
    return sum;
  }
  const Array array = array_argument(call, &x, "iterable");
  if (array.ndim() == 0) misuse("sum", "{} is not iterable", x.description());
  Array sum = reduce(Op::sum, array, 0);
  const bool is_vector = array.ndim() == 1;
  if (array.dtype() == DType::Uint64 && is_vector)
    sum = sum.as_float();
  else if (is_narrow(array.dtype()))
    sum = is_vector ? sum.as_type(DType::Int) : detail::as_integers(sum, array.dtype());
  // Python begins with 0, and 0 + -0.0 is 0.0
  return element_of(x, sum.dtype() == DType::Float ? sum + 0.0 : sum);
}

Value builtin_range(const Call& call) {
  if (!call.keywords.empty()) misuse("range", "takes no keyword arguments");
  if (std::any_of(call.arguments.begin(), call.arguments.end(), is_run_bound))
    return range_at_run(call);
  std::vector<Index> numbers;
  for (const Value& argument : call.arguments)
    numbers.push_back(argument.integer("a number of range()"));
  if (numbers.empty() || numbers.size() > 3)
    misuse("range", "takes one to three ints; got {}", numbers.size());
  if (numbers.size() == 1) return {RangeValue{0, numbers[0], 1}};
  if (numbers.size() == 2) return {RangeValue{numbers[0], numbers[1], 1}};
  if (numbers[2] == 0) misuse("range", "the step must not be zero");
  return {RangeValue{numbers[0], numbers[1], numbers[2]}};
}

// ---- the table ----

const Handlers& table() {
  static const Handlers instance = [] {
    Handlers all;
    enter_library(all);
    enter_linalg(all);
    enter_order(all);
    enter_quantiles(all);
    enter_heaps(all);
    enter_types(all);
    enter_dtypes(all);
    enter_draws(all);
    enter_known(all);
    enter_elementwise(all);
    enter_reductions(all);
    enter_making(all);
    enter_moving(all);
    enter_joining(all);
    enter_places(all);
    enter_sets(all);
    enter_composed(all);
    enter_contractions(all);
    enter_texts(all);
    enter_builtins(all);
    enter_itertools(all);
    const Handler numpy_abs = all.at("np.abs").handler;
    all.at("abs").handler = [numpy_abs](const Call& call) { return builtin_abs(call, numpy_abs); };
    enter(all, "len", builtin_len);
    enter(all, "max min", builtin_extreme);
    enter(all, "mean", all.at("np.mean").handler);
    enter(all, "sum", builtin_sum);
    enter(all, "range", builtin_range);
    enter(all, "float int np.float64 np.float32", builtin_number);
    enter_complex(all);
    enter_bits(all);
    return all;
  }();
  return instance;
}

/// What people may reach for, and what to write here.
struct Instead {
  std::string_view name;
  std::string_view advice;
};
constexpr Instead kInstead[] = {
    {"np.linalg.eig",
     "the eigenvalues of a matrix that is not symmetric are complex; np.linalg.eigh does it for "
     "symmetric ones"},
    {"np.linalg.eigvals",
     "the eigenvalues of a matrix that is not symmetric are complex; np.linalg.eigvalsh does it "
     "for symmetric ones"},
    {"np.float16", "arrays hold floating-point numbers of the run's precision; write float"},
    {"np.half", "arrays hold floating-point numbers of the run's precision; write float"},
};

/// Modules, and what the op table writes before their functions.
constexpr std::pair<std::string_view, std::string_view> kModules[] = {
    {"numpy", "np."},
    {"numpy.random", "np.random."},
    {"numpy.linalg", "np.linalg."},
    {"numpy.fft", "np.fft."},
    {"numpy.lib", "np.lib."},
    {"numpy.lib.stride_tricks", "np.lib.stride_tricks."},
    {"scipy.fft", "np.fft."},
    {"gnumpy", "gpu."},
    {"math", "math."},
    {"itertools", "itertools."},
    {"functools", "functools."},
    {"collections", "collections."},
    {"heapq", "heapq."},
    {"scipy", "scipy."},
    {"scipy.special", "scipy.special."},
    {"scipy.stats", "scipy.stats."},
    {"numpy.random.Generator()", "np.random.Generator()."},
    {"numpy.random.RandomState()", "np.random.RandomState()."},
    {"finfo(float64)", "finfo(float64)."},
    {"iinfo(int8)", "iinfo(int8)."},
    {"iinfo(uint8)", "iinfo(uint8)."},
    {"iinfo(int16)", "iinfo(int16)."},
    {"iinfo(uint16)", "iinfo(uint16)."},
    {"iinfo(int32)", "iinfo(int32)."},
    {"iinfo(uint32)", "iinfo(uint32)."},
    {"iinfo(uint64)", "iinfo(uint64)."},
    {"finfo(float32)", "finfo(float32)."},
    {"iinfo(int64)", "iinfo(int64)."},
};

/// Levenshtein's distance, where two neighbours that are swapped count as one change.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    next[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = row[j] + (a[i] == b[j] ? 0 : 1);
      next[j + 1] = std::min({next[j] + 1, row[j + 1] + 1, change});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
    }
    before = std::exchange(row, next);
  }
  return row[b.size()];
}

/// A name without its module, and the module.
std::pair<std::string_view, std::string_view> split(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::pair{name, std::string_view{}}
                                       : std::pair{name.substr(dot + 1), name.substr(0, dot + 1)};
}

/// The name of the notation, in the same module, that was probably meant; empty if none was.
std::string_view nearest_name(std::string_view name) {
  const auto [word, module] = split(name);
  std::string_view nearest;
  std::size_t best = word.size() > 5 ? 3 : 2;
  for (const auto& [known, handler] : table()) {
    const auto [other, its_module] = split(known);
    if (its_module != module || word.size() < 3 || word.size() > other.size() + 2) continue;
    if (const std::size_t d = distance(word, other); d < best) {
      best = d;
      nearest = known;
    }
  }
  return nearest;
}

/// What NumPy makes in C order, whatever the layout of what it is made from, and what says itself
/// in which order it is. Other functions keep the layout of their arguments as far as they can,
/// each in its own way.
constexpr std::string_view kInOrder =
    "array asarray asanyarray ascontiguousarray as_garray dot matmul tensordot inner outer kron "
    "tile repeat take argsort searchsorted digitize isin interp vander cov corrcoef inv solve pinv "
    "zeros ones full empty eye identity rand randn";

bool makes_order(std::string_view name) {
  return name == ".copy" || has_word(kInOrder, split(name).first);  // np.copy keeps the order
}

/// Whether an array of two dimensions or more among them may lie in another order than C's.
template <class Values>
bool any_out_of_order(const Values& values) {
  return std::any_of(values.begin(), values.end(), [](const Value& value) {
    if (const auto* sequence = value.as<Sequence>()) return any_out_of_order(sequence->items);
    const auto* object = value.as<ObjectPtr>();
    return object != nullptr && !(*object)->contiguous() && (*object)->shape().size() > 1;
  });
}

/// What the call made, and nobody else holds, may lie in another order than C's.
void forget_order(const Value& result) {
  if (const auto* sequence = result.as<Sequence>())
    std::for_each(sequence->items.begin(), sequence->items.end(), forget_order);
  const auto* object = result.as<ObjectPtr>();
  if (object != nullptr && is_held_once(*object) && (*object)->shape().size() > 1)
    (*object)->forget_order();
}

}  // namespace

void enter(Handlers& table, std::string_view names, const Handler& handler, Takes takes) {
  while (!names.empty()) {
    const std::size_t space = std::min(names.find(' '), names.size());
    const std::string_view name = names.substr(0, space);
    if (!table.emplace(name, TableEntry{handler, takes}).second)
      throw cudamat::InternalError(fmt::format("{} is entered twice", name));
    names.remove_prefix(std::min(space + 1, names.size()));
  }
}

std::string_view module_prefix(std::string_view module) {
  for (const auto& [name, prefix] : kModules)
    if (name == module) return prefix;
  return "";
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const auto& [name, handler] : table()) names.push_back(name);
  return names;
}

bool is_function(std::string_view name) {
  return table().find(name) != table().end();
}

std::string_view advice(std::string_view name) {
  for (const Instead& instead : kInstead)
    if (instead.name == name) return instead.advice;
  return "";
}

std::string unknown_function(std::string_view name) {
  std::string text = fmt::format("{} is not in the notation", name);
  if (!advice(name).empty()) return fmt::format("{}; {}", text, advice(name));
  if (is_known_elsewhere(name)) return text;
  const std::string_view nearest = nearest_name(name);
  if (!nearest.empty()) text += fmt::format("; did you mean {}?", nearest);
  return text;
}

static bool has_out(const Call& call, bool is_none = false) {
  return std::any_of(call.keywords.begin(), call.keywords.end(), [&](const auto& keyword) {
    return keyword.first == "out" && keyword.second.is_none() == is_none;
  });
}

/// What the call made has the floats that it asked for, or that NumPy makes there.
static void note_float_bits(const Call& call, std::uint64_t newest, int asked, Value& result) {
  constexpr std::string_view kMakesDoubles =
      "np.zeros np.ones np.empty np.full np.eye np.identity np.array np.asarray np.linspace "
      "np.logspace np.geomspace np.arange np.tri np.hanning np.hamming np.blackman np.bartlett "
      "np.interp np.cov np.corrcoef np.polyfit np.fromfunction np.histogram np.bincount";
  const auto* object = result.as<ObjectPtr>();
  if (object == nullptr || (*object)->is_python()) return;
  const Array array = (*object)->read();
  if (array.dtype() != DType::Float) return;
  const bool is_new = array.node()->id > newest;
  if (asked == 0 && (call.name == "np.float32" || call.name == "np.float64"))
    asked = call.name == "np.float32" ? 32 : 64;
  if (asked == 0 && is_new && call.name.ends_with("_like") && !call.arguments.empty()) {
    const auto* like = call.arguments[0].as<ObjectPtr>();
    if (like == nullptr || (*like)->read().dtype() != DType::Float) return;
    asked = (*like)->float_bits();
    if (asked == 0) asked = FloatWidths().of((*like)->read().node());
    if (asked == 0) return;
  }
  if (asked == 0) {
    const Kind kind = array.node()->kind;
    const bool gathers = call.name == "np.array" || call.name == "np.asarray";
    if (!is_new || !has_word(kMakesDoubles, call.name) ||
        (gathers && kind != Kind::Constant && kind != Kind::Fill))
      return;
    asked = 64;
  }
  if (!is_new) {
    const int known =
        (*object)->float_bits() != 0 ? (*object)->float_bits() : FloatWidths().of(array.node());
    const int bits = known != 0 ? known : float_bits() != 0 ? float_bits() : 64;
    if (asked == bits || has_out(call)) return;
    result = new_array(array.copy(), (*object)->contiguous());
    object = result.as<ObjectPtr>();
  }
  if (has_out(call)) return;
  (*object)->read().node()->float_bits = static_cast<std::uint8_t>(asked);
  if (!(*object)->is_scalar()) (*object)->set_float_bits(asked);
}

/// Functions whose axis is an int, so that None is not its default.
static void refuse_no_axis(const Call& call) {
  constexpr std::string_view kOfOneAxis =
      "np.add.accumulate np.multiply.accumulate np.maximum.accumulate np.minimum.accumulate "
      "np.add.reduceat np.maximum.reduceat np.minimum.reduceat np.bitwise_and.reduce "
      "np.bitwise_or.reduce np.bitwise_xor.reduce np.split np.array_split np.fft.fft "
      "np.fft.ifft np.fft.rfft np.fft.irfft np.lexsort np.linspace np.stack";
  for (const auto& [keyword, value] : call.keywords)
    if (keyword == "axis" && !value.is_integer() && has_word(kOfOneAxis, call.name))
      misuse(call.name, "axis must be an integer; got {}", value.description());
}

/// `out=None` is as if it were left out.
static Call without_no_out(Call call) {
  std::erase_if(call.keywords,
                [](const auto& each) { return each.first == "out" && each.second.is_none(); });
  return call;
}

Value call_function(const Call& call) {
  if (!call.keywords.empty()) refuse_no_axis(call);
  if (has_out(call, true)) return call_function(without_no_out(call));
  const auto at = table().find(call.name);
  const bool takes_any_form = at != table().end() && at->second.takes == Takes::AnyForm;
  if (!takes_any_form)
    if (const auto complex = complex_call(call)) return *complex;
  if (at == table().end()) misuse("call", "{}", unknown_function(call.name));
  const auto is_run_list = [](const Value& value) { return value.as<RunList>() != nullptr; };
  if (call.name == "list" && call.arguments.size() == 1 && is_run_list(call.arguments[0])) {
    const auto& list = *call.arguments[0].as<RunList>();
    return {RunList{*new_array(list.cell->read().copy()).as<ObjectPtr>(),
                    *new_array(list.count->read().copy()).as<ObjectPtr>(), list.form}};
  }
  if (std::any_of(call.arguments.begin(), call.arguments.end(), is_run_list))
    return call_function(of_selected_elements(call));
  if (!takes_any_form)
    if (const auto selected = selection_call(call)) return *selected;
  const std::uint64_t newest = newest_node();
  const int asked_outside = std::exchange(asked_float_bits, 0);
  Value result = at->second(call);
  note_float_bits(call, newest, std::exchange(asked_float_bits, asked_outside), result);
  if (any_out_of_order(call.arguments) && !makes_order(call.name)) forget_order(result);
  return result;
}

}  // namespace rewriter

// Element-wise functions and reductions of the notation.
#include <algorithm>
#include <cmath>

#include "cudamat/functors.hpp"
#include "rewriter/expr/build.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/table/trees.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/dtypes.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::Family;
using cudamat::misuse;

namespace {

// ---- element-wise ----

/// A function of a Python number is known at once.
Value fold_unary(Op op, const Value& x) {
  const double number = x.real();
  switch (op) {
#define ROW(name, family, style, functor, numpy, facts) \
  case Op::name:                                        \
    return {static_cast<double>(cudamat::functors::functor{}(number))};
    CUDAMAT_UNARY_OPS(ROW)
#undef ROW
    default:
      throw cudamat::InternalError("not a unary operation");
  }
}

/// The same of two, where the result is a float.
double fold_binary(Op op, double a, double b) {
  switch (op) {
#define ROW(name, family, style, functor, numpy, facts) \
  case Op::name:                                        \
    return static_cast<double>(cudamat::functors::functor{}(a, b));
    CUDAMAT_BINARY_OPS(ROW)
#undef ROW
    default:
      throw cudamat::InternalError("not a binary operation");
  }
}

/// What out= has already where where= does not hold.
Array where_asked(const Call& call, const Array& result, const Value* out, const Value* condition) {
  if (condition == nullptr) return result;
  const auto* tuple = out == nullptr ? nullptr : out->as<Sequence>();
  if (tuple != nullptr && tuple->items.size() == 1) out = tuple->items.begin();
  const auto* object = out == nullptr ? nullptr : out->as<ObjectPtr>();
  if (object == nullptr)
    misuse(call.name, "the result is uninitialized where where= is False; give out=");
  const Array held = (*object)->read();
  detail::check_in_place(call.name, held, broadcast_to(result, held.shape()));
  return where(detail::truth(array_argument(call, condition, "where")),
               converted(result, held.dtype()), held);
}

bool is_written_into(const Value& x, const Value* out) {
  const auto* array = x.as<ObjectPtr>();
  const auto* selected = x.as<Selected>();
  if (out == nullptr) return false;
  if (const auto* other = out->as<ObjectPtr>()) return array != nullptr && *array == *other;
  const auto* other = out->as<Selected>();
  return selected != nullptr && other != nullptr && selected->whole == other->whole;
}

/// of_floats: of integers as floats.
Value unary(const Call& call, Op op, bool of_floats = false) {
  const auto bound = call.bind();
  const Value& x = *bound[0];
  if (call.name == "np.fix" && numpy_version() < 2 && is_written_into(x, bound[1]))
    misuse(call.name, "NumPy 1 writes out= while it reads the same array; write np.trunc");
  Array a = array_argument(call, &x, "x");
  const bool is_whole = op == Op::floor || op == Op::ceil || op == Op::trunc;
  const bool stays = is_whole && numpy_version() >= 2 && a.dtype() != DType::Float;
  if (stays && a.is_number() && bound[1] == nullptr) return numpy_number(x);
  if (stays)
    return give_elements(call, where_asked(call, a.copy(), bound[1], bound[2]), bound[1],
                         contiguous(&x));
  const bool of_truth = of_floats && a.dtype() == DType::Bool;
  if (a.is_number() && !of_truth && bound[1] == nullptr &&
      map(op, a).dtype() != DType::Bool) {  // raises the errors of arrays
    const bool stays_whole = map(op, a).dtype() == DType::Int && !of_floats;
    const Value result = fold_unary(op, x);
    return numpy_number(stays_whole ? Value{static_cast<std::int64_t>(result.real())} : result);
  }
  if (of_floats && is_integer(a.dtype())) a = a * Array(1.0);
  if (of_truth)
    misuse(call.name, "{} computes this of booleans in {}; multiply by 1.0 first",
           call.name.starts_with("np.") ? "NumPy" : "SciPy",
           call.name.starts_with("np.") ? "float16" : "float32");
  return give_elements(call, where_asked(call, map(op, a), bound[1], bound[2]), bound[1],
                       contiguous(&x));
}

/// Of two Python numbers a float is known at once, and how floats compare.
std::optional<Value> known_binary(Op op, const Call& call) {
  const auto& x = call.arguments;
  const bool has_keyword =
      std::any_of(call.keywords.begin(), call.keywords.end(),
                  [](const auto& keyword) { return !keyword.second.is_none(); });
  if (has_keyword || x.size() != 2 || !x[0].is_number() || !x[1].is_number()) return std::nullopt;
  if ((op == Op::maximum || op == Op::minimum) && x[0].is_integer() && x[1].is_integer()) {
    const bool first = (x[0].integer("x1") < x[1].integer("x2")) == (op == Op::minimum);
    return numpy_number(x[first ? 0 : 1]);
  }
  const bool is_real = x[0].is_real() || x[1].is_real() || op == Op::divide;
  const DType dtype = map(op, Array(1.0), Array(1.0)).dtype();
  if (!is_real || (dtype != DType::Float && dtype != DType::Bool)) return std::nullopt;
  const double result = fold_binary(op, x[0].real(), x[1].real());
  return dtype == DType::Bool ? Value{result != 0, true} : Value{result, true};
}

template <class F>
Value combined(const Call& call, const F& build, bool compares, bool divides = false) {
  const auto bound = call.bind();
  Value a = *bound[0], b = *bound[1];
  promote_numbers(a, b, compares, divides);
  const Array result = build(array_argument(call, &a, "x1"), array_argument(call, &b, "x2"));
  note_width(a, b, result);
  return give_elements(call, where_asked(call, result, bound[2], bound[3]), bound[2],
                       contiguous(bound[0]) && contiguous(bound[1]));
}

Value compared(const Call& call, BinaryBuilder build) {
  return combined(call, build, true);
}

/// of_floats: of integers as floats.
Value binary(const Call& call, Op op, bool of_floats = false) {
  if (const auto known = known_binary(op, call)) return *known;
  if (op == Op::pow && !of_floats && call.caller != nullptr && call.arguments.size() > 1)
    call.caller->check_power(call.arguments[0], call.arguments[1]);
  if (of_floats) asked_float_bits = 64;
  const auto build = [&](const Array& given, const Array& b) {
    const Array a = of_floats ? converted(given, DType::Float) : given;
    if (op == Op::mod) return mod(a, b);
    return op == Op::floor_divide ? floor_divide(a, b) : map(op, a, b);
  };
  return combined(call, build, cudamat::row(op).has(cudamat::kTruth), op == Op::divide);
}

/// As selections: the number of indices is known only at run time.
Value np_nonzero(const Call& call, bool is_flat) {
  const Array mask = array_argument(call, call.bind()[0], "a");
  if (mask.ndim() == 0) misuse(call.name, "takes an array of one dimension or more");
  if (is_flat) return places_of(mask.reshape({-1})).as<Sequence>()->items[0];
  return places_of(mask);
}

Value np_where(const Call& call) {
  const auto bound = call.bind();
  if (bound[1] == nullptr && bound[2] == nullptr) return np_nonzero(call, false);
  if (bound[1] == nullptr || bound[2] == nullptr)
    misuse(Exception::ValueError, call.name, "either both or neither of x and y should be given");
  Value x = *bound[1], y = *bound[2];
  promote_numbers(x, y, false);
  const Array result = where(array_argument(call, bound[0], "condition"),
                             array_argument(call, &x, "x"), array_argument(call, &y, "y"));
  note_width(x, y, result);
  return new_array(result, contiguous(bound[0]) && contiguous(bound[1]) && contiguous(bound[2]));
}

/// NumPy's function has both bounds or, from 2.1 on, none.
void check_bounds_of_clip(const Call& call) {
  if (!call.name.starts_with("np.")) return;
  std::size_t given = std::min<std::size_t>(call.arguments.size(), 3) - 1;
  for (const auto& [keyword, value] : call.keywords)
    given += keyword == "a_min" || keyword == "a_max";
  if (given == 1 || (given == 0 && numpy_version() < 2))
    misuse(call.name, "takes both a_min and a_max, of which one may be None");
}

Value np_clip(const Call& call) {
  const auto bound = call.bind();
  check_bounds_of_clip(call);
  for (const Value* side : {bound[1], bound[2]})
    if (side != nullptr && side->is_number() && std::isnan(side->real()))
      misuse("clip", "the effect of a NaN bound depends on NumPy's version; omit it");
  Value a = *bound[0];
  std::optional<Array> low, high;
  const auto limit = [&](const Value* given, std::string_view name) -> std::optional<Array> {
    if (given == nullptr) return std::nullopt;
    Value number = *given;
    promote_numbers(a, number, false);
    return array_argument(call, &number, name);
  };
  low = limit(bound[1], "a_min");
  high = limit(bound[2], "a_max");
  if (numpy_version() >= 2) asked_float_bits = joint_width(call.arguments);
  Array clipped = clip(array_argument(call, &a, "a"), low, high);
  if (numpy_version() < 2)
    clipped = as_out(clipped, bound[3]);  // which NumPy 2 raises an error for
  return give_elements(call, clipped, bound[3],
                       contiguous(bound[0]) && contiguous(bound[1]) && contiguous(bound[2]));
}

Value np_round(const Call& call) {
  const auto bound = call.bind();
  const Index decimals = bound[1]->integer("round's decimals");
  if (std::abs(decimals) > 300)
    misuse(call.name, "decimals must be from -300 to 300; got {}", decimals);
  const Array a = array_argument(call, bound[0], "a");
  const Array rounded = round(a, static_cast<int>(decimals));
  const ObjectPtr* const object = bound[0]->as<ObjectPtr>();
  if (bound[2] != nullptr) return give(call, rounded, bound[2], contiguous(bound[0]));
  if (!is_integer(a.dtype()) || object == nullptr || (*object)->is_scalar())
    return new_array(rounded, contiguous(bound[0]));
  return new_array_unless_shared(
      rounded, *object,
      "whether NumPy's round copies these integers depends on its version; an in-place change of "
      "them is not supported; round a copy: np.round(a.copy())",
      contiguous(bound[0]));
}

// ---- reductions ----

/// What a reduction of `of` gives. Its layout follows that of an array that is not in C order.
Value reduced(const Call& call, const Array& result, const Value& of, const Value* out) {
  return give(call, as_out(result, out), out, result.ndim() < 2 || contiguous(&of));
}

/// What changes nothing where where= leaves an element out.
std::optional<Array> neutral_of(Op op, DType dtype) {
  if (op == Op::sum || op == Op::mean) return Array::number(0, dtype);
  if (op == Op::prod || op == Op::all) return Array::number(1, dtype);
  if (op == Op::any) return Array::number(0, dtype);
  return std::nullopt;
}

/// The number that initial= gives; nothing where it is omitted.
std::optional<Array> initial_of(const Call& call, const Array& a, const Value* initial) {
  if (initial == nullptr) return std::nullopt;
  Array number = array_argument(call, initial, "initial");
  if (number.ndim() != 0) misuse(call.name, "initial must be a number");
  if (a.dtype() != DType::Float && (number.dtype() == DType::Float || is_narrow(a.dtype())))
    misuse(call.name,
           "for integers initial= must be an int and the array int64; write a.astype(float)");
  return number;
}

/// With initial= and where=, which come after keepdims.
Value reduction_of_asked(const Call& call, Op op, const Array& a, const std::vector<int>& axes,
                         bool keepdims, const Value* initial, const Value* condition,
                         const Value* out) {
  const bool extreme = op == Op::max || op == Op::min;
  if (initial != nullptr && !extreme && op != Op::sum && op != Op::prod)
    misuse(Exception::TypeError, call.name, "got an unexpected keyword argument 'initial'");
  std::optional<Array> first = initial_of(call, a, initial);
  if (first && extreme && a.dtype() == DType::Bool) first = detail::truth(*first);
  Array held = a;
  std::optional<Array> asked;
  if (condition != nullptr) {
    asked = detail::truth(array_argument(call, condition, "where"));
    if (broadcast(asked->shape(), a.shape()) != a.shape())
      misuse(call.name, "where= must broadcast to the array's shape {}; got {}",
             to_string(a.shape()), to_string(asked->shape()));
    const std::optional<Array> neutral = extreme ? first : neutral_of(op, a.dtype());
    if (!neutral)
      misuse(
          call.name, "{}",
          extreme ? "has no identity, so that where= needs initial=" : "where= is not supported");
    held = where(*asked, a, *neutral);
  }
  if (op == Op::mean) {
    const Array counts = over(Op::sum, broadcast_to(*asked, a.shape()), axes, keepdims);
    return give(call, over(Op::sum, held * Array(1.0), axes, keepdims) / counts, out);
  }
  const bool of_none = extreme && first && held.size() == 0;  // then first is all there is
  Array result = over(of_none ? Op::sum : op, held, axes, keepdims);
  if (first && (op == Op::sum || of_none)) result = result + *first;
  if (first && op == Op::prod) result = result * *first;
  if (first && extreme && !of_none)
    result = op == Op::max ? maximum(result, *first) : minimum(result, *first);
  return give(call, result, out);
}

/// What a reduction takes besides the array: initial= and where=, and dtype= where it computes a
/// type of its own.
bool takes_asked(Op op) {
  using enum Op;
  return op == sum || op == mean || op == prod || op == any || op == all || op == max || op == min;
}
bool takes_type(Op op) {
  const cudamat::OpRow& row = cudamat::row(op);
  return !row.has(cudamat::kSame) && !row.has(cudamat::kTruth) && !row.has(cudamat::kIndex);
}
std::string parameters_of_reduction(Op op) {
  return fmt::format("a, axis=None, {}out=None, keepdims=False{}",
                     takes_type(op) ? "dtype=None, " : "",
                     takes_asked(op) ? ", initial=None, where=None" : "");
}

/// Of a ufunc's reduce(), whose third argument is always the dtype.
std::string parameters_of_reduce(Op op) {
  std::string parameters = parameters_of_reduction(op);
  parameters.replace(parameters.find("None"), 4, takes_type(op) ? "0" : "0, *");
  return parameters;
}

Value reduction(const Call& call, Op op) {
  const bool typed = takes_type(op), asks = takes_asked(op);
  const auto bound = call.bind();
  const std::size_t last = typed ? 4 : 3;
  Array a = array_argument(call, bound[0], "a");
  const bool is_typed = typed && bound[2] != nullptr;
  if (is_typed) a = converted(a, dtype_argument(bound[2]).value_or(DType::Float));
  const DType dtype = a.dtype();
  const Value* out = bound[last - 1];
  const bool keepdims = flag(bound[last]);
  if (asks && (bound[last + 1] != nullptr || bound[last + 2] != nullptr)) {
    if (is_typed) misuse(call.name, "dtype= together with initial= or where= is not supported");
    return reduction_of_asked(call, op, a, axes_argument(call, bound[1], a.ndim()), keepdims,
                              bound[last + 1], bound[last + 2], out);
  }
  const bool several = bound[1] != nullptr && bound[1]->as<Sequence>() != nullptr;
  Array result = several && cudamat::row(op).family == Family::Reduction
                     ? over(op, a, axes_argument(call, bound[1], a.ndim()), keepdims)
                     : reduce(op, a, axis_argument(call, bound[1]), keepdims);
  if (is_typed && op == Op::mean && dtype != DType::Float && dtype != DType::Int)
    misuse(
        call.name,
        "dtype= of a mean must be a type of floats or int64; np.sum(a, dtype=...) takes any type");
  if (is_typed) result = converted(result, dtype);
  return reduced(call, result, *bound[0], out);
}

/// np.add.reduce(a, axis=0): the reduction, over the first axis where none is given.
Value over_first(const Call& call, const std::string& function) {
  (void)call.bind();
  Call plain = call;
  plain.name = function;
  const bool has_axis = call.arguments.size() > 1 ||
                        std::any_of(call.keywords.begin(), call.keywords.end(),
                                    [](const auto& keyword) { return keyword.first == "axis"; });
  if (!has_axis) plain.keywords.emplace_back("axis", Value{std::int64_t{0}});
  return call_function(plain);
}

Value spread(const Call& call, bool root) {
  const auto bound = call.bind();
  float_dtype_argument(call, bound[2]);
  const double ddof = number_argument(call, bound[4], "ddof", 0);
  const Array a = array_argument(call, bound[0], "a");
  const auto of = [&](const Array& rows, std::optional<int> axis, bool keepdims) {
    return root ? deviation(rows, axis, keepdims, ddof) : variance(rows, axis, keepdims, ddof);
  };
  const Array result = over_axes(call, a, bound[1], flag(bound[5]), of);
  if (!root) return reduced(call, result, *bound[0], bound[3]);
  return give(call, result, bound[3], result.ndim() < 2 || contiguous(bound[0]));
}

Value of_array(const Call& call, Array (*build)(const Array&)) {
  const auto bound = call.bind();
  return give_elements(call, build(array_argument(call, bound[0], "x")), bound[1],
                       contiguous(bound[0]));
}

/// + or -
Value of_sign(const Call& call, ast::Operator op) {
  const auto bound = call.bind();
  const bool negates = op == ast::Operator::Negative;
  if (bound[0]->is_number() && bound[1] == nullptr)
    return negates ? unary_operator(op, numpy_number(*bound[0])) : numpy_number(*bound[0]);
  if (!negates && array_argument(call, bound[0], "x").dtype() == DType::Bool)
    misuse(Exception::TypeError, "positive", "NumPy does not support '+' of a boolean");
  return of_array(
      call,
      negates ? +[](const Array& x) { return -x; } : +[](const Array& x) { return x.copy(); });
}

Value np_square(const Call& call) {
  const auto bound = call.bind();
  if (bound[0]->is_number() && bound[1] == nullptr)
    return numpy_number(number_arithmetic(ast::Operator::Multiply, *bound[0], *bound[0]));
  return of_array(call, square);
}

/// np.bitwise_and and its kin, as the operators.
Value of_bits(const Call& call, ast::Operator op) {
  const bool is_unary = op == ast::Operator::Invert;
  const auto bound = call.bind();
  const auto operand = [&](std::size_t i) {
    return bound[i]->as<Sequence>() == nullptr ? *bound[i]
                                               : new_array(array_argument(call, bound[i], "x"));
  };
  const Value result =
      is_unary ? unary_operator(op, operand(0)) : binary_operator(op, operand(0), operand(1));
  if (bound.back() != nullptr)
    return give_elements(call, to_array(result, "the result"), bound.back());
  return result.is_number() ? numpy_number(result) : result;
}

/// Whether NumPy's functions convert the one type to the other by themselves.
bool is_of_same_kind(DType from, DType to) {
  const auto is_unsigned = [](DType type) {
    return is_narrow(type) && !(detail::limits(type).least < 0);
  };
  if (from == DType::Float || to == DType::Float) return to == DType::Float;
  return from == DType::Bool || from == to || is_unsigned(from) || !is_unsigned(to);
}

/// The type of a result of an element-wise function.
DType type_of_result(const Value& result) {
  const auto* selected = result.as<Selected>();
  return selected != nullptr ? selected->whole->read().dtype()
                             : to_array(result, "the result").dtype();
}

/// The call with its operands in the type that dtype= says.
Call in_given_type(const Call& call, std::size_t operands) {
  const Value* asked = call.keyword("dtype");
  Call made = call;
  std::erase_if(made.keywords, [](const auto& keyword) { return keyword.first == "dtype"; });
  for (std::size_t i = 0; asked != nullptr && i < std::min(operands, made.arguments.size()); ++i) {
    Value& x = made.arguments[i];
    const bool is_array = x.as<ObjectPtr>() != nullptr || x.as<Selected>() != nullptr;
    const Value typed =
        call_function({is_array ? ".astype" : "np.array", {x, *asked}, {}, call.steps});
    if (to_array(typed, "an operand").dtype() == DType::Bool) continue;  // that of a comparison
    const auto* held = is_array ? x.as<ObjectPtr>() : nullptr;
    const DType to = to_array(typed, "an operand").dtype();
    const DType from = to_array(x, "an operand").dtype();
    const bool is_plain = held == nullptr && from != DType::Float;  // an int of Python
    if (!is_plain && !is_of_same_kind(from, to))
      misuse(Exception::UFuncTypeError, call.name,
             "Cannot cast ufunc input {} to the type that dtype= says", i);
    const TypeWords* words = named_type(*asked);
    constexpr int kDouble = 8;
    if (words != nullptr && words->kind == 'f' && words->bytes < kDouble && held != nullptr &&
        (*held)->read().dtype() != DType::Float)
      misuse(call.name, "of integers in {} is not supported; convert them first", words->name);
    x = typed;
  }
  return made;
}

/// Adds the parameter dtype to functions of so many operands.
std::vector<Row> with_types(std::vector<Row> rows) {
  for (Row& row : rows) {
    const bool is_one = row.parameters.starts_with("x, out=None, *, where=None");
    if (!is_one && !row.parameters.starts_with("x1, x2, out=None, *, where=None")) continue;
    if (row.names.starts_with("np.float_power") || row.names.starts_with("np.power"))
      continue;  // whose results in float32 differ from those in float64 by more than rounding
    row.parameters += ", dtype=None";
    row.handler = [handler = row.handler, is_one](const Call& call) {
      const Value* asked = call.keyword("dtype");
      if (asked == nullptr) return handler(call);
      if (call.keyword("out") != nullptr || call.arguments.size() > (is_one ? 1 : 2))
        misuse(call.name, "out= and dtype= together are not supported");
      const Value result = handler(in_given_type(call, is_one ? 1 : 2));
      if (type_of_result(result) != dtype_argument(asked))
        misuse(call.name, "No loop matching the specified signature and casting was found");
      return result;
    };
  }
  return rows;
}

}  // namespace

void enter_elementwise(FunctionTable& table) {
  using enum ast::Operator;
  const std::string one = "x, out=None", two = "x1, x2, out=None";
  const std::string one_where = one + ", *, where=None", two_where = two + ", *, where=None";
  enter(
      table, Topic::Elementwise,
      with_types(
          {{"np.fabs", one_where, with(unary, Op::abs, true), kBesideMask},
           {"np.float_power", two_where, with(binary, Op::pow, true), kBesideMask},
           {"np.square", one, np_square, kBesideMask},
           {"np.negative gpu.negative", one, with(of_sign, Negative), kBesideMask},
           {"np.positive", one, with(of_sign, Positive), kBesideMask},
           {"np.conj np.conjugate", one, with(of_sign, Positive)},
           {"scipy.special.expit", one_where, with(unary, Op::sigmoid, true)},
           {"scipy.special.gammaln", one_where, with(unary, Op::lgamma, true)},
           {"np.bitwise_and", two, with(of_bits, BitAnd), kBesideMask},
           {"np.bitwise_or", two, with(of_bits, BitOr), kBesideMask},
           {"np.bitwise_xor", two, with(of_bits, BitXor), kBesideMask},
           {"np.invert np.bitwise_not", one, with(of_bits, Invert), kBesideMask},
           {"np.left_shift", two, with(of_bits, LeftShift), kBesideMask},
           {"np.right_shift", two, with(of_bits, RightShift), kBesideMask},
           {"np.logical_not", one, with(of_array, logical_not), kBesideMask},
           {"np.less_equal", two_where, with(compared, BinaryBuilder(operator<=)), kBesideMask},
           {"np.greater_equal", two_where, with(compared, BinaryBuilder(operator>=)), kBesideMask},
           {"np.not_equal", two_where, with(compared, BinaryBuilder(not_equal)), kBesideMask},
           {"np.logical_and", two_where, with(compared, BinaryBuilder(logical_and)), kBesideMask},
           {"np.logical_or", two_where, with(compared, BinaryBuilder(logical_or)), kBesideMask},
           {"np.clip", "a, a_min=None, a_max=None, out=None", np_clip, kBesideMask},
           {".clip", "a, min=None, max=None, out=None", np_clip, kBesideMask},
           {"np.nonzero .nonzero", "a", with(np_nonzero, false), kBesideMask},
           {"np.flatnonzero", "a", with(np_nonzero, true), kBesideMask},
           {"np.round np.around .round gpu.round", "a, decimals=0, out=None", np_round,
            kBesideMask}}));
  const auto enter_operation = [&](Row row) {
    enter_rest(table, Topic::Elementwise, with_types({std::move(row)})[0]);
  };
  for (const cudamat::OpRow& row : cudamat::kOpTable) {
    const std::string names(row.numpy);
    if (row.family == Family::Unary)
      enter_operation({names, one_where, with(unary, row.op, false), kBesideMask});
    if (row.family == Family::Binary)
      enter_operation({names, two_where, with(binary, row.op, false), kBesideMask});
    if (row.family == Family::Where)
      enter_rest(table, Topic::Elementwise,
                 {names, "condition, x=None, y=None", np_where, kBesideMask | kEachPart});
  }
}

void enter_reductions(FunctionTable& table) {
  for (const cudamat::OpRow& row : cudamat::kOpTable)
    if (row.family == Family::Reduction || row.family == Family::ArgReduction)
      enter_rest(table, Topic::Reduction,
                 {std::string(row.numpy), parameters_of_reduction(row.op), with(reduction, row.op),
                  row.op == Op::sum || row.op == Op::mean ? kAlongAxis | kEachPart
                                                          : unsigned{kAlongAxis}});
  for (const auto& [name, op, function] :
       {std::tuple("add", Op::sum, "np.sum"), std::tuple("multiply", Op::prod, "np.prod"),
        std::tuple("maximum", Op::max, "np.max"), std::tuple("minimum", Op::min, "np.min"),
        std::tuple("logical_and", Op::all, "np.all"), std::tuple("logical_or", Op::any, "np.any")})
    enter(table, Topic::Reduction,
          {{fmt::format("np.{}.reduce", name), parameters_of_reduce(op),
            with(over_first, std::string(function)), kAnyForm}});
  const char* const of_spread = "a, axis=None, dtype=None, out=None, ddof=0, keepdims=False";
  enter(table, Topic::Reduction,
        {{"gpu.euclid_norm .euclid_norm", "x",
          [](const Call& call) {
            return new_array(whole(Op::euclid_norm, array_argument(call, call.bind()[0], "x")));
          }},
         {"np.var .var", of_spread, with(spread, false), kAlongAxis},
         {"np.std gpu.std .std", of_spread, with(spread, true), kAlongAxis}});
}

}  // namespace rewriter

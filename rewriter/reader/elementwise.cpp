// Element-wise functions and reductions of the notation.
#include <algorithm>
#include <cmath>

#include "cudamat/functors.hpp"
#include "rewriter/expr/build.hpp"
#include "rewriter/reader/compose.hpp"
#include "rewriter/reader/promotion.hpp"
#include "rewriter/reader/selection.hpp"

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

/// where= has no position.
void refuse_more(const Call& call, std::size_t most) {
  if (call.arguments.size() > most)
    misuse(call.name, "takes at most {} positional arguments; got {}", most, call.arguments.size());
}

/// What out= has already where where= does not hold.
Array where_asked(const Call& call, const Array& result, const Value* out, const Value* condition) {
  if (condition == nullptr) return result;
  const auto* tuple = out == nullptr ? nullptr : out->as<Sequence>();
  if (tuple != nullptr && tuple->items.size() == 1) out = tuple->items.begin();
  const auto* object = out == nullptr ? nullptr : out->as<ObjectPtr>();
  if (object == nullptr)
    misuse(call.name, "leaves what it finds in memory where where= does not hold; give out=");
  const Array held = (*object)->read();
  detail::check_in_place(call.name, held, broadcast_to(result, held.shape()));
  return where(detail::truth(array_argument(call, condition, "where")),
               converted(result, held.dtype()), held);
}

Value unary(const Call& call, Op op) {
  refuse_more(call, 2);
  const auto bound = call.bind({"x", "out", "where"}, 1);
  const Value& x = *bound[0];
  Array a = array_argument(call, &x, "x");
  const bool stays = numpy_version() >= 2 && a.dtype() != DType::Float &&
                     has_word("np.floor np.ceil np.trunc np.fix", call.name);
  if (stays && a.is_number() && bound[1] == nullptr) return numpy_number(x);
  if (stays) return give_elements(call, a.copy(), bound[1], contiguous(&x));
  const bool of_truth = call.name == "np.fabs" && a.dtype() == DType::Bool;
  if (a.is_number() && !of_truth && bound[1] == nullptr &&
      map(op, a).dtype() != DType::Bool) {  // refuses what it refuses of arrays
    const bool stays_whole = map(op, a).dtype() == DType::Int && call.name != "np.fabs";
    const Value result = fold_unary(op, x);
    return numpy_number(stays_whole ? Value{static_cast<std::int64_t>(result.real())} : result);
  }
  if (call.name == "np.fabs" && is_integer(a.dtype())) a = a * Array(1.0);  // always of floats
  if (of_truth)
    misuse(call.name, "NumPy computes this of booleans in float16; multiply by 1.0 first");
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

Value binary(const Call& call, const std::function<Array(const Array&, const Array&)>& build,
             bool compares = false) {
  refuse_more(call, 3);
  const auto bound = call.bind({"x1", "x2", "out", "where"}, 2);
  Value a = *bound[0], b = *bound[1];
  promote_numbers(a, b, compares);
  const Array result = build(array_argument(call, &a, "x1"), array_argument(call, &b, "x2"));
  note_width(a, b, result);
  return give_elements(call, where_asked(call, result, bound[2], bound[3]), bound[2],
                       contiguous(bound[0]) && contiguous(bound[1]));
}

Handler binary_handler(BinaryBuilder build) {
  return [build](const Call& call) { return binary(call, build, true); };
}

/// As selections: how many places there are is known only when the program runs.
Value np_nonzero(const Call& call) {
  const Array mask = array_argument(call, &call.arguments.at(0), "a");
  if (mask.ndim() == 0) misuse(call.name, "takes an array of one dimension or more");
  if (call.name == "np.flatnonzero") return places_of(mask.reshape({-1})).as<Sequence>()->items[0];
  return places_of(mask);
}

Value np_where(const Call& call) {
  const auto bound = call.bind({"condition", "x", "y"}, 1);
  if (bound[1] == nullptr && bound[2] == nullptr) return np_nonzero(call);
  if (bound[1] == nullptr || bound[2] == nullptr)
    misuse(call.name, "either both or neither of x and y should be given");
  Value x = *bound[1], y = *bound[2];
  promote_numbers(x, y, false);
  const Array result = where(array_argument(call, bound[0], "condition"),
                             array_argument(call, &x, "x"), array_argument(call, &y, "y"));
  note_width(x, y, result);
  return new_array(result, contiguous(bound[0]) && contiguous(bound[1]) && contiguous(bound[2]));
}

Value np_clip(const Call& call) {
  const bool method = call.name == ".clip";
  const auto bound = call.bind({"a", method ? "min" : "a_min", method ? "max" : "a_max", "out"}, 1);
  for (const Value* side : {bound[1], bound[2]})
    if (side != nullptr && side->is_number() && std::isnan(side->real()))
      misuse("clip", "what a bound that is NaN does depends on NumPy's version; leave it out");
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
  Array clipped = clip(array_argument(call, &a, "a"), low, high);
  if (numpy_version() < 2) clipped = as_out(clipped, bound[3]);  // which NumPy 2 refuses
  return give_elements(call, clipped, bound[3],
                       contiguous(bound[0]) && contiguous(bound[1]) && contiguous(bound[2]));
}

Value np_round(const Call& call) {
  const auto bound = call.bind({"a", "decimals", "out"}, 1);
  const Index decimals = bound[1] == nullptr ? 0 : bound[1]->integer("round's decimals");
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
      "whether NumPy's round copied these integers depends on its version, so an in-place change "
      "is outside the notation; round a copy: np.round(a.copy())",
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

/// The number that initial= gives; nothing where it is left out.
std::optional<Array> initial_of(const Call& call, const Array& a, const Value* initial) {
  if (initial == nullptr) return std::nullopt;
  Array number = array_argument(call, initial, "initial");
  if (number.ndim() != 0) misuse(call.name, "initial must be a number");
  if (a.dtype() != DType::Float && (number.dtype() == DType::Float || is_narrow(a.dtype())))
    misuse(call.name,
           "initial= of integers is an int here, and the array of int64; write a.astype(float)");
  return number;
}

/// With initial= and where=, which come behind keepdims.
Value reduction_of_asked(const Call& call, Op op, const Array& a, const std::vector<int>& axes,
                         bool keepdims, const Value* initial, const Value* condition,
                         const Value* out) {
  const bool extreme = op == Op::max || op == Op::min;
  if (initial != nullptr && !extreme && op != Op::sum && op != Op::prod)
    misuse(call.name, "got an unexpected keyword argument 'initial'");
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
      misuse(call.name, "{}",
             extreme ? "has no identity, so that where= needs initial=" : "takes no where= here");
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

Value reduction(const Call& call, Op op) {
  const cudamat::OpRow& row = cudamat::row(op);
  const bool typed =
      !row.has(cudamat::kSame) && !row.has(cudamat::kTruth) && !row.has(cudamat::kIndex);
  const bool asks = row.family == Family::Reduction &&
                    has_word("sum mean prod any all max min", cudamat::row(op).name);
  std::vector<std::string_view> parameters{"a", "axis"};
  if (typed) parameters.emplace_back("dtype");
  parameters.insert(parameters.end(), {"out", "keepdims"});
  const std::size_t last = parameters.size() - 1;
  if (asks) parameters.insert(parameters.end(), {"initial", "where"});
  const auto bound = call.bind(parameters, 1);
  Array a = array_argument(call, bound[0], "a");
  const bool is_typed = typed && bound[2] != nullptr;
  if (is_typed) a = converted(a, dtype_argument(bound[2]).value_or(DType::Float));
  const DType dtype = a.dtype();
  const Value* out = bound[last - 1];
  const bool keepdims = flag(bound[last]);
  if (asks && (bound[last + 1] != nullptr || bound[last + 2] != nullptr)) {
    if (is_typed) misuse(call.name, "dtype= beside initial= or where= is outside the notation");
    return reduction_of_asked(call, op, a, axes_argument(call, bound[1], a.ndim()), keepdims,
                              bound[last + 1], bound[last + 2], out);
  }
  const bool several = bound[1] != nullptr && bound[1]->as<Sequence>() != nullptr;
  Array result = several && row.family == Family::Reduction
                     ? over(op, a, axes_argument(call, bound[1], a.ndim()), keepdims)
                     : reduce(op, a, axis_argument(call, bound[1]), keepdims);
  if (is_typed && op == Op::mean && dtype != DType::Float && dtype != DType::Int)
    misuse(call.name, "dtype= of a mean is a float or int64; np.sum(a, dtype=...) is of any type");
  if (is_typed) result = converted(result, dtype);
  return reduced(call, result, *bound[0], out);
}

Value spread(const Call& call, bool root) {
  const auto bound = call.bind({"a", "axis", "dtype", "out", "ddof", "keepdims"}, 1);
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

/// A function of one array, with NumPy's parameter name.
Handler unary_handler(Array (*build)(const Array&)) {
  return [build](const Call& call) {
    const auto bound = call.bind({"x", "out"}, 1);
    return give_elements(call, build(array_argument(call, bound[0], "x")), bound[1],
                         contiguous(bound[0]));
  };
}

/// np.bitwise_and and its kin, as the operators.
Handler bits_handler(ast::Operator op) {
  return [op](const Call& call) {
    const bool of_one = op == ast::Operator::Invert;
    const auto bound = of_one ? call.bind({"x", "out"}, 1) : call.bind({"x1", "x2", "out"}, 2);
    const auto operand = [&](std::size_t i) {
      return bound[i]->as<Sequence>() == nullptr ? *bound[i]
                                                 : new_array(array_argument(call, bound[i], "x"));
    };
    const Value result =
        of_one ? unary_operator(op, operand(0)) : binary_operator(op, operand(0), operand(1));
    if (bound.back() != nullptr)
      return give_elements(call, to_array(result, "the result"), bound.back());
    return result.is_number() ? numpy_number(result) : result;
  };
}

}  // namespace

void enter_elementwise(Handlers& table) {
  for (const cudamat::OpRow& row : cudamat::kOpTable) {
    const Op op = row.op;
    if (row.family == Family::Unary)
      enter(table, row.numpy, [op](const Call& call) { return unary(call, op); });
    if (row.family == Family::Binary)
      enter(table, row.numpy, [op](const Call& call) {
        if (const auto known = known_binary(op, call)) return *known;
        const bool of_floats = call.name == "np.float_power";
        return binary(
            call,
            [op, of_floats](const Array& given, const Array& b) {
              const Array a = of_floats ? converted(given, DType::Float) : given;
              if (op == Op::mod) return mod(a, b);
              return op == Op::floor_divide ? floor_divide(a, b) : map(op, a, b);
            },
            cudamat::row(op).has(cudamat::kTruth));
      });
    if (row.family == Family::Where) enter(table, row.numpy, np_where);
  }
  enter(table, "np.square", [](const Call& call) {
    const auto bound = call.bind({"x", "out"}, 1);
    if (bound[0]->is_number() && bound[1] == nullptr)
      return numpy_number(number_arithmetic(ast::Operator::Multiply, *bound[0], *bound[0]));
    return give_elements(call, square(array_argument(call, bound[0], "x")), bound[1],
                         contiguous(bound[0]));
  });
  enter(table, "np.negative gpu.negative", [](const Call& call) {
    const auto bound = call.bind({"x", "out"}, 1);
    if (bound[0]->is_number() && bound[1] == nullptr)
      return unary_operator(ast::Operator::Negative, numpy_number(*bound[0]));
    return give_elements(call, -array_argument(call, bound[0], "x"), bound[1],
                         contiguous(bound[0]));
  });
  enter(table, "np.bitwise_and", bits_handler(ast::Operator::BitAnd));
  enter(table, "np.bitwise_or", bits_handler(ast::Operator::BitOr));
  enter(table, "np.bitwise_xor", bits_handler(ast::Operator::BitXor));
  enter(table, "np.invert np.bitwise_not", bits_handler(ast::Operator::Invert));
  enter(table, "np.left_shift", bits_handler(ast::Operator::LeftShift));
  enter(table, "np.right_shift", bits_handler(ast::Operator::RightShift));
  enter(table, "np.logical_not", unary_handler(logical_not));
  enter(table, "np.less_equal", binary_handler(operator<=));
  enter(table, "np.greater_equal", binary_handler(operator>=));
  enter(table, "np.not_equal", binary_handler(not_equal));
  enter(table, "np.logical_and", binary_handler(logical_and));
  enter(table, "np.logical_or", binary_handler(logical_or));
  enter(table, "np.clip .clip", np_clip);
  enter(table, "np.nonzero .nonzero np.flatnonzero", np_nonzero);
  enter(table, "np.round np.around .round gpu.round", np_round);
}

void enter_reductions(Handlers& table) {
  for (const cudamat::OpRow& row : cudamat::kOpTable) {
    const Op op = row.op;
    if (row.family == Family::Reduction || row.family == Family::ArgReduction)
      enter(table, row.numpy, [op](const Call& call) { return reduction(call, op); });
  }
  enter(table, "gpu.euclid_norm .euclid_norm", [](const Call& call) {
    return new_array(whole(Op::euclid_norm, array_argument(call, call.bind({"x"}, 1)[0], "x")));
  });
  enter(table, "np.var .var", [](const Call& call) { return spread(call, false); });
  enter(table, "np.std gpu.std .std", [](const Call& call) { return spread(call, true); });
}

}  // namespace rewriter

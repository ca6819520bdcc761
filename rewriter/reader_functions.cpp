#include "rewriter/reader_functions.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "cudamat/functors.hpp"

namespace rewriter {

using cudamat::Family;
using cudamat::misuse;

std::vector<const Value*> Call::bind(const std::vector<std::string_view>& parameters,
                                     std::size_t required) const {
  if (arguments.size() > parameters.size())
    misuse(name, "takes at most {} arguments; got {}", parameters.size(), arguments.size());
  std::vector<const Value*> bound(parameters.size(), nullptr);
  for (std::size_t i = 0; i < arguments.size(); ++i) bound[i] = &arguments[i];
  for (const auto& [keyword, value] : keywords) {
    const auto at = std::find(parameters.begin(), parameters.end(), keyword);
    if (at == parameters.end()) misuse(name, "got an unexpected keyword argument '{}'", keyword);
    const Value*& slot = bound[static_cast<std::size_t>(at - parameters.begin())];
    if (slot != nullptr) misuse(name, "got multiple values for argument '{}'", keyword);
    slot = &value;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (bound[i] != nullptr && bound[i]->is_none()) bound[i] = nullptr;
    if (i < required && bound[i] == nullptr) misuse(name, "needs the argument '{}'", parameters[i]);
  }
  return bound;
}

namespace {

using Handler = std::function<Value(const Call&)>;

// ---- arguments ----

Array array_argument(const Call& call, const Value* value, std::string_view parameter) {
  return to_array(*value, fmt::format("{}'s argument '{}'", call.name, parameter));
}

bool contiguous(const Value* value) {
  const auto* object = value == nullptr ? nullptr : value->as<ObjectPtr>();
  return object == nullptr || (*object)->contiguous();
}

bool flag(const Value* value) {
  return value != nullptr && value->is_number() && value->real() != 0;
}

void refuse_out(const Value* out) {
  if (out != nullptr)
    misuse("out",
           "writing into `out` is outside the notation; assign the result, or use += and its kin");
}

/// dtype=float, np.float32, np.float64 are accepted: the precision of the run decides.
void check_dtype(const Value* dtype) {
  if (dtype == nullptr) return;
  const auto* function = dtype->as<Function>();
  const auto* text = dtype->as<std::string>();
  const std::string name = function != nullptr ? function->name : text != nullptr ? *text : "";
  for (const std::string_view known :
       {"float", "np.float32", "np.float64", "np.longdouble", "np.float_", "float32", "float64"})
    if (name == known) return;
  misuse("dtype",
         "arrays hold floating-point numbers of the run's precision; drop dtype, or write "
         "dtype=float");
}

std::optional<int> axis_argument(const Call& call, const Value* axis) {
  if (axis == nullptr) return std::nullopt;
  if (axis->as<Sequence>() != nullptr)
    misuse(call.name, "a tuple of axes is outside the notation; reduce one axis after the other");
  return static_cast<int>(axis->integer(call.name + "'s axis"));
}

Dims dims_of(const Call& call, const Value& shape) {
  const std::string what = fmt::format("an extent of {}'s shape", call.name);
  if (const auto* sequence = shape.as<Sequence>()) {
    Dims dims;
    for (const Value& item : sequence->items) dims.push_back(item.integer(what));
    return dims;
  }
  return {shape.integer(what)};
}

/// A shape given as one tuple or as several ints, from the argument number `first` on.
Dims dims_of_rest(const Call& call, std::size_t first) {
  if (!call.keywords.empty())
    misuse(call.name, "got an unexpected keyword argument '{}'", call.keywords[0].first);
  if (call.arguments.size() == first + 1) return dims_of(call, call.arguments[first]);
  Dims dims;
  for (std::size_t i = first; i < call.arguments.size(); ++i)
    dims.push_back(call.arguments[i].integer(fmt::format("an extent of {}'s shape", call.name)));
  return dims;
}

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

Value unary(const Call& call, Op op) {
  const auto bound = call.bind({"x", "out"}, 1);
  refuse_out(bound[1]);
  const Value& x = *bound[0];
  if (x.is_number()) {
    const Value result = fold_unary(op, x);
    const bool stays_whole = (op == Op::abs || op == Op::sign) && !x.is_real();
    return stays_whole ? Value{static_cast<std::int64_t>(result.real())} : result;
  }
  return new_array(map(op, array_argument(call, &x, "x")), contiguous(&x));
}

using BinaryBuilder = Array (*)(const Array&, const Array&);

Value binary(const Call& call, const std::function<Array(const Array&, const Array&)>& build) {
  const auto bound = call.bind({"x1", "x2", "out"}, 2);
  refuse_out(bound[2]);
  const Array result =
      build(array_argument(call, bound[0], "x1"), array_argument(call, bound[1], "x2"));
  return new_array(result, contiguous(bound[0]) && contiguous(bound[1]));
}

Handler binary_handler(BinaryBuilder build) {
  return [build](const Call& call) { return binary(call, build); };
}

Value np_where(const Call& call) {
  const auto bound = call.bind({"condition", "x", "y"}, 1);
  if (bound[1] == nullptr || bound[2] == nullptr)
    misuse(call.name,
           "with one argument gives indices, whose number is not known before the program "
           "runs; write {}(condition, x, y)",
           call.name);
  return new_array(where(array_argument(call, bound[0], "condition"),
                         array_argument(call, bound[1], "x"), array_argument(call, bound[2], "y")),
                   contiguous(bound[0]) && contiguous(bound[1]) && contiguous(bound[2]));
}

Value np_clip(const Call& call) {
  const bool method = call.name == ".clip";
  const auto bound = call.bind({"a", method ? "min" : "a_min", method ? "max" : "a_max", "out"}, 1);
  refuse_out(bound[3]);
  std::optional<Array> low, high;
  if (bound[1] != nullptr) low = array_argument(call, bound[1], "a_min");
  if (bound[2] != nullptr) high = array_argument(call, bound[2], "a_max");
  return new_array(clip(array_argument(call, bound[0], "a"), low, high), contiguous(bound[0]));
}

Value builtin_abs(const Call& call) {
  return unary(call, Op::abs);
}

// ---- reductions ----

Value reduction(const Call& call, Op op) {
  const bool index = cudamat::row(op).family == Family::ArgReduction;
  const bool typed = op == Op::sum || op == Op::mean || op == Op::prod;
  const auto bound = typed ? call.bind({"a", "axis", "dtype", "out", "keepdims"}, 1)
                           : call.bind({"a", "axis", "out", "keepdims"}, 1);
  if (typed) check_dtype(bound[2]);
  refuse_out(bound[bound.size() - 2]);
  static_cast<void>(index);
  return new_array(reduce(op, array_argument(call, bound[0], "a"), axis_argument(call, bound[1]),
                          flag(bound.back())));
}

Value spread(const Call& call, bool root) {
  const auto bound = call.bind({"a", "axis", "dtype", "out", "ddof", "keepdims"}, 1);
  check_dtype(bound[2]);
  refuse_out(bound[3]);
  if (bound[4] != nullptr && !bound[4]->is_number())
    misuse(call.name, "ddof must be a number; got {}", bound[4]->description());
  const double ddof = bound[4] == nullptr ? 0 : bound[4]->real();
  const Array a = array_argument(call, bound[0], "a");
  const auto axis = axis_argument(call, bound[1]);
  const bool keepdims = flag(bound[5]);
  return new_array(root ? deviation(a, axis, keepdims, ddof) : variance(a, axis, keepdims, ddof));
}

Value norm(const Call& call, Op op) {
  const auto bound = call.bind({"x"}, 1);
  return new_array(whole(op, array_argument(call, bound[0], "x")));
}

// ---- making arrays ----

Value filled(const Call& call, double value) {
  if (call.name.starts_with("gpu.")) return new_array(full(dims_of_rest(call, 0), value));
  const auto bound = call.bind({"shape", "dtype", "order"}, 1);
  check_dtype(bound[1]);
  return new_array(full(dims_of(call, *bound[0]), value));
}

Value np_full(const Call& call) {
  const auto bound = call.bind({"shape", "fill_value", "dtype"}, 2);
  check_dtype(bound[2]);
  if (!bound[1]->is_number())
    misuse(call.name, "fill_value must be a number; got {}", bound[1]->description());
  const bool whole = !bound[1]->is_real() && bound[2] == nullptr;
  const DType dtype = !whole ? DType::Float : bound[1]->as<bool>() ? DType::Bool : DType::Int;
  return new_array(full(dims_of(call, *bound[0]), bound[1]->real(), dtype));
}

Value filled_like(const Call& call, double value) {
  const auto bound = call.bind({"a", "dtype"}, 1);
  check_dtype(bound[1]);
  const Array a = array_argument(call, bound[0], "a");
  return new_array(full(a.shape(), value, bound[1] != nullptr ? DType::Float : a.dtype()));
}

Value np_eye(const Call& call) {
  const auto bound = call.bind({"N", "M", "k", "dtype"}, 1);
  check_dtype(bound[3]);
  std::optional<Index> columns;
  if (bound[1] != nullptr) columns = bound[1]->integer("eye's M");
  return new_array(eye(bound[0]->integer("eye's N"), columns,
                       bound[2] == nullptr ? 0 : bound[2]->integer("eye's k")));
}

/// np.array copies; np.asarray and gnumpy's conversions give the array itself.
Value np_array(const Call& call) {
  const auto bound = call.bind({"a", "dtype"}, 1);
  check_dtype(bound[1]);
  const bool copies = call.name == "np.array" || call.name == "np.copy" || call.name == ".copy" ||
                      call.name == ".flatten";
  if (!copies && bound[0]->as<ObjectPtr>() != nullptr) return *bound[0];
  Array array = array_argument(call, bound[0], "a");
  if (bound[0]->as<ObjectPtr>() != nullptr)
    array = array.copy();
  else if (array.is_number())
    array = full({}, array.node()->number, array.dtype());
  if (call.name == ".flatten") return new_array(array.reshape({-1}));
  return new_array(array, call.name == ".copy" || contiguous(bound[0]));
}

Value astype(const Call& call) {
  const auto bound = call.bind({"a", "dtype"}, 2);
  check_dtype(bound[1]);
  const Array a = array_argument(call, bound[0], "a");
  return new_array(a.dtype() == DType::Float ? a.copy() : a * Array(1.0), contiguous(bound[0]));
}

Value draw(const Call& call, const Array& drawn) {
  call.steps.push_back(drawn.node());
  return new_array(drawn);
}

Value random(const Call& call, Op op) {
  const auto make = [op](Dims dims) {
    return op == Op::fill_with_rand ? rand(std::move(dims)) : randn(std::move(dims));
  };
  if (call.name.starts_with(".")) {
    const auto bound = call.bind({"a"}, 1);
    return draw(call, make(array_argument(call, bound[0], "a").shape()));
  }
  return draw(call, make(dims_of_rest(call, 0)));
}

/// np.random.random(size), standard_normal(size).
Value random_of_size(const Call& call, Op op) {
  const auto bound = call.bind({"size"}, 0);
  const Dims dims = bound[0] == nullptr ? Dims{} : dims_of(call, *bound[0]);
  return draw(call, op == Op::fill_with_rand ? rand(dims) : randn(dims));
}

Value np_seed(const Call& call) {
  const auto bound = call.bind({"seed"}, 1);
  const Index number = bound[0]->integer("the seed");
  if (number < 0) misuse(call.name, "the seed cannot be negative; got {}", number);
  call.steps.push_back(seed(static_cast<std::uint64_t>(number)).node());
  return {};
}

// ---- products and moving ----

Value product(const Call& call, BinaryBuilder build) {
  const auto bound = call.bind({"a", "b", "out"}, 2);
  refuse_out(bound[2]);
  return new_array(build(array_argument(call, bound[0], "a"), array_argument(call, bound[1], "b")));
}

ObjectPtr object_argument(const Call& call, const Value* value) {
  if (const auto* object = value->as<ObjectPtr>()) return *object;
  return *new_array(array_argument(call, value, "a")).as<ObjectPtr>();
}

Value np_transpose(const Call& call) {
  const ObjectPtr object = object_argument(call, call.bind({"a", "axes", "axis1"}, 1)[0]);
  Dims axes =
      call.arguments.size() < 2 || call.arguments[1].is_none() ? Dims{} : dims_of_rest(call, 1);
  const auto ndim = static_cast<Index>(object->shape().size());
  for (Index& axis : axes) axis = axis < 0 ? axis + ndim : axis;
  Dims reversed(static_cast<std::size_t>(ndim));
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  Dims sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  if (!axes.empty() && (axes.size() != reversed.size() ||
                        !std::equal(sorted.begin(), sorted.end(), reversed.rbegin())))
    misuse(call.name, "axes do not match the array of shape {}", to_string(object->shape()));
  if (ndim < 2 || (!axes.empty() && axes != reversed)) return {object};
  return {
      std::make_shared<ArrayObject>(object, ViewStep{ViewStep::Kind::Transpose, {}, {}}, false)};
}

/// A view where the array is in C order; else NumPy copies, or not, by the layout of what it was
/// made from.
Value reshaped(const ObjectPtr& object, const Dims& dims) {
  if (object->contiguous()) {
    const Dims known = object->read().reshape(dims).shape();
    return {
        std::make_shared<ArrayObject>(object, ViewStep{ViewStep::Kind::Reshape, {}, known}, true)};
  }
  const Value result = new_array(object->read().reshape(dims));
  const std::string why =
      "whether NumPy's reshape copied this array depends on its layout in memory, so an in-place "
      "change "
      "is outside the notation; reshape a copy: a.copy().reshape(...)";
  object->refuse_writes(why);
  (*result.as<ObjectPtr>())->refuse_writes(why);
  return result;
}

Value np_reshape(const Call& call) {
  Call plain = call;
  std::erase_if(plain.keywords, [&](const auto& keyword) {
    const auto* order =
        keyword.first == "order" ? keyword.second.template as<std::string>() : nullptr;
    if (order != nullptr && *order != "C") misuse(call.name, "only order='C' is in the notation");
    return order != nullptr;
  });
  if (plain.arguments.size() < 2) misuse(call.name, "needs the new shape");
  return reshaped(object_argument(call, &plain.arguments[0]), dims_of_rest(plain, 1));
}

Value np_ravel(const Call& call) {
  return reshaped(object_argument(call, call.bind({"a"}, 1)[0]), {-1});
}

Value np_concatenate(const Call& call) {
  const auto bound = call.bind({"arrays", "axis"}, 1);
  const auto* sequence = bound[0]->as<Sequence>();
  if (sequence == nullptr)
    misuse(call.name, "wants a tuple or a list of arrays; got {}", bound[0]->description());
  std::vector<Array> parts;
  bool ordered = true;
  for (const Value& item : sequence->items) {
    parts.push_back(array_argument(call, &item, "arrays"));
    ordered = ordered && contiguous(&item);
  }
  return new_array(concatenate(parts, bound[1] == nullptr ? 0 : int(bound[1]->integer("the axis"))),
                   ordered);
}

// ---- Python's own ----

Value builtin_len(const Call& call) {
  const Value& x = *call.bind({"x"}, 1)[0];
  if (const auto* sequence = x.as<Sequence>())
    return {static_cast<std::int64_t>(sequence->items.size())};
  const auto* object = x.as<ObjectPtr>();
  if (object == nullptr || (*object)->shape().empty())
    misuse("len", "{} has no length", x.description());
  return {(*object)->shape()[0]};
}

Value builtin_number(const Call& call) {
  const Value& x = *call.bind({"x"}, 1)[0];
  if (!x.is_number())
    misuse(call.name, "wants a number known when the program is read; got {}", x.description());
  if (call.name == "float") return {x.real()};
  if (!x.is_real()) return {x.integer("")};
  const double whole = std::trunc(x.real());
  if (!(std::abs(whole) < 9.2e18)) misuse("int", "{} does not fit 64 bits", x.real());
  return {static_cast<std::int64_t>(whole)};
}

// ---- the table ----

using Table = std::map<std::string, Handler, std::less<>>;

void enter(Table& table, std::string_view names, const Handler& handler) {
  while (!names.empty()) {
    const std::size_t space = std::min(names.find(' '), names.size());
    table.emplace(names.substr(0, space), handler);
    names.remove_prefix(std::min(space + 1, names.size()));
  }
}

Handler row_handler(const cudamat::OpRow& row) {
  const Op op = row.op;
  switch (row.family) {
    case Family::Unary:
      return [op](const Call& call) { return unary(call, op); };
    case Family::Binary:
      return [op](const Call& call) {
        return binary(call, [op](const Array& a, const Array& b) { return map(op, a, b); });
      };
    case Family::Reduction:
    case Family::ArgReduction:
      return [op](const Call& call) { return reduction(call, op); };
    case Family::Whole:
      return [op](const Call& call) { return norm(call, op); };
    case Family::Fill:
      return [op](const Call& call) { return random(call, op); };
    case Family::Where:
      return np_where;
    case Family::Transpose:
      return np_transpose;
    default:
      return nullptr;
  }
}

Table make_table() {
  Table table;
  enter(table, "np.dot gpu.dot .dot", [](const Call& call) { return product(call, dot); });
  enter(table, "np.matmul", [](const Call& call) { return product(call, matmul); });
  for (const cudamat::OpRow& row : cudamat::kOpTable)
    if (const Handler handler = row_handler(row)) enter(table, row.numpy, handler);
  enter(table, "abs", builtin_abs);
  enter(table, "np.square", [](const Call& call) {
    const auto bound = call.bind({"x"}, 1);
    if (bound[0]->is_number())
      return number_arithmetic(ast::Operator::Multiply, *bound[0], *bound[0]);
    return new_array(square(array_argument(call, bound[0], "x")), contiguous(bound[0]));
  });
  enter(table, "np.negative gpu.negative", [](const Call& call) {
    const auto bound = call.bind({"x"}, 1);
    return new_array(-array_argument(call, bound[0], "x"), contiguous(bound[0]));
  });
  enter(table, "np.logical_not", [](const Call& call) {
    const auto bound = call.bind({"x"}, 1);
    return new_array(logical_not(array_argument(call, bound[0], "x")), contiguous(bound[0]));
  });
  enter(table, "np.less_equal", binary_handler(operator<=));
  enter(table, "np.greater_equal", binary_handler(operator>=));
  enter(table, "np.not_equal", binary_handler(not_equal));
  enter(table, "np.logical_and", binary_handler(logical_and));
  enter(table, "np.logical_or", binary_handler(logical_or));
  enter(table, "np.clip .clip", np_clip);
  enter(table, "np.var .var", [](const Call& call) { return spread(call, false); });
  enter(table, "np.std gpu.std .std", [](const Call& call) { return spread(call, true); });
  enter(table, "np.zeros gpu.zeros", [](const Call& call) { return filled(call, 0); });
  enter(table, "np.ones gpu.ones", [](const Call& call) { return filled(call, 1); });
  enter(table, "np.zeros_like", [](const Call& call) { return filled_like(call, 0); });
  enter(table, "np.ones_like", [](const Call& call) { return filled_like(call, 1); });
  enter(table, "np.full", np_full);
  enter(table, "np.eye np.identity gpu.eye", np_eye);
  enter(table,
        "np.array np.asarray np.copy .copy .flatten gpu.garray gpu.as_garray .as_numpy_array "
        ".asarray",
        np_array);
  enter(table, ".astype", astype);
  enter(table, "np.random.random np.random.random_sample",
        [](const Call& call) { return random_of_size(call, Op::fill_with_rand); });
  enter(table, "np.random.standard_normal",
        [](const Call& call) { return random_of_size(call, Op::fill_with_randn); });
  enter(table, "np.random.seed gpu.seed_rand", np_seed);
  enter(table, "np.outer gpu.outer", [](const Call& call) { return product(call, outer); });
  enter(table, "np.reshape .reshape", np_reshape);
  enter(table, "np.ravel .ravel", np_ravel);
  enter(table, "np.concatenate gpu.concatenate", np_concatenate);
  enter(table, "len", builtin_len);
  enter(table, "float int np.float64 np.float32", builtin_number);
  return table;
}

const Table& table() {
  static const Table instance = make_table();
  return instance;
}

/// Levenshtein's distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, change});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view module_prefix(std::string_view module) {
  if (module == "numpy") return "np.";
  if (module == "numpy.random") return "np.random.";
  if (module == "numpy.linalg") return "np.linalg.";
  if (module == "gnumpy") return "gpu.";
  return "";
}

bool is_function(std::string_view name) {
  return table().find(name) != table().end();
}

std::string unknown_function(std::string_view name) {
  std::string text = fmt::format("{} is not in the notation", name);
  std::string_view nearest;
  std::size_t best = name.size() / 3 + 1;
  for (const auto& [known, handler] : table()) {
    if (name.size() > known.size() + best || known.size() > name.size() + best) continue;
    if (const std::size_t d = distance(name, known); d < best) {
      best = d;
      nearest = known;
    }
  }
  if (!nearest.empty()) text += fmt::format("; did you mean {}?", nearest);
  return text;
}

Value call_function(const Call& call) {
  const auto at = table().find(call.name);
  if (at == table().end()) misuse("call", "{}", unknown_function(call.name));
  return at->second(call);
}

}  // namespace rewriter

// Functions of the notation that name types, and what else has a type's name.
#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/selections/packed.hpp"
#include "rewriter/reader/selections/run_lists.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/table/trees.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/dtypes.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// np.int64(x), np.bool_(x): of a number NumPy's number, of an array an array of that type.
Value converting(const Call& call, DType dtype) {
  const Value& x = *call.bind()[0];
  if (x.is_number()) {
    check_fits(x, dtype);
    if (dtype == DType::Bool) return {x.real() != 0, true};
    if (is_narrow(dtype))
      return new_array(detail::scalar(
          detail::whole_number(x.real(), x.is_real() ? DType::Float : DType::Int, dtype), dtype));
    const double whole = std::trunc(x.real());
    if (!(std::abs(whole) < 9.2e18)) misuse(call.name, "{} does not fit 64 bits", x.real());
    return x.is_real() ? Value{static_cast<std::int64_t>(whole), true}
                       : numpy_number({x.integer("")});
  }
  const Array array = array_argument(call, &x, "x");
  if (const auto* object = x.as<ObjectPtr>();
      object != nullptr && array.dtype() == dtype && array.ndim() > 0)
    return {*object};
  Value made = new_array(converted(array, dtype), contiguous(&x));
  const auto* number = x.as<ObjectPtr>();
  const bool is_scalar = number != nullptr && (*number)->is_scalar();
  return is_scalar && !(*made.as<ObjectPtr>())->is_scalar() ? subscript(made, {}) : made;
}

/// The limits of a type, as a module that has them as constants.
Value limits_of(const Call& call, const TypeWords& type, bool is_open) {
  if (is_open)
    misuse(call.name,
           "float32 and float64 in one call are all computed in one precision; name the type, as "
           "in np.finfo(np.float32)");
  if (type.bytes > 8)
    misuse(call.name, "the limits of {} exceed float64; write np.float64",
           type.words.substr(0, type.words.find(' ')));
  return {Module{fmt::format("{}info({})", type.kind == 'f' ? "f" : "i", type.name)}};
}

Value limits(const Call& call, bool is_float) {
  const Value& type = *call.bind()[0];
  const auto* object = type.as<ObjectPtr>();
  if (object != nullptr || type.is_number()) {
    const std::string name = object == nullptr ? (type.is_real() ? "float64" : "int64")
                                               : scalar_type((*object)->read().dtype());
    const bool is_open = name == kSomeFloat;
    return limits_of(call, *type_of_word(is_open ? "float64" : name), is_open);
  }
  const DType dtype = *dtype_argument(&type);
  const TypeWords& named = *named_type(type);
  const auto* function = type.as<Function>();
  if (is_float != (dtype == DType::Float) || dtype == DType::Bool)
    misuse(call.name, "{} is not a type of {}", function != nullptr ? function->name : named.name,
           is_float ? "floats" : "integers");
  return limits_of(call, named,
                   function != nullptr && function->dtype == Function::Dtype::OfSomeFloats);
}

template <class T>
std::optional<Value> limit_of(std::string_view name) {
  using Limits = std::numeric_limits<T>;
  const std::pair<std::string_view, T> limits[] = {
      {"eps", Limits::epsilon()},         {"max", Limits::max()},
      {"min", Limits::lowest()},          {"tiny", Limits::min()},
      {"smallest_normal", Limits::min()}, {"resolution", std::pow(T(10), T(-Limits::digits10))}};
  for (const auto& [known, limit] : limits)
    if (known == name) return Value{static_cast<double>(limit), true};
  return std::nullopt;
}

/// One element as Python's number.
Value item(const Call& call) {
  Value object = call.arguments.at(0);
  const Array a = array_argument(call, &object, "a");
  std::vector<Value> index(call.arguments.begin() + 1, call.arguments.end());
  if (index.size() == 1 && index[0].as<Sequence>() != nullptr) index = elements_of(Value(index[0]));
  if (index.empty() && a.size() != 1)
    misuse(Exception::ValueError, call.name,
           "can only convert an array of size 1 to a Python scalar; the shape is {}",
           to_string(a.shape()));
  if (index.size() == 1 && a.ndim() > 1) {  // an index of all elements in C order
    Index at = index[0].integer("item's index");
    at = index_range(at, a.size()).start;
    index.clear();
    Index rest = a.size();
    for (const Index extent : a.shape()) {
      rest /= extent;
      index.push_back({at / rest});
      at %= rest;
    }
  }
  if (index.empty()) return python_number(a.reshape({}));
  if (std::ssize(index) != a.ndim())
    misuse(Exception::ValueError, call.name, "incorrect number of indices for array");
  const Value element = subscript(object, index);
  return python_number(array_argument(call, &element, "a"));
}

Value listed(const Value& array, const Dims& dims) {
  if (dims.empty()) return python_element(array);
  Sequence list{true, {}};
  for (Index i = 0; i < dims[0]; ++i)
    list.items.push_back(listed(subscript(array, {{i}}), {dims.begin() + 1, dims.end()}));
  return {std::move(list)};
}

Value tolist(const Call& call) {
  const auto bound = call.bind();
  if (const auto selection = selection_of(*bound[0]))
    return list_of_selection(call, *selection, true);
  const Array a = array_argument(call, bound[0], "a");
  constexpr Index kMost = 4096;
  if (a.size() > kMost)
    misuse(call.name, "makes a list of at most {} numbers; the array has {}", kMost, a.size());
  return listed(*bound[0], a.shape());
}

Value astype(const Call& call) {
  const auto bound = call.bind();
  const DType dtype = *dtype_argument(bound[1]);
  const Array a = array_argument(call, bound[0], "a");
  const auto* object = bound[0]->as<ObjectPtr>();
  if (!flag(bound[5]) && dtype == a.dtype() && object != nullptr) return {*object};
  Array made = converted(a, dtype);
  if (made.node() == a.node()) made = a.copy();
  if (is_numpy_scalar(made) && !is_numpy_scalar(a)) made = made.reshape({}).copy();
  return new_array(made, contiguous(bound[0]));
}

Value nothing(const Call&) {
  return {};
}

Value np_double(const Call& call) {
  const Value& x = *call.bind()[0];
  if (x.is_number()) return {x.real(), true};
  const auto* object = x.as<ObjectPtr>();
  if (object != nullptr && !(*object)->shape().empty() && (*object)->read().dtype() == DType::Float)
    return {*object};
  return new_array(converted(array_argument(call, &x, "x"), DType::Float), contiguous(&x));
}

Value np_single(const Call& call) {
  misuse(call.name, "supported scalar types are float64, int64 and bool; write np.float64");
}

}  // namespace

Value list_of_selection(const Call& call, const Selection& s, bool is_python) {
  if (s.first != 0 || s.others() != 1)
    misuse(call.name, "of a masked selection of rows is not supported; np.array(x) is");
  return run_list_of(raveled(s.whole), raveled(s.mask), is_python);
}

std::optional<Value> limit_constant(std::string_view name) {
  const auto after = [&](std::string_view prefix) {
    return name.starts_with(prefix) ? name.substr(prefix.size()) : std::string_view{};
  };
  if (const auto rest = after("finfo(float64)."); !rest.empty()) return limit_of<double>(rest);
  if (const auto rest = after("finfo(float32)."); !rest.empty()) return limit_of<float>(rest);
  for (const TypeWords& type : all_types())
    if (is_narrow(type.dtype)) {
      const auto limit = after(fmt::format("iinfo({}).", type.name));
      const detail::Bounds held = detail::limits(type.dtype);
      if (type.dtype == DType::Uint64 && limit == "max")
        misuse("np.iinfo",
               "2^64 - 1 exceeds int64, the largest type of integers that is supported");
      if (limit == "max") return Value{static_cast<std::int64_t>(held.greatest)};
      if (limit == "min") return Value{static_cast<std::int64_t>(held.least)};
    }
  const auto rest = after("iinfo(int64).");
  if (rest == "max") return Value{std::numeric_limits<std::int64_t>::max()};
  if (rest == "min") return Value{std::numeric_limits<std::int64_t>::min()};
  return std::nullopt;
}

Value python_int(const Array& number) {
  const Array alone = number.reshape({});
  return python_number(alone.dtype() == DType::Float ? whole_number(alone)
                                                     : converted(alone, DType::Int));
}

void enter_types(FunctionTable& table) {
  for (const TypeWords& type : all_types()) {
    std::string functions;
    for (const auto name : std::views::split(type.words, ' '))
      if (const std::string_view text(name.begin(), name.end()); text.starts_with("np."))
        functions += fmt::format("{}{}", functions.empty() ? "" : " ", text);
    if (type.dtype != DType::Float)
      enter(table, Topic::Type, {{functions, "x", with(converting, type.dtype)}});
  }
  enter(table, Topic::Type,
        {{".astype", "a, dtype, order=None, casting='unsafe', subok=True, copy=True", astype,
          kBesideMask},
         {"np.double", "x", np_double},
         {"np.single np.longdouble", "x", np_single},
         {"np.finfo", "dtype", with(limits, true)},
         {"np.iinfo", "dtype", with(limits, false)},
         {".item", "a, *args", item, kEachPart},
         {".tolist", "a", tolist, kSelections},
         {"np.set_printoptions np.seterr", "*args, **keywords", nothing}});
}

}  // namespace rewriter

// NumPy's dtypes: the functions that ask for them, and their attributes.
#include "rewriter/expr/build.hpp"
#include "rewriter/reader/operators/complex.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/dtypes.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

Value issubdtype(const Call& call) {
  const auto bound = call.bind();
  const auto* kind = bound[1]->as<Function>();
  const bool is_abstract = kind != nullptr && kinds_within(kind->name) != nullptr;
  const auto* given = bound[0]->as<Function>();
  if (given != nullptr && kinds_within(given->name) != nullptr)
    misuse(call.name,
           "{} is not the type of an array; the first argument must be x.dtype or a type",
           given->name);
  const TypeWords* type = named_type(*bound[0]);
  if (type == nullptr)
    misuse(call.name, "{} is not a type; write x.dtype", bound[0]->description());
  if (is_abstract) return {is_within(*type, kind->name)};
  if (named_type(*bound[1]) == nullptr)
    misuse(call.name, "{} is not a type; write np.floating, np.integer or the like",
           bound[1]->description());
  const Function as_dtype = *new_dtype(*bound[0]).as<Function>();
  return {equals_dtype(as_dtype, *bound[1])};
}

}  // namespace

Value dtype_attribute(const Function& dtype, const std::string& name) {
  const std::string full = "dtype." + name;
  if (row_of(full) == nullptr)
    misuse("program",
           "the attribute {} of a dtype is not supported; kind, name, itemsize, char and type are",
           name);
  if (dtype.dtype == Function::Dtype::OfSomeFloats && name != "kind") refuse_some_float(full);
  std::vector<NodePtr> steps;
  return call_as(full, {full, {{dtype}}, {}, steps});
}

std::optional<std::string> dtype_text(const Function& dtype) {
  if (dtype.dtype == Function::Dtype::OfSomeFloats) return std::nullopt;
  return std::string(type_of_word(dtype.name)->name);
}

Index item_size(DType dtype) {
  const Value made = dtype_of(dtype);
  return dtype_attribute(*made.as<Function>(), "itemsize").integer("");
}

namespace {

/// The type of an operation on these: a Python number has no type of its own beside an array.
Value result_type(const Call& call) {
  std::optional<DType> held, number;
  const int joint = joint_width(call.arguments);
  bool is_wide = joint == 64, has_types = false;
  for (const Value& value : call.arguments) {
    const auto* type = value.as<Function>();
    has_types = has_types || named_type(value) != nullptr;
    if (holds_complex(value) ||
        (type != nullptr && type->name.find("complex") != std::string::npos))
      return new_dtype({Function{"np.complex128", nullptr}});
    const auto selection = selection_of(value);
    const DType dtype = selection         ? selection->whole.dtype()
                        : type != nullptr ? *dtype_argument(&value)
                                          : array_argument(call, &value, "an argument").dtype();
    if (type != nullptr && dtype != DType::Bool &&
        named_type(value)->bytes >= (dtype == DType::Float ? 8 : 4))
      is_wide = true;
    auto& kind = is_python_number(value) ? number : held;
    kind = kind ? detail::promote(*kind, dtype) : dtype;
  }
  if (!held && !number)
    misuse(Exception::ValueError, call.name, "at least one array or dtype is required");
  const bool is_of_other_kind = held && number && (*number == DType::Float || *held == DType::Bool);
  const DType made = !held ? *number : is_of_other_kind ? detail::promote(*held, *number) : *held;
  if (made == DType::Float && is_wide) return new_dtype({Function{"np.float64", nullptr}});
  if (made == DType::Float && joint == 32 && !has_types)
    return new_dtype({Function{"np.float32", nullptr}});
  return dtype_of(made);
}

/// Whether one type becomes another under a rule.
Value can_cast(const Call& call) {
  const auto bound = call.bind();
  const auto* text = bound[2]->as<std::string>();
  const std::string rule = text != nullptr ? *text : "";
  const DType from = dtype_argument(bound[0]).value_or(DType::Float);
  const DType to = dtype_argument(bound[1]).value_or(DType::Float);
  if (rule == "no" || rule == "equiv") return {from == to};
  if (rule == "safe") return {detail::promote(from, to) == to};
  if (rule == "same_kind") return {detail::casts_to(from, to)};
  if (rule != "unsafe")
    misuse(Exception::ValueError, call.name,
           "casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe'");
  return {true};
}

Value np_dtype(const Call& call) {
  return new_dtype(*call.bind()[0]);
}

Value is_scalar(const Call& call) {
  const Value& x = *call.bind()[0];
  const auto* object = x.as<ObjectPtr>();
  return {x.is_number() || x.is_integer() || is_text(x) || x.as<Complex>() != nullptr ||
          (object != nullptr && (*object)->is_scalar())};
}

Value only_a_type(const Call& call) {
  misuse(call.name, "a type can only be compared with; np.array makes arrays");
}

/// An attribute of a dtype.
Value asked(const Call& call, Value (*of)(const TypeWords&)) {
  return of(*type_of_word(call.arguments.at(0).as<Function>()->name));
}

}  // namespace

void enter_dtypes(FunctionTable& table) {
  for (const auto& [name, kinds] : kAbstract)
    enter(table, Topic::Type, {{std::string(name), "*args", only_a_type}});
  using Type = const TypeWords&;
  enter(table, Topic::Attribute,
        {{"dtype.kind", "self",
          with(
              asked, +[](Type t) { return Value{std::string(1, t.kind)}; }),
          kIsAttribute},
         {"dtype.name", "self",
          with(
              asked, +[](Type t) { return Value{std::string(t.name)}; }),
          kIsAttribute},
         {"dtype.itemsize", "self",
          with(
              asked, +[](Type t) { return Value{std::int64_t{t.bytes}}; }),
          kIsAttribute},
         {"dtype.char", "self",
          with(
              asked, +[](Type t) { return Value{std::string(1, t.code)}; }),
          kIsAttribute},
         {"dtype.str", "self",
          with(
              asked,
              +[](Type t) {
                return Value{fmt::format("{}{}{}", t.bytes == 1 ? '|' : '<', t.kind, t.bytes)};
              }),
          kIsAttribute},
         {"dtype.type", "self",
          with(
              asked,
              +[](Type t) {
                return Value{Function{std::string(t.words.substr(0, t.words.find(' '))), nullptr}};
              }),
          kIsAttribute}});
  enter(table, Topic::Type,
        {{"np.result_type", "*arrays_and_dtypes", result_type, kAnyForm},
         {"np.can_cast", "from_, to, casting='safe'", can_cast},
         {"np.dtype", "dtype, align=False, copy=False", np_dtype},
         {"np.issubdtype", "arg1, arg2", issubdtype},
         {"np.isscalar", "element", is_scalar}});
}

}  // namespace rewriter

#include "rewriter/reader/values/promotion.hpp"

#include <algorithm>
#include <utility>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/float_widths.hpp"
#include "rewriter/expr/integers.hpp"
#include "rewriter/reader/reader.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/dtypes.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

int version_outside = 0;
thread_local int version_here = 0;
thread_local bool widths_are_known = true;

/// An integer that NumPy holds: an array, or a number of NumPy's.
struct Held {
  DType dtype;
  bool is_number;
};
std::optional<Held> held_integer(const Value& value) {
  if (value.is_number() && value.is_numpy && !value.is_real() && value.as<bool>() == nullptr)
    return Held{DType::Int, true};
  const auto* object = value.as<ObjectPtr>();
  if (object == nullptr || (*object)->is_python()) return std::nullopt;
  const Array array = (*object)->read();
  if (!is_integer(array.dtype())) return std::nullopt;
  return Held{array.dtype(), array.ndim() == 0};
}

bool is_within(const detail::Bounds& values, DType dtype) {
  const detail::Bounds held = detail::limits(dtype);
  return values.least >= held.least && values.greatest <= held.greatest;
}

/// A Python int beside an integer of few bits, which it takes its type from.
void take_type(Value& number, const Held& other, bool compares) {
  if (compares || !is_narrow(other.dtype)) return;
  check_fits(number, other.dtype);
  const Array whole = to_array(number, "a number");
  if (!is_within(detail::bounds(*whole.node()), other.dtype))
    misuse("program",
           "NumPy raises OverflowError where this number does not fit {}, and it is known only at "
           "run time; write np.{}(number) or a.astype(int)",
           detail::type_name(other.dtype), detail::type_name(other.dtype));
  if (!other.is_number) return;  // the array's type holds it
  number = new_array(whole.is_number() ? detail::scalar(whole.node()->number, other.dtype)
                                       : converted(whole, other.dtype));
}

}  // namespace

int width_of(const Value& value) {
  if (value.is_number()) return value.is_real() && value.is_numpy ? value.float_bits : 0;
  if (const auto* selected = value.as<Selected>()) return width_of({selected->whole});
  if (const auto* complex = value.as<Complex>())
    return std::max(width_of(complex->parts[0]), width_of(complex->parts[1]));
  const auto* object = value.as<ObjectPtr>();
  if (object == nullptr || (*object)->is_python()) return 0;
  const Array array = (*object)->read();
  if (array.dtype() != DType::Float) return 0;
  const int own = (*object)->is_scalar() ? 0 : (*object)->float_bits();
  const int bits = own != 0 ? own : float_width_of(array.node());
  const bool may_be_less = bits == 64 && array.ndim() == 0 && float_bits() != 64;
  return may_be_less && !is_of_doubles(array.node()) ? 0 : bits;
}

NumpyVersion::NumpyVersion(int version, bool widths)
    : previous_(std::exchange(version_here, version)),
      widths_(std::exchange(widths_are_known, widths)) {}
NumpyVersion::~NumpyVersion() {
  version_here = previous_;
  widths_are_known = widths_;
}

int numpy_version() {
  constexpr int kStandard = 2;
  if (version_here != 0) return version_here;
  return version_outside != 0 ? version_outside : kStandard;
}

bool numpy_version_is_known() {
  return version_here != 0 || version_outside != 0;
}

void set_numpy_version(int version) {
  version_outside = version;
}

void check_fits(const Value& number, DType dtype) {
  const auto* whole = number.as<std::int64_t>();
  if (numpy_version() < 2 || whole == nullptr || number.is_numpy || !is_narrow(dtype)) return;
  const auto value = static_cast<double>(*whole);
  if (!is_within({value, value}, dtype))
    misuse(Exception::OverflowError, "program", "Python integer {} out of bounds for {}", *whole,
           detail::type_name(dtype));
}

std::optional<Value> operation_of_each(ast::Operator op, const Value& left, const Value& right) {
  const bool is_first = is_of_either_width(left);
  const Value& choice = is_first ? left : right;
  const Value& number = is_first ? right : left;
  if (numpy_version() < 2 || !is_of_either_width(choice) || number.is_real() ||
      !is_python_number(number))
    return std::nullopt;
  const NodePtr node = (*choice.as<ObjectPtr>())->read().node();
  if (!detail::chosen_type(*node)) return std::nullopt;
  const auto of = [&](const NodePtr& chosen) {
    const Value one = detail::is_python_int(*chosen)
                          ? Value{static_cast<std::int64_t>(chosen->number)}
                          : new_array(Array(chosen));
    const Value made =
        is_first ? binary_operator(op, one, number) : binary_operator(op, number, one);
    const Array array = to_array(made, "a result");
    return array.is_number() ? full({}, array.node()->number, array.dtype()) : array;
  };
  return new_array(where(Array(node->args[0]), of(node->args[1]), of(node->args[2]), true));
}

void promote_numbers(Value& a, Value& b, bool compares, bool divides) {
  if (numpy_version() < 2) return;
  for (const auto& [one, other] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    if (!compares && is_of_either_width(*one)) {
      const auto beside = held_integer(*other);
      const Array choice = (*one->as<ObjectPtr>())->read();
      const DType type = returned_type(*choice.node());  // of a Python int it is the other's
      if (beside && is_narrow(type) && detail::promote(type, beside->dtype) == beside->dtype)
        *one = new_array(converted(choice, type));
      else if (beside ? is_narrow(beside->dtype) : is_python_number(*other) && !other->is_real())
        misuse("program",
               "NumPy's type of this result depends on which of two numbers of different types is "
               "chosen at run time; write int(a)");
    }
    const auto held = held_integer(*other);
    if (!held) continue;
    if (is_python_number(*one) && to_array(*one, "a number").dtype() == DType::Int) {
      take_type(*one, *held, compares || divides);
      continue;
    }
    const auto number = held_integer(*one);
    if (!number || !number->is_number || held->is_number) continue;
    const DType both = detail::promote(number->dtype, held->dtype);
    if (both == held->dtype) continue;
    const ObjectPtr& array = *other->as<ObjectPtr>();
    *other = new_array(converted(array->read(), both), array->contiguous());
  }
}

void note_width(const Value& a, const Value& b, const Array& result) {
  if (!widths_are_known || result.dtype() != DType::Float || result.node()->float_bits != 0) return;
  int floats = 0, integers = 0;
  for (const Value* value : {&a, &b}) {
    const auto* object = value->as<ObjectPtr>();
    if (object != nullptr && (*object)->read().node() == result.node()) return;  // nothing is new
    if (is_python_number(*value)) continue;
    if (const auto held = held_integer(*value)) {
      const bool is_short = is_narrow(held->dtype) && held->dtype < DType::Int32;
      integers = std::max(integers, is_short ? 32 : 64);
      continue;
    }
    const int bits = width_of(*value);
    const bool is_truth = value->as<bool>() != nullptr ||
                          (object != nullptr && (*object)->read().dtype() == DType::Bool);
    if (bits == 0 && !is_truth) return;
    floats = std::max(floats, bits);
  }
  const bool is_old = numpy_version() < 2;  // which promotes by values
  if (is_old && (floats != 0 || integers == 32)) return;
  result.node()->float_bits =
      static_cast<std::uint8_t>(floats != 0 ? std::max(floats, integers) : 64);
}

/// Whether NumPy makes float64 of what holds this beside other floats: of Python's numbers, and of
/// integers of many bits.
static bool makes_doubles(const Value& value) {
  if (const auto* sequence = value.as<Sequence>())
    return std::any_of(sequence->items.begin(), sequence->items.end(), makes_doubles);
  if (const auto* grown = value.as<NumberList>())
    return grown->type && grown->type->is_python && grown->type->dtype != DType::Bool;
  const auto* object = value.as<ObjectPtr>();
  if (object == nullptr)
    return value.as<Affine>() != nullptr ||
           (value.is_number() && value.as<bool>() == nullptr && width_of(value) != 32);
  const DType dtype = (*object)->read().dtype();
  if (dtype == DType::Bool) return false;
  if (dtype == DType::Float) return (*object)->is_python() || width_of(value) == 64;
  return !is_narrow(dtype) || dtype >= DType::Int32;
}

int joint_width(std::span<const Value> values) {
  if (!widths_are_known) return 0;
  int width = 0;
  for (const Value& value : values) {
    if (is_python_number(value)) continue;
    if (makes_doubles(value)) return 64;
    if (width_of(value) == 32) width = 32;
  }
  return width;
}

namespace {

/// What arguments are, as far as the width of a result's floats follows from it. Of what is no
/// number and no array something else may decide: a type, or a function that is called.
struct Looked {
  bool has_floats = false, has_arrays_of_floats = false, has_short = false, decides = false;

  void at(const Value& value) {
    if (const auto* sequence = value.as<Sequence>()) {
      for (const Value& item : sequence->items) at(item);
      return;
    }
    if (const auto* complex = value.as<Complex>()) {
      for (const Value& part : complex->parts) at(part);
      return;
    }
    const auto* selected = value.as<Selected>();
    const auto* object = selected != nullptr ? &selected->whole : value.as<ObjectPtr>();
    if (object != nullptr && !(*object)->is_python()) {
      const Array array = (*object)->read();
      const bool is_float = array.dtype() == DType::Float;
      has_floats = has_floats || is_float;
      has_arrays_of_floats = has_arrays_of_floats || (is_float && array.ndim() > 0);
      has_short = has_short || (is_narrow(array.dtype()) && array.dtype() < DType::Int32);
    } else if (value.is_number()) {
      has_floats = has_floats || (value.is_numpy && value.is_real());
    } else if (object == nullptr) {
      decides = decides || !(value.is_none() || value.is_integer());
    }
  }
};

}  // namespace

int width_like(std::span<const Value> arguments) {
  if (!widths_are_known) return 0;
  Looked looked;
  for (const Value& value : arguments) {
    if (const auto* text = value.as<std::string>(); text != nullptr && named_type(value) == nullptr)
      continue;
    looked.at(value);
  }
  if (looked.decides) return 0;
  if (!looked.has_floats) return looked.has_short ? 0 : 64;
  // NumPy 1 promotes numbers alone by their types
  if (numpy_version() < 2 && !looked.has_arrays_of_floats) return 0;
  return joint_width(arguments) == 32 ? 32 : 0;
}

Array with_width_of(const Value& list, const Array& made, std::uint64_t newest) {
  if (!widths_are_known || made.dtype() != DType::Float || !makes_doubles(list)) return made;
  const Array result = made.node()->id > newest ? made : made.copy();
  result.node()->float_bits = 64;
  return result;
}

}  // namespace rewriter

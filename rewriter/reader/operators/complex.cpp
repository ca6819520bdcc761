#include "rewriter/reader/operators/complex.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/operators/complex_parts.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

using enum ast::Operator;

}  // namespace

Parts parts_of(const Value& value) {
  if (const auto* z = value.as<Complex>()) return {z->parts[0], z->parts[1]};
  return {value, std::nullopt};
}

Value zero_like(const Value& value) {
  if (const auto* selected = value.as<Selected>()) {
    Selected zeros = *selected;
    zeros.whole = *new_array(full(selected->whole->shape(), 0)).as<ObjectPtr>();
    return {zeros};
  }
  const auto* object = value.as<ObjectPtr>();
  return object == nullptr ? Value{0.0} : new_array(full((*object)->shape(), 0));
}

Value sum(ast::Operator op, const Parts& a, const Parts& b) {
  return new_complex(binary_operator(op, a.real, b.real),
                     binary_operator(op, a.imag.value_or(Value{0.0}), b.imag.value_or(Value{0.0})));
}

namespace {

Value times(const Value& a, const Value& b) {
  return binary_operator(Multiply, a, b);
}

/// What is real has zeros as its imaginary part, whose products NumPy adds as well.
Parts with_zeros(const Parts& parts) {
  return parts.imag ? parts : Parts{parts.real, Value{0.0}};
}

Value multiplied(const Parts& a, const Parts& b) {
  return product(times, with_zeros(a), with_zeros(b));
}

/// The same numbers in memory of their own.
Value copied(const Value& value) {
  if (const auto* object = value.as<ObjectPtr>())
    return (*object)->is_scalar() ? value
                                  : new_array((*object)->read().copy(), (*object)->contiguous());
  if (const auto selection = selection_of(value))
    return select(selection->whole.copy(), selection->mask, selection->first);
  if (const auto* z = value.as<Complex>())
    return {Complex{Items({copied(z->parts[0]), copied(z->parts[1])})}};
  return value;
}

/// The memory that a part of a complex value is in; null of Python's numbers.
const ArrayObject* memory_of(const Value& part) {
  if (const auto* selected = part.as<Selected>())
    return ArrayObject::root_of(selected->whole).get();
  const auto* object = part.as<ObjectPtr>();
  return object == nullptr ? nullptr : ArrayObject::root_of(*object).get();
}

/// The result of an operation, whose parts share no memory with its operands: one that it takes
/// over from an operand as it is, is copied.
Value apart(const Value& result, std::initializer_list<const Value*> operands) {
  const auto* z = result.as<Complex>();
  if (z == nullptr) return result;
  std::vector<const ArrayObject*> memories;
  const auto note = [&](const Value& part) {
    if (const auto* memory = memory_of(part)) memories.push_back(memory);
  };
  for (const Value* operand : operands) for_each_part(*operand, note);
  std::vector<Value> parts;
  for (const Value& part : z->parts) {
    const auto* memory = memory_of(part);
    const bool shares =
        memory != nullptr && std::find(memories.begin(), memories.end(), memory) != memories.end();
    parts.push_back(shares ? copied(part) : part);
  }
  return {Complex{Items(std::move(parts))}};
}

Value conjugate(const Value& z) {
  const Parts parts = parts_of(z);
  return parts.imag ? new_complex(parts.real, unary_operator(Negative, *parts.imag)) : z;
}

Value quotient(const Parts& a, const Parts& b) {
  if (!b.imag) {  // as by b + 0j: the zeros that this adds have signs
    std::vector<NodePtr> steps;
    const Value zero = call_function({"np.copysign", {{0.0}, b.real}, {}, steps});
    const Value divisor = binary_operator(Add, b.real, {0.0});
    const auto part = [&](ast::Operator op, const Value& own, const Value& other) {
      return binary_operator(Divide, binary_operator(op, own, times(other, zero)), divisor);
    };
    return new_complex(part(Add, a.real, *a.imag), part(Subtract, *a.imag, a.real));
  }
  const Value norm = binary_operator(Add, times(b.real, b.real), times(*b.imag, *b.imag));
  const Value over = product(times, a, parts_of(conjugate(new_complex(b.real, *b.imag))));
  const Parts parts = parts_of(over);
  return new_complex(binary_operator(Divide, parts.real, norm),
                     binary_operator(Divide, *parts.imag, norm));
}

/// To a whole power by products, as NumPy does it.
Value whole_power(const Value& z, Index exponent) {
  Value result = exponent == 0
                     ? new_complex(binary_operator(Add, zero_like(parts_of(z).real), {1.0}),
                                   zero_like(parts_of(z).real))
                     : z;
  for (Index left = exponent - 1; left > 0; --left)
    result = product(times, parts_of(result), parts_of(z));
  return result;
}

}  // namespace

Value complex_array(const Value& list) {
  std::vector<NodePtr> steps;
  return call_function({"np.array", {list}, {}, steps});
}

bool holds_complex(const Value& value) {
  if (value.as<Complex>() != nullptr) return true;
  const auto* sequence = value.as<Sequence>();
  return sequence != nullptr &&
         std::any_of(sequence->items.begin(), sequence->items.end(), holds_complex);
}

Value new_complex(const Value& real, const Value& imag) {
  const auto shape = [](const Value& value) -> Dims {
    const auto* object = value.as<ObjectPtr>();
    const auto* selected = value.as<Selected>();
    return object != nullptr     ? (*object)->shape()
           : selected != nullptr ? selected->whole->shape()
                                 : Dims{};
  };
  const auto like = [&](const Value& value, const Value& other) {
    return shape(value) == shape(other) &&
                   (value.as<ObjectPtr>() == nullptr) == (other.as<ObjectPtr>() == nullptr)
               ? value
               : binary_operator(Add, value, zero_like(other));
  };
  return {Complex{Items({like(real, imag), like(imag, real)})}};
}

std::optional<Value> complex_operator(ast::Operator op, const Value& operand) {
  const auto* z = operand.as<Complex>();
  if (z == nullptr) return std::nullopt;
  if (op != Negative && op != Positive)
    misuse("program", "'{}' of complex numbers is not supported", ast::spelling(op));
  return new_complex(unary_operator(op, z->parts[0]), unary_operator(op, z->parts[1]));
}

Value without_list(const Value& x) {
  return x.as<Sequence>() != nullptr && holds_complex(x) ? complex_array(x) : x;
}

std::optional<Value> call_by_parts(std::string_view name, const Call& call) {
  std::string function(name);
  std::replace(function.begin(), function.end(), '.', '_');  // linalg.inv
  Call of_arrays = call;
  for (Value& argument : of_arrays.arguments) argument = without_list(argument);
  auto result = call_library_file("_complex", function, of_arrays);
  if (!result || of_arrays.arguments.empty()) return result;
  return apart(*result, {&of_arrays.arguments[0]});
}

static Value complex_arithmetic(ast::Operator op, const Value& left, const Value& right) {
  const Parts a = parts_of(left);
  const Parts b = parts_of(right);
  switch (op) {
    case Add:
    case Subtract:
      return sum(op, a, b);
    case Multiply:
      return multiplied(a, b);
    case MatMul:
      return product([](const Value& x, const Value& y) { return binary_operator(MatMul, x, y); },
                     a, b);
    case Divide:
      if (!a.imag) return quotient({a.real, zero_like(a.real)}, b);
      return quotient(a, b);
    case Power: {
      const bool is_whole = !b.imag && right.is_number() &&
                            right.real() == std::trunc(right.real()) &&
                            std::abs(right.real()) <= 64;
      if (!is_whole) {
        std::vector<NodePtr> steps;
        const Call power{"np.power", {left, right}, {}, steps};
        return *call_by_parts("power", power);
      }
      const auto exponent = static_cast<Index>(right.real());
      Value power = whole_power(left, std::abs(exponent));
      if (exponent >= 0) return power;
      return quotient({Value{1.0}, Value{0.0}}, parts_of(power));
    }
    case Equal:
    case NotEqual: {
      const Value same_real = binary_operator(op, a.real, b.real);
      const Value same_imag =
          binary_operator(op, a.imag ? *a.imag : Value{0.0}, b.imag ? *b.imag : Value{0.0});
      return binary_operator(op == Equal ? BitAnd : BitOr, same_real, same_imag);
    }
    case Less:
    case LessEqual:
    case Greater:
    case GreaterEqual: {
      if (memory_of(a.real) == nullptr && memory_of(b.real) == nullptr)
        misuse(Exception::TypeError, "program", "'{}' not supported between instances of 'complex'",
               ast::spelling(op));
      constexpr std::array<std::string_view, 4> kNames{"less", "less_equal", "greater",
                                                       "greater_equal"};
      const std::string_view name =
          kNames.at(static_cast<std::size_t>(op) - static_cast<std::size_t>(Less));
      std::vector<NodePtr> steps;
      return *call_by_parts(name, {fmt::format("np.{}", name), {left, right}, {}, steps});
    }
    default:
      misuse("program", "'{}' of complex numbers is not supported", ast::spelling(op));
  }
}

std::optional<Value> complex_operator(ast::Operator op, const Value& left, const Value& right) {
  if (left.as<Complex>() == nullptr && right.as<Complex>() == nullptr) return std::nullopt;
  if (left.is_none() || right.is_none()) return std::nullopt;
  if (left.as<std::string>() != nullptr || right.as<std::string>() != nullptr) return std::nullopt;
  return apart(complex_arithmetic(op, left, right), {&left, &right});
}

}  // namespace rewriter

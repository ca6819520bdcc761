// Python's operators.
#include <algorithm>
#include <cmath>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/float_widths.hpp"
#include "rewriter/python/inlining.hpp"
#include "rewriter/reader/operators/arithmetic.hpp"
#include "rewriter/reader/operators/bits.hpp"
#include "rewriter/reader/operators/characters.hpp"
#include "rewriter/reader/operators/complex.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/selections/run_lists.hpp"
#include "rewriter/reader/selections/selection.hpp"
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

/// A list that grew is joined and repeated by Python; an integer of NumPy repeats any list.
void refuse_lists(ast::Operator op, const Value& left, const Value& right) {
  for (const auto& [list, other] : {std::pair(&left, &right), std::pair(&right, &left)}) {
    const auto* object = other->as<ObjectPtr>();
    const bool grew = list->as<NumberList>() != nullptr;
    if (!grew && list->as<Sequence>() == nullptr) continue;
    const bool is_scalar = object != nullptr && (*object)->is_scalar();
    const bool repeats = (is_scalar || other->is_number()) && op == ast::Operator::Multiply &&
                         (object == nullptr || (*object)->read().dtype() != DType::Float);
    if ((grew && object == nullptr) || repeats || (is_scalar && (*object)->is_python()))
      misuse("program", "'{}' of {} and {} is not supported; np.array(list) makes an array",
             ast::spelling(op), left.description(), right.description());
  }
}

/// Python has no arithmetic of ranges; an array beside one makes it an array.
void refuse_ranges(ast::Operator op, const Value& left, const Value& right) {
  if (left.as<RangeValue>() == nullptr && right.as<RangeValue>() == nullptr) return;
  if (op == ast::Operator::Equal || op == ast::Operator::NotEqual) return;
  const auto is_numpys = [](const Value& value) {
    const auto* object = value.as<ObjectPtr>();
    return value.is_numpy || (object != nullptr && !(*object)->is_python());
  };
  if (is_numpys(left) || is_numpys(right)) return;
  misuse("program",
         "unsupported operand types for {}: {} and {}; np.arange(n) makes an array, and "
         "list(range(n)) a list",
         ast::spelling(op), left.description(), right.description());
}

/// Whether the integer is 0 in an iteration; of many nested iterations, whether it may be.
bool takes_zero(const Affine& value) {
  if (value.least() > 0 || value.greatest() < 0) return false;
  if (value.known()) return true;
  std::vector<Affine> open{value};
  while (open.front().terms.size() > 1) {
    const LoopPtr loop = open.front().terms.front().loop;
    constexpr Index kMost = 1'000'000;
    if (loop->count() > kMost / std::ssize(open)) return true;
    std::vector<Affine> next;
    for (const Affine& each : open)
      for (Index i = 0; i < loop->count(); ++i)
        next.push_back(each.with(loop, loop->start + i * loop->step));
    open = std::move(next);
  }
  const auto solved = [](const Affine& each) {
    const auto& [loop, factor] = each.terms.front();
    const Index missing = -(each.constant + factor * loop->start);
    const Index stride = factor * loop->step;
    return missing % stride == 0 && missing / stride >= 0 && missing / stride < loop->count();
  };
  return std::any_of(open.begin(), open.end(), solved);
}

}  // namespace

std::optional<bool> known_identical(const Value& left, const Value& right) {
  const auto* x = left.as<ObjectPtr>();
  const auto* y = right.as<ObjectPtr>();
  if (x != nullptr && y != nullptr && !(*x)->is_scalar() && !(*y)->is_scalar()) return *x == *y;
  const auto list = list_number(left);
  if (const auto other = list_number(right); list && other) return *list == *other;
  if (const auto* f = left.as<Function>())
    if (const auto* g = right.as<Function>())
      return (f->dtype == Function::Dtype::No) == (g->dtype == Function::Dtype::No) &&
             known_equal(left, right) == true;
  const auto* a = left.as<bool>();
  const auto* b = right.as<bool>();
  if (a != nullptr && b != nullptr && !left.is_numpy && !right.is_numpy) return *a == *b;
  if ((a != nullptr && !left.is_numpy) || (b != nullptr && !right.is_numpy)) {
    const Value& other = a != nullptr ? right : left;
    if (!other.as<ObjectPtr>()) return false;
  }
  return std::nullopt;
}

namespace {

/// Of what may be in a container: a number.
void refuse_sought_array(const Value& sought) {
  const auto* array = sought.as<ObjectPtr>();
  if (array != nullptr && !(*array)->shape().empty())
    misuse("program", "'in' compares numbers; got an array of shape {}; write np.any(x == value)",
           to_string((*array)->shape()));
}

/// item in container
Value contains(const Value& container, const Value& item) {
  if (const auto* text = container.as<std::string>()) {
    const auto* part = item.as<std::string>();
    if (part == nullptr && !python_type(item).empty() && !is_text(item))
      throw PythonError(
          "TypeError", "program",
          fmt::format("'in <string>' requires string as left operand, not {}", python_type(item)));
    if (part == nullptr) misuse("program", "'in' of a string expects a string");
    return {text->find(*part) != std::string::npos};
  }
  if (const auto* dict = container.as<Dict>()) return {find_key(*dict, item) != nullptr};
  if (const auto found = bytes_within(container, item)) return {*found};
  if (const auto* array = container.as<ObjectPtr>()) {
    refuse_sought_array(item);
    return python_number(
        reduce(Op::any, equal((*array)->read(), to_array(item, "the operand of 'in'"))));
  }
  const auto* sequence = container.as<Sequence>();
  std::optional<Array> found;
  for (const Value& each : sequence != nullptr ? sequence->items : Items(elements_of(container))) {
    const auto same = known_equal(each, item);
    if (same == true || known_identical(each, item) == true) return {true};
    if (same == false) continue;
    refuse_sought_array(each);
    refuse_sought_array(item);
    const Value equal = equal_items(each, item);
    if (const auto truth = truth_of(equal)) {
      if (*truth) return {true};
      continue;
    }
    const Array is_this = to_array(equal, "a comparison");
    found = found ? logical_or(*found, is_this) : is_this;
  }
  return found ? python_number(*found) : Value{false};
}

/// Whether two dictionaries are equal: with the same keys, the values as those of lists.
Value equal_dicts(const Dict& a, const Dict& b) {
  std::vector<Value> its;
  for (const Value& key : a.keys) {
    const Value* found = find_key(b, key);
    if (found == nullptr) return {false};
    its.push_back(*found);
  }
  if (its.size() != b.keys.size()) return {false};
  return binary_operator(ast::Operator::Equal, {Sequence{true, a.values}},
                         new_sequence(true, std::move(its)));
}

/// == of containers that are compared when the program runs.
std::optional<Value> equal_containers(const Value& left, const Value& right) {
  if (left.as<RunList>() != nullptr || right.as<RunList>() != nullptr) {
    const Value& other = left.as<RunList>() != nullptr ? right : left;
    if (other.as<ObjectPtr>() != nullptr) return std::nullopt;
    return equal_run_lists(left, right);
  }
  if (left.as<NumberList>() != nullptr || right.as<NumberList>() != nullptr) {
    const auto items = [](const Value& list) {
      return list.as<NumberList>() == nullptr ? list : new_sequence(true, elements_of(list));
    };
    const Value a = items(left), b = items(right);
    if (a.as<Sequence>() == nullptr || b.as<Sequence>() == nullptr) return std::nullopt;
    return binary_operator(ast::Operator::Equal, a, b);
  }
  const auto* a = left.as<Dict>();
  const auto* b = right.as<Dict>();
  if (a != nullptr && b != nullptr) return equal_dicts(*a, *b);
  return std::nullopt;
}

/// An array of integers, or a run-time int, shifted by a known count.
std::optional<Value> shifted_by_number(ast::Operator op, const Value& left, const Value& right) {
  const auto* object = left.as<ObjectPtr>();
  if (object == nullptr || !right.is_number() || right.is_real()) return std::nullopt;
  const Array held = (*object)->read();
  const Index by = right.integer("");
  constexpr Index kMost = 52;
  if (held.dtype() == DType::Float || by < 0 || by > kMost) return std::nullopt;
  const Array bits = held.as_type(DType::Int);
  Array made = op == ast::Operator::LeftShift ? bits * Array(Index{1} << by)
                                              : shifted_bits(op, bits, Array(by));
  const bool has_own_type =
      numpy_version() < 2 ? held.ndim() > 0 : !right.is_numpy && !(*object)->is_python();
  if (has_own_type && is_narrow(held.dtype())) made = detail::as_integers(made, held.dtype());
  return (*object)->is_python() ? python_number(made) : new_array(made, (*object)->contiguous());
}

/// Of static ints, and of an array by a static count; nothing of others.
std::optional<Value> shifted(ast::Operator op, const Value& left, const Value& right) {
  if (auto made = shifted_by_number(op, left, right)) return made;
  if (!left.is_number() || left.is_real() || !right.is_number() || right.is_real())
    return std::nullopt;
  const Index by = right.integer("");
  if (by < 0) misuse(Exception::ValueError, "program", "negative shift count");
  const Value power = number_arithmetic(ast::Operator::Power, {std::int64_t{2}},
                                        {std::int64_t{std::min<Index>(by, 62)}});
  return number_arithmetic(
      op == ast::Operator::LeftShift ? ast::Operator::Multiply : ast::Operator::FloorDivide,
      {left.integer("")}, power);
}

std::optional<Value> repeated_text(ast::Operator op, const Value& left, const Value& right) {
  const auto* a = left.as<std::string>();
  const auto* text = a != nullptr ? a : right.as<std::string>();
  const Value& times = a != nullptr ? right : left;
  if (op != ast::Operator::Multiply || text == nullptr || !times.is_number() || times.is_real())
    return std::nullopt;
  const Index count = std::max<Index>(times.integer(""), 0);
  if (!text->empty() && count > Index(kMostText) / std::ssize(*text))
    misuse("program", "the string is too long");
  std::string result;
  for (Index i = 0; i < count; ++i) result += *text;
  return Value{result};
}

/// `is` and `is not`, and `==` and `!=` where one side is None; nothing of other operations.
std::optional<bool> identity(ast::Operator op, const Value& left, const Value& right) {
  using enum ast::Operator;
  const bool identical = op == Is || op == IsNot;
  if (!identical && op != Equal && op != NotEqual) return std::nullopt;
  if (!left.is_none() && !right.is_none()) {
    if (!identical) return std::nullopt;
    if (const auto same = known_identical(left, right)) return *same == (op == Is);
    misuse("program", "'{}' is supported only with None; compare with == or !=", ast::spelling(op));
  }
  const Value& other = left.is_none() ? right : left;
  const auto* object = other.as<ObjectPtr>();
  if (const auto* type = other.as<Function>();
      !identical && type != nullptr && type->dtype != Function::Dtype::No)
    misuse(
        "program",
        "NumPy treats None as float64 in comparisons of dtypes; write np.float64, or `is{} None`",
        op == Equal ? "" : " not");
  if (!identical && object != nullptr && !(*object)->is_python())
    misuse("program", "NumPy compares each element with None; write `is{} None`",
           op == Equal ? "" : " not");
  return other.is_none() == (op == Is || op == Equal);
}

/// NumPy squares truth values in their own type where the one number that is the exponent is 2.
void refuse_powers_of_truths(const Value& base, const Value& exponent) {
  const auto* object = base.as<ObjectPtr>();
  if (object == nullptr || (*object)->is_scalar() || (*object)->read().dtype() != DType::Bool)
    return;
  const auto* number = exponent.as<ObjectPtr>();
  const auto* integer = exponent.as<Affine>();
  const bool may_be_two = integer != nullptr && takes_zero(*integer + Affine{-2, {}});
  if (!may_be_two && (number == nullptr || !(*number)->shape().empty() ||
                      (*number)->read().dtype() == DType::Bool))
    return;
  misuse("program",
         "the type of booleans to a power depends on whether the exponent is 2, which is known "
         "only at run time; multiply them by 1.0 first");
}

/// A scalar's type stays, which beside the number -1 would be float64.
Value negative(const Array& a, bool contiguous) {
  const Array result = -a;
  if (a.ndim() == 0 && a.dtype() == DType::Float && !a.is_number())
    result.node()->float_bits = static_cast<std::uint8_t>(float_width_of(a.node()));
  return new_array(result, contiguous);
}

bool is_numpy_truth(const Value& value) {
  return value.is_numpy && value.as<bool>() != nullptr;
}

}  // namespace

Value equal_items(const Value& a, const Value& b) {
  if (known_identical(a, b) == true) return {true};
  if (const auto same = known_equal(a, b)) return {*same};
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const auto* perhaps = one->as<Perhaps>();
    if (perhaps == nullptr) continue;
    const Value is_set{perhaps->is_set};
    const auto* held = perhaps->value().as<ObjectPtr>();
    const bool is_array = held != nullptr && !(*held)->is_scalar();
    if (!perhaps->otherwise().is_none() || other->as<Perhaps>() != nullptr || is_array)
      misuse("program", "'==' of {} and {} is not supported", a.description(), b.description());
    if (other->is_none()) return unary_operator(ast::Operator::Not, is_set);
    const Value equal = equal_items(perhaps->value(), *other);
    if (const auto known = truth_of(equal)) return *known ? is_set : equal;
    return python_number(logical_and(perhaps->is_set->read(), to_array(equal, "a comparison")));
  }
  const Value equal = binary_operator(ast::Operator::Equal, a, b);
  const auto* array = equal.as<ObjectPtr>();
  check_has_truth(equal);
  return array == nullptr ? equal : python_number((*array)->read().reshape({}));
}

void check_has_truth(const Value& value) {
  const auto* array = value.as<ObjectPtr>();
  if (array != nullptr && (*array)->read().size() != 1)
    throw PythonError(
        "ValueError", "program",
        fmt::format("the truth of {} is ambiguous; np.any(a) and np.all(a) ask for all elements, "
                    "np.where(a, b, c) and np.logical_and(a, b) work element by element",
                    value.description()),
        {{std::string("The truth value of an array with more than one element is ambiguous. Use "
                      "a.any() or a.all()")}});
}

Value unary_operator(ast::Operator op, const Value& operand) {
  if (operand.as<RangeValue>() != nullptr && op != ast::Operator::Not)
    misuse("program", "bad operand type for unary {}: 'range'; np.arange(n) makes an array",
           ast::spelling(op));
  if (const auto complex = complex_operator(op, operand)) return *complex;
  if (const auto selected = selection_operator(op, operand)) return *selected;
  if (const auto* counts = operand.as<Dict>(); counts != nullptr && counts->type == "Counter") {
    Dict none;
    none.type = counts->type;
    if (op == ast::Operator::Positive) return *dict_arithmetic(ast::Operator::Add, operand, {none});
    if (op == ast::Operator::Negative)
      return *dict_arithmetic(ast::Operator::Subtract, {none}, operand);
  }
  const auto* object = operand.as<ObjectPtr>();
  if (op != ast::Operator::Not) refuse_operand(op, operand);
  switch (op) {
    case ast::Operator::Negative:
      if (const auto* integer = operand.as<Affine>()) return {*integer * -1};
      if (object != nullptr && (*object)->is_python())
        return python_number(-arithmetic_operand(operand));
      if (operand.is_real()) return {-operand.real(), operand.is_numpy};
      if (is_numpy_truth(operand))
        misuse(Exception::TypeError, "program", "NumPy does not support '-' of a boolean");
      if (operand.is_number())
        return number_arithmetic(ast::Operator::Subtract, {std::int64_t{0}}, operand);
      return negative(to_array(operand, "the operand of '-'"),
                      object == nullptr || (*object)->contiguous());
    case ast::Operator::Positive:
      if (operand.as<Affine>() != nullptr) return operand;
      if (is_numpy_truth(operand))
        misuse(Exception::TypeError, "program", "NumPy does not support '+' of a boolean");
      if (operand.is_number())
        return operand.is_real() ? operand : Value{operand.integer(""), operand.is_numpy};
      if (object != nullptr && (*object)->is_python())
        return python_number(arithmetic_operand(operand));
      if (object != nullptr && (*object)->shape().empty() &&
          !(*object)->is_scalar())  // becomes one
        return new_array((*object)->read() * Array::number(1, DType::Bool));
      return new_array(to_array(operand, "the operand of '+'").copy(),
                       object == nullptr || (*object)->contiguous());
    case ast::Operator::Not:
      if (const auto truth = truth_of(operand)) return {!*truth};
      if (operand.as<Affine>() != nullptr || (object != nullptr && (*object)->read().size() == 1))
        return python_number(logical_not(to_array(operand, "the operand of 'not'").reshape({})));
      check_has_truth(operand);
      misuse("program",
             "the truth of {} is known only at run time; np.logical_not(a) works "
             "element by element",
             operand.description());
    default:
      break;
  }
  if (const auto* integer = operand.as<Affine>()) return {*integer * -1 + Affine{-1, {}}};
  if (object != nullptr && (*object)->is_python() && (*object)->read().dtype() != DType::Float)
    return python_number(Array(-1) - arithmetic_operand(operand));
  if (object != nullptr && (*object)->read().dtype() == DType::Bool)
    return new_array(logical_not((*object)->read()), (*object)->contiguous());
  if (is_numpy_truth(operand)) return {!*operand.as<bool>(), true};
  if (operand.is_number() && !operand.is_real()) return {~operand.integer(""), operand.is_numpy};
  if (object != nullptr && is_integer((*object)->read().dtype())) {
    const Array bits = (*object)->read();
    const bool is_unsigned = is_narrow(bits.dtype()) && !(detail::limits(bits.dtype()).least < 0);
    const double ones = is_unsigned ? detail::limits(bits.dtype()).greatest : -1;
    const Array inverted = Array(ones).as_type(DType::Int) - bits.as_type(DType::Int);
    return new_array(detail::as_integers(inverted, bits.dtype()), (*object)->contiguous());
  }
  if (object != nullptr) refuse_bits(op, (*object)->read().dtype() != DType::Float);
  misuse("program", "'~' expects an array of booleans; got {}", operand.description());
}

void refuse_python_errors(ast::Operator op, const Value& left, const Value& right) {
  if (left.is_numpy || right.is_numpy) return;
  const bool is_power = op == ast::Operator::Power;
  if (op == ast::Operator::Divide && is_python_number(left) && right.as<Affine>() != nullptr &&
      takes_zero(*right.as<Affine>()))
    misuse("program", "division by zero: {} is 0 in an iteration", to_string(*right.as<Affine>()));
  const auto* base = left.as<Affine>();
  if (!is_power || base == nullptr || !right.is_number()) return;
  const double exponent = right.real();
  if (exponent < 0 && takes_zero(*base))
    misuse("program", "0 cannot be raised to a negative power: {} is 0 in an iteration",
           to_string(*base));
  if (exponent != std::floor(exponent) && std::isfinite(exponent) && base->least() < 0)
    misuse("program",
           "{} is negative in an iteration, and its power {} is a complex number in Python; powers "
           "of Python numbers must be real",
           to_string(*base), exponent);
}

Value binary_operator(ast::Operator op, const Value& left, const Value& right) {
  if (const auto complex = complex_operator(op, left, right)) return *complex;
  if (const auto characters = characters_operator(op, left, right)) return *characters;
  if (left.as<Ignored>() != nullptr || right.as<Ignored>() != nullptr) {
    const Value& other = left.as<Ignored>() != nullptr ? right : left;
    const bool makes_text = (op == ast::Operator::Add && is_text(other)) ||
                            op == ast::Operator::Multiply || op == ast::Operator::Modulo;
    if ((is_chosen_text(left) || is_chosen_text(right)) && !makes_text)
      misuse("program",
             "'{}' of a string that is chosen at run time is not supported; it can only be printed",
             ast::spelling(op));
    const auto* array = other.as<ObjectPtr>();
    if (array != nullptr && !(*array)->shape().empty())
      misuse("program", "'{}' of {} and {}", ast::spelling(op), left.description(),
             right.description());
    return left.as<Ignored>() != nullptr ? left : right;
  }
  if (op == ast::Operator::In || op == ast::Operator::NotIn) {
    const Value found = contains(right, left);
    return op == ast::Operator::In ? found : unary_operator(ast::Operator::Not, found);
  }
  if (op == ast::Operator::Equal || op == ast::Operator::NotEqual)  // NumPy asks each element
    for (const auto& [none, other] : {std::pair(&left, &right), std::pair(&right, &left)})
      if (const auto* array = other->as<ObjectPtr>();
          none->is_none() && array != nullptr && !(*array)->is_scalar())
        return new_array(
            full((*array)->shape(), op == ast::Operator::NotEqual ? 1 : 0, DType::Bool));
  if (const auto decided = identity(op, left, right)) return {*decided};
  if (op == ast::Operator::LeftShift || op == ast::Operator::RightShift)
    if (auto made = shifted(op, left, right)) return *std::move(made);
  if (const auto selected = selection_operator(op, left, right)) return *selected;
  if (left.is_number() && right.is_number()) return number_arithmetic(op, left, right);
  refuse_ranges(op, left, right);
  if (const auto* text = left.as<std::string>()) {
    const auto* other = right.as<std::string>();
    if (op == ast::Operator::Modulo) return formatted_text(*text, right);
    if (other != nullptr && op == ast::Operator::Equal) return {*text == *other};
    if (other != nullptr && op == ast::Operator::NotEqual) return {*text != *other};
    if (other != nullptr && op >= ast::Operator::Less && op <= ast::Operator::GreaterEqual)
      return number_arithmetic(op, {std::int64_t{text->compare(*other)}}, {std::int64_t{0}});
  }
  if (const auto repeated = repeated_text(op, left, right)) return *repeated;
  if (auto made = dict_arithmetic(op, left, right)) return *std::move(made);
  const auto is_text = [](const Value& value) {
    return value.as<std::string>() != nullptr || value.as<Text>() != nullptr;
  };
  if (op == ast::Operator::Add && (is_text(left) || is_text(right)))
    return joined_texts(left, right);
  if (left.is_integer() && right.is_integer() && !left.is_numpy && !right.is_numpy)
    if (const auto result = affine_arithmetic(op, left, right)) return *result;
  if (is_python_number(left) && is_python_number(right)) return python_arithmetic(op, left, right);
  if (op == ast::Operator::Equal || op == ast::Operator::NotEqual)
    if (const auto same = known_equal(left, right)) return {*same == (op == ast::Operator::Equal)};
  if (op == ast::Operator::Equal || op == ast::Operator::NotEqual)
    if (const auto same = equal_containers(left, right))
      return op == ast::Operator::Equal ? *same : unary_operator(ast::Operator::Not, *same);
  if (left.as<ObjectPtr>() == nullptr && right.as<ObjectPtr>() == nullptr &&
      (left.as<Sequence>() != nullptr || right.as<Sequence>() != nullptr))
    return sequence_arithmetic(op, left, right);
  refuse_lists(op, left, right);
  refuse_operands(op, left, right);
  if (op == ast::Operator::Power) refuse_powers_of_truths(left, right);
  const auto side = [&](std::string_view which) {
    return fmt::format("the {} operand of '{}'", which, ast::spelling(op));
  };
  const auto ordered = [](const Value& value) {
    const auto* object = value.as<ObjectPtr>();
    return object == nullptr || (*object)->contiguous();
  };
  const bool compares = op >= ast::Operator::Less && op <= ast::Operator::NotEqual;
  if (auto result = compares ? std::nullopt : operation_of_each(op, left, right)) return *result;
  Value a = left, b = right;
  promote_numbers(a, b, compares, op == ast::Operator::Divide);
  const Array result = array_arithmetic(op, to_array(a, side("left")), to_array(b, side("right")));
  note_width(left, right, result);
  const bool one_batch = op == ast::Operator::MatMul && result.ndim() < 4;
  return new_array(result, one_batch || (ordered(left) && ordered(right)));
}

Value both_hold(const Value& a, const Value& b) {
  if (const auto known = truth_of(a)) return *known ? b : a;
  if (const auto known = truth_of(b)) return *known ? a : b;
  return python_number(logical_and(to_array(a, "a condition"), to_array(b, "a condition")));
}

Value either_holds(const Value& a, const Value& b) {
  if (const auto known = truth_of(a)) return *known ? a : b;
  if (const auto known = truth_of(b)) return *known ? b : a;
  return python_number(logical_or(to_array(a, "a condition"), to_array(b, "a condition")));
}

Value negated(const Value& a) {
  if (const auto known = truth_of(a)) return {!*known};
  return python_number(logical_not(to_array(a, "a condition")));
}

}  // namespace rewriter

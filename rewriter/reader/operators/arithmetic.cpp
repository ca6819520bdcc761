// Python's arithmetic on arrays, ints that depend on loops, and sequences.
#include "rewriter/reader/operators/arithmetic.hpp"

#include <algorithm>
#include <cmath>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/float_widths.hpp"
#include "rewriter/reader/operators/bits.hpp"
#include "rewriter/reader/selections/packed.hpp"
#include "rewriter/reader/selections/run_lists.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/python_types.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

Array array_arithmetic(ast::Operator op, const Array& a, const Array& b) {
  using enum ast::Operator;
  switch (op) {
    case Add:
      return a + b;
    case Subtract:
      return a - b;
    case Multiply:
      return a * b;
    case Divide:
      return a / b;
    case MatMul:
      return matmul(a, b);
    case Power:
      return power_operator(a, b);
    case Less:
      return a < b;
    case LessEqual:
      return a <= b;
    case Greater:
      return a > b;
    case GreaterEqual:
      return a >= b;
    case Equal:
      return equal(a, b);
    case NotEqual:
      return not_equal(a, b);
    case FloorDivide:
      return floor_divide(a, b);
    case Modulo:
      return mod(a, b);
    case BitAnd:
    case BitOr:
    case BitXor:
      return bits_of_both(op, a, b);
    case LeftShift:
    case RightShift:
      return shifted_bits(op, a, b);
    default:
      refuse_bits(op, a.dtype() != DType::Float && b.dtype() != DType::Float);
  }
}

std::optional<Value> affine_arithmetic(ast::Operator op, const Value& left, const Value& right) {
  const Affine a = left.affine("");
  const Affine b = right.affine("");
  switch (op) {
    case ast::Operator::Add:
      return integer_value(a + b);
    case ast::Operator::Subtract:
      return integer_value(a - b);
    case ast::Operator::Multiply:
      if (a.known()) return integer_value(b * a.constant);
      if (b.known()) return integer_value(a * b.constant);
      return std::nullopt;
    case ast::Operator::FloorDivide:
    case ast::Operator::Modulo: {
      const auto quotient = b.known() ? a.divided(b.constant) : std::nullopt;
      if (!quotient) return std::nullopt;  // computed when it runs
      return op == ast::Operator::FloorDivide ? integer_value(*quotient) : Value{std::int64_t{0}};
    }
    default:
      break;
  }
  if (op < ast::Operator::Less) return std::nullopt;
  const Affine difference = a - b;
  const auto sign = [](Index value) { return std::int64_t{(value > 0) - (value < 0)}; };
  const bool decided = sign(difference.least()) == sign(difference.greatest());
  const bool unequal = (op == ast::Operator::Equal || op == ast::Operator::NotEqual) &&
                       (difference.least() > 0 || difference.greatest() < 0);
  const bool weak = (op == ast::Operator::Less && difference.least() >= 0) ||
                    (op == ast::Operator::LessEqual && difference.greatest() <= 0) ||
                    (op == ast::Operator::Greater && difference.greatest() <= 0) ||
                    (op == ast::Operator::GreaterEqual && difference.least() >= 0);
  if (!decided && !unequal && !weak) return std::nullopt;
  return number_arithmetic(op, {difference.least()}, {std::int64_t{0}});
}

Array arithmetic_operand(const Value& value) {
  const Array number = to_array(value, "an operand");
  return number.dtype() == DType::Bool ? number.as_type(DType::Int) : number;
}

namespace {

/// base ** exponent of Python numbers, whose type depends on the exponent's sign.
Array python_power(const Value& left, const Value& right) {
  const Array base = arithmetic_operand(left);
  const Array exponent = arithmetic_operand(right);
  if (base.dtype() == DType::Float && exponent.is_number() && exponent.node()->number == 2)
    return square(base);
  if (base.dtype() == DType::Float || exponent.dtype() == DType::Float)
    return map(Op::pow, base, exponent);
  const bool known = right.is_integer();
  const Affine sign = known ? right.affine("") : Affine{};
  if (known && sign.greatest() < 0) return map(Op::pow, base.as_type(DType::Float), exponent);
  if (!known || sign.least() < 0)
    misuse("program",
           "an int to a power whose sign is known only at run time is an int or a float; write the "
           "base as a float");
  return map(Op::pow, base, exponent);
}

/// left // right or left % right of Python numbers. Python raises where the divisor is 0: of ints
/// it is an error at run time.
Array python_division(ast::Operator op, const Value& left, const Value& right) {
  const Array a = arithmetic_operand(left);
  Array b = arithmetic_operand(right);
  const bool is_modulo = op == ast::Operator::Modulo;
  if (a.dtype() == DType::Float || b.dtype() == DType::Float)
    return map(is_modulo ? Op::mod : Op::floor_divide, a, b);
  const detail::Bounds known = detail::bounds(*b.node());
  if (!b.is_number() && known.least <= 0 && known.greatest >= 0) {
    const Array holds = not_equal(b, Array(0));
    b = checked(where(holds, b, Array(1), true), holds);
  }
  return is_modulo ? mod(a, b) : floor_divide(a, b);
}

}  // namespace

Value python_arithmetic(ast::Operator op, const Value& left, const Value& right) {
  using enum ast::Operator;
  const auto plain = [&](const auto& operand) {
    return python_number(array_arithmetic(op, operand(left), operand(right)));
  };
  if (op == Power) return python_number(python_power(left, right));
  if (op == MatMul) misuse(Exception::TypeError, "program", "'@' expects arrays; got two numbers");
  if (op == Add || op == Subtract || op == Multiply || op == Divide)
    return plain(arithmetic_operand);
  if (op == Modulo)
    if (const auto made = detail::residue(arithmetic_operand(left), arithmetic_operand(right)))
      return python_number(*made);
  if (op == FloorDivide || op == Modulo) return python_number(python_division(op, left, right));
  if (op == LeftShift || op == RightShift)
    if (detail::may_be_negative(*arithmetic_operand(right).node()))
      misuse("program",
             "the count of '{}' may be negative, which raises an error in Python; write "
             "max(count, 0)",
             ast::spelling(op));
  return plain([](const Value& value) { return to_array(value, "an operand"); });
}

namespace {

/// What two sets have in common, and the like; nothing of operators that sets do not have.
std::optional<Value> set_arithmetic(ast::Operator op, const Sequence& a, const Sequence& b) {
  using enum ast::Operator;
  const auto holds = [](const Sequence& set, const Value& item) {
    return std::any_of(set.items.begin(), set.items.end(),
                       [&](const Value& each) { return known_equal(each, item) == true; });
  };
  const auto within = [&](const Sequence& part, const Sequence& whole) {
    return std::all_of(part.items.begin(), part.items.end(),
                       [&](const Value& item) { return holds(whole, item); });
  };
  if (op == LessEqual) return Value{within(a, b)};
  if (op == GreaterEqual) return Value{within(b, a)};
  if (op == Less) return Value{within(a, b) && !within(b, a)};
  if (op == Greater) return Value{within(b, a) && !within(a, b)};
  if (op == Equal || op == NotEqual) return Value{(within(a, b) && within(b, a)) == (op == Equal)};
  if (op != BitAnd && op != BitOr && op != BitXor && op != Subtract) return std::nullopt;
  Sequence result{true, {}};
  result.is_set = true;
  result.kin = a.kin;
  for (const Value& item : a.items)
    if (op == BitOr || holds(b, item) == (op == BitAnd)) result.items.push_back(item);
  for (const Value& item : b.items)
    if ((op == BitOr || op == BitXor) && !holds(a, item)) result.items.push_back(item);
  return Value{std::move(result)};
}

/// A count of a Counter; 0 where it has none.
Value count_of(const Dict& counts, const Value& key) {
  const Value* found = find_key(counts, key);
  return found == nullptr ? Value{std::int64_t{0}} : *found;
}

bool is_true(const Value& comparison) {
  const auto truth = truth_of(comparison);
  if (!truth)
    misuse("collections.Counter", "the counts compared must be known when the program is read");
  return *truth;
}

/// Of two Counters: `+ - & |` keep counts above 0; comparisons are of all counts.
std::optional<Value> counter_arithmetic(ast::Operator op, const Dict& a, const Dict& b) {
  using enum ast::Operator;
  Dict keys{a.keys, a.values};
  for (std::size_t i = 0; i < b.keys.size(); ++i)
    if (find_key(a, b.keys[i]) == nullptr) set_key(keys, b.keys[i], b.values[i]);
  if (op >= Less && op <= NotEqual) {
    const bool is_strict = op == Less || op == Greater;
    const ast::Operator each = op == Less       ? LessEqual
                               : op == Greater  ? GreaterEqual
                               : op == NotEqual ? Equal
                                                : op;
    const auto holds = [&](ast::Operator compared) {
      return std::all_of(keys.keys.begin(), keys.keys.end(), [&](const Value& key) {
        return is_true(binary_operator(compared, count_of(a, key), count_of(b, key)));
      });
    };
    const bool all = holds(each) && !(is_strict && holds(Equal));
    return Value{all == (op != NotEqual)};
  }
  if (op != Add && op != Subtract && op != BitAnd && op != BitOr) return std::nullopt;
  Dict made;
  made.type = "Counter";
  for (const Value& key : keys.keys) {
    const Value x = count_of(a, key), y = count_of(b, key);
    const auto less = [&](const Value& one, const Value& other) {
      return is_true(binary_operator(Less, one, other));
    };
    const Value count = op == BitAnd  ? (less(y, x) ? y : x)
                        : op == BitOr ? (less(x, y) ? y : x)
                                      : binary_operator(op, x, y);
    if (less({std::int64_t{0}}, count)) set_key(made, key, count);
  }
  return Value{std::move(made)};
}

/// Whether two tuples or two lists are equal: their items are the same object, or equal, up to the
/// first ones that are not.
Value equal_sequences(const Sequence& a, const Sequence& b) {
  if (a.list != b.list || a.items.size() != b.items.size()) return {false};
  Value all{true};  // of which some are known only at run time
  for (std::size_t i = 0; i < a.items.size() && truth_of(all) != false; ++i) {
    if (known_identical(a.items[i], b.items[i]) == true) continue;
    const Value equal = binary_operator(ast::Operator::Equal, a.items[i], b.items[i]);
    const auto* array = equal.as<ObjectPtr>();
    if (array == nullptr) {
      all = both_hold(all, equal);
      continue;
    }
    check_has_truth(equal);
    all = both_hold(all, python_number((*array)->read().reshape({})));
  }
  return all;
}

}  // namespace

/// Python joins and repeats lists and tuples, and compares those of one type.
void refuse_sequences(ast::Operator op, const Value& left, const Value& right) {
  using enum ast::Operator;
  const std::string a = python_type(left), b = python_type(right);
  const bool is_left = left.as<Sequence>() != nullptr;
  if (a.empty() || b.empty() || left.is_numpy || right.is_numpy || (op >= Less && a == b)) return;
  const auto raise = [](const std::string& text) {
    throw PythonError("TypeError", "program", text + "; np.array(...) makes an array", {{text}});
  };
  if (op == Add && is_left && a != b)
    raise(fmt::format("can only concatenate {0} (not \"{1}\") to {0}", a, b));
  if (op == Multiply)
    raise(fmt::format("can't multiply sequence by non-int of type '{}'", is_left ? b : a));
  if (op >= Less && op <= GreaterEqual)
    raise(fmt::format("'{}' not supported between instances of '{}' and '{}'", ast::spelling(op), a,
                      b));
  if (op != Add && op < Less)
    raise(fmt::format("unsupported operand type(s) for {}: '{}' and '{}'",
                      op == Power ? "** or pow()" : ast::spelling(op), a, b));
}

std::optional<bool> bytes_within(const Value& container, const Value& item) {
  const auto* whole = container.as<Sequence>();
  const auto* part = item.as<Sequence>();
  if (whole == nullptr || part == nullptr || whole->kin != "bytes" || part->kin != "bytes")
    return std::nullopt;
  const auto same = [](const Value& a, const Value& b) { return known_equal(a, b) == true; };
  return std::search(whole->items.begin(), whole->items.end(), part->items.begin(),
                     part->items.end(), same) != whole->items.end() ||
         part->items.empty();
}

std::optional<Value> dict_arithmetic(ast::Operator op, const Value& left, const Value& right) {
  const auto* a = left.as<Dict>();
  const auto* b = right.as<Dict>();
  const auto counts = [](const Dict* dict) { return dict != nullptr && dict->type == "Counter"; };
  if (counts(a) && counts(b)) return counter_arithmetic(op, *a, *b);
  if (a == nullptr || op != ast::Operator::BitOr) return std::nullopt;
  Dict both = dict_of(left);
  const Dict more = dict_of(right);
  for (std::size_t i = 0; i < more.keys.size(); ++i) set_key(both, more.keys[i], more.values[i]);
  return Value{std::move(both)};
}

Value sequence_arithmetic(ast::Operator op, const Value& left, const Value& right) {
  const auto* a = left.as<Sequence>();
  const auto* b = right.as<Sequence>();
  if (a != nullptr && b != nullptr && a->is_set && b->is_set)
    if (const auto result = set_arithmetic(op, *a, *b)) return *result;
  if ((a != nullptr && a->is_set) || (b != nullptr && b->is_set))
    misuse("program", "'{}' of sets is not supported", ast::spelling(op));
  const auto like = [](const Sequence& part, std::vector<Value> items) -> Value {
    Sequence made{part.list, std::move(items)};
    made.kin = part.kin;
    made.most = part.most;
    if (std::vector<Value>& held = made.items.own(); part.most > 0 && held.size() > part.most)
      held.erase(held.begin(), held.end() - static_cast<std::ptrdiff_t>(part.most));
    return {std::move(made)};
  };
  if (op == ast::Operator::Add && a != nullptr && b != nullptr && a->list == b->list &&
      a->kin == b->kin && a->most == b->most) {
    std::vector<Value> joined(a->items.begin(), a->items.end());
    joined.insert(joined.end(), b->items.begin(), b->items.end());
    return like(*a, std::move(joined));
  }
  if (op == ast::Operator::Add && list_number(left) && list_number(right) &&
      (left.as<RunList>() != nullptr || right.as<RunList>() != nullptr))
    return joined_run_lists(left, right);
  if (const bool equals = op == ast::Operator::Equal;
      (equals || op == ast::Operator::NotEqual) && a != nullptr && b != nullptr) {
    const Value all = equal_sequences(*a, *b);
    return equals ? all : negated(all);
  }
  const Value& times = a != nullptr ? right : left;
  if (op == ast::Operator::Multiply && times.is_number() && !times.is_real()) {
    const Sequence& part = a != nullptr ? *a : *b;
    const Index count = std::max<Index>(times.integer(""), 0);
    constexpr Index kMost = 1 << 24;
    if (count > kMost / std::max<Index>(std::ssize(part.items), 1))
      misuse("program", "{} repeated {} times is too long; np.full makes large arrays",
             (a != nullptr ? left : right).description(), count);
    std::vector<Value> repeated;
    for (Index i = 0; i < count; ++i)
      repeated.insert(repeated.end(), part.items.begin(), part.items.end());
    return like(part, std::move(repeated));
  }
  refuse_sequences(op, left, right);
  misuse("program", "'{}' of {} and {} is not supported; np.array(...) makes an array",
         ast::spelling(op), left.description(), right.description());
}

}  // namespace rewriter

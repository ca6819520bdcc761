#include "rewriter/reader/operators/bits.hpp"

#include <cmath>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

using cudamat::misuse;

void refuse_bits(ast::Operator op, bool of_integers) {
  if (of_integers)
    misuse("program",
           "'{}' of integers needs a static number or an array of booleans as one operand, or two "
           "arrays without negative elements, one of them of at most 16 bits",
           ast::spelling(op));
  misuse("program", "'{}' expects arrays of booleans, such as the results of comparisons",
         ast::spelling(op));
}

namespace {

/// The bits that both have: of the known number, each run of ones takes a remainder.
Array common_bits(const Array& a, Index bits) {
  constexpr Index kMost = Index{1} << 53;
  if (bits >= kMost || bits < -kMost)
    misuse("program", "integers are exact up to 2^53; got the bits of {}", bits);
  if (bits < 0) return a - common_bits(a, ~bits);
  Array sum = mod(a, Array(1));
  bool is_first = true;
  for (Index low = 1; low <= bits;) {
    if ((bits & low) == 0) {
      low *= 2;
      continue;
    }
    Index count = 1;
    while ((bits & (low * count)) != 0) count *= 2;
    const Array run = mod(low == 1 ? a : floor_divide(a, Array(low)), Array(count));
    const Array placed = low == 1 ? run : run * Array(low);
    sum = is_first ? placed : sum + placed;
    is_first = false;
    low *= count;
  }
  return sum;
}

/// How many bits the number has; nothing of what may be below 0 or have many.
std::optional<int> bits_of(const detail::Bounds& values) {
  constexpr int kMost = 16;
  for (int bits = 1; bits <= kMost && values.least >= 0; ++bits)
    if (values.greatest < std::ldexp(1.0, bits)) return bits;
  return std::nullopt;
}

/// One of its bits.
Array bit_of(const Array& a, int bit) {
  return mod(bit == 0 ? a : floor_divide(a, Array(Index{1} << bit)), Array(Index{2}));
}

/// A bit, or how many of them there are, in its place.
Array placed(const Array& bits, int bit) {
  return bit == 0 ? bits : bits * Array(Index{1} << bit);
}

/// `&`, `|` and `^` of two numbers, by the bits that both have.
Array of_common(ast::Operator op, const Array& a, const Array& b, const Array& common) {
  if (op == ast::Operator::BitAnd) return common;
  return a + b - (op == ast::Operator::BitOr ? common : common * Array(2));
}

/// How many bits both have at most, where none of them is below 0; nothing where that may be many.
std::optional<int> count_of_bits(const Array& a, const Array& b) {
  const detail::Bounds x = detail::bounds(*a.node()), y = detail::bounds(*b.node());
  return bits_of({std::min(x.least, y.least), std::min(x.greatest, y.greatest)});
}

/// `&`, `|` and `^` of a few bits, one after the other.
Array combined_bits(ast::Operator op, const Array& a, const Array& b) {
  const int bits = *count_of_bits(a, b);
  std::optional<Array> common;
  for (int bit = 0; bit < bits; ++bit) {
    const Array both = placed(bit_of(a, bit) * bit_of(b, bit), bit);
    common = common ? *common + both : both;
  }
  return of_common(op, a, b, *common);
}

/// `&`, `|` and `^` of int64 beside a known number or truth values, which have one bit.
Array bits_arithmetic(ast::Operator op, const Array& left, const Array& right) {
  if (!left.is_number() && !right.is_number() && left.dtype() != DType::Bool &&
      right.dtype() != DType::Bool)
    return combined_bits(op, left.as_type(DType::Int), right.as_type(DType::Int));
  const bool swaps = left.is_number() || (left.dtype() == DType::Bool && !right.is_number());
  const Array a = (swaps ? right : left).as_type(DType::Int);
  const Array& by = swaps ? left : right;
  const Array b =
      by.is_number() ? Array(static_cast<Index>(by.node()->number)) : by.as_type(DType::Int);
  return of_common(op, a, b,
                   by.is_number() ? common_bits(a, static_cast<Index>(by.node()->number))
                                  : mod(a, Array(2)) * b);
}

/// np.bitwise_xor.reduce(a): of each bit how often it is set.
Value reduced_bits(const Call& call, ast::Operator op) {
  const auto bound = call.bind();
  const Array a = array_argument(call, bound[0], "array");
  const Index axis = bound[1] == nullptr ? 0 : bound[1]->integer("the axis");
  if (a.ndim() == 0) misuse(call.name, "cannot reduce on a scalar");
  const int at = detail::normalize_axis(call.name, static_cast<int>(axis), a.ndim());
  const auto bits = bits_of(detail::bounds(*a.node()));
  if (a.dtype() == DType::Float || a.dtype() == DType::Bool || a.size() == 0 || !bits)
    misuse(call.name, "takes non-negative integers of up to 16 bits; got {}",
           bound[0]->description());
  std::optional<Array> all;
  for (int bit = 0; bit < *bits; ++bit) {
    const Array one = bit_of(a.as_type(DType::Int), bit);
    const Array set = op == ast::Operator::BitXor
                          ? mod(reduce(Op::sum, one, at), Array(Index{2}))
                          : reduce(op == ast::Operator::BitOr ? Op::max : Op::min, one, at);
    const Array part = placed(set, bit);
    all = all ? *all + part : part;
  }
  return new_array(detail::as_integers(*all, a.dtype()));
}

}  // namespace

Array bits_of_both(ast::Operator op, const Array& a, const Array& b) {
  using enum ast::Operator;
  const bool is_truth = a.dtype() == DType::Bool, is_other_truth = b.dtype() == DType::Bool;
  if (is_truth && is_other_truth)
    return op == BitAnd ? logical_and(a, b) : op == BitOr ? logical_or(a, b) : not_equal(a, b);
  const bool are_whole = a.dtype() != DType::Float && b.dtype() != DType::Float;
  if (!are_whole ||
      !(a.is_number() || b.is_number() || is_truth || is_other_truth || count_of_bits(a, b)))
    refuse_bits(op, are_whole);
  return detail::as_integers(bits_arithmetic(op, a, b), detail::first_type(a, b));
}

void enter_bits(FunctionTable& table) {
  using enum ast::Operator;
  enter(table, Topic::Reduction,
        {{"np.bitwise_and.reduce", "array, axis=0", with(reduced_bits, BitAnd), kOfOneAxis},
         {"np.bitwise_or.reduce", "array, axis=0", with(reduced_bits, BitOr), kOfOneAxis},
         {"np.bitwise_xor.reduce", "array, axis=0", with(reduced_bits, BitXor), kOfOneAxis}});
}

}  // namespace rewriter

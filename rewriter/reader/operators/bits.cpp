#include "rewriter/reader/operators/bits.hpp"

#include <cmath>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

void refuse_bits(ast::Operator op, bool of_integers) {
  if (of_integers) misuse("program", "'{}' of these integers is not supported", ast::spelling(op));
  throw PythonError("TypeError", "program",
                    fmt::format("'{}' expects arrays of booleans or integers, such as the results "
                                "of comparisons; no floats",
                                ast::spelling(op)));
}

namespace {

/// An operation of bits of whole numbers.
Array map_bits(Op op, const Array& a, const Array& b) {
  auto node = detail::make_node(
      cudamat::name(op), Kind::Map, DType::Int,
      detail::broadcast_or_refuse(cudamat::name(op), a.shape(), b.shape()), {a.node(), b.node()});
  node->op = op;
  return detail::to_array(std::move(node));
}

void check_number(const Array& a) {
  if (a.is_number() && !(std::abs(a.node()->number) < detail::kExact))
    misuse("program", "integers are exact up to 2^53; got the bits of {}", a.node()->number);
}

/// What `& mask` takes of the array: of a sum or a product that may be rounded, the remainder that
/// has these bits.
Array masked_operand(const Array& a, double mask) {
  return mask < 0 ? a : detail::residue(a, Array(Index{1} << (std::ilogb(mask) + 1))).value_or(a);
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

/// `&`, `|` and `^` of integers.
Array bits_of_integers(ast::Operator op, const Array& left, const Array& right) {
  const Array a = left.as_type(DType::Int), b = right.as_type(DType::Int);
  check_number(a);
  check_number(b);
  if (op == ast::Operator::BitOr) return map_bits(Op::bit_or, a, b);
  if (op == ast::Operator::BitXor) return map_bits(Op::bit_xor, a, b);
  if (b.is_number() && b.node()->number > 0)
    return map_bits(Op::bit_and, masked_operand(a, b.node()->number), b);
  if (a.is_number() && a.node()->number > 0)
    return map_bits(Op::bit_and, a, masked_operand(b, a.node()->number));
  return map_bits(Op::bit_and, a, b);
}

/// np.bitwise_xor.reduce(a): of each bit how often it is set.
Value reduced_bits(const Call& call, ast::Operator op) {
  const auto bound = call.bind();
  const Array a = array_argument(call, bound[0], "array");
  const Index axis = bound[1] == nullptr ? 0 : bound[1]->integer("the axis");
  if (a.ndim() == 0) misuse(Exception::TypeError, call.name, "cannot reduce on a scalar");
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
  if (!are_whole) refuse_bits(op, false);
  const DType dtype = detail::first_type(a, b);
  if (dtype == DType::Float) refuse_bits(op, false);
  return detail::as_integers(bits_of_integers(op, a, b), dtype);
}

Array shifted_bits(ast::Operator op, const Array& a, const Array& count) {
  const DType both = detail::first_type(a, count);
  if (a.dtype() == DType::Float || count.dtype() == DType::Float || both == DType::Float)
    refuse_bits(op, false);
  const DType dtype = both == DType::Bool ? DType::Int8 : both;
  constexpr Index kAll = 64;
  const Array bits = a.as_type(DType::Int), by = count.as_type(DType::Int);
  const detail::Bounds counts = detail::bounds(*by.node());
  const bool are_counts = counts.least >= 0;
  const bool wraps = is_narrow(dtype) && dtype != DType::Uint64;
  if (op == ast::Operator::RightShift || wraps) {  // where all bits are shifted out
    const Array used = are_counts ? by : map_bits(Op::wrap_unsigned, by, Array(0x1p62));
    const bool is_left = op == ast::Operator::LeftShift;
    return detail::as_integers(
        map_bits(Op::shift, bits, is_left ? used : map_bits(Op::mult, used, Array(-1))), dtype);
  }
  const Array shifted = map_bits(Op::shift, bits, by);
  const bool are_all_counts = are_counts && counts.greatest < kAll;
  const Array made = are_all_counts ? shifted
                                    : where(logical_and(by >= Array(0), by < Array(kAll)), shifted,
                                            Array(0), shifted.ndim() == 0);
  return detail::as_integers(made, dtype);
}

void enter_bits(FunctionTable& table) {
  using enum ast::Operator;
  enter(table, Topic::Reduction,
        {{"np.bitwise_and.reduce", "array, axis=0", with(reduced_bits, BitAnd), kOfOneAxis},
         {"np.bitwise_or.reduce", "array, axis=0", with(reduced_bits, BitOr), kOfOneAxis},
         {"np.bitwise_xor.reduce", "array, axis=0", with(reduced_bits, BitXor), kOfOneAxis}});
}

}  // namespace rewriter

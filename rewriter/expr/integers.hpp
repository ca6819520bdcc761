// Integers of NumPy's widths: what types results have, what is known of their values, and what
// keeps them in their type. Internal to the rewriter.
#pragma once

#include <functional>
#include <optional>

#include "rewriter/expr/bounds.hpp"
#include "rewriter/expr/symbolic.hpp"

namespace rewriter::detail {

/// Up to which the integers are numbers of 64 bits.
inline constexpr double kExact = 0x1p53;

/// Whether the run chooses between numbers of two types of integers.
bool is_of_either_width(const Node& node);
/// A known int of Python's, as the run chooses it.
bool is_python_int(const Node& node);
/// Of a choice between numbers of one narrow type and Python's ints, which that type holds: the
/// type. Nothing of others.
std::optional<DType> chosen_type(const Node& node);
/// The type that holds both: of int64 and uint64 it is float64.
DType promote(DType a, DType b);
/// The type of NumPy's arithmetic of both. With an array the value of a number counts, not its
/// type; raises an error where that value is not known well enough.
DType result_type(const Array& a, const Array& b);
/// The same of division, powers and bits: the first type of NumPy's list that has both, which of
/// uint8 and 256 is int16, and not uint16.
DType first_type(const Array& a, const Array& b);
/// What sums of this type are: int64 or uint64 of integers.
DType sum_type(DType dtype);
/// What NumPy, as C, converts floats through on the way to this type, 32 bits or 64: numbers from
/// -limit to below limit. What is beyond them, NaN too, becomes -limit.
double integer_limit(DType dtype);
/// The float as an integer of this type, which astype() makes of it in an array.
double converted_number(double number, DType dtype);
/// The number, an integer or a float, as an integer of this type; raises an error for what does not
/// fit 64 bits.
double whole_number(double number, DType from, DType dtype);
/// A scalar of NumPy's of this type.
Array scalar(double number, DType dtype);
/// NumPy's casting rule same_kind, of what is computed in place.
bool casts_to(DType from, DType to);

/// Whole numbers as integers of this type, which wrap where they may leave it.
Array wrapped(const Array& exact, DType dtype);
/// The operation as integers of this type, which is narrow.
Array wrapped_map(Op op, const Array& a, const Array& b, DType dtype);
/// Sums of products of a and b likewise, which `product` computes.
Array wrapped_products(const Array& a, const Array& b, DType dtype,
                       const std::function<Array(const Array&, const Array&)>& product);
/// `a`, of any type, as integers, as astype() does it.
Array as_integers(const Array& a, DType dtype);
/// `a` modulo a static positive int, where `a` is a sum or a product that may be beyond 2^53, up to
/// which numbers of 64 bits are exact: made of the remainders of its parts. Nothing otherwise. An
/// integer of which nothing is known is taken to have 32 bits.
std::optional<Array> residue(const Array& a, const Array& divisor);

}  // namespace rewriter::detail

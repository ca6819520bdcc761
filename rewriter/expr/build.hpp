// Shared by the builders of symbolic.hpp: making nodes, and NumPy's rules for shapes and types.
// Internal to the rewriter.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "rewriter/expr/integers.hpp"
#include "rewriter/expr/symbolic.hpp"

namespace rewriter::detail {

/// A node with the next id, at the place of the source that At set. Throws (in the name of `op`)
/// for a shape that check_dims rejects.
std::shared_ptr<Node> make_node(std::string_view op, Kind kind, DType dtype, Dims dims,
                                std::vector<NodePtr> args = {});

/// The same of a shape that is an operand's, or without dimensions.
std::shared_ptr<Node> make_node(Kind kind, DType dtype, const Dims& dims, const Array& a);
std::shared_ptr<Node> make_node(Kind kind, DType dtype, const Dims& dims, const Array& a,
                                const Array& b);

/// A node with the operation of `node`, and these operands and this shape.
std::shared_ptr<Node> make_like(const Node& node, Dims dims, std::vector<NodePtr> args);

inline Array to_array(std::shared_ptr<Node> node) {
  return Array(NodePtr(std::move(node)));
}

/// Throws unless there are at most 32 extents, none is negative, and the number of elements fits 64
/// bits.
void check_dims(std::string_view op, const Dims& dims);
/// Throws for a host array that cannot fit in this machine's memory.
void check_memory(std::string_view op, const Dims& dims);

/// The broadcast of two shapes; throws NumPy's error if they do not fit.
Dims broadcast_or_refuse(std::string_view op, const Dims& a, const Dims& b);

/// Throws for operations that are not supported for integers other than int64.
void refuse_narrow(std::string_view op, DType result);

/// Throws for a result whose shape or type NumPy cannot write to `target` in place.
void check_in_place(std::string_view name, const Array& target, const Array& result);

/// Throws for a result type that NumPy cannot write to an array of type `target` in place. `name`:
/// the operator or the function.
void check_cast_in_place(std::string_view name, DType target, DType result);

/// Throws for static NaN and infinities that are written to an array of integers.
void check_whole(DType target, const Array& value);

/// "float64", as NumPy's messages name it.
std::string_view type_name(DType dtype);

/// An axis in [0, ndim); throws NumPy's AxisError.
int normalize_axis(std::string_view op, int axis, int ndim);

/// The product of a and b, or a sum of such products. An integer has no -0, but floating-point
/// arithmetic makes -0 of 0 and a negative number: if that may happen, 0 is added.
Array whole_product(const Array& product, const Array& a, const Array& b);
/// Floats as int64, with what NumPy makes of NaN and of numbers too large on the way to `dtype`
/// (integer_limit()): without the fractional part, and without -0.
Array truncated(const Array& a, DType dtype = DType::Int);

/// `a` as booleans, as NumPy's logical functions convert their operands.
Array truth(const Array& a);

}  // namespace rewriter::detail

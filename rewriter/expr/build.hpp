// What the builders of symbolic.hpp share: making nodes, and NumPy's rules for shapes and types.
// Internal to the rewriter.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "rewriter/expr/integers.hpp"
#include "rewriter/expr/symbolic.hpp"

namespace rewriter::detail {

/// A node with the next id, at the place of the source that At set. Refuses (in the name of `op`) a
/// shape that check_dims refuses.
std::shared_ptr<Node> make_node(std::string_view op, Kind kind, DType dtype, Dims dims,
                                std::vector<NodePtr> args = {});

/// The same of a shape that is an operand's, or without dimensions.
std::shared_ptr<Node> make_node(Kind kind, DType dtype, const Dims& dims, const Array& a);
std::shared_ptr<Node> make_node(Kind kind, DType dtype, const Dims& dims, const Array& a,
                                const Array& b);

/// A node that does what `node` does, with these operands and this shape.
std::shared_ptr<Node> make_like(const Node& node, Dims dims, std::vector<NodePtr> args);

inline Array to_array(std::shared_ptr<Node> node) {
  return Array(NodePtr(std::move(node)));
}

/// Throws unless there are at most 32 extents, none negative, and 64 bits count their elements.
void check_dims(std::string_view op, const Dims& dims);
/// Refuses to make a host array that cannot fit this machine's memory.
void check_memory(std::string_view op, const Dims& dims);

/// The broadcast of two shapes; throws NumPy's error if they do not fit.
Dims broadcast_or_refuse(std::string_view op, const Dims& a, const Dims& b);

/// Refuses what is not computed of other integers than int64.
void refuse_narrow(std::string_view op, DType result);

/// Refuses a result whose shape or type NumPy does not write into `target` in place.
void check_in_place(std::string_view name, const Array& target, const Array& result);

/// Refuses a type of results that NumPy does not write into an array of `target` in place. `name`:
/// the operator or the function.
void check_cast_in_place(std::string_view name, DType target, DType result);

/// Refuses NaN and infinities, as far as they are known, where an array of integers is written.
void check_whole(DType target, const Array& value);

/// "float64", as NumPy's messages name it.
std::string_view type_name(DType dtype);

/// An axis in [0, ndim); throws NumPy's AxisError.
int normalize_axis(std::string_view op, int axis, int ndim);

/// The product of a and b, or a sum of such products. As integers it has no -0, which the floating-
/// point numbers that stand for them would make of 0 and a negative number: where that may happen,
/// 0 is added.
Array whole_product(const Array& product, const Array& a, const Array& b);
/// Floats as int64, with what NumPy makes of NaN and of numbers too large on the way to `dtype`
/// (integer_limit()): without what is behind the point, and without -0.
Array truncated(const Array& a, DType dtype = DType::Int);

/// `a` as booleans: what NumPy's logical functions make of their operands.
Array truth(const Array& a);

}  // namespace rewriter::detail

// How functions of garrays make expressions. Internal to gnumpy.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "gnumpy/garray.hpp"

namespace gnumpy::detail {

/// The broadcast of shapes; refused as NumPy does, in the name of `op`.
Dims broadcast(std::string_view op, const std::vector<Dims>& shapes, const Where& where);

/// An element-wise function of one to three operands, broadcast against each other.
garray map(std::string_view op, Build build, operand a);
garray map(std::string_view op, Build build, operand a, operand b);
garray map(std::string_view op, Build build, operand a, operand b, operand c);

/// op: a row of CUDAMAT_REDUCTION_OPS.
garray reduce(Op op, operand a, std::optional<int> axis);
/// Over several axes, if `keep` with 1 in their places; op is none that gives an index.
garray reduce(Op op, operand a, const Axes& axes, Keep keep);

/// The node's elements with other dims, one of which may be -1; a Leaf's share its memory.
/// Refuses positions along an axis that are not all numbers of the engine's type.
void check_positions(std::string_view op, Index extent, const Where& where);

garray reshape(const NodePtr& node, Dims dims, const Where& where);
garray transpose(const NodePtr& node, const Where& where);
/// Axis k of the result is axis axes[k]; a permutation of them all.
NodePtr permute(const NodePtr& leaf, const std::vector<std::size_t>& axes, const Where& where);
/// A Leaf: the node broadcast to dims.
NodePtr repeat(std::string_view op, const NodePtr& node, const Dims& dims, const Where& where);
/// The number into all elements of a Leaf.
void fill(const Node& leaf, double value, const Where& where);
/// A Leaf of its own memory with the node's value.
NodePtr copy_of(const NodePtr& node);

/// An axis in [0, ndim); refuses others with NumPy's AxisError.
std::size_t normalize_axis(std::string_view op, int axis, int ndim, const Where& where);
/// Ascending; refuses axes that are there twice.
std::vector<std::size_t> normalize_axes(std::string_view op, const Axes& axes, int ndim,
                                        const Where& where);

}  // namespace gnumpy::detail

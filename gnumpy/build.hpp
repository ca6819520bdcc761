// Building expressions for the functions of garrays. Internal to gnumpy.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gnumpy/garray.hpp"

namespace gnumpy::detail {

/// The broadcast of shapes; throws like NumPy, in the name of `op`.
Dims broadcast(std::string_view op, const std::vector<Dims>& shapes, const Where& where);

/// The content of the result of an element-wise function of booleans.
enum class Makes : std::uint8_t {
  Numbers,
  Truths,  ///< of all operands
  Same,    ///< booleans of booleans
  Sums,    ///< sums of booleans of booleans
};
/// Of operands a and b; of a function of one operand both are that.
Content made(Makes makes, Content a, Content b);
/// The content of the result of a row of the op table.
constexpr Makes makes(Op op) {
  const cudamat::OpRow& row = cudamat::row(op);
  return row.has(cudamat::kTruth)  ? Makes::Truths
         : row.has(cudamat::kSame) ? Makes::Same
         : row.has(cudamat::kSums) ? Makes::Sums
                                   : Makes::Numbers;
}
/// The expression of an element-wise function, whose result has this content.
NodePtr make_map(std::string_view op, Build build, std::vector<NodePtr> operands, Content content,
                 const Where& where);
/// An element-wise function of one to three operands, which are broadcast.
garray map(std::string_view op, Makes makes, Build build, operand a);
garray map(std::string_view op, Makes makes, Build build, operand a, operand b);
/// Of three, as `where` and `clip`: the content is made of b's and c's.
garray map(std::string_view op, Makes makes, Build build, operand a, operand b, operand c);

/// The result, which contains only 0 and 1, as booleans if the array is boolean.
garray same_kind(garray result, const garray_base& a);

/// op: a row of CUDAMAT_REDUCTION_OPS.
garray reduce(Op op, operand a, const Axes& axes, Keepdims keep);
garray reduce(Op op, operand a, std::optional<int> axis, Keepdims keep);
/// The axes in ascending order, counted from 0; throws like NumPy.
std::vector<std::size_t> normalize_axes(std::string_view op, const Axes& axes, int ndim,
                                        const Where& where);
/// Of so many axes that are reduced.
Dims kept_dims(const Dims& dims, const std::vector<std::size_t>& axes, Keepdims keep);

/// Throws for positions along an axis that the engine's type cannot represent.
void check_positions(std::string_view op, Index extent, const Where& where);

/// `asked`, in which one extent may be -1, for so many elements.
Dims reshaped_dims(Index size, Dims asked, const Where& where);
/// The node's elements with other dims, one of which may be -1; a Leaf's share its memory.
garray reshape(const NodePtr& node, Dims dims, const Where& where);
garray transpose(const NodePtr& node, const Where& where);
/// Axis k of the result is axis axes[k]; a permutation of them all.
NodePtr permute(const NodePtr& leaf, const std::vector<std::size_t>& axes, const Where& where);
/// A Leaf: the node broadcast to dims.
NodePtr repeat(std::string_view op, const NodePtr& node, const Dims& dims, const Where& where);
/// The number into all elements of a Leaf.
void fill(const Node& leaf, double value, const Where& where);

/// An axis in [0, ndim); throws NumPy's AxisError for others.
std::size_t normalize_axis(std::string_view op, int axis, int ndim, const Where& where);

}  // namespace gnumpy::detail

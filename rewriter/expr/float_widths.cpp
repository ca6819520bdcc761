#include "rewriter/expr/float_widths.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

namespace rewriter {

namespace {

/// Which operands the width of a node's floats follows from.
std::vector<NodePtr> sources(const Node& node) {
  switch (node.kind) {
    case Kind::Map:
    case Kind::Dot:
    case Kind::Concatenate:
    case Kind::Solver:
      return node.args;
    case Kind::Where:
      return {node.args[1], node.args[2]};
    case Kind::Reduce:
    case Kind::Variance:
    case Kind::Deviation:
    case Kind::Whole:
    case Kind::Sort:
    case Kind::Scan:
    case Kind::Transpose:
    case Kind::Reshape:
    case Kind::Broadcast:
    case Kind::Slice:
    case Kind::SetSlice:
    case Kind::Take:
    case Kind::Put:
    case Kind::Copy:
    case Kind::Carried:
      return {node.args[0]};
    case Kind::After:
      return {node.args[0]->slot_value(node.slot)};
    default:
      return {};
  }
}

/// Of what stands beside each other: a scalar counts where no array of floats does.
int promoted(std::span<const NodePtr> operands, std::span<const int> bits) {
  bool has_arrays = false, has_floats = false;
  int floats = 0, integers = 0, scalars = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Node& node = *operands[i];
    if (node.dtype == DType::Bool) {
      has_arrays = has_arrays || node.ndim() > 0;
    } else if (node.ndim() == 0) {
      scalars = std::max(scalars, node.dtype == DType::Float && bits[i] != 0 ? bits[i] : 64);
    } else if (node.dtype == DType::Float) {
      has_floats = true;
      floats = std::max(floats, bits[i]);
    } else {
      const bool is_short = node.dtype == DType::Int8 || node.dtype == DType::Uint8 ||
                            node.dtype == DType::Int16 || node.dtype == DType::Uint16;
      has_arrays = true;
      integers = std::max(integers, is_short ? 32 : 64);
    }
  }
  if (has_floats) return floats == 0 ? 0 : std::max(floats, integers);
  if (has_arrays) return std::max(integers, scalars == 0 ? 64 : scalars);
  return scalars;
}

}  // namespace

int float_width_of(const NodePtr& root) {
  const auto known = [](const Node& node) -> std::optional<int> {
    if (node.float_bits != 0 || node.dtype != DType::Float) return node.float_bits;
    return node.width.bits;
  };
  std::vector<NodePtr> left{root};  // trees are of any depth
  while (!left.empty()) {
    const NodePtr node = left.back();
    if (known(*node)) {
      left.pop_back();
      continue;
    }
    const std::vector<NodePtr> operands = sources(*node);
    const std::size_t before = left.size();
    for (const NodePtr& operand : operands)
      if (!known(*operand)) left.push_back(operand);
    if (left.size() != before) continue;
    std::vector<int> bits;
    for (const NodePtr& operand : operands) bits.push_back(*known(*operand));
    const bool promotes =
        operands.size() > 1 || (operands.size() == 1 && operands[0]->dtype != DType::Float);
    const int found = operands.empty() ? 0 : promotes ? promoted(operands, bits) : bits[0];
    node->width.bits = static_cast<std::uint8_t>(found);
    left.pop_back();
  }
  return *known(*root);
}

bool is_of_doubles(const NodePtr& number) {
  std::vector<NodePtr> left{number};
  std::unordered_set<NodePtr> seen;  // none of which is said to have a width
  while (!left.empty()) {
    const NodePtr node = left.back();
    left.pop_back();
    if (node->dtype != DType::Float || node->width.has_no_doubles || seen.contains(node)) continue;
    if (node->ndim() > 0 || node->float_bits != 0) {
      if (float_width_of(node) == 64) return true;
      continue;
    }
    seen.insert(node);
    for (const NodePtr& operand : sources(*node)) left.push_back(operand);
  }
  for (const NodePtr& node : seen) node->width.has_no_doubles = true;
  return false;
}

}  // namespace rewriter

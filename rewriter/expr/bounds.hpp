// Symbolic arrays: what is known of their values before the program runs. Internal to the rewriter.
#pragma once

#include <functional>

#include "rewriter/expr/node.hpp"

namespace rewriter::detail {

/// All values but NaN are in [least, greatest].
struct Bounds {
  double least;
  double greatest;
};

/// What is known of the node's values before the program runs.
Bounds bounds(const Node& node);
/// The same of what is known of its operands.
Bounds bounds_of(const Node& node, const std::function<Bounds(const Node&)>& operand);
/// Whether an element may be negative: false if that is known before the program runs.
bool may_be_negative(const Node& node);
/// Whether an element may be NaN, likewise.
bool may_be_nan(const Node& node);

/// The smallest and the largest number of a type of integers.
Bounds limits(DType dtype);

}  // namespace rewriter::detail

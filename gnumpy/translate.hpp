// From the expression of a garray, n-dimensional and by rows, to the rewriter's trees, which are
// matrices by columns. Internal to gnumpy.
//
// A value's elements lie in C order: read by columns, they are a matrix of (last extent) x (all
// other extents). A product of matrices becomes the product of the two in reverse, a reshape
// another reading of the same memory, broadcasting that of columns, rows and numbers; what lies
// between (an axis in the middle of three) is first repeated, or brought to the end by transposes.
#pragma once

#include <string_view>
#include <vector>

#include "gnumpy/node.hpp"
#include "rewriter/list/statement.hpp"

namespace gnumpy::detail {

/// A Leaf of an expression; leaves of the same memory are one input.
struct InputLeaf {
  const Node* leaf = nullptr;
  bool may_overwrite = false;  ///< nobody wants what it holds afterwards
};

/// The statements of `root`, with these passes. Inputs are x1, x2, ... in the order of `inputs`;
/// the output is `result`. `in_place`: the root is a Map whose first operand is a Leaf, and its
/// value goes there. `change`, if there is one, is applied to the expression's ordinary numbers.
rewriter::StatementList translate(const Node& root, const std::vector<InputLeaf>& inputs,
                                  bool in_place, std::string_view passes,
                                  double (*change)(double) = nullptr);

}  // namespace gnumpy::detail

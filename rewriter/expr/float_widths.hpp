// The widths that NumPy's floats would have in a tree whose floats all have one type.
#pragma once

#include <unordered_map>

#include "rewriter/expr/node.hpp"

namespace rewriter {

/// What Node::float_bits says, and what follows from it by NumPy 1.24's promotion: 32, 64 or 128;
/// 0 where nothing says it. Truth values and integers have no width. A width that was found is kept
/// in its node, so that asking for each result of a long program takes time in proportion to it.
class FloatWidths {
 public:
  int of(const NodePtr& node);

 private:
  std::unordered_map<const Node*, int> known_;
};

/// Whether a number is computed from floats of 64 bits, whatever numbers without a width are beside
/// them.
bool is_of_doubles(const NodePtr& number);

}  // namespace rewriter

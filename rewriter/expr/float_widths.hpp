// How wide NumPy's floats would be in a tree whose floats are all of one type here.
#pragma once

#include <unordered_map>

#include "rewriter/expr/node.hpp"

namespace rewriter {

/// What Node::float_bits says, and what follows from it by NumPy 1.24's promotion: 32, 64 or 128;
/// 0 where nothing says it. Truth values and integers have no width.
class FloatWidths {
 public:
  int of(const NodePtr& node);

 private:
  std::unordered_map<const Node*, int> known_;
};

}  // namespace rewriter

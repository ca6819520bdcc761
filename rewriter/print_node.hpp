// How a node of the tree is called, and which names refer to it; for the printers of trees.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "rewriter/program.hpp"

namespace rewriter::print {

/// NumPy's way to write the operation: "np.sum axis=0", "[0:5, 1]", "-1", "X".
std::string node_label(const Node& node);

/// True for what needs no tree of its own: inputs, numbers, data, constants.
bool is_leaf(const Node& node);

/// A value that gets a tree: its name, and where it was assigned.
struct Head {
  std::string name;
  NodePtr node;
  int line = 0;
};

/// The assignments of a program, or its results if it has none; a name that is assigned again, or
/// that an input has, is `h#2`, `h#3`.
std::vector<Head> heads_of(const Program& program);
/// The roots, called result, or result 1, result 2, ...
std::vector<Head> heads_of(const std::vector<NodePtr>& roots);

}  // namespace rewriter::print

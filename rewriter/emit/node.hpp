// What a node of the tree is called, and which names refer to it; for the printers of trees.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "rewriter/expr/program.hpp"

namespace rewriter::print {

constexpr int kDeepest = 24;  ///< deeper branches go on in a tree of their own

/// NumPy's way to write the operation: "np.sum axis=0", "[0:5, 1]", "-1", "X".
std::string node_label(const Node& node);

/// True for what needs no tree of its own: inputs, numbers, data, constants.
bool is_leaf(const Node& node);

/// What the tree shows below the node: its operands, the first value of a Carried node, of an After
/// node what the last iteration computed.
std::vector<NodePtr> shown_operands(const Node& node);

/// The nodes that trees of these roots show, in the order of their ids.
std::vector<NodePtr> shown_nodes(const std::vector<NodePtr>& roots);

/// A loop of a program, the nodes of its body between these ids.
struct LoopIds {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  NodePtr node;  ///< the LoopEnd
};
/// The loops that a program's steps name, in the order in which they begin.
std::vector<LoopIds> loops_of(const Program& program);

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

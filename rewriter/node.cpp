#include "rewriter/node.hpp"

#include <algorithm>
#include <unordered_set>

namespace rewriter {
namespace {

/// Nodes are made by make_shared<Node>; only handles to them are const.
std::shared_ptr<Node> writable(NodePtr&& node) {
  return std::const_pointer_cast<Node>(std::move(node));
}

}  // namespace

// A node that nobody else holds joins a list, linked through the nodes themselves (a destructor
// must not allocate), and dies from there without operands of its own: recursion never goes deeper
// than one level.
Node::~Node() {
  std::shared_ptr<Node> doomed;
  const auto release = [&doomed](std::vector<NodePtr>& operands) {
    for (NodePtr& operand : operands) {
      if (operand.use_count() == 1) {
        std::shared_ptr<Node> node = writable(std::move(operand));
        node->next_ = std::move(doomed);
        doomed = std::move(node);
      }
      operand.reset();
    }
  };
  release(args);
  while (doomed != nullptr) {
    const std::shared_ptr<Node> node = std::move(doomed);
    doomed = std::move(node->next_);
    release(node->args);
  }
}

Index Node::size() const {
  Index product = 1;
  for (const Index extent : dims) product *= extent;
  return product;
}

std::string to_string(const Dims& dims) {
  return npmat::shape_text(dims);
}

std::vector<NodePtr> in_order(const std::vector<NodePtr>& roots) {
  std::vector<NodePtr> found;
  std::unordered_set<const Node*> seen;
  const auto visit = [&](const NodePtr& node) {
    if (seen.insert(node.get()).second) found.push_back(node);
  };
  for (const NodePtr& root : roots) visit(root);
  for (std::size_t next = 0; next < found.size(); ++next) {
    const Node& node = *found[next];  // the node stays where it is when `found` grows
    for (const NodePtr& operand : node.args) visit(operand);
  }
  std::sort(found.begin(), found.end(),
            [](const NodePtr& a, const NodePtr& b) { return a->id < b->id; });
  return found;
}

}  // namespace rewriter

#include "rewriter/expr/node.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

namespace rewriter {

// Deleting a node lets go of its operands, whose deleters run inside. The outermost one deletes
// them all, one after the other, from a list that is linked through the nodes themselves.
struct Node::Deleter {
  void operator()(Node* node) const noexcept {
    static thread_local Node* doomed = nullptr;
    static thread_local bool deleting = false;
    node->next_ = doomed;
    doomed = node;
    if (deleting) return;
    deleting = true;
    while (doomed != nullptr) delete std::exchange(doomed, doomed->next_);
    deleting = false;
  }
};

std::shared_ptr<Node> Node::create() {
  return {new Node, Deleter()};
}

std::shared_ptr<Node> Node::create_like(const Node& node) {
  return {new Node(node), Deleter()};
}

std::string_view file_type(DType dtype) {
  switch (dtype) {
    case DType::Bool:
      return "|b1";
    case DType::Int8:
      return "|i1";
    case DType::Uint8:
      return "|u1";
    case DType::Int16:
      return "<i2";
    case DType::Uint16:
      return "<u2";
    case DType::Int32:
      return "<i4";
    case DType::Uint32:
      return "<u4";
    case DType::Int:
      return "<i8";
    case DType::Uint64:
      return "<u8";
    case DType::Float:
      break;
  }
  return "";
}

Index Node::size() const {
  Index product = 1;
  for (const Index extent : dims) product *= extent;
  return product;
}

bool same_number(long double a, long double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

bool same_numbers(const HostData& a, const HostData& b) {
  return std::visit(
      [](const auto& x, const auto& y) {
        return std::equal(x.data.begin(), x.data.end(), y.data.begin(), y.data.end(),
                          [](auto p, auto q) { return same_number(p, q); });
      },
      a, b);
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
    if (node.kind == Kind::After) visit(node.args[0]->slot_value(node.slot));
    const std::size_t all = node.args.size();
    const std::size_t needed = node.kind == Kind::LoopEnd ? 1 + 2 * node.carried : all;
    for (std::size_t i = 0; i < needed; ++i) visit(node.args[i]);
  }
  std::sort(found.begin(), found.end(),
            [](const NodePtr& a, const NodePtr& b) { return a->id < b->id; });
  return found;
}

}  // namespace rewriter

#include "gnumpy/structural_key.hpp"

#include <algorithm>
#include <cmath>

#include "cudamat/error.hpp"

namespace gnumpy::detail {

namespace {

using rewriter::Kind;

/// What stands in the key for a node that is in it already; no Kind.
constexpr auto kAgain = static_cast<Kind>(255);

Array tree_of_root(const Node& root) {
  return root.kind == Node::Kind::Copy ? tree_of(*root.args[0]).copy() : *root.tree;
}

}  // namespace

bool is_ordinary(double number) {
  constexpr double kMost = 0x1p100;
  int exponent = 0;
  const double magnitude = std::abs(number);
  return magnitude > 1 / kMost && magnitude < kMost && std::frexp(magnitude, &exponent) != 0.5;
}

StructuralKey::StructuralKey(const NodePtr& root, bool in_place, Numbers numbers)
    : tree_(tree_of_root(*root)), how_(numbers) {
  leaves_.reserve(root->args.size());
  inputs_.reserve(root->args.size());
  holders_.reserve(root->args.size());
  key_.reserve(512);
  put(in_place);
  put(numbers);
  for (const NodePtr& leaf : root->args) add_input(leaf);
  put(inputs_.size());
  for (const auto& [input, leaf] : inputs_) {
    put(leaf);
    put(input->shape().size());
    for (const Index extent : input->shape()) put(extent);
  }
  add_operation(*tree_.node());
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const Storage& storage = *leaves_[i].leaf->storage;
    const bool is_ours_alone = holders_[i] == 0 && leaves_[i].leaf->storage.use_count() == 1 &&
                               storage.size() == leaves_[i].leaf->size && !storage.is_shared();
    leaves_[i].may_overwrite = is_ours_alone || (in_place && i == 0);
    put(leaves_[i].may_overwrite);
  }
}

void StructuralKey::add(const rewriter::NodePtr& pointer) {
  const rewriter::Node& node = *pointer;
  if (node.kind == Kind::Input) {
    const auto input = std::find_if(inputs_.begin(), inputs_.end(), [&](const auto& each) {
      return each.first->node() == pointer;
    });
    put(node.kind);
    return put(static_cast<std::size_t>(input - inputs_.begin()));
  }
  if (pointer.use_count() > 1) {
    const auto known = std::find(shared_.begin(), shared_.end(), &node);
    if (known != shared_.end()) {
      put(kAgain);
      return put(known - shared_.begin());
    }
    shared_.push_back(&node);
  }
  if (node.kind == Kind::Number) {
    put(node.kind);
    return add_number(node.number);
  }
  add_operation(node);
}

void StructuralKey::add_operation(const rewriter::Node& node) {
  put(node.kind);
  put(node.op);
  put(node.axis);
  put(node.by_columns);
  put(node.dims.size());
  for (const Index extent : node.dims) put(extent);
  put(node.args.size());
  for (const rewriter::NodePtr& arg : node.args) add(arg);
}

std::map<const rewriter::Node*, int> StructuralKey::parameters() const {
  std::map<const rewriter::Node*, int> result;
  for (const rewriter::NodePtr& node : rewriter::in_order({tree_.node()})) {
    const auto found = std::find(numbers_.begin(), numbers_.end(), node->number);
    if (node->kind == Kind::Number && found != numbers_.end())
      result.emplace(node.get(), static_cast<int>(found - numbers_.begin()));
  }
  return result;
}

void StructuralKey::add_number(double number) {
  const bool by_order = how_ == Numbers::ByOrder && is_ordinary(number);
  put(by_order);
  if (!by_order) return put(number);
  const auto found = std::find(numbers_.begin(), numbers_.end(), number);
  put(found - numbers_.begin());
  if (found == numbers_.end()) numbers_.push_back(number);
}

void StructuralKey::add_input(const NodePtr& node) {
  std::size_t k = 0;
  for (; k < leaves_.size(); ++k) {
    const Node& leaf = *leaves_[k].leaf;
    if (&leaf == node.get()) {
      --holders_[k];
      return;
    }
    if (leaf.storage == node->storage && leaf.offset == node->offset && leaf.size == node->size)
      break;
  }
  if (k == leaves_.size()) {
    leaves_.push_back({node.get(), false});
    holders_.push_back(node.use_count() - 1);
  }
  const auto is_known = [&](const auto& input) { return input.first == &*node->tree; };
  if (std::any_of(inputs_.begin(), inputs_.end(), is_known)) return;
  inputs_.emplace_back(&*node->tree, k);
}

}  // namespace gnumpy::detail

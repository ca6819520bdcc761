#include "gnumpy/form.hpp"

#include <algorithm>
#include <cmath>

namespace gnumpy::detail {

bool is_ordinary(double number) {
  constexpr double kMost = 0x1p100;
  int exponent = 0;
  const double magnitude = std::abs(number);
  return magnitude > 1 / kMost && magnitude < kMost && std::frexp(magnitude, &exponent) != 0.5;
}

Form::Form(const NodePtr& root, bool in_place, Numbers numbers) : how_(numbers) {
  put(in_place);
  put(numbers);
  add(root);
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const Storage& storage = *leaves_[i].leaf->storage;
    const bool is_ours_alone = holders_[i] == 0 && leaves_[i].leaf->storage.use_count() == 1 &&
                               storage.size() == leaves_[i].leaf->size;
    leaves_[i].may_overwrite = is_ours_alone || (in_place && i == 0);
    put(leaves_[i].may_overwrite);
  }
}

void Form::add(const NodePtr& node) {
  put(node->kind);
  put(node->dims.size());
  for (const Index extent : node->dims) put(extent);
  switch (node->kind) {
    case Node::Kind::Leaf:
      return put(index_of(node));
    case Node::Kind::Number:
      return add_number(node->number);
    case Node::Kind::Map:
      put(node->build);
      break;
    default:
      put(node->op);
      put(node->axis);
  }
  put(node->args.size());
  for (const NodePtr& arg : node->args) add(arg);
}

void Form::add_number(double number) {
  const bool by_order = how_ == Numbers::ByOrder && is_ordinary(number);
  put(by_order);
  if (!by_order) return put(number);
  const auto found = std::find(numbers_.begin(), numbers_.end(), number);
  put(found - numbers_.begin());
  if (found == numbers_.end()) numbers_.push_back(number);
}

std::size_t Form::index_of(const NodePtr& node) {
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const Node& leaf = *leaves_[i].leaf;
    if (&leaf == node.get()) --holders_[i];
    if (leaf.storage == node->storage && leaf.offset == node->offset && leaf.size == node->size)
      return i;
  }
  leaves_.push_back({node.get(), false});
  holders_.push_back(node.use_count() - 1);
  return leaves_.size() - 1;
}

}  // namespace gnumpy::detail

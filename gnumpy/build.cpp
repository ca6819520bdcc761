#include "gnumpy/build.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gnumpy/number_check.hpp"
#include "gnumpy/say.hpp"
#include "gnumpy/settle.hpp"
#include "gnumpy/trace.hpp"

namespace gnumpy {

using detail::Node;
using detail::NodePtr;

namespace {

// Longer expressions are computed in parts.
constexpr int kMostNodes = 256;

}  // namespace

operand::operand(const garray& array, Where at) : where(at) {
  const detail::Lock lock;
  if (array.node()->kind != Node::Kind::Copy) array.settle();
  node = array.node()->is_leaf() ? array.node() : array.node()->args[0];
}

operand::operand(garray&& array, Where at) : node(std::move(array).take()), where(at) {
  const detail::Lock lock;
  node->unwatch();
  if (node->kind == Node::Kind::Copy && node->args[0]->is_leaf()) {
    const NodePtr original = node->args[0];
    node = original;
  } else if (node->kind == Node::Kind::Gather || node->weight > kMostNodes) {
    detail::settle(node);
  }
}

namespace detail {

Dims broadcast(std::string_view op, const std::vector<Dims>& shapes, const Where& where) {
  std::optional<Dims> dims = Dims{};
  for (const Dims& shape : shapes)
    if (dims) dims = rewriter::broadcast(*dims, shape);
  if (dims) return *std::move(dims);
  std::string text;
  for (const Dims& shape : shapes) text += " " + to_string(shape);
  misuse(op, where, "operands could not be broadcast together with shapes" + text);
}

namespace {

/// The number in the engine's memory: without arrays the rewriter would compute as Python does.
NodePtr stored(const Node& number) {
  NodePtr leaf = make_empty({}, number.where);
  fill(*leaf, number.number, number.where);
  return leaf;
}

garray map(std::string_view op, Build build, std::vector<NodePtr> args, const Where& where) {
  std::vector<Dims> shapes;
  for (const NodePtr& arg : args) shapes.push_back(arg->dims);
  const auto is_number = [](const NodePtr& arg) { return arg->kind == Node::Kind::Number; };
  if (std::all_of(args.begin(), args.end(), is_number)) args[0] = stored(*args[0]);
  return garray(make_map(build, broadcast(op, shapes, where), std::move(args), where));
}

}  // namespace

garray map(std::string_view op, Build build, operand a) {
  return map(op, build, {std::move(a.node)}, a.where);
}
garray map(std::string_view op, Build build, operand a, operand b) {
  return map(op, build, {std::move(a.node), std::move(b.node)}, a.where);
}
garray map(std::string_view op, Build build, operand a, operand b, operand c) {
  return map(op, build, {std::move(a.node), std::move(b.node), std::move(c.node)}, a.where);
}

void check_positions(std::string_view op, Index extent, const Where& where) {
  if (extent > engine().most_exact())
    misuse(op, where,
           fmt::format("not every position among {} is a number of {}", extent, engine().name()));
}

garray reduce(Op op, operand a, std::optional<int> axis) {
  const std::string_view name = cudamat::name(op);
  Dims dims;
  int along = -1;
  Index extent = a.node->size;
  if (axis) {
    dims = a.node->dims;
    const std::size_t at = normalize_axis(name, *axis, a.node->ndim(), a.where);
    along = static_cast<int>(at);
    extent = dims[at];
    dims.erase(dims.begin() + along);
  }
  const bool needs_one = op != Op::sum && op != Op::prod && op != Op::mean;
  NodePtr node = make_node(Node::Kind::Reduce, std::move(dims), {std::move(a.node)}, a.where);
  if (extent == 0 && needs_one)
    misuse(
        name, a.where,
        "zero-size array to reduction operation " + std::string(name) + " which has no identity");
  if (op == Op::argmax || op == Op::argmin) check_positions(name, extent, a.where);
  node->op = op;
  node->axis = along;
  return garray(std::move(node));
}

garray reshape(const NodePtr& node, Dims dims, const Where& where) {
  const Dims asked = dims;
  const auto unknown = std::find(dims.begin(), dims.end(), -1);
  if (unknown != dims.end()) {
    if (std::count(dims.begin(), dims.end(), -1) > 1)
      misuse("reshape", where, "can only specify one unknown dimension; got " + to_string(asked));
    *unknown = 1;
    const Index known = element_count(dims, where);
    *unknown = known > 0 && node->size % known == 0 ? node->size / known : -1;
  }
  if (std::any_of(dims.begin(), dims.end(), [](Index extent) { return extent < 0; }) ||
      element_count(dims, where) != node->size)
    misuse(
        "reshape", where,
        fmt::format("cannot reshape array of size {} into shape {}", node->size, to_string(asked)));
  if (node->is_leaf())
    return garray(make_leaf(node->storage, node->offset, std::move(dims), where));
  return garray(make_node(Node::Kind::Reshape, std::move(dims), {node}, where));
}

garray transpose(const NodePtr& node, const Where& where) {
  if (node->ndim() < 2) {
    return garray(node->is_leaf() ? make_copy(node, where) : node);
  }
  if (node->ndim() == 2)
    return garray(make_node(Node::Kind::Transpose, {node->dims[1], node->dims[0]}, {node}, where));
  std::vector<std::size_t> axes(node->dims.size());
  std::iota(axes.rbegin(), axes.rend(), std::size_t{0});
  settle(node);
  return garray(permute(node, axes, where));
}

// From the last axis to the first: the wanted one goes behind those before it, by one transpose of
// the two groups of axes that this exchanges.
NodePtr permute(const NodePtr& leaf, const std::vector<std::size_t>& axes, const Where& where) {
  const Lock lock;
  std::vector<std::size_t> order(axes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  NodePtr value = leaf;
  const auto extent = [&](std::size_t first, std::size_t last) {
    Index size = 1;
    for (std::size_t i = first; i < last; ++i) size *= leaf->dims[order[i]];
    return size;
  };
  for (std::size_t place = axes.size(); place-- > 0;) {
    const auto at = static_cast<std::size_t>(std::find(order.begin(), order.end(), axes[place]) -
                                             order.begin());
    if (at == place) continue;
    // [first][second][inner] becomes [second][first][inner]
    const Index first = extent(0, at + 1);
    const Index second = extent(at + 1, place + 1);
    const Index inner = extent(place + 1, order.size());
    const NodePtr turned = make_empty({second, first, inner}, where);
    if (leaf->size > 0) {
      engine().transpose({value->storage->data(), value->offset, 0},
                         {turned->storage->data(), 0, 0}, second, first, inner);
      ran(*turned, where, "x.transpose(target=t)");
    }
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(at + 1),
                order.begin() + static_cast<std::ptrdiff_t>(place + 1));
    value = turned;
  }
  Dims dims;
  for (const std::size_t axis : axes) dims.push_back(leaf->dims[axis]);
  if (value == leaf) return make_copy(leaf, where);
  return make_leaf(value->storage, 0, dims, where);
}

NodePtr repeat(std::string_view op, const NodePtr& node, const Dims& dims, const Where& where) {
  Dims from = node->dims;
  while (from.size() > dims.size() && from[0] == 1) from.erase(from.begin());
  if (rewriter::broadcast(from, dims) != dims)
    misuse(op, where,
           fmt::format("could not broadcast input array from shape {} into shape {}",
                       to_string(node->dims), to_string(dims)));
  const NodePtr source =
      from == node->dims ? node : make_node(Node::Kind::Reshape, from, {node}, where);
  const NodePtr repeated = make_node(Node::Kind::Repeat, dims, {source}, where);
  settle(repeated);
  return repeated;
}

void fill(const Node& leaf, double value, const Where& where) {
  if (leaf.size == 0) return;
  const Lock lock;
  if (checks_numbers()) check_number("fill", value, where);
  engine().fill(leaf.storage->data(), leaf.offset, leaf.size, value);
  ran(leaf, where, "t.assign({})", value);
}

NodePtr copy_of(const NodePtr& node) {
  const bool picks = node->kind == Node::Kind::Gather;
  const NodePtr copy = picks ? make_node(Node::Kind::Gather, node->dims, node->args, node->where)
                             : make_node(Node::Kind::Copy, node->dims, {node}, node->where);
  copy->selection = node->selection;
  settle(copy);
  return copy;
}

std::size_t normalize_axis(std::string_view op, int axis, int ndim, const Where& where) {
  if (axis < -ndim || axis >= ndim)
    misuse(op, where,
           fmt::format("axis {} is out of bounds for array of dimension {}", axis, ndim));
  return static_cast<std::size_t>(axis < 0 ? axis + ndim : axis);
}

}  // namespace detail
}  // namespace gnumpy

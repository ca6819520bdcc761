#include "gnumpy/build.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gnumpy/errors.hpp"
#include "gnumpy/functions.hpp"
#include "gnumpy/materialize.hpp"
#include "gnumpy/number_check.hpp"
#include "gnumpy/trace.hpp"

namespace gnumpy {

using detail::Node;
using detail::NodePtr;

namespace {

// Longer expressions are computed in parts.
constexpr int kMostNodes = 256;

/// Whether it is no part of other expressions.
bool must_be_computed(const Node& node) {
  return node.kind == Node::Kind::Copy || node.kind == Node::Kind::Gather ||
         node.kind == Node::Kind::Part || node.weight > kMostNodes;
}

}  // namespace

operand::operand(const garray_base& array, Where at)
    : node(detail::leaf_of(array.node())), where(at) {}

operand::operand(garray_base&& array, Where at) : node(std::move(array).release()), where(at) {
  const detail::Lock lock;
  if (must_be_computed(*node))
    node = detail::leaf_of(node);
  else
    node->unwatch();
}

operand::operand(NodePtr held, Where at) : node(std::move(held)), where(at) {
  if (must_be_computed(*node)) node = detail::leaf_of(node);
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

/// What an initializer list would copy.
template <class... Nodes>
std::vector<NodePtr> listed(Nodes&&... nodes) {
  std::vector<NodePtr> list;
  list.reserve(sizeof...(nodes));
  (list.push_back(std::forward<Nodes>(nodes)), ...);
  return list;
}

garray map(std::string_view op, Build build, std::vector<NodePtr> args, Content content,
           const Where& where) {
  const auto is_number = [](const NodePtr& arg) { return arg->kind == Node::Kind::Number; };
  if (std::all_of(args.begin(), args.end(), is_number)) args[0] = stored(std::move(args[0]));
  return garray(make_map(op, build, std::move(args), content, where));
}

}  // namespace

NodePtr make_map(std::string_view op, Build build, std::vector<NodePtr> operands, Content content,
                 const Where& where) {
  const bool same = std::all_of(operands.begin(), operands.end(), [&](const NodePtr& operand) {
    return operand->dims == operands[0]->dims || operand->kind == Node::Kind::Number;
  });
  if (!same) {
    std::vector<Dims> shapes;
    for (const NodePtr& operand : operands) shapes.push_back(operand->dims);
    (void)broadcast(op, shapes, where);
  }
  const Array tree = build(Operands(operands));
  return make_expression(tree, std::move(operands), content, where);
}

Content made(Makes makes, Content a, Content b) {
  if (makes == Makes::Truths) return Content::Truths;
  if (makes == Makes::Numbers || a == Content::Numbers || b == Content::Numbers)
    return Content::Numbers;
  const bool are_truths = a == Content::Truths && b == Content::Truths;
  return makes == Makes::Same && are_truths ? Content::Truths : Content::SumsOfTruths;
}

garray map(std::string_view op, Makes makes, Build build, operand a) {
  const Content content = made(makes, a.node->content(), a.node->content());
  return map(op, build, listed(std::move(a.node)), content, a.where);
}
garray map(std::string_view op, Makes makes, Build build, operand a, operand b) {
  const Content content = made(makes, a.node->content(), b.node->content());
  return map(op, build, listed(std::move(a.node), std::move(b.node)), content, a.where);
}
garray map(std::string_view op, Makes makes, Build build, operand a, operand b, operand c) {
  const Content content = made(makes, b.node->content(), c.node->content());
  return map(op, build, listed(std::move(a.node), std::move(b.node), std::move(c.node)), content,
             a.where);
}

garray same_kind(garray result, const garray_base& a) {
  if (a.node()->content() == Content::Truths) result.node()->storage->content = Content::Truths;
  return result;
}

void check_positions(std::string_view op, Index extent, const Where& where) {
  if (extent > engine().most_exact())
    misuse(op, where,
           fmt::format("not every position among {} is a number of {}", extent, engine().name()));
}

namespace {

/// NumPy takes axis 0 and -1 of a 0-d array in all reductions but the mean.
bool takes_axis_of_none(Op op) {
  return op != Op::mean;
}

}  // namespace

std::vector<std::size_t> normalize_axes(std::string_view op, const Axes& axes, int ndim,
                                        const Where& where) {
  std::vector<std::size_t> result;
  if (!axes.listed) {
    result.resize(static_cast<std::size_t>(ndim));
    std::iota(result.begin(), result.end(), std::size_t{0});
    return result;
  }
  for (const int axis : *axes.listed) result.push_back(normalize_axis(op, axis, ndim, where));
  std::sort(result.begin(), result.end());
  if (std::adjacent_find(result.begin(), result.end()) != result.end())
    misuse(op, where, "duplicate value in 'axis'");
  return result;
}

Dims kept_dims(const Dims& dims, const std::vector<std::size_t>& axes, Keepdims keep) {
  Dims result = dims;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    const auto at = result.begin() + static_cast<std::ptrdiff_t>(*axis);
    if (keep.yes)
      *at = 1;
    else
      result.erase(at);
  }
  return result;
}

garray reduce(Op op, operand a, const Axes& axes, Keepdims keep) {
  const std::string_view name = cudamat::name(op);
  const Dims dims = a.node->dims;
  const bool axis_of_none = dims.empty() && takes_axis_of_none(op) && axes.listed &&
                            (*axes.listed == std::vector{0} || *axes.listed == std::vector{-1});
  const auto over = normalize_axes(name, axis_of_none ? Axes() : axes, a.node->ndim(), a.where);
  const bool are_all = over.size() == dims.size();
  const cudamat::OpRow& row = cudamat::row(op);
  if (over.empty() && !are_all && row.has(cudamat::kTruth)) return as_bool(std::move(a));
  if (over.empty() && !are_all) return garray(make_copy(leaf_of(a.node), a.where));
  Index extent = 1;
  for (const std::size_t axis : over) extent *= dims[axis];
  if (extent == 0 && row.has(cudamat::kNoEmpty))
    misuse(
        name, a.where,
        "zero-size array to reduction operation " + std::string(name) + " which has no identity");
  if (row.has(cudamat::kIndex)) check_positions(name, extent, a.where);
  const NodePtr from = stored(std::move(a.node));
  const Array& tree = tree_of(*from);
  const Makes kind = row.has(cudamat::kSums) ? Makes::Numbers : makes(op);
  return garray(make_expression(
      are_all ? rewriter::reduce(op, tree, {}, keep.yes)
              : rewriter::reduce_over(op, tree, {over.begin(), over.end()}, keep.yes),
      {from}, made(kind, from->content(), from->content()), a.where));
}

garray reduce(Op op, operand a, std::optional<int> axis, Keepdims keep) {
  return reduce(op, std::move(a), Axes(axis), keep);
}

Dims reshaped_dims(Index size, Dims asked, const Where& where) {
  Dims dims = asked;
  const auto unknown = std::find(dims.begin(), dims.end(), -1);
  if (unknown != dims.end()) {
    if (std::count(dims.begin(), dims.end(), -1) > 1)
      misuse("reshape", where, "can only specify one unknown dimension; got " + to_string(asked));
    *unknown = 1;
    const Index known = element_count(dims, where);
    *unknown = known > 0 && size % known == 0 ? size / known : -1;
  }
  if (std::any_of(dims.begin(), dims.end(), [](Index extent) { return extent < 0; }) ||
      element_count(dims, where) != size)
    misuse("reshape", where,
           fmt::format("cannot reshape array of size {} into shape {}", size, to_string(asked)));
  return dims;
}

garray reshape(const NodePtr& node, Dims asked, const Where& where) {
  Dims dims = reshaped_dims(node->size, std::move(asked), where);
  if (node->is_leaf())
    return garray(make_leaf(node->storage, node->offset, std::move(dims), where));
  const NodePtr from = stored(node);
  return garray(
      make_expression(tree_of(*from).reshape(std::move(dims)), {from}, from->content(), where));
}

garray transpose(const NodePtr& node, const Where& where) {
  if (node->ndim() < 2) {
    return garray(node->is_leaf() ? make_copy(node, where) : node);
  }
  if (node->ndim() == 2)
    return garray(make_expression(tree_of(*node).T(), {node}, node->content(), where));
  std::vector<std::size_t> axes(node->dims.size());
  std::iota(axes.rbegin(), axes.rend(), std::size_t{0});
  materialize(node);
  return garray(permute(node, axes, where));
}

// From the last axis to the first: the wanted one goes after those before it, by one transpose of
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
    turned->storage->content = leaf->content();
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
  const NodePtr source = stored(node);
  const Array& tree = tree_of(*source);
  const NodePtr repeated = make_expression(
      rewriter::broadcast_to(from == source->dims ? tree : tree.reshape(from), dims), {source},
      source->content(), where);
  materialize(repeated);
  return repeated;
}

void fill(const Node& leaf, double value, const Where& where) {
  if (leaf.size == 0) return;
  const Lock lock;
  if (checks_numbers()) check_number("fill", value, where);
  engine().fill(leaf.storage->data(), leaf.offset, leaf.size, value);
  if (value != 0 && value != 1) note_written(leaf, Content::Numbers);
  ran(leaf, where, "t.assign({})", value);
}

std::size_t normalize_axis(std::string_view op, int axis, int ndim, const Where& where) {
  if (axis < -ndim || axis >= ndim)
    misuse(op, where,
           fmt::format("axis {} is out of bounds for array of dimension {}", axis, ndim));
  return static_cast<std::size_t>(axis < 0 ? axis + ndim : axis);
}

}  // namespace detail
}  // namespace gnumpy

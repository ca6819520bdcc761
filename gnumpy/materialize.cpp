#include "gnumpy/materialize.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "gnumpy/build.hpp"
#include "gnumpy/errors.hpp"
#include "gnumpy/number_check.hpp"
#include "gnumpy/pending.hpp"
#include "gnumpy/plan_cache.hpp"
#include "gnumpy/scratch.hpp"
#include "gnumpy/selection.hpp"
#include "gnumpy/trace.hpp"
#include "gnumpy/work.hpp"

namespace gnumpy::detail {

namespace {

/// Checks what each statement gives.
Engine::After checker(const Plan& plan, std::span<void* const> memory,
                      const std::source_location& where) {
  return [&plan, memory, &where](const rewriter::Statement& statement) {
    if (statement.op == Op::assign) return;  // no new number: the user's, or one of the rewriter's
    const auto target = static_cast<std::size_t>(statement.target);
    const auto& [block, offset] = plan.places[target];
    check_numbers(cudamat::name(statement.op), memory[block], offset,
                  plan.list.variables[target].shape.size(), where);
  };
}

void* address(const Node& leaf) {
  return static_cast<char*>(leaf.storage->data()) + leaf.offset * engine().bytes_per_element();
}

/// Memory that the expression's value is in.
struct Result {
  StoragePtr storage;
  Index offset = 0;
};

/// `spare`: memory that may be taken for the expression; `into`: a leaf that may get its value.
Result compute(const NodePtr& node, bool in_place, StoragePtr spare, const Node* into = nullptr) {
  const StructuralKey key(node, in_place, Numbers::ByOrder);
  const std::shared_ptr<const Plan> plan = plan_of(node, key, in_place);
  Engine& on = engine();
  ScratchMemory<512> scratch;
  std::pmr::vector<void*> memory(&scratch);
  memory.reserve(plan->inputs + plan->allocated.size());
  for (const InputLeaf& input : key.leaves()) memory.push_back(address(*input.leaf));
  std::pmr::vector<StoragePtr> own(&scratch);
  own.reserve(plan->allocated.size());
  for (const Index size : plan->allocated) {
    if (into != nullptr && memory.size() == plan->result.block && size == into->size) {
      own.push_back(into->storage);
      memory.push_back(address(*into));
      continue;
    }
    if (spare != nullptr && spare->size() == size)
      own.push_back(std::exchange(spare, nullptr));
    else
      own.push_back(std::make_shared<Storage>(size, node->where));
    memory.push_back(own.back()->data());
  }
  ran(*plan, node->where);
  on.run(*plan, memory, checks_numbers() ? checker(*plan, memory, node->where) : Engine::After());
  const std::size_t block = plan->result.block;
  if (block >= plan->inputs) {
    const StoragePtr& storage = own[block - plan->inputs];
    return {storage, into != nullptr && storage == into->storage ? into->offset : 0};
  }
  const Node& leaf = *key.leaves()[block].leaf;
  if (key.leaves()[block].may_overwrite) return {leaf.storage, leaf.offset};
  // A copy of an operand, which the statements need not make.
  const NodePtr copy = make_empty(leaf.dims, node->where);
  assign(*copy, leaf.storage, leaf.offset, node->where);
  return {copy->storage, 0};
}

}  // namespace

Index element_count(const Dims& dims, const std::source_location& where) {
  constexpr std::size_t kMostAxes = 32;
  Index count = 1;
  bool fits = true;
  for (const Index extent : dims) {
    if (extent < 0)
      misuse("shape", where, to_string(dims) + ": negative dimensions are not allowed");
    fits = !__builtin_mul_overflow(count, std::max<Index>(extent, 1), &count) && fits;
  }
  if (!fits)
    misuse("shape", where,
           to_string(dims) + " has more than 2^63 - 1 elements, or would without zeros");
  if (dims.size() > kMostAxes)
    misuse("shape", where,
           fmt::format("an array has at most {} dimensions; got {}", kMostAxes, dims.size()));
  return std::find(dims.begin(), dims.end(), 0) == dims.end() ? count : 0;
}

Node::Node(Kind what, Dims extents, std::source_location place)
    : kind(what), size(element_count(extents, place)), dims(std::move(extents)), where(place) {}

const NodePtr& nothing() {
  static const NodePtr& none = *new NodePtr(make_empty({0}, std::source_location::current()));
  return none;
}

NodePtr make_leaf(StoragePtr storage, Index offset, Dims dims, std::source_location where) {
  auto node = std::make_shared<Node>(Node::Kind::Leaf, std::move(dims), where);
  node->storage = std::move(storage);
  node->offset = offset;
  return node;
}

NodePtr make_empty(Dims dims, std::source_location where) {
  auto node = std::make_shared<Node>(Node::Kind::Leaf, std::move(dims), where);
  with_room([&] { node->storage = std::make_shared<Storage>(node->size, where); });
  return node;
}

NodePtr make_node(Node::Kind kind, Dims dims, NodePtr of, std::source_location where) {
  auto node = std::make_shared<Node>(kind, std::move(dims), where);
  node->weight += of->weight;
  node->expected = of->content();
  node->args.push_back(std::move(of));
  return node;
}

const Array& tree_of(Node& operand) {
  if (!operand.is_leaf() || operand.has_tree.load(std::memory_order_acquire)) return *operand.tree;
  const Lock lock;
  if (!operand.tree) operand.tree = rewriter::input("", operand.dims);
  operand.has_tree.store(true, std::memory_order_release);
  return *operand.tree;
}

Operands::Operands(std::span<const NodePtr> nodes) {
  for (std::size_t k = 0; k < nodes.size(); ++k) arrays_[k] = &tree_of(*nodes[k]);
}

// A 0-d result is an array, where NumPy has a scalar.
NodePtr make_expression(const Array& tree, std::vector<NodePtr> operands, Content content,
                        std::source_location where) {
  auto node = std::make_shared<Node>(Node::Kind::Expression, tree.shape(), where);
  const bool is_array = tree.dtype() == rewriter::DType::Float && tree.ndim() > 0;
  node->tree = is_array ? tree : tree.as_float();
  node->expected = content;
  if (operands.size() > 1) node->args.reserve(operands.size());
  for (NodePtr& operand : operands) {
    node->weight += operand->weight;
    if (operand->is_leaf())
      node->args.push_back(std::move(operand));
    else if (operand.use_count() == 1 && node->args.empty())
      node->args = std::move(operand->args);
    else
      node->args.insert(node->args.end(), operand->args.begin(), operand->args.end());
  }
  return node;
}

NodePtr make_number(double number, std::source_location where) {
  auto node = std::make_shared<Node>(Node::Kind::Number, Dims{}, where);
  node->tree = Array(number);
  return node;
}

NodePtr stored(NodePtr operand) {
  if (operand->kind != Node::Kind::Number) return operand;
  NodePtr leaf = make_empty({}, operand->where);
  fill(*leaf, operand->tree->node()->number, operand->where);
  return leaf;
}

void materialize(const NodePtr& node, const StoragePtr& spare) {
  const Lock lock;
  const bool is_of_one = node->kind == Node::Kind::Gather || node->kind == Node::Kind::Copy;
  if (is_of_one && !node->args[0]->is_leaf()) materialize(NodePtr(node->args[0]));
  with_room([&] {
    if (node->is_leaf()) return;
    const Computing now;
    Result result;
    if (node->kind == Node::Kind::Number) {  // a plan of it would be any other number's
      const NodePtr leaf = stored(node);
      result = {leaf->storage, leaf->offset};
    } else if (node->kind == Node::Kind::Gather) {
      const NodePtr elements = read(*node->args[0], *node->selection, node->where);
      result = {elements->storage, elements->offset};
    } else {
      result = compute(node, false, spare);
    }
    result.storage->content = node->expected;
    node->unwatch();
    node->kind = Node::Kind::Leaf;
    node->tree.reset();
    node->weight = 1;
    node->storage = std::move(result.storage);
    node->offset = result.offset;
    node->args.clear();
  });
}

NodePtr leaf_of(const NodePtr& held) {
  const Lock lock;
  if (held->kind == Node::Kind::Copy && held->args[0]->is_leaf()) return held->args[0];
  if (held->kind == Node::Kind::Part) return copy_of(held);
  materialize(held);
  return held;
}

NodePtr snapshot_of(const NodePtr& node) {
  if (node->kind == Node::Kind::Expression)
    return make_expression(tree_of(*node).copy(), {node}, node->expected, node->where);
  if (node->kind != Node::Kind::Part && node->kind != Node::Kind::Gather)
    return make_node(Node::Kind::Copy, node->dims, node, node->where);
  const NodePtr& from = node->args[0];
  NodePtr copy = make_node(Node::Kind::Gather, node->dims,
                           from->is_leaf() ? from : snapshot_of(from), node->where);
  copy->selection = node->selection;
  return copy;
}

NodePtr copy_of(const NodePtr& node) {
  NodePtr copy = snapshot_of(node);
  materialize(copy);
  return copy;
}

void note_written(const Node& leaf, Content content) {
  if (leaf.storage->content != content) leaf.storage->content = Content::Numbers;
}

void assign(const Node& leaf, const StoragePtr& from, Index offset,
            const std::source_location& where) {
  engine().copy_block(leaf.size, 1, {from->data(), offset, leaf.size},
                      {leaf.storage->data(), leaf.offset, leaf.size});
  ran(leaf, where, "t.assign(x)");
}

bool overlaps(const Node& a, const Node& b) {
  return a.storage == b.storage && a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

bool materialize_into(const NodePtr& node, const Node& leaf) {
  const auto can_be = [&] {
    return !node->is_leaf() && node->kind != Node::Kind::Gather && node->kind != Node::Kind::Copy &&
           node->dims == leaf.dims && leaf.size > 0 && !reads(*node, leaf.storage);
  };
  if (!can_be()) return false;
  materialize_readers(leaf.storage, leaf.where);
  return with_room([&] {
    if (!can_be()) return false;
    const Computing now;
    const Result result = compute(node, false, nullptr, &leaf);
    if (result.storage != leaf.storage) assign(leaf, result.storage, result.offset, node->where);
    note_written(leaf, node->expected);
    return true;
  });
}

void materialize_in_place(const NodePtr& node) {
  const Lock lock;
  const NodePtr leaf = node->args[0];
  with_room([&] {
    const Computing now;
    const Result result = compute(node, true, nullptr);
    if (result.storage != leaf->storage || result.offset != leaf->offset)
      assign(*leaf, result.storage, result.offset, node->where);
  });
  note_written(*leaf, node->expected);
}

std::string explain(const Node& node) {
  const Lock lock;
  if (node.is_leaf()) return "";
  if (node.kind == Node::Kind::Gather)
    return fmt::format("# {}:{}\n{}", node.where.file_name(), node.where.line(),
                       explain(*node.selection));
  const NodePtr root = std::const_pointer_cast<Node>(node.shared_from_this());
  return text_of(make_plan(StructuralKey(root, false, Numbers::ByValue)), node.where);
}

}  // namespace gnumpy::detail

namespace gnumpy {

std::string explain(const garray& a) {
  return detail::explain(*a.node());
}

}  // namespace gnumpy

#include "gnumpy/settle.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <thread>
#include <utility>

#include "gnumpy/garray.hpp"
#include "gnumpy/number_check.hpp"
#include "gnumpy/plans.hpp"
#include "gnumpy/say.hpp"
#include "gnumpy/selection.hpp"
#include "gnumpy/trace.hpp"
#include "gnumpy/work.hpp"

namespace gnumpy::detail {

namespace {

Node* watched = nullptr;

std::recursive_mutex& nodes() {
  static std::recursive_mutex& mutex = *new std::recursive_mutex;
  return mutex;
}

bool several_threads = false;  // have used garrays

/// Whether it is the first thread that asked.
bool is_first_thread() {
  static const std::thread::id first = std::this_thread::get_id();
  return std::this_thread::get_id() == first;
}

/// Checks what each statement gives.
Engine::After checker(const Plan& plan, const std::vector<void*>& memory,
                      const std::source_location& where) {
  return [&](const rewriter::Statement& statement) {
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
  const Form form(node, in_place, Numbers::ByOrder);
  const std::shared_ptr<const Plan> plan = plan_of(node, form, in_place);
  Engine& on = engine();
  std::vector<void*> memory;
  memory.reserve(plan->inputs + plan->allocated.size());
  for (const InputLeaf& input : form.leaves()) memory.push_back(address(*input.leaf));
  std::vector<StoragePtr> own;
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
  const Node& leaf = *form.leaves()[block].leaf;
  if (form.leaves()[block].may_overwrite) return {leaf.storage, leaf.offset};
  // A copy of an operand, which the statements need not make.
  const NodePtr copy = make_empty(leaf.dims, node->where);
  assign(*copy, leaf.storage, leaf.offset, node->where);
  return {copy->storage, 0};
}

bool reads(const Node& node, const StoragePtr& storage) {
  if (node.storage == storage) return true;
  return std::any_of(node.args.begin(), node.args.end(),
                     [&](const NodePtr& arg) { return reads(*arg, storage); });
}

/// Settles the nodes of the list for which wanted(node).
template <class Wanted>
void settle_listed(const Wanted& wanted) {
  for (Node* node = watched; node != nullptr;) {
    // Another thread may be about to destroy it: then nobody wants its value.
    const NodePtr found = wanted(*node) ? node->weak_from_this().lock() : nullptr;
    if (found == nullptr) {
      node = node->next;
      continue;
    }
    // The next one may end with what this one reads: then again from the start.
    Node* const next = node->next;
    NodePtr kept = next != nullptr ? next->weak_from_this().lock() : nullptr;
    settle(found);
    const bool stays = next == nullptr || (kept.use_count() > 1 && kept->listed);
    kept = nullptr;
    node = stays ? next : watched;
  }
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

Node::~Node() {
  if (!listed) return;
  const std::scoped_lock lock(nodes());
  unwatch();
}

Lock::Lock() {
  nodes().lock();
  if (several_threads || is_first_thread()) return;
  several_threads = true;
  try {
    settle_listed([](const Node&) { return true; });
  } catch (...) {
    several_threads = false;
    nodes().unlock();
    throw;
  }
}

Lock::~Lock() {
  nodes().unlock();
}

const NodePtr& nothing() {
  static const NodePtr& none = *new NodePtr(make_empty({0}, std::source_location::current()));
  return none;
}

void Node::watch() {
  if (std::exchange(listed, true)) return;
  next = watched;
  if (next != nullptr) next->previous = this;
  watched = this;
}

void Node::unwatch() {
  if (!std::exchange(listed, false)) return;
  (previous != nullptr ? previous->next : watched) = next;
  if (next != nullptr) next->previous = previous;
  previous = next = nullptr;
}

NodePtr make_leaf(StoragePtr storage, Index offset, Dims dims, std::source_location where) {
  auto node = std::make_shared<Node>(Node::Kind::Leaf, std::move(dims), where);
  node->storage = std::move(storage);
  node->offset = offset;
  return node;
}

NodePtr make_empty(Dims dims, std::source_location where) {
  auto node = std::make_shared<Node>(Node::Kind::Leaf, std::move(dims), where);
  node->storage = std::make_shared<Storage>(node->size, where);
  return node;
}

NodePtr make_node(Node::Kind kind, Dims dims, std::vector<NodePtr> args,
                  std::source_location where) {
  auto node = std::make_shared<Node>(kind, std::move(dims), where);
  for (const NodePtr& arg : args) node->weight += arg->weight;
  node->args = std::move(args);
  return node;
}

NodePtr make_map(Build build, Dims dims, std::vector<NodePtr> args, std::source_location where) {
  NodePtr node = make_node(Node::Kind::Map, std::move(dims), std::move(args), where);
  node->build = build;
  return node;
}

NodePtr make_copy(const NodePtr& original, std::source_location where) {
  const Lock lock;
  NodePtr copy = make_node(Node::Kind::Copy, original->dims, {original}, where);
  if (several_threads) settle(copy);
  return copy;
}

NodePtr make_number(double number, std::source_location where) {
  auto node = std::make_shared<Node>(Node::Kind::Number, Dims{}, where);
  node->number = number;
  return node;
}

void settle(const NodePtr& node, const StoragePtr& spare) {
  const Lock lock;
  if (node->is_leaf()) return;
  Result result;
  if (node->kind == Node::Kind::Gather) {
    const NodePtr& from = node->args[0];
    const NodePtr elements =
        read(from->is_leaf() ? *from : *from->args[0], *node->selection, node->where);
    result = {elements->storage, elements->offset};
  } else {
    result = compute(node, false, spare);
  }
  node->unwatch();
  node->kind = Node::Kind::Leaf;
  node->weight = 1;
  node->storage = std::move(result.storage);
  node->offset = result.offset;
  node->args.clear();
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

bool settle_into(const NodePtr& node, const Node& leaf) {
  if (node->is_leaf() || node->kind == Node::Kind::Gather || node->kind == Node::Kind::Copy ||
      node->dims != leaf.dims || leaf.size == 0 || reads(*node, leaf.storage))
    return false;
  settle_readers(leaf.storage);
  const Result result = compute(node, false, nullptr, &leaf);
  if (result.storage != leaf.storage) assign(leaf, result.storage, result.offset, node->where);
  return true;
}

void settle_in_place(const NodePtr& node) {
  const Lock lock;
  const NodePtr leaf = node->args[0];
  const Result result = compute(node, true, nullptr);
  if (result.storage != leaf->storage || result.offset != leaf->offset)
    assign(*leaf, result.storage, result.offset, node->where);
}

void settle_readers(const StoragePtr& storage) {
  const Lock lock;
  settle_listed([&](const Node& node) { return reads(node, storage); });
}

std::string explain(const Node& node) {
  const Lock lock;
  if (node.is_leaf()) return "";
  if (node.kind == Node::Kind::Gather)
    return fmt::format("# {}:{}\n{}", node.where.file_name(), node.where.line(),
                       explain(*node.selection));
  const NodePtr root = std::const_pointer_cast<Node>(node.shared_from_this());
  const Form form(root, false, Numbers::ByValue);
  return text_of(new_plan(node, form, false), node.where);
}

}  // namespace gnumpy::detail

namespace gnumpy {

std::string explain(const garray& a) {
  return detail::explain(*a.node());
}

}  // namespace gnumpy

#include "gnumpy/pending.hpp"

#include <algorithm>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "gnumpy/materialize.hpp"

namespace gnumpy::detail {

namespace {

/// What is kept for an pending value must be so much larger than it to be given back.
constexpr Index kMuchLarger = 8;

Node* watched = nullptr;
int computing = 0;

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

/// Materializes the nodes of the list for which wanted(node).
template <class Wanted>
void materialize_listed(const Wanted& wanted) {
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
    materialize(found);
    const bool stays = next == nullptr || (kept.use_count() > 1 && kept->listed);
    kept = nullptr;
    node = stays ? next : watched;
  }
}

/// f(leaf) for each time that the expression has a leaf.
template <class F>
void for_leaves(const Node& node, const F& f) {
  if (node.is_leaf()) return f(node);
  for (const NodePtr& arg : node.args) for_leaves(*arg, f);
}

/// How much memory would be given back if pending values were materialized.
class Kept {
 public:
  Kept() {
    std::unordered_map<const Node*, long> uses;
    for (const Node* node = watched; node != nullptr; node = node->next)
      for_leaves(*node, [&](const Node& leaf) { ++uses[&leaf]; });
    for (const auto& [leaf, count] : uses)
      if (leaf->weak_from_this().use_count() <= count) ++leaves_[leaf->storage.get()];
  }

  /// The elements of memory that nothing but pending values has, this one among them.
  [[nodiscard]] Index elements(const Node& node) const {
    std::unordered_set<const Storage*> found;
    Index sum = 0;
    for_leaves(node, [&](const Node& leaf) {
      const auto leaves = leaves_.find(leaf.storage.get());
      if (leaves == leaves_.end() || leaf.storage.use_count() > leaves->second) return;
      if (found.insert(leaf.storage.get()).second) sum += leaf.storage->size();
    });
    return sum;
  }

 private:
  std::unordered_map<const Storage*, long> leaves_;  // that nothing else has
};

}  // namespace

bool reads(const Node& node, const StoragePtr& storage) {
  if (node.storage == storage) return true;
  return std::any_of(node.args.begin(), node.args.end(),
                     [&](const NodePtr& arg) { return reads(*arg, storage); });
}

bool reads_shared(const Node& node) {
  if (node.storage != nullptr && node.storage->is_shared()) return true;
  return std::any_of(node.args.begin(), node.args.end(),
                     [](const NodePtr& arg) { return reads_shared(*arg); });
}

void hold(const NodePtr& node) {
  if (node->is_leaf()) return;
  const Lock lock;
  if (reads_shared(*node))
    materialize(node);
  else
    node->watch();
}

Computing::Computing() {
  ++computing;
}

Computing::~Computing() {
  --computing;
}

void materialize_readers(const StoragePtr& storage, const std::source_location& where) {
  const Lock lock;
  materialize_listed([&](Node& node) {
    const bool wanted = reads(node, storage);
    if (wanted && node.kind == Node::Kind::Copy) node.where = where;
    return wanted;
  });
}

void materialize_small_results() {
  if (!memory_has_grown()) return;
  const Lock lock;
  if (computing > 0) return;
  const Kept kept;
  std::vector<NodePtr> small;
  for (Node* node = watched; node != nullptr; node = node->next)
    if (kept.elements(*node) > kMuchLarger * node->size)
      if (NodePtr found = node->weak_from_this().lock()) small.push_back(std::move(found));
  const Computing now;
  for (const NodePtr& node : small) {
    try {
      materialize(node);
    } catch (const cudamat::CUDAMatException&) {  // whoever reads it will be told
    }
  }
}

bool materialize_pending() {
  const Lock lock;
  if (computing > 0) return false;
  const Computing now;
  std::vector<NodePtr> pending;
  for (Node* node = watched; node != nullptr; node = node->next)
    if (NodePtr found = node->weak_from_this().lock()) pending.push_back(std::move(found));
  bool any = false;
  for (NodePtr& node : pending) {
    try {
      materialize(node);
      any = true;
    } catch (const cudamat::CUDAMatException&) {
    }
    node = nullptr;
  }
  return any;
}

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
    materialize_listed([](const Node&) { return true; });
  } catch (...) {
    several_threads = false;
    nodes().unlock();
    throw;
  }
}

Lock::~Lock() {
  nodes().unlock();
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

NodePtr make_copy(const NodePtr& original, std::source_location where) {
  const Lock lock;
  NodePtr copy = make_node(Node::Kind::Copy, original->dims, original, where);
  if (several_threads || reads_shared(*original)) materialize(copy);
  return copy;
}

}  // namespace gnumpy::detail

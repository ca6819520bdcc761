#include "gnumpy/garray.hpp"

#include <algorithm>
#include <utility>

#include "gnumpy/build.hpp"
#include "gnumpy/errors.hpp"
#include "gnumpy/functions.hpp"
#include "gnumpy/materialize.hpp"
#include "gnumpy/number_check.hpp"
#include "gnumpy/pending.hpp"
#include "gnumpy/trace.hpp"
#include "gnumpy/views.hpp"

namespace gnumpy {

using detail::Node;
using detail::NodePtr;

template <std::floating_point Number>
NodePtr detail::make_uploaded(std::span<const Number> elements, Dims dims, Where where) {
  NodePtr node = make_empty(std::move(dims), where);
  if (static_cast<std::uint64_t>(node->size) != elements.size())
    detail::misuse("garray", where,
                   fmt::format("shape {} needs {} elements; got {}", detail::to_string(node->dims),
                               node->size, elements.size()));
  if (node->size == 0) return node;
  const detail::Lock lock;
  detail::engine().to_device(elements, node->storage->data(), 0);
  detail::moved(*node, false, where);
  if (detail::checks_numbers())
    detail::check_numbers("garray", node->storage->data(), 0, node->size, where);
  return node;
}
template NodePtr detail::make_uploaded(std::span<const float>, Dims, Where);
template NodePtr detail::make_uploaded(std::span<const double>, Dims, Where);
template NodePtr detail::make_uploaded(std::span<const long double>, Dims, Where);

// ---- life ----

garray::garray(detail::NodePtr node) : garray_base(std::move(node)) {
  detail::hold(node_);
}

garray::garray(garray&& other) noexcept
    : garray_base(std::exchange(other.node_, detail::nothing())) {}

garray::garray(const garray_view& view) : garray(detail::value_of(view.node())) {}

void swap(garray& a, garray& b) noexcept {
  std::swap(a.node_, b.node_);
}

garray::garray(Where where) : garray(detail::make_empty({0}, where)) {}

garray::garray(double number, Where where)
    : garray(detail::make_uploaded(std::span<const double>(&number, 1), {}, where)) {}

garray::garray(std::initializer_list<Element> elements, Where where) {
  std::vector<double> numbers;
  for (const Element& element : elements) numbers.push_back(element.number);
  node_ = detail::make_uploaded(std::span<const double>(numbers), {std::ssize(numbers)}, where);
  const bool are_truths = std::all_of(elements.begin(), elements.end(),
                                      [](const Element& element) { return element.is_truth; });
  if (are_truths && elements.size() > 0) node_->storage->content = detail::Content::Truths;
}

void garray::check_part(Index wanted, Index size, const Where& where) {
  if (size != wanted)
    detail::misuse("garray", where, fmt::format("rows have {} and {} elements", wanted, size));
}

garray::garray(std::initializer_list<std::initializer_list<double>> rows, Where where) {
  std::vector<double> elements;
  const Index cols = rows.size() == 0 ? 0 : std::ssize(*rows.begin());
  for (const auto& row : rows) {
    check_part(cols, std::ssize(row), where);
    elements.insert(elements.end(), row.begin(), row.end());
  }
  node_ = detail::make_uploaded(std::span<const double>(elements), {std::ssize(rows), cols}, where);
}

garray::garray(std::initializer_list<std::initializer_list<std::initializer_list<double>>> parts,
               Where where) {
  std::vector<double> elements;
  const Index rows = parts.size() == 0 ? 0 : std::ssize(*parts.begin());
  const Index cols = rows == 0 ? 0 : std::ssize(*parts.begin()->begin());
  for (const auto& part : parts) {
    check_part(rows, std::ssize(part), where);
    for (const auto& row : part) {
      check_part(cols, std::ssize(row), where);
      elements.insert(elements.end(), row.begin(), row.end());
    }
  }
  node_ = detail::make_uploaded(std::span<const double>(elements), {std::ssize(parts), rows, cols},
                                where);
}

// A copy reads the same memory until one of the two is written to.
garray::garray(const garray& other) : garray_base() {
  *this = other;
}

garray& garray::operator=(const garray& other) & {
  if (this == &other) return *this;
  const detail::Lock lock;
  const NodePtr original = operand(other).node;
  node_ = detail::make_copy(original, original->where);
  detail::hold(node_);
  return *this;
}

// The old value's memory is the new one's where nothing else needs it.
garray& garray::operator=(garray&& value) & {
  if (this == &value) return *this;
  const detail::Lock lock;
  NodePtr old = std::exchange(node_, std::exchange(value.node_, detail::nothing()));
  if (node_->is_leaf() || node_->kind == Node::Kind::Copy) return *this;
  detail::StoragePtr spare;
  if (old != nullptr && old->is_leaf() && old.use_count() == 1 && old->storage.use_count() == 1 &&
      !old->storage->is_shared())
    spare = old->storage;
  const std::weak_ptr<Node> read = old;
  // What only the expression still holds, it may write over.
  if (spare == nullptr && old != nullptr && old.use_count() > 1) old.reset();
  try {
    detail::materialize(node_, spare);
  } catch (...) {
    value.node_ = std::exchange(node_, old != nullptr ? old : read.lock());
    throw;
  }
  return *this;
}

const garray& garray::materialize() const {
  detail::materialize(node_);
  return *this;
}

// ---- in place ----

namespace {

/// Whether a leaf of the expression shows a part of the memory, and not exactly all of it.
bool reads_other_part(const Node& node, const Node& leaf) {
  if (node.is_leaf())
    return detail::overlaps(node, leaf) && (node.offset != leaf.offset || node.size != leaf.size);
  return std::any_of(node.args.begin(), node.args.end(),
                     [&](const NodePtr& arg) { return reads_other_part(*arg, leaf); });
}

/// node = build(node, b), elements broadcast to the node's shape and written to its memory; what is
/// a copy still to be made gets the result instead.
void update(std::string_view op, NodePtr& node, detail::Makes makes, detail::Build build,
            operand b) {
  if (b.node->dims != node->dims && b.node->ndim() > 0) {
    const Dims dims = detail::broadcast(op, {node->dims, b.node->dims}, b.where);
    if (dims != node->dims)
      detail::misuse(op, b.where,
                     fmt::format("non-broadcastable output operand with shape {} doesn't match the "
                                 "broadcast shape {}",
                                 detail::to_string(node->dims), detail::to_string(dims)));
  }
  if (node->size == 0) return;
  const detail::Content content = detail::made(makes, node->content(), b.node->content());
  if (node->kind == Node::Kind::Copy) {
    const NodePtr result = detail::make_map(op, build, {node->args[0], b.node}, content, b.where);
    detail::materialize(result);
    node = result;
    return;
  }
  detail::materialize(node);
  if (reads_other_part(*b.node, *node)) b.node = detail::copy_of(b.node);
  detail::materialize_readers(node->storage, b.where);
  detail::materialize_in_place(detail::make_map(op, build, {node, b.node}, content, b.where));
}

/// The same of what a view shows.
void update_part(std::string_view op, const NodePtr& part, detail::Makes makes, detail::Build build,
                 operand b) {
  NodePtr leaf = part->is_leaf() ? part : detail::copy_of(part);
  update(op, leaf, makes, build, std::move(b));
  if (leaf != part) detail::write(part, leaf);
}

}  // namespace

#define UPDATE(symbol, name, makes, function)                                                  \
  garray& garray::operator symbol(operand b)& {                                                \
    const detail::Lock lock;                                                                   \
    update(                                                                                    \
        name, node_, detail::Makes::makes, [](const detail::Operands& x) { return function; }, \
        std::move(b));                                                                         \
    return *this;                                                                              \
  }                                                                                            \
  garray_view& garray_view::operator symbol(operand b)&& {                                     \
    refer();                                                                                   \
    return *this symbol std::move(b);                                                          \
  }                                                                                            \
  garray_view& garray_view::operator symbol(operand b)& {                                      \
    const detail::Lock lock;                                                                   \
    own();                                                                                     \
    update_part(                                                                               \
        name, node_, detail::Makes::makes, [](const detail::Operands& x) { return function; }, \
        std::move(b));                                                                         \
    return *this;                                                                              \
  }
UPDATE(+=, "add", Sums, x[0] + x[1])
UPDATE(-=, "subtract", Sums, x[0] - x[1])
UPDATE(*=, "multiply", Same, x[0] * x[1])
UPDATE(/=, "divide", Numbers, x[0] / x[1])
UPDATE(%=, "remainder", Numbers, rewriter::mod(x[0], x[1]))
#undef UPDATE

}  // namespace gnumpy

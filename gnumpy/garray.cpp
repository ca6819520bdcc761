#include "gnumpy/garray.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gnumpy/build.hpp"
#include "gnumpy/functions.hpp"
#include "gnumpy/number_check.hpp"
#include "gnumpy/say.hpp"
#include "gnumpy/selection.hpp"
#include "gnumpy/settle.hpp"
#include "gnumpy/text.hpp"
#include "gnumpy/trace.hpp"

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
void update(std::string_view op, NodePtr& node, detail::Build build, operand b) {
  const Dims dims = detail::broadcast(op, {node->dims, b.node->dims}, b.where);
  if (dims != node->dims)
    detail::misuse(op, b.where,
                   fmt::format("non-broadcastable output operand with shape {} doesn't match the "
                               "broadcast shape {}",
                               detail::to_string(node->dims), detail::to_string(dims)));
  if (node->size == 0) return;
  if (node->kind == Node::Kind::Copy) {
    const NodePtr result = detail::make_map(build, dims, {node->args[0], b.node}, b.where);
    detail::settle(result);
    node = result;
    return;
  }
  detail::settle(node);
  if (reads_other_part(*b.node, *node)) b.node = detail::copy_of(b.node);
  detail::settle_readers(node->storage);
  detail::settle_in_place(detail::make_map(build, dims, {node, b.node}, b.where));
}

}  // namespace

// ---- life ----

garray::garray(detail::NodePtr node) : node_(std::move(node)) {
  if (node_->is_leaf()) return;
  const detail::Lock lock;
  node_->watch();
}

garray::garray(garray&& other) noexcept : node_(std::exchange(other.node_, detail::nothing())) {}

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
}

garray::garray(std::initializer_list<std::initializer_list<double>> rows, Where where) {
  std::vector<double> elements;
  const Index cols = rows.size() == 0 ? 0 : std::ssize(*rows.begin());
  for (const auto& row : rows) {
    if (std::ssize(row) != cols)
      detail::misuse("garray", where,
                     fmt::format("rows have {} and {} elements", cols, row.size()));
    elements.insert(elements.end(), row.begin(), row.end());
  }
  node_ = detail::make_uploaded(std::span<const double>(elements), {std::ssize(rows), cols}, where);
}

// A copy reads the same memory until one of the two is written to.
garray::garray(const garray& other) {
  *this = other;
}

garray& garray::operator=(const garray& other) & {
  if (this == &other) return *this;
  const detail::Lock lock;
  const NodePtr original = operand(other).node;
  node_ = detail::make_copy(original, original->where);
  if (!node_->is_leaf()) node_->watch();
  return *this;
}

// The old value's memory is the new one's where nothing else needs it.
garray& garray::operator=(garray&& value) & {
  if (this == &value) return *this;
  const detail::Lock lock;
  NodePtr old = std::exchange(node_, std::exchange(value.node_, detail::nothing()));
  if (node_->is_leaf() || node_->kind == Node::Kind::Copy) return *this;
  detail::StoragePtr spare;
  if (old != nullptr && old->is_leaf() && old.use_count() == 1 && old->storage.use_count() == 1)
    spare = old->storage;
  const std::weak_ptr<Node> read = old;
  // What only the expression still holds, it may write over.
  if (spare == nullptr && old != nullptr && old.use_count() > 1) old.reset();
  try {
    detail::settle(node_, spare);
  } catch (...) {
    value.node_ = std::exchange(node_, old != nullptr ? old : read.lock());
    throw;
  }
  return *this;
}

garray& garray::operator=(const garray& value) && {
  write(value);
  return *this;
}
garray& garray::operator=(garray&& value) && {
  const detail::Lock lock;
  if (node_->is_leaf() && detail::settle_into(value.node_, *node_))
    value.node_ = detail::nothing();
  else
    write(value);
  return *this;
}
garray& garray::operator=(double value) && {
  const detail::Lock lock;
  if (node_->is_leaf()) {
    detail::settle_readers(node_->storage);
    detail::fill(*node_, value, node_->where);
  } else {
    write(full(shape(), value, node_->where));
  }
  return *this;
}

void garray::write(const garray& value) {
  const detail::Lock lock;
  const NodePtr to = std::move(node_);
  to->unwatch();
  if (!to->is_leaf() && to->kind != Node::Kind::Gather)
    detail::misuse("setitem", to->where, "only an array or a subscript of one can be assigned to");
  NodePtr from = operand(value).node;
  if (from->dims != to->dims) from = detail::repeat("setitem", from, to->dims, to->where);
  if (!to->is_leaf()) detail::settle(to->args[0]);
  const NodePtr array = to->is_leaf() ? to : to->args[0];
  if (from->is_leaf() && detail::overlaps(*from, *array)) from = detail::copy_of(from);
  detail::settle_readers(array->storage);
  const detail::Selection whole{to->dims, {}, to->dims};
  detail::write(*array, to->is_leaf() ? whole : *to->selection, *from, to->where);
  node_ = to;
}

// ---- what it is, reading ----

Index garray::shape(int axis) const {
  return shape()[detail::normalize_axis("shape", axis, ndim(), node_->where)];
}

std::int64_t garray::nbytes() const {
  return size() * detail::engine().bytes_per_element();
}

Index garray::len() const {
  if (ndim() == 0) detail::misuse("len", node_->where, "an array without dimensions has no length");
  return shape()[0];
}

void garray::check_ndim(int wanted) const {
  if (ndim() != wanted)
    detail::misuse("extents", node_->where,
                   fmt::format("the array has {} dimensions, not {}", ndim(), wanted));
}

namespace {

template <class Number>
std::string text_of(const garray& a) {
  return detail::array_text(a.as_numpy_array<Number>());
}

}  // namespace

std::string garray::str() const {
  switch (detail::engine().bytes_per_element()) {
    case sizeof(float):
      return text_of<float>(*this);
    case sizeof(double):
      return text_of<double>(*this);
    default:
      return text_of<long double>(*this);
  }
}

const garray& garray::settle() const {
  detail::settle(node_);
  return *this;
}

template <std::floating_point Number>
std::vector<Number> garray::to_vector() const {
  const detail::Lock lock;
  settle();
  std::vector<Number> elements(static_cast<std::size_t>(size()));
  if (size() > 0) {
    detail::engine().to_host(node_->storage->data(), node_->offset, std::span<Number>(elements));
    detail::moved(*node_, true, node_->where);
  }
  return elements;
}
template std::vector<float> garray::to_vector<float>() const;
template std::vector<double> garray::to_vector<double>() const;
template std::vector<long double> garray::to_vector<long double>() const;

double garray::item() const {
  if (size() != 1)
    detail::misuse("item", node_->where,
                   fmt::format("only an array of one element is a number; the shape is {}",
                               detail::to_string(shape())));
  return to_vector<double>()[0];
}

// ---- parts, shapes ----

Subscript::Subscript(const garray& indices, At at) : where(at) {
  if (indices.ndim() != 1)
    detail::misuse(
        "getitem", at,
        "an index array must be 1-D; its shape is " + detail::to_string(indices.shape()));
  std::vector<Index> numbers;
  for (const double index : indices.to_vector()) {
    if (index != std::floor(index) || std::abs(index) > 0x1p53)
      detail::misuse("getitem", at, fmt::format("an index must be a whole number; got {}", index));
    numbers.push_back(static_cast<Index>(index));
  }
  held = std::move(numbers);
}

garray garray::subscript(const std::vector<Subscript>& subscripts, Where where) const {
  const detail::Lock lock;
  auto selection = std::make_shared<detail::Selection>(detail::select(shape(), subscripts, where));
  if (node_->kind != Node::Kind::Copy || selection->is_view()) settle();
  if (selection->is_view())
    return garray(detail::make_leaf(node_->storage, node_->offset + selection->first(),
                                    selection->dims, where));
  const NodePtr node = detail::make_node(Node::Kind::Gather, selection->dims, {node_}, where);
  node->selection = std::move(selection);
  return garray(node);
}

garray garray::reshape(Shape shape, Where where) const& {
  settle();
  return detail::reshape(node_, std::move(shape.dims), where);
}
garray garray::reshape(Shape shape, Where where) && {
  const detail::Lock lock;
  if (node_->kind == Node::Kind::Copy) settle();  // or it would share the original's memory
  return detail::reshape(operand(std::move(*this), where).node, std::move(shape.dims), where);
}

garray garray::reshape_2d(int row_axes, Where where) const {
  if (row_axes < 0 || row_axes > ndim())
    detail::misuse("reshape_2d", where,
                   fmt::format("the rows can have 0 to {} axes; got {}", ndim(), row_axes));
  const Dims& dims = shape();
  return reshape({detail::element_count({dims.begin(), dims.begin() + row_axes}, where),
                  detail::element_count({dims.begin() + row_axes, dims.end()}, where)},
                 where);
}

garray garray::T(Where where) const& {
  return detail::transpose(operand(*this, where).node, where);
}
garray garray::T(Where where) && {
  return detail::transpose(operand(std::move(*this), where).node, where);
}

garray garray::transpose(std::vector<int> axes, Where where) const {
  std::vector<std::size_t> order;
  for (const int axis : axes) {
    order.push_back(detail::normalize_axis("transpose", axis, ndim(), where));
    if (std::count(order.begin(), order.end(), order.back()) > 1)
      detail::misuse("transpose", where, "repeated axis in transpose");
  }
  if (order.size() != shape().size())
    detail::misuse(
        "transpose", where,
        fmt::format("axes don't match array: {} axes for {} dimensions", order.size(), ndim()));
  const bool is_matrix_T = order.size() == 2 && order[0] == 1;
  return is_matrix_T ? T(where) : garray(detail::permute(operand(*this, where).node, order, where));
}

garray garray::copy(Where where) const {
  return garray(detail::make_copy(operand(*this, where).node, where));
}

// ---- in place ----

namespace {

rewriter::Array operator%(const rewriter::Array& a, const rewriter::Array& b) {
  return rewriter::mod(a, b);
}

}  // namespace

#define UPDATE(symbol, name)                                                                   \
  garray& garray::operator symbol##=(operand b)& {                                             \
    const detail::Lock lock;                                                                   \
    update(                                                                                    \
        name, node_, [](const rewriter::Array* x) { return x[0] symbol x[1]; }, std::move(b)); \
    return *this;                                                                              \
  }                                                                                            \
  garray& garray::operator symbol##=(operand b)&& {                                            \
    const detail::Lock lock;                                                                   \
    if (node_->is_leaf()) return *this symbol## = std::move(b);                                \
    const NodePtr to = node_;                                                                  \
    garray part(detail::copy_of(to));                                                          \
    part symbol## = std::move(b);                                                              \
    write(part);                                                                               \
    return *this;                                                                              \
  }
UPDATE(+, "add")
UPDATE(-, "subtract")
UPDATE(*, "multiply")
UPDATE(/, "divide")
UPDATE(%, "remainder")
#undef UPDATE

}  // namespace gnumpy

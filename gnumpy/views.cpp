#include "gnumpy/views.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gnumpy/build.hpp"
#include "gnumpy/errors.hpp"
#include "gnumpy/functions.hpp"
#include "gnumpy/materialize.hpp"
#include "gnumpy/pending.hpp"
#include "gnumpy/selection.hpp"

namespace gnumpy {

using detail::Node;
using detail::NodePtr;
using detail::Selection;

// ---- subscripts ----

namespace {

/// The numbers of the elements that are not 0. Without branches, which could not be foreseen.
std::vector<Index> true_ones(const std::vector<float>& truths) {
  const auto count = std::count_if(truths.begin(), truths.end(), [](float x) { return x != 0; });
  std::vector<Index> at(static_cast<std::size_t>(count) + 1);
  std::size_t found = 0;
  for (std::size_t k = 0; k < truths.size(); ++k) {
    at[found] = static_cast<Index>(k);
    found += truths[k] != 0 ? 1 : 0;
  }
  at.pop_back();
  return at;
}

}  // namespace

Subscript::Subscript(const std::vector<bool>& mask, At at) : where(at) {
  held = Mask{{std::ssize(mask)}, true_ones({mask.begin(), mask.end()})};
}

Subscript::Subscript(const garray_base& array, At at) : where(at) {
  const detail::Content content = array.node()->content();
  if (content == detail::Content::Truths) {
    if (detail::finds_places(array.size()))
      held = Mask{array.shape(), {}, detail::places_of(*operand(array, at).node, at)};
    else
      held = Mask{array.shape(), true_ones(array.to_vector<float>())};
    return;
  }
  if (content == detail::Content::SumsOfTruths)
    detail::misuse("getitem", at,
                   "a sum of booleans is not a mask; write | for a mask, or * 1.0 for indices");
  if (array.ndim() != 1)
    detail::misuse("getitem", at,
                   "an index array must be 1-D, or booleans; its shape is " + array.shape().str());
  std::vector<Index> numbers;
  for (const double index : array.to_vector()) {
    if (index != std::floor(index) || std::abs(index) > 0x1p53)
      detail::misuse("getitem", at, fmt::format("an index must be a whole number; got {}", index));
    numbers.push_back(static_cast<Index>(index));
  }
  held = std::move(numbers);
}

// ---- nodes ----

namespace {

NodePtr range_of(const Node& leaf, const Selection& selection, const Where& where) {
  return detail::make_leaf(leaf.storage, leaf.offset + selection.first(), selection.dims, where);
}

/// What a view of these elements holds.
NodePtr part_of(const NodePtr& of, Selection selection, const Where& where) {
  if (of->is_leaf() && selection.is_view()) return range_of(*of, selection, where);
  const NodePtr part = detail::make_node(Node::Kind::Part, selection.dims, of, where);
  part->selection = std::make_shared<Selection>(std::move(selection));
  return part;
}

/// What a value of these elements holds.
NodePtr picked_from(const NodePtr& leaf, Selection selection, const Where& where) {
  if (selection.is_view()) return detail::make_copy(range_of(*leaf, selection, where), where);
  const NodePtr node = detail::make_node(Node::Kind::Gather, selection.dims, leaf, where);
  node->selection = std::make_shared<Selection>(std::move(selection));
  return node;
}

/// Another reading of the view's elements.
NodePtr reshaped(const NodePtr& of, const Dims& asked, const Where& where) {
  Dims dims = detail::reshaped_dims(of->size, asked, where);
  if (of->is_leaf()) return detail::make_leaf(of->storage, of->offset, std::move(dims), where);
  return part_of(of, Selection{of->dims, {}, std::move(dims)}, where);
}

/// Writes a leaf of the part's shape.
void put(const NodePtr& part, const Node& value, const Where& where) {
  if (part->is_leaf()) return detail::assign(*part, value.storage, value.offset, where);
  const NodePtr& of = part->args[0];
  if (of->is_leaf()) return detail::write(*of, *part->selection, value, where);
  const NodePtr all = detail::copy_of(of);
  detail::write(*all, *part->selection, value, where);
  put(of, *all, where);
}

const NodePtr& array_of(const NodePtr& part) {
  return part->is_leaf() ? part : array_of(part->args[0]);
}

}  // namespace

NodePtr detail::value_of(const NodePtr& view) {
  const Lock lock;
  if (view->kind == Node::Kind::Gather) return snapshot_of(view);
  if (view->is_leaf() || !view->args[0]->is_leaf()) return make_copy(leaf_of(view), view->where);
  return picked_from(view->args[0], *view->selection, view->where);
}

void detail::write(const NodePtr& view, NodePtr value) {
  const Lock lock;
  if (view->size == 0 && value->dims == view->dims) return;
  value = stored(std::move(value));
  if (value->dims != view->dims) value = repeat("setitem", value, view->dims, view->where);
  if (view->size == 0) return;
  const NodePtr& array = array_of(view);
  value = leaf_of(value);
  if (overlaps(*value, *array)) value = copy_of(value);
  materialize_readers(array->storage, view->where);
  put(view, *value, view->where);
  note_written(*array, value->content());
}

// ---- garray ----

#define LEAF detail::leaf_of(node_)
garray_view garray::subscript(const std::vector<Subscript>& subscripts, Where where) & {
  const detail::Lock lock;
  Selection selection = detail::select(shape(), subscripts, where);
  materialize();
  return garray_view::part(node_, subscripts, std::move(selection), where);
}
garray garray::subscript(const std::vector<Subscript>& subscripts, Where where) const& {
  const detail::Lock lock;
  Selection selection = detail::select(shape(), subscripts, where);
  return garray(picked_from(LEAF, std::move(selection), where));
}
garray_view garray::reshape(Shape shape, Where where) & {
  materialize();
  return garray_view(reshaped(node_, shape, where));
}
garray garray::reshape(Shape shape, Where where) const& {
  return garray(detail::make_copy(reshaped(LEAF, shape, where), where));
}
garray garray::reshape(Shape shape, Where where) && {
  const detail::Lock lock;
  if (node_->kind == Node::Kind::Copy) materialize();  // or it would share the original's memory
  return detail::reshape(operand(std::move(*this), where).node, std::move(shape), where);
}

garray_view::garray_view(garray& array) : garray_base(array.materialize().node()) {}

garray_view garray_view::part(const NodePtr& of, const std::vector<Subscript>& subscripts,
                              Selection selection, const Where& where) {
  const detail::Lock lock;
  NodePtr place = part_of(of, std::move(selection), where);
  const bool is_slice = std::none_of(subscripts.begin(), subscripts.end(), [](const auto& each) {
    return std::holds_alternative<Mask>(each.held) ||
           std::holds_alternative<std::vector<Index>>(each.held);
  });
  if (is_slice) return garray_view(std::move(place));
  NodePtr value = detail::snapshot_of(place);
  detail::hold(value);
  return garray_view(std::move(value), std::move(place));
}

void garray_view::own() {
  if (!node_->is_leaf() && node_->kind != Node::Kind::Part) detail::materialize(node_);
  place_ = nullptr;
}

void garray_view::refer() {
  if (place_ == nullptr) return;
  check_not_lost();
  node_ = std::exchange(place_, nullptr);
}

void garray_view::check_not_lost() const {
  if (place_ == detail::nothing())
    detail::misuse(
        "setitem", node_->where,
        "the elements selected by a mask or an index list are a copy; a write to a part of them "
        "would be lost; give the selection a name, or write to the array with one subscript");
}

garray_view garray_view::subscript(const std::vector<Subscript>& subscripts, Where where) & {
  const detail::Lock lock;
  Selection selection = detail::select(shape(), subscripts, where);
  own();
  return part(node_, subscripts, std::move(selection), where);
}
garray_view garray_view::subscript(const std::vector<Subscript>& subscripts, Where where) && {
  const bool is_selection = place_ != nullptr;
  return lost_if(is_selection, subscript(subscripts, where));
}
garray_view garray_view::lost_if(bool is_selection, garray_view part) {
  return is_selection ? garray_view(part.node_, detail::nothing())
                      : garray_view(std::move(part.node_), std::move(part.place_));
}
garray garray_view::subscript(const std::vector<Subscript>& subscripts, Where where) const& {
  const detail::Lock lock;
  return garray(picked_from(LEAF, detail::select(shape(), subscripts, where), where));
}
garray_view garray_view::reshape(Shape shape, Where where) & {
  own();
  return garray_view(reshaped(node_, shape, where));
}
garray_view garray_view::reshape(Shape shape, Where where) && {
  const bool is_selection = place_ != nullptr;
  return lost_if(is_selection, reshape(std::move(shape), where));
}
garray garray_view::reshape(Shape shape, Where where) const& {
  return garray(detail::make_copy(reshaped(LEAF, shape, where), where));
}
#undef LEAF

// ---- other shapes ----

namespace {

Dims dims_2d(const garray_base& a, int row_axes, const Where& where) {
  if (row_axes < 0 || row_axes > a.ndim())
    detail::misuse("reshape_2d", where,
                   fmt::format("the rows can have 0 to {} axes; got {}", a.ndim(), row_axes));
  const Dims& dims = a.shape();
  return {detail::element_count({dims.begin(), dims.begin() + row_axes}, where),
          detail::element_count({dims.begin() + row_axes, dims.end()}, where)};
}

Dims squeezed_dims(const garray_base& a, const Axes& axes, const Where& where) {
  Dims dims = a.shape();
  const bool of_number = a.ndim() == 0 && axes.listed && axes.listed->size() == 1 &&
                         (axes.listed->at(0) == 0 || axes.listed->at(0) == -1);  // as NumPy has it
  if (!axes.listed || of_number) {
    std::erase(dims, 1);
    return dims;
  }
  const auto chosen = detail::normalize_axes("squeeze", axes, a.ndim(), where);
  for (const std::size_t axis : chosen)
    if (dims[axis] != 1)
      detail::misuse("squeeze", where,
                     fmt::format("cannot select axis {} of shape {} to squeeze out: its size is "
                                 "not one",
                                 axis, a.shape().str()));
  return detail::kept_dims(dims, chosen, {});
}

Dims expanded_dims(const garray_base& a, const Axes& axes, const Where& where) {
  if (!axes.listed) detail::misuse("expand_dims", where, "needs the positions of the new axes");
  const int ndim = a.ndim() + static_cast<int>(axes.listed->size());
  Dims dims = a.shape();
  for (const std::size_t axis : detail::normalize_axes("expand_dims", axes, ndim, where))
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  return dims;
}

}  // namespace

#define SHAPES(Result, Class, Of)                                                           \
  Result Class::reshape_2d(int row_axes, Where where) Of {                                  \
    return std::forward<Class Of>(*this).reshape(dims_2d(*this, row_axes, where), where);   \
  }                                                                                         \
  Result Class::ravel(Where where) Of {                                                     \
    return std::forward<Class Of>(*this).reshape({-1}, where);                              \
  }                                                                                         \
  Result Class::squeeze(const Axes& axes, Where where) Of {                                 \
    return std::forward<Class Of>(*this).reshape(squeezed_dims(*this, axes, where), where); \
  }                                                                                         \
  Result Class::expand_dims(const Axes& axes, Where where) Of {                             \
    return std::forward<Class Of>(*this).reshape(expanded_dims(*this, axes, where), where); \
  }
SHAPES(garray_view, garray, &)
SHAPES(garray, garray, const&)
SHAPES(garray_view, garray_view, &)
SHAPES(garray_view, garray_view, &&)
SHAPES(garray, garray_view, const&)
#undef SHAPES

#define ROWS(Class, A, Of)                                   \
  RowIterator<A> Class::begin() Of {                         \
    return (void)len(node_->where), RowIterator<A>{this, 0}; \
  }                                                          \
  RowIterator<A> Class::end() Of {                           \
    return {this, len(node_->where)};                        \
  }
ROWS(garray, garray, )
ROWS(garray, const garray, const)
ROWS(garray_view, garray_view, )
ROWS(garray_view, const garray_view, const)
#undef ROWS

garray reshape(const garray_base& a, Shape shape, Where where) {
  return garray(detail::make_copy(reshaped(detail::leaf_of(a.node()), shape, where), where));
}
garray reshape_2d(const garray_base& a, int row_axes, Where where) {
  return reshape(a, dims_2d(a, row_axes, where), where);
}
garray ravel(const garray_base& a, Where where) {
  return reshape(a, {-1}, where);
}
garray squeeze(const garray_base& a, const Axes& axes, Where where) {
  return reshape(a, squeezed_dims(a, axes, where), where);
}
garray expand_dims(const garray_base& a, const Axes& axes, Where where) {
  return reshape(a, expanded_dims(a, axes, where), where);
}

// ---- writing ----

garray_view::garray_view(const garray_view& other) : garray_base(other) {}

garray_view& garray_view::assign(const garray_base& value) {
  detail::write(node_, operand(value).node);
  return *this;
}
garray_view& garray_view::assign(garray&& value) {
  const detail::Lock lock;
  if (node_->is_leaf() && detail::materialize_into(value.node(), *node_))
    (void)std::move(value).release();
  else
    detail::write(node_, operand(value).node);
  return *this;
}

void swap(garray_view a, garray_view b) {
  if (a.shape() != b.shape())
    detail::misuse("swap", a.node_->where,
                   fmt::format("views of shapes {} and {} have no elements to exchange",
                               a.shape().str(), b.shape().str()));
  const garray of_a = a;
  std::move(a) = b;
  std::move(b) = of_a;
}

garray_view& garray_view::fill(double value) {
  const detail::Lock lock;
  if (node_->is_leaf()) {
    detail::materialize_readers(node_->storage, node_->where);
    detail::fill(*node_, value, node_->where);
    return *this;
  }
  const garray number = full(shape(), value, node_->where);
  if (value == 0 || value == 1) number.node()->storage->content = node_->content();
  detail::write(node_, number.node());
  return *this;
}

}  // namespace gnumpy

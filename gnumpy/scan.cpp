#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "gnumpy/build.hpp"
#include "gnumpy/errors.hpp"
#include "gnumpy/functions.hpp"
#include "gnumpy/materialize.hpp"
#include "gnumpy/number_check.hpp"
#include "gnumpy/pending.hpp"
#include "gnumpy/selection.hpp"
#include "gnumpy/trace.hpp"

namespace gnumpy {

using detail::Node;
using detail::NodePtr;

namespace {

/// The axes with `axis` at `place`, and the permutation that brings them back.
struct Order {
  std::vector<std::size_t> there, back;

  Order(std::size_t ndim, std::size_t axis, std::size_t place) : there(ndim), back(ndim) {
    std::iota(there.begin(), there.end(), std::size_t{0});
    there.erase(there.begin() + static_cast<std::ptrdiff_t>(axis));
    there.insert(there.begin() + static_cast<std::ptrdiff_t>(place), axis);
    for (std::size_t k = 0; k < ndim; ++k) back[there[k]] = k;
  }
  [[nodiscard]] bool is_another() const { return !std::is_sorted(there.begin(), there.end()); }
};

/// A Leaf with the array's elements in that order; its own if the order is that of the axes.
NodePtr turned(const garray_base& a, const Order& order, const Where& where) {
  const NodePtr leaf = operand(a, where).node;
  return order.is_another() ? detail::permute(leaf, order.there, where) : leaf;
}

garray turned_back(const NodePtr& leaf, const Order& order, const Where& where) {
  return garray(order.is_another() ? detail::permute(leaf, order.back, where) : leaf);
}

/// Sorts the columns of a matrix by columns: the fastest axis.
void sort_last(const Node& leaf, const Where& where) {
  if (leaf.size == 0) return;
  const detail::Lock lock;
  const Index count = leaf.dims.back();
  detail::engine().sort({leaf.storage->data(), leaf.offset, 0}, count, leaf.size / count);
  detail::ran(leaf, where, "t.sort(target=t)");
}

}  // namespace

// The engine sums along the rows of a matrix by columns: over the slowest of two axes.
garray cumsum(const garray_base& a, Axis axis, Where where) {
  const bool of_number = a.ndim() == 0 && (axis == 0 || axis == -1);  // as NumPy takes it
  if (!axis || of_number) return cumsum(ravel(a, where), 0, where);
  const std::size_t along = detail::normalize_axis("cumsum", *axis, a.ndim(), where);
  const Order order(a.shape().size(), along, 0);
  const NodePtr from = turned(a, order, where);
  const NodePtr to = detail::make_empty(from->dims, where);
  if (a.size() > 0) {
    const detail::Lock lock;
    const Index count = a.shape()[along];
    detail::engine().cumsum({from->storage->data(), from->offset, 0}, {to->storage->data(), 0, 0},
                            a.size() / count, count);
    detail::ran(*to, where, "x.cumsum(target=t)");
    if (detail::checks_numbers())
      detail::check_numbers("cumsum", to->storage->data(), 0, to->size, where);
  }
  return turned_back(to, order, where);
}

garray sort(const garray_base& a, int axis, Where where) {
  const std::size_t along = detail::normalize_axis("sort", axis, a.ndim(), where);
  const Order order(a.shape().size(), along, a.shape().size() - 1);
  const NodePtr leaf = order.is_another() ? turned(a, order, where)
                                          : detail::make_copy(operand(a, where).node, where);
  detail::materialize(leaf);
  sort_last(*leaf, where);
  return turned_back(leaf, order, where);
}

void garray::sort(int axis, Where where) {
  materialize();
  garray_view(*this).sort(axis, where);
}

void garray_view::sort(int axis, Where where) && {
  if (place_ != nullptr) place_ = detail::nothing();
  check_not_lost();
  sort(axis, where);
}

void garray_view::sort(int axis, Where where) & {
  const detail::Lock lock;
  own();
  const bool is_last = detail::normalize_axis("sort", axis, ndim(), where) + 1 == shape().size();
  if (is_last && node_->is_leaf()) {
    detail::materialize_readers(node_->storage, where);
    sort_last(*node_, where);
  } else {
    *this = gnumpy::sort(*this, axis, where);
  }
}

namespace {

/// The places of `count` numbers in ascending order, NaNs last, equal ones as they stand.
template <class T>
void put_places(const T* numbers, Index count, double* places) {
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  const auto is_number = [&](Index k) { return numbers[k] == numbers[k]; };
  const auto nans = std::stable_partition(order.begin(), order.end(), is_number);
  std::stable_sort(order.begin(), nans, [&](Index k, Index l) { return numbers[k] < numbers[l]; });
  std::copy(order.begin(), order.end(), places);
}

template <class T>
std::vector<double> places_in_rows(const garray& rows, Index count) {
  const std::vector<T> elements = rows.to_vector<T>();
  std::vector<double> places(elements.size());
  for (std::size_t at = 0; at < elements.size(); at += static_cast<std::size_t>(count))
    put_places(elements.data() + at, count, places.data() + at);
  return places;
}

}  // namespace

garray argsort(const garray_base& a, Axis axis, Where where) {
  if (!axis || a.ndim() == 0) {
    if (axis && a.ndim() == 0 && *axis != 0 && *axis != -1)
      detail::normalize_axis("argsort", *axis, 0, where);
    return argsort(ravel(a, where), 0, where);
  }
  const std::size_t along = detail::normalize_axis("argsort", *axis, a.ndim(), where);
  const Index count = a.shape()[along];
  detail::check_positions("argsort", count, where);
  const Order order(a.shape().size(), along, a.shape().size() - 1);
  const garray rows(turned(a, order, where));
  const bool wide = detail::engine().bytes_per_element() > static_cast<int>(sizeof(double));
  const std::vector<double> places =
      wide ? places_in_rows<long double>(rows, count) : places_in_rows<double>(rows, count);
  const garray made(places, rows.shape(), where);
  return turned_back(made.node(), order, where);
}

}  // namespace gnumpy

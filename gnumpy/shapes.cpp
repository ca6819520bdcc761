#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "gnumpy/build.hpp"
#include "gnumpy/functions.hpp"
#include "gnumpy/say.hpp"

namespace gnumpy {

namespace {

/// The places of a list of axes in their order; refuses one that is there twice.
std::vector<std::size_t> places(const char* op, const char* what, const Axes& axes, int ndim,
                                const Where& where) {
  std::vector<std::size_t> result;
  if (axes.are_all()) detail::misuse(op, where, fmt::format("needs {}", what));
  for (const int axis : axes.list()) {
    result.push_back(detail::normalize_axis(op, axis, ndim, where));
    if (std::count(result.begin(), result.end(), result.back()) > 1)
      detail::misuse(op, where, fmt::format("repeated axis in {}", what));
  }
  return result;
}

garray permuted(const garray& a, const std::vector<std::size_t>& order, const Where& where) {
  return a.transpose(std::vector<int>(order.begin(), order.end()), where);
}

}  // namespace

// ---- the same elements ----

garray squeeze(const garray& a, const Axes& axes, Where where) {
  Dims dims = a.shape();
  if (axes.are_all()) {
    std::erase(dims, 1);
    return a.reshape(dims, where);
  }
  if (a.ndim() == 0 && axes.list().size() == 1 && (axes.list()[0] == 0 || axes.list()[0] == -1))
    return a.reshape(dims, where);  // as NumPy takes them
  std::vector<std::size_t> dropped = places("squeeze", "axes", axes, a.ndim(), where);
  std::sort(dropped.rbegin(), dropped.rend());
  for (const std::size_t axis : dropped) {
    if (dims[axis] != 1)
      detail::misuse("squeeze", where,
                     fmt::format("cannot select axis {} of shape {} to squeeze out: its size is "
                                 "not one",
                                 axis, detail::to_string(a.shape())));
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  return a.reshape(dims, where);
}

garray expand_dims(const garray& a, const Axes& axes, Where where) {
  const int ndim = a.ndim() + (axes.are_all() ? 0 : static_cast<int>(axes.list().size()));
  std::vector<std::size_t> added = places("expand_dims", "axes", axes, ndim, where);
  std::sort(added.begin(), added.end());
  Dims dims = a.shape();
  for (const std::size_t axis : added)
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  return a.reshape(dims, where);
}

// ---- axes in another order ----

garray swapaxes(const garray& a, int axis1, int axis2, Where where) {
  std::vector<std::size_t> order(a.shape().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::swap(order[detail::normalize_axis("swapaxes", axis1, a.ndim(), where)],
            order[detail::normalize_axis("swapaxes", axis2, a.ndim(), where)]);
  return permuted(a, order, where);
}

garray moveaxis(const garray& a, const Axes& source, const Axes& destination, Where where) {
  const auto from = places("moveaxis", "source", source, a.ndim(), where);
  const auto to = places("moveaxis", "destination", destination, a.ndim(), where);
  if (from.size() != to.size())
    detail::misuse("moveaxis", where,
                   fmt::format("source has {} axes, destination {}", from.size(), to.size()));
  std::vector<std::size_t> order, by_place(from.size());
  for (std::size_t axis = 0; axis < a.shape().size(); ++axis)
    if (std::find(from.begin(), from.end(), axis) == from.end()) order.push_back(axis);
  std::iota(by_place.begin(), by_place.end(), std::size_t{0});
  std::sort(by_place.begin(), by_place.end(),
            [&](std::size_t k, std::size_t l) { return to[k] < to[l]; });
  for (const std::size_t k : by_place)
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(to[k]), from[k]);
  return permuted(a, order, where);
}

// ---- parts ----

garray take(const garray& a, const garray& indices, std::optional<int> axis, Where where) {
  std::vector<Index> numbers;
  for (const double index : indices.to_vector()) {
    if (index != std::floor(index) || std::abs(index) > 0x1p53)
      detail::misuse("take", where, fmt::format("an index must be a whole number; got {}", index));
    numbers.push_back(static_cast<Index>(index));
  }
  const garray taken = take(a, numbers, axis, where);
  const std::size_t along =
      axis ? detail::normalize_axis("take", *axis, a.ndim(), where) : std::size_t{0};
  Dims dims = taken.shape();
  const auto at = dims.begin() + static_cast<std::ptrdiff_t>(along);
  dims.insert(dims.erase(at), indices.shape().begin(), indices.shape().end());
  return taken.reshape(dims, where);
}

garray take(const garray& a, const std::vector<Index>& indices, std::optional<int> axis,
            Where where) {
  if (!axis) return take(a.ravel(where), indices, 0, where);
  const std::size_t along = detail::normalize_axis("take", *axis, a.ndim(), where);
  const Index extent = a.shape()[along];
  for (const Index index : indices)
    if (index < -extent || index >= extent)
      detail::misuse(
          "take", where,
          fmt::format("index {} is out of bounds for axis {} with size {}", index, along, extent));
  std::vector<Subscript> subscripts(along, Subscript(slice(), where));
  subscripts.emplace_back(indices, where);
  return a.subscript(subscripts, where);
}

// With the two axes last and read as one, it is every (columns + 1)th element of that.
garray diagonal(const garray& a, Index offset, int axis1, int axis2, Where where) {
  constexpr const char* kOp = "diagonal";
  if (a.ndim() < 2)
    detail::misuse(kOp, where,
                   fmt::format("wants an array of at least two dimensions; the shape is {}",
                               detail::to_string(a.shape())));
  const std::size_t first = detail::normalize_axis(kOp, axis1, a.ndim(), where);
  const std::size_t second = detail::normalize_axis(kOp, axis2, a.ndim(), where);
  if (first == second) detail::misuse(kOp, where, "axis1 and axis2 cannot be the same");
  std::vector<std::size_t> order;
  for (std::size_t axis = 0; axis < a.shape().size(); ++axis)
    if (axis != first && axis != second) order.push_back(axis);
  Dims dims;
  for (const std::size_t axis : order) dims.push_back(a.shape()[axis]);
  order.insert(order.end(), {first, second});
  const Index rows = a.shape()[first], cols = a.shape()[second];
  const bool is_inside = offset < cols && offset > -rows;
  const Index count =
      is_inside ? std::min(rows + std::min<Index>(offset, 0), cols - std::max<Index>(offset, 0))
                : 0;
  if (count <= 0) {
    dims.push_back(0);
    return empty(dims, where);
  }
  dims.push_back(rows * cols);
  const bool is_in_order = std::is_sorted(order.begin(), order.end());
  const garray matrices =
      is_in_order ? a.reshape(dims, where) : permuted(a, order, where).reshape(dims, where);
  const Index start = offset > 0 ? offset : -offset * cols;
  const Subscript every(slice(start, start + (count - 1) * (cols + 1) + 1, cols + 1), where);
  return matrices.subscript({Subscript(ellipsis, where), every}, where);
}

garray trace(const garray& a, Index offset, int axis1, int axis2, Where where) {
  return diagonal(a, offset, axis1, axis2, where).sum(-1, {}, where);
}

garray diagflat(const garray& a, Index offset, Where where) {
  constexpr Index kMost = Index{1} << 31;  // a square of it is no size of an array
  if (offset > kMost || offset < -kMost)
    detail::misuse("diagflat", where, fmt::format("the offset {} is too large", offset));
  const Index size = a.size(), away = std::abs(offset), n = size + away;
  garray result = zeros({n, n}, where);
  if (size == 0) return result;
  const Index start = offset > 0 ? offset : away * n;
  const Subscript every(slice(start, start + (size - 1) * (n + 1) + 1, n + 1), where);
  result.ravel(where)(every) = a.ravel(where);
  return result;
}

garray diag(const garray& a, Index offset, Where where) {
  if (a.ndim() == 1) return diagflat(a, offset, where);
  if (a.ndim() == 2) return diagonal(a, offset, 0, 1, where);
  detail::misuse(
      "diag", where,
      fmt::format("wants a 1-D or a 2-D array; the shape is {}", detail::to_string(a.shape())));
}

// ---- joined ----

garray concatenate(const std::vector<garray>& parts, int axis, Where where) {
  constexpr const char* kOp = "concatenate";
  if (parts.empty()) detail::misuse(kOp, where, "need at least one array to concatenate");
  Dims dims = parts[0].shape();
  if (dims.empty()) detail::misuse(kOp, where, "zero-dimensional arrays cannot be concatenated");
  const std::size_t along = detail::normalize_axis(kOp, axis, parts[0].ndim(), where);
  dims[along] = 0;
  for (const garray& part : parts) {
    Dims other = part.shape();
    if (other.size() == dims.size()) {
      dims[along] += other[along];
      other[along] = dims[along];
    }
    if (other != dims)
      detail::misuse(
          kOp, where,
          fmt::format("shapes {} and {} differ outside of axis {}",
                      detail::to_string(parts[0].shape()), detail::to_string(part.shape()), along));
  }
  garray result = empty(dims, where);
  Index at = 0;
  for (const garray& part : parts) {
    std::vector<Subscript> place(along, Subscript(slice(), where));
    place.emplace_back(slice(at, at + part.shape()[along]), where);
    result.subscript(place, where) = part;
    at += part.shape()[along];
  }
  return result;
}

garray stack(const std::vector<garray>& parts, int axis, Where where) {
  if (parts.empty()) detail::misuse("stack", where, "need at least one array to stack");
  std::vector<garray> with_axis;
  for (const garray& part : parts) {
    if (part.shape() != parts[0].shape())
      detail::misuse(
          "stack", where,
          fmt::format("all input arrays must have the same shape; got {} and {}",
                      detail::to_string(parts[0].shape()), detail::to_string(part.shape())));
    with_axis.push_back(expand_dims(part, axis, where));
  }
  return concatenate(with_axis, axis, where);
}

namespace {

/// The parts, those with too few axes in another shape.
template <class NewShape>
std::vector<garray> reshaped(const std::vector<garray>& parts, const NewShape& shape_of,
                             const Where& where) {
  std::vector<garray> result;
  for (const garray& part : parts) result.push_back(part.reshape(shape_of(part.shape()), where));
  return result;
}

}  // namespace

garray vstack(const std::vector<garray>& parts, Where where) {
  const auto as_rows = [](const Dims& dims) { return dims.size() < 2 ? Dims{1, -1} : dims; };
  return concatenate(reshaped(parts, as_rows, where), 0, where);
}

garray hstack(const std::vector<garray>& parts, Where where) {
  const auto with_axes = [](const Dims& dims) { return dims.empty() ? Dims{1} : dims; };
  const bool flat = !parts.empty() && parts[0].ndim() < 2;
  return concatenate(reshaped(parts, with_axes, where), flat ? 0 : 1, where);
}

garray dstack(const std::vector<garray>& parts, Where where) {
  const auto deep = [](const Dims& dims) {
    if (dims.size() < 2) return Dims{1, dims.empty() ? 1 : dims[0], 1};
    return dims.size() == 2 ? Dims{dims[0], dims[1], 1} : dims;
  };
  return concatenate(reshaped(parts, deep, where), 2, where);
}

garray column_stack(const std::vector<garray>& parts, Where where) {
  const auto as_columns = [](const Dims& dims) {
    return dims.size() < 2 ? Dims{dims.empty() ? 1 : dims[0], 1} : dims;
  };
  return concatenate(reshaped(parts, as_columns, where), 1, where);
}

// ---- methods ----

garray garray::flatten(Where where) const {
  return copy(where).reshape({-1}, where);
}
garray garray::squeeze(const Axes& axes, Where where) const {
  return gnumpy::squeeze(*this, axes, where);
}
garray garray::expand_dims(const Axes& axes, Where where) const {
  return gnumpy::expand_dims(*this, axes, where);
}
garray garray::swapaxes(int axis1, int axis2, Where where) const {
  return gnumpy::swapaxes(*this, axis1, axis2, where);
}
garray garray::moveaxis(const Axes& source, const Axes& destination, Where where) const {
  return gnumpy::moveaxis(*this, source, destination, where);
}
garray garray::take(const garray& indices, std::optional<int> axis, Where where) const {
  return gnumpy::take(*this, indices, axis, where);
}
garray garray::take(const std::vector<Index>& indices, std::optional<int> axis, Where where) const {
  return gnumpy::take(*this, indices, axis, where);
}
garray garray::diagonal(Index offset, int axis1, int axis2, Where where) const {
  return gnumpy::diagonal(*this, offset, axis1, axis2, where);
}
garray garray::trace(Index offset, int axis1, int axis2, Where where) const {
  return gnumpy::trace(*this, offset, axis1, axis2, where);
}
garray garray::diagflat(Index offset, Where where) const {
  return gnumpy::diagflat(*this, offset, where);
}
garray garray::diag(Index offset, Where where) const {
  return gnumpy::diag(*this, offset, where);
}

}  // namespace gnumpy

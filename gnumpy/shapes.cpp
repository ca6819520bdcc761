#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "gnumpy/build.hpp"
#include "gnumpy/errors.hpp"
#include "gnumpy/functions.hpp"

namespace gnumpy {

namespace {

/// The places of a list of axes in their order; raises an error for one that is there twice.
std::vector<std::size_t> places(const char* op, const char* what, const Axes& axes, int ndim,
                                const Where& where) {
  std::vector<std::size_t> result;
  if (!axes.listed) detail::misuse(op, where, fmt::format("needs {}", what));
  for (const int axis : *axes.listed) {
    result.push_back(detail::normalize_axis(op, axis, ndim, where));
    if (std::count(result.begin(), result.end(), result.back()) > 1)
      detail::misuse(op, where, fmt::format("repeated axis in {}", what));
  }
  return result;
}

garray permuted(const garray_base& a, const std::vector<std::size_t>& order, const Where& where) {
  return a.transpose(std::vector<int>(order.begin(), order.end()), where);
}

}  // namespace

// ---- axes in another order ----

garray swapaxes(const garray_base& a, int first, int second, Where where) {
  std::vector<int> axes(a.shape().size());
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[detail::normalize_axis("swapaxes", first, a.ndim(), where)],
            axes[detail::normalize_axis("swapaxes", second, a.ndim(), where)]);
  return a.transpose(std::move(axes), where);
}

garray moveaxis(const garray_base& a, const Axes& source, const Axes& destination, Where where) {
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

garray take(const garray_base& a, const garray_base& indices, Axis axis, Where where) {
  if (indices.node()->content() != detail::Content::Numbers)
    detail::misuse("take", where, "booleans are not indices; write a[mask]");
  std::vector<Index> numbers;
  for (const double index : indices.to_vector()) {
    if (index != std::floor(index) || std::abs(index) > 0x1p53)
      detail::misuse("take", where, fmt::format("an index must be a whole number; got {}", index));
    numbers.push_back(static_cast<Index>(index));
  }
  garray taken = take(a, numbers, axis, where);
  const std::size_t along =
      axis ? detail::normalize_axis("take", *axis, a.ndim(), where) : std::size_t{0};
  Dims dims = taken.shape();
  const auto at = dims.begin() + static_cast<std::ptrdiff_t>(along);
  dims.insert(dims.erase(at), indices.shape().begin(), indices.shape().end());
  return std::move(taken).reshape(dims, where);
}

garray take(const garray_base& a, const std::vector<Index>& indices, Axis axis, Where where) {
  if (!axis) return take(ravel(a, where), indices, 0, where);
  const std::size_t along = detail::normalize_axis("take", *axis, a.ndim(), where);
  const Index extent = a.shape()[along];
  for (const Index index : indices)
    if (index < -extent || index >= extent)
      detail::misuse(
          "take", where,
          fmt::format("index {} is out of bounds for axis {} with size {}", index, along, extent));
  std::vector<Subscript> subscripts(along, Subscript(slice(), where));
  subscripts.emplace_back(indices, where);
  return reshape(a, a.shape(), where).subscript(subscripts, where);
}

// With the two axes last and read as one, it is every (columns + 1)th element of that.
garray diagonal(const garray_base& a, Index offset, int axis1, int axis2, Where where) {
  constexpr const char* kOp = "diagonal";
  if (a.ndim() < 2)
    detail::misuse(kOp, where,
                   fmt::format("expects an array of at least two dimensions; the shape is {}",
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
    return detail::same_kind(empty(dims, where), a);
  }
  dims.push_back(rows * cols);
  const bool is_in_order = std::is_sorted(order.begin(), order.end());
  const garray matrices =
      is_in_order ? reshape(a, dims, where) : permuted(a, order, where).reshape(dims, where);
  const Index start = offset > 0 ? offset : -offset * cols;
  const Subscript every(slice(start, start + (count - 1) * (cols + 1) + 1, cols + 1), where);
  return matrices.subscript({Subscript(ellipsis, where), every}, where);
}

garray trace(const garray_base& a, Index offset, int axis1, int axis2, Where where) {
  return diagonal(a, offset, axis1, axis2, where).sum(-1, {}, where);
}

garray diagflat(const garray_base& a, Index offset, Where where) {
  constexpr Index kMost = Index{1} << 31;  // a square of it is not the size of any array
  if (offset > kMost || offset < -kMost)
    detail::misuse("diagflat", where, fmt::format("the offset {} is too large", offset));
  const Index size = a.size(), away = std::abs(offset), n = size + away;
  garray result = detail::same_kind(zeros({n, n}, where), a);
  if (size == 0) return result;
  const Index start = offset > 0 ? offset : away * n;
  const Subscript every(slice(start, start + (size - 1) * (n + 1) + 1, n + 1), where);
  result.ravel(where)(every) = ravel(a, where);
  return result;
}

garray diag(const garray_base& a, Index offset, Where where) {
  if (a.ndim() == 1) return diagflat(a, offset, where);
  if (a.ndim() == 2) return diagonal(a, offset, 0, 1, where);
  detail::misuse(
      "diag", where,
      fmt::format("expects a 1-D or a 2-D array; the shape is {}", detail::to_string(a.shape())));
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
          fmt::format("shapes {} and {} differ in an axis other than {}",
                      detail::to_string(parts[0].shape()), detail::to_string(part.shape()), along));
  }
  garray result = empty(dims, where);
  const bool are_truths = std::all_of(parts.begin(), parts.end(), [](const garray& part) {
    return part.node()->content() == detail::Content::Truths;
  });
  if (are_truths) result.node()->storage->content = detail::Content::Truths;
  Index at = 0;
  for (const garray& part : parts) {
    std::vector<Subscript> place(along, Subscript(slice(), where));
    place.emplace_back(slice(at, at + part.shape()[along]), where);
    result.subscript(place, where) = part;
    at += part.shape()[along];
  }
  return result;
}

namespace {

/// Of each part, f(part), a view of it with more axes.
template <class F>
std::vector<garray> with_axes(std::string_view op, const std::vector<garray>& parts,
                              const Where& where, const F& f) {
  if (parts.empty()) detail::misuse(op, where, "need at least one array to concatenate");
  std::vector<garray> result;
  for (const garray& part : parts) result.push_back(f(part));
  return result;
}

}  // namespace

garray stack(const std::vector<garray>& parts, int axis, Where where) {
  if (parts.empty()) detail::misuse("stack", where, "need at least one array to stack");
  for (const garray& part : parts)
    if (part.shape() != parts[0].shape())
      detail::misuse("stack", where,
                     fmt::format("all input arrays must have the same shape; got {} and {}",
                                 parts[0].shape().str(), part.shape().str()));
  return concatenate(with_axes("stack", parts, where,
                               [&](const garray& a) { return expand_dims(a, axis, where); }),
                     axis, where);
}

garray vstack(const std::vector<garray>& parts, Where where) {
  const auto rows = [&](const garray& a) { return a.ndim() < 2 ? reshape(a, {1, -1}, where) : a; };
  return concatenate(with_axes("vstack", parts, where, rows), 0, where);
}

garray hstack(const std::vector<garray>& parts, Where where) {
  const auto apart = with_axes("hstack", parts, where, [&](const garray& a) {
    return a.ndim() == 0 ? reshape(a, 1, where) : a;
  });
  return concatenate(apart, apart[0].ndim() == 1 ? 0 : 1, where);
}

garray dstack(const std::vector<garray>& parts, Where where) {
  const auto deep = [&](const garray& a) {
    if (a.ndim() > 2) return a;
    if (a.ndim() == 2) return expand_dims(a, 2, where);
    return reshape(a, {1, a.size(), 1}, where);
  };
  return concatenate(with_axes("dstack", parts, where, deep), 2, where);
}

garray column_stack(const std::vector<garray>& parts, Where where) {
  const auto columns = [&](const garray& a) {
    return a.ndim() < 2 ? reshape(a, {a.size(), 1}, where) : a;
  };
  return concatenate(with_axes("column_stack", parts, where, columns), 1, where);
}

// Each axis becomes two, (repetitions, extent), of which the first is broadcast.
garray tile(const garray_base& a, Shape reps, Where where) {
  Dims extents = a.shape();
  Dims& times = reps;
  extents.insert(extents.begin(), times.size() > extents.size() ? times.size() - extents.size() : 0,
                 1);
  times.insert(times.begin(), extents.size() - times.size(), 1);
  Dims apart, repeated, together;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    apart.insert(apart.end(), {1, extents[i]});
    repeated.insert(repeated.end(), {times[i], extents[i]});
    together.push_back(times[i] * extents[i]);
  }
  const detail::NodePtr source = operand(reshape(a, apart, where), where).node;
  return detail::reshape(detail::repeat("tile", source, repeated, where), together, where);
}

}  // namespace gnumpy

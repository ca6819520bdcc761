// Symbolic arrays: reductions and products.
#include <algorithm>
#include <numeric>
#include <variant>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/stacks.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {
namespace {

using cudamat::Family;
using cudamat::numpy_name;
using detail::make_node;
using detail::promote;
using detail::to_array;

bool is_index(Op op) {
  return cudamat::row(op).family == Family::ArgReduction;
}

DType reduced_type(Op op, DType operand) {
  const cudamat::OpRow& row = cudamat::row(op);
  if (row.has(cudamat::kIndex)) return DType::Int;
  if (row.has(cudamat::kTruth)) return DType::Bool;
  if (row.has(cudamat::kSame)) return operand;
  return row.has(cudamat::kSums) ? detail::sum_type(operand) : DType::Float;
}

/// -1 for all elements, else an axis of the operand. NumPy takes axis 0 and -1 of a 0-d array in
/// its ufuncs' reductions, not in mean and var.
int reduced_axis(std::string_view op, const Array& a, std::optional<int> axis, bool scalar_axis) {
  if (!axis) return -1;
  if (a.ndim() == 0 && scalar_axis && (*axis == 0 || *axis == -1)) return -1;
  return detail::normalize_axis(op, *axis, a.ndim());
}

Dims reduced_dims(const Dims& dims, int axis, bool keepdims) {
  if (axis < 0) return keepdims ? Dims(dims.size(), 1) : Dims{};
  Dims result = dims;
  const auto at = result.begin() + axis;
  if (keepdims)
    *at = 1;
  else
    result.erase(at);
  return result;
}

void refuse_empty(Op op, const Array& a, int axis) {
  const Index count = axis < 0 ? a.size() : a.shape(axis);
  if (count > 0 || !cudamat::row(op).has(cudamat::kNoEmpty)) return;
  if (is_index(op))
    misuse(Exception::ValueError, numpy_name(op),
           "attempt to get {} of an empty sequence; the shape is {}", numpy_name(op),
           to_string(a.shape()));
  misuse(Exception::ValueError, numpy_name(op),
         "zero-size array to reduction operation {} which has no identity; the shape is {}",
         op == Op::max ? "maximum" : "minimum", to_string(a.shape()));
}

Array moment(Kind kind, std::string_view op, const Array& a, std::optional<int> axis, bool keepdims,
             double ddof) {
  const int over = reduced_axis(op, a, axis, false);
  auto node =
      make_node(op, kind, DType::Float, reduced_dims(a.shape(), over, keepdims), {a.node()});
  node->axis = over;
  node->keepdims = keepdims;
  node->number = ddof;
  return to_array(std::move(node));
}

/// Of one to any number of dimensions; b of one or two.
Array product(std::string_view op, const Array& a, const Array& b) {
  const int inner_of_b = std::max(b.ndim() - 2, 0);
  if (a.shape(-1) != b.shape(inner_of_b))
    misuse(Exception::ValueError, op, "shapes {} and {} not aligned: {} (dim {}) != {} (dim {})",
           to_string(a.shape()), to_string(b.shape()), a.shape(-1), a.ndim() - 1,
           b.shape(inner_of_b), inner_of_b);
  Dims dims(a.shape().begin(), a.shape().end() - 1);
  if (b.ndim() == 2) dims.push_back(b.shape(1));
  const DType dtype = promote(a.dtype(), b.dtype());
  const auto plain = [&dims, op](const Array& x, const Array& y, DType made) {
    return to_array(make_node(op, Kind::Dot, made, dims, {x.node(), y.node()}));
  };
  if (is_narrow(dtype))
    return detail::wrapped_products(
        a, b, dtype, [&](const Array& x, const Array& y) { return plain(x, y, DType::Int); });
  const Array result = plain(a, b, promote(DType::Int, dtype));
  return dtype == DType::Bool ? detail::truth(result) : detail::whole_product(result, a, b);
}

/// One product for each pair of matrices.
Array products(const Array& a, const Array& b) {
  const bool is_row = a.ndim() == 1;
  const Array left = is_row ? a.reshape({1, -1}) : a;
  const Dims batch =
      detail::broadcast_or_refuse("matmul", detail::batch_of(left), detail::batch_of(b));
  const detail::Stack x(left, batch), y(b, batch);
  const Index rows = left.shape(-2), cols = b.shape(-1);
  const Array made = detail::stacked(
      batch, {rows, cols}, [&](const Range& at) { return product("matmul", x(at), y(at)); });
  const Dims row = detail::joined(batch, {cols});
  if (npmat::element_count(batch) == 0)
    return full(is_row ? row : made.shape(), 0, promote(a.dtype(), b.dtype()));
  return is_row ? made.reshape(row) : made;
}

/// Windows of one axis of an array, each of `width` elements from each place on.
struct Windows {
  Array of;
  int axis;
  Index width;
};

/// What the array's last axis, or that after the axis of the places, holds, if it is that: the
/// elements taken at the places 0, 1, ..., 1, 2, ..., and so on.
std::optional<Windows> windows_of(const Array& a, int axis) {
  const Node* node = a.node().get();
  if (node->kind == Kind::Transpose && axis == a.ndim() - 1 && !node->axes.empty() &&
      std::is_sorted(node->axes.begin(), node->axes.end() - 1)) {
    axis = node->axes.back();
    node = node->args[0].get();
  }
  if (axis < 1 || node->kind != Kind::Reshape || node->by_columns) return std::nullopt;
  const Node& taken = *node->args[0];
  if (taken.kind != Kind::Take || taken.axis != axis - 1) return std::nullopt;
  const Node& places = *taken.args[1];
  const auto at = static_cast<std::size_t>(axis);
  const Index count = node->dims[at - 1], width = node->dims[at];
  Dims merged = node->dims;
  merged.erase(merged.begin() + axis);
  merged[at - 1] = count * width;
  if (places.kind != Kind::Constant || merged != taken.dims ||
      taken.args[0]->dims[at - 1] != count + width - 1)
    return std::nullopt;
  const auto are_windows = [&](const auto& numbers) {
    for (Index i = 0; i < places.size(); ++i)
      if (numbers.data[static_cast<std::size_t>(i)] != i / width + i % width) return false;
    return true;
  };
  if (!std::visit(are_windows, *places.data)) return std::nullopt;
  return Windows{Array(taken.args[0]), axis - 1, width};
}

/// Of windows of 1, 2, 4, ... elements, each from two of the ones before.
Array extremes(Op op, const Windows& windows) {
  Array result = windows.of;
  for (Index covered = 1; covered < windows.width;) {
    const Index step = std::min(covered, windows.width - covered);
    std::vector<Range> first;
    for (const Index extent : result.shape()) first.push_back({0, extent});
    std::vector<Range> second = first;
    first[static_cast<std::size_t>(windows.axis)].stop -= step;
    second[static_cast<std::size_t>(windows.axis)].start += step;
    const Array a = result.slice(first), b = result.slice(second);
    result = op == Op::max ? maximum(a, b) : minimum(a, b);
    covered += step;
  }
  return result;
}

}  // namespace

Array reduce(Op op, const Array& a, std::optional<int> axis, bool keepdims) {
  if (cudamat::row(op).family != Family::Reduction && !is_index(op))
    throw cudamat::InternalError(fmt::format("reduce with {}", cudamat::name(op)));
  const std::string_view name = numpy_name(op);
  const int over = reduced_axis(name, a, axis, op != Op::mean);
  refuse_empty(op, a, over);
  if (op == Op::max || op == Op::min)
    if (const auto windows = windows_of(a, over)) {
      const Array result = extremes(op, *windows);
      return keepdims ? result.reshape(reduced_dims(a.shape(), over, true)) : result;
    }
  auto node = make_node(name, Kind::Reduce, reduced_type(op, a.dtype()),
                        reduced_dims(a.shape(), over, keepdims), {a.node()});
  node->op = op;
  node->axis = over;
  node->keepdims = keepdims;
  const Array result = to_array(std::move(node));
  return op == Op::prod ? detail::whole_product(result, a, a) : result;
}

Array reduce_over(Op op, const Array& a, std::vector<int> axes, bool keepdims) {
  const std::string_view name = numpy_name(op);
  for (int& axis : axes) axis = detail::normalize_axis(name, axis, a.ndim());
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
    misuse(Exception::ValueError, name, "duplicate value in 'axis'");
  if (axes.empty()) return a.copy();
  if (std::ssize(axes) == a.ndim()) return reduce(op, a, {}, keepdims);
  const bool is_apart = axes.back() - axes.front() + 1 != std::ssize(axes);
  Array result = a;
  double count = 1;  // of a mean over several groups, which is a sum, divided once
  Dims kept = a.shape();
  for (auto last = axes.end(); last != axes.begin();) {
    auto first = last - 1;
    while (first != axes.begin() && *(first - 1) + 1 == *first) --first;
    Dims joined = result.shape();
    const auto at = joined.begin() + *first;
    for (auto axis = first + 1; axis != last; ++axis)
      *at *= joined[static_cast<std::size_t>(*axis)];
    joined.erase(at + 1, at + (last - first));
    if (joined != result.shape()) result = result.reshape(joined);
    count *= static_cast<double>(result.shape(*first));
    result = reduce(op == Op::mean && is_apart ? Op::sum : op, result, *first);
    for (auto axis = first; axis != last; ++axis) kept[static_cast<std::size_t>(*axis)] = 1;
    last = first;
  }
  if (op == Op::mean && is_apart) result = result / count;
  return keepdims ? result.reshape(std::move(kept)) : result;
}

Array cumsum(const Array& a, int axis) {
  axis = detail::normalize_axis("cumsum", axis, a.ndim());
  if (a.ndim() > 2 || axis + 1 < a.ndim()) {
    std::vector<int> axes(a.shape().size());
    std::iota(axes.begin(), axes.end(), 0);
    std::swap(axes[static_cast<std::size_t>(axis)], axes.back());
    const Array turned = a.transpose(axes);
    const Array rows = a.ndim() > 2 ? turned.reshape({-1, turned.shape(-1)}) : turned;
    return cumsum(rows, 1).reshape(turned.shape()).transpose(axes);
  }
  auto node =
      make_node("cumsum", Kind::Scan, reduced_type(Op::sum, a.dtype()), a.shape(), {a.node()});
  node->op = Op::cumsum;
  return to_array(std::move(node));
}

Array variance(const Array& a, std::optional<int> axis, bool keepdims, double ddof) {
  return moment(Kind::Variance, "var", a, axis, keepdims, ddof);
}

Array deviation(const Array& a, std::optional<int> axis, bool keepdims, double ddof) {
  return moment(Kind::Deviation, "std", a, axis, keepdims, ddof);
}

Array whole(Op op, const Array& a) {
  if (op != Op::euclid_norm && op != Op::manhattan_norm)
    throw cudamat::InternalError(fmt::format("whole of {}", cudamat::name(op)));
  auto node = make_node(numpy_name(op), Kind::Whole, DType::Float, {}, {a.node()});
  node->op = op;
  return to_array(std::move(node));
}

// The axis of b that is summed over comes first, all others are columns.
Array dot(const Array& a, const Array& b) {
  if (a.ndim() == 0 || b.ndim() == 0) {  // of two arrays: a number counts by its type
    const DType both = detail::promote(a.dtype(), b.dtype());
    if (!is_narrow(a.dtype()) && !is_narrow(b.dtype())) return a * b;
    return both == DType::Float
               ? a * b
               : detail::as_integers(a.as_type(DType::Int) * b.as_type(DType::Int), both);
  }
  if (b.ndim() < 3) return product("dot", a, b);
  const int inner = b.ndim() - 2;
  if (a.shape(-1) != b.shape(inner))
    misuse(Exception::ValueError, "dot", "shapes {} and {} not aligned: {} (dim {}) != {} (dim {})",
           to_string(a.shape()), to_string(b.shape()), a.shape(-1), a.ndim() - 1, b.shape(inner),
           inner);
  std::vector<int> axes(b.shape().size());
  std::iota(axes.begin(), axes.end(), 0);
  std::rotate(axes.begin(), axes.begin() + inner, axes.begin() + inner + 1);
  Dims dims(a.shape().begin(), a.shape().end() - 1);
  dims.insert(dims.end(), b.shape().begin(), b.shape().end() - 2);
  dims.push_back(b.shape(-1));
  const Array matrix = b.transpose(axes);
  const Index cols = b.shape(-1) * npmat::element_count({b.shape().begin(), b.shape().end() - 2});
  return product("dot", a, matrix.reshape({b.shape(inner), cols})).reshape(std::move(dims));
}

Array matmul(const Array& a, const Array& b) {
  if (a.ndim() == 0 || b.ndim() == 0)
    misuse(Exception::ValueError, "matmul",
           "operand {} does not have enough dimensions: @ has no 0-d operands; write * instead",
           a.ndim() == 0 ? 0 : 1);
  return b.ndim() < 3 ? product("matmul", a, b) : products(a, b);
}

Array outer(const Array& a, const Array& b) {
  return map(Op::mult, a.reshape({-1, 1}), b.reshape({1, -1}));
}

Array Array::sum(std::optional<int> axis, bool keepdims) const {
  return reduce(Op::sum, *this, axis, keepdims);
}

Array Array::mean(std::optional<int> axis, bool keepdims) const {
  return reduce(Op::mean, *this, axis, keepdims);
}

Array Array::max(std::optional<int> axis, bool keepdims) const {
  return reduce(Op::max, *this, axis, keepdims);
}

Array Array::min(std::optional<int> axis, bool keepdims) const {
  return reduce(Op::min, *this, axis, keepdims);
}

Array Array::euclid_norm() const {
  return whole(Op::euclid_norm, *this);
}

}  // namespace rewriter

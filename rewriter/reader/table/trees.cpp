// Building blocks of NumPy's functions.
#include "rewriter/reader/table/trees.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

// ---- arguments ----

Array as_out(const Array& result, const Value* out) {
  const auto* tuple = out == nullptr ? nullptr : out->as<Sequence>();
  if (tuple != nullptr && tuple->items.size() == 1) out = tuple->items.begin();
  const auto* object = out == nullptr ? nullptr : out->as<ObjectPtr>();
  if (object == nullptr || detail::casts_to(result.dtype(), (*object)->read().dtype()))
    return result;
  return converted(result, (*object)->read().dtype());
}

Value give(const Call& call, const Array& result, const Value* out, bool contiguous) {
  if (out == nullptr) return new_array(result, contiguous);
  if (const auto* tuple = out->as<Sequence>(); tuple != nullptr && tuple->items.size() == 1)
    out = tuple->items.begin();
  const auto* object = out->as<ObjectPtr>();
  if (object == nullptr || (*object)->is_scalar())
    misuse(call.name, "out must be an array; got {}", out->description());
  detail::check_in_place(call.name, (*object)->read(), result);
  write_whole(call, *out, result);
  return *out;
}

Value give_elements(const Call& call, const Array& result, const Value* out, bool contiguous) {
  const auto* tuple = out == nullptr ? nullptr : out->as<Sequence>();
  const Value* target = tuple != nullptr && tuple->items.size() == 1 ? tuple->items.begin() : out;
  const auto* object = target == nullptr ? nullptr : target->as<ObjectPtr>();
  if (object == nullptr || (*object)->shape() == result.shape() ||
      broadcast(result.shape(), (*object)->shape()) != (*object)->shape())
    return give(call, result, out, contiguous);
  return give(call, broadcast_to(result, (*object)->shape()), out, contiguous);
}

Array raveled(const Array& a) {
  return a.is_number() ? full({1}, a.node()->number, a.dtype()) : a.reshape({-1});
}

void write_whole(const Call& call, const Value& target, const Array& value) {
  const auto* object = target.as<ObjectPtr>();
  if (object == nullptr || (*object)->is_scalar())
    misuse(call.name, "writes into an array; got {}", target.description());
  if (call.written == nullptr) throw cudamat::InternalError("a call that may not write");
  assign_subscript(target, {Value{EllipsisValue{}}}, new_array(value));
  call.written->push_back(target);
}

double number_argument(const Call& call, const Value* value, std::string_view parameter,
                       double otherwise) {
  if (value == nullptr) return otherwise;
  if (!value->is_number())
    misuse(call.name, "{} must be a number known when the program is read; got {}", parameter,
           value->description());
  return value->real();
}

std::vector<int> axes_argument(const Call& call, const Value* axis, int ndim, bool takes_lists) {
  std::vector<int> axes;
  if (const auto* several = axis == nullptr ? nullptr : axis->as<Sequence>();
      several != nullptr && several->list && !takes_lists)
    misuse(Exception::TypeError, call.name,
           "'list' object cannot be interpreted as an integer; axis is an int or a tuple");
  if (axis == nullptr) {
    axes.resize(static_cast<std::size_t>(ndim));
    std::iota(axes.begin(), axes.end(), 0);
    return axes;
  }
  for (const Index each : dims_of(call, *axis))
    axes.push_back(detail::normalize_axis(call.name, static_cast<int>(each), ndim));
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
    misuse(Exception::ValueError, call.name, "duplicate value in 'axis'");
  return axes;
}

std::vector<Array> arrays_argument(const Call& call, const Value& arrays) {
  std::vector<Array> parts;
  if (const auto* sequence = arrays.as<Sequence>()) {
    for (const Value& item : sequence->items) {
      const Array part = array_argument(call, &item, "arrays");
      parts.push_back(part.is_number() ? full({}, part.node()->number, part.dtype()) : part);
    }
  } else {
    const Array all = array_argument(call, &arrays, "arrays");
    if (all.ndim() == 0)
      misuse(call.name, "expects a tuple or a list of arrays; got {}", arrays.description());
    for (Index i = 0; i < all.shape()[0]; ++i) parts.push_back(all.slice({Range{i, i + 1, true}}));
  }
  if (parts.empty()) misuse(Exception::ValueError, call.name, "need at least one array");
  return parts;
}

// ---- trees ----

Array choice(const Array& condition, const Array& a, const Array& b) {
  return where(condition, a, b, true);
}

Array part(const Array& a, int axis, Index start, Index stop) {
  std::vector<Range> ranges;
  for (int i = 0; i < axis; ++i) ranges.push_back({0, a.shape(i)});
  ranges.push_back({start, stop});
  return a.slice(std::move(ranges));
}

Array with_axis(const Array& a, int axis) {
  Dims dims = a.shape();
  dims.insert(dims.begin() + axis, 1);
  return a.reshape(std::move(dims));
}

// In each step every element takes in what the one so far before it has: 1, 2, 4, ... places.
Array running(Op op, const Array& a, int axis) {
  if (op == Op::add) return cumsum(a, axis);
  Array result = a;
  const Index extent = a.shape(axis);
  for (Index reach = 1; reach < extent; reach *= 2)
    result = concatenate(
        {part(result, axis, 0, reach),
         map(op, part(result, axis, 0, extent - reach), part(result, axis, reach, extent))},
        axis);
  return result;
}

Array over(Op op, const Array& a, const std::vector<int>& axes, bool keepdims) {
  if (axes.empty() && a.ndim() > 0) {  // each element by itself
    Dims dims = a.shape();
    dims.push_back(1);
    return reduce(op, a.reshape(std::move(dims)), a.ndim());
  }
  if (std::ssize(axes) == a.ndim()) return reduce(op, a, {}, keepdims);
  return axes.size() == 1 ? reduce(op, a, axes[0], keepdims) : reduce_over(op, a, axes, keepdims);
}

// Of up to two dimensions the elements are seen in a matrix's order, as a row whose columns repeat
// them or as a column beside which they are repeated.
Array repeated(const Array& a, Index count, int axis) {
  if (count == 1) return a;
  if (a.ndim() == 2 && axis == 1) return repeated(a.T(), count, 0).T();
  if (a.ndim() <= 2) {
    Dims longer = a.shape();
    longer[0] *= count;
    return broadcast_to(a.reshape_columns({1, a.size()}), {count, a.size()})
        .reshape_columns(std::move(longer));
  }
  Dims dims = a.shape();
  dims.insert(dims.begin() + axis + 1, count);
  Dims joined = a.shape();
  joined[static_cast<std::size_t>(axis)] *= count;
  return broadcast_to(with_axis(a, axis + 1), std::move(dims)).reshape(std::move(joined));
}

Array tiled(const Array& a, Index count, int axis) {
  if (count == 1) return a;
  Dims dims = a.shape();
  Index& extent = dims[static_cast<std::size_t>(axis)];
  if (extent == 1) {
    extent = count;
    return broadcast_to(a, std::move(dims));
  }
  constexpr Index kFew = 8;
  if (count > 0 && count <= kFew)
    return concatenate(std::vector<Array>(static_cast<std::size_t>(count), a), axis);
  if (a.ndim() == 2 && axis == 0) return tiled(a.T(), count, 1).T();
  extent *= count;
  if (a.ndim() <= 2)
    return broadcast_to(a.reshape_columns({a.size(), 1}), {a.size(), count})
        .reshape_columns(std::move(dims));
  Dims wide = a.shape();
  wide.insert(wide.begin() + axis, count);
  return broadcast_to(with_axis(a, axis), std::move(wide)).reshape(std::move(dims));
}

std::pair<Array, Dims> merged(const Array& a, const std::vector<int>& axes) {
  std::vector<int> order;
  Dims rest, kept = a.shape();
  for (int axis = 0; axis < a.ndim(); ++axis) {
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) {
      kept[static_cast<std::size_t>(axis)] = 1;
    } else {
      order.push_back(axis);
      rest.push_back(a.shape(axis));
    }
  }
  order.insert(order.end(), axes.begin(), axes.end());
  rest.push_back(a.size() / std::max<Index>(npmat::element_count(rest), 1));
  return {a.transpose(order).reshape(std::move(rest)), std::move(kept)};
}

}  // namespace rewriter

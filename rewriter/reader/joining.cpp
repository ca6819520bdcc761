// Functions of the notation that join, split, repeat and move arrays.
#include <algorithm>
#include <numeric>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/compose.hpp"
#include "rewriter/reader/run_slices.hpp"

namespace rewriter {

using cudamat::misuse;
using detail::normalize_axis;

namespace {

int one_axis(const Call& call, const Value* axis, int ndim, int otherwise = 0) {
  const Index at = axis == nullptr ? otherwise : axis->integer(call.name + "'s axis");
  return normalize_axis(call.name, static_cast<int>(at), ndim);
}

/// Whether each of the arrays, if it is one, is in C order.
bool all_contiguous(const Value& arrays) {
  const auto* sequence = arrays.as<Sequence>();
  return sequence == nullptr || std::all_of(sequence->items.begin(), sequence->items.end(),
                                            [](const Value& item) { return contiguous(&item); });
}

// ---- joining ----

Value np_stack(const Call& call) {
  const auto bound = call.bind({"arrays", "axis", "out"}, 1);
  std::vector<Array> parts = arrays_argument(call, *bound[0]);
  const int axis = one_axis(call, bound[1], parts[0].ndim() + 1);
  for (const Array& each : parts)
    if (each.shape() != parts[0].shape())
      misuse(call.name, "all input arrays must have the same shape; got {} and {}",
             to_string(parts[0].shape()), to_string(each.shape()));
  for (Array& each : parts) each = with_axis(each, axis);
  return give(call, concatenate(parts, axis), bound[2], all_contiguous(*bound[0]));
}

/// To at least `count` dimensions, as np.atleast_1d, 2d and 3d.
Array at_least(const Array& a, int count) {
  Dims dims = a.shape();
  if (std::ssize(dims) >= count) return a;
  if (dims.size() == 2) dims.push_back(1);
  if (dims.size() == 1 && count > 1) dims.insert(dims.begin(), 1);
  if (dims.size() == 2 && count == 3) dims.push_back(1);
  while (std::ssize(dims) < count) dims.push_back(1);
  return a.reshape(std::move(dims));
}

/// hstack, vstack, dstack, column_stack: along `axis`, of vectors along 0 in hstack.
Value stacked(const Call& call, int least, int axis) {
  const auto bound = call.bind({"tup"}, 1);
  std::vector<Array> parts = arrays_argument(call, *bound[0]);
  const bool as_columns = call.name == "np.column_stack";
  for (Array& each : parts) {
    if (as_columns && each.ndim() < 2)
      each = each.reshape({-1, 1});
    else
      each = at_least(each, least);
  }
  const bool of_vectors = least == 1 && parts[0].ndim() == 1;
  return new_array(concatenate(parts, of_vectors ? 0 : axis), all_contiguous(*bound[0]));
}

Value np_append(const Call& call) {
  const auto bound = call.bind({"arr", "values", "axis"}, 2);
  Array a = array_argument(call, bound[0], "arr");
  Array b = array_argument(call, bound[1], "values");
  if (a.is_number()) a = full({}, a.node()->number, a.dtype());
  if (b.is_number()) b = full({}, b.node()->number, b.dtype());
  if (bound[2] == nullptr) return new_array(concatenate({a.reshape({-1}), b.reshape({-1})}));
  return new_array(concatenate({a, b}, one_axis(call, bound[2], a.ndim())),
                   contiguous(bound[0]) && contiguous(bound[1]));
}

/// Arrays in lists of lists: the innermost lists along the last axis.
Array blocks(const Call& call, const Value& value, int depth, int most) {
  const auto* sequence = value.as<Sequence>();
  if (sequence == nullptr) {
    Array a = array_argument(call, &value, "arrays");
    if (a.is_number()) a = full({}, a.node()->number, a.dtype());
    return at_least(a, std::min(most, 2));
  }
  if (sequence->items.empty()) misuse(call.name, "List at arrays cannot be empty");
  std::vector<Array> parts;
  for (const Value& item : sequence->items) parts.push_back(blocks(call, item, depth + 1, most));
  return concatenate(parts, parts[0].ndim() - (most - depth));
}

Value np_block(const Call& call) {
  const auto bound = call.bind({"arrays"}, 1);
  int most = 0;
  for (const Value* at = bound[0]; at->as<Sequence>() != nullptr; ++most) {
    if (at->as<Sequence>()->items.empty()) misuse(call.name, "List at arrays cannot be empty");
    at = at->as<Sequence>()->items.begin();
  }
  if (most < 1 || most > 2) misuse(call.name, "expects a list of arrays, or a list of such lists");
  return new_array(blocks(call, *bound[0], 0, most));
}

/// Powers of a vector as columns.
Value np_vander(const Call& call) {
  const auto bound = call.bind({"x", "N", "increasing"}, 1);
  const Array x = array_argument(call, bound[0], "x");
  if (x.ndim() != 1) misuse(call.name, "x must be a one-dimensional array or sequence.");
  const Index count = bound[1] == nullptr ? x.size() : bound[1]->integer("vander's N");
  const bool widens = x.dtype() == DType::Bool || is_narrow(x.dtype());
  const Array column = (widens ? converted(x, DType::Int) : x).reshape({-1, 1});
  std::vector<Array> parts;
  for (Index k = 0; k < count; ++k)
    parts.push_back(k == 0 ? full(column.shape(), 1, column.dtype()) : parts.back() * column);
  if (!flag(bound[2])) std::reverse(parts.begin(), parts.end());
  return new_array(parts.empty() ? full({x.size(), 0}, 0, x.dtype()) : concatenate(parts, 1));
}

/// np.insert of one element or row.
Value np_insert(const Call& call) {
  const auto bound = call.bind({"arr", "obj", "values", "axis"}, 3);
  Array a = array_argument(call, bound[0], "arr");
  if (bound[3] == nullptr) a = a.reshape({-1});
  const int axis = one_axis(call, bound[3], a.ndim());
  const Index extent = a.shape(axis);
  const Index given = bound[1]->integer("where np.insert inserts");
  if (given < -extent || given > extent)
    misuse(call.name, "index {} is out of bounds for axis {} with size {}", given, axis, extent);
  const Index at = given < 0 ? given + extent : given;
  const Array values = array_argument(call, bound[2], "values");
  Dims dims = a.shape();
  dims.erase(dims.begin() + axis);
  if (values.ndim() > 0 && values.shape() != dims)
    misuse(call.name, "inserts a number or values of shape {} here; got {}", to_string(dims),
           to_string(values.shape()));
  const Array row = set_slice(full(dims, 0, a.dtype()), {}, values);
  return new_array(
      concatenate({part(a, axis, 0, at), with_axis(row, axis), part(a, axis, at, extent)}, axis),
      contiguous(bound[0]));
}

// ---- splitting ----

/// Views of the parts between these bounds.
Value split_at(const Call& call, const Value& array, const std::vector<Index>& bounds, int axis) {
  Sequence parts{true, {}};
  (void)call;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    std::vector<Value> index(static_cast<std::size_t>(axis), Value{Slice{}});
    index.push_back({Slice{Affine{bounds[i], {}}, Affine{bounds[i + 1], {}}, {}}});
    parts.items.push_back(subscript(array, index));
  }
  return {std::move(parts)};
}

Value split(const Call& call, std::optional<int> given_axis) {
  const auto bound = given_axis ? call.bind({"ary", "indices_or_sections"}, 2)
                                : call.bind({"ary", "indices_or_sections", "axis"}, 2);
  const Array a = array_argument(call, bound[0], "ary");
  if (call.name == "np.vsplit" && a.ndim() < 2)
    misuse(call.name, "vsplit only works on arrays of 2 or more dimensions");
  const Value& array = bound[0]->as<ObjectPtr>() != nullptr ? *bound[0] : new_array(a);
  const int axis = given_axis ? normalize_axis(call.name, a.ndim() == 1 ? 0 : *given_axis, a.ndim())
                              : one_axis(call, bound[2], a.ndim());
  const Index extent = a.shape(axis);
  std::vector<Index> bounds{0};
  if (bound[1]->as<Sequence>() != nullptr) {
    for (const Index at : dims_of(call, *bound[1])) {
      const Index from_start = std::clamp<Index>(at < 0 ? at + extent : at, 0, extent);
      bounds.push_back(from_start);
    }
    bounds.push_back(extent);
  } else if (const auto* places = bound[1]->as<ObjectPtr>();
             places != nullptr && (*places)->shape().size() == 1) {
    const auto known = known_values(*(*places)->read().node());
    if (!known) misuse(call.name, "the places of the parts must be known when the program is read");
    for (const double place : known->data) {
      const auto at = static_cast<Index>(place);
      bounds.push_back(std::clamp<Index>(at < 0 ? at + extent : at, 0, extent));
    }
    bounds.push_back(extent);
  } else {
    const Index sections = bound[1]->integer("the number of parts");
    if (sections <= 0) misuse(call.name, "number sections must be larger than 0");
    if (call.name != "np.array_split" && extent % sections != 0)
      misuse(call.name, "array split does not result in an equal division: {} into {} parts",
             extent, sections);
    for (Index i = 0; i < sections; ++i)
      bounds.push_back(bounds.back() + extent / sections + (i < extent % sections ? 1 : 0));
  }
  return split_at(call, array, bounds, axis);
}

// ---- repeating ----

Value np_tile(const Call& call) {
  const auto bound = call.bind({"A", "reps"}, 2);
  Array a = array_argument(call, bound[0], "A");
  Dims counts = dims_of(call, *bound[1]);
  for (const Index count : counts)
    if (count < 0) misuse(call.name, "negative dimensions are not allowed");
  Dims dims = a.shape();
  while (dims.size() < counts.size()) dims.insert(dims.begin(), 1);
  while (counts.size() < dims.size()) counts.insert(counts.begin(), 1);
  a = a.is_number() ? full(dims, a.node()->number, a.dtype()) : a.reshape(dims);
  Array result = a;
  for (std::size_t axis = dims.size(); axis-- > 0;)
    result = tiled(result, counts[axis], static_cast<int>(axis));
  return new_array(result.node() == a.node() ? a.copy() : result);
}

Value np_repeat(const Call& call) {
  const auto bound = call.bind({"a", "repeats", "axis"}, 2);
  Array a = array_argument(call, bound[0], "a");
  if (a.is_number()) a = full({}, a.node()->number, a.dtype());
  if (bound[2] == nullptr || a.ndim() == 0) a = a.reshape({-1});
  const int axis = one_axis(call, bound[2], a.ndim());
  if (const auto* counts = bound[1]->as<Sequence>(); counts != nullptr) {
    if (std::ssize(counts->items) != a.shape(axis) && counts->items.size() != 1)
      misuse(call.name, "operands could not be broadcast together: {} counts for {} elements",
             counts->items.size(), a.shape(axis));
    if (counts->items.size() != 1) {
      std::vector<Array> parts;
      for (Index i = 0; i < a.shape(axis); ++i)
        parts.push_back(repeated(part(a, axis, i, i + 1),
                                 counts->items[std::size_t(i)].integer("a count"), axis));
      return new_array(concatenate(parts, axis));
    }
  }
  const Index count = dims_of(call, *bound[1])[0];
  if (count < 0) misuse(call.name, "counts cannot be negative");
  return new_array(repeated(a, count, axis));
}

// ---- moving ----

Array rolled(const Array& a, Index shift, int axis) {
  const Index extent = a.shape(axis);
  if (extent == 0) return a;
  const Index by = (shift % extent + extent) % extent;
  if (by == 0) return a;
  return concatenate({part(a, axis, extent - by, extent), part(a, axis, 0, extent - by)}, axis);
}

Value np_roll(const Call& call) {
  const auto bound = call.bind({"a", "shift", "axis"}, 2);
  const Array a = array_argument(call, bound[0], "a");
  if (is_run_bound(*bound[1])) return rolled_at_run(call, a, *bound[1], bound[2]);
  const Dims shifts = dims_of(call, *bound[1]);
  Array result = a;
  if (bound[2] == nullptr) {
    result = result.reshape({-1});
    for (const Index shift : shifts) result = rolled(result, shift, 0);
    result = result.reshape(a.shape());
  } else {
    const Dims axes = dims_of(call, *bound[2]);
    if (axes.size() != shifts.size() && axes.size() != 1 && shifts.size() != 1)
      misuse(call.name, "'shift' and 'axis' should be scalars or of one length");
    const bool is_none = axes.empty() || shifts.empty();
    for (std::size_t i = 0; i < (is_none ? 0 : std::max(axes.size(), shifts.size())); ++i)
      result = rolled(result, shifts[shifts.size() == 1 ? 0 : i],
                      normalize_axis(call.name, int(axes[axes.size() == 1 ? 0 : i]), a.ndim()));
  }
  return new_array(result.node() == a.node() ? a.copy() : result, contiguous(bound[0]));
}

/// A view of the axes backwards, as slices with a step of -1 give.
Value flipped(const Call& call, const Value& array, const std::vector<int>& axes) {
  const Array a = array_argument(call, &array, "m");
  std::vector<Value> index(a.shape().size(), Value{Slice{}});
  for (const int axis : axes)
    index[static_cast<std::size_t>(axis)] = {Slice{{}, {}, Affine{-1, {}}}};
  return subscript(array.as<ObjectPtr>() != nullptr ? array : new_array(a), index);
}

Value np_flip(const Call& call) {
  const bool any_axis = call.name == "np.flip";
  const auto bound = any_axis ? call.bind({"m", "axis"}, 1) : call.bind({"m"}, 1);
  const int ndim = array_argument(call, bound[0], "m").ndim();
  if (any_axis) return flipped(call, *bound[0], axes_argument(call, bound[1], ndim, true));
  const int axis = call.name == "np.flipud" ? 0 : 1;
  if (ndim <= axis) misuse(call.name, "Input must be >= {}-d.", axis + 1);
  return flipped(call, *bound[0], {axis});
}

Value np_atleast(const Call& call) {
  const int least = call.name[call.name.size() - 2] - '0';
  Sequence results{true, {}};
  for (const Value& argument : call.arguments) {
    const ObjectPtr object = object_argument(call, &argument);
    results.items.push_back(with_shape(object, at_least(object->read(), least).shape()));
  }
  if (results.items.empty()) misuse(call.name, "needs an array");
  return results.items.size() == 1 ? results.items[0] : Value{std::move(results)};
}

Value np_broadcast_to(const Call& call) {
  const auto bound = call.bind({"array", "shape"}, 2);
  const Array a = array_argument(call, bound[0], "array");
  const Array wide = a.is_number() ? full({}, a.node()->number, a.dtype()) : a;
  const Array made = broadcast_to(wide, dims_of(call, *bound[1]));
  const auto* object = bound[0]->as<ObjectPtr>();
  if (object == nullptr || (*object)->is_scalar()) return new_array(made);
  ViewStep step;
  step.kind = ViewStep::Kind::Broadcast;
  step.dims = made.shape();
  return {std::make_shared<ArrayObject>(*object, std::move(step), false)};
}

// ---- padding ----

/// Before and after, for each axis.
std::vector<std::pair<Index, Index>> pad_widths(const Call& call, const Value& width, int ndim) {
  const auto refuse = [&] {
    misuse(call.name, "pad_width is an int, a pair, or a pair for each axis; got {}",
           width.description());
  };
  const auto pair = [&](const Value& value) -> std::pair<Index, Index> {
    const Dims both = dims_of(call, value);
    if (both.empty() || both.size() > 2) refuse();
    return {both[0], both.back()};
  };
  const auto* sequence = width.as<Sequence>();
  std::vector<std::pair<Index, Index>> widths;
  if (sequence != nullptr && !sequence->items.empty() &&
      sequence->items[0].as<Sequence>() != nullptr)
    for (const Value& item : sequence->items) widths.push_back(pair(item));
  else
    widths.push_back(pair(width));
  if (widths.size() == 1) widths.resize(static_cast<std::size_t>(ndim), widths[0]);
  if (std::ssize(widths) != ndim) refuse();
  for (const auto& [before, after] : widths)
    if (before < 0 || after < 0) misuse(call.name, "index can't contain negative values");
  return widths;
}

/// The element of the axis that stands at `at`, which may be before its first or after its last.
Index padded_index(const Call& call, const std::string& mode, Index at, Index extent) {
  if (mode == "wrap") return (at % extent + extent) % extent;
  if (mode == "edge") return std::clamp<Index>(at, 0, extent - 1);
  if (mode == "symmetric") {
    const Index in = (at % (2 * extent) + 2 * extent) % (2 * extent);
    return in < extent ? in : 2 * extent - 1 - in;
  }
  if (mode != "reflect")
    misuse(call.name, "the modes are constant, edge, wrap, reflect and symmetric; got {}", mode);
  if (extent == 1) return 0;
  const Index period = 2 * (extent - 1);
  const Index in = (at % period + period) % period;
  return in < extent ? in : period - in;
}

/// Elements [start, stop) of the padded axis: slices where they follow each other.
void add_padding(const Call& call, const std::string& mode, const Array& a, int axis, Index start,
                 Index stop, std::vector<Array>& parts) {
  const Index extent = a.shape(axis);
  constexpr Index kWidest = 1024;
  for (Index at = start; at < stop;) {
    const Index first = padded_index(call, mode, at, extent);
    Index end = at + 1;
    const bool repeats = end < stop && padded_index(call, mode, end, extent) == first;
    while (end < stop &&
           padded_index(call, mode, end, extent) == (repeats ? first : first + (end - at)))
      ++end;
    const Index count = end - at;
    if (!repeats)
      parts.push_back(part(a, axis, first, first + count));
    else
      parts.push_back(tiled(part(a, axis, first, first + 1), count, axis));
    if (std::ssize(parts) > kWidest)
      misuse(call.name, "a width of more than {} is too much for mode='{}'", kWidest, mode);
    at = end;
  }
}

Value np_pad(const Call& call) {
  const auto bound = call.bind({"array", "pad_width", "mode", "constant_values"}, 2);
  Array a = array_argument(call, bound[0], "array");
  const auto* given = bound[2] == nullptr ? nullptr : bound[2]->as<std::string>();
  if (bound[2] != nullptr && given == nullptr)
    misuse(call.name, "mode is a text; got {}", bound[2]->description());
  const std::string mode = given == nullptr ? "constant" : *given;
  const auto widths = pad_widths(call, *bound[1], a.ndim());
  if (bound[3] != nullptr && bound[3]->as<Sequence>() != nullptr)
    misuse(call.name, "constant_values is one number here");
  const Array value = bound[3] == nullptr ? Array(0) : array_argument(call, bound[3], "value");
  if (mode == "constant") {
    Dims dims = a.shape();
    std::vector<Range> inside;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      inside.push_back({widths[axis].first, widths[axis].first + dims[axis]});
      dims[axis] += widths[axis].first + widths[axis].second;
    }
    Array all = full(dims, 0, a.dtype());
    if (!value.is_number() || value.node()->number != 0)
      all = set_slice(all, {}, converted(value, a.dtype()));
    return new_array(set_slice(all, inside, a), contiguous(bound[0]));
  }
  for (int axis = 0; axis < a.ndim(); ++axis) {
    const auto [before, after] = widths[static_cast<std::size_t>(axis)];
    const Index extent = a.shape(axis);
    if (before + after == 0) continue;
    if (extent == 0) misuse(call.name, "can't extend an empty axis {} using mode '{}'", axis, mode);
    if (mode == "empty") misuse(call.name, "mode='empty' leaves what memory held; use constant");
    std::vector<Array> parts;
    add_padding(call, mode, a, axis, -before, 0, parts);
    parts.push_back(a);
    add_padding(call, mode, a, axis, extent, extent + after, parts);
    a = concatenate(parts, axis);
  }
  return new_array(a, contiguous(bound[0]));
}

// ---- diagonals ----

/// The diagonals of the matrices that two axes hold, along a new last axis.
Array diagonals(const Call& call, const Array& a, Index k, const Value* axis1, const Value* axis2) {
  if (a.ndim() < 2) misuse(call.name, "diag requires an array of at least two dimensions");
  const auto axis_of = [&](const Value* axis, Index otherwise) {
    const Index at = axis == nullptr ? otherwise : axis->integer(call.name + "'s axis");
    return detail::normalize_axis(call.name, static_cast<int>(at), a.ndim());
  };
  const int first = axis_of(axis1, 0), second = axis_of(axis2, 1);
  if (first == second) misuse(call.name, "axis1 and axis2 cannot be the same");
  std::vector<int> order;
  Dims dims;
  for (int axis = 0; axis < a.ndim(); ++axis)
    if (axis != first && axis != second) {
      order.push_back(axis);
      dims.push_back(a.shape(axis));
    }
  order.insert(order.end(), {first, second});
  const Index rows = a.shape(first), columns = a.shape(second);
  const Index count =
      std::max<Index>(0, std::min(rows - std::max<Index>(-k, 0), columns - std::max<Index>(k, 0)));
  const int last = static_cast<int>(dims.size());
  dims.push_back(rows * columns);
  const Array flat = a.transpose(order).reshape(dims);
  if (count == 0) return part(flat, last, 0, 0);
  return flat.stepped(
      last, {.start = {k >= 0 ? k : -k * columns, {}}, .step = columns + 1, .count = count});
}

/// np.diag(v) makes a matrix, np.diag(a) and a.diagonal() take a diagonal.
Value np_diag(const Call& call) {
  const bool flat = call.name == "np.diagflat";
  const bool takes = call.name == "np.diagonal" || call.name == ".diagonal";
  const auto bound =
      takes ? call.bind({"a", "offset", "axis1", "axis2"}, 1) : call.bind({"v", "k"}, 1);
  Array v = array_argument(call, bound[0], "v");
  if (flat) v = raveled(v);
  const Index k = bound[1] == nullptr ? 0 : bound[1]->integer(call.name + "'s k");
  if (takes && (v.ndim() != 2 || bound[2] != nullptr || bound[3] != nullptr)) {
    const Array taken = diagonals(call, v, k, bound[2], bound[3]).copy();
    const auto* array = bound[0]->as<ObjectPtr>();
    if (array == nullptr) return new_array(taken);
    return new_array_unless_shared(
        taken, **array,
        "NumPy's diagonal shares the memory of this array, so an in-place change is outside the "
        "notation; take the diagonal of a copy: np.diagonal(a.copy(), ...)",
        false);
  }
  if (v.ndim() != 1 && v.ndim() != 2) misuse(call.name, "Input must be 1- or 2-d.");
  if (v.ndim() == 1) {
    const Index space = std::abs(k);
    const Index n = v.shape(0) + space;
    const Array zeros = full({space}, 0, v.dtype());
    const Array row =
        space == 0 ? v : concatenate(k > 0 ? std::vector{zeros, v} : std::vector{v, zeros});
    return new_array(where(eye(n, n, k), row, Array::number(0, v.dtype())));
  }
  const auto* object = bound[0]->as<ObjectPtr>();
  if (object == nullptr) return new_array(diagonal(v, k));
  ViewStep step;
  step.kind = ViewStep::Kind::Diagonal;
  step.diagonal = k;
  return {std::make_shared<ArrayObject>(*object, std::move(step), false)};
}

Value np_trace(const Call& call) {
  const auto bound = call.bind({"a", "offset", "axis1", "axis2"}, 1);
  const Array a = array_argument(call, bound[0], "a");
  if (a.ndim() != 2 || bound[2] != nullptr || bound[3] != nullptr) {
    const Index k = bound[1] == nullptr ? 0 : bound[1]->integer("trace's offset");
    return new_array(reduce(Op::sum, diagonals(call, a, k, bound[2], bound[3]), -1));
  }
  return new_array(
      reduce(Op::sum, diagonal(a, bound[1] == nullptr ? 0 : bound[1]->integer("trace's offset"))));
}

Value np_fill_diagonal(const Call& call) {
  const auto bound = call.bind({"a", "val"}, 2);
  const Array a = array_argument(call, bound[0], "a");
  if (a.ndim() != 2)
    misuse(call.name, "of an array of two dimensions; got {}", to_string(a.shape()));
  const Array value = array_argument(call, bound[1], "val");
  if (value.ndim() > 0) misuse(call.name, "fills with a number; got {}", bound[1]->description());
  write_whole(call, *bound[0], where(eye(a.shape(0), a.shape(1)), converted(value, a.dtype()), a));
  return {};
}

Value np_copyto(const Call& call) {
  const auto bound = call.bind({"dst", "src"}, 2);
  const auto* object = bound[0]->as<ObjectPtr>();
  const Array src = array_argument(call, bound[1], "src");
  if (object != nullptr && !src.is_number() &&
      !detail::casts_to(src.dtype(), (*object)->read().dtype()))
    misuse(call.name, "Cannot cast array data from {} to {} according to the rule 'same_kind'",
           detail::type_name(src.dtype()), detail::type_name((*object)->read().dtype()));
  write_whole(call, *bound[0], src);
  return {};
}

Value fill(const Call& call) {
  const auto bound = call.bind({"a", "value"}, 2);
  const Array value = array_argument(call, bound[1], "value");
  if (value.ndim() > 0) misuse(call.name, "fills with a number; got {}", bound[1]->description());
  const Array held = array_argument(call, bound[0], "a");
  write_whole(call, *bound[0], converted(value, held.dtype()));
  return {};
}

}  // namespace

void enter_joining(Handlers& table) {
  enter(table, "np.stack", np_stack);
  enter(table, "np.hstack", [](const Call& call) { return stacked(call, 1, 1); });
  enter(table, "np.vstack np.row_stack", [](const Call& call) { return stacked(call, 2, 0); });
  enter(table, "np.dstack", [](const Call& call) { return stacked(call, 3, 2); });
  enter(table, "np.column_stack", [](const Call& call) { return stacked(call, 2, 1); });
  enter(table, "np.append", np_append);
  enter(table, "np.block", np_block);
  enter(table, "np.vander", np_vander);
  enter(table, "np.insert", np_insert);
  enter(table, "np.split np.array_split", [](const Call& call) { return split(call, {}); });
  enter(table, "np.vsplit", [](const Call& call) { return split(call, 0); });
  enter(table, "np.hsplit", [](const Call& call) { return split(call, 1); });
  enter(table, "np.tile gpu.tile", np_tile);
  enter(table, "np.repeat .repeat", np_repeat);
  enter(table, "np.roll", np_roll);
  enter(table, "np.flip np.fliplr np.flipud", np_flip);
  enter(table, "np.atleast_1d np.atleast_2d np.atleast_3d", np_atleast);
  enter(table, "np.broadcast_to", np_broadcast_to);
  enter(table, "np.pad", np_pad);
  enter(table, "np.diag np.diagflat np.diagonal .diagonal gpu.diagflat gpu.diagonal", np_diag);
  enter(table, "np.trace .trace", np_trace);
  enter(table, "np.fill_diagonal", np_fill_diagonal);
  enter(table, "np.copyto", np_copyto);
  enter(table, ".fill", fill);
}

}  // namespace rewriter

// Symbolic arrays: leaves, moving data, and what all builders share (build.hpp).
#include "rewriter/expr/symbolic.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <unistd.h>
#include <utility>

#include "rewriter/expr/build.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {
namespace {

using cudamat::misuse;
using detail::make_node;
using detail::to_array;

thread_local SourceLocation current_location{0, 0};

/// A range for each axis of dims, within its extent.
std::vector<Range> complete_ranges(std::string_view op, std::vector<Range> ranges,
                                   const Dims& dims) {
  if (ranges.size() > dims.size())
    misuse(Exception::IndexError, op,
           "too many indices for array: array is {}-dimensional, but {} were indexed", dims.size(),
           ranges.size());
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (axis == ranges.size()) ranges.push_back({0, dims[axis]});
    const Range& range = ranges[axis];
    const Affine first{range.start, range.shift};
    const Affine last{range.stop, range.shift};
    if (first.least() < 0 || range.start > range.stop || last.greatest() > dims[axis] ||
        (range.drops_axis && range.stop != range.start + 1))
      misuse(op, "range {}:{} is not within axis {} with size {}", range.start, range.stop, axis,
             dims[axis]);
  }
  return ranges;
}

Dims sliced_dims(const std::vector<Range>& ranges) {
  Dims dims;
  for (const Range& range : ranges)
    if (!range.drops_axis) dims.push_back(range.stop - range.start);
  return dims;
}

}  // namespace

namespace detail {

namespace {

std::atomic<std::uint64_t> newest_id{0};

std::uint64_t new_id() {
  return newest_id.fetch_add(1, std::memory_order_relaxed) + 1;
}

std::shared_ptr<Node> new_node(Kind kind, DType dtype) {
  auto node = Node::create();
  node->id = new_id();
  node->kind = kind;
  node->dtype = dtype;
  node->where = current_location;
  return node;
}

}  // namespace

std::shared_ptr<Node> make_node(std::string_view op, Kind kind, DType dtype, Dims dims,
                                std::vector<NodePtr> args) {
  check_dims(op, dims);
  auto node = new_node(kind, dtype);
  node->dims = std::move(dims);
  node->args = std::move(args);
  return node;
}

std::shared_ptr<Node> make_node(Kind kind, DType dtype, const Dims& dims, const Array& a) {
  auto node = new_node(kind, dtype);
  node->dims = dims;
  node->args.push_back(a.node());
  return node;
}

std::shared_ptr<Node> make_node(Kind kind, DType dtype, const Dims& dims, const Array& a,
                                const Array& b) {
  auto node = new_node(kind, dtype);
  node->dims = dims;
  node->args.reserve(2);
  node->args.push_back(a.node());
  node->args.push_back(b.node());
  return node;
}

std::shared_ptr<Node> make_like(const Node& node, Dims dims, std::vector<NodePtr> args) {
  auto made = Node::create_like(node);
  made->id = new_id();
  made->dims = std::move(dims);
  made->args = std::move(args);
  return made;
}

void check_dims(std::string_view op, const Dims& dims) {
  if (dims.size() > npmat::kMaxDimensions)
    misuse(op, "an array has at most {} dimensions; got {}", npmat::kMaxDimensions, dims.size());
  if (std::any_of(dims.begin(), dims.end(), [](Index extent) { return extent < 0; }))
    misuse(Exception::ValueError, op, "negative dimensions are not allowed: {}", to_string(dims));
  Index product = 1;
  for (const Index extent : dims)
    if (__builtin_mul_overflow(product, std::max<Index>(extent, 1), &product))
      misuse(op, "an array of shape {} has more than 2^63 elements", to_string(dims));
}

void check_memory(std::string_view op, const Dims& dims) {
  const double bytes = static_cast<double>(npmat::element_count(dims)) * sizeof(double);
  const double memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes > memory)
    throw cudamat::OutOfMemory(
        fmt::format("[{}] an array of shape {} needs {:.0f} bytes", op, to_string(dims), bytes));
}

void refuse_narrow(std::string_view op, DType result) {
  if (is_narrow(result))
    misuse(op, "NumPy computes this in {}, which may wrap; write a.astype(int) or a.astype(float)",
           type_name(result));
}

std::string_view type_name(DType dtype) {
  constexpr std::string_view kNames[] = {"bool",  "int8",   "uint8", "int16",  "uint16",
                                         "int32", "uint32", "int64", "uint64", "float64"};
  return kNames[static_cast<std::size_t>(dtype)];
}

int normalize_axis(std::string_view op, int axis, int ndim) {
  if (axis < -ndim || axis >= ndim)
    misuse(Exception::AxisError, op, "axis {} is out of bounds for array of dimension {}", axis,
           ndim);
  return axis < 0 ? axis + ndim : axis;
}

Dims broadcast_or_refuse(std::string_view op, const Dims& a, const Dims& b) {
  std::optional<Dims> dims = broadcast(a, b);
  if (!dims)
    misuse(Exception::ValueError, op, "operands could not be broadcast together with shapes {} {}",
           to_string(a), to_string(b));
  return *std::move(dims);
}

}  // namespace detail

std::uint64_t newest_node() {
  return detail::newest_id.load(std::memory_order_relaxed);
}

// ---- leaves ----

Array::Array(double value) : Array(number(value)) {}

Array Array::number(double value, DType dtype) {
  auto node = make_node("number", Kind::Number, dtype, {});
  node->number = value;
  return to_array(std::move(node));
}

Array input(std::string name, Dims dims, DType dtype, const std::vector<double>* contents) {
  auto node = make_node("input", Kind::Input, dtype, std::move(dims));
  if (contents != nullptr)
    node->data = std::make_shared<const HostData>(npmat::Array<double>{node->dims, *contents});
  node->text = std::move(name);
  return to_array(std::move(node));
}

template <class T>
Array array(npmat::Array<T> data) {
  (void)data.size();  // raises an error for data that do not match their shape
  auto node = make_node("array", Kind::Data, DType::Float, data.shape);
  node->data = std::make_shared<const HostData>(std::move(data));
  return to_array(std::move(node));
}

template Array array(npmat::Array<float> data);
template Array array(npmat::Array<double> data);
template Array array(npmat::Array<long double> data);

Array constant(npmat::Array<double> data, std::string spelling, DType dtype) {
  (void)data.size();
  auto node = make_node("array", Kind::Constant, dtype, data.shape);
  node->data = std::make_shared<const HostData>(std::move(data));
  node->text = std::move(spelling);
  return to_array(std::move(node));
}

Array loop_value(const Affine& value) {
  auto node = make_node("range", Kind::LoopValue, DType::Int, {});
  node->number = static_cast<double>(value.constant);
  node->terms = value.terms;
  node->is_scalar = true;
  return to_array(std::move(node));
}

Array full(Dims dims, double value, DType dtype) {
  auto node = make_node("full", Kind::Fill, dtype, std::move(dims));
  node->number = value;
  return to_array(std::move(node));
}

Array eye(Index n, std::optional<Index> m, Index k) {
  const Dims dims{n, m.value_or(n)};
  detail::check_dims("eye", dims);
  detail::check_memory("eye", dims);
  npmat::Array<double> data{dims, std::vector<double>(static_cast<std::size_t>(n * dims[1]))};
  for (Index i = 0; i < n; ++i) {
    Index j = 0;
    if (!__builtin_add_overflow(i, k, &j) && j >= 0 && j < dims[1])
      data.data[static_cast<std::size_t>(i * dims[1] + j)] = 1;
  }
  std::string spelling = fmt::format("np.eye({}", n);
  if (m) spelling += fmt::format(", {}", *m);
  if (k != 0) spelling += fmt::format(", k={}", k);
  return constant(std::move(data), spelling + ")");
}

static Array random(Op op, Dims dims) {
  auto node = make_node(cudamat::numpy_name(op), Kind::Random, DType::Float, std::move(dims));
  node->op = op;
  return to_array(std::move(node));
}

Array rand(Dims dims) {
  return random(Op::fill_with_rand, std::move(dims));
}

Array randn(Dims dims) {
  return random(Op::fill_with_randn, std::move(dims));
}

Array seed(std::uint64_t seed) {
  if (seed > 0xffffffffU)
    misuse(Exception::ValueError, "seed", "Seed must be between 0 and 2**32 - 1; got {}", seed);
  auto node = make_node("seed", Kind::Seed, DType::Int, {});
  node->number = static_cast<double>(seed);
  return to_array(std::move(node));
}

// ---- moving data ----

Index Array::shape(int axis) const {
  return shape()[static_cast<std::size_t>(detail::normalize_axis("shape", axis, ndim()))];
}

Array Array::T() const {
  if (ndim() < 2) return *this;
  if (ndim() == 2)
    return to_array(
        make_node("transpose", Kind::Transpose, dtype(), {shape()[1], shape()[0]}, {node_}));
  std::vector<int> axes(shape().size());
  std::iota(axes.rbegin(), axes.rend(), 0);
  return transpose(std::move(axes));
}

Array Array::transpose(std::vector<int> axes) const {
  if (axes.size() != shape().size())
    misuse(Exception::ValueError, "transpose", "axes don't match array: {} axes for {} dimensions",
           axes.size(), ndim());
  Dims dims;
  for (int& axis : axes) {
    axis = detail::normalize_axis("transpose", axis, ndim());
    dims.push_back(shape()[static_cast<std::size_t>(axis)]);
  }
  for (int axis = 0; axis < ndim(); ++axis)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end())
      misuse(Exception::ValueError, "transpose", "repeated axis in transpose");
  if (std::is_sorted(axes.begin(), axes.end())) return *this;
  if (ndim() == 2) return T();
  auto node = make_node("transpose", Kind::Transpose, dtype(), std::move(dims), {node_});
  node->axes = std::move(axes);
  return to_array(std::move(node));
}

Array broadcast_to(const Array& a, Dims dims) {
  if (broadcast(a.shape(), dims) != dims)
    misuse(Exception::ValueError, "broadcast_to",
           "operands could not be broadcast together with shapes {} {}", to_string(a.shape()),
           to_string(dims));
  if (a.shape() == dims) return a;
  return to_array(
      make_node("broadcast_to", Kind::Broadcast, a.dtype(), std::move(dims), {a.node()}));
}

namespace {

/// A Reshape node; one extent may be -1.
std::shared_ptr<Node> make_reshape(const Array& a, Dims dims) {
  const auto unknown = std::find(dims.begin(), dims.end(), -1);
  if (unknown != dims.end() && std::find(unknown + 1, dims.end(), -1) != dims.end())
    misuse(Exception::ValueError, "reshape", "can only specify one unknown dimension: {}",
           to_string(dims));
  const Dims asked = dims;
  Index known = 1;
  bool fits = true;
  for (const Index extent : dims)
    if (extent != -1) fits = fits && !__builtin_mul_overflow(known, extent, &known);
  if (unknown != dims.end() && fits && known > 0 && a.size() % known == 0) {
    *unknown = a.size() / known;
    known = a.size();
  } else if (unknown != dims.end()) {
    fits = false;
  }
  if (!fits || known != a.size())
    misuse(Exception::ValueError, "reshape", "cannot reshape array of size {} into shape {}",
           a.size(), to_string(asked));
  return make_node("reshape", Kind::Reshape, a.dtype(), std::move(dims), {a.node()});
}

}  // namespace

Array Array::reshape(Dims dims) const {
  return to_array(make_reshape(*this, std::move(dims)));
}

Array Array::reshape_columns(Dims dims) const {
  if (ndim() > 2 || dims.size() > 2)
    misuse("reshape", "order='F' is possible for up to two dimensions; got {} and {}",
           to_string(shape()), to_string(dims));
  auto node = make_reshape(*this, std::move(dims));
  node->by_columns = true;
  return to_array(std::move(node));
}

static Array relabelled(const Array& a, DType dtype) {
  auto node = make_node(Kind::Reshape, dtype, a.shape(), a);
  node->by_columns = true;
  return to_array(std::move(node));
}

Array Array::as_type(DType dtype) const {
  return dtype == this->dtype() ? *this : relabelled(*this, dtype);
}

Array Array::as_float() const {
  return relabelled(*this, DType::Float);
}

Array Array::copy() const {
  return to_array(make_node("copy", Kind::Copy, dtype(), shape(), {node_}));
}

Array Array::slice(std::vector<Range> ranges) const {
  ranges = complete_ranges("slice", std::move(ranges), shape());
  auto node = make_node("slice", Kind::Slice, dtype(), sliced_dims(ranges), {node_});
  node->ranges = std::move(ranges);
  return to_array(std::move(node));
}

Array Array::rows(Index start, Index stop) const {
  if (ndim() == 0)
    misuse(Exception::IndexError, "rows", "too many indices for array: array is 0-dimensional");
  return slice({slice_range(start, stop, shape()[0])});
}

Array Array::cols(Index start, Index stop) const {
  if (ndim() != 2) misuse("cols", "the array must be 2-D; its shape is {}", to_string(shape()));
  return slice({Range{0, shape()[0]}, slice_range(start, stop, shape()[1])});
}

Array concatenate(const std::vector<Array>& parts, int axis) {
  constexpr const char* kOp = "concatenate";
  if (parts.empty()) misuse(Exception::ValueError, kOp, "need at least one array to concatenate");
  const Dims& first = parts[0].shape();
  if (first.empty())
    misuse(Exception::ValueError, kOp, "zero-dimensional arrays cannot be concatenated");
  axis = detail::normalize_axis(kOp, axis, parts[0].ndim());
  const auto along = static_cast<std::size_t>(axis);
  Dims dims = first;
  dims[along] = 0;
  DType dtype = DType::Bool;
  std::vector<NodePtr> args;
  for (const Array& part : parts) {
    if (part.shape().size() != first.size())
      misuse(Exception::ValueError, kOp,
             "all the input arrays must have same number of dimensions; array 0 has shape {}, "
             "array {} has {}",
             to_string(first), args.size(), to_string(part.shape()));
    Dims others = part.shape();
    others[along] = first[along];
    if (others != first)
      misuse(Exception::ValueError, kOp,
             "all the input array dimensions except for the concatenation axis {} must match "
             "exactly; array 0 has shape {}, array {} has {}",
             axis, to_string(first), args.size(), to_string(part.shape()));
    if (__builtin_add_overflow(dims[along], part.shape()[along], &dims[along]))
      misuse(kOp, "the result has more than 2^63 elements");
    dtype = detail::promote(dtype, part.dtype());
    args.push_back(part.node());
  }
  auto node = make_node(kOp, Kind::Concatenate, dtype, std::move(dims), std::move(args));
  node->axis = axis;
  return to_array(std::move(node));
}

void detail::check_whole(DType target, const Array& value) {
  const Node& node = *value.node();
  if (!is_integer(target) || !node.dims.empty() ||
      (node.kind != Kind::Number && node.kind != Kind::Fill) || std::isfinite(node.number) ||
      value.dtype() != DType::Float)
    return;
  misuse(std::isnan(node.number) ? Exception::ValueError : Exception::OverflowError, "setitem",
         "cannot convert float {} to integer", std::isnan(node.number) ? "NaN" : "infinity");
}

/// What an assignment of `value` writes into a part of `a` that has the shape `target`.
static Array assigned(const Array& a, const Array& value, const Dims& target) {
  detail::check_whole(a.dtype(), value);
  const bool to_whole = a.dtype() == DType::Int && value.dtype() == DType::Float;
  if (to_whole && value.is_number() && !(std::abs(value.node()->number) < 9.2e18))
    misuse("setitem", "cannot convert the float {} to an integer", value.node()->number);
  Array source = a.dtype() == DType::Bool ? detail::truth(value) : value;
  if (is_narrow(a.dtype()))
    source = detail::as_integers(value, a.dtype());
  else if (to_whole)
    source = value.is_number() ? Array::number(std::trunc(value.node()->number) + 0.0, DType::Int)
                               : detail::truncated(value);
  Dims dims = source.shape();
  while (dims.size() > target.size() && dims[0] == 1) dims.erase(dims.begin());
  if (broadcast(dims, target) != target)
    misuse(Exception::ValueError, "setitem",
           "could not broadcast input array from shape {} into shape {}", to_string(value.shape()),
           to_string(target));
  if (dims != source.shape()) source = source.reshape(std::move(dims));
  return source;
}

Array set_slice(const Array& a, std::vector<Range> ranges, const Array& value) {
  ranges = complete_ranges("setitem", std::move(ranges), a.shape());
  const Dims target = sliced_dims(ranges);
  const Array source = assigned(a, value, target);
  auto node = make_node("setitem", Kind::SetSlice, a.dtype(), a.shape(), {a.node(), source.node()});
  node->ranges = std::move(ranges);
  node->in_place = true;
  return to_array(std::move(node));
}

Array overwritten(const Array& a, const Array& value) {
  const Array source = assigned(a, value, a.shape());
  const bool becomes_float = a.dtype() == DType::Float && source.dtype() != DType::Float;
  const Array made = becomes_float ? source.as_float() : source;
  if (made.is_number() || made.dtype() != a.dtype()) return set_slice(a, {}, value);
  return broadcast_to(made, a.shape());
}

Array counting(Index start, Index step, Index count) {
  constexpr Index kMostWritten = 16;
  npmat::Array<double> numbers{{count}, {}};
  for (Index k = 0; k < count; ++k) numbers.data.push_back(static_cast<double>(start + k * step));
  std::string text = count > kMostWritten
                         ? fmt::format("np.arange({}, {}, {})", start, start + count * step, step)
                         : fmt::format("np.array([{}])", fmt::join(numbers.data, ", "));
  return constant(std::move(numbers), std::move(text), DType::Int);
}

namespace {

/// All of the axes, but for one of which it is this range.
std::vector<Range> along(const Dims& dims, std::size_t axis, const Range& range) {
  std::vector<Range> ranges;
  for (const Index extent : dims) ranges.push_back({0, extent});
  ranges[axis] = range;
  return ranges;
}

Range part(const Affine& start, Index count) {
  return {start.constant, start.constant + count, false, start.terms};
}

/// The places from the last to the first: of a slice a part of those of the whole axis, which are
/// the same in each iteration of a loop over the slice's bounds.
Array places_backwards(const Array& a, int axis) {
  constexpr Index kMost = 4096;
  const Index extent = a.shape(axis);
  const Node* root = a.node().get();
  while (root->kind == Kind::Slice && root->args[0]->ndim() == a.ndim()) root = root->args[0].get();
  const Index all = root->dims[static_cast<std::size_t>(axis)];
  if (all == extent || all > kMost) return counting(extent - 1, -1, extent);
  return counting(all - 1, -1, all).slice({{all - extent, all}});
}

Array reversed(const Array& a, int axis) {
  return a.shape(axis) < 2 ? a : take(a, places_backwards(a, axis), axis);
}

/// A part of an axis that has whole steps: reshaped to (count, step), its element `phase` of the
/// second axis is what the steps take.
struct Window {
  std::vector<Range> ranges;   ///< of the array: the part
  Dims shape;                  ///< of the part
  Dims split;                  ///< the same with the axis as two
  std::vector<Range> element;  ///< of those
};

/// Nothing where the axis is too short.
std::optional<Window> window_of(const Dims& dims, std::size_t axis, const Steps& steps) {
  const auto& [start, step, count] = steps;
  const Index phase = std::max<Index>(start.greatest() + count * step - dims[axis], 0);
  const Affine first = start - Affine{phase, {}};
  if (first.least() < 0 || phase >= step) return std::nullopt;
  Window window{along(dims, axis, part(first, count * step)), dims, dims, {}};
  const auto at = static_cast<std::ptrdiff_t>(axis);
  window.shape[axis] = count * step;
  window.split[axis] = count;
  window.split.insert(window.split.begin() + at + 1, step);
  window.element = along(window.split, axis + 1, {phase, phase + 1, true});
  return window;
}

Steps without_last(const Steps& steps) {
  return {steps.start, steps.step, steps.count - 1};
}

Range last_of(const Steps& steps) {
  return part(steps.start + Affine{(steps.count - 1) * steps.step, {}}, 1);
}

/// From the last one to the first.
Steps turned(const Steps& steps) {
  return {steps.start + Affine{(steps.count - 1) * steps.step, {}}, -steps.step, steps.count};
}

}  // namespace

Array Array::stepped(int axis, const Steps& steps) const {
  const auto at = static_cast<std::size_t>(detail::normalize_axis("slice", axis, ndim()));
  if (steps.count == 0) return slice(along(shape(), at, {0, 0}));
  if (steps.step == 1 || steps.count == 1)
    return slice(along(shape(), at, part(steps.start, steps.count)));
  if (steps.step < 0) return reversed(stepped(axis, turned(steps)), axis);
  if (const auto window = window_of(shape(), at, steps))
    return slice(window->ranges).reshape(window->split).slice(window->element);
  return concatenate(
      {stepped(axis, without_last(steps)), slice(along(shape(), at, last_of(steps)))}, axis);
}

Array set_stepped(const Array& a, int axis, const Steps& steps, const Array& value) {
  const auto at = static_cast<std::size_t>(detail::normalize_axis("setitem", axis, a.ndim()));
  if (steps.count == 0) return a;
  if (steps.step == 1 || steps.count == 1)
    return set_slice(a, along(a.shape(), at, part(steps.start, steps.count)), value);
  if (steps.step < 0) return set_stepped(a, axis, turned(steps), reversed(value, axis));
  if (const auto window = window_of(a.shape(), at, steps)) {
    const Array split = a.slice(window->ranges).reshape(window->split);
    const Array changed = set_slice(split, window->element, value);
    return set_slice(a, window->ranges, changed.reshape(window->shape));
  }
  const Index before = steps.count - 1;
  const auto one = [&](Index first, Index last) {
    return value.slice(along(value.shape(), at, {first, last}));
  };
  const Array most = set_stepped(a, axis, without_last(steps), one(0, before));
  return set_slice(most, along(a.shape(), at, last_of(steps)), one(before, steps.count));
}

namespace {

/// The shape of what the indices take.
Dims taken_dims(std::string_view op, const Array& a, const Array& indices, int axis) {
  if (indices.ndim() != 1)
    misuse(op, "indices must be an array of one dimension; got shape {}",
           to_string(indices.shape()));
  if (!is_integer(indices.dtype()))
    misuse(Exception::IndexError, op, "arrays used as indices must be of integer type; got {}",
           detail::type_name(indices.dtype()));
  constexpr Index kMost = Index{1} << 24;
  const Index extent = a.shape(axis);
  if (extent > kMost)
    misuse(op,
           "an axis of {} elements is longer than 2^24, the most that indices represent exactly",
           extent);
  if (indices.node()->data != nullptr)
    std::visit(
        [&](const auto& known) {
          for (const auto index : known.data)
            if (index < -extent || index >= extent)
              misuse(Exception::IndexError, "index",
                     "index {} is out of bounds for axis {} with size {}",
                     static_cast<Index>(index), axis, extent);
        },
        *indices.node()->data);
  Dims dims = a.shape();
  dims[static_cast<std::size_t>(axis)] = indices.size();
  return dims;
}

}  // namespace

Array take(const Array& a, const Array& indices, int axis) {
  axis = detail::normalize_axis("take", axis, a.ndim());
  auto node = make_node("take", Kind::Take, a.dtype(), taken_dims("take", a, indices, axis),
                        {a.node(), indices.node()});
  node->axis = axis;
  return to_array(std::move(node));
}

Array put(const Array& a, const Array& indices, const Array& value, int axis) {
  axis = detail::normalize_axis("setitem", axis, a.ndim());
  const Dims dims = taken_dims("setitem", a, indices, axis);
  const Array source = assigned(a, value, dims);
  const Array whole = source.is_number() ? full(dims, source.node()->number, source.dtype())
                                         : broadcast_to(source, dims);
  auto node = make_node("setitem", Kind::Put, a.dtype(), a.shape(),
                        {a.node(), indices.node(), whole.node()});
  node->axis = axis;
  node->in_place = true;
  return to_array(std::move(node));
}

Range slice_range(std::optional<Index> start, std::optional<Index> stop, Index extent) {
  const auto bound = [extent](Index index) {
    return std::clamp<Index>(index < 0 ? index + extent : index, 0, extent);
  };
  Range range{start ? bound(*start) : 0, stop ? bound(*stop) : extent};
  range.stop = std::max(range.start, range.stop);
  return range;
}

Range index_range(Index index, Index extent, int axis) {
  if (index < -extent || index >= extent)
    misuse(Exception::IndexError, "index", "index {} is out of bounds for axis {} with size {}",
           index, axis, extent);
  const Index start = index < 0 ? index + extent : index;
  return {start, start + 1, true};
}

// ---- places of the source ----

At::At(SourceLocation where) : previous_(std::exchange(current_location, where)) {}

At::~At() {
  current_location = previous_;
}

SourceLocation current_place() {
  return current_location;
}

}  // namespace rewriter

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "gnumpy/build.hpp"
#include "gnumpy/functions.hpp"
#include "gnumpy/number_check.hpp"
#include "gnumpy/say.hpp"
#include "gnumpy/selection.hpp"
#include "gnumpy/settle.hpp"
#include "gnumpy/trace.hpp"

namespace gnumpy {

using detail::Node;
using detail::NodePtr;

// ---- making arrays ----

garray empty(Shape shape, Where where) {
  return garray(detail::make_empty(std::move(shape), where));
}

garray full(Shape shape, double value, Where where) {
  NodePtr node = detail::make_empty(std::move(shape), where);
  detail::fill(*node, value, where);
  return garray(std::move(node));
}

garray zeros(Shape shape, Where where) {
  return full(std::move(shape), 0, where);
}

garray ones(Shape shape, Where where) {
  return full(std::move(shape), 1, where);
}

garray empty_like(const garray_base& a, Where where) {
  return empty(a.shape(), where);
}

garray full_like(const garray_base& a, double value, Where where) {
  return full(a.shape(), value, where);
}

namespace {

garray same_kind(garray result, const garray_base& a) {
  if (a.node()->content() == detail::Content::Truths)
    result.node()->storage->content = detail::Content::Truths;
  return result;
}

}  // namespace

garray zeros_like(const garray_base& a, Where where) {
  return same_kind(zeros(a.shape(), where), a);
}

garray ones_like(const garray_base& a, Where where) {
  return same_kind(ones(a.shape(), where), a);
}

garray eye(Index n, Where where) {
  return diagflat(ones(n, where), where);
}

namespace {

/// start + k * step for k from 0 to count - 1, in a type that is at least the engine's.
template <class T>
garray steps(T start, T step, Index count, std::optional<double> last, const Where& where) {
  std::vector<T> numbers(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = start + static_cast<T>(k) * step;
  if (last && !numbers.empty()) numbers.back() = static_cast<T>(*last);
  return garray(std::span<const T>(numbers), where);
}

bool is_wide() {
  return detail::engine().bytes_per_element() > static_cast<int>(sizeof(double));
}

template <class T>
garray arange_as(T start, T stop, T step, const Where& where) {
  const T count = std::ceil((stop - start) / step);
  if (!(count <= 0x1p53)) detail::misuse("arange", where, "Maximum allowed size exceeded");
  const T next = start + step;
  return steps<T>(start, next - start, static_cast<Index>(std::max(count, T(0))), {}, where);
}

template <class T>
garray linspace_as(T start, T stop, Index count, bool endpoint, const Where& where) {
  const Index parts = endpoint ? count - 1 : count;
  const T step = parts > 0 ? (stop - start) / static_cast<T>(parts) : T(0);
  const bool ends = endpoint && count > 1;
  return steps<T>(start, step, count,
                  ends ? std::optional(static_cast<double>(stop)) : std::nullopt, where);
}

}  // namespace

garray arange(double stop, Where where) {
  return arange(0, stop, 1, where);
}

garray arange(double start, double stop, double step, Where where) {
  if (step == 0 || std::isnan(start + stop + step))
    detail::misuse("arange", where,
                   fmt::format("no numbers from {} to {} in steps of {}", start, stop, step));
  if (is_wide()) return arange_as<long double>(start, stop, step, where);
  return arange_as<double>(start, stop, step, where);
}

garray linspace(double start, double stop, Index count, bool endpoint, Where where) {
  if (count < 0)
    detail::misuse("linspace", where,
                   fmt::format("Number of samples, {}, must be non-negative.", count));
  if (is_wide()) return linspace_as<long double>(start, stop, count, endpoint, where);
  return linspace_as<double>(start, stop, count, endpoint, where);
}

// The diagonal is every (n + 1)th element of the matrix in C order.
garray diagflat(const garray_base& a, Where where) {
  const Index n = a.size();
  garray result = same_kind(zeros({n, n}, where), a);
  if (n > 0) result.ravel(where)(Subscript(slice(0, n * n, n + 1), where)) = ravel(a, where);
  return result;
}

garray diagonal(const garray_base& a, Where where) {
  if (a.ndim() != 2)
    detail::misuse("diagonal", where,
                   fmt::format("the array has {} dimensions, not 2; its shape is {}", a.ndim(),
                               a.shape().str()));
  const Index rows = a.shape(0), cols = a.shape(1);
  const Index count = std::min(rows, cols);
  if (count == 0) return same_kind(zeros(0, where), a);
  return ravel(a, where)(Subscript(slice(0, (count - 1) * (cols + 1) + 1, cols + 1), where));
}

garray diag(const garray_base& a, Where where) {
  return a.ndim() == 1 ? diagflat(a, where) : diagonal(a, where);
}

namespace {

garray drawn(Shape shape, Distribution distribution, const Where& where) {
  NodePtr node = detail::make_empty(std::move(shape), where);
  if (node->size == 0) return garray(std::move(node));
  const detail::Lock lock;
  if (distribution == Distribution::uniform) {
    detail::engine().uniform(node->storage->data(), node->size);
    detail::ran(*node, where, "t.fill_with_rand()");
  } else {
    detail::engine().normal(node->storage->data(), node->size);
    detail::ran(*node, where, "t.fill_with_randn()");
  }
  return garray(std::move(node));
}

}  // namespace

garray rand(Shape shape, Where where) {
  return drawn(std::move(shape), Distribution::uniform, where);
}

garray randn(Shape shape, Where where) {
  return drawn(std::move(shape), Distribution::normal, where);
}

garray garray_base::rand(Distribution distribution, Where where) const {
  return drawn(shape(), distribution, where);
}

double rand() {
  return rand(Dims{}).item();
}

double randn() {
  return randn(Dims{}).item();
}

void seed_rand(std::uint64_t seed) {
  const detail::Lock lock;
  detail::engine().seed(seed);
}

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
  const NodePtr source = operand(reshape(a, apart, where), where).node;
  return detail::reshape(detail::repeat("tile", source, repeated, where), together, where);
}

garray take(const garray_base& a, const garray_base& indices, std::optional<int> axis,
            Where where) {
  if (indices.node()->content() != detail::Content::Numbers)
    detail::misuse("take", where, "truth values are no indices; write a[mask]");
  std::vector<Index> numbers;
  for (const double number : indices.to_vector()) {
    if (number != std::floor(number) || std::abs(number) > 0x1p53)
      detail::misuse("take", where, fmt::format("an index must be a whole number; got {}", number));
    numbers.push_back(static_cast<Index>(number));
  }
  const std::size_t along = axis ? detail::normalize_axis("take", *axis, a.ndim(), where) : 0;
  Dims dims = axis ? Dims(a.shape()) : Dims{1};
  const auto at = dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(along));
  dims.insert(at, indices.shape().begin(), indices.shape().end());
  return take(a, numbers, axis, where).reshape(dims, where);
}

garray take(const garray_base& a, const std::vector<Index>& indices, std::optional<int> axis,
            Where where) {
  if (!axis) return take(ravel(a, where), indices, 0, where);
  const std::size_t along = detail::normalize_axis("take", *axis, a.ndim(), where);
  std::vector<Subscript> at(along, Subscript(slice(), where));
  at.emplace_back(indices, where);
  return reshape(a, a.shape(), where).subscript(at, where);
}

garray copy(const garray_base& a, Where where) {
  return a.copy(where);
}

garray transpose(const garray_base& a, Where where) {
  return a.T(where);
}

garray transpose(const garray_base& a, std::vector<int> axes, Where where) {
  return a.transpose(std::move(axes), where);
}

garray swapaxes(const garray_base& a, int first, int second, Where where) {
  std::vector<int> axes(a.shape().size());
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[detail::normalize_axis("swapaxes", first, a.ndim(), where)],
            axes[detail::normalize_axis("swapaxes", second, a.ndim(), where)]);
  return a.transpose(std::move(axes), where);
}

garray load_npy(const std::filesystem::path& path, Where where) {
  garray result(npmat::load_npy<double>(path), where);
  if (npmat::read_npy_header(path).dtype == "|b1")
    result.node()->storage->content = detail::Content::Truths;
  return result;
}

void save_npy(const std::filesystem::path& path, const garray_base& a) {
  switch (detail::engine().bytes_per_element()) {
    case sizeof(float):
      return npmat::save_npy(path, a.as_numpy_array<float>());
    case sizeof(double):
      return npmat::save_npy(path, a.as_numpy_array<double>());
    default:
      return npmat::save_npy(path, a.as_numpy_array<long double>());
  }
}

}  // namespace gnumpy

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "gnumpy/build.hpp"
#include "gnumpy/errors.hpp"
#include "gnumpy/functions.hpp"
#include "gnumpy/materialize.hpp"
#include "gnumpy/trace.hpp"
#include "npmat/npy.hpp"

namespace gnumpy {

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

// A diagonal is every (columns + 1)th element of the matrix in C order.
garray eye(Index n, std::optional<Index> m, Index k, Where where) {
  const Index cols = m.value_or(n);
  garray result = zeros({n, cols}, where);
  if (k >= cols || k <= -n) return result;
  const Index count = std::min(n + std::min<Index>(k, 0), cols - std::max<Index>(k, 0));
  const Index start = k > 0 ? k : -k * cols;
  const Subscript every(slice(start, start + (count - 1) * (cols + 1) + 1, cols + 1), where);
  result.ravel(where)(every) = 1.0;
  return result;
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

// ---- of an array's shape, in steps ----

garray empty_like(const garray_base& a, Where where) {
  return empty(a.shape(), where);
}

garray zeros_like(const garray_base& a, Where where) {
  return detail::same_kind(zeros(a.shape(), where), a);
}

garray ones_like(const garray_base& a, Where where) {
  return detail::same_kind(ones(a.shape(), where), a);
}

garray full_like(const garray_base& a, double value, Where where) {
  return full(a.shape(), value, where);
}

namespace {

/// make(number of the type in which NumPy would compute) with long double where elements are.
template <class Make>
garray in_precision(const Make& make) {
  if (detail::engine().bytes_per_element() > static_cast<int>(sizeof(double))) return make(0.0L);
  return make(0.0);
}

/// Raises an error for what the engine has no room for before the host makes it.
void check_room(Index count, const Where& where) {
  constexpr Index kMany = Index{1} << 24;
  if (count > kMany) (void)empty(count, where);
}

}  // namespace

garray arange(double stop, Where where) {
  return arange(0, stop, 1, where);
}

// The step is what NumPy takes: the difference of the first two numbers.
garray arange(double start, double stop, double step, Where where) {
  if (step == 0) detail::misuse("arange", where, "the step cannot be 0");
  const double length = std::ceil((stop - start) / step);
  if (!std::isfinite(start) || !std::isfinite(step) || !std::isfinite(length))
    detail::misuse(
        "arange", where,
        fmt::format("cannot compute the length from {} to {} in steps of {}", start, stop, step));
  if (length >= 0x1p62)
    detail::misuse("arange", where, fmt::format("{} numbers are too many", length));
  return in_precision([&]<class T>(T) {
    const T first = static_cast<T>(start);
    const T delta = first + static_cast<T>(step) - first;
    std::vector<T> numbers;
    const auto count = static_cast<Index>(std::max(length, 0.0));
    check_room(count, where);
    numbers.reserve(static_cast<std::size_t>(count));
    for (Index i = 0; i < count; ++i)
      numbers.push_back(i == 1 ? first + static_cast<T>(step) : first + static_cast<T>(i) * delta);
    return garray(numbers, where);
  });
}

garray linspace(double start, double stop, Index num, bool endpoint, Where where) {
  if (num < 0)
    detail::misuse("linspace", where, fmt::format("the number cannot be negative; got {}", num));
  check_room(num, where);
  return in_precision([&]<class T>(T) {
    const Index parts = endpoint ? num - 1 : num;
    const T first = static_cast<T>(start), last = static_cast<T>(stop);
    const T delta = last - first, step = delta / static_cast<T>(parts);
    std::vector<T> numbers;
    numbers.reserve(static_cast<std::size_t>(num));
    for (Index i = 0; i < num; ++i) {
      const T k = static_cast<T>(i);
      const T way = parts == 0  ? k * delta
                    : step == 0 ? k / static_cast<T>(parts) * delta
                                : k * step;
      numbers.push_back(way + first);
    }
    if (endpoint && num > 1) numbers.back() = last;
    return garray(numbers, where);
  });
}

}  // namespace gnumpy

#include <cmath>
#include <limits>
#include <vector>

#include "gnumpy/build.hpp"
#include "gnumpy/functions.hpp"
#include "gnumpy/say.hpp"

namespace gnumpy {

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

/// Refuses what the engine has no room for before the host makes it.
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

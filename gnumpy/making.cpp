#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "gnumpy/build.hpp"
#include "gnumpy/functions.hpp"
#include "gnumpy/say.hpp"
#include "gnumpy/settle.hpp"
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

}  // namespace gnumpy

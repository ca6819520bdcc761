#include <algorithm>
#include <numeric>
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
  return garray(detail::make_empty(std::move(shape.dims), where));
}

garray full(Shape shape, double value, Where where) {
  NodePtr node = detail::make_empty(std::move(shape.dims), where);
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
  NodePtr node = detail::make_empty(std::move(shape.dims), where);
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

garray garray::rand(Distribution distribution, Where where) const {
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

// Each axis becomes two, (repetitions, extent), of which the first is broadcast.
garray tile(const garray& a, Shape reps, Where where) {
  Dims extents = a.shape();
  Dims& times = reps.dims;
  extents.insert(extents.begin(), times.size() > extents.size() ? times.size() - extents.size() : 0,
                 1);
  times.insert(times.begin(), extents.size() - times.size(), 1);
  Dims apart, repeated, together;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    apart.insert(apart.end(), {1, extents[i]});
    repeated.insert(repeated.end(), {times[i], extents[i]});
    together.push_back(times[i] * extents[i]);
  }
  const NodePtr source = operand(a.reshape(apart, where), where).node;
  return detail::reshape(detail::repeat("tile", source, repeated, where), together, where);
}

garray garray::tile(Shape reps, Where where) const {
  return gnumpy::tile(*this, std::move(reps), where);
}

garray load_npy(const std::filesystem::path& path, Where where) {
  return garray(npmat::load_npy<double>(path), where);
}

void save_npy(const std::filesystem::path& path, const garray& a) {
  npmat::save_npy(path, a.as_numpy_array<double>());
}

}  // namespace gnumpy

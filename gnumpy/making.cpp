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

garray eye(Index n, Where where) {
  return diagflat(ones(n, where), where);
}

// The diagonal is every (n + 1)th element of the matrix in C order.
garray diagflat(const garray& a, Where where) {
  const Index n = a.size();
  const garray result = zeros({n, n}, where);
  if (n > 0) result.ravel(where)(Subscript(slice(0, n * n, n + 1), where)) = a.ravel(where);
  return result;
}

garray garray::diagflat(Where where) const {
  return gnumpy::diagflat(*this, where);
}

garray garray::diagonal(Where where) const {
  check_ndim(2);
  const auto [rows, cols] = extents<2>();
  const Index count = std::min(rows, cols);
  if (count == 0) return zeros(0, where);
  return ravel(where)(Subscript(slice(0, (count - 1) * (cols + 1) + 1, cols + 1), where));
}

garray garray::diag(Where where) const {
  return ndim() == 1 ? diagflat(where) : diagonal(where);
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

garray rand(Index first, Index second, Where where) {
  return rand({first, second}, where);
}
garray rand(Index first, Index second, Index third, Where where) {
  return rand({first, second, third}, where);
}
garray randn(Index first, Index second, Where where) {
  return randn({first, second}, where);
}
garray randn(Index first, Index second, Index third, Where where) {
  return randn({first, second, third}, where);
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
  const garray result = empty(dims, where);
  Index at = 0;
  for (const garray& part : parts) {
    std::vector<Subscript> place(along, Subscript(slice(), where));
    place.emplace_back(slice(at, at + part.shape()[along]), where);
    result.subscript(place, where) = part;
    at += part.shape()[along];
  }
  return result;
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

// What values choose: places of elements, distinct ones, counts.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gnumpy/build.hpp"
#include "gnumpy/errors.hpp"
#include "gnumpy/functions.hpp"
#include "gnumpy/materialize.hpp"
#include "gnumpy/selection.hpp"
#include "gnumpy/trace.hpp"

namespace gnumpy {

using detail::Block;
using detail::Node;
using detail::NodePtr;

namespace {

Block block_of(const Node& leaf) {
  return {leaf.storage->data(), leaf.offset, 0};
}

/// The first `count` elements, in memory that has no more.
NodePtr first(const NodePtr& leaf, Index count, const Where& where) {
  if (count == leaf->size) return leaf;
  const NodePtr result = detail::make_empty(Dims{count}, where);
  detail::assign(*result, leaf->storage, leaf->offset, where);
  return result;
}

/// Raises an error for counts among n elements of which not each is a number of the engine's type.
void check_counts(const char* op, const garray& counts, Index n, const Where& where) {
  const auto most = static_cast<double>(detail::engine().most_exact());
  if (static_cast<double>(n) > most && counts.size() > 0 && counts.max().item() >= most)
    detail::misuse(op, where,
                   fmt::format("not every count of {} elements is a number of {}", n,
                               detail::engine().name()));
}

}  // namespace

// ---- places ----

bool detail::finds_places(Index size) {
  return engine().on_gpu() && size <= engine().most_exact();
}

NodePtr detail::places_of(const Node& leaf, const std::source_location& where) {
  NodePtr found = make_empty(Dims{leaf.size}, where);
  if (leaf.size == 0) return found;
  const Lock lock;
  const Index count = engine().nonzero(block_of(leaf), block_of(*found), leaf.size);
  ran(*found, where, "cm.nonzero(x, target=t)");
  return first(found, count, where);
}

std::vector<Index> detail::numbers_in(const Node& places) {
  std::vector<double> numbers(static_cast<std::size_t>(places.size));
  if (places.size > 0)
    engine().to_host(places.storage->data(), places.offset, std::span<double>(numbers));
  return {numbers.begin(), numbers.end()};
}

namespace {

/// Where the type does not have the numbers of all elements: on the host.
std::vector<std::vector<double>> indices_on_host(const garray_base& a) {
  const std::vector<double> elements = a.to_vector();
  std::vector<std::vector<double>> indices(a.shape().size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i] == 0) continue;
    auto rest = static_cast<Index>(i);
    for (std::size_t axis = a.shape().size(); axis-- > 0;) {
      indices[axis].push_back(static_cast<double>(rest % a.shape()[axis]));
      rest /= a.shape()[axis];
    }
  }
  return indices;
}

}  // namespace

std::vector<garray> nonzero(const garray_base& a, Where where) {
  for (const Index extent : a.shape()) detail::check_positions("nonzero", extent, where);
  std::vector<garray> result;
  if (a.size() > detail::engine().most_exact()) {
    for (const std::vector<double>& axis : indices_on_host(a)) result.emplace_back(axis, where);
    return result;
  }
  if (a.ndim() == 0) return result;
  const garray places(detail::places_of(*operand(a, where).node, where));
  double after = 1;  // elements of which each has the same index
  for (std::size_t axis = a.shape().size(); axis-- > 0;) {
    const auto extent = static_cast<double>(a.shape()[axis]);
    const garray through = after == 1 ? places : floor_divide(operand(places, where), after);
    result.push_back(axis == 0 || places.size() == 0 ? through
                                                     : mod(operand(through, where), extent));
    after *= extent;
  }
  std::reverse(result.begin(), result.end());
  return result;
}

// ---- distinct elements ----

namespace {

/// The values, and with `counted` how often each is there.
std::pair<garray, garray> distinct(const garray_base& a, bool counted, const Where& where) {
  const NodePtr leaf = operand(a, where).node;
  const NodePtr values = detail::make_empty(Dims{leaf->size}, where);
  const NodePtr counts = detail::make_empty(Dims{counted ? leaf->size : 0}, where);
  if (leaf->size == 0) return {garray(values), garray(counts)};
  const detail::Lock lock;
  const Index found = detail::engine().unique(block_of(*leaf), block_of(*values),
                                              counted ? block_of(*counts) : Block{}, leaf->size);
  values->storage->content = leaf->content();
  if (counted)
    detail::ran(*values, where, "cm.unique(x, target=t, counts=u)");
  else
    detail::ran(*values, where, "cm.unique(x, target=t)");
  const NodePtr found_values = first(values, found, where);
  found_values->storage->content = leaf->content();
  return {garray(found_values), garray(counted ? first(counts, found, where) : counts)};
}

}  // namespace

garray unique(const garray_base& a, Where where) {
  return distinct(a, false, where).first;
}

std::pair<garray, garray> unique_counts(const garray_base& a, Where where) {
  std::pair<garray, garray> result = distinct(a, true, where);
  check_counts("unique_counts", result.second, a.size(), where);
  return result;
}

// ---- counts ----

namespace {

/// bincount of the leaf into `size` elements; `weights` may be null.
garray counted(const char* op, const NodePtr& leaf, const Node* weights, Index size,
               const Where& where) {
  const NodePtr target = detail::make_empty(Dims{size}, where);
  const detail::Lock lock;
  try {
    detail::engine().bincount(block_of(*leaf), weights == nullptr ? Block{} : block_of(*weights),
                              leaf->size, block_of(*target), size);
  } catch (const cudamat::CUDAMatException& error) {
    if (error.reason() != cudamat::Reason::Unsupported) throw;
    detail::misuse(op, where, std::string(error.message()));
  }
  if (weights == nullptr)
    detail::ran(*target, where, "cm.bincount(x, target=t)");
  else
    detail::ran(*target, where, "cm.bincount(x, weights, target=t)");
  return garray(target);
}

garray bincount(const garray_base& a, const garray_base* weights, Index minlength,
                const Where& where) {
  if (a.ndim() != 1)
    detail::misuse("bincount", where,
                   a.ndim() == 0 ? "object of too small depth for desired array"
                                 : "object too deep for desired array");
  if (weights != nullptr && weights->shape() != a.shape())
    detail::misuse("bincount", where,
                   fmt::format("The weights and list don't have the same length: {} and {}",
                               weights->shape().str(), a.shape().str()));
  if (minlength < 0) detail::misuse("bincount", where, "'minlength' must not be negative");
  const NodePtr leaf = operand(a, where).node;
  Index size = minlength;
  if (leaf->size > 0) {
    const detail::Lock lock;
    const double most =
        detail::engine().extremes(leaf->storage->data(), leaf->offset, leaf->size).second;
    // Others are no places, and refused.
    if (most >= 0 && most < 0x1p62) size = std::max(size, static_cast<Index>(most) + 1);
  }
  const NodePtr of_weights = weights == nullptr ? nullptr : operand(*weights, where).node;
  garray result = counted("bincount", leaf, of_weights.get(), size, where);
  if (weights == nullptr) check_counts("bincount", result, leaf->size, where);
  return result;
}

}  // namespace

garray bincount(const garray_base& a, Index minlength, Where where) {
  return bincount(a, nullptr, minlength, where);
}

garray bincount(const garray_base& a, const garray_base& weights, Index minlength, Where where) {
  return bincount(a, &weights, minlength, where);
}

// ---- histograms ----

namespace {

/// The elements from `begin` to `end` of a 1-D array.
garray part(const garray& a, Index begin, Index end, const Where& where) {
  return a.subscript({Subscript(slice(begin, end), where)}, where);
}

/// The places of all elements among the edges are counted, and those beside the bins omitted.
garray in_bins(const garray_base& a, const garray& edges, const HistogramOptions& options,
               const Where& where) {
  if (options.weights != nullptr && options.weights->shape() != a.shape())
    detail::misuse("histogram", where,
                   fmt::format("weights should have the same shape as a: {} and {}",
                               options.weights->shape().str(), a.shape().str()));
  const Index count = edges.size();
  if (count < 2) return zeros({0}, where);
  detail::check_positions("histogram", count, where);
  const NodePtr leaf = operand(a, where).node, from = operand(edges, where).node;
  const NodePtr places = detail::make_empty(Dims{leaf->size}, where);
  if (leaf->size > 0) {
    const detail::Lock lock;
    detail::engine().search(cudamat::Side::Bins, block_of(*from), count, block_of(*leaf),
                            block_of(*places), leaf->size);
    detail::ran(*places, where, "cm.searchsorted(edges, x, Side::Bins, target=t)");
  }
  const NodePtr weights =
      options.weights == nullptr ? nullptr : operand(*options.weights, where).node;
  const garray with_outside = counted("histogram", places, weights.get(), count + 1, where);
  garray inside = part(with_outside, 1, count, where);
  if (weights == nullptr) check_counts("histogram", inside, leaf->size, where);
  if (!options.density) return inside;
  const garray widths = subtract(part(edges, 1, count, where), part(edges, 0, count - 1, where));
  return divide(divide(inside, widths), sum(inside));
}

/// What equal bins are of.
struct Range {
  long double low = 0, high = 1;
  bool in_double = true;  ///< NumPy computes the edges of long double in float64, or in its own
};

/// NumPy's edges, of the engine's type.
template <class T, class Wide>
std::vector<T> equal_edges(const Range& range, Index bins) {
  std::vector<T> edges(static_cast<std::size_t>(bins) + 1);
  const auto start = static_cast<Wide>(range.low);
  const Wide step = (static_cast<Wide>(range.high) - start) / static_cast<Wide>(bins);
  for (Index k = 0; k < bins; ++k)
    edges[static_cast<std::size_t>(k)] = static_cast<T>(static_cast<Wide>(k) * step + start);
  edges.back() = static_cast<T>(range.high);
  return edges;
}

Range range_of(const garray_base& a, const HistogramOptions& options, const Where& where) {
  Range range;
  if (options.range) {
    range = {options.range->first, options.range->second};
    if (range.low > range.high)
      detail::misuse("histogram", where, "max must be larger than min in range parameter.");
  } else if (a.size() > 0) {
    const auto number = [](const garray& one) { return one.to_vector<long double>()[0]; };
    range = {number(min(operand(a, where))), number(max(operand(a, where))), false};
  }
  if (!std::isfinite(range.low) || !std::isfinite(range.high))
    detail::misuse("histogram", where,
                   fmt::format("{} range of [{}, {}] is not finite",
                               options.range ? "supplied" : "autodetected",
                               static_cast<double>(range.low), static_cast<double>(range.high)));
  if (range.low == range.high) {
    range.low -= 0.5L;
    range.high += 0.5L;
  }
  return range;
}

garray edges_of(const Range& range, Index bins, const Where& where) {
  switch (detail::engine().bytes_per_element()) {
    case sizeof(float):
      return garray(equal_edges<float, double>(range, bins), where);
    case sizeof(double):
      return garray(equal_edges<double, double>(range, bins), where);
    default:
      return garray(range.in_double ? equal_edges<long double, double>(range, bins)
                                    : equal_edges<long double, long double>(range, bins),
                    where);
  }
}

}  // namespace

std::pair<garray, garray> histogram(const garray_base& a, Index bins,
                                    const HistogramOptions& options, Where where) {
  if (bins < 1) detail::misuse("histogram", where, "`bins` must be positive, when an integer");
  garray edges = edges_of(range_of(a, options, where), bins, where);
  garray counts = in_bins(a, edges, options, where);
  return {std::move(counts), std::move(edges)};
}

std::pair<garray, garray> histogram(const garray_base& a, const garray_base& edges,
                                    const HistogramOptions& options, Where where) {
  if (edges.ndim() != 1) detail::misuse("histogram", where, "`bins` must be 1d, when an array");
  const std::vector<long double> numbers = edges.to_vector<long double>();
  for (std::size_t k = 1; k < numbers.size(); ++k)
    if (numbers[k - 1] > numbers[k])
      detail::misuse("histogram", where, "`bins` must increase monotonically, when an array");
  garray own = edges.copy(where);
  garray counts = in_bins(a, own, options, where);
  return {std::move(counts), std::move(own)};
}

}  // namespace gnumpy

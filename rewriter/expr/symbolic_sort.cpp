// Symbolic arrays: sorting, what stands where in order, and counts.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "rewriter/expr/build.hpp"

namespace rewriter {
namespace {

using cudamat::misuse;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// An array with one of its axes as rows and all others as columns.
struct Columns {
  Array array;             ///< extent x product of others
  Dims others;             ///< their extents
  std::vector<int> order;  ///< of the axes in it; empty where they stand as they were

  [[nodiscard]] Index extent() const { return array.shape(0); }
};

Columns columns_of(std::string_view op, const Array& of, std::optional<int> axis) {
  const Array a = axis ? of : of.ravel();
  const int along = axis ? detail::normalize_axis(op, *axis, a.ndim()) : 0;
  Columns result{a, a.shape(), {}};
  result.others.erase(result.others.begin() + along);
  const Index extent = a.shape(along), rest = npmat::element_count(result.others);
  if (a.ndim() == 2) {
    if (along == 1) result = {a.T(), result.others, {1, 0}};
    return result;
  }
  Array turned = a;
  if (along != 0) {
    result.order.resize(a.shape().size());
    std::iota(result.order.begin(), result.order.end(), 0);
    std::rotate(result.order.begin(), result.order.begin() + along,
                result.order.begin() + along + 1);
    turned = a.transpose(result.order);
  }
  result.array = turned.reshape({extent, rest});
  return result;
}

/// What was computed of the columns, as the array they were made of.
Array restored(const Columns& columns, const Array& computed) {
  if (columns.others.size() == 1) return columns.order.empty() ? computed : computed.T();
  Dims dims = columns.others;
  dims.insert(dims.begin(), columns.extent());
  Array turned = computed.reshape(dims);
  if (columns.order.empty()) return turned;
  std::vector<int> back(columns.order.size());
  for (std::size_t i = 0; i < back.size(); ++i)
    back[static_cast<std::size_t>(columns.order[i])] = static_cast<int>(i);
  return turned.transpose(back);
}

Array ordered(Op op, const Array& columns) {
  auto node = detail::make_node(Kind::Sort, op == Op::argsort ? DType::Int : columns.dtype(),
                                columns.shape(), columns);
  node->op = op;
  return detail::to_array(std::move(node));
}

Array in_order(Op op, const Array& a, std::optional<int> axis) {
  const Columns columns = columns_of(cudamat::name(op), a, axis);
  return restored(columns, ordered(op, columns.array));
}

/// Rows of sorted columns as arrays without the axis.
class Rows {
 public:
  Rows(std::string_view op, const Array& a, std::optional<int> axis, bool keepdims)
      : columns_(columns_of(op, a, axis)), kept_(columns_.others) {
    if (keepdims) {
      kept_ = Dims(a.shape().size(), 1);
      for (std::size_t i = 0; axis && i < kept_.size(); ++i) kept_[i] = a.shape()[i];
      if (axis) kept_[static_cast<std::size_t>(detail::normalize_axis(op, *axis, a.ndim()))] = 1;
    }
    if (extent() > 0) columns_.array = ordered(Op::sort, columns_.array);
  }
  [[nodiscard]] Index extent() const { return columns_.array.shape(0); }
  [[nodiscard]] const Dims& dims() const { return kept_; }
  [[nodiscard]] Array row(Index k) const {
    const Array& sorted = columns_.array;
    if (kept_.empty()) return sorted.slice({index_range(k, extent()), index_range(0, 1)});
    return sorted.slice({index_range(k, extent())}).reshape(kept_);
  }
  /// `result`, NaN where there is one among the elements.
  [[nodiscard]] Array unless_nan(const Array& result) const {
    if (columns_.array.dtype() != DType::Float) return result;
    return where(map(Op::isnan, row(extent() - 1)), Array(kNaN), result, kept_.empty());
  }

 private:
  Columns columns_;
  Dims kept_;
};

bool may_hold_nan(const Array& a) {
  if (a.dtype() != DType::Float) return false;
  const auto& data = a.node()->data;
  if (data == nullptr) return true;
  return std::visit(
      [](const auto& array) {
        return std::any_of(array.data.begin(), array.data.end(), [](auto x) { return x != x; });
      },
      *data);
}

Array without_axis(const Array& whole, Index at) {
  return whole.slice({index_range(at, whole.size())});
}

/// Of each element of a 1-D array the place in order; of equal elements the first comes first.
Array ranks(const Array& a) {
  const Index n = a.shape(0);
  return put(full({n}, 0, DType::Int), argsort(a, 0), counting(0, 1, n));
}

/// Of the elements of both in order, what is before each of v but is none of v.
Array searchsorted_by_sorting(const Array& a, const Array& v, bool right) {
  const Array of_v = v.ravel();
  const Index first = right ? a.size() : 0;
  const Array all = concatenate(right ? std::vector{a, of_v} : std::vector{of_v, a});
  return (ranks(all).slice({{first, first + v.size()}}) - ranks(of_v)).reshape(v.shape());
}

}  // namespace

Array sort(const Array& a, std::optional<int> axis) {
  return in_order(Op::sort, a, axis);
}

Array argsort(const Array& a, std::optional<int> axis) {
  return in_order(Op::argsort, a, axis);
}

namespace {

/// The methods that NumPy has from Hyndman and Fan, of which each place is on the line between both
/// neighbours, by their two constants.
struct PlaceRule {
  std::string_view method;
  double alpha;
  double beta;
};
constexpr PlaceRule kPlaceRules[] = {{"weibull", 0, 0},
                                     {"hazen", 0.5, 0.5},
                                     {"median_unbiased", 1 / 3.0, 1 / 3.0},
                                     {"normal_unbiased", 3 / 8.0, 3 / 8.0},
                                     {"interpolated_inverted_cdf", 0, 1}};
constexpr std::string_view kRoundings[] = {"linear", "lower", "higher", "nearest", "midpoint"};

/// Where a fraction is among n numbers in order, rounded as NumPy rounds it.
double place_of(std::string_view method, double n, double fraction) {
  for (const auto& [name, alpha, beta] : kPlaceRules)
    if (name == method) {
      const double place = n * fraction + (alpha + fraction * (1 - alpha - beta)) - 1;
      return std::clamp(place, 0.0, n - 1);
    }
  const double at = (n - 1) * fraction;
  if (method == "lower") return std::floor(at);
  if (method == "higher") return std::ceil(at);
  if (method == "nearest") return std::nearbyint(at);
  return method == "midpoint" ? 0.5 * (std::floor(at) + std::ceil(at)) : at;
}

}  // namespace

bool is_quantile_method(std::string_view method) {
  const auto is_it = [&](const PlaceRule& rule) { return rule.method == method; };
  return std::any_of(std::begin(kPlaceRules), std::end(kPlaceRules), is_it) ||
         std::find(std::begin(kRoundings), std::end(kRoundings), method) != std::end(kRoundings);
}

// The two neighbours and the formula that NumPy has, rounding included.
Array quantile(const Array& a, double fraction, std::optional<int> axis, bool keepdims,
               std::string_view method) {
  if (!(fraction >= 0 && fraction <= 1))
    misuse("quantile", "the fractions must be in the range [0, 1]; got {}", fraction);
  const Rows rows("quantile", a.dtype() == DType::Bool ? a.as_float() : a, axis, keepdims);
  const Index n = rows.extent();
  if (n == 0) return full(rows.dims(), kNaN);
  const double at = place_of(method, static_cast<double>(n), fraction);
  if (method == "lower" || method == "higher" || method == "nearest")  // is an element
    return rows.unless_nan(rows.row(static_cast<Index>(at)));
  const bool is_last = at >= static_cast<double>(n - 1);
  const Index before = is_last ? n - 1 : static_cast<Index>(std::floor(at));
  const double t = at - (is_last ? -1 : static_cast<double>(before));
  const Array low = rows.row(before), high = is_last ? low : rows.row(before + 1);
  const Array difference = high - low;
  return rows.unless_nan(t >= 0.5 ? high - difference * Array(1 - t) : low + difference * Array(t));
}

Array median(const Array& a, std::optional<int> axis, bool keepdims) {
  const Rows rows("median", a, axis, keepdims);
  const Index n = rows.extent();
  if (n == 0) return full(rows.dims(), kNaN);
  const Array upper = rows.row(n / 2) * Array(1.0);
  return rows.unless_nan(n % 2 == 1 ? upper : (rows.row(n / 2 - 1) + upper) / Array(2.0));
}

Array searchsorted(const Array& a, const Array& v, bool right) {
  if (a.ndim() != 1) misuse("searchsorted", "object of {} dimensions; a must have one", a.ndim());
  const Index n = a.shape(0);
  constexpr Index kMany = 256;  // comparisons of each with each would be n times as much memory
  if (n > kMany && v.size() > kMany) return searchsorted_by_sorting(a, v, right);
  Dims column = v.shape();
  column.push_back(1);
  const Array each = v.ndim() == 0 ? v : v.reshape(column);
  const auto count = [&](const Array& truths) { return reduce(Op::sum, truths, -1); };
  if (!may_hold_nan(a) && !may_hold_nan(v))
    return count(right ? logical_not(map(Op::greater_than, a, each)) : map(Op::less_than, a, each));
  const Array nans = may_hold_nan(a) ? reduce(Op::sum, map(Op::isnan, a)) : Array(0);
  if (right) return count(logical_not(map(Op::greater_than, a, each))) - nans * equal(v, v);
  return where(equal(v, v), count(map(Op::less_than, a, each)), Array(n) - nans, v.ndim() == 0);
}

Array digitize(const Array& x, const Array& bins, bool right) {
  Array before = searchsorted(bins, x, !right);
  const Index n = bins.shape(0);
  if (n < 2) return before;
  const Array descends = map(Op::greater_than, without_axis(bins, 0), without_axis(bins, n - 1));
  return where(descends, Array(n) - before, before, x.ndim() == 0);
}

// Of the elements below each edge those below the one before are not in the bin.
Array histogram(const Array& of, const Array& edges, const std::optional<Array>& weights) {
  const Array x = of.ravel();
  const Index n = edges.size();
  const auto weighted = [&](const Array& truths) {
    return weights ? truths * weights->ravel() : truths;
  };
  const Array below = reduce(Op::sum, weighted(map(Op::less_than, x, edges.reshape({n, 1}))), 1);
  const Array at_end = reduce(Op::sum, weighted(equal(x, edges.slice({{n - 1, n}}))));
  const Array counts = below.slice({{1, n}}) - below.slice({{0, n - 1}});
  const Array last = counts.slice({{n - 2, n - 1}}) + at_end;
  return n == 2 ? last : concatenate({counts.slice({{0, n - 2}}), last});
}

}  // namespace rewriter

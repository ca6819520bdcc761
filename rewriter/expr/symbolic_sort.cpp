// Symbolic arrays: sorting, what stands where in order, and counts.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/counts.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

/// Halves what is left of `a` until one element is: of the first half all come before an element of
/// v, or none of the second.
Array searchsorted_by_halving(const Array& a, const Array& v, bool right) {
  const Index n = a.shape(0);
  const bool nan_in_a = may_hold_nan(a), nan_in_v = may_hold_nan(v);
  // A NaN of `a` comes after all numbers: as infinity, which comes before it.
  const Array of_a = nan_in_a ? where(equal(a, a), a, Array(kInfinity)) : a;
  const Array of_v = v.ravel();
  const auto is_before = [&](const Array& element) {
    return right ? logical_not(map(Op::greater_than, element, of_v))
                 : map(Op::less_than, element, of_v);
  };
  std::optional<Array> begin;
  const auto element = [&](Index ahead) {
    if (!begin) return of_a.slice({index_range(ahead, n)});
    return take(of_a, ahead == 0 ? *begin : *begin + Array(ahead));
  };
  for (Index left = n; left > 1; left -= left / 2) {
    const Array moved = is_before(element(left / 2 - 1)) * Array(left / 2);
    begin = begin ? *begin + moved : moved;
  }
  const Array last = is_before(element(0)).as_type(DType::Int);
  Array result = begin ? *begin + last : last;
  const Array numbers = nan_in_a ? reduce(Op::sum, equal(a, a)) : Array(n);
  if (nan_in_a) result = minimum(result, numbers);
  if (nan_in_v) result = where(equal(of_v, of_v), result, right ? Array(n) : numbers);
  return result.reshape(v.shape());
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
    misuse(Exception::ValueError, "quantile", "the fractions must be in the range [0, 1]; got {}",
           fraction);
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
  if (a.ndim() != 1)
    misuse(Exception::ValueError, "searchsorted", "object of {} dimensions; a must have one",
           a.ndim());
  const Index n = a.shape(0);
  constexpr Index kFew = 2048;  // comparisons of each with each are fewer statements
  if (n > 8 && n > kFew / std::max(v.size(), Index{1})) return searchsorted_by_halving(a, v, right);
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
  const Index n = bins.size();
  if (bins.ndim() != 1 || n < 2) return searchsorted(bins, x, !right);
  const Array descends = map(Op::greater_than, without_axis(bins, 0), without_axis(bins, n - 1));
  const Array ascending = where(descends, bins.stepped(0, {{n - 1, {}}, -1, n}), bins);
  const Array before = searchsorted(ascending, x, !right);
  return where(descends, Array(n) - before, before, x.ndim() == 0);
}

Array counts_of_bins(const Array& bin, Index bins, const std::optional<Array>& weights) {
  const Array counts = bincount(bin.as_type(DType::Int),
                                weights ? std::optional(weights->ravel()) : weights, bins + 1);
  const Array inside = counts.slice({{0, bins}});
  return weights && weights->dtype() != DType::Float ? inside.as_type(DType::Int) : inside;
}

// Each element's bin by its place among the edges; one more bin has what is outside.
Array histogram(const Array& of, const Array& edges, const std::optional<Array>& weights) {
  const Array x = of.ravel();
  const Index bins = edges.size() - 1;
  const Array place = searchsorted(edges, x, true) - Array(std::int64_t{1});
  const Array at_end = equal(x, edges.slice({index_range(bins, bins + 1)}));
  const Array bin = where(at_end, Array(bins - 1), where(place < 0, Array(bins), place));
  return counts_of_bins(bin, bins, weights);
}

}  // namespace rewriter

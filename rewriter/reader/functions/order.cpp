// Functions of the notation that sort, find places in order, and count.
#include <algorithm>
#include <array>
#include <cmath>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/counts.hpp"
#include "rewriter/reader/selections/packed.hpp"
#include "rewriter/reader/selections/run_slices.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/table/trees.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/known_values.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// Every kind sorts; where elements are equal, the first one stays the first.
void check_kind(const Call& call, const Value* kind, const Value* order) {
  if (order != nullptr)
    misuse(call.name, "order= is for structured arrays, which are not supported");
  if (kind == nullptr) return;
  const auto* text = kind->as<std::string>();
  if (text == nullptr) misuse(call.name, "kind must be a string; got {}", kind->description());
  const bool partitions = call.name.ends_with("partition");
  constexpr std::string_view kFirst = "qhmsQHMS";  // all that NumPy looks at
  if (partitions ? *text != "introselect"
                 : text->empty() || kFirst.find(text->front()) == kFirst.npos)
    misuse(Exception::ValueError, call.name, "kind must be {}; got '{}'",
           partitions ? "'introselect'" : "'quicksort', 'mergesort', 'heapsort' or 'stable'",
           *text);
}

Value np_sort(const Call& call, bool places) {
  const auto bound = call.bind();
  check_kind(call, bound[2], bound[3]);
  Array a = array_argument(call, bound[0], "a");
  if (places && a.ndim() == 0) a = raveled(a);
  const std::optional<int> axis = axis_argument(call, bound[1]);
  return new_array(places ? argsort(a, axis) : sort(a, axis));
}

/// In order, which is one of the orders that a partition may have.
Value np_partition(const Call& call, bool places) {
  const auto bound = call.bind();
  check_kind(call, bound[3], bound[4]);
  const Array a = array_argument(call, bound[0], "a");
  const std::optional<int> axis = axis_argument(call, bound[2]);
  const Index extent = axis ? a.shape(*axis) : a.size();
  for (const Index k : dims_of(call, *bound[1]))
    if (k < -extent || k >= extent)
      misuse(Exception::ValueError, call.name, "kth(={}) out of bounds ({})", k, extent);
  return new_array(places ? argsort(a, axis) : sort(a, axis));
}

/// x.sort(), x.partition(k): in place.
Value sort_in_place(const Call& call) {
  const auto bound = call.bind();
  check_kind(call, bound[bound.size() - 2], bound.back());
  const auto* object = bound[0]->as<ObjectPtr>();
  if (object == nullptr || (*object)->is_scalar())
    misuse(call.name, "sorts an array; got {}", bound[0]->description());
  const Value* const axis = bound[bound.size() - 3];
  (*object)->write(sort((*object)->read(), axis == nullptr ? -1 : *axis_argument(call, axis)));
  return {};
}

// ---- places and counts ----

/// What is made of each of the elements of an argument, which may be a selection.
template <class F>
Value for_elements(const Call& call, const Value* argument, std::string_view parameter,
                   const F& f) {
  if (const auto selection = selection_of(*argument))
    return select(f(selection->whole), selection->mask, selection->first);
  return new_array(f(array_argument(call, argument, parameter)));
}

/// The selected elements of one dimension, and after them NaN, which comes last in order.
Array then_nan(const Selection& s) {
  return packed(s).with(Array(std::nan("")));
}

/// Whether each number of a run is at least (or at most) the one before it, NaN last.
Array is_ordered(const Array& a, bool descends = false) {
  const Index n = a.size();
  const Array before = a.slice({{0, n - 1}}), after = a.slice({{1, n}});
  const Array ordered = descends ? before >= after : before <= after;
  const bool has_nan = !descends && detail::may_be_nan(*a.node());
  return reduce(Op::all, has_nan ? logical_or(ordered, map(Op::isnan, after)) : ordered);
}

/// Whether it is known that they are in order.
bool is_known_ordered(const Node& node) {
  switch (node.kind) {
    case Kind::Fill:
      return true;
    case Kind::Constant:
      return std::visit(
          [](const auto& array) {
            return std::is_sorted(array.data.begin(), array.data.end(), [](auto next, auto one) {
              return !(one <= next || std::isnan(next));
            });
          },
          *node.data);
    case Kind::Sort:
      return node.op == Op::sort;
    case Kind::Reshape:
    case Kind::Transpose:
    case Kind::Copy:
      return node.args[0]->size() == node.size() && is_known_ordered(*node.args[0]);
    default:
      return false;
  }
}

/// What follows from numbers in order (which may descend): an error at run time where these are in
/// no order.
Array if_ordered(const Array& result, const Array& numbers, bool may_descend = false) {
  if (numbers.ndim() != 1 || numbers.size() < 2 || is_known_ordered(*numbers.node())) return result;
  const Array ascends = is_ordered(numbers);
  return checked(result, may_descend ? logical_or(ascends, is_ordered(numbers, true)) : ascends);
}

Value np_searchsorted(const Call& call) {
  const auto bound = call.bind();
  if (bound[3] != nullptr) misuse(call.name, "sorter= is not supported; sort a first");
  const auto* side = bound[2]->as<std::string>();
  if (side == nullptr || (*side != "left" && *side != "right"))
    misuse(side != nullptr ? Exception::ValueError : Exception::None, call.name,
           "side must be 'left' or 'right'; got {}", bound[2]->description());
  const bool right = *side == "right";
  const auto among = selection_of(*bound[0]);
  if (among && among->others() != 1)
    misuse(call.name, "object too deep for desired array: a is a selection of rows");
  const Array a = among ? then_nan(*among) : array_argument(call, bound[0], "a");
  if (a.node()->kind == Kind::Constant && !is_known_ordered(*a.node()))
    misuse(call.name, "a must be in increasing order; np.sort(a) orders it");
  return for_elements(call, bound[1], "v", [&](const Array& v) {
    const Array places = if_ordered(searchsorted(a, v, right), a);
    return among ? minimum(places, among->count()) : places;
  });
}

/// Raises an error for bins that are written out of order, or with NaN, as NumPy mostly does.
void check_bins(const Call& call, const Array& bins, bool may_descend) {
  if (bins.node()->kind != Kind::Constant) return;
  const auto check = [&](const auto& written) {
    const auto& edges = written.data;
    const bool has_nan = std::any_of(edges.begin(), edges.end(), [](auto e) { return e != e; });
    const bool ascends = std::is_sorted(edges.begin(), edges.end());
    const bool descends = may_descend && std::is_sorted(edges.rbegin(), edges.rend());
    if (has_nan || (!ascends && !descends))
      misuse(Exception::ValueError, call.name,
             "bins must be monotonically increasing{}, without NaN",
             may_descend ? " or decreasing" : "");
  };
  std::visit(check, *bins.node()->data);
}

Value np_digitize(const Call& call) {
  const auto bound = call.bind();
  const bool right = flag(bound[2]);
  const auto selected = selection_of(*bound[1]);
  if (!selected) {
    const Array bins = array_argument(call, bound[1], "bins");
    check_bins(call, bins, true);
    return for_elements(call, bound[0], "x", [&](const Array& x) {
      return bins.node()->kind == Kind::Constant ? digitize(x, bins, right)
                                                 : if_ordered(digitize(x, bins, right), bins, true);
    });
  }
  if (selected->others() != 1) misuse(call.name, "object too deep for desired array");
  const Array bins = then_nan(*selected), count = selected->count();
  return for_elements(call, bound[0], "x", [&](const Array& x) {
    return if_ordered(minimum(searchsorted(bins, x, !right), count), bins);
  });
}

/// `count` bins of one width from low to high, as np.linspace has their edges.
Array even_edges(Index count, const Array& low, const Array& high) {
  npmat::Array<double> steps{{count}, {}};
  for (Index k = 0; k < count; ++k) steps.data.push_back(static_cast<double>(k));
  const Array whole = constant(std::move(steps), "", DType::Int);
  const Array step = (high - low) / Array(static_cast<double>(count));
  return concatenate({whole * step + low, high.reshape({1})});
}

/// Edges of bins, and where all have one width the first and the last edge.
struct Bins {
  Array edges;
  std::optional<std::pair<Array, Array>> ends{};
};

/// any: whether there is an element at all; else that is known.
Bins bins_of(const Call& call, const Array& x, const Value* bins, const Value* range,
             const std::optional<Array>& any = {}) {
  if (!bins->is_number()) {
    const Array edges = array_argument(call, bins, "bins");
    if (edges.ndim() != 1 || edges.size() < 2)
      misuse(call.name, "bins must be a number, or two edges and more; got the shape {}",
             to_string(edges.shape()));
    check_bins(call, edges, false);
    return {if_ordered(edges, edges)};
  }
  const Index count = bins->integer("the number of bins");
  if (count < 1)
    misuse(Exception::ValueError, call.name, "`bins` must be positive, when an integer; got {}",
           count);
  if (range != nullptr) {
    const auto* ends = range->as<Sequence>();
    if (ends == nullptr || ends->items.size() != 2 || !ends->items[0].is_number() ||
        !ends->items[1].is_number())
      misuse(call.name, "range must be two numbers known when the program is read");
    double low = ends->items[0].real(), high = ends->items[1].real();
    if (!(low <= high) || std::isinf(low) || std::isinf(high))
      misuse(Exception::ValueError, call.name,
             "max must be larger than min in range parameter; got {} and {}", low, high);
    if (low == high) {
      low -= 0.5;
      high += 0.5;
    }
    npmat::Array<double> edges{{count + 1}, {}};
    const double step = (high - low) / static_cast<double>(count);
    for (Index k = 0; k < count; ++k) edges.data.push_back(static_cast<double>(k) * step + low);
    edges.data.push_back(high);
    return {constant(std::move(edges), ""), std::pair(Array(low), Array(high))};
  }
  if (x.size() == 0) return {even_edges(count, zeros({}), ones({}))};
  Array low = reduce(Op::min, x.as_float()), high = reduce(Op::max, x.as_float());
  if (any) {  // of none they are 0 and 1
    low = where(*any, low, Array(0.0), true);
    high = where(*any, high, Array(1.0), true);
  }
  if (x.dtype() == DType::Float) {  // as np.isfinite of both
    const Array most(std::numeric_limits<double>::max());
    low =
        checked(low, logical_and(low >= Array(-std::numeric_limits<double>::max()), high <= most));
  }
  const Array one = equal(low, high);
  low = where(one, low - Array(0.5), low, true);
  high = where(one, high + Array(0.5), high, true);
  return {even_edges(count, low, high), std::pair(low, high)};
}

/// How many elements are in each of the bins, or the sums of their weights. Of bins of one width
/// NumPy computes an element's, and corrects it by the edges.
Array counts_in(const Bins& bins, const Array& of, const std::optional<Array>& weights) {
  if (!bins.ends) return histogram(of, bins.edges, weights);
  const Array x = of.ravel().as_float();
  const auto& [first, last] = *bins.ends;
  const Index count = bins.edges.size() - 1;
  const Array outside = logical_or(x < first, logical_not(x <= last));
  const Array all(static_cast<double>(count)), one(std::int64_t{1}), most(count - 1);
  const Array computed = minimum((x - first) * (all / (last - first)), most.as_float());
  const Array at = detail::truncated(where(outside, Array(0.0), computed));
  const Array below = x < take(bins.edges, at);
  const Array above =
      logical_and(logical_not(x < take(bins.edges, at + one)), logical_not(equal(at, most)));
  const Array corrected = at - below.as_type(DType::Int) + above.as_type(DType::Int);
  return counts_of_bins(where(outside, Array(count), corrected), count, weights);
}

/// What is counted, each element as one or by its weight; of a selection all elements beside a
/// mask, of which those that are not selected have no weight.
class Weighed {
 public:
  Weighed(const Call& call, const Value* x, std::string_view parameter, const Value* weights) {
    const auto selection = selection_of(*x);
    const auto by = weights == nullptr ? std::nullopt : selection_of(*weights);
    if (!selection) {
      x_ = array_argument(call, x, parameter);
      if (by)
        weights_ = exactly(*by, x_->size());
      else if (weights != nullptr)
        weights_ = array_argument(call, weights, "weights");
      return;
    }
    if (selection->rest() > 0 || selection->first > 0)
      misuse(call.name, "of a masked selection of rows is not supported");
    if (by) {
      const std::vector<Selection> both = by_one_mask({*selection, *by});
      select(both[0], both[1].whole);
    } else if (weights != nullptr) {
      weights_ = array_argument(call, weights, "weights");
      x_ = exactly(*selection, weights_->size());
    } else {
      select(*selection, Array(std::int64_t{1}));
      counts_ = true;
    }
  }

  [[nodiscard]] const Array& x() const { return *x_; }
  [[nodiscard]] const std::optional<Array>& mask() const { return mask_; }
  [[nodiscard]] const std::optional<Array>& weights() const { return weights_; }
  /// The sums of the weights as ints, where these only say what is selected.
  [[nodiscard]] Array as_counts(const Array& sums) const {
    return counts_ ? sums.as_type(DType::Int) : sums;
  }

 private:
  void select(const Selection& s, const Array& weights) {
    const Index size = s.mask.size();
    x_ = s.whole.reshape({size});
    mask_ = s.mask.reshape({size});
    weights_ = where(*mask_, weights.size() == 1 ? weights : weights.reshape({size}),
                     Array(std::int64_t{0}));
  }

  std::optional<Array> x_, mask_, weights_;
  bool counts_ = false;
};

Value np_histogram(const Call& call, bool is_edges) {
  const auto bound = call.bind();
  if (is_edges && bound[4] != nullptr && is_selection(*bound[0]))
    misuse(call.name, "weights= of a masked selection is not supported; no edge depends on them");
  const Weighed weighed(call, bound[0], "a", bound[4]);
  std::optional<Array> any;
  Array x = weighed.x();
  if (const std::optional<Array>& mask = weighed.mask()) {  // what is not selected is the least
    any = reduce(Op::any, *mask);
    const Array most(std::numeric_limits<double>::infinity());
    const Array least = reduce(Op::min, where(*mask, x.as_float(), most));
    x = where(*mask, x, where(*any, least, Array(0.0), true));
  }
  const Bins bins = bins_of(call, x, bound[1], bound[2], any);
  const Array& edges = bins.edges;
  if (weighed.weights() && weighed.weights()->shape() != x.shape())
    misuse(Exception::ValueError, call.name,
           "weights should have the same shape as a; got {} and {}",
           to_string(weighed.weights()->shape()), to_string(x.shape()));
  if (is_edges) return new_array(edges);
  Array counts = weighed.as_counts(counts_in(bins, x, weighed.weights()));
  if (flag(bound[3])) {
    const Index n = edges.size();
    const Array widths = (edges.slice({{1, n}}) - edges.slice({{0, n - 1}})) * Array(1.0);
    counts = counts / widths / reduce(Op::sum, counts);
    counts.node()->float_bits = 64;
  }
  return {Sequence{false, {new_array(counts), new_array(edges)}}};
}

Value np_bincount(const Call& call) {
  const auto bound = call.bind();
  const Weighed weighed(call, bound[0], "x", bound[1]);
  const Array x =
      weighed.mask() ? where(*weighed.mask(), weighed.x(), Array(std::int64_t{0})) : weighed.x();
  const auto counts = [&](Index length) {
    return weighed.as_counts(bincount(x, weighed.weights(), length));
  };
  const bool runs = bound[2] != nullptr && is_run_bound(*bound[2]);
  Index length = bound[2] == nullptr || runs ? 0 : bound[2]->integer("minlength");
  if (length < 0)
    misuse(Exception::ValueError, call.name, "'minlength' must not be negative; got {}", length);
  const auto known = known_values(x.node());
  if (known)
    for (const double each : known->data) length = std::max(length, static_cast<Index>(each) + 1);
  const Array least = runs ? to_array(*bound[2], "minlength") : Array(length);
  const double most =
      std::max(detail::bounds(*x.node()).greatest + 1, detail::bounds(*least.node()).greatest);
  constexpr double kMostCounts = 65536;
  if ((known && !runs) || (bound[2] != nullptr && !runs) || x.size() == 0)
    return new_array(x.size() == 0 ? counts(length).as_type(DType::Int) : counts(length));
  if (!(most <= kMostCounts))
    misuse(call.name,
           "the number of counts is known only at run time; give minlength=; numbers that are not "
           "below it then raise an error");
  const Array there = weighed.mask() ? where(*weighed.mask(), x, Array(-1)) : x;
  const Array count = reduce(Op::max, there) + Array(std::int64_t{1});
  const auto size = static_cast<Index>(most);
  return select(counts(size), first_places(size, maximum(count, least).as_type(DType::Int)), 0);
}

/// The different numbers in order; of each where it is first, of each element the place among them,
/// and of each how many.
Value known_unique(const npmat::Array<double>& x, DType dtype, bool firsts, bool places,
                   bool counts) {
  std::vector<double> unique = x.data;
  std::sort(unique.begin(), unique.end());
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  std::vector<double> inverse, each(unique.size(), 0);
  for (const double number : x.data) {
    const auto at = std::lower_bound(unique.begin(), unique.end(), number) - unique.begin();
    inverse.push_back(static_cast<double>(at));
    ++each[static_cast<std::size_t>(at)];
  }
  const auto made = [](std::vector<double> numbers, DType type) {
    const Index count = std::ssize(numbers);
    return new_array(written_out({{count}, std::move(numbers)}, type));
  };
  std::vector<double> first(unique.size());
  for (std::size_t i = x.data.size(); i-- > 0;)
    first[static_cast<std::size_t>(inverse[i])] = static_cast<double>(i);
  std::vector<Value> results{made(std::move(unique), dtype)};
  if (firsts) results.push_back(made(std::move(first), DType::Int));
  if (places)
    results.push_back(new_array(written_out(
        {numpy_version() >= 2 ? x.shape : Dims{std::ssize(inverse)}, std::move(inverse)},
        DType::Int)));
  if (counts) results.push_back(made(std::move(each), DType::Int));
  return results.size() == 1 ? results[0] : new_sequence(false, std::move(results));
}

/// `asked`: for the places, the inverse and the counts.
Value unique_of_nothing(const Array& given, const std::array<bool, 3>& asked) {
  std::vector<Value> results{new_array(full({0}, 0, given.dtype()))};
  for (std::size_t i = 0; i < asked.size(); ++i)
    if (asked[i])
      results.push_back(
          new_array(full(i == 1 && numpy_version() >= 2 ? given.shape() : Dims{0}, 0, DType::Int)));
  return results.size() == 1 ? results[0] : new_sequence(false, std::move(results));
}

/// The different elements in order: a selection of all elements in order, of those that differ from
/// the one before. These are numbered; counts count the numbers, and places in it are the numbers
/// of the elements where these come from. Of a selection what is not selected is last in order.
Value np_unique(const Call& call) {
  const auto bound = call.bind();
  if (bound[4] != nullptr || !flag(bound[5]))
    misuse(call.name,
           "of its keywords only return_index=, return_inverse= and return_counts= are supported");
  const auto selection = selection_of(*bound[0]);
  if (selection && selection->others() != 1)
    misuse(call.name, "of a masked selection of rows is not supported");
  const Array given = selection ? packed(*selection).whole : array_argument(call, bound[0], "ar");
  const DType dtype = given.dtype();
  const Index n = given.size();
  if (n == 0) return unique_of_nothing(given, {flag(bound[1]), flag(bound[2]), flag(bound[3])});
  if (const auto known = known_values(given.node()); known && is_integer(dtype) && !selection)
    return known_unique(*known, dtype, flag(bound[1]), flag(bound[2]), flag(bound[3]));
  const Dims inverse = numpy_version() >= 2 && !selection ? given.shape() : Dims{n};
  std::optional<Array> are_there;
  Array x = given.reshape({n});
  if (selection) {
    are_there = first_places(n, selection->count());
    x = where(*are_there, x, Array(std::nan("")));
  }
  const Array order = argsort(x, 0);  // sorts, too, where places need it
  const Array sorted = flag(bound[2]) ? take(x, order) : sort(x, 0);
  const Array last = sorted.slice({{0, n - 1}}), next = sorted.slice({{1, n}});
  Array differs = not_equal(next, last);
  if (x.dtype() == DType::Float)  // NaNs are one element
    differs = logical_and(differs, logical_or(equal(last, last), equal(next, next)));
  Array first = concatenate({full({1}, 1, DType::Bool), differs});
  if (are_there) first = logical_and(first, *are_there);
  const auto chosen = [&](const Array& whole) { return select(whole, first, 0); };
  const Array zero(std::int64_t{0});
  Value unique =
      chosen(x.dtype() == dtype ? sorted : where(*are_there, sorted, zero).as_type(dtype));
  if (!flag(bound[1]) && !flag(bound[2]) && !flag(bound[3])) return unique;
  std::vector<Value> results{unique};
  Array number = cumsum(first.as_type(DType::Int), 0) - Array(std::int64_t{1});
  if (flag(bound[1])) results.push_back(chosen(order));
  if (flag(bound[2])) {
    const Array places = put(full({n}, 0, DType::Int), order, number).reshape(inverse);
    results.push_back(are_there ? select(places, *are_there, 0) : new_array(places));
  }
  if (flag(bound[3])) {
    if (are_there) number = maximum(number, zero);  // nothing is selected
    const auto weights =
        are_there ? std::optional(where(*are_there, Array(std::int64_t{1}), zero)) : std::nullopt;
    const Array counts = bincount(number, weights, n).as_type(DType::Int);
    results.push_back(chosen(take(counts, number)));
  }
  return new_sequence(false, std::move(results));
}

}  // namespace

void enter_order(FunctionTable& table) {
  const char* const of_sort = "a, axis=-1, kind=None, order=None";
  const char* const of_partition = "a, kth, axis=-1, kind=None, order=None";
  const char* const of_bins = "a, bins=10, range=None, density=False, weights=None";
  enter(
      table, Topic::Order,
      {{"np.sort", of_sort, with(np_sort, false), kAlongAxis},
       {"np.argsort .argsort", of_sort, with(np_sort, true), kInOrder | kAlongAxis},
       {"np.partition", of_partition, with(np_partition, false), kAlongAxis},
       {"np.argpartition .argpartition", of_partition, with(np_partition, true), kAlongAxis},
       {".sort", of_sort, sort_in_place},
       {".partition", of_partition, sort_in_place},
       {"np.searchsorted .searchsorted", "a, v, side='left', sorter=None", np_searchsorted,
        kInOrder | kSelections},
       {"np.digitize", "x, bins, right=False", np_digitize, kInOrder | kSelections},
       {"np.histogram", of_bins, with(np_histogram, false), kSelections},
       {"np.histogram_bin_edges", of_bins, with(np_histogram, true), kSelections},
       {"np.bincount", "x, weights=None, minlength=None", np_bincount, kSelections | kMakesDoubles},
       {"np.unique",
        "ar, return_index=False, return_inverse=False, return_counts=False, axis=None, "
        "equal_nan=True",
        np_unique, kSelections}});
}

}  // namespace rewriter

#include "rewriter/reader/selections/packed.hpp"

#include <algorithm>
#include <cmath>

#include "rewriter/expr/bounds.hpp"
#include "rewriter/expr/build.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/table/trees.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// Whether perhaps_element made them, so that none is beyond so many.
bool stay_below(const Array& indices, const Array& count) {
  const Node& node = *indices.node();
  return node.kind == Kind::Map && node.op == Op::minimum &&
         is_same_mask(Array(node.args[1]), last_of(count));
}

/// For each place of the mask its row of the source; the mask selects so many, or the run fails. A
/// source that has one row at run time is repeated.
Array rows_at(const Array& source, const Array& mask, const Array& count) {
  const Array flat = mask.reshape({mask.size()});
  const Array ranks = cumsum(flat.as_type(DType::Int), 0) - Array(std::int64_t{1});
  Array there = flat, fits = equal(reduce(Op::sum, flat), count);
  if (!count.is_number()) {
    const Array is_one = equal(count, Array(std::int64_t{1}));
    there = logical_and(flat, logical_not(is_one));
    fits = logical_or(fits, is_one);
  }
  const Array places = checked(where(there, ranks, Array(std::int64_t{0})), fits);
  const Array found = take(source, places.as_type(DType::Int));
  Dims dims = mask.shape();
  dims.insert(dims.end(), source.shape().begin() + 1, source.shape().end());
  return found.reshape(std::move(dims));
}

}  // namespace

std::optional<Array> first_count(const Array& mask) {
  const Node& node = *mask.node();
  const bool is_first = node.kind == Kind::Map && node.op == Op::less_than && mask.ndim() == 1 &&
                        node.args[1]->size() == 1 && node.args[0]->dims == node.dims &&
                        is_same_mask(Array(node.args[0]), counting(0, 1, mask.size()));
  return is_first ? std::optional(Array(node.args[1])) : std::nullopt;
}

Array last_of(const Array& count) {
  return maximum(count - Array(std::int64_t{1}), Array(std::int64_t{0}));
}

Selection all_of(const Array& array) {
  return {array, full({array.shape(0)}, 1, DType::Bool), 0};
}

Array first_places(Index size, const Array& count) {
  return counting(0, 1, size) < count;
}

Selection in_one_axis(const Selection& s) {
  if (s.mask.ndim() == 1) return s;
  Dims dims = s.whole.shape();
  dims.erase(dims.begin() + s.first, dims.begin() + s.first + s.mask.ndim());
  dims.insert(dims.begin() + s.first, s.mask.size());
  return {s.whole.reshape(std::move(dims)), s.mask.reshape({s.mask.size()}), s.first};
}

Selection packed(const Selection& given) {
  Selection s = in_one_axis(given);
  if (first_count(s.mask)) return s;
  const Array order = argsort(logical_not(s.mask), 0);
  return {take(s.whole, order, s.first), first_places(s.mask.size(), s.count()), s.first};
}

/// The number plus 0, or an error at run time if the place, an int, is 1.
static Array with_place(const Array& number, const Array& place) {
  return number + take(counting(0, 1, 1), place.reshape({1})).slice({index_range(0, 1)});
}

Array checked(const Array& number, const Array& holds) {
  return with_place(number, where(holds, Array(std::int64_t{0}), Array(1)));
}

Array whole_number(const Array& number) {
  Array whole = converted(number, DType::Int);
  const Array least = Array::number(-0x1p63, DType::Int);  // which NaN and what is too large become
  const auto known = detail::bounds(*number.node());
  const bool fits = -0x1p63 < known.least && known.greatest < 0x1p63;
  if (number.is_number() || (fits && !detail::may_be_nan(*number.node()))) return whole;
  return with_place(whole, equal(whole, least).as_type(DType::Int));
}

Array assignable(const Array& target, const Value& assigned, bool to_element) {
  Array value = to_array(assigned, "the value assigned");
  const auto* object = assigned.as<ObjectPtr>();
  const bool is_number = object != nullptr && (*object)->is_scalar();
  const bool is_known = value.is_number();
  if (!is_integer(target.dtype()) || value.size() != 1 ||
      !(is_number || is_known || (to_element && value.ndim() > 0)))
    return value;
  const DType dtype = target.dtype();
  Array whole = value.dtype() == DType::Float && !is_known ? whole_number(value.reshape({}))
                                                           : value.reshape({});
  const auto known = detail::bounds(*whole.node()), held = detail::limits(dtype);
  const bool fits =
      std::trunc(known.least) >= held.least && std::trunc(known.greatest) <= held.greatest;
  if (numpy_version() < 2 || !is_narrow(dtype) || fits) return is_known ? value : whole;
  if (is_known && std::isfinite(known.least))
    misuse(Exception::OverflowError, "program", "Python integer {} out of bounds for {}",
           std::trunc(known.least), detail::type_name(dtype));
  if (is_known) return value;
  return with_place(whole, not_equal(converted(whole, dtype), whole).as_type(DType::Int));
}

Array exactly(const Selection& s, Index count) {
  const Selection all = packed(s);
  if (count > all.mask.size())
    misuse("index", "{} elements cannot be combined with a masked selection of at most {} elements",
           count, all.mask.size());
  const Array places = checked(counting(0, 1, count), equal(s.count(), Array(count)));
  return take(all.whole, places.as_type(DType::Int), all.first);
}

Array repeated_to(const Selection& s, Index count) {
  const Selection all = packed(s);
  const Index size = all.mask.size();
  if (size == 0) return exactly(s, count);
  const Array is_one = equal(s.count(), Array(std::int64_t{1}));
  const Array fits = size < count ? is_one : logical_or(is_one, equal(s.count(), Array(count)));
  const Array places = counting(0, 1, count) * logical_not(is_one).as_type(DType::Int);
  const Array there = size < count ? minimum(places, Array(size - 1)) : places;
  return take(all.whole, checked(there, fits).as_type(DType::Int), all.first);
}

std::vector<Selection> by_one_mask(std::vector<Selection> selections) {
  const auto is_older = [](const Selection& a, const Selection& b) {
    return a.mask.node()->id < b.mask.node()->id;
  };
  // What was made of any of them is newer than this one.
  const Array mask = std::min_element(selections.begin(), selections.end(), is_older)->mask;
  const auto is_by_mask = [&](const Selection& s) { return is_same_mask(mask, s.mask); };
  if (std::all_of(selections.begin(), selections.end(), is_by_mask)) {
    for (Selection& s : selections) s.mask = mask;
    return selections;
  }
  const Array count = selections[0].count();
  std::optional<Array> all_agree;
  Index size = selections[0].mask.size();
  for (Selection& s : selections) {
    const Array agrees = equal(s.count(), count);
    all_agree = all_agree ? logical_and(*all_agree, agrees) : agrees;
    size = std::min(size, s.mask.size());
    s = packed(s);
  }
  const Array together = first_places(size, checked(count, *all_agree));
  for (Selection& s : selections) s = {part(s.whole, s.first, 0, size), together, s.first};
  return selections;
}

Array places_below(const Array& indices, const Array& count, const Array& out) {
  const Array places = where(indices < 0, indices + count, indices);
  return where(logical_and(places < count, logical_not(places < 0)), places, out);
}

Array places_in_whole(const Selection& s, const Array& indices) {
  const Index size = s.mask.size();
  const auto first = first_count(s.mask);
  if (first && stay_below(indices, *first)) return indices;
  if (first || indices.ndim() > 0) {
    const Array places = places_below(indices, s.count(), Array(size)).as_type(DType::Int);
    return first ? places : take(argsort(logical_not(s.mask), 0), places);
  }
  // The rank that it has among the selected elements, from 1 on; of none: an index out of bounds.
  Array is_it = s.mask;
  if (!indices.is_number() || indices.node()->number != 0) {  // else the first that is selected
    const Array rank = where(indices < 0, indices + s.count(), indices) + Array(std::int64_t{1});
    is_it = logical_and(is_it, equal(cumsum(s.mask.as_type(DType::Int), 0), rank));
  }
  return reduce(Op::min, where(is_it, counting(0, 1, size), Array(size))).as_type(DType::Int);
}

Value element_at(const Selection& s, const Array& index) {
  if (stay_below(index, s.count()))  // of none where there is none, which nobody asks for
    return subscript(new_array(packed(s).whole), {new_array(index.as_type(DType::Int))});
  return subscript(new_array(s.whole), {new_array(places_in_whole(s, index))});
}

Array elements_at(const Selection& s, const Array& indices, const Array* wanted) {
  const Selection all = packed(s);
  Array out(all.mask.size());
  if (wanted != nullptr) out = where(*wanted, out, Array(std::int64_t{0}));
  const Array places = places_below(indices, s.count(), out).as_type(DType::Int);
  return to_array(subscript(new_array(all.whole), {new_array(places)}), "elements");
}

Selection reversed(const Selection& s) {
  const Selection all = packed(s);
  const Array back = s.count() - Array(std::int64_t{1}) - counting(0, 1, all.mask.size());
  return {take(all.whole, maximum(back, Array(std::int64_t{0})).as_type(DType::Int), all.first),
          all.mask, all.first};
}

Array dealt(const Array& source, const Array& mask) {
  return rows_at(source, mask, Array(source.shape(0)));
}

Array dealt(const Selection& source, const Array& mask) {
  if (is_same_mask(source.mask, mask)) return source.whole;
  if (source.first != 0)
    misuse("index",
           "a masked selection of columns can only be assigned to a selection by the same mask");
  return rows_at(packed(source).whole, mask, source.count());
}

}  // namespace rewriter

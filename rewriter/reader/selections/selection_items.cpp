// Items and slices of masked selections.
#include <algorithm>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/selections/packed.hpp"
#include "rewriter/reader/selections/run_slices.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/table/trees.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

using cudamat::misuse;

/// The mask of np.nonzero's places as one of the axes from `first` on, which may be longer than
/// those of the array that the places are of.
static Value mask_within(const ObjectPtr& mask, const Dims& dims, std::size_t first) {
  const Dims& has = mask->shape();
  if (first + has.size() > dims.size()) return {mask};
  const Dims wanted(dims.begin() + static_cast<std::ptrdiff_t>(first),
                    dims.begin() + static_cast<std::ptrdiff_t>(first + has.size()));
  if (wanted == has) return {mask};
  std::vector<Range> ranges;
  for (std::size_t axis = 0; axis < has.size(); ++axis) {
    if (has[axis] > wanted[axis])
      misuse("index",
             "these indices from np.where(...) or np.nonzero(...) are of an array of shape {}, and "
             "may be out of bounds for one of shape {}; slice the first array to at most that size",
             to_string(has), to_string(dims));
    ranges.push_back({0, has[axis]});
  }
  return new_array(set_slice(full(wanted, 0, DType::Bool), ranges, mask->read()));
}

std::vector<Value> with_masks(const Value& object, const std::vector<Value>& index) {
  const auto* array = object.as<ObjectPtr>();
  Index axis = 0;  // of the array; below 0 after what takes several

  const auto place = [&](std::size_t i) {
    const auto* selected = i < index.size() ? index[i].as<Selected>() : nullptr;
    return selected != nullptr && selected->axis >= 0 ? selected : nullptr;
  };
  std::vector<Value> result;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const Selected* const first = place(i);
    if (first == nullptr) {
      result.push_back(index[i]);
      if (index[i].as<Slice>() != nullptr || index[i].is_integer()) {
        if (axis >= 0) ++axis;
      } else if (!index[i].is_none()) {
        axis = -1;
      }
      continue;
    }
    if (first->axis != 0)
      misuse("index",
             "the indices that np.nonzero returns must be used together in one subscript, in their "
             "order");
    const auto ndim = static_cast<std::size_t>(first->mask->shape().size());
    for (std::size_t k = 1; k < ndim; ++k) {
      const Selected* const next = place(++i);
      if (next == nullptr || next->mask != first->mask || next->axis != static_cast<int>(k))
        misuse("index",
               "the indices that np.nonzero returns must be used together in one subscript, in "
               "their order");
    }
    result.push_back(array != nullptr && axis >= 0 ? mask_within(first->mask, (*array)->shape(),
                                                                 static_cast<std::size_t>(axis))
                                                   : Value{first->mask});
    if (axis >= 0) axis += static_cast<Index>(ndim);
  }
  return result;
}

Value selected_from(const Value& object, const Selection& index) {
  if (!is_integer(index.whole.dtype()) || index.first != 0 || index.others() != 1)
    misuse("index",
           "a masked selection used as an index must hold integers and be one-dimensional");
  if (const auto selection = selection_of(object))
    return select(elements_at(*selection, index.whole, &index.mask), index.mask, 0);
  const Array everywhere = where(index.mask, index.whole, Array(std::int64_t{0}));
  const Value found = subscript(object, {new_array(everywhere.as_type(DType::Int))});
  return select(to_array(found, "the selection"), index.mask, 0);
}

/// Whether it is an int, known or not.
static bool is_integer_scalar(const Value& value) {
  const auto* object = value.as<ObjectPtr>();
  if (object == nullptr) return value.is_integer();
  return (*object)->shape().empty() && is_integer((*object)->read().dtype());
}

/// selection[...] by an array or a list of ints or truths, or by another selection.
static std::optional<Value> selection_items(const Selection& s, const Value& index) {
  if (s.first != 0) return std::nullopt;
  if (const auto chosen = selection_of(index)) {
    if (chosen->whole.dtype() != DType::Bool) return selected_from(select(s), *chosen);
    if (chosen->rest() == s.rest() && is_same_mask(s.mask, chosen->mask))
      return select(s.whole, chosen->with(Array::number(0, DType::Bool)), 0);
    if (chosen->others() != 1) return std::nullopt;
    const std::vector<Selection> both = by_one_mask({s, *chosen});
    return select(both[0].whole, logical_and(both[0].mask, both[1].whole), 0);
  }
  const bool is_list = is_array_like(index) && index.as<Sequence>()->list;
  const auto* object = index.as<ObjectPtr>();
  if (!is_list && (object == nullptr || (*object)->shape().empty())) return std::nullopt;
  const Array places = to_array(index, "an index");
  if (is_integer(places.dtype())) return new_array(elements_at(s, places));
  if (places.dtype() != DType::Bool || places.ndim() != 1) return std::nullopt;
  return subscript(new_array(exactly(s, places.size())), {index});
}

/// selection[k:], [:-k] or both: of the elements in order a part of which the first ones count, so
/// that neighbours lie at one place.
static std::optional<Value> without_ends(const Selection& s, const Slice& slice) {
  const auto known = [](const std::optional<Affine>& bound) {
    return !bound ? 0 : bound->known() ? bound->constant : Index{-1};
  };
  const Index before = known(slice.start);
  const Index after = slice.stop && slice.stop->known() ? -slice.stop->constant : Index{0};
  const bool is_part = before >= 0 && after >= 0 && before + after > 0 &&
                       (!slice.stop || after > 0) && !slice.step && slice.numbers.empty();
  const Index size = s.mask.size() - before - after;
  if (!is_part || s.first > 0 || s.mask.ndim() > 1 || size < 1) return std::nullopt;
  const Selection all = packed(s);
  return select(part(all.whole, 0, before, before + size),
                first_places(size, s.count() - Array(before + after)), 0);
}

Value selection_item(const Selection& selection, const std::vector<Value>& index) {
  const auto ellipsis = std::find_if(index.begin(), index.end(), [](const Value& each) {
    return each.as<EllipsisValue>() != nullptr;
  });
  if (ellipsis != index.end()) {  // means as many slices as there are other axes
    const auto others = std::count_if(index.begin(), index.end(),
                                      [](const Value& each) { return !each.is_none(); }) -
                        1;
    const auto ndim = static_cast<std::ptrdiff_t>(selection.first + selection.rest() + 1);
    std::vector<Value> plain(index.begin(), ellipsis);
    plain.insert(plain.end(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(ndim - others, 0)),
                 Value{Slice{}});
    plain.insert(plain.end(), ellipsis + 1, index.end());
    return selection_item(selection, plain);
  }
  if (index.size() == 1 && index[0].as<Slice>() != nullptr) {
    if (auto part = without_ends(selection, *index[0].as<Slice>())) return *part;
    return selection_slice(selection, *index[0].as<Slice>());
  }
  if (index.size() == 1)
    if (auto items = selection_items(selection, index[0])) return *items;
  const auto* slice = index.empty() ? nullptr : index[0].as<Slice>();
  if (index.size() > 1 && slice != nullptr && !takes_all(*slice) && selection.first == 0) {
    std::vector<Value> rest = index;
    rest[0] = {Slice{}};
    return selection_item(*selection_of(selection_item(selection, {index[0]})), rest);
  }
  const bool is_added = !index.empty() && index[0].is_none() && selection.first == 0;
  if (is_added && (index.size() == 1 || (index.size() == 2 && index[1].as<Slice>() != nullptr))) {
    Dims dims = selection.whole.shape();
    dims.insert(dims.begin(), 1);
    const bool takes_rows = index.size() == 1 || takes_all(*index[1].as<Slice>());
    const Selection part =
        takes_rows ? selection : *selection_of(selection_item(selection, {index[1]}));
    return select(part.whole.reshape(std::move(dims)), part.mask, 1);
  }
  const auto before = static_cast<std::size_t>(selection.first);
  const auto is_plain = [](const Value& each) {
    return is_integer_scalar(each) || each.as<Slice>() != nullptr;
  };
  if (!index.empty() && index.size() <= before &&
      std::all_of(index.begin(), index.end(), is_plain)) {
    const Array part = to_array(subscript(new_array(selection.whole), index), "a selection");
    return select(part, selection.mask, selection.first - selection.whole.ndim() + part.ndim());
  }
  if (index.size() > 1 && slice != nullptr && selection.first == 0) {
    std::vector<Value> of_whole(static_cast<std::size_t>(selection.mask.ndim()) - 1, index[0]);
    of_whole.insert(of_whole.end(), index.begin(), index.end());
    const Array part = to_array(subscript(new_array(selection.whole), of_whole), "a selection");
    const Dims& mask = selection.mask.shape();
    if (part.shape().size() >= mask.size() &&
        std::equal(mask.begin(), mask.end(), part.shape().begin()))
      return select(part, selection.mask, 0);
  }
  if (index.size() > 1 && is_integer_scalar(index[0]) && selection.first == 0 &&
      selection.mask.ndim() == 1)
    return subscript(selection_item(selection, {index[0]}), {index.begin() + 1, index.end()});
  const bool is_int = index.size() == 1 && is_integer_scalar(index[0]);
  if (!is_int || selection.first > 0 || selection.mask.ndim() > 1)
    misuse("index",
           "an int index of a masked selection, whose length is known only at run time, selects an "
           "element or a row");
  return element_at(selection, to_array(index[0], "an index"));
}

}  // namespace rewriter

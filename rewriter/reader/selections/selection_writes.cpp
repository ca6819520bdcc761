#include "rewriter/reader/selections/selection_writes.hpp"

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

namespace {

/// As NumPy does into an array of the type that it has.
void write_into(const Selected& selected, const Array& value) {
  selected.whole->write(set_slice(selected.whole->read(), {}, value));
}

/// selection[:, ...] = value: to all rows, whether they are selected or not.
void assign_columns(const Selected& selected, const Selection& s, const std::vector<Value>& index,
                    const Value& value) {
  Value source = value;
  if (const auto values = selection_of(value)) {
    if (values->first != 0 || (values->others() != 1 && !is_same_mask(s.mask, values->mask)))
      misuse("index",
             "only numbers and selections by the same mask can be assigned to columns of a masked "
             "selection");
    source = new_array(dealt(*values, s.mask));
  } else if (const Array each = to_array(value, "the value assigned"); each.ndim() > 0) {
    if (each.ndim() > 1 || index.size() != 2 || index[1].as<Slice>() != nullptr)
      misuse("index", "an array of shape {} cannot be assigned to columns of a masked selection",
             to_string(each.shape()));
    source = new_array(dealt(each, s.mask));
  }
  assign_subscript({selected.whole}, index, source);
}

}  // namespace

void assign_at_selected(const ObjectPtr& array, const Selection& index, const Value& value) {
  const Array old = array->read();
  if (old.ndim() == 0 || index.first != 0 || index.others() != 1)
    misuse("index",
           "a masked selection used as an index must hold integers and be one-dimensional");
  Selection at = in_one_axis(index);
  Value source = value;
  if (const auto values = selection_of(value)) {
    const std::vector<Selection> both = by_one_mask({at, in_one_axis(*values)});
    at = both[0];
    source = new_array(both[1].whole);
  } else if (const Array each = to_array(value, "the value assigned");
             each.ndim() == old.ndim() && each.shape(0) != 1) {
    source = new_array(dealt(each, at.mask));
  }
  // With a row more, which takes what is assigned to no place.
  const Index size = old.shape(0);
  Dims dims = old.shape();
  dims[0] = 1;
  const Value longer = new_array(concatenate({old, full(dims, 0, old.dtype())}));
  const Array places = places_below(at.whole, Array(size), Array(size + 1));
  assign_subscript(longer, {new_array(where(at.mask, places, Array(size)).as_type(DType::Int))},
                   source);
  array->write(set_slice(old, {}, part(to_array(longer, "an array"), 0, 0, size)));
}

void assign_to_selection(const Selected& selected, const std::vector<Value>& index,
                         const Value& value) {
  const Selection s{selected.whole->read(), selected.mask->read(), selected.first};
  if (selected.whole->stands_for_part())
    misuse("index",
           "a slice with run-time bounds cannot be indexed in an assignment; write the slice of "
           "the array itself, x[i:j] = ...");
  if (s.first != 0 || s.mask.ndim() != 1 || index.empty())
    misuse("index", "only masked selections of elements or rows can be written to");
  const auto* slice = index[0].as<Slice>();
  if (slice != nullptr && takes_all(*slice) && index.size() > 1)
    return assign_columns(selected, s, index, value);
  const auto write = [&](const Array& mask) {
    if (index.size() > 1)
      misuse("index",
             "rows that a mask selects from a masked selection can be written to as a whole only");
    write_into(selected, with_selected(s.whole, mask, 0, value));
  };
  const auto chosen = selection_of(index[0]);
  if (slice != nullptr) {
    if (slice->step == Affine{-1, {}})
      misuse("index", "an assignment to a reversed masked selection is not supported");
    return write(selection_of(selection_slice(s, *slice))->mask);
  }
  if (chosen && chosen->whole.dtype() == DType::Bool && is_same_mask(s.mask, chosen->mask) &&
      chosen->rest() == s.rest())
    return write(chosen->with(Array::number(0, DType::Bool)));
  if (chosen && chosen->whole.dtype() == DType::Bool && chosen->others() == 1)
    return write(logical_and(s.mask, dealt(*chosen, s.mask)));
  if (chosen)
    misuse("index", "{} is not supported as an index in an assignment to a masked selection",
           index[0].description());
  const Array indices = to_array(index[0], "an index");
  if (!is_integer(indices.dtype()))
    misuse("index",
           "an index in an assignment to a masked selection must be ints, or booleans selected by "
           "the same mask");
  std::vector<Value> places = index;
  places[0] = new_array(places_in_whole(s, indices));
  assign_subscript({selected.whole}, places, value);
}

void check_in_place(std::string_view op, const Value& target, const Value& result) {
  const auto* object = target.as<ObjectPtr>();
  if (object != nullptr && !(*object)->is_scalar())
    return detail::check_in_place(op, (*object)->read(), to_array(result, "the value assigned"));
  const auto selected = selection_of(target);
  if (!selected) return;
  const auto made = selection_of(result);
  const Array computed = made ? made->whole : to_array(result, "the value assigned");
  detail::check_cast_in_place(op, selected->whole.dtype(), computed.dtype());
}

void write_selected(const Selected& selected, std::string_view op, const Value& result) {
  check_in_place(op, {selected}, result);
  const Array old = selected.whole->read();
  write_into(selected,
             with_selected(old, selected.mask->read(), std::size_t(selected.first), result));
}

}  // namespace rewriter

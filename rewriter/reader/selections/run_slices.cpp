// x[i:j] where i or j is a run-time value: its length is known only at run time, so it is a masked
// selection of the elements within. In NumPy it is a view: it is read as long as x was
// not written since, and written to as a part of x.
#include "rewriter/reader/selections/run_slices.hpp"

#include <algorithm>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/selections/packed.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

const Slice* run_slice(const Value& item) {
  const auto* slice = item.as<Slice>();
  return slice != nullptr && has_run_bounds(*slice) ? slice : nullptr;
}

/// Python's bound, counted from the start: what is before it, or after the end, takes no more.
Array bound_from_start(const Value& bound, const Array& count) {
  Array at = to_array(bound, "a bound of a slice").as_type(DType::Int);
  if (at.is_number() && at.node()->number >= 0) return at;
  return where(at < 0, at + count, at);
}

/// Which of the places start:stop takes, of so many.
Array within(const Array& places, const Array& count, const Value& start, const Value& stop) {
  std::optional<Array> result;
  if (!start.is_none()) result = logical_not(places < bound_from_start(start, count));
  if (!stop.is_none()) {
    const Array before = places < bound_from_start(stop, count);
    result = result ? logical_and(*result, before) : before;
  }
  return result ? *result : equal(places, places);
}

/// The bounds of a slice of any kind, as values.
std::pair<Value, Value> bounds_of(const Slice& slice) {
  if (slice.numbers.size() == 3) {
    const Value& step = slice.numbers[2];
    if (!step.is_none() && !(step.is_integer() && step.affine("a step") == Affine{1, {}}))
      misuse("index",
             "a step of a slice whose bounds are known only at run time is not supported; reverse "
             "the array before, or index it: x[np.arange(...)]");
    return {slice.numbers[0], slice.numbers[1]};
  }
  const auto value = [](const std::optional<Affine>& bound) {
    return bound ? integer_value(*bound) : Value{};
  };
  if (slice.step && !(*slice.step == Affine{1, {}}))
    misuse("index", "a step of a slice of a masked selection is not supported");
  return {value(slice.start), value(slice.stop)};
}

/// What of the array the other indices leave, and which of its axes the slice is of.
struct Part {
  Value whole;
  int axis = 0;
  Array mask;
};

Part part_of(const ObjectPtr& array, const std::vector<Value>& index) {
  const Dims dims = array->shape();
  std::size_t given = 0;
  for (const Value& item : index)
    given += item.as<EllipsisValue>() == nullptr && !item.is_none() ? 1 : 0;
  std::size_t axis = 0;  // of the array
  int kept = 0;          // of the part
  std::vector<Value> others;
  std::optional<Array> mask;
  int place = 0;
  for (const Value& item : index) {
    if (const Slice* const slice = run_slice(item)) {
      if (mask || axis >= dims.size())
        misuse("index",
               "two slices with run-time bounds in one subscript are not supported; take one after "
               "the other, or write np.where(mask, a, b)");
      const auto [start, stop] = bounds_of(*slice);
      const Index extent = dims[axis];
      mask = within(counting(0, 1, extent), Array(extent), start, stop);
      place = kept;
      others.push_back({Slice{}});
    } else {
      const auto* object = item.as<ObjectPtr>();
      const bool is_plain = item.is_integer() || item.is_none() || item.as<Slice>() != nullptr ||
                            item.as<EllipsisValue>() != nullptr ||
                            (object != nullptr && (*object)->shape().empty());
      if (!is_plain)
        misuse("index",
               "a slice with run-time bounds can be combined with ints and slices only; got {}",
               item.description());
      others.push_back(item);
    }
    const bool is_new = item.is_none();
    const bool is_rest = item.as<EllipsisValue>() != nullptr;
    const bool drops = item.is_integer() || item.as<ObjectPtr>() != nullptr;
    if (is_rest) kept += static_cast<int>(dims.size() - given);
    if (!is_rest && !drops) ++kept;
    axis += is_rest ? dims.size() - given : is_new ? 0 : 1;
  }
  return {subscript({array}, others), place, *mask};
}

}  // namespace

/// The array, if it is one of NumPy's that has axes.
static const ObjectPtr* sliced(const Value& object) {
  const auto* array = object.as<ObjectPtr>();
  return array == nullptr || (*array)->is_python() || (*array)->shape().empty() ? nullptr : array;
}

bool has_run_bounds(const Slice& slice) {
  return std::any_of(slice.numbers.begin(), slice.numbers.end(),
                     [](const Value& bound) { return is_run_bound(bound); });
}

bool is_run_bound(const Value& bound) {
  const auto* object = bound.as<ObjectPtr>();
  return object != nullptr && (*object)->shape().empty() && is_integer((*object)->read().dtype());
}

bool has_run_slices(const std::vector<Value>& index) {
  return std::any_of(index.begin(), index.end(),
                     [](const Value& item) { return run_slice(item) != nullptr; });
}

Value run_slice_of(const Value& object, const std::vector<Value>& index) {
  if (const auto* selected = object.as<Selected>(); selected != nullptr && index.size() == 1) {
    Value part = selection_slice(*selection_of(object), *index[0].as<Slice>());
    part.as<Selected>()->whole->stands_for_part_of(selected->whole);
    return part;
  }
  const ObjectPtr* const array = sliced(object);
  if (array == nullptr)
    misuse("index",
           "a bound of this slice is known only at run time, and so is the length of the part of "
           "{}; a slice of an array can be reduced and written to",
           object.description());
  const Part part = part_of(*array, index);
  const Value result = select(to_array(part.whole, "a part"), part.mask, part.axis);
  result.as<Selected>()->whole->stands_for_part_of(*array);
  return result;
}

void assign_run_slice(const Value& object, const std::vector<Value>& index, const Value& value) {
  const ObjectPtr* const array = sliced(object);
  if (array == nullptr)
    misuse("index",
           "a bound of this slice is known only at run time; such a slice can be written to only "
           "if it is of an array; this is {}",
           object.description());
  const Part part = part_of(*array, index);
  const auto* view = part.whole.as<ObjectPtr>();
  if (view == nullptr || ArrayObject::root_of(*view) != ArrayObject::root_of(*array))
    misuse("index",
           "in an assignment to a slice with run-time bounds the other indices must be known when "
           "the program is read");
  if (const auto* source = value.as<ObjectPtr>();
      source != nullptr && ArrayObject::root_of(*source) == ArrayObject::root_of(*array) &&
      !(*source)->is_scalar())
    misuse("assignment", "this array is read while it is written to; assign a copy");
  const Array old = (*view)->read();
  const auto* number = value.as<ObjectPtr>();
  const bool is_number = number != nullptr && (*number)->is_scalar();
  const Array changed = with_selected(old, part.mask, static_cast<std::size_t>(part.axis),
                                      is_number ? new_array(assignable(old, value, false)) : value);
  (*view)->write(set_slice(old, {}, changed));
}

Value selection_slice(const Selection& selection, const Slice& slice) {
  if (selection.first > 0 || selection.mask.ndim() > 1)
    misuse("index", "only elements or rows of a masked selection can be sliced");
  if (!slice.start && !slice.stop && slice.step == Affine{-1, {}} && slice.numbers.empty())
    return select(reversed(selection));
  const Array ranks = cumsum(selection.mask.as_type(DType::Int), 0) - Array(std::int64_t{1});
  const auto& begin = slice.start;
  const bool begins_known = !begin || (begin->known() && begin->constant >= 0);
  if (slice.step && slice.step->known() && slice.step->constant > 1 && begins_known &&
      !slice.stop && slice.numbers.empty()) {  // each so manieth from a place on
    const Array apart = ranks - Array(begin ? begin->constant : 0);
    const Array taken =
        logical_and(logical_not(apart < 0), equal(mod(apart, Array(slice.step->constant)), 0));
    return select(selection.whole, logical_and(selection.mask, taken), 0);
  }
  const auto [start, stop] = bounds_of(slice);
  const Array taken = within(ranks, selection.count(), start, stop);
  return select(selection.whole, logical_and(selection.mask, taken), 0);
}

Value rolled_at_run(const Call& call, const Array& a, const Value& shift, const Value* axis) {
  if (axis != nullptr && !axis->is_integer())
    misuse(call.name, "with a shift that is known only at run time, axis must be one axis");
  const Array all = axis == nullptr ? a.reshape({-1}) : a;
  const int along =
      axis == nullptr
          ? 0
          : detail::normalize_axis(call.name, static_cast<int>(axis->integer("axis")), a.ndim());
  const Index extent = all.shape(along);
  if (extent == 0) return new_array(a.copy());
  const Array places = counting(0, 1, extent) - to_array(shift, "a shift");
  const Array result = take(all, mod(places, Array(extent)).as_type(DType::Int), along);
  return new_array(result.reshape(a.shape()));
}

std::optional<Value> joined_call(const Call& call) {
  if (call.name != "np.concatenate" || call.arguments.size() != 1) return std::nullopt;
  Index axis = 0;
  for (const auto& [name, value] : call.keywords) {
    if (name != "axis" || !value.is_number()) return std::nullopt;
    axis = value.integer("the axis");
  }
  const auto* both = call.arguments[0].as<Sequence>();
  if (both == nullptr || both->items.size() != 2) return std::nullopt;
  const auto a = selection_of(both->items[0]);
  const auto b = selection_of(both->items[1]);
  if (!a || !b || a->mask.ndim() != 1 || a->whole.shape() != b->whole.shape()) return std::nullopt;
  const Node& rest = *b->mask.node();
  if (a->first != axis || b->first != axis || rest.kind != Kind::LogicalNot ||
      !first_count(a->mask) || !is_same_mask(a->mask, Array(rest.args[0])))
    return std::nullopt;
  return new_array(a->with(b->whole));
}

}  // namespace rewriter

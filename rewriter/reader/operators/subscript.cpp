// x[...]: of arrays, lists, tuples, dictionaries and texts.
#include <algorithm>
#include <limits>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/operators/characters.hpp"
#include "rewriter/reader/operators/complex.hpp"
#include "rewriter/reader/operators/indexing.hpp"
#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/selections/packed.hpp"
#include "rewriter/reader/selections/run_lists.hpp"
#include "rewriter/reader/selections/run_slices.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/selections/selection_writes.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/promotion.hpp"
#include "rewriter/reader/values/python_types.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

void check_item(Index at, Index size, std::string_view kind) {
  if (at >= -size && at < size) return;
  throw PythonError("IndexError", "index",
                    size == 0
                        ? fmt::format("{0} index out of range: the {0} is empty; got {1}", kind, at)
                        : fmt::format("{0} index out of range: the {0} has {1} item{2}; got {3}",
                                      kind, size, size == 1 ? "" : "s", at),
                    {{fmt::format("{} index out of range", kind)}});
}

namespace {

/// Python's slice of a list or a tuple.
std::vector<Value> sliced(const Items& items, const Slice& slice) {
  const auto size = static_cast<Index>(items.size());
  const auto known = [](const std::optional<Affine>& bound, Index standard) {
    if (bound && !bound->known())
      misuse("index", "a slice of a list must be the same in every iteration; got the bound {}",
             to_string(*bound));
    return bound ? bound->constant : standard;
  };
  const Index step = known(slice.step, 1);
  if (step == 0) misuse(Exception::ValueError, "index", "slice step cannot be zero");
  const auto bound = [&](const std::optional<Affine>& given, Index standard) {
    if (!given) return standard;
    const Index at = known(given, 0);
    return std::clamp<Index>(at < 0 ? at + size : at, step > 0 ? 0 : -1,
                             step > 0 ? size : size - 1);
  };
  const Index stop = bound(slice.stop, step > 0 ? size : -1);
  std::vector<Value> result;
  for (Index i = bound(slice.start, step > 0 ? 0 : size - 1); step > 0 ? i < stop : i > stop;
       i += step)
    result.push_back(items[static_cast<std::size_t>(i)]);
  return result;
}

}  // namespace

std::optional<ElementType> element_type_of(const Value& item) {
  const auto* object = item.as<ObjectPtr>();
  if (object != nullptr ? !(*object)->shape().empty() : !item.is_number() && !item.is_integer())
    return std::nullopt;
  return ElementType{to_array(item, "an item").dtype(), is_python_number(item)};
}

namespace {

/// The item at a run-time index, of numbers of one type or of tuples of such.
Value chosen_item(const Items& items, const Value& place) {
  const std::optional<ElementType> type = items.empty() ? std::nullopt : element_type_of(items[0]);
  const bool alike = type && std::all_of(items.begin(), items.end(), [&](const Value& item) {
                       return element_type_of(item) == type;
                     });
  if (alike) {
    const Array all = to_array(new_sequence(false, {items.begin(), items.end()}), "the items");
    const Array item = to_array(subscript(new_array(all), {place}), "an item");
    return type->is_python ? python_number(item) : new_array(item);
  }
  if (!items.empty() && std::all_of(items.begin(), items.end(), is_text)) return chosen_text();
  const auto* first = items.empty() ? nullptr : items[0].as<Sequence>();
  const bool are_tuples =
      first != nullptr && std::all_of(items.begin(), items.end(), [&](const Value& item) {
        const auto* tuple = item.as<Sequence>();
        return tuple != nullptr && !tuple->list && !tuple->is_set &&
               tuple->items.size() == first->items.size();
      });
  if (!are_tuples)
    misuse("index",
           "an index that is known only at run time can select from a list or a tuple of strings, "
           "of numbers of one type, or of tuples of these; np.array(list) makes an array");
  std::vector<Value> parts;
  for (std::size_t k = 0; k < first->items.size(); ++k) {
    std::vector<Value> column;
    for (const Value& item : items) column.push_back(item.as<Sequence>()->items[k]);
    parts.push_back(chosen_item(Items(std::move(column)), place));
  }
  return new_sequence(false, std::move(parts));
}

Value sequence_item(const Sequence& sequence, const std::vector<Value>& index) {
  const std::string kind = sequence.list ? "list" : "tuple";
  const auto size = static_cast<Index>(sequence.items.size());
  if (index.size() != 1)
    misuse(Exception::TypeError, "index", "a {} takes one index; got {}", kind, index.size());
  if (const auto* slice = index[0].as<Slice>()) {
    Sequence part{sequence.list, sliced(sequence.items, *slice)};
    part.kin = sequence.kin;
    return {std::move(part)};
  }
  const auto* place = index[0].as<ObjectPtr>();
  if (place != nullptr && (*place)->shape().empty() && is_integer((*place)->read().dtype()))
    return chosen_item(sequence.items, index[0]);
  refuse_place(kind, index[0]);
  if (place != nullptr && (*place)->read().size() != 1)
    misuse(Exception::TypeError, "index",
           "only integer scalar arrays can be converted to a scalar index");
  const Index at = index[0].integer("an index of a " + kind);
  check_item(at, size, kind);
  return sequence.items[static_cast<std::size_t>(at < 0 ? at + size : at)];
}

ObjectPtr array_object(const Value& object) {
  const auto* array = object.as<ObjectPtr>();
  if (array != nullptr && !(*array)->is_python()) return *array;
  refuse_subscript(object);
  misuse("index", "{} cannot be indexed", object.description());
}

// ---- arrays as subscripts

}  // namespace

/// Whether np.nonzero gave it.
static bool is_place(const Value& value) {
  const auto* selected = value.as<Selected>();
  return selected != nullptr && selected->axis >= 0;
}

/// A range among the indices is an array of its numbers.
static std::vector<Value> with_arrays(std::vector<Value> index) {
  for (Value& each : index)
    if (each.as<RangeValue>() != nullptr) each = new_array(to_array(each, "an index"));
  return index;
}
static bool has_ranges(const std::vector<Value>& index) {
  return std::any_of(index.begin(), index.end(),
                     [](const Value& each) { return each.as<RangeValue>() != nullptr; });
}

namespace {

/// The element of an array of ints that the program wrote out, where its place is known: what may
/// be the bound of a slice or a shift.
std::optional<std::int64_t> known_integer(const Array& array, const std::vector<Range>& ranges) {
  const Node& node = *array.node();
  if ((node.kind != Kind::Constant && node.kind != Kind::Input) || node.dtype != DType::Int ||
      node.data == nullptr)
    return std::nullopt;
  std::size_t at = 0;
  for (std::size_t axis = 0; axis < ranges.size(); ++axis) {
    if (!ranges[axis].shift.empty()) return std::nullopt;
    at = at * static_cast<std::size_t>(node.dims[axis]) +
         static_cast<std::size_t>(ranges[axis].start);
  }
  return static_cast<std::int64_t>(std::get<npmat::Array<double>>(*node.data).data[at]);
}

/// The item at this place, from the start, of a list that grows in the loop that is read.
Value item_at(const NumberList& list, const Affine& place) {
  if (place.least() < 0 && place.greatest() >= 0)
    throw OverEdge(
        {place, list.cell->shape()[0]},
        fmt::format("the index {} of a list is negative in some iterations", to_string(place)));
  if (place.least() < 0 || (list.length - place).least() < 1)
    misuse("index",
           "list index out of range: in some iterations there is no item {} of a list of {}",
           to_string(place), to_string(list.length));
  Value item = subscript(new_array(list.cell->read()), {integer_value(place)});
  if (!list.type || list.type->dtype == DType::Float) return item;
  return new_array(to_array(item, "an item").as_type(list.type->dtype));
}

/// A slice of it without a step: as many items in every iteration.
Value slice_of_growing(const NumberList& list, const Slice& slice) {
  const auto from_start = [&](const std::optional<Affine>& bound, const Affine& standard) {
    if (!bound) return standard;
    const Affine place = bound->greatest() < 0 ? list.length + *bound : *bound;
    for (const Affine& room : {place, list.length - place})
      if (room.least() < 0 && room.greatest() >= 0)
        throw OverEdge({room, std::numeric_limits<Index>::max() / 2},
                       fmt::format("the slice of a list of {} at {} is shorter in some iterations",
                                   to_string(list.length), to_string(*bound)));
    if (place.greatest() < 0) return Affine{};
    return (list.length - place).greatest() < 0 ? list.length : place;
  };
  const Affine start = from_start(slice.start, {}), stop = from_start(slice.stop, list.length);
  if (!(stop - start).known() || (slice.step && !(*slice.step == Affine{1, {}})))
    misuse("index", "a slice of a list that grows must have as many items in every iteration");
  const bool from_python = list.type && list.type->is_python;
  std::vector<Value> items;
  for (Index i = 0; i < (stop - start).constant; ++i) {
    const Value item = item_at(list, start + Affine{i, {}});
    items.push_back(from_python ? python_element(item) : item);
  }
  return new_sequence(true, std::move(items));
}

/// list[index], of one that grows in a loop.
Value item_of_growing(const Value& object, const NumberList& list,
                      const std::vector<Value>& index) {
  if (index.size() != 1) misuse("index", "a list takes one index; np.array(list) makes an array");
  const bool is_known = list.length.known();
  if (const auto* slice = index[0].as<Slice>())
    return is_known ? new_sequence(true, sliced(Items(elements_of(object)), *slice))
                    : slice_of_growing(list, *slice);
  if (const auto* at = index[0].as<std::int64_t>(); at != nullptr && is_known)
    check_item(*at, list.length.constant, "list");
  const auto item = [&] {
    if (is_known || !index[0].is_integer())
      return subscript(new_array(to_array(object, "the list")), index);
    const Affine at = index[0].affine("an index");
    return item_at(list, at.greatest() < 0 ? list.length + at : at);
  };
  return list.type && list.type->is_python ? python_element(item()) : item();
}

}  // namespace

Value subscript(const Value& object, const std::vector<Value>& given) {
  const bool is_data = object.is_data() || object.as<Selected>() != nullptr;
  const auto* tuple = given.size() == 1 && is_data ? given[0].as<Sequence>() : nullptr;
  if (tuple != nullptr && !tuple->list)
    return subscript(object, {tuple->items.begin(), tuple->items.end()});
  if (codes_of(object) != nullptr) return characters_item(object, given);
  if (const auto* z = object.as<Complex>())
    return {Complex{Items({subscript(z->parts[0], given), subscript(z->parts[1], given)})}};
  if (has_run_slices(given)) return run_slice_of(object, given);
  if (const auto* selected = object.as<Selected>()) {
    if (given.empty()) return object;
    Value item = selection_item(*selection_of(object), given);
    if (const auto* part = item.as<Selected>();
        part != nullptr && std::any_of(given.begin(), given.end(), [](const Value& index) {
          return index.as<Slice>() != nullptr;
        }))
      part->whole->stands_for_part_of(selected->whole);
    return item;
  }
  if (given.size() == 1 && object.as<ObjectPtr>() != nullptr)
    if (const auto index = selection_of(given[0]); index && is_integer(index->whole.dtype())) {
      const Dims& dims = (*object.as<ObjectPtr>())->shape();
      if (!is_place(given[0]) || index->mask.ndim() > 1 || dims.empty() ||
          dims[0] != index->mask.size())
        return selected_from(object, *index);
    }
  if (std::any_of(given.begin(), given.end(), is_place))
    return subscript(object, with_masks(object, given));
  if (object.as<ObjectPtr>() != nullptr && has_ranges(given))
    return subscript(object, with_arrays(given));
  const std::vector<Value>& index = given;
  if (const auto* list = object.as<RunList>()) return element_at(*list, index);
  if (const auto* list = object.as<NumberList>()) return item_of_growing(object, *list, index);
  if (const auto* sequence = object.as<Sequence>()) return sequence_item(*sequence, index);
  if (const auto item = container_item(object, index)) return *item;
  if (const auto* text = object.as<std::string>(); text != nullptr && index.size() == 1) {
    if (index[0].as<Slice>() == nullptr) refuse_place("string", index[0]);
    std::vector<Value> letters = elements_of(object);
    Value part = sequence_item(Sequence{false, std::move(letters)}, index);
    if (is_chosen_text(part)) return part;
    std::string result;
    for (const Value& letter :
         part.as<Sequence>() != nullptr ? elements_of(part) : std::vector<Value>{part})
      result += *letter.as<std::string>();
    return {result};
  }
  if (object.as<RangeValue>() != nullptr && index.size() == 1 &&
      (index[0].as<Affine>() != nullptr || index[0].as<std::int64_t>() != nullptr)) {
    if (const auto* at = index[0].as<std::int64_t>())
      check_item(*at, *iteration_length(object), "range object");
    const Range at = index_position(index[0], *iteration_length(object), 0);
    return iteration_element(object, {at.start, at.shift});
  }
  if (const auto* range = object.as<RangeValue>(); range != nullptr && index.size() == 1)
    return sequence_item(Sequence{false, elements_of(object)}, index);
  if (const auto* ignored = object.as<Ignored>())
    return {Ignored{ignored->name + "[...]", ignored->is_text}};
  const ObjectPtr array = array_object(object);
  if (has_arrays(index)) return array_subscript(array, index);
  const BasicIndex basic = basic_index(array->shape(), index);
  if (basic.shape.empty() && !basic.ellipsis) {
    if (const auto number = known_integer(array->read(), basic.ranges)) return {*number, true};
    return new_array(array->read().slice(basic.ranges));
  }
  if (basic.shape.empty() && !basic.ranges.empty() && !array->is_scalar()) {
    BasicIndex whole = basic;  // a view without dimensions
    for (Range& range : whole.ranges) {
      range.drops_axis = false;
      whole.shape.push_back(1);
    }
    return with_shape(view(array, whole), {});
  }
  if (array->is_scalar()) return new_array(array->read().reshape(basic.shape));
  const ObjectPtr part = view(array, basic);
  return array->is_flat() ? new_array(part->read().copy()) : Value{part};
}

void assign_subscript(const Value& object, const std::vector<Value>& given, const Value& assigned) {
  if (codes_of(object) != nullptr) return assign_characters(object, given, assigned);
  const auto* complex = assigned.as<Complex>();
  if (complex == nullptr && holds_complex(assigned))
    return assign_subscript(object, given, complex_array(assigned));
  if (const auto* z = object.as<Complex>()) {
    assign_subscript(z->parts[0], given, complex != nullptr ? complex->parts[0] : assigned);
    return assign_subscript(z->parts[1], given,
                            complex != nullptr ? complex->parts[1] : Value{0.0});
  }
  if (const auto* array = object.as<ObjectPtr>())
    check_fits(assigned, (*array)->read().dtype());
  else if (const auto* selected = object.as<Selected>())
    check_fits(assigned, selected->whole->read().dtype());
  if (has_run_slices(given) && object.as<Selected>() == nullptr)
    return assign_run_slice(object, given, assigned);
  if (complex != nullptr)
    misuse("assignment",
           "complex numbers cannot be assigned to an array of real numbers; assign their .real or "
           ".imag");
  if (std::any_of(given.begin(), given.end(), is_place) && object.as<Selected>() == nullptr)
    return assign_subscript(object, with_masks(object, given), assigned);
  if (list_number(object))
    misuse("index",
           "in-place changes of this list other than append are not supported; make it an array: "
           "np.array(list)");
  if (const auto* selected = object.as<Selected>())
    return assign_to_selection(*selected, given, assigned);
  refuse_item_assignment(object);
  const ObjectPtr array = array_object(object);
  if (has_ranges(given)) return assign_subscript(object, with_arrays(given), assigned);
  if (given.size() == 1)
    if (const auto places = selection_of(given[0]); places && is_integer(places->whole.dtype()))
      return assign_at_selected(array, *places, assigned);
  if (given.size() == 1)
    if (const auto* tuple = given[0].as<Sequence>(); tuple != nullptr && !tuple->list)
      return assign_subscript(object, {tuple->items.begin(), tuple->items.end()}, assigned);
  const std::vector<Value>& index = given;
  if (array->is_scalar())
    misuse(Exception::TypeError, "assignment", "a NumPy scalar does not support item assignment");
  if (has_arrays(index)) return assign_array_subscript(array, index, assigned);
  const BasicIndex basic = basic_index(array->shape(), index);
  const Array value = assignable(array->read(), assigned, basic.shape.empty() && !basic.ellipsis);
  if (basic.new_axes || !basic.steps.empty()) {
    const ObjectPtr part = view(array, basic);
    part->write(overwritten(part->read(), value));
    return;
  }
  array->write(set_slice(array->read(), basic.ranges, value));
}

}  // namespace rewriter

// Lists whose length is known only at run time: how they are read.
#include "rewriter/reader/selections/run_lists.hpp"

#include <algorithm>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/selections/packed.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/dtypes.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// In Python the list holds this array itself, here a copy: nothing may write to it any more.
void keep_as_it_is(const ObjectPtr& array, bool may_be_written) {
  const auto refuse = [] {
    misuse("program",
           "the program writes to this array after it is appended, and the list would share the "
           "change; append a copy of it: x.copy()");
  };
  std::vector<ObjectPtr> left{ArrayObject::root_of(array)};
  std::unordered_set<const ArrayObject*> seen{left[0].get()};
  while (!left.empty()) {
    const ObjectPtr owner = std::move(left.back());
    left.pop_back();
    if (may_be_written && owner->may_be_written()) refuse();
    owner->refuse_writes(
        "a list holds this array and would share the change; append a copy of it: x.copy()");
    const auto add = [&](const ObjectPtr& other) {
      if (other != nullptr && seen.insert(other.get()).second)
        left.push_back(ArrayObject::root_of(other));
    };
    add(owner->beginning());
    for (const ObjectPtr& origin : owner->origins()) add(origin);
  }
}

}  // namespace

RunList::Form form_of(const Value& value, bool is_new, bool may_be_written) {
  const auto* object = value.as<ObjectPtr>();
  if (object != nullptr && !(*object)->shape().empty()) {
    if (!is_held_once(*object)) keep_as_it_is(*object, may_be_written);
    const Array array = (*object)->read();
    return {RunList::Form::Is::Arrays, array.shape(), {{array.dtype(), false}}};
  }
  const auto* sequence = value.as<Sequence>();
  const bool is_row = sequence != nullptr && (!sequence->list || is_new) && !sequence->is_set &&
                      !sequence->items.empty();
  if (!is_row) {
    refuse_other_than_numbers(value);
    return {RunList::Form::Is::Numbers,
            {},
            {{to_array(value, "the value appended").dtype(), is_python_number(value)}}};
  }
  RunList::Form form{sequence->list ? RunList::Form::Is::Lists : RunList::Form::Is::Tuples,
                     {std::ssize(sequence->items)},
                     {}};
  for (const Value& item : sequence->items) {
    refuse_other_than_numbers(item);
    form.types.push_back({to_array(item, "the value appended").dtype(), is_python_number(item)});
  }
  return form;
}

RunList::Form joined_forms(const std::optional<RunList::Form>& a, const RunList::Form& b) {
  if (!a) return b;
  if (a->kind != b.kind || a->dims != b.dims)
    misuse("program",
           "a list that grows under a run-time condition must hold numbers, or arrays or tuples of "
           "one shape; got shape {} and {}",
           to_string(b.dims), to_string(a->dims));
  RunList::Form form = b;
  for (std::size_t k = 0; k < form.types.size(); ++k)
    form.types[k] = *joined_types(a->types[k], b.types[k]);
  return form;
}

Index count_in(const RunList::Form& form) {
  Index size = 1;
  for (const Index dim : form.dims) size *= dim;
  return size;
}

std::vector<Value> place_in(const RunList::Form& form, const Value& place) {
  if (form.kind == RunList::Form::Is::Numbers) return {place};
  return {{Slice{}}, place};
}

DType dtype_of(const RunList::Form& form) {
  std::optional<ElementType> type;
  for (ElementType each : form.types) {
    each.is_python = true;
    if (form.types.size() > 1 && each.dtype == DType::Bool)
      misuse(
          "program",
          "tuples of booleans in a list that grows under a run-time condition are not supported");
    type = joined_types(type, each);
  }
  return type->dtype;
}

std::optional<RunList::Form> form_of_items(const Value& list) {
  std::optional<RunList::Form> form;
  if (list.as<NumberList>() != nullptr) {
    if (const auto type = element_type(list))
      form = RunList::Form{RunList::Form::Is::Numbers, {}, {*type}};
  } else if (const auto* sequence = list.as<Sequence>()) {
    for (const Value& item : sequence->items)
      form = joined_forms(form, form_of(item, false, false));
  }
  return form;
}

// ---- reading ----

/// The list of those numbers whose `taken` is 1, and not 0.
static Value compacted(const Array& numbers, const Array& taken, RunList::Form form) {
  const Array cell = take(numbers.as_type(DType::Float), argsort(Array(0) - taken, 0));
  return {RunList{*new_array(cell).as<ObjectPtr>(),
                  *new_array(reduce(Op::sum, taken).reshape({})).as<ObjectPtr>(), std::move(form)}};
}

Value run_list_of(const Array& numbers, const Array& mask, bool is_python) {
  return compacted(numbers, mask.as_type(DType::Int),
                   RunList::Form{RunList::Form::Is::Numbers, {}, {{numbers.dtype(), is_python}}});
}

Value joined_run_lists(const Value& left, const Value& right) {
  std::optional<RunList::Form> form;
  std::vector<Array> numbers, taken;
  for (const Value* list : {&left, &right}) {
    const auto* run = list->as<RunList>();
    const std::optional<RunList::Form> own = run != nullptr ? run->form : form_of_items(*list);
    if (!own) continue;  // an empty list
    form = joined_forms(form, *own);
    if (form->kind != RunList::Form::Is::Numbers)
      misuse("program",
             "'+' of lists whose length is known only at run time is supported for lists of "
             "numbers; np.concatenate joins arrays");
    numbers.push_back(run != nullptr ? run->cell->read()
                                     : to_array(*list, "the list").as_type(DType::Float));
    const Index room = numbers.back().shape(0);
    taken.push_back(run != nullptr ? (counting(0, 1, room) < run->count->read()).as_type(DType::Int)
                                   : full({room}, 1, DType::Int));
  }
  return compacted(concatenate(numbers, 0), concatenate(taken, 0), *std::move(form));
}

namespace {

/// Whether the value may be such an element; throws where the run alone could say it.
bool may_be_element(const Value& value, const RunList::Form& form) {
  const auto is_number = [](const Value& each) {
    const auto* object = each.as<ObjectPtr>();
    if (object != nullptr && !(*object)->shape().empty())
      misuse("program",
             "'==' of a list that holds arrays and one whose length is known only at run time is "
             "not supported");
    const bool is_open = each.as<Perhaps>() != nullptr || each.as<Complex>() != nullptr;
    if (is_open || (each.as<InstancePtr>() != nullptr && !whole_of(each).is_number()))
      misuse("program",
             "'==' of {} and an element of a list whose length is known only at run time is not "
             "supported",
             each.description());
    return object != nullptr || each.as<Affine>() != nullptr || whole_of(each).is_number();
  };
  if (form.kind == RunList::Form::Is::Numbers) return is_number(value);
  const auto* row = value.as<Sequence>();
  return row != nullptr && row->list == (form.kind == RunList::Form::Is::Lists) && !row->is_set &&
         std::ssize(row->items) == form.dims[0] &&
         std::all_of(row->items.begin(), row->items.end(), is_number);
}

/// Of `length` elements: whether those of the two, columns of numbers, are equal.
Array equal_columns(const Array& a, const Array& b, Index length) {
  const auto first = [&](const Array& all) {
    std::vector<Range> ranges(static_cast<std::size_t>(all.ndim()));
    for (int axis = 0; axis < all.ndim(); ++axis)
      ranges[static_cast<std::size_t>(axis)] =
          Range{0, axis + 1 == all.ndim() ? length : all.shape(axis)};
    return all.slice(ranges);
  };
  return equal(first(a), first(b));
}

}  // namespace

Value equal_run_lists(const Value& left, const Value& right) {
  const bool is_first = left.as<RunList>() != nullptr;
  const RunList& list = *(is_first ? left : right).as<RunList>();
  const Value& other = is_first ? right : left;
  const Array count = list.count->read(), cell = list.cell->read();
  const Index room = cell.shape(cell.ndim() - 1);
  if (list.form.kind == RunList::Form::Is::Arrays)
    misuse("program",
           "'==' of a list of arrays whose length is known only at run time is not supported");
  if (const auto* run = other.as<RunList>()) {
    const Array as_long = equal(count, run->count->read());
    if (run->form.kind != list.form.kind || run->form.dims != list.form.dims)
      return python_number(logical_and(as_long, equal(count, 0)));
    const Array its = run->cell->read();
    const Index both = std::min(room, its.shape(its.ndim() - 1));
    const Array rest = counting(0, 1, both) >= count;
    return python_number(
        logical_and(as_long, reduce(Op::all, logical_or(equal_columns(cell, its, both), rest))));
  }
  if (other.as<NumberList>() == nullptr) {
    const auto* sequence = other.as<Sequence>();
    if (sequence == nullptr || !sequence->list || sequence->is_set ||
        std::ssize(sequence->items) > room)
      return {false};
    for (const Value& item : sequence->items)
      if (!may_be_element(item, list.form)) return {false};
    if (sequence->items.empty()) return python_number(equal(count, 0));
  }
  Array its = to_array(other, "a list");
  if (its.shape(0) > room || its.ndim() != (list.form.kind == RunList::Form::Is::Numbers ? 1 : 2))
    return {false};
  const Index length = its.shape(0);
  if (its.ndim() > 1) its = its.T();
  return python_number(
      logical_and(equal(count, length), reduce(Op::all, equal_columns(cell, its, length))));
}

Value run_list_of(const std::vector<Value>& items, const std::vector<std::optional<Array>>& taken) {
  std::optional<RunList::Form> form;
  std::vector<Array> rows, masks;
  for (std::size_t i = 0; i < items.size(); ++i) {
    form = joined_forms(form, form_of(items[i], true, false));
    const Array row = to_array(items[i], "an item").as_type(DType::Float);
    rows.push_back(row.is_number() ? full({1}, row.node()->number) : row.reshape({1, -1}));
    const Array is_taken = taken[i] ? taken[i]->as_type(DType::Int) : full({1}, 1, DType::Int);
    masks.push_back(is_taken.reshape({1}));
  }
  (void)dtype_of(*form);
  const Array mask = concatenate(masks, 0);
  const Array order = argsort(Array(0) - mask, 0);
  const auto count = static_cast<Index>(items.size());
  Array cell = take(concatenate(rows, 0).reshape({count, -1}), order, 0);
  cell = form->kind == RunList::Form::Is::Numbers ? cell.reshape({count}) : cell.T();
  return {RunList{*new_array(cell).as<ObjectPtr>(),
                  *new_array(reduce(Op::sum, mask).reshape({})).as<ObjectPtr>(), *form}};
}

Value selected_elements(const RunList& list) {
  Array all = list.cell->read();
  const Index room = all.shape(all.ndim() - 1);
  const Array mask = counting(0, 1, room) < list.count->read();
  if (list.form.kind != RunList::Form::Is::Numbers) {
    Dims dims = list.form.dims;
    dims.insert(dims.begin(), room);
    all = all.T().reshape(std::move(dims));
  }
  return select(all.as_type(dtype_of(list.form)), mask, 0);
}

Call of_selected_elements(const Call& call) {
  Call selected = call;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto* list = call.arguments[i].as<RunList>();
    if (list == nullptr) continue;
    selected.arguments[i] = selected_elements(*list);
    if (list->form.kind == RunList::Form::Is::Numbers) continue;
    const bool is_alone = call.arguments.size() == 1 && call.keywords.empty();
    const bool stacks =
        call.name == "np.stack" ||
        ((call.name == "np.vstack" || call.name == "np.row_stack") && list->form.dims.size() == 1);
    if (stacks && is_alone) {
      selected.name = "np.array";
    } else if (call.name == "sum" && is_alone && list->form.kind == RunList::Form::Is::Arrays) {
      selected.name = "np.sum";
      selected.keywords.emplace_back("axis", Value{std::int64_t{0}});
    } else if (call.name != "len" && !call.name.starts_with("np.")) {
      misuse(call.name,
             "{} of a list of arrays or tuples whose length is known only at run time is not "
             "supported; np.array(list) makes an array of them",
             call.name);
    }
  }
  return selected;
}

/// list[start:stop] of numbers, the bounds known when the program is read.
static Value slice_of(const RunList& list, const Slice& slice) {
  const auto is_known = [](const std::optional<Affine>& bound) { return !bound || bound->known(); };
  if (!is_known(slice.start) || !is_known(slice.stop) ||
      (slice.step && !(*slice.step == Affine{1, {}})) ||
      list.form.kind != RunList::Form::Is::Numbers)
    misuse("index",
           "a list whose length is known only at run time takes an int as its index, or, if it is "
           "of numbers, a slice with static bounds and no step; np.array(list) makes an array");
  const Array count = list.count->read();
  const Array place = counting(0, 1, list.cell->shape()[0]);
  const auto from_start = [&](const Affine& bound) {
    return bound.constant < 0 ? count + bound.constant : Array(bound.constant);
  };
  Array taken = place < count;
  if (slice.start) taken = logical_and(taken, place >= from_start(*slice.start));
  if (slice.stop) taken = logical_and(taken, place < from_start(*slice.stop));
  return compacted(list.cell->read(), taken.as_type(DType::Int), list.form);
}

Value element_at(const RunList& list, const std::vector<Value>& index) {
  if (const auto* slice = index.size() == 1 ? index[0].as<Slice>() : nullptr)
    return slice_of(list, *slice);
  const bool is_int = index.size() == 1 && (index[0].is_integer() || index[0].is_number());
  if (!is_int)
    misuse("index",
           "a list whose length is known only at run time takes one int as its index; "
           "np.array(list) makes an array of it");
  if (list.form.kind == RunList::Form::Is::Lists)
    misuse("index",
           "the index of a list of lists must be known when the program is read; np.array(list)[i] "
           "selects a row, and a list of tuples takes any index");
  const Affine at = index[0].affine("the index of a list");
  if (at.least() < 0 && at.greatest() >= 0)
    misuse("index",
           "the index of a list whose length is known only at run time must count from the start, "
           "or from the end, in every iteration");
  const Value place = at.least() < 0 ? new_array(list.count->read() + loop_value(at)) : index[0];
  const Array element = to_array(subscript({list.cell}, place_in(list.form, place)), "an element");
  const auto number = [](const Array& array, const ElementType& type) {
    const Array typed = array.as_type(type.dtype);
    return type.is_python ? python_number(typed) : new_array(typed);
  };
  if (list.form.kind == RunList::Form::Is::Numbers) return number(element, list.form.types[0]);
  if (list.form.kind == RunList::Form::Is::Arrays) {
    const Value row =
        new_array(element.reshape(list.form.dims).as_type(list.form.types[0].dtype).copy());
    (*row.as<ObjectPtr>())
        ->refuse_writes(
            "this array is an item of a list, which would share the change; write to a copy: "
            "x.copy()");
    return row;
  }
  std::vector<Value> items;
  for (std::size_t k = 0; k < list.form.types.size(); ++k)
    items.push_back(
        number(element.slice({index_range(static_cast<Index>(k), list.form.dims[0])}).reshape({}),
               list.form.types[k]));
  return new_sequence(false, std::move(items));
}

}  // namespace rewriter

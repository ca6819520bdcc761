#include "rewriter/reader/selections/run_lengths.hpp"

#include <cmath>

#include "rewriter/expr/build.hpp"
#include "rewriter/expr/integers.hpp"
#include "rewriter/reader/selections/packed.hpp"
#include "rewriter/reader/selections/run_slices.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/known_values.hpp"
#include "rewriter/reader/values/python_types.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

constexpr double kMostElements = 1 << 20;  ///< that there may be

/// Its elements one after the other, and how many of them are there; nothing: all.
std::pair<Value, std::optional<Array>> elements_and_count(const Value& iterable) {
  if (const auto selection = selection_of(iterable)) {
    if (selection->first > 0)
      misuse("program", "a loop can run over a masked selection of elements or rows only");
    const ObjectPtr& whole = iterable.as<Selected>()->whole;
    if (const auto count = first_count(selection->mask)) return {{whole}, count};
    const Selection all = packed(*selection);
    const Value elements = new_array(all.whole);
    (*elements.as<ObjectPtr>())->stands_for_part_of(whole);
    return {elements, first_count(all.mask)};
  }
  if (!has_run_length(iterable)) return {iterable, std::nullopt};
  const Items& parts = iterable.as<Iteration>()->parts;
  const auto count = first_count(to_array(parts[1], "a mask"));
  if (!count)
    misuse("program", "zip and enumerate take a range with a run-time end only if it starts at 0");
  return {parts[0], count};
}

}  // namespace

thread_local bool run_lengths_are_read = true;

bool has_run_length(const Value& iterable) {
  const auto* iteration = iterable.as<Iteration>();
  return is_selection(iterable) ||
         (iteration != nullptr && iteration->kind == Iteration::Kind::Selected);
}

Value range_at_run(const Call& call) {
  const std::size_t given = call.arguments.size();
  if (given > 3) misuse(Exception::TypeError, "range", "takes one to three ints; got {}", given);
  const Value start = given == 1 ? Value{std::int64_t{0}} : call.arguments[0];
  const Value stop = call.arguments[given == 1 ? 0 : 1];
  const Index step = given == 3 ? call.arguments[2].integer("the step of range()") : 1;
  if (step == 0) misuse(Exception::ValueError, "range", "the step must not be zero");
  const Array from = to_array(start, "the start of range()"), to = to_array(stop, "its stop");
  const detail::Bounds first = detail::bounds(*from.node()), last = detail::bounds(*to.node());
  if (!run_lengths_are_read)
    misuse("range",
           "a number of range() must be an int that is known when the program is read; got a "
           "run-time value");
  const double low = step > 0 ? first.least : last.least;
  const double high = step > 0 ? last.greatest : first.greatest;
  if (!(high - low <= kMostElements))
    misuse("range",
           "its end is known only at run time, and has no known upper bound; use a `while` loop");
  if (std::abs(step) != 1 && !start.is_number())
    misuse("range", "with a start that is known only at run time, the step must be 1 or -1");
  const Index begin = start.is_number() ? start.integer("the start of range()")
                                        : static_cast<Index>(step > 0 ? low : high);
  const RangeValue all{begin, static_cast<Index>(step > 0 ? high : low), step};
  const Array places = counting(begin, step, Loop{"", all.start, all.stop, all.step}.count());
  const auto before = [&](const Array& a, const Array& b) { return step > 0 ? a < b : b < a; };
  Array are_there = before(places, to);
  if (!start.is_number()) are_there = logical_and(are_there, logical_not(before(places, from)));
  return {Iteration{Iteration::Kind::Selected, Items({{all}, new_array(are_there)})}};
}

Value zipped_at_run(const std::vector<Value>& parts) {
  std::vector<Value> items;
  std::optional<Array> fewest;
  for (const Value& part : parts) {
    auto [elements, count] = elements_and_count(part);
    if (!iteration_length(elements)) {
      refuse_iteration("zip", part);
      misuse("zip", "{} is not iterable", part.description());
    }
    items.push_back(std::move(elements));
    if (count && (!fewest || !is_same_mask(*fewest, *count)))
      fewest = fewest ? minimum(*fewest, *count) : *count;
  }
  const Value all{Iteration{Iteration::Kind::Zip, Items(std::move(items))}};
  const Array are_there = first_places(*iteration_length(all), *fewest);
  return {Iteration{Iteration::Kind::Selected, Items({all, new_array(are_there)})}};
}

Value enumerated_at_run(const Value& iterable, Index start) {
  auto [elements, count] = elements_and_count(iterable);
  const Value all{Iteration{Iteration::Kind::Enumerate, Items({std::move(elements)}), start}};
  const Array are_there = first_places(*iteration_length(all), *count);
  return {Iteration{Iteration::Kind::Selected, Items({all, new_array(are_there)})}};
}

Value perhaps_element(const Value& element, const Value& iterable, const Array& mask) {
  const auto number = [&](const Value& value, bool is_place) {
    const Array made = to_array(value, "an element");
    const auto count = is_place ? first_count(mask) : std::nullopt;
    return python_number(count ? minimum(made, last_of(*count)) : made);
  };
  if (const auto* range = iterable.as<RangeValue>())
    return number(element, range->start == 0 && range->step == 1);
  if (const auto* object = element.as<ObjectPtr>(); object != nullptr && !(*object)->is_scalar()) {
    const Value row = new_array((*object)->read());
    (*row.as<ObjectPtr>())
        ->refuse_writes(
            "it is a row of an array whose length is known only at run time; to change the array "
            "write a[i] = ...; otherwise make it a copy");
    return row;
  }
  const auto* iteration = iterable.as<Iteration>();
  const auto* tuple = element.as<Sequence>();
  if (iteration == nullptr || tuple == nullptr) return element;
  const Items& parts = iteration->parts;
  std::vector<Value> items;
  if (iteration->kind == Iteration::Kind::Enumerate) {
    items.push_back(number(tuple->items[0], iteration->start == 0));
    items.push_back(perhaps_element(tuple->items[1], parts[0], mask));
  } else {
    for (std::size_t k = 0; k < tuple->items.size(); ++k)
      items.push_back(perhaps_element(tuple->items[k], parts[k], mask));
  }
  return new_sequence(false, std::move(items));
}

std::optional<Value> filled_at_run(const Call& call, const Value& shape, const Array& value,
                                   DType dtype) {
  const auto* tuple = shape.as<Sequence>();
  const Value& extent = tuple != nullptr && !tuple->items.empty() ? tuple->items[0] : shape;
  if (!is_run_bound(extent) || !run_lengths_are_read) return std::nullopt;
  const Array count = to_array(extent, "an extent");
  const double most = detail::bounds(*count.node()).greatest;
  if (!(most <= kMostElements)) return std::nullopt;
  Dims dims{static_cast<Index>(most)};
  for (std::size_t i = 1; tuple != nullptr && i < tuple->items.size(); ++i)
    dims.push_back(tuple->items[i].integer("an extent of " + call.name + "'s shape"));
  const Array all = value.is_number() ? full(dims, value.node()->number, dtype)
                                      : set_slice(full(dims, 0, dtype), {}, value);
  return select(all, first_places(dims[0], count), 0);
}

}  // namespace rewriter

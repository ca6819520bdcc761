// min(key=), max(key=) and sorted(key=) of known items, by run-time keys.
#include <algorithm>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/table/keys.hpp"
#include "rewriter/reader/table/trees.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/decisions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// The item at a run-time index: of numbers, tuples of such, or arrays of one shape.
Value item_at(const std::vector<Value>& items, const Value& place) {
  const auto is_array = [](const Value& item) {
    const auto* object = item.as<ObjectPtr>();
    return object != nullptr && !(*object)->shape().empty();
  };
  const auto* first = items[0].as<Sequence>();
  const auto is_alike = [&](const Value& item) {
    const auto* sequence = item.as<Sequence>();
    return sequence != nullptr && sequence->list == first->list && !sequence->is_set &&
           sequence->items.size() == first->items.size();
  };
  if (first != nullptr && std::all_of(items.begin(), items.end(), is_alike)) {
    std::vector<Value> parts;
    for (std::size_t k = 0; k < first->items.size(); ++k) {
      std::vector<Value> column;
      for (const Value& item : items) column.push_back(item.as<Sequence>()->items[k]);
      const auto is_same = [&](const Value& one) {
        return one.is_number() && column[0].is_number() && known_equal(one, column[0]) == true;
      };
      parts.push_back(std::all_of(column.begin(), column.end(), is_same) ? column[0]
                                                                         : item_at(column, place));
    }
    return new_sequence(first->list, std::move(parts));
  }
  if (!std::all_of(items.begin(), items.end(), is_array))
    return subscript(new_sequence(false, items), {place});
  std::vector<Array> rows;
  for (const Value& item : items) {
    const Array row = (*item.as<ObjectPtr>())->read();
    rows.push_back(with_axis(row, 0));
    if (rows.back().shape() != rows[0].shape() || rows.back().dtype() != rows[0].dtype())
      misuse("program",
             "which of these arrays is chosen is known only at run time; they must have one type "
             "and shape");
  }
  const std::string why =
      "which array min() or max() returns is known only at run time; writing to one of them is not "
      "supported; take a copy of it";
  Value chosen = subscript(new_array(concatenate(rows, 0)), {place});
  const ObjectPtr result = *chosen.as<ObjectPtr>();
  result->refuse_writes(why);
  for (const Value& item : items) (*item.as<ObjectPtr>())->refuse_writes_beside(result, why);
  return chosen;
}

}  // namespace

bool are_run_keys(const std::vector<Value>& keys) {
  const auto is_known = [](const Value& key) {
    const auto* object = key.as<ObjectPtr>();
    return object == nullptr || computed_values((*object)->read().node());
  };
  if (deciding != Deciding::AtRun && std::all_of(keys.begin(), keys.end(), is_known)) return false;
  return !keys.empty() && std::any_of(keys.begin(), keys.end(), [](const Value& key) {
    return key.as<ObjectPtr>() != nullptr;
  }) && std::all_of(keys.begin(), keys.end(), [](const Value& key) {
    const auto* object = key.as<ObjectPtr>();
    return object != nullptr ? (*object)->read().size() == 1 : key.is_number();
  });
}

Value extreme_by_run_keys(Op op, const std::vector<Value>& items, const std::vector<Value>& keys) {
  Array best = to_array(keys[0], "a key").reshape({});
  Array place = Array(std::int64_t{0});
  for (std::size_t i = 1; i < keys.size(); ++i) {
    const Array key = to_array(keys[i], "a key").reshape({});
    const Array wins = op == Op::max ? best < key : key < best;
    best = where(wins, key, best);
    place = where(wins, Array(static_cast<std::int64_t>(i)), place);
  }
  return item_at(items, new_array(place.as_type(DType::Int)));
}

std::vector<Value> sorted_by_run_keys(const std::vector<Value>& items,
                                      const std::vector<Value>& keys, bool down) {
  std::vector<Array> rows;
  for (const Value& key : keys) {
    const Array number = to_array(key, "a key");
    rows.push_back((number.is_number() ? full({1}, number.node()->number, number.dtype())
                                       : number.reshape({1})));
    if (rows.back().dtype() != rows[0].dtype())
      misuse("sorted",
             "of ints and floats together is not supported: their order is known only at run time; "
             "make all of them floats");
  }
  Array column = concatenate(rows, 0);
  if (column.dtype() == DType::Bool) column = column.as_type(DType::Int);
  const Array order = argsort(down ? Array(0) - column : column, 0);
  std::vector<Value> places = elements_of(new_array(order));
  const auto is_number = [](const Value& item) {
    const auto* object = item.as<ObjectPtr>();
    return object != nullptr ? (*object)->is_scalar() : item.is_number();
  };
  if (!std::all_of(items.begin(), items.end(), is_number)) {
    std::vector<Value> sorted;
    for (const Value& place : places) sorted.push_back(item_at(items, place));
    return sorted;
  }
  const auto is_python = [](const Value& item) {
    const auto* object = item.as<ObjectPtr>();
    return object != nullptr ? (*object)->is_python() : !item.is_numpy;
  };
  const bool python = std::all_of(items.begin(), items.end(), is_python);
  if (!python && std::any_of(items.begin(), items.end(), is_python))
    misuse("sorted",
           "of Python and NumPy numbers together is not supported: their order is known only at "
           "run time; make all of them NumPy numbers");
  std::vector<Array> numbers;
  for (const Value& item : items) {
    const Array number = to_array(item, "an item");
    numbers.push_back((number.is_number() ? full({1}, number.node()->number, number.dtype())
                                          : number.reshape({1})));
    if (numbers.back().dtype() != numbers[0].dtype())
      misuse("sorted",
             "of ints and floats together is not supported: their order is known only at run time; "
             "make all of them floats");
  }
  std::vector<Value> sorted = elements_of(new_array(take(concatenate(numbers, 0), order)));
  if (python)
    for (Value& item : sorted)
      if (const auto* object = item.as<ObjectPtr>()) item = python_number((*object)->read());
  return sorted;
}

}  // namespace rewriter

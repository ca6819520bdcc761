// The reader: lists that are written at a run-time index, and np.vectorize.
#include <algorithm>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/selections/run_lists.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/trees.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/known_values.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

bool is_run_place(const Value& index) {
  const auto* object = index.as<ObjectPtr>();
  return object != nullptr && (*object)->shape().empty() && is_integer((*object)->read().dtype()) &&
         !known_values((*object)->read().node());
}

std::vector<Value> items_with(const Sequence& list, const Value& index, const Value& value) {
  const std::optional<ElementType> type = element_type_of(value);
  const auto count = static_cast<Index>(list.items.size());
  const auto is_alike = [&](const Value& item) {
    const auto own = element_type_of(item);
    return own && type && own->dtype == type->dtype;
  };
  if (!std::all_of(list.items.begin(), list.items.end(), is_alike))
    misuse("index",
           "at an index that is known only at run time only a list of numbers of one type can be "
           "assigned to, and only a number of that type; np.array(list) makes an array");
  const Array place = to_array(index, "an index").reshape({1});
  const Array checked = take(counting(0, 1, count), place).reshape({});
  const Array number = to_array(value, "an item");
  std::vector<Value> items;
  for (Index i = 0; i < count; ++i) {
    const Value& old = list.items[static_cast<std::size_t>(i)];
    const Array made = where(equal(checked, Array(i)), number, to_array(old, "an item"), true);
    items.push_back(is_python_number(old) ? python_number(made) : new_array(made));
  }
  return items;
}

Value vectorized(const Call& call) {
  constexpr Index kMost = 1 << 14;
  const std::string name = "np.vectorize";
  if (!call.keywords.empty()) misuse(name, "keyword arguments are not supported");
  if (call.arguments.size() < 3) misuse(name, "needs an array");
  if (const auto* f = call.arguments[0].as<Function>(); f != nullptr && f->name == "complex") {
    Call parts{f->name, {call.arguments.begin() + 2, call.arguments.end()}, {}, call.steps};
    for (Value& part : parts.arguments)  // which takes arrays
      if (!call.reader().is_library()) part = call_function({"np.copy", {part}, {}, call.steps});
    return call_function(parts);
  }
  Dims dims;
  std::vector<Array> given;
  for (std::size_t i = 2; i < call.arguments.size(); ++i) {
    given.push_back(to_array(call.arguments[i], "an argument"));
    const auto both = broadcast(dims, given.back().shape());
    if (!both) misuse(name, "the arguments do not broadcast");
    dims = *both;
  }
  const Index count = npmat::element_count(dims);
  if (count == 0)
    misuse(Exception::ValueError, name,
           "cannot call `vectorize` on size 0 inputs unless `otypes` is set");
  if (count > kMost)
    misuse(name,
           "calls the function for each of {} elements, and each call is inlined; at most {} are",
           count, kMost);
  std::vector<std::vector<Value>> columns;
  for (const Array& each : given) {
    const Array laid = each.is_number() ? full({1}, each.node()->number, each.dtype()) : each;
    columns.push_back(elements_of(new_array(
        (laid.shape() == dims || dims.empty() ? laid : broadcast_to(laid, dims)).reshape({-1}))));
  }
  std::vector<std::vector<Value>> rows(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const std::vector<Value>& column : columns) rows[i].push_back(column[i]);
  const std::vector<Value> outputs = call.reader().apply_each(call.arguments[0], rows);
  std::size_t tuple = 0;
  for (const Value& output : outputs)
    if (const auto* parts = output.as<Sequence>()) tuple = parts->items.size();
  const auto joined = [&](const std::function<Value(const Value&)>& part) {
    std::vector<Array> numbers;
    for (const Value& output : outputs) {
      const Array number = to_array(part(output), "a result");
      if (number.size() != 1) misuse(name, "the function must return numbers");
      numbers.push_back(number.is_number() ? full({1}, number.node()->number, number.dtype())
                                           : number.reshape({1}));
      if (numbers.back().dtype() != numbers[0].dtype())
        misuse(name,
               "the function returns numbers of several types, which NumPy converts to the type of "
               "the first; return floats only");
    }
    Array all = concatenate(numbers, 0);
    if (!call.arguments[1].is_none()) {
      Value type = call.arguments[1];
      if (const auto* types = type.as<Sequence>(); types != nullptr && types->items.size() == 1)
        type = types->items[0];
      all = converted(all, *dtype_argument(&type));
    }
    return new_array(all.reshape(dims));
  };
  if (tuple == 0) return joined([](const Value& output) { return output; });
  std::vector<Value> parts;
  for (std::size_t k = 0; k < tuple; ++k)
    parts.push_back(joined([&](const Value& output) { return elements_of(output).at(k); }));
  return new_sequence(false, std::move(parts));
}

}  // namespace rewriter

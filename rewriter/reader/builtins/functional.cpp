// Functions that call functions which they are given: map, sorted(key=...), np.piecewise.
#include <algorithm>
#include <numeric>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/selections/selection_calls.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/keys.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/table/trees.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// np.piecewise: each function is given what its mask selects, and the last one the rest.
Value piecewise(const Call& call) {
  const auto bound = call.bind();
  const Value x{object_argument(call, bound[0])};
  const auto* one = bound[1]->as<ObjectPtr>();
  const bool is_one = one != nullptr && (*one)->shape() == (*x.as<ObjectPtr>())->shape();
  const std::vector<Value> masks = is_one ? std::vector{*bound[1]} : elements_of(*bound[1]);
  const std::vector<Value> choices = elements_of(*bound[2]);
  if (masks.empty()) misuse(Exception::ValueError, call.name, "needs a condition");
  if (choices.size() != masks.size() && choices.size() != masks.size() + 1)
    misuse(Exception::ValueError, call.name,
           "with {0} condition(s), either {0} or {1} functions are expected", masks.size(),
           masks.size() + 1);
  const Value result = call_function({"np.zeros_like", {x}, {}, call.steps});
  const auto choose = [&](const Value& mask, const Value& choice) {
    const bool is_function =
        choice.as<Function>() != nullptr || choice.as<UserFunction>() != nullptr;
    assign_subscript(result, {mask},
                     is_function ? call.apply(choice, {subscript(x, {mask})}) : choice);
  };
  for (std::size_t i = 0; i < masks.size(); ++i) choose(masks[i], choices[i]);
  if (choices.size() == masks.size()) return result;
  Value rest = unary_operator(ast::Operator::Invert, masks[0]);
  for (std::size_t i = 1; i < masks.size(); ++i)
    rest = binary_operator(ast::Operator::BitAnd, rest,
                           unary_operator(ast::Operator::Invert, masks[i]));
  choose(rest, choices.back());
  return result;
}

/// np.apply_along_axis of a matrix: the function is given each row, or each column.
Value along_axis(const Call& call) {
  if (call.arguments.size() < 3 || !call.keywords.empty())
    misuse(call.name, "takes a function, an axis, a matrix, and more arguments for the function");
  const auto* matrix = call.arguments[2].as<ObjectPtr>();
  if (matrix == nullptr || (*matrix)->shape().size() != 2)
    misuse(call.name, "takes a matrix; got {}", call.arguments[2].description());
  const Index axis = call.arguments[1].integer("the axis");
  if (axis < -2 || axis > 1) misuse(call.name, "axis {} is out of bounds for a matrix", axis);
  const bool of_columns = axis == 0 || axis == -2;
  Call turned{"np.transpose", {call.arguments[2]}, {}, call.steps};
  const Value rows = of_columns ? call_function(turned) : call.arguments[2];
  if (*iteration_length(rows) == 0)
    misuse(call.name, "the array is empty; the function needs at least one row or column");
  std::vector<Array> results;
  for (const Value& row : elements_of(rows)) {
    std::vector<Value> arguments{row};
    arguments.insert(arguments.end(), call.arguments.begin() + 3, call.arguments.end());
    const Array result = to_array(call.apply(call.arguments[0], std::move(arguments)), "a result");
    results.push_back(with_axis(result, 0));
    if (result.ndim() > 1 || results.back().shape() != results[0].shape() ||
        result.dtype() != results[0].dtype())
      misuse(call.name, "the function must return numbers or vectors of one type and size");
  }
  const Array joined = concatenate(results, 0);
  return new_array(of_columns && joined.ndim() == 2 ? joined.T() : joined);
}

Value py_map(const Call& call) {
  if (call.arguments.size() < 2) misuse("map", "takes a function and iterables");
  const Value zipped{Iteration{
      Iteration::Kind::Zip, std::vector<Value>(call.arguments.begin() + 1, call.arguments.end())}};
  std::vector<std::vector<Value>> arguments;
  for (const Value& each : elements_of(zipped)) arguments.push_back(elements_of(each));
  return gone_through(call.reader().apply_each(call.arguments[0], arguments));
}

Value py_filter(const Call& call) {
  if (call.arguments.size() != 2) misuse("filter", "takes a function and iterables");
  std::vector<Value> results;
  for (const Value& each : elements_of(call.arguments[1])) {
    const auto truth =
        truth_of(call.arguments[0].is_none() ? each : call.apply(call.arguments[0], {each}));
    if (!truth) misuse("filter", "which items are kept must be known when the program is read");
    if (*truth) results.push_back(each);
  }
  return gone_through(std::move(results));
}

Value np_vectorize(const Call& call) {
  const auto bound = call.bind();
  return {Method{"np.vectorize()", Items({*bound[0], bound[1] == nullptr ? Value{} : *bound[1]})}};
}

/// The function of the program, given an array of indices for each axis.
Value np_fromfunction(const Call& call) {
  const auto bound = call.bind();
  if (bound[0]->as<UserFunction>() == nullptr)
    misuse(call.name, "expects a function that the program defines; got {}",
           bound[0]->description());
  const DType dtype = dtype_argument(bound[2]).value_or(DType::Float);
  return call.apply(*bound[0], index_arrays(call, *bound[1], dtype));
}

Value partial(const Call& call) {
  if (call.arguments.empty()) misuse(call.name, "takes a function and its arguments");
  Dict named;
  for (const auto& [key, value] : call.keywords) set_key(named, {key}, value);
  return {Method{"functools.partial()",
                 Items({call.arguments[0],
                        new_sequence(false, {call.arguments.begin() + 1, call.arguments.end()}),
                        {named}})}};
}

/// What partial() makes, called: the function, a tuple and a dictionary come first.
Value call_partial(const Call& call) {
  Call whole = call;
  whole.arguments = elements_of(call.arguments[1]);
  whole.arguments.insert(whole.arguments.end(), call.arguments.begin() + 3, call.arguments.end());
  whole.keywords.clear();
  Dict named = dict_of(call.arguments[2]);
  for (const auto& [keyword, value] : call.keywords) set_key(named, {keyword}, value);
  for (std::size_t i = 0; i < named.keys.size(); ++i)
    whole.keywords.emplace_back(*named.keys[i].as<std::string>(), named.values[i]);
  return call.reader().call_value(call.arguments[0], whole);
}

Value py_reduce(const Call& call) {
  if (call.arguments.size() < 2 || call.arguments.size() > 3 || !call.keywords.empty())
    misuse(call.name, "takes a function, an iterable and optionally an initial value");
  std::vector<Value> items = elements_of(call.arguments[1]);
  if (call.arguments.size() == 3) items.insert(items.begin(), call.arguments[2]);
  if (items.empty())
    misuse(Exception::TypeError, call.name, "of an empty sequence needs an initial value");
  Value result = items[0];
  for (std::size_t i = 1; i < items.size(); ++i)
    result = call.apply(call.arguments[0], {result, items[i]});
  return result;
}

// ---- orders by keys ----

/// What items are compared by: what key= makes of them.
std::vector<Value> keys_of(const Call& call, const std::vector<Value>& items) {
  const Value* const key = call.keyword("key");
  if (key == nullptr) return items;
  std::vector<Value> keys;
  for (const Value& item : items) keys.push_back(call.apply(*key, {item}));
  return keys;
}

Value builtin_sorted(const Call& call) {
  const auto bound = call.bind();
  const bool down = truth_of(*bound[2]) == true, has_key = bound[1] != nullptr;
  if (!has_key && is_selection(*bound[0])) return sorted_selection(call);
  if (const auto* array = bound[0]->as<ObjectPtr>(); array != nullptr && !has_key &&
                                                     (*array)->read().ndim() == 1 &&
                                                     (*array)->read().dtype() != DType::Float) {
    std::vector<Value> ordered = elements_of(new_array(sort((*array)->read(), 0)));
    if (down) std::reverse(ordered.begin(), ordered.end());
    return new_sequence(true, std::move(ordered));
  }
  const std::vector<Value> items = any_order(*bound[0]);
  const std::vector<Value> keys = keys_of(call, items);
  std::vector<Value> sorted;
  if (are_run_keys(keys)) {
    sorted = sorted_by_run_keys(items, keys, down);
    for (const Value& item : items) call.reader().freeze(item);
    for (const Value& item : sorted) call.reader().freeze(item);
    return new_sequence(true, std::move(sorted));
  }
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return down ? is_known_less(call, keys[b], keys[a]) : is_known_less(call, keys[a], keys[b]);
  });
  for (const std::size_t i : order) sorted.push_back(items[i]);
  return new_sequence(true, std::move(sorted));
}

}  // namespace

bool is_known_less(const Call& call, const Value& a, const Value& b) {
  const auto holds = [&](ast::Operator op, const Value& left, const Value& right) {
    const bool asks = left.as<InstancePtr>() != nullptr || right.as<InstancePtr>() != nullptr;
    const Value made = asks                        ? call.reader().binary(op, left, right)
                       : op == ast::Operator::Less ? known_less(left, right)
                                                   : binary_operator(op, left, right);
    const auto truth = truth_of(made);
    if (!truth) misuse(call.name, "the values compared must be known when the program is read");
    return *truth;
  };
  const auto is_tuple = [](const Value& value) {
    const auto* sequence = value.as<Sequence>();
    return sequence != nullptr && !sequence->is_set;
  };
  if (!is_tuple(a) || !is_tuple(b)) return holds(ast::Operator::Less, a, b);
  const Items& x = a.as<Sequence>()->items;
  const Items& y = b.as<Sequence>()->items;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    const auto* object = x[i].as<InstancePtr>();
    const auto* other = y[i].as<InstancePtr>();
    const auto same = object != nullptr && other != nullptr && *object == *other
                          ? std::optional(true)
                          : known_equal(x[i], y[i]);
    if (!(same ? *same : holds(ast::Operator::Equal, x[i], y[i])))
      return is_known_less(call, x[i], y[i]);
  }
  return x.size() < y.size();
}

const Value* default_of_extreme(const Call& call) {
  const auto found = std::find_if(call.keywords.begin(), call.keywords.end(),
                                  [](const auto& keyword) { return keyword.first == "default"; });
  return found == call.keywords.end() ? nullptr : &found->second;
}

Value extreme_of_nothing(const Call& call) {
  if (const Value* standard = default_of_extreme(call)) return *standard;
  throw PythonError("ValueError", call.name, "arg is an empty sequence",
                    {{call.name + "() arg is an empty sequence"}});
}

Value extreme_by_key(const Call& call, Op op) {
  for (const auto& [key, value] : call.keywords)
    if (key != "key" && key != "default")
      misuse(Exception::TypeError, call.name, "got an unexpected keyword argument '{}'", key);
  if (call.arguments.empty()) misuse(Exception::TypeError, call.name, "needs an iterable");
  const std::vector<Value> items =
      call.arguments.size() > 1 ? call.arguments : any_order(call.arguments[0]);
  if (items.empty()) return extreme_of_nothing(call);
  const std::vector<Value> keys = keys_of(call, items);
  if (are_run_keys(keys)) return extreme_by_run_keys(op, items, keys);
  std::size_t best = 0;
  for (std::size_t i = 1; i < items.size(); ++i)
    if (op == Op::max ? is_known_less(call, keys[best], keys[i])
                      : is_known_less(call, keys[i], keys[best]))
      best = i;
  return items[best];
}

Value known_less(const Value& a, const Value& b) {
  const auto* x = a.as<Sequence>();
  const auto* y = b.as<Sequence>();
  if (x == nullptr || y == nullptr) return binary_operator(ast::Operator::Less, a, b);
  for (std::size_t i = 0; i < std::min(x->items.size(), y->items.size()); ++i) {
    auto same = known_equal(x->items[i], y->items[i]);
    if (!same) same = truth_of(binary_operator(ast::Operator::Equal, x->items[i], y->items[i]));
    if (!same) misuse("program", "the values compared must be known when the program is read");
    if (!*same) return known_less(x->items[i], y->items[i]);
  }
  return {x->items.size() < y->items.size()};
}

void enter_functional(FunctionTable& table) {
  enter(table, Topic::Python,
        {{"map", "function, *iterables", py_map, kOfFunctions},
         {"filter", "function, iterable", py_filter, kOfFunctions},
         {"sorted", "iterable, *, key=None, reverse=False", builtin_sorted, kOfFunctions},
         {"functools.reduce", "function, iterable, [initial]", py_reduce, kOfFunctions},
         {"functools.partial", "function, *args, **keywords", partial, kOfFunctions},
         {"np.piecewise", "x, condlist, funclist", piecewise, kOfFunctions},
         {"np.apply_along_axis", "func1d, axis, arr, *args, **keywords", along_axis, kOfFunctions},
         {"functools.partial()", "*args, **keywords", call_partial, kOfFunctions},
         {"np.vectorize", "pyfunc, otypes=None", np_vectorize, kOfFunctions},
         {"np.vectorize()", "*args, **keywords", vectorized, kOfFunctions},
         {"np.fromfunction", "function, shape, *, dtype=None", np_fromfunction, kOfFunctions}});
}

}  // namespace rewriter

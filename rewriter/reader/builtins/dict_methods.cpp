// Methods of dictionaries, and of their kin in the module collections, by the names that Python's
// types have.
#include <algorithm>

#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

Value keys(const Call& call) {
  return new_sequence(false, elements_of(call.values()[0]));
}

Value values(const Call& call) {
  const std::vector<Value> given = call.values();
  const Dict& dict = dict_in(call, given[0]);
  return new_sequence(false, {dict.values.begin(), dict.values.end()});
}

Value pairs(const Call& call) {
  const std::vector<Value> given = call.values();
  const Dict& dict = dict_in(call, given[0]);
  std::vector<Value> all;
  for (std::size_t i = 0; i < dict.keys.size(); ++i)
    all.push_back(new_sequence(false, {dict.keys[i], dict.values[i]}));
  return new_sequence(false, std::move(all));
}

Value copied_dict(const Call& call) {
  const std::vector<Value> given = call.values();
  const Dict& dict = dict_in(call, given[0]);
  Dict copy = dict_of(given[0]);
  copy.type = dict.type;
  copy.standard = dict.standard;
  return {std::move(copy)};
}

Value updated(const Call& call) {
  Dict other;
  if (call.arguments.size() > 1) other = dict_of(call.arguments[1]);
  for (const auto& [keyword, value] : call.keywords) set_key(other, {keyword}, value);
  call.reader().change(call.arguments.at(0),
                       [&](auto& keys, auto& values) {
                         for (std::size_t i = 0; i < other.keys.size(); ++i)
                           set_key(keys, values, other.keys[i], other.values[i]);
                       },
                       {other.values.begin(), other.values.size()});
  return {};
}

Value got(const Call& call) {
  const std::vector<Value> given = call.values();
  const Value* found = find_key(dict_in(call, given[0]), given[1]);
  return found != nullptr ? *found : given[2];
}

Value set_by_default(const Call& call) {
  const std::vector<Value> given = call.values();
  const Value result = got(call);
  if (find_key(dict_in(call, given[0]), given[1]) == nullptr)
    call.reader().change(given[0],
                         [&](auto& keys, auto& values) { set_key(keys, values, given[1], result); },
                         {&result, 1});
  return result;
}

Value popped_key(const Call& call) {
  const std::vector<Value> given = call.values();
  const Value result = got(call);
  const bool is_there = find_key(dict_in(call, given[0]), given[1]) != nullptr;
  if (is_there || call.arguments.size() < 3) call.reader().delete_item(given[0], {given[1]});
  return result;
}

/// The last one; of an OrderedDict with last=False the first.
Value popped_item(const Call& call) {
  const std::vector<Value> given = call.values();
  const Dict& dict = dict_in(call, given[0]);
  if (dict.keys.empty())
    throw PythonError("KeyError", call.name, "the dictionary is empty",
                      {{"popitem(): dictionary is empty"}});
  const std::size_t at = truth_of(given[1]) == false ? 0 : dict.keys.size() - 1;
  const Value pair = new_sequence(false, {dict.keys[at], dict.values[at]});
  call.reader().delete_item(given[0], {dict.keys[at]});
  return pair;
}

/// Of an OrderedDict.
Value moved_to_end(const Call& call) {
  const std::vector<Value> given = call.values();
  const Dict dict = dict_in(call, given[0]);
  const Value* found = find_key(dict, given[1]);
  const Value held = found != nullptr ? *found : Value{};
  call.reader().delete_item(given[0], {given[1]});
  const bool last = truth_of(given[2]) != false;
  call.reader().change(given[0],
                       [&](auto& keys, auto& values) {
                         keys.insert(last ? keys.end() : keys.begin(), given[1]);
                         values.insert(last ? values.end() : values.begin(), held);
                       },
                       {&held, 1});
  return {};
}

/// Adds how often the keys are in something, or what a dictionary says.
Value counted(const Call& call) {
  const std::vector<Value> rest(call.arguments.begin() + 1, call.arguments.end());
  const Value more = call_function({"collections.Counter", rest, call.keywords, call.steps});
  const auto* others = more.as<Dict>();
  const auto add = [&](auto& keys, auto& values) {
    Dict made{Items(keys), Items(values)};
    for (std::size_t i = 0; i < others->keys.size(); ++i) {
      const Value* old = find_key(made, others->keys[i]);
      const Value count = others->values[i];
      set_key(keys, values, others->keys[i],
              old == nullptr ? count : binary_operator(ast::Operator::Add, *old, count));
    }
  };
  call.reader().change(call.arguments[0], add);
  return {};
}

/// Takes those counts away.
Value discounted(const Call& call) {
  Call negative = call;
  const std::vector<Value> rest(call.arguments.begin() + 1, call.arguments.end());
  Value more = call_function({"collections.Counter", rest, call.keywords, call.steps});
  auto& counts = std::get<Dict>(more.held).values.own();
  for (Value& count : counts)
    count = binary_operator(ast::Operator::Subtract, {std::int64_t{0}}, count);
  negative.arguments = {call.arguments[0], more};
  negative.keywords.clear();
  return counted(negative);
}

/// Each key as often as it is counted.
Value counted_elements(const Call& call) {
  const Dict& dict = dict_in(call, call.arguments.at(0));
  std::vector<Value> all;
  for (std::size_t i = 0; i < dict.keys.size(); ++i)
    for (Index left = dict.values[i].integer("a count"); left > 0; --left)
      all.push_back(dict.keys[i]);
  return gone_through(std::move(all));
}

Value total(const Call& call) {
  Value sum{std::int64_t{0}};
  for (const Value& count : dict_in(call, call.arguments.at(0)).values)
    sum = binary_operator(ast::Operator::Add, sum, count);
  return sum;
}

/// In the order of insertion where counts are equal.
Value most_common(const Call& call) {
  const auto bound = call.bind();
  std::vector<Value> all = elements_of(
      pairs({call.name, {*bound[0]}, {}, call.steps, nullptr, call.caller, row_of("dict.items")}));
  std::stable_sort(all.begin(), all.end(), [&](const Value& a, const Value& b) {
    const auto truth = truth_of(known_less(b.as<Sequence>()->items[1], a.as<Sequence>()->items[1]));
    if (!truth) misuse(call.name, "the values compared must be known when the program is read");
    return *truth;
  });
  if (bound[1] != nullptr)
    all.resize(
        static_cast<std::size_t>(std::clamp<Index>(bound[1]->integer("n"), 0, std::ssize(all))));
  return new_sequence(true, std::move(all));
}

/// Of np.nditer: goes on to the next place.
Value next_place(const Call& call) {
  const Value self = call.values()[0];
  const Index next = dict_in(call, self).values[1].integer("a place") + 1;
  call.reader().change(self, [&](auto&, auto& values) { values[1] = {next}; });
  return {true};
}

Dims extents_of(const Dict& places) {
  Dims dims;
  for (const Value& extent : places.values[0].as<Sequence>()->items)
    dims.push_back(extent.integer("an extent"));
  return dims;
}

Value has_finished(const Call& call) {
  const Dict places = dict_in(call, call.values()[0]);
  return {places.values[1].integer("a place") >= npmat::element_count(extents_of(places))};
}

Value place_reached(const Call& call) {
  const Dict places = dict_in(call, call.values()[0]);
  const Dims dims = extents_of(places);
  Index at = places.values[1].integer("a place");
  if (at >= npmat::element_count(dims)) misuse("np.nditer", "the iterator is past the end");
  std::vector<Value> place(dims.size());
  for (std::size_t axis = dims.size(); axis-- > 0; at /= dims[axis])
    place[axis] = {at % dims[axis]};
  return new_sequence(false, std::move(place));
}

}  // namespace

void enter_dict_methods(FunctionTable& table) {
  enter(table, Topic::Method,
        {{"dict.keys", "self", keys},
         {"dict.values", "self", values},
         {"dict.items", "self", pairs},
         {"dict.copy", "self", copied_dict},
         {"dict.update", "self, [other], **items", updated},
         {"dict.get", "self, key, default=None", got},
         {"dict.setdefault", "self, key, default=None", set_by_default},
         {"dict.pop", "self, key, default=None", popped_key},
         {"dict.popitem", "self, last=True", popped_item},
         {"dict.move_to_end", "self, key, last=True", moved_to_end},
         {"collections.Counter.most_common", "self, n=None", most_common},
         {"collections.Counter.total", "self", total},
         {"collections.Counter.subtract", "self, [iterable], **counts", discounted},
         {"collections.Counter.elements", "self", counted_elements},
         {"collections.Counter.update", "self, [iterable], **counts", counted},
         {"np.nditer.iternext", "self", next_place},
         {"np.nditer.finished", "self", has_finished, kIsAttribute},
         {"np.nditer.multi_index", "self", place_reached, kIsAttribute}});
}

}  // namespace rewriter

// Methods of numbers, lists and sets, by the names that Python's types have for them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "rewriter/reader/operators/text.hpp"
#include "rewriter/reader/table/keys.hpp"
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

// ---- numbers ----

std::uint64_t magnitude(const Call& call) {
  const Index number = call.values()[0].integer("the int");
  const auto bits = static_cast<std::uint64_t>(number);
  return number < 0 ? 0 - bits : bits;
}

Value bit_length(const Call& call) {
  return {static_cast<std::int64_t>(std::bit_width(magnitude(call)))};
}

Value bit_count(const Call& call) {
  return {static_cast<std::int64_t>(std::popcount(magnitude(call)))};
}

Value is_whole(const Call& call) {
  const double x = call.values()[0].real();
  return {std::isfinite(x) && x == std::trunc(x)};
}

Value itself(const Call& call) {
  return call.values()[0];
}

Value number_of(const Call& call, double number) {
  const Value self = call.values()[0];
  return self.is_real() ? Value{number} : Value{static_cast<std::int64_t>(number)};
}

// ---- lists ----

const Sequence& items_of(const Call& call, const Value& self) {
  const auto* list = self.as<Sequence>();
  if (list == nullptr) misuse(call.name, "is a method of lists; got {}", self.description());
  return *list;
}

/// How often an item is in a list or a tuple, of which some may be known only at run time.
Value count(const Call& call) {
  const std::vector<Value> given = call.values();
  std::int64_t known = 0;
  std::optional<Array> at_run;
  for (const Value& each : items_of(call, given[0]).items) {
    const Value same = equal_items(each, given[1]);
    if (const auto truth = truth_of(same)) {
      known += *truth ? 1 : 0;
      continue;
    }
    const Array one = to_array(same, "a comparison").as_type(DType::Int);
    at_run = at_run ? *at_run + one : one;
  }
  if (!at_run) return {known};
  return python_number(known == 0 ? *at_run : *at_run + Array(known));
}

/// Whether they are one object or equal, which must be known.
bool is_item(const Call& call, const Value& item, const Value& sought) {
  const auto same = truth_of(equal_items(item, sought));
  if (!same) misuse(call.name, "the values compared must be known when the program is read");
  return *same;
}

/// The place of the item in [start, stop). `missing`: what Python says where there is none.
Value index(const Call& call, const char* missing) {
  const std::vector<Value> given = call.values();
  const Items& items = items_of(call, given[0]).items;
  const Index size = std::ssize(items);
  const auto place = [&](std::size_t bound, Index standard) {
    if (bound >= given.size() || given[bound].is_none()) return standard;
    const Index at = given[bound].integer("the index of a list");
    return std::clamp<Index>(at < 0 ? at + size : at, 0, size);
  };
  for (Index i = place(2, 0); i < place(3, size); ++i)
    if (is_item(call, items[static_cast<std::size_t>(i)], given[1])) return {i};
  if (given.size() == 2)
    throw PythonError("ValueError", call.name, "the list holds no such element", {{missing}});
  const bool is_tuple = call.row->names.starts_with("tuple") || !items_of(call, given[0]).list;
  const Value text =
      is_tuple ? Value{std::string("tuple.index(x): x")} : formatted_value(given[1], "r", "");
  throw PythonError("ValueError", call.name, "the list holds no such element",
                    {joined_texts(text, {std::string(is_tuple ? " not in tuple" : missing)})});
}

Value copied_list(const Call& call) {
  const std::vector<Value> given = call.values();
  Sequence copy{true, elements_of(given[0])};
  if (const auto* list = given[0].as<Sequence>()) copy.kin = list->kin, copy.most = list->most;
  return {std::move(copy)};
}

/// Of a deque with maxlen=, which is `most`: the first or the last items go.
void keep_most(std::vector<Value>& items, std::size_t most, bool last) {
  while (most > 0 && items.size() > most) items.erase(last ? items.begin() : items.end() - 1);
}

/// append and insert, and appendleft of deques: `at` is the place where no index is given.
Value inserted(const Call& call, Index at) {
  const std::vector<Value> given = call.values();
  const Value& item = given.back();
  const std::size_t most = items_of(call, given[0]).most;
  if (given.size() == 3) at = given[1].integer("the index of a list");
  if (given.size() == 3 && most > 0 && items_of(call, given[0]).items.size() >= most)
    throw PythonError("IndexError", call.name, "deque already at its maximum size");
  call.reader().change(given[0],
                       [&](auto&, auto& items) {
                         const Index size = std::ssize(items);
                         const Index place = std::clamp<Index>(at < 0 ? at + size : at, 0, size);
                         call.reader().move_elements(static_cast<std::size_t>(size - place));
                         items.insert(items.begin() + place, item);
                         keep_most(items, most, place > 0);
                       },
                       {&item, 1});
  if (given.size() == 2) call.reader().step(item);
  return {};
}

Value extended(const Call& call) {
  const std::vector<Value> given = call.values();
  const std::vector<Value> more = elements_of(given[1]);
  call.reader().change(
      given[0],
      [&](auto&, auto& items) {
        items.insert(items.end(), more.begin(), more.end());
        keep_most(items, items_of(call, given[0]).most, true);
      },
      more);
  return {};
}

/// pop, and popleft of deques: `at` is the place where no index is given.
Value popped(const Call& call, Index at) {
  const std::vector<Value> given = call.values();
  const Sequence& list = items_of(call, given[0]);
  if (list.items.empty())
    throw PythonError(
        "IndexError", call.name, "the list is empty",
        {{call.name.ends_with("left") ? "pop from an empty deque" : "pop from empty list"}});
  if (given.size() == 2) at = given[1].integer("the index of a list");
  const Index size = std::ssize(list.items), place = at < 0 ? at + size : at;
  if (place < 0 || place >= size)
    throw PythonError("IndexError", "index",
                      fmt::format("index {} is out of range for a list of {}", at, size),
                      {{"pop index out of range"}});
  const Value result = list.items[static_cast<std::size_t>(place)];
  call.reader().delete_item(given[0], {{place}});
  return result;
}

Value removed(const Call& call) {
  call.reader().delete_item(call.values()[0], {index(call, "list.remove(x): x not in list")});
  return {};
}

Value cleared(const Call& call) {
  call.reader().change(call.values()[0], [](auto& keys, auto& values) {
    keys.clear();
    values.clear();
  });
  return {};
}

Value reversed_in_place(const Call& call) {
  call.reader().change(call.values()[0],
                       [](auto&, auto& items) { std::reverse(items.begin(), items.end()); });
  return {};
}

Value sorted_in_place(const Call& call) {
  const Value self = call.values()[0];
  const std::vector<Value> ordered =
      elements_of(call_function({"sorted", {self}, call.keywords, call.steps, {}, call.caller}));
  call.reader().change(self, [&](auto&, auto& items) { items = ordered; });
  return {};
}

/// Of a deque.
Value extended_left(const Call& call) {
  const std::vector<Value> given = call.values();
  const std::vector<Value> more = elements_of(given[1]);
  call.reader().change(
      given[0],
      [&](auto&, auto& items) {
        items.insert(items.begin(), more.rbegin(), more.rend());
        keep_most(items, items_of(call, given[0]).most, false);
      },
      more);
  return {};
}

Value rotated(const Call& call) {
  const std::vector<Value> given = call.values();
  const Index steps = given[1].integer("the steps");
  call.reader().change(given[0], [&](auto&, auto& items) {
    const Index size = std::ssize(items);
    if (size > 0)
      std::rotate(items.begin(), items.begin() + (((-steps) % size) + size) % size, items.end());
  });
  return {};
}

// ---- sets ----

Value copied_set(const Call& call) {
  Sequence copy{true, any_order(call.arguments.at(0))};
  copy.is_set = true;
  copy.kin = call.arguments[0].as<Sequence>()->kin;
  return {std::move(copy)};
}

/// Puts each of the items into the set, or takes it out. `missing` is called for what is not there.
template <class Missing>
Value with_items(const Call& call, const std::vector<Value>& given, bool adds,
                 const Missing& missing) {
  const auto work = [&](auto&, std::vector<Value>& items) {
    for (const Value& item : given) {
      check_item_of_set(call, item);
      const auto found = std::find_if(items.begin(), items.end(), [&](const Value& other) {
        const auto same = known_equal(item, other);
        if (!same) misuse(call.name, "the items of a set must be known when the program is read");
        return *same;
      });
      if (adds && found == items.end()) items.push_back(item);
      if (!adds && found != items.end()) items.erase(found);
      if (!adds && found == items.end()) missing();
    }
  };
  call.reader().change(call.arguments[0], work, given);
  return {};
}

Value added(const Call& call) {
  return with_items(call, {call.values()[1]}, true, [] {});
}

Value added_all(const Call& call) {
  std::vector<Value> given;
  for (std::size_t i = 1; i < call.arguments.size(); ++i)
    for (Value& item : any_order(call.arguments[i])) given.push_back(std::move(item));
  return with_items(call, given, true, [] {});
}

Value discarded(const Call& call) {
  return with_items(call, {call.values()[1]}, false, [] {});
}

Value removed_from_set(const Call& call) {
  return with_items(call, {call.values()[1]}, false, [&] {
    throw PythonError("KeyError", call.name, "the set holds no such element", {call.values()[1]});
  });
}

/// Which one of several it is, Python does not say, but for strings, of which it may be any.
Value popped_from_set(const Call& call) {
  const Value self = call.values()[0];
  const Items& items = items_of(call, self).items;
  if (items.empty())
    throw PythonError("KeyError", call.name, "the set is empty", {{"pop from an empty set"}});
  const bool is_any = std::all_of(items.begin(), items.end(), [](const Value& item) {
    return item.as<std::string>() != nullptr;
  });
  if (items.size() > 1 && !is_any)
    misuse(call.name,
           "which of several elements it takes is unspecified; x = min(s) and s.remove(x) take the "
           "least one");
  const Value taken = items[0];
  call.reader().change(self, [](auto&, auto& held) { held.erase(held.begin()); });
  return taken;
}

/// The operator with each of the arguments; of comparisons with the first.
Value with_sets(const Call& call, ast::Operator op) {
  Value result = copied_set(call);
  for (std::size_t i = 1; i < call.arguments.size(); ++i)
    result =
        binary_operator(op, result, call_function({"set", {call.arguments[i]}, {}, call.steps}));
  return result;
}

/// The same in place.
Value updated_set(const Call& call, ast::Operator op) {
  const Value result = with_sets(call, op);
  const Items items = result.as<Sequence>()->items;
  call.reader().change(call.arguments[0],
                       [&](auto&, auto& held) { held.assign(items.begin(), items.end()); },
                       {items.begin(), items.size()});
  return {};
}

Value is_disjoint(const Call& call) {
  return {with_sets(call, ast::Operator::BitAnd).as<Sequence>()->items.empty()};
}

Value is_superset(const Call& call) {
  const std::vector<Value> given = call.values();
  return binary_operator(ast::Operator::LessEqual,
                         call_function({"set", {given[1]}, {}, call.steps}), given[0]);
}

// ---- collections.Counter ----

/// "list." and so on; empty for what has no such methods.
std::string_view type_of_methods(const Value& self) {
  if (self.as<std::string>() != nullptr) return "str.";
  if (self.as<std::int64_t>() != nullptr && !self.is_numpy) return "int.";
  if (self.as<double>() != nullptr && !self.is_numpy) return "float.";
  if (self.as<NumberList>() != nullptr) return "list.";
  if (const auto* dict = self.as<Dict>()) return dict->type == kPlaces ? "np.nditer." : "dict.";
  const auto* sequence = self.as<Sequence>();
  if (sequence == nullptr) return "";
  if (sequence->kin == "bytes") return "bytes.";
  return sequence->is_set ? "set." : sequence->list ? "list." : "tuple.";
}

}  // namespace

std::optional<Value> array_attribute(const Value& self, std::string_view name) {
  const std::string full = fmt::format(".{}", name);
  const Row* const row = row_of(full);
  if (row == nullptr || !row->has(kIsAttribute)) return std::nullopt;
  std::vector<NodePtr> steps;
  return call_function({full, {self}, {}, steps});
}

/// Of a named tuple.
static std::optional<Value> field_of(const Value& self, std::string_view name) {
  const auto* tuple = self.as<Sequence>();
  if (tuple == nullptr || !has_word(tuple->fields, name)) return std::nullopt;
  std::size_t at = 0;
  for (const Value& item : tuple->items) {
    const std::size_t end = std::min(tuple->fields.find(' ', at), tuple->fields.size());
    if (std::string_view(tuple->fields).substr(at, end - at) == name) return item;
    at = end + 1;
  }
  return std::nullopt;
}

std::optional<Value> container_method(const Value& self, std::string_view name) {
  if (auto field = field_of(self, name)) return field;
  if (const auto* deque = self.as<Sequence>();
      deque != nullptr && deque->kin == "deque" && name == "maxlen")
    return deque->most == 0 ? Value{} : Value{static_cast<std::int64_t>(deque->most)};
  if (const auto* items = self.as<Dict>();
      items != nullptr && items->type == "defaultdict" && name == "default_factory")
    return items->standard.empty() ? Value{} : items->standard[0];
  const auto* dict = self.as<Dict>();
  const bool counts = dict != nullptr && dict->type == "Counter" &&
                      row_of(fmt::format("collections.Counter.{}", name)) != nullptr;
  const std::string_view type = counts ? "collections.Counter." : type_of_methods(self);
  const bool appends = self.as<NumberList>() != nullptr && name == "append";
  const std::string full = fmt::format("{}{}", type, name);
  const Row* const row = type.empty() || appends ? nullptr : row_of(full);
  if (row == nullptr) return std::nullopt;
  if (row->has(kOfType)) return Value{Function{full, nullptr}};
  std::vector<NodePtr> steps;
  if (row->has(kIsAttribute)) return call_as(full, {full, {self}, {}, steps});
  return Value{Method{full, Items({self})}};
}

void enter_container_methods(FunctionTable& table) {
  using enum ast::Operator;
  enter(table, Topic::Method,
        {{"int.bit_length", "self", bit_length},
         {"int.bit_count", "self", bit_count},
         {"int.conjugate float.conjugate", "self", itself},
         {"int.real int.numerator float.real", "self", itself, kIsAttribute},
         {"int.imag float.imag", "self", with(number_of, 0.0), kIsAttribute},
         {"int.denominator", "self", with(number_of, 1.0), kIsAttribute},
         {"float.is_integer", "self", is_whole},
         {"list.append", "self, object", with(inserted, std::numeric_limits<Index>::max())},
         {"list.appendleft", "self, object", with(inserted, Index{0})},
         {"list.insert", "self, index, object", with(inserted, Index{0})},
         {"list.extend", "self, iterable", extended},
         {"list.extendleft", "self, iterable", extended_left},
         {"list.rotate", "self, n=1", rotated},
         {"list.pop", "self, index=-1", with(popped, Index{-1})},
         {"list.popleft", "self", with(popped, Index{0})},
         {"list.remove", "self, value", removed},
         {"list.index tuple.index", "self, value, start=None, stop=None",
          with(index, " is not in list")},
         {"list.count tuple.count", "self, value", count},
         {"list.copy", "self", copied_list},
         {"list.reverse", "self", reversed_in_place},
         {"list.sort", "self, *, key=None, reverse=False", sorted_in_place},
         {"list.clear dict.clear set.clear", "self", cleared},
         {"set.add", "self, item", added},
         {"set.update", "self, *others", added_all},
         {"set.discard", "self, item", discarded},
         {"set.remove", "self, item", removed_from_set},
         {"set.pop", "self", popped_from_set},
         {"set.union", "self, *others", with(with_sets, BitOr)},
         {"set.intersection", "self, *others", with(with_sets, BitAnd)},
         {"set.difference", "self, *others", with(with_sets, Subtract)},
         {"set.symmetric_difference", "self, other", with(with_sets, BitXor)},
         {"set.intersection_update", "self, *others", with(updated_set, BitAnd)},
         {"set.difference_update", "self, *others", with(updated_set, Subtract)},
         {"set.symmetric_difference_update", "self, other", with(updated_set, BitXor)},
         {"set.isdisjoint", "self, other", is_disjoint},
         {"set.issubset", "self, *others", with(with_sets, LessEqual)},
         {"set.issuperset", "self, other", is_superset},
         {"set.copy", "self", copied_set}});
}

}  // namespace rewriter

// Methods of lists, dictionaries, sets and strings, by the names that Python's types have for them.
#include <algorithm>
#include <bit>
#include <cctype>
#include <limits>

#include "rewriter/reader/compose.hpp"
#include "rewriter/reader/objects.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

// ---- texts ----

const std::string& text_of(const Call& call, const Value& value) {
  const auto* text = value.as<std::string>();
  if (text == nullptr) misuse(call.name, "expects a string that is known when the program is read");
  return *text;
}

Value each_letter(const Call& call, int (*change)(int)) {
  std::string result = text_of(call, call.values()[0]);
  for (char& c : result) c = static_cast<char>(change(static_cast<unsigned char>(c)));
  return {std::move(result)};
}

/// The first letter of each word, or of the text, as a capital, and the others small.
Value capitals(const Call& call, bool of_words) {
  std::string result = text_of(call, call.values()[0]);
  bool is_first = true;
  for (char& c : result) {
    const auto letter = static_cast<unsigned char>(c);
    c = static_cast<char>(is_first ? std::toupper(letter) : std::tolower(letter));
    is_first = of_words && std::isalpha(letter) == 0;
  }
  return {std::move(result)};
}

/// Where a text is in what is padded to a width; without fillchar= with zeros.
enum class Side : std::uint8_t { Left, Middle, Right };
Value padded(const Call& call, Side side) {
  const std::vector<Value> given = call.values();
  const std::string& text = text_of(call, given[0]);
  const std::string fill = given.size() > 2 ? text_of(call, given[2]) : "0";
  if (fill.size() != 1) misuse(call.name, "The fill character must be exactly one character long");
  const Index wanted = given[1].integer("the width");
  const auto room = static_cast<std::size_t>(std::max<Index>(wanted - std::ssize(text), 0));
  const std::size_t middle = room / 2 + (room & (text.size() + room) & 1);
  const std::size_t left = side == Side::Left ? 0 : side == Side::Right ? room : middle;
  return {std::string(left, fill[0]) + text + std::string(room - left, fill[0])};
}

Value stripped(const Call& call, bool left, bool right) {
  const std::vector<Value> given = call.values();
  const std::string& text = text_of(call, given[0]);
  const std::string blanks = given[1].is_none() ? " \t\n\r\f\v" : text_of(call, given[1]);
  const std::size_t begin = left ? text.find_first_not_of(blanks) : 0;
  const std::size_t end = right ? text.find_last_not_of(blanks) + 1 : text.size();
  return {begin == std::string::npos ? std::string() : text.substr(begin, end - begin)};
}

Value starts(const Call& call) {
  const std::vector<Value> given = call.values();
  return {text_of(call, given[0]).starts_with(text_of(call, given[1]))};
}

Value ends(const Call& call) {
  const std::vector<Value> given = call.values();
  return {text_of(call, given[0]).ends_with(text_of(call, given[1]))};
}

Value replaced(const Call& call) {
  const std::vector<Value> given = call.values();
  const std::string& text = text_of(call, given[0]);
  const std::string& from = text_of(call, given[1]);
  if (from.empty()) misuse(call.name, "the string to replace is empty");
  std::string result;
  for (std::size_t at = 0;;) {
    const std::size_t next = text.find(from, at);
    result += text.substr(at, next - at);
    if (next == std::string::npos) return {result};
    result += text_of(call, given[2]);
    at = next + from.size();
  }
}

Value split(const Call& call) {
  const std::vector<Value> given = call.values();
  const std::string& text = text_of(call, given[0]);
  const bool blanks = given[1].is_none();
  const std::string between = blanks ? " " : text_of(call, given[1]);
  if (between.empty()) misuse(call.name, "empty separator");
  std::vector<Value> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t next = std::min(text.find(between, at), text.size());
    if (!blanks || next > at) parts.push_back({text.substr(at, next - at)});
    at = next + between.size();
  }
  return new_sequence(true, std::move(parts));
}

Value joined(const Call& call) {
  const std::vector<Value> given = call.values();
  Value result{std::string()};
  bool first = true;
  for (const Value& item : elements_of(given[1])) {
    if (!first) result = joined_texts(result, given[0]);
    result = joined_texts(result, item);
    first = false;
  }
  return result;
}

Value format(const Call& call) {
  Call fields = call;
  fields.arguments.erase(fields.arguments.begin());
  return formatted_by_braces(text_of(call, call.arguments.at(0)), fields);
}

Value bit_length(const Call& call) {
  const Index number = call.values()[0].integer("the int");
  return {static_cast<std::int64_t>(
      std::bit_width(static_cast<std::uint64_t>(number < 0 ? -number : number)))};
}

// ---- lists ----

const Sequence& items_of(const Call& call, const Value& self) {
  const auto* list = self.as<Sequence>();
  if (list == nullptr) misuse(call.name, "is a method of lists; got {}", self.description());
  return *list;
}

/// How often an item is in a list or a tuple, and the place of the first.
std::pair<std::int64_t, std::int64_t> found_in(const Call& call) {
  const std::vector<Value> given = call.values();
  const Sequence& list = items_of(call, given[0]);
  std::int64_t count = 0, first = 0;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const auto same = known_equal(list.items[i], given[1]);
    if (!same) misuse(call.name, "the values compared must be known when the program is read");
    if (*same && count++ == 0) first = static_cast<std::int64_t>(i);
  }
  return {count, first};
}

Value count(const Call& call) {
  return {found_in(call).first};
}

Value index(const Call& call) {
  const auto [count, first] = found_in(call);
  if (count == 0) misuse(call.name, "the list holds no such element");
  return {first};
}

Value copied_list(const Call& call) {
  return new_sequence(true, elements_of(call.values()[0]));
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
  if (list.items.empty()) throw PythonError("IndexError", call.name, "the list is empty");
  if (given.size() == 2) at = given[1].integer("the index of a list");
  const Index size = std::ssize(list.items), place = at < 0 ? at + size : at;
  if (place < 0 || place >= size)
    throw PythonError("IndexError", "index",
                      fmt::format("index {} is out of range for a list of {}", at, size));
  const Value result = list.items[static_cast<std::size_t>(place)];
  call.reader().delete_item(given[0], {{place}});
  return result;
}

Value removed(const Call& call) {
  call.reader().delete_item(call.values()[0], {index(call)});
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

// ---- sets ----

Value copied_set(const Call& call) {
  Sequence copy{true, any_order(call.arguments.at(0))};
  copy.is_set = true;
  return {std::move(copy)};
}

/// Puts each of the items into the set, or takes it out. `missing` is called for what is not there.
template <class Missing>
Value with_items(const Call& call, const std::vector<Value>& given, bool adds,
                 const Missing& missing) {
  const auto work = [&](auto&, std::vector<Value>& items) {
    for (const Value& item : given) {
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
    throw PythonError("KeyError", call.name, "the set holds no such element");
  });
}

/// The operator with each of the arguments; of comparisons with the first.
Value with_sets(const Call& call, ast::Operator op) {
  Value result = copied_set(call);
  for (std::size_t i = 1; i < call.arguments.size(); ++i)
    result =
        binary_operator(op, result, call_function({"set", {call.arguments[i]}, {}, call.steps}));
  return result;
}

Value is_superset(const Call& call) {
  const std::vector<Value> given = call.values();
  return binary_operator(ast::Operator::LessEqual,
                         call_function({"set", {given[1]}, {}, call.steps}), given[0]);
}

// ---- dictionaries ----

const Dict& dict_in(const Call& call, const Value& self) {
  const auto* dict = self.as<Dict>();
  if (dict == nullptr) misuse(call.name, "is a method of dictionaries; got {}", self.description());
  return *dict;
}

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

// ---- collections.Counter ----

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

/// "list." and so on; empty for what has no such methods.
std::string_view type_of_methods(const Value& self) {
  if (self.as<std::string>() != nullptr) return "str.";
  if (self.as<std::int64_t>() != nullptr && !self.is_numpy) return "int.";
  if (self.as<NumberList>() != nullptr) return "list.";
  if (const auto* dict = self.as<Dict>()) return dict->type == kPlaces ? "np.nditer." : "dict.";
  const auto* sequence = self.as<Sequence>();
  if (sequence == nullptr) return "";
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
  const char* const by_width = "self, width, fillchar=' '";
  enter(table, Topic::Method,
        {{"str.title", "self", with(capitals, true)},
         {"str.capitalize", "self", with(capitals, false)},
         {"str.upper", "self", with(each_letter, static_cast<int (*)(int)>(std::toupper))},
         {"str.lower", "self", with(each_letter, static_cast<int (*)(int)>(std::tolower))},
         {"str.ljust", by_width, with(padded, Side::Left)},
         {"str.rjust", by_width, with(padded, Side::Right)},
         {"str.center", by_width, with(padded, Side::Middle)},
         {"str.zfill", "self, width", with(padded, Side::Right)},
         {"str.strip", "self, chars=None", with(stripped, true, true)},
         {"str.lstrip", "self, chars=None", with(stripped, true, false)},
         {"str.rstrip", "self, chars=None", with(stripped, false, true)},
         {"str.startswith", "self, prefix", starts},
         {"str.endswith", "self, suffix", ends},
         {"str.replace", "self, old, new", replaced},
         {"str.split", "self, sep=None", split},
         {"str.join", "self, iterable", joined},
         {"str.format", "self, *args, **keywords", format},
         {"int.bit_length", "self", bit_length},
         {"list.append", "self, object", with(inserted, std::numeric_limits<Index>::max())},
         {"list.appendleft", "self, object", with(inserted, Index{0})},
         {"list.insert", "self, index, object", with(inserted, Index{0})},
         {"list.extend", "self, iterable", extended},
         {"list.pop", "self, index=-1", with(popped, Index{-1})},
         {"list.popleft", "self", with(popped, Index{0})},
         {"list.remove", "self, value", removed},
         {"list.index tuple.index", "self, value", index},
         {"list.count tuple.count", "self, value", count},
         {"list.copy", "self", copied_list},
         {"list.reverse", "self", reversed_in_place},
         {"list.sort", "self, *, key=None, reverse=False", sorted_in_place},
         {"list.clear dict.clear set.clear", "self", cleared},
         {"set.add", "self, item", added},
         {"set.update", "self, *others", added_all},
         {"set.discard", "self, item", discarded},
         {"set.remove", "self, item", removed_from_set},
         {"set.union", "self, *others", with(with_sets, BitOr)},
         {"set.intersection", "self, *others", with(with_sets, BitAnd)},
         {"set.difference", "self, *others", with(with_sets, Subtract)},
         {"set.issubset", "self, *others", with(with_sets, LessEqual)},
         {"set.issuperset", "self, other", is_superset},
         {"set.copy", "self", copied_set},
         {"dict.keys", "self", keys},
         {"dict.values", "self", values},
         {"dict.items", "self", pairs},
         {"dict.copy", "self", copied_dict},
         {"dict.update", "self, *other, **items", updated},
         {"dict.get", "self, key, default=None", got},
         {"dict.setdefault", "self, key, default=None", set_by_default},
         {"dict.pop", "self, key, default=None", popped_key},
         {"collections.Counter.most_common", "self, n=None", most_common},
         {"collections.Counter.total", "self", total},
         {"collections.Counter.update", "self, *iterable, **counts", counted},
         {"np.nditer.iternext", "self", next_place},
         {"np.nditer.finished", "self", has_finished, kIsAttribute},
         {"np.nditer.multi_index", "self", place_reached, kIsAttribute}});
}

}  // namespace rewriter

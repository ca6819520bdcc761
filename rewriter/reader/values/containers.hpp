// Lists, tuples, dictionaries, and what loops iterate over. Internal to the reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rewriter/expr/symbolic.hpp"
#include "rewriter/python/ast.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// Which list or dictionary it is; nothing of other values.
std::optional<std::uint64_t> list_number(const Value& value);
/// What holds the list of that number (the value itself, an item of it, a default of a parameter)
/// holds `list` from now on. Whether anything does.
bool replace_list(Value& value, const Value& list, std::uint64_t number);

/// A list or a tuple of these.
Value new_sequence(bool list, std::vector<Value> items);
/// Python's iterators over these items.
Value gone_through(std::vector<Value> items);
/// Whether two static values are equal, as in Python; nothing if that is not known.
std::optional<bool> known_equal(const Value& a, const Value& b);
/// a < b of static values: numbers, strings, tuples of these.
Value known_less(const Value& a, const Value& b);
/// Calls f with the value and, if it is a container, with all values in it.
template <class F>
void for_each_part(const Value& value, const F& f) {
  f(value);
  const auto each = [&](const Items& items) {
    for (const Value& item : items) for_each_part(item, f);
  };
  if (const auto* sequence = value.as<Sequence>()) each(sequence->items);
  if (const auto* dict = value.as<Dict>()) each(dict->values);
  if (const auto* iteration = value.as<Iteration>()) each(iteration->parts);
  if (const auto* z = value.as<Complex>()) each(z->parts);
  if (const auto* perhaps = value.as<Perhaps>()) each(perhaps->parts);
}
/// Of a dictionary; null if it has no such key.
const Value* find_key(const Dict& dict, const Value& key);
void set_key(Dict& dict, const Value& key, const Value& value);
void set_key(std::vector<Value>& keys, std::vector<Value>& values, const Value& key,
             const Value& value);

/// What dict(value) makes.
Dict dict_of(const Value& value);
/// Of a dictionary; nothing of other values.
std::optional<Value> container_item(const Value& object, const std::vector<Value>& index);

/// Of an element of a list that grows in a loop that is not unrolled, or under a run-time
/// condition.
void refuse_other_than_numbers(const Value& value);

/// The kind of the sequence that an array of characters is; see operators/characters.hpp.
inline constexpr std::string_view kCharacters = "characters";
/// The array of the characters' numbers; null of other values.
const Value* codes_of(const Value& value);

/// How many elements a loop over the value finds; nothing of values that are not iterable.
std::optional<Index> iteration_length(const Value& value);
/// The element at a position within them, which may depend on loops where all parts are arrays and
/// ranges.
Value iteration_element(const Value& value, const Affine& at);
/// All elements. Raises an error for values that are not iterable.
std::vector<Value> elements_of(const Value& value);

/// The place of a key among the keys of a dictionary; their number if it is absent.
std::size_t key_position(std::span<const Value> keys, const Value& key);

/// A key in a message.
std::string key_text(const Value& key);

/// Raises Python's KeyError.
[[noreturn]] void refuse_key(const Value& key);

/// Of a dictionary: several indices are a tuple.
Value index_key(const std::vector<Value>& index);

/// The dictionary of which the call is a method.
const Dict& dict_in(const Call& call, const Value& self);

}  // namespace rewriter

// Lists, tuples, sets and dictionaries that are static, and what loops iterate over.
#include "rewriter/reader/values/containers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/decisions.hpp"
#include "rewriter/reader/values/dtypes.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/known_values.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/python_types.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

Value new_sequence(bool list, std::vector<Value> items) {
  return {Sequence{list, std::move(items)}};
}

Value gone_through(std::vector<Value> items) {
  return {Iteration{Iteration::Kind::Rows, Items({new_sequence(true, std::move(items))})}};
}

// ---- equality and keys ----

/// Whether it is an object that Python compares as a list, a tuple or a dictionary.
static bool is_like_container(const Value& value) {
  const auto* object = value.as<InstancePtr>();
  return object != nullptr &&
         ((*object)->type->container || (*object)->type->kind == Class::Kind::Tuple);
}

/// Sets have each item once.
static std::optional<bool> equal_sets(const Sequence& a, const Sequence& b) {
  if (a.items.size() != b.items.size()) return false;
  for (const Value& item : a.items) {
    bool is_there = false;
    for (const Value& other : b.items) {
      const auto same = known_equal(item, other);
      if (!same) return std::nullopt;
      is_there = is_there || *same;
    }
    if (!is_there) return false;
  }
  return true;
}

std::optional<bool> known_equal(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number())
    return number_arithmetic(ast::Operator::Equal, a, b).real() != 0;
  if (a.as<Perhaps>() != nullptr || b.as<Perhaps>() != nullptr) return std::nullopt;
  if (a.is_none() || b.is_none()) return a.is_none() && b.is_none();
  const auto* object = a.as<InstancePtr>();
  const auto* another = b.as<InstancePtr>();
  if ((object != nullptr) != (another != nullptr)) {
    const Value x = whole_of(a), y = whole_of(b);
    if (x.as<InstancePtr>() == nullptr && y.as<InstancePtr>() == nullptr) return known_equal(x, y);
  }
  if (object != nullptr && another != nullptr) {
    if (*object == *another) return true;
    const bool compares =
        (*object)->type->member("__eq__") != nullptr ||
        ((*object)->type->kind == Class::Kind::Data && (*object)->type->compares_fields) ||
        is_like_container(a);
    return compares ? std::optional<bool>() : false;
  }
  const auto* mine = a.as<UserFunction>();
  const auto* its = b.as<UserFunction>();
  if (mine != nullptr && its != nullptr) return mine->defaults.is_same(its->defaults);
  const auto* bound = a.as<Method>();
  const auto* other_bound = b.as<Method>();
  const auto is_function = [](const Value& value) {
    return value.as<UserFunction>() != nullptr || value.as<Method>() != nullptr;
  };
  if (is_function(a) && is_function(b)) {
    if (bound == nullptr || other_bound == nullptr || bound->name != other_bound->name ||
        bound->self.size() != other_bound->self.size())
      return false;
    bool all = true;
    for (std::size_t i = 0; i < bound->self.size(); ++i) {
      const auto same = known_equal(bound->self[i], other_bound->self[i]);
      if (!same) return std::nullopt;
      all = all && *same;
    }
    return all;
  }
  const auto* type = a.as<ClassPtr>();
  if (type != nullptr && b.as<ClassPtr>() != nullptr) return *type == *b.as<ClassPtr>();
  const auto* text = a.as<std::string>();
  const auto* other = b.as<std::string>();
  if (text != nullptr && other != nullptr) return *text == *other;
  if (a.as<Function>() != nullptr || b.as<Function>() != nullptr)
    if (const auto same = equal_types(a, b)) return same;
  const auto* x = a.as<Sequence>();
  const auto* y = b.as<Sequence>();
  if (x != nullptr && y != nullptr && x->is_set && y->is_set) return equal_sets(*x, *y);
  if ((x != nullptr && x->is_set) || (y != nullptr && y->is_set)) return false;
  if (x != nullptr && y != nullptr) {
    if (x->list != y->list || x->kin != y->kin || x->items.size() != y->items.size()) return false;
    bool all = true;
    for (std::size_t i = 0; i < x->items.size(); ++i) {
      const auto same = known_equal(x->items[i], y->items[i]);
      if (!same) return std::nullopt;
      all = all && *same;
    }
    return all;
  }
  const auto* p = a.as<Dict>();
  const auto* q = b.as<Dict>();
  if (p != nullptr && q != nullptr) {
    if (p->keys.size() != q->keys.size()) return false;
    const bool are_ordered = p->type == "OrderedDict" && q->type == "OrderedDict";
    bool all = true;
    for (std::size_t i = 0; i < p->keys.size(); ++i) {
      if (are_ordered && known_equal(p->keys[i], q->keys[i]) != true) return false;
      const Value* found = find_key(*q, p->keys[i]);
      if (found == nullptr) return false;
      const auto same = known_equal(p->values[i], *found);
      if (!same) return std::nullopt;
      all = all && *same;
    }
    return all;
  }
  const auto is_open = [](const Value& value) {
    return value.as<ObjectPtr>() != nullptr || value.as<Affine>() != nullptr ||
           value.as<NumberList>() != nullptr || value.as<RunList>() != nullptr ||
           value.as<Selected>() != nullptr || value.as<Text>() != nullptr;
  };
  if (is_open(a) || is_open(b) || is_like_container(a) || is_like_container(b)) return std::nullopt;
  const auto is_plain = [](const Value& value) {
    return value.is_number() || value.as<std::string>() != nullptr ||
           value.as<Sequence>() != nullptr || value.as<Dict>() != nullptr;
  };
  if (is_plain(a) || is_plain(b)) return false;
  return std::nullopt;
}

namespace {

void check_key(const Value& key) {
  if (const auto* tuple = key.as<Sequence>();
      tuple != nullptr && (!tuple->list || tuple->kin == "frozenset")) {
    for (const Value& item : tuple->items) check_key(item);
    return;
  }
  if (!key.is_number() && key.as<std::string>() == nullptr && !key.is_none() &&
      key.as<Function>() == nullptr && key.as<InstancePtr>() == nullptr &&
      key.as<ClassPtr>() == nullptr)
    misuse(is_unhashable(key) ? Exception::TypeError : Exception::None, "program",
           "a key of a dictionary must be a number, a string or a tuple of these, known when the "
           "program is read and the same in every iteration; got {}",
           key.description());
}

}  // namespace

std::size_t key_position(std::span<const Value> keys, const Value& key) {
  check_key(key);
  const Value* open = nullptr;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto same = known_equal(keys[i], key);
    if (same == true) return i;
    if (!same && keys[i].as<InstancePtr>() != nullptr) open = &keys[i];
  }
  if (open != nullptr)
    misuse("program", "a dictionary with keys that __eq__ compares is not supported: {} and {}",
           open->description(), key.description());
  return keys.size();
}

std::string key_text(const Value& key) {
  if (const auto* text = key.as<std::string>()) return "'" + *text + "'";
  if (key.is_real()) return fmt::format("{}", key.real());
  if (key.is_number()) return fmt::format("{}", key.integer(""));
  return key.description();
}

const Value* find_key(const Dict& dict, const Value& key) {
  const std::size_t at = key_position({dict.keys.begin(), dict.keys.size()}, key);
  return at == dict.keys.size() ? nullptr : &dict.values[at];
}

void set_key(std::vector<Value>& keys, std::vector<Value>& values, const Value& key,
             const Value& value) {
  if (const std::size_t at = key_position(keys, key); at < keys.size()) {
    values[at] = value;
    return;
  }
  keys.push_back(key);
  values.push_back(value);
}

void set_key(Dict& dict, const Value& key, const Value& value) {
  set_key(dict.keys.own(), dict.values.own(), key, value);
  dict.keys.note(key);
  dict.values.note(value);
}

// ---- what loops iterate over ----

/// The elements of a set in Python's order. Its table has at least 8 places, and more than two for
/// each element from the fifth on: ints from 0 on that are smaller than that lie there in order.
/// Strings, and objects that are hashed by their addresses, lie there in another order in each run
/// of Python, so any order is one of Python's.
static std::vector<Value> in_pythons_order(const Sequence& set) {
  std::vector<Value> items(set.items.begin(), set.items.end());
  if (items.size() < 2) return items;
  const auto is_anywhere = [](const Value& item) {
    const auto* object = item.as<InstancePtr>();
    return item.as<std::string>() != nullptr ||
           (object != nullptr && (*object)->type->kind == Class::Kind::Plain &&
            (*object)->type->member("__hash__") == nullptr &&
            (*object)->type->member("__eq__") == nullptr);
  };
  if (std::all_of(items.begin(), items.end(), is_anywhere)) return items;
  const std::size_t places = items.size() < 5 ? 8 : std::bit_ceil(2 * items.size() + 1);
  for (const Value& item : items)
    if (!item.is_number() || item.is_real() || item.integer("") < 0 ||
        item.integer("") >= static_cast<Index>(places))
      misuse("program",
             "the order of a set's elements is unspecified; sorted(...) makes a list of them");
  std::sort(items.begin(), items.end(),
            [](const Value& a, const Value& b) { return a.integer("") < b.integer(""); });
  return items;
}

const Value* codes_of(const Value& value) {
  const auto* sequence = value.as<Sequence>();
  return sequence != nullptr && sequence->kin == kCharacters ? sequence->items.begin() : nullptr;
}

std::optional<Index> iteration_length(const Value& value) {
  if (const Value* codes = codes_of(value)) return iteration_length(*codes);
  if (const auto* range = value.as<RangeValue>())
    return Loop{"", range->start, range->stop, range->step}.count();
  if (const auto* sequence = value.as<Sequence>()) {
    if (sequence->is_set) (void)in_pythons_order(*sequence);
    return std::ssize(sequence->items);
  }
  if (const auto* dict = value.as<Dict>()) return std::ssize(dict->keys);
  if (const auto* text = value.as<std::string>()) return std::ssize(*text);
  if (const auto* list = value.as<NumberList>()) {
    if (!list->length.known()) return std::nullopt;
    return list->length.constant;
  }
  if (const auto* object = value.as<ObjectPtr>()) {
    if ((*object)->shape().empty()) return std::nullopt;
    return (*object)->shape()[0];
  }
  if (const auto* z = value.as<Complex>()) return iteration_length(z->parts[0]);
  const auto* iteration = value.as<Iteration>();
  if (iteration == nullptr || iteration->kind == Iteration::Kind::Selected) return std::nullopt;
  std::optional<Index> shortest;
  for (const Value& part : iteration->parts) {
    const auto length = iteration_length(part);
    if (!length) return std::nullopt;
    shortest = std::min(shortest.value_or(*length), *length);
  }
  return shortest.value_or(0);
}

Value iteration_element(const Value& value, const Affine& at) {
  if (const auto* range = value.as<RangeValue>())
    return integer_value(at * range->step + Affine{range->start, {}});
  if (const auto* iteration = value.as<Iteration>()) {
    const Items& parts = iteration->parts;
    switch (iteration->kind) {
      case Iteration::Kind::Rows:
        return iteration_element(parts[0], at);
      case Iteration::Kind::Reversed:
        return iteration_element(parts[0], Affine{*iteration_length(parts[0]) - 1, {}} - at);
      case Iteration::Kind::Enumerate:
        return new_sequence(false, {integer_value(at + Affine{iteration->start, {}}),
                                    iteration_element(parts[0], at)});
      case Iteration::Kind::Selected:
      case Iteration::Kind::Zip: {
        std::vector<Value> items;
        for (const Value& part : parts) items.push_back(iteration_element(part, at));
        return new_sequence(false, std::move(items));
      }
    }
  }
  if (value.as<ObjectPtr>() != nullptr || value.as<NumberList>() != nullptr ||
      value.as<Complex>() != nullptr || codes_of(value) != nullptr)
    return subscript(value, {integer_value(at)});
  if (!at.known())
    misuse(
        "program",
        "the index of an element of {} depends on a loop; it must be the same in every iteration",
        value.description());
  const auto position = static_cast<std::size_t>(at.constant);
  if (const auto* sequence = value.as<Sequence>())
    return sequence->is_set ? in_pythons_order(*sequence)[position] : sequence->items[position];
  if (const auto* dict = value.as<Dict>()) return dict->keys[position];
  return {std::string(1, value.as<std::string>()->at(position))};
}

static std::vector<Value> unsettled_elements_of(const Value& value) {
  const auto length = iteration_length(value);
  if (!length) refuse_iteration("program", value);
  if (!length)
    misuse("program", "{} has no elements that are known when the program is read",
           value.description());
  if (const auto* sequence = value.as<Sequence>();
      sequence != nullptr && codes_of(value) == nullptr)
    return sequence->is_set ? in_pythons_order(*sequence)
                            : std::vector<Value>{sequence->items.begin(), sequence->items.end()};
  constexpr Index kMost = 1'000'000;
  if (*length > kMost) misuse("program", "{} elements are too many for a list", *length);
  std::vector<Value> items;
  items.reserve(static_cast<std::size_t>(*length));
  if (const auto* object = value.as<ObjectPtr>(); contents_are_known && object != nullptr &&
                                                  (*object)->shape().size() == 1 &&
                                                  (*object)->read().dtype() == DType::Int)
    if (const auto known = known_values((*object)->read().node())) {
      for (const double number : known->data)
        items.push_back({static_cast<std::int64_t>(number), true});
      return items;
    }
  for (Index i = 0; i < *length; ++i) items.push_back(iteration_element(value, {i, {}}));
  return items;
}

std::vector<Value> elements_of(const Value& value) {
  std::vector<Value> items = unsettled_elements_of(value);
  if (deciding != Deciding::AtRun)
    for (Value& item : items) (void)settle_by_value(item);
  return items;
}

// ---- changes ----

[[noreturn]] void refuse_key(const Value& key) {
  throw PythonError("KeyError", "program",
                    fmt::format("the dictionary has no key {}", key_text(key)), {key});
}

Value index_key(const std::vector<Value>& index) {
  return index.size() == 1 ? index[0] : new_sequence(false, index);
}

// ---- methods ----

Dict dict_of(const Value& value) {
  Dict result;
  if (const auto* dict = value.as<Dict>()) {
    result.keys = Items({dict->keys.begin(), dict->keys.end()});
    result.values = Items({dict->values.begin(), dict->values.end()});
    return result;
  }
  for (const Value& item : elements_of(value)) {
    const std::vector<Value> pair = elements_of(item);
    if (pair.size() != 2)
      misuse(python_type(item).empty() ? Exception::None : Exception::ValueError, "dict",
             "expects pairs; got {}", item.description());
    set_key(result, pair[0], pair[1]);
  }
  return result;
}

/// x[...] of a list or a dictionary.
std::optional<Value> container_item(const Value& object, const std::vector<Value>& index) {
  const auto* dict = object.as<Dict>();
  if (dict == nullptr) return std::nullopt;
  const Value key = index_key(index);
  const Value* found = find_key(*dict, key);
  if (found == nullptr && dict->type == "Counter") return Value{std::int64_t{0}};
  if (found == nullptr) refuse_key(key);
  return *found;
}

const Dict& dict_in(const Call& call, const Value& self) {
  const auto* dict = self.as<Dict>();
  if (dict == nullptr) misuse(call.name, "is a method of dictionaries; got {}", self.description());
  return *dict;
}

}  // namespace rewriter

// The reader: lists, dictionaries and what loops iterate over, as Python has them.
//
// A list is a value with a number (lists.cpp): all that holds it holds the same items, which are
// changed where they are. In the body of a loop that is read once, what the items were is kept, and
// all that holds the list gets other items, so that the loop can be read again from its start.
#include <algorithm>
#include <bit>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/complex.hpp"
#include "rewriter/reader/compose.hpp"
#include "rewriter/reader/decisions.hpp"
#include "rewriter/reader/dtypes.hpp"
#include "rewriter/reader/interpreter.hpp"
#include "rewriter/reader/table.hpp"

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

std::optional<bool> known_equal(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number())
    return number_arithmetic(ast::Operator::Equal, a, b).real() != 0;
  if (a.as<Perhaps>() != nullptr || b.as<Perhaps>() != nullptr) return std::nullopt;
  if (a.is_none() || b.is_none()) return a.is_none() && b.is_none();
  const auto* object = a.as<InstancePtr>();
  const auto* another = b.as<InstancePtr>();
  if ((object != nullptr && (*object)->whole && b.is_number()) ||
      (another != nullptr && (*another)->whole && a.is_number()))
    return known_equal(whole_of(a), whole_of(b));
  if (object != nullptr && another != nullptr) {
    if (*object == *another) return true;
    const bool compares = (*object)->type->member("__eq__") != nullptr ||
                          (*object)->type->kind == Class::Kind::Data || is_like_container(a);
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
  if ((x != nullptr && x->is_set) || (y != nullptr && y->is_set)) return std::nullopt;
  if (x != nullptr && y != nullptr) {
    if (x->list != y->list || x->items.size() != y->items.size()) return false;
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
    bool all = true;
    for (std::size_t i = 0; i < p->keys.size(); ++i) {
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
  if (const auto* tuple = key.as<Sequence>(); tuple != nullptr && !tuple->list) {
    for (const Value& item : tuple->items) check_key(item);
    return;
  }
  if (!key.is_number() && key.as<std::string>() == nullptr && !key.is_none() &&
      key.as<Function>() == nullptr && key.as<InstancePtr>() == nullptr &&
      key.as<ClassPtr>() == nullptr)
    misuse("program",
           "a key of a dictionary must be a number, a string or a tuple of these, known when the "
           "program is read and the same in every iteration; got {}",
           key.description());
}

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

}  // namespace

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
/// Strings lie there in another order in each run of Python, so any order is one of Python's.
static std::vector<Value> in_pythons_order(const Sequence& set) {
  std::vector<Value> items(set.items.begin(), set.items.end());
  if (items.size() < 2) return items;
  const auto is_string = [](const Value& item) { return item.as<std::string>() != nullptr; };
  if (std::all_of(items.begin(), items.end(), is_string)) return items;
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

std::optional<Index> iteration_length(const Value& value) {
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
      value.as<Complex>() != nullptr)
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
  if (!length)
    misuse("program", "{} has no elements that are known when the program is read",
           value.description());
  if (const auto* sequence = value.as<Sequence>())
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

void Interpreter::freeze(const Value& list) {
  for_each_part(list, [&](const Value& part) {
    if (const auto* sequence = part.as<Sequence>(); sequence != nullptr && sequence->list)
      frozen_.insert(sequence->number);
  });
}

void Interpreter::change(const Value& list,
                         const std::function<void(std::vector<Value>&, std::vector<Value>&)>& work,
                         std::span<const Value> fresh) {
  if (unsure_ > 0) refuse_effect("changes a list");
  if (frozen_.contains(*list_number(list)))
    misuse("program",
           "this cannot be changed: it is an item of a list sorted at run time, or an object's "
           "__dict__; take a copy of it: list(x), dict(x)");
  const auto run = [&](Value& value, const auto& items_of) {
    const auto note = [&](Items& items) {
      for (const Value& each : fresh) items.note(each);
    };
    std::vector<Value> none;
    if (auto* sequence = std::get_if<Sequence>(&value.held)) {
      std::vector<Value>& items = items_of(sequence->items);
      note(sequence->items);
      work(none, items);
    } else if (auto* dict = std::get_if<Dict>(&value.held)) {
      std::vector<Value>&keys = items_of(dict->keys), &values = items_of(dict->values);
      note(dict->values);
      work(keys, values);
    } else {
      misuse("program",
             "a list that grew in a loop is read only as a whole: np.array(list), mean(list)");
    }
  };
  Value same = list;
  if (!in_loop() && list.as<NumberList>() != nullptr) {
    same = {Sequence{true, elements_of(list), *list_number(list)}};
    share(same);
  }
  if (!in_loop())
    return run(
        same, [](Items & items) -> auto& { return items.shared(); });
  run(
      same, [](Items & items) -> auto& {
        items = Items(std::vector<Value>(items.begin(), items.end()));
        return items.own();
      });
  const std::uint64_t number = *list_number(list);
  const auto names = share(same);
  for (std::size_t i = 0; i < scopes_.size(); ++i)
    for (LoopFrame* frame : scopes_[i].loops) {
      if (!frame->grown.contains(number)) frame->changed.push_back(list);
      note_growth(*frame, number, names[i]);
    }
}

namespace {

std::size_t list_position(const Value& index, std::size_t size, bool to_insert = false) {
  Index at = index.integer("the index of a list");
  const auto length = static_cast<Index>(size);
  if (at < 0) at += length;
  if (to_insert) return static_cast<std::size_t>(std::clamp<Index>(at, 0, length));
  if (at < 0 || at >= length)
    throw PythonError(
        "IndexError", "index",
        fmt::format("index {} is out of range for a list of {}", index.integer(""), size),
        {{"list assignment index out of range"}});
  return static_cast<std::size_t>(at);
}

/// Positions of a slice without a step.
std::pair<std::size_t, std::size_t> list_slice(const Slice& slice, std::size_t size) {
  const auto known = [](const std::optional<Affine>& bound) -> std::optional<Index> {
    if (!bound) return std::nullopt;
    if (!bound->known()) misuse("index", "a slice of a list must be the same in every iteration");
    return bound->constant;
  };
  if (known(slice.step).value_or(1) != 1)
    misuse("index", "assigning to a slice of a list with a step is not supported");
  const Range range = slice_range(known(slice.start), known(slice.stop), static_cast<Index>(size));
  return {static_cast<std::size_t>(range.start),
          static_cast<std::size_t>(std::max(range.start, range.stop))};
}

bool is_same_object(const Value& a, const Value& b) {
  const auto* x = a.as<ObjectPtr>();
  const auto* y = b.as<ObjectPtr>();
  if (x != nullptr && y != nullptr) return *x == *y;
  const auto list = list_number(a);
  return list && list == list_number(b);
}

[[noreturn]] void refuse_key(const Value& key) {
  throw PythonError("KeyError", "program",
                    fmt::format("the dictionary has no key {}", key_text(key)), {key});
}

/// Of a dictionary: several indices are a tuple.
Value key_of(const std::vector<Value>& index) {
  return index.size() == 1 ? index[0] : new_sequence(false, index);
}

}  // namespace

void Interpreter::set_item(const Value& container, const std::vector<Value>& index,
                           const Value& value) {
  if (const auto* dict = container.as<Dict>()) {
    const Value key = key_of(index);
    const Value* old = find_key(*dict, key);
    if (old != nullptr && is_same_object(*old, value)) return;
    change(
        container, [&](auto& keys, auto& values) { set_key(keys, values, key, value); }, value);
    return step(value);
  }
  if (index.size() != 1) misuse("index", "a list takes one index");
  if (const auto* slice = index[0].as<Slice>()) {
    const std::vector<Value> items = elements_of(value);
    change(
        container,
        [&](auto&, auto& values) {
          const auto [begin, end] = list_slice(*slice, values.size());
          const auto at = values.begin() + static_cast<std::ptrdiff_t>(begin);
          values.erase(at, values.begin() + static_cast<std::ptrdiff_t>(end));
          values.insert(values.begin() + static_cast<std::ptrdiff_t>(begin), items.begin(),
                        items.end());
        },
        items);
    return;
  }
  if (const auto* list = container.as<Sequence>(); list != nullptr && is_run_place(index[0])) {
    const std::vector<Value> items = items_with(*list, index[0], value);
    change(
        container, [&](auto&, auto& values) { values = items; }, value);
    return step(value);
  }
  if (const auto* list = container.as<Sequence>()) {
    const std::size_t at = list_position(index[0], list->items.size());
    if (is_same_object(list->items[at], value)) return;
  }
  change(
      container,
      [&](auto&, auto& values) { values[list_position(index[0], values.size())] = value; }, value);
  step(value);
}

void Interpreter::delete_item(const Value& container, const std::vector<Value>& index) {
  if (!list_number(container))
    misuse("program", "del of a part of {} is not supported", container.description());
  const bool is_dict = container.as<Dict>() != nullptr;
  if (!is_dict && index.size() != 1) misuse("index", "a list takes one index");
  change(container, [&](auto& keys, auto& values) {
    std::size_t begin = 0;
    std::size_t end = 0;
    if (is_dict) {
      const Value key = key_of(index);
      begin = key_position(keys, key);
      if (begin == keys.size()) refuse_key(key);
      end = begin + 1;
      keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(begin));
    } else if (const auto* slice = index[0].as<Slice>()) {
      std::tie(begin, end) = list_slice(*slice, values.size());
    } else {
      begin = list_position(index[0], values.size());
      end = begin + 1;
    }
    move_elements(values.size() - end);
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(begin),
                 values.begin() + static_cast<std::ptrdiff_t>(end));
  });
}

/// Of a defaultdict, which then has it, the value of a missing key; nothing of others.
std::optional<Value> Interpreter::missing_item(const Value& container,
                                               const std::vector<Value>& index) {
  const auto* dict = container.as<Dict>();
  if (dict == nullptr || dict->standard.empty()) return std::nullopt;
  const Value key = key_of(index);
  if (find_key(*dict, key) != nullptr) return std::nullopt;
  Call made{"", {}, {}, result_.steps};
  Value value = call_value(dict->standard[0], made);
  set_item(container, index, value);
  return value;
}

void Interpreter::move_elements(std::size_t count) {
  constexpr std::uint64_t kMost = 200'000'000;
  moved_ += count;
  if (moved_ > kMost)
    misuse("program",
           "insert(0, x), pop(0) and popleft() have moved more than {} elements of lists; append() "
           "and pop() move none",
           kMost);
}

// ---- methods ----

Value Interpreter::method(const Method& bound, const Call& call) {
  Call whole = call;
  whole.caller = this;
  whole.arguments.insert(whole.arguments.begin(), bound.self.begin(), bound.self.end());
  Value& self = whole.arguments[0];
  if (self.as<Complex>() != nullptr) return call_function(whole);
  if (has_word(" str.join list.extend list.extendleft set.update set.union set.intersection "
               "set.difference set.issubset set.issuperset set.isdisjoint dict.update "
               "set.intersection_update set.difference_update set.symmetric_difference "
               "collections.Counter.update collections.Counter.subtract ",
               bound.name))
    for (Value& each : std::span(whole.arguments).subspan(bound.self.size()))
      each = objects_.iterable(each);
  if (self.as<NumberList>() != nullptr) {
    if (in_loop())
      misuse("program", "a loop that is not unrolled can change a list of numbers only by append");
    self = {Sequence{true, elements_of(self), *list_number(self)}};
    share(self);
  }
  return call_as(bound.name, whole);
}

Dict dict_of(const Value& value) {
  Dict result;
  if (const auto* dict = value.as<Dict>()) {
    result.keys = Items({dict->keys.begin(), dict->keys.end()});
    result.values = Items({dict->values.begin(), dict->values.end()});
    return result;
  }
  for (const Value& item : elements_of(value)) {
    const std::vector<Value> pair = elements_of(item);
    if (pair.size() != 2) misuse("dict", "expects pairs; got {}", item.description());
    set_key(result, pair[0], pair[1]);
  }
  return result;
}

/// x[...] of a list or a dictionary.
std::optional<Value> container_item(const Value& object, const std::vector<Value>& index) {
  const auto* dict = object.as<Dict>();
  if (dict == nullptr) return std::nullopt;
  const Value key = key_of(index);
  const Value* found = find_key(*dict, key);
  if (found == nullptr && dict->type == "Counter") return Value{std::int64_t{0}};
  if (found == nullptr) refuse_key(key);
  return *found;
}

}  // namespace rewriter

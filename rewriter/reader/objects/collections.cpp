// The reader: changes of lists and dictionaries, wherever they are held, and methods.
#include <algorithm>

#include "rewriter/expr/build.hpp"
#include "rewriter/reader/operators/characters.hpp"
#include "rewriter/reader/selections/run_lists.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/array_object.hpp"
#include "rewriter/reader/values/classes.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {

using cudamat::misuse;

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
  const Value before = list;  // which may be among the values that share() replaces
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
  const std::uint64_t number = *list_number(before);
  const auto names = share(same);
  for (std::size_t i = 0; i < scopes_.size(); ++i)
    for (LoopFrame* frame : scopes_[i].loops) {
      if (!frame->grown.contains(number)) frame->changed.push_back(before);
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

}  // namespace

void Interpreter::set_item(const Value& container, const std::vector<Value>& index,
                           const Value& value) {
  if (const auto* dict = container.as<Dict>()) {
    const Value key = index_key(index);
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
      const Value key = index_key(index);
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
  const Value key = index_key(index);
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

Value Interpreter::method(const Method& bound, const Call& call) {
  Call whole = call;
  whole.caller = this;
  whole.arguments.insert(whole.arguments.begin(), bound.self.begin(), bound.self.end());
  Value& self = whole.arguments[0];
  if (self.as<Complex>() != nullptr || codes_of(self) != nullptr) return call_function(whole);
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

}  // namespace rewriter

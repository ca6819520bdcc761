// Functions of the modules itertools and collections, of what is known when the program is read.
#include <algorithm>
#include <functional>
#include <numeric>

#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/operations.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

constexpr std::size_t kMost = 100'000;

void check_count(const Call& call, std::size_t count) {
  if (count > kMost)
    misuse(call.name, "makes more than {} elements, each of which is unrolled", kMost);
}

/// All ways to take one of each, the last one fastest.
std::vector<Value> product_of(const Call& call, const std::vector<std::vector<Value>>& pools) {
  std::vector<std::vector<Value>> rows{{}};
  for (const std::vector<Value>& pool : pools) {
    std::vector<std::vector<Value>> longer;
    check_count(call, rows.size() * pool.size());
    for (const std::vector<Value>& row : rows)
      for (const Value& item : pool) {
        longer.push_back(row);
        longer.back().push_back(item);
      }
    rows = std::move(longer);
  }
  std::vector<Value> tuples;
  for (std::vector<Value>& row : rows) tuples.push_back(new_sequence(false, std::move(row)));
  return tuples;
}

Value cartesian_product(const Call& call) {
  Index repeat = 1;
  for (const auto& [keyword, value] : call.keywords) {
    if (keyword != "repeat")
      misuse(Exception::TypeError, call.name, "got an unexpected keyword argument '{}'", keyword);
    repeat = value.integer("product's repeat");
  }
  if (repeat < 0) misuse(Exception::ValueError, call.name, "repeat argument cannot be negative");
  check_count(call, static_cast<std::size_t>(repeat));
  std::vector<std::vector<Value>> pools;
  for (Index i = 0; i < repeat; ++i)
    for (const Value& argument : call.arguments) pools.push_back(elements_of(argument));
  return gone_through(product_of(call, pools));
}

/// Places in order, each `count` long, of which `fits` says whether another one may follow.
using Fits = bool (*)(const std::vector<std::size_t>& before, std::size_t next);
void choose(const Call& call, const std::vector<Value>& pool, std::size_t count, Fits fits,
            std::vector<std::size_t>& chosen, std::vector<Value>& made) {
  if (chosen.size() == count) {
    std::vector<Value> row;
    for (const std::size_t i : chosen) row.push_back(pool[i]);
    made.push_back(new_sequence(false, std::move(row)));
    return check_count(call, made.size());
  }
  for (std::size_t i = 0; i < pool.size(); ++i) {
    if (!fits(chosen, i)) continue;
    chosen.push_back(i);
    choose(call, pool, count, fits, chosen, made);
    chosen.pop_back();
  }
}

Value choices(const Call& call, Fits fits) {
  const auto bound = call.bind();
  const std::vector<Value> pool = elements_of(*bound[0]);
  const Index count = bound[1] == nullptr ? std::ssize(pool) : bound[1]->integer("r");
  if (count < 0) misuse(Exception::ValueError, call.name, "r must be non-negative");
  check_count(call, static_cast<std::size_t>(count));
  std::vector<std::size_t> chosen;
  std::vector<Value> made;
  choose(call, pool, static_cast<std::size_t>(count), fits, chosen, made);
  return gone_through(std::move(made));
}

bool is_later(const std::vector<std::size_t>& before, std::size_t next) {
  return before.empty() || before.back() < next;
}
bool is_not_earlier(const std::vector<std::size_t>& before, std::size_t next) {
  return before.empty() || before.back() <= next;
}
bool is_other(const std::vector<std::size_t>& before, std::size_t next) {
  return std::find(before.begin(), before.end(), next) == before.end();
}

Value chained(const std::vector<Value>& parts) {
  std::vector<Value> items;
  for (const Value& part : parts)
    for (Value& item : elements_of(part)) items.push_back(std::move(item));
  return gone_through(std::move(items));
}

Value chain(const Call& call) {
  return chained(call.arguments);
}

Value chain_of(const Call& call) {
  return chained(elements_of(*call.bind()[0]));
}

Value repeat(const Call& call) {
  const std::vector<Value> given = call.values();
  const Index count = std::max<Index>(given[1].integer("repeat's times"), 0);
  check_count(call, static_cast<std::size_t>(count));
  return gone_through(std::vector<Value>(static_cast<std::size_t>(count), given[0]));
}

Value islice(const Call& call) {
  if (call.arguments.size() < 2) misuse(call.name, "takes an iterable and its end");
  const Value cut =
      call_function({"slice", {call.arguments.begin() + 1, call.arguments.end()}, {}, call.steps});
  return gone_through(
      elements_of(subscript(new_sequence(true, elements_of(call.arguments[0])), {cut})));
}

/// What the function says of the item; without one the item itself.
bool holds_for(const Call& call, const Value& function, const Value& item) {
  const auto truth = truth_of(function.is_none() ? item : call.apply(function, {item}));
  if (!truth) misuse(call.name, "which items it takes must be known when the program is read");
  return *truth;
}

enum class Taken : std::uint8_t { Takes, Drops, Not };
/// takewhile, dropwhile and filterfalse.
Value taken_while(const Call& call, Taken which) {
  const std::vector<Value> given = call.values();
  std::vector<Value> items;
  bool first = true;  // of the items so far all held
  for (Value& item : elements_of(given[1])) {
    const bool holds = (first || which == Taken::Not) && holds_for(call, given[0], item);
    first = first && holds;
    if (which == Taken::Takes && !first) break;
    if (which == Taken::Takes || !(which == Taken::Drops ? first : holds))
      items.push_back(std::move(item));
  }
  return gone_through(std::move(items));
}

Value compressed(const Call& call) {
  const std::vector<Value> given = call.values();
  const std::vector<Value> data = elements_of(given[0]), selectors = elements_of(given[1]);
  std::vector<Value> items;
  for (std::size_t i = 0; i < std::min(data.size(), selectors.size()); ++i)
    if (holds_for(call, {}, selectors[i])) items.push_back(data[i]);
  return gone_through(std::move(items));
}

Value starred_map(const Call& call) {
  const std::vector<Value> given = call.values();
  std::vector<Value> items;
  for (const Value& each : elements_of(given[1]))
    items.push_back(call.apply(given[0], elements_of(each)));
  return gone_through(std::move(items));
}

Value longest_zip(const Call& call) {
  Value fill;
  for (const auto& [keyword, value] : call.keywords) {
    if (keyword != "fillvalue")
      misuse(Exception::TypeError, call.name, "got an unexpected keyword argument '{}'", keyword);
    fill = value;
  }
  std::vector<std::vector<Value>> columns;
  std::size_t length = 0;
  for (const Value& each : call.arguments) {
    columns.push_back(elements_of(each));
    length = std::max(length, columns.back().size());
  }
  std::vector<Value> rows;
  for (std::size_t i = 0; i < length; ++i) {
    std::vector<Value> row;
    for (const auto& column : columns) row.push_back(i < column.size() ? column[i] : fill);
    rows.push_back(new_sequence(false, std::move(row)));
  }
  return gone_through(std::move(rows));
}

/// Of items in a row that have one key.
Value grouped_by(const Call& call) {
  const std::vector<Value> given = call.values();
  std::vector<std::pair<Value, std::vector<Value>>> groups;
  for (const Value& item : elements_of(given[0])) {
    const Value key = given[1].is_none() ? item : call.apply(given[1], {item});
    const auto same = groups.empty() ? std::optional(false) : known_equal(groups.back().first, key);
    if (!same) misuse(call.name, "the keys must be known when the program is read");
    if (!*same) groups.push_back({key, {}});
    groups.back().second.push_back(item);
  }
  std::vector<Value> pairs;
  for (auto& [key, items] : groups)
    pairs.push_back(new_sequence(false, {key, gone_through(std::move(items))}));
  return gone_through(std::move(pairs));
}

Value teed(const Call& call) {
  const std::vector<Value> given = call.values();
  const std::vector<Value> items = elements_of(given[0]);
  std::vector<Value> copies;
  for (Index i = 0; i < given[1].integer("n"); ++i) copies.push_back(gone_through(items));
  return new_sequence(false, std::move(copies));
}

/// A dictionary whose missing keys have what the function gives.
Value defaultdict(const Call& call) {
  Dict result;
  if (call.arguments.size() > 1) result = dict_of(call.arguments[1]);
  for (const auto& [name, value] : call.keywords) set_key(result, {name}, value);
  if (!call.arguments.empty() && !call.arguments[0].is_none())
    result.standard = {call.arguments[0]};
  result.type = "defaultdict";
  return {result};
}

/// A list, which can be written at its beginning, too.
Value deque(const Call& call) {
  const auto bound = call.bind();
  std::vector<Value> items;
  if (bound[0] != nullptr) items = elements_of(*bound[0]);
  std::size_t most = 0;
  if (bound[1] != nullptr) {
    const Index given = bound[1]->integer("maxlen");
    if (given < 1) misuse(call.name, "maxlen must be at least 1; got {}", given);
    most = static_cast<std::size_t>(given);
  }
  if (most > 0 && items.size() > most)
    items.erase(items.begin(), items.end() - static_cast<std::ptrdiff_t>(most));
  Sequence made{true, std::move(items)};
  made.kin = "deque";
  made.most = most;
  return {std::move(made)};
}

/// How often each key is there; of others 0.
Value counter(const Call& call) {
  Dict result;
  const Value* given = call.arguments.empty() ? nullptr : &call.arguments[0];
  if (given != nullptr && given->as<Dict>() != nullptr) {
    result = dict_of(*given);
  } else if (given != nullptr && !given->is_none()) {
    for (const Value& key : elements_of(*given)) {
      const Value* found = find_key(result, key);
      set_key(result, key, {found == nullptr ? 1 : found->integer("a count") + 1});
    }
  }
  for (const auto& [name, value] : call.keywords) set_key(result, {name}, value);
  result.type = "Counter";
  return {result};
}

Value ordered_dict(const Call& call) {
  Value made = call_function({"dict", call.arguments, call.keywords, call.steps});
  std::get<Dict>(made.held).type = "OrderedDict";
  return made;
}

}  // namespace

void enter_itertools(FunctionTable& table) {
  enter(table, Topic::Python,
        {{"itertools.product", "*iterables, repeat=1", cartesian_product},
         {"itertools.combinations", "iterable, r", with(choices, is_later)},
         {"itertools.combinations_with_replacement", "iterable, r", with(choices, is_not_earlier)},
         {"itertools.permutations", "iterable, r=None", with(choices, is_other)},
         {"itertools.chain", "*iterables", chain},
         {"itertools.chain.from_iterable", "iterable", chain_of},
         {"itertools.repeat", "object, times", repeat},
         {"itertools.takewhile", "predicate, iterable", with(taken_while, Taken::Takes),
          kOfFunctions},
         {"itertools.dropwhile", "predicate, iterable", with(taken_while, Taken::Drops),
          kOfFunctions},
         {"itertools.filterfalse", "predicate, iterable", with(taken_while, Taken::Not),
          kOfFunctions},
         {"itertools.compress", "data, selectors", compressed},
         {"itertools.starmap", "function, iterable", starred_map, kOfFunctions},
         {"itertools.zip_longest", "*iterables, fillvalue=None", longest_zip},
         {"itertools.groupby", "iterable, key=None", grouped_by, kOfFunctions},
         {"itertools.tee", "iterable, n=2", teed},
         {"itertools.islice", "iterable, *bounds", islice},
         {"collections.defaultdict", "[default_factory], [mapping], **items", defaultdict},
         {"collections.OrderedDict", "[mapping], **items", ordered_dict},
         {"collections.Counter", "[iterable], **counts", counter},
         {"collections.deque", "iterable=None, maxlen=None", deque}});
}

}  // namespace rewriter

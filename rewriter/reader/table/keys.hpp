// The order of items and of keys. Internal to the reader.
#pragma once

#include <vector>

#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// The elements where their order does not count.
std::vector<Value> any_order(const Value& value);
/// Throws where a set cannot have the item: a list, a dictionary, a set.
void check_item_of_set(const Call& call, const Value& item);

/// a < b of what is known when the program is read, as Python's functions compare: tuples item by
/// item, objects by their methods.
bool is_known_less(const Call& call, const Value& a, const Value& b);
/// Whether all keys are numbers, some of them known only at run time.
bool are_run_keys(const std::vector<Value>& keys);
/// min(items, key=...) or max(items, key=...) with such keys.
Value extreme_by_run_keys(Op op, const std::vector<Value>& items, const std::vector<Value>& keys);
/// The default= of min and max, which may be None; null: there is none.
const Value* default_of_extreme(const Call& call);
/// What min and max give of nothing: their default, else Python's error.
Value extreme_of_nothing(const Call& call);
/// min(items, key=...) or max(items, key=...)
Value extreme_by_key(const Call& call, Op op);
/// sorted(items, key=..., reverse=...) with such keys.
std::vector<Value> sorted_by_run_keys(const std::vector<Value>& items,
                                      const std::vector<Value>& keys, bool down);

}  // namespace rewriter

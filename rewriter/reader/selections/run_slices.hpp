// Slices with run-time bounds, and rolls with a run-time shift. Internal to the reader.
#pragma once

#include <optional>
#include <vector>

#include "rewriter/reader/selections/selection.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// Whether a bound is known only at run time: an int without dimensions.
bool is_run_bound(const Value& bound);
bool has_run_bounds(const Slice& slice);
/// Whether one of the indices is a slice with run-time bounds.
bool has_run_slices(const std::vector<Value>& index);
/// x[index...] and x[index...] = value with such a slice.
Value run_slice_of(const Value& object, const std::vector<Value>& index);
void assign_run_slice(const Value& object, const std::vector<Value>& index, const Value& value);

/// selection[start:stop], with static or run-time bounds.
Value selection_slice(const Selection& selection, const Slice& slice);
/// np.roll(a, shift, axis).
Value rolled_at_run(const Call& call, const Array& a, const Value& shift, const Value* axis);
/// np.concatenate([a[:k], b[k:]]) and similar functions: the result has the maximum length.
std::optional<Value> joined_call(const Call& call);

}  // namespace rewriter

// Slices whose bounds, and rolls whose shift, the run computes. Internal to the reader.
#pragma once

#include <optional>
#include <vector>

#include "rewriter/reader/selection.hpp"

namespace rewriter {

/// Whether the run computes a bound: an int of no dimension.
bool is_run_bound(const Value& bound);
bool has_run_bounds(const Slice& slice);
/// Whether one of the indices is such a slice.
bool has_run_slices(const std::vector<Value>& index);
/// x[index...] and x[index...] = value where one is.
Value run_slice_of(const Value& object, const std::vector<Value>& index);
void assign_run_slice(const Value& object, const std::vector<Value>& index, const Value& value);

/// selection[start:stop], whose bounds may be known.
Value selection_slice(const Selection& selection, const Slice& slice);
/// np.roll(a, shift, axis).
Value rolled_at_run(const Call& call, const Array& a, const Value& shift, const Value* axis);
/// np.concatenate([a[:k], b[k:]]) and its kin: an array as long as each of them.
std::optional<Value> joined_call(const Call& call);

}  // namespace rewriter

// Ranges and arrays of data-dependent length, and loops over them: a loop over the maximum length,
// with a condition. Internal to the reader.
#pragma once

#include <optional>
#include <vector>

#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

/// Whether a loop over it runs a data-dependent number of times.
bool has_run_length(const Value& iterable);
/// range(...) of run-time ints; zip(...) and enumerate(...) of such iterables: each an
/// Iteration::Kind::Selected.
Value range_at_run(const Call& call);
Value zipped_at_run(const std::vector<Value>& parts);
Value enumerated_at_run(const Value& iterable, Index start);
/// An element of one of these, which exists only if the mask is true. Its indices are clamped below
/// the number of elements, so that elements that are not selected never cause an index error.
Value perhaps_element(const Value& element, const Value& iterable, const Array& mask);

/// np.zeros(shape) and similar functions with a run-time first extent; nothing if the extent is
/// static, or has no static upper bound.
std::optional<Value> filled_at_run(const Call& call, const Value& shape, const Array& value,
                                   DType dtype);

}  // namespace rewriter

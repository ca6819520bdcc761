// Ranges and arrays of as many elements as the run computes, and loops that go through them: a loop
// over all that there may be, with a condition. Internal to the reader.
#pragma once

#include <optional>
#include <vector>

#include "rewriter/reader/functions.hpp"

namespace rewriter {

/// Whether a loop goes through it, as often as only the run knows.
bool has_run_length(const Value& iterable);
/// range(...) of ints that the run computes; zip(...) and enumerate(...) of what they are to go
/// through: each an Iteration::Kind::Selected.
Value range_at_run(const Call& call);
Value zipped_at_run(const std::vector<Value>& parts);
Value enumerated_at_run(const Value& iterable, Index start);
/// An element of the first part of one of these, which may not be there, beside the mask: its
/// places are numbers of the run, which stay below the number of elements, so that an index which
/// would be out of bounds is one only where it is computed.
Value perhaps_element(const Value& element, const Value& iterable, const Array& mask);

/// np.zeros(shape) and its kin, where the run computes the first extent; nothing where it does not,
/// or where nothing says how large that may be.
std::optional<Value> filled_at_run(const Call& call, const Value& shape, const Array& value,
                                   DType dtype);

}  // namespace rewriter

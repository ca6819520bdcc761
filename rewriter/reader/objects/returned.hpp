// Internal to the reader: what generators return.
#pragma once

#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/objects.hpp"

namespace rewriter {

/// What a generator that has ended has returned; None of other iterators.
Value returned_by(Objects& objects, const Value& iterator);

}  // namespace rewriter

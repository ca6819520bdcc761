// The arguments of a call and the row of its function. Internal to the reader.
#pragma once

#include "rewriter/reader/values/functions.hpp"

namespace rewriter {

/// Raises Python's TypeError for an argument that the function does not take: no handler would look
/// at it.
void check_arguments(const Call& call);

}  // namespace rewriter

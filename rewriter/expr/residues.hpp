// What residues.cpp knows of the size of integers. Internal to the symbolic arrays.
#pragma once

#include "rewriter/expr/symbolic.hpp"

namespace rewriter::detail {

/// Whether a step of it may exceed 64 bits, as far as is known of its parts: in NumPy it wraps
/// then.
bool may_exceed_64_bits(const Array& a);

}  // namespace rewriter::detail

// What residues.cpp knows of the size of integers. Internal to the symbolic arrays.
#pragma once

#include "rewriter/expr/symbolic.hpp"

namespace rewriter::detail {

/// Whether a step of it may exceed 2^53, up to which integers are exact. One of which nothing is
/// known is taken to have 32 bits.
bool may_be_rounded(const Array& a);
/// Whether a step of it may exceed 64 bits, as far as is known of its parts: in NumPy it wraps
/// then.
bool may_exceed_64_bits(const Array& a);

}  // namespace rewriter::detail

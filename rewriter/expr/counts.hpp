// Symbolic arrays: counts of elements by bin. Internal to the rewriter.
#pragma once

#include <optional>

#include "rewriter/expr/symbolic.hpp"

namespace rewriter {

/// How many elements are in each of the bins 0, 1, ..., or the sums of their weights. `bin`: that
/// of each element; `bins` for one that is in none.
Array counts_of_bins(const Array& bin, Index bins, const std::optional<Array>& weights);

}  // namespace rewriter

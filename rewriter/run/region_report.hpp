// What runs on the host compile of a list (rewriter/regions/regions.hpp), for readers.
#pragma once

#include <string>
#include <vector>

#include "rewriter/list/statement.hpp"

namespace rewriter {

/// A line for each region of the list, as a run in `bits` (32, 64 or 128) compiles it, with the
/// statements that are calls in it. `given`: by input, whether the caller has it as a number;
/// empty: none. Empty if CUDAMAT_COMPILE says that nothing is compiled, or if there is no region.
std::string region_report(const StatementList& list, int bits, const std::vector<bool>& given = {});

}  // namespace rewriter

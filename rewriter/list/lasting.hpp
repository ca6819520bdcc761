// What every run of a list computes alike: results that follow from the list's constants alone.
#pragma once

#include "rewriter/list/statement.hpp"
#include "rewriter/list/table.hpp"

namespace rewriter {

/// By variable that owns memory: whether it lasts. An Empty outside of loops makes it, and one call
/// or fused statement outside of loops computes all of it, from constants that nothing writes to
/// and from what lasts: not from draws, parameters or fills alone, which take no time. No output
/// lasts. A later run that finds it as it was need not compute it.
Table<bool> lasting_results(const StatementList& list);

}  // namespace rewriter

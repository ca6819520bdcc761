// Inputs of which a list reads single rows, for the pass `layout`. Internal to it.
#pragma once

#include <vector>

#include "rewriter/list/statement.hpp"
#include "rewriter/passes/pass.hpp"

namespace rewriter {

/// The list with each input of two dimensions held transposed that is only read, and only in
/// (parts of) single rows: these are parts of columns, which are views. An input in NumPy's order
/// is then used as it lies; otherwise it would be transposed as a whole.
PassResult rows_as_columns(const StatementList& list);

}  // namespace rewriter

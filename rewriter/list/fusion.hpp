// Fused statements of a list: the equivalent calls, and their text.
#pragma once

#include "rewriter/list/statement.hpp"

namespace rewriter {

/// Whether the list has fused statements.
bool has_fused(const StatementList& list);

/// The same list with fused statements as calls, one for each step, their
/// temporaries among its variables. Every bit of every result stays as it is.
StatementList unfused(const StatementList& list);

/// Whether one of its matrices has the shape of its space, as it must.
bool has_space(const Statement& fused);
/// The space of a fused statement.
Extents fused_space(const StatementList& list, const Statement& fused);

}  // namespace rewriter

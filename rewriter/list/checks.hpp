// Checks at run time, which the reader writes as statements.
#pragma once

#include <cstddef>
#include <map>
#include <string_view>

#include "rewriter/list/statement.hpp"

namespace rewriter {

/// By statement: what is wrong where a check of the reader's fails. A check takes the only element,
/// 0, of a constant by an index that is 1 where it fails.
std::map<std::size_t, std::string_view> failed_checks(const StatementList& list);

}  // namespace rewriter

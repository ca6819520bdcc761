// Whether two statement lists say the same.
#pragma once

#include <string>

#include "rewriter/list/statement.hpp"

namespace rewriter {

/// The first difference of two well-formed lists, as a text that names it ("statement 3: ..."), or
/// empty if they are the same: the same statements in the same order, from the same lines, with
/// operands, numbers, integers, loops, texts and data equal to the bit (NaN to NaN, whatever its
/// bits; data of equal numbers in whatever type), variables of the same names, shapes and owners,
/// the same inputs and outputs, the same name and lines of the source. The order of
/// StatementList::variables and columns of the source do not count, nor the lines of loops' ends,
/// nor whether a constant has no spelling or the one that it is printed with.
std::string first_difference(const StatementList& a, const StatementList& b);

inline bool same_list(const StatementList& a, const StatementList& b) {
  return first_difference(a, b).empty();
}

}  // namespace rewriter

// The parser of printed statement lists: the inverse of print_statements().
#pragma once

#include "rewriter/list/statement.hpp"
#include "rewriter/text/source.hpp"

namespace rewriter {

/// The list of a text in the grammar that print_statements.hpp documents, edited by hand
/// or not.
///
///   ensures   find_problem() has nothing to say of it; same(parse_statements(print), list)
///             (compare.hpp) for the print of any well-formed list, if variables' names are
///             such as programs can have and other names are text that can be printed
///
/// More is accepted than is printed: arguments by position or by keyword, a target that is an
/// operand, x.apply_sigmoid(), x.apply_tanh() and x.apply_soft_threshold(alpha) as the original
/// package has them for cm.sigmoid(x), ..., comments and blank lines. An integer that depends on
/// loops may be any sum and product of whole numbers and, in each product once, loops' variables:
/// `(batch + 1) * 128`; but both of a slice have the same multiples of the variables. A range may
/// omit its START of 0, and a body may be indented by any number of spaces.
///
/// The list's source is made of the `# LINE: text` headings; the end of a loop has its line.
///
/// Throws ProgramError at the place in the text for what is not of the grammar, for a name that is
/// undefined or defined twice, for every problem that find_problem() has, and for a list that has
/// the printed title but not the printed summary: it is cut off.
StatementList parse_statements(const Source& source);

}  // namespace rewriter

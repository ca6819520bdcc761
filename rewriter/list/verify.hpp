// Whether a statement list is well formed: the grammar of its statements, and what may alias what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rewriter/list/statement.hpp"

namespace rewriter {

/// What makes a list ill formed, and where.
struct Problem {
  enum class Place : std::uint8_t { Variable, Input, Statement, Output };
  Place place = Place::Statement;
  std::size_t index = 0;  ///< in the list's variables, inputs, statements or outputs
  std::string text;
};

/// The first problem of the list; none if: every variable is defined before it is used and not used
/// after it was freed, on every path; every memory is freed at most once and outputs never; a
/// loop's body frees what it allocates, and nothing else; views stay within their operand in every
/// iteration; operands, numbers and shapes are those of the op's family; targets alias operands
/// only where the op table allows it.
std::optional<Problem> find_problem(const StatementList& list);

/// Throws InternalError, naming the statement, if the list has a problem.
void verify(const StatementList& list);

}  // namespace rewriter

// Checks whether a statement list is well formed: the grammar of its statements, and aliasing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rewriter/list/statement.hpp"

namespace rewriter {

/// A reason why a list is ill-formed, and its place.
struct Problem {
  enum class Place : std::uint8_t { Variable, Input, Statement, Output };
  Place place = Place::Statement;
  std::size_t index = 0;  ///< in the list's variables, inputs, statements or outputs
  std::string text;
};

/// The first problem of the list. There is none if: on every path, every variable is defined before
/// it is used and not used after it is freed; every memory is freed at most once, and outputs
/// never; the body of a loop frees what it allocates, and nothing else; views stay within their
/// operand in every iteration; operands, numbers and shapes are those of the op's family; targets
/// alias operands only if the op table permits it.
std::optional<Problem> find_problem(const StatementList& list);

/// Throws InternalError, which names the statement, if the list has a problem.
void verify(const StatementList& list);

}  // namespace rewriter

// What passes do to statement lists.
#pragma once

#include <string>
#include <vector>

#include "rewriter/list/liveness.hpp"
#include "rewriter/list/names.hpp"
#include "rewriter/list/statement.hpp"

namespace rewriter {

/// Removes the statements whose mark is set.
void remove_marked(StatementList& list, const std::vector<bool>& marked);

/// Every Free directly after the last statement that mentions its memory, or after the loop which
/// that is in, if the memory was made outside of it.
void free_after_last_use(StatementList& list);

/// Frees all memory that the list makes and does not output, there. The list has no Free yet.
void add_frees(StatementList& list);

/// The same list with what loops allocate allocated before the outermost of them, and freed after
/// it.
StatementList allocate_before_loops(const StatementList& list);

/// Drops the variables that nothing defines and the loops without statements, and numbers the
/// others in the order of their definition.
void number_anew(StatementList& list);

/// A variable's name.
inline const std::string& name_of(const StatementList& list, Var var) {
  return list.variables[var].name;
}

/// For temporaries in addition to the list's variables and loops.
Names names_beside(const StatementList& list);

/// Whether the program named it: all but t1, t2, ...
bool has_given_name(const StatementList& list, Var var);

/// Which of the names of two variables that become one tells a reader more: an output's, then any
/// but a temporary's, then the first.
const std::string& better_name(const StatementList& list, Var first, Var second);

}  // namespace rewriter

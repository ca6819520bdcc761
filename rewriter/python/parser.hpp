// Python/NumPy text to a syntax tree.
#pragma once

#include "rewriter/python/ast.hpp"
#include "rewriter/text/source.hpp"

namespace rewriter::ast {

/// Parses a program in the subset of Python 3 that ast.hpp can hold: assignments (plain, chained,
/// unpacking, augmented, annotated), imports, expression statements, pass, for, if, def, return;
/// Python's own grammar for names, literals, operators, calls, subscripts, tuples and lists.
///
/// Throws ProgramError at the first place that is not Python or is Python outside of this notation;
/// the text says which, and what to write instead where there is such a thing.
///
/// Time and memory are linear in the text, whatever its nesting: only blocks recurse, and Python
/// allows 100 levels of those.
Program parse(const Source& source);

}  // namespace rewriter::ast

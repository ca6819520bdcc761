// Python/NumPy text to a syntax tree.
#pragma once

#include "rewriter/python/ast.hpp"
#include "rewriter/text/source.hpp"

namespace rewriter::ast {

/// Parses a program in the subset of Python 3 that ast.hpp can hold: all of its statements but
/// `match` and those of async; `yield` as a statement; Python's own grammar for names, literals,
/// operators, calls, subscripts, tuples and lists.
///
/// Each file of the source after the first becomes a Module statement.
///
/// Throws an UnsupportedError at the first place that is Python that is not supported, or
/// another ProgramError at the first that is not Python; the text says what to write instead where
/// there is such a thing. In a class the former leaves an Unread statement, its only one, and what
/// follows in the class is checked for no more than its tokens.
///
/// Time and memory are linear in the text, whatever its nesting: only blocks recurse, and Python
/// allows 100 levels of those.
Program parse(const Source& source);

}  // namespace rewriter::ast

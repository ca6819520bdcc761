// Numbers and arrays as statement lists spell them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "rewriter/expr/node.hpp"
#include "rewriter/python/token_cursor.hpp"

namespace rewriter {

// Each reads what is at the cursor and leaves the cursor after it. Throws ProgramError for
// anything else.

/// The token itself; the message calls it `what`.
void expect(ast::TokenCursor& cursor, ast::TokenKind kind, std::string_view what);
/// True where a number may stand: a literal, its sign before it, or float('inf').
bool at_number(const ast::TokenCursor& cursor);
/// -1, 2.5e-3, float('inf'), float('-inf'), float('nan').
double read_number(ast::TokenCursor& cursor);
/// 128, -1.
Index read_integer(ast::TokenCursor& cursor);
/// (), (5,), (128, 784): any number of extents, none negative.
Dims read_dims(ast::TokenCursor& cursor);

/// np.array([1, 2]), np.array([[1, 2], [3, 4]]), np.array(['0.1'], dtype=np.longdouble) (every
/// digit of numbers that are not doubles), np.zeros(dims), np.ones(dims), np.full(dims, number),
/// np.eye(n), np.eye(n, m, k) and by keyword. The array's shape is as NumPy would have it.
std::shared_ptr<const HostData> read_array(ast::TokenCursor& cursor);
/// The same for a whole text; null for a text that is not such an array.
std::shared_ptr<const HostData> read_array(const std::string& text);

}  // namespace rewriter

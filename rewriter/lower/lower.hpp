// Lowering: trees to statements, literally. One Cudamat statement for one operation, a fresh
// temporary for each intermediate result; where Cudamat has no such call, several visible ones.
//
//   requires  trees that symbolic.hpp built; outputs are among the program's results
//   ensures   verify(list); running it gives every output the bits that evaluate.hpp gives it (of
//             maximum(0, x) and minimum(0, x) the sign of a zero is open, as in NumPy); the same
//             program gives the same list, names included; memory is freed after its last use,
//             inputs' and outputs' never; linear time, any depth
//
// Broadcasting  (r, c) with a row or a column goes through add_row_vec, mult_by_col and the like.
//               Where there is no such call, the smaller operand is spread over a matrix of ones:
//               t.assign(1), t.mult_by_row(vec), which keeps NaN, infinities and -0. A 0-d array
//               that meets an (r, c) becomes a column first.
// Numbers       2 - x is (-x) + 2, the same bits. 2 / x and 2 ** x start from t.assign(2).
// Views         Slices of columns and reshapes between vectors show their operand's memory. Slices
//               of rows, `.T` and other reshapes copy.
// In place      What NumPy does in place writes over its operand if no value in that memory, views
//               included, is read later, as an output or by this statement in another place.
//               Otherwise it writes to a matrix of its own. An input's matrix may be overwritten.
// Loops         What an iteration finds of the one before it has a matrix from before the loop,
//               that of its first value if nothing else needs it, otherwise a copy. At the end of
//               the body its next value is assigned to it, unless it was computed there in place.
//               Values of the last iteration that are wanted behind the loop have matrices from
//               before it. Temporaries of the body are allocated and freed in it.
// Dimensions    What has more than two is read in C order as a matrix of (last extent) x (others):
//               see matrices.hpp.
// Selections    Integers as subscripts select columns; rows are those of the transpose.
// Products      A 1-D array is a row, so dot(A, v) is cm.dot(v, A.T), and dot(u, v) cm.dot(u, v.T).
//
// Names: inputs keep theirs; a value that the program assigns has the assigned name (`h`, and
// `h_2`, `h_3` when it is assigned again); temporaries are t1, t2, ... A name that Python, C++ or
// Cudamat reserves, or that another variable has, gets a suffix; the bindings of inputs and outputs
// keep the user's spelling.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rewriter/expr/program.hpp"
#include "rewriter/list/statement.hpp"

namespace rewriter {

/// How arrays lie in memory. Of more than two dimensions in C order, in either layout: read by
/// columns, as a matrix of (last extent) x (all other extents).
enum class Layout : std::uint8_t {
  Matrices,  ///< (r, c) is an r x c matrix by columns, (n,) a row
  COrder,    ///< all in C order; the list's inputs and outputs are the matrices. Inputs of one name
             ///< are readings of one array. Values are floats.
};

/// Outputs: the names that must survive; empty means all results. CUDAMatException for a name that
/// the program does not assign, with the names that it does.
StatementList lower(const Program& program, const std::vector<std::string>& outputs = {},
                    Layout layout = Layout::Matrices);

/// For each loop that is written out in the list, in more than 1,000 operations, what the program's
/// author may want to know: where it is, what keeps it from being a loop, and what would let it.
/// `list`: lower()'s of the program.
std::vector<std::string> unrolled_warnings(const Program& program, const StatementList& list);

/// A single tree, its value called `result`.
StatementList lower(const NodePtr& root, const std::string& result = "result");

}  // namespace rewriter

// Lowering: expression trees become statements, literally. Each operation becomes one Cudamat
// statement, or several if Cudamat has no such call; each intermediate result has a temporary.
//
//   requires  trees that symbolic.hpp built; outputs are among the program's results
//   ensures   verify(list); running it gives every output the bits that evaluate.hpp gives it
//             (except the sign of zero in maximum(0, x) and minimum(0, x), which is open in NumPy,
//             too); the same program gives the same list, names included; memory is freed after its
//             last use, except that of inputs and outputs; linear time, any depth
//
// Broadcasting  (r, c) with a row or a column uses add_row_vec, mult_by_col and similar calls. If
//               there is no such call, the smaller operand is expanded by a matrix of ones:
//               t.assign(1), t.mult_by_row(vec), which keeps NaN, infinities and -0. A 0-d array
//               that is combined with an (r, c) array becomes a column first.
// Numbers       2 - x is (-x) + 2, with the same bits. 2 / x and 2 ** x start with t.assign(2).
// Views         Slices of columns and reshapes between vectors are views. Slices of rows, `.T` and
//               other reshapes are copies. A part of a vector with a step is rows of a view.
// In place      An in-place operation of NumPy overwrites its operand if no value in that memory,
//               including views, is read later, as an output, or by this statement at another
//               place. Otherwise it writes to a new matrix. The matrix of an input may be
//               overwritten. What is written to a view of a view, as x[1::2] = y is, is written
//               where it lies if the matrix may be overwritten, and nothing reads it in between.
// Loops         A value that an iteration reads from the previous one has a matrix that is
//               allocated before the loop: that of its first value if nothing else needs it,
//               otherwise a copy. The end of the body assigns the next value to it, unless it was
//               computed there in place. Values of the last iteration that are read after the loop
//               have matrices from before the loop. Temporaries of the body are allocated and freed
//               in it.
// Dimensions    An array of more than two dimensions is a matrix of (last extent) x (others), read
//               in C order: see matrices.hpp.
// Selections    Integers as subscripts select columns; rows are the columns of the transpose.
// Products      A 1-D array is a row, so dot(A, v) is cm.dot(v, A.T), and dot(u, v) cm.dot(u, v.T).
//
// Names: inputs keep their names; a value that the program assigns has the assigned name (`h`, and
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

/// Outputs: the names to keep; empty means all results. Throws CUDAMatException for a name that the
/// program does not assign, and lists those that it does.
StatementList lower(const Program& program, const std::vector<std::string>& outputs = {},
                    Layout layout = Layout::Matrices);

/// For each loop that is unrolled in the list into more than 1,000 operations: its line, and what
/// keeps it from being a loop and would let it. `list`: lower()'s of the program.
struct UnrolledWarning {
  int line;
  std::string text;
};
std::vector<UnrolledWarning> unrolled_warnings(const Program& program, const StatementList& list);

/// A single tree, its value called `result`.
StatementList lower(const NodePtr& root, const std::string& result = "result");

}  // namespace rewriter

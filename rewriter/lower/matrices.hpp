// Converts trees of arrays with any number of dimensions to trees of matrices. Internal to the
// rewriter.
//
// The elements of an array in C order, read by columns, are a matrix of (last extent) x (all other
// extents). On such matrices a product is the product of the two in reverse order, a reshape is
// another view of the same memory, and broadcasting is broadcasting of columns, rows and numbers.
// Other cases (an axis in the middle of three) are first repeated, or moved to the end by
// transposes.
//
// Layout::Matrices: an array of up to two dimensions is its own matrix, r x c, until it is combined
// with an array of more dimensions; from there on its transpose is used.
#pragma once

#include <vector>

#include "rewriter/expr/program.hpp"
#include "rewriter/lower/lower.hpp"

namespace rewriter {

/// What lower() was asked for, of arrays of up to two dimensions alone.
struct MatrixProgram {
  Program program;  ///< inputs and assignments
  std::vector<NodePtr> roots;
  std::vector<Program::Named> outputs;
};

/// With Layout::COrder, of which roots are all that matters, values are made in the
/// order in which the roots' operands name them, not in the order in which nodes were.
MatrixProgram to_matrices(const Program& program, const std::vector<NodePtr>& roots,
                          const std::vector<Program::Named>& outputs, Layout layout);

}  // namespace rewriter

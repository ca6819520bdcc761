// The reader: a NumPy program's text to trees.
//
// It runs the program symbolically, statement by statement, as Python would: names are bound to
// arrays (shared by `b = a`, views by slices, `.T` and reshape), to numbers, tuples and modules;
// arithmetic on numbers is done at once. Where NumPy writes in place (`w += u`, `x[1:3] = 0`) every
// name and view that shares the array sees the new value. Nothing is computed on arrays: see
// node.hpp.
#pragma once

#include <map>
#include <string>

#include "rewriter/program.hpp"
#include "rewriter/source.hpp"

namespace rewriter {

struct ReadOptions {
  /// Shapes of inputs given from outside; they add to the program's own annotations `X: (128,
  /// 784)`, which they must agree with. Names that the program does not read stay out of its
  /// inputs.
  std::map<std::string, Dims> shapes;
};

/// Throws ProgramError, with place, line and caret, for anything outside the notation, for shapes
/// that do not fit and for names that are not defined.
Program read(const Source& source, const ReadOptions& options = {});

}  // namespace rewriter

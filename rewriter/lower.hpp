// Lowering: trees to statements, literally. One Cudamat statement for one operation, a fresh
// temporary for each intermediate result; where Cudamat has no such call, several visible ones.
//
//   requires  trees that symbolic.hpp built; outputs are among the program's results or steps
//   ensures   verify(list); running it gives every output the value that evaluate.hpp gives it; the
//   same program
//             gives the same list, names included; memory is freed after its last use, outputs'
//             never
//
// Names: inputs keep theirs; a value that the program assigns has the assigned name (`h`, and
// `h_2`, `h_3` when it is assigned again); temporaries are t1, t2, ... A name that Python, C++ or
// Cudamat reserves, or that another variable has, gets a suffix; the bindings of inputs and outputs
// keep the user's spelling.
#pragma once

#include <string>
#include <vector>

#include "rewriter/program.hpp"
#include "rewriter/statement.hpp"

namespace rewriter {

/// Outputs: the names that must survive; empty means all results. CUDAMatException for a name that
/// the program does not assign, with the names that it does.
StatementList lower(const Program& program, const std::vector<std::string>& outputs = {});

/// A single tree, its value called `result`.
StatementList lower(const NodePtr& root, const std::string& result = "result");

}  // namespace rewriter

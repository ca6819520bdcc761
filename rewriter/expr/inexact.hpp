// Integers that a run's floating-point numbers may round.
#pragma once

#include <vector>

#include "rewriter/expr/node.hpp"

namespace rewriter {

/// Whether a node without dimensions is a number if all that it is computed of are numbers: what a
/// run in 32 bits computes in double (list/host_numbers.hpp).
bool keeps_numbers(const Node& node);

/// The first node that the roots need whose integers may be beyond `most`, as far as is known
/// before the program runs; null: none. Arrays of the user's are taken to be within it, since their
/// integers are looked at. Integers that only say places of other arrays do not count: beyond
/// `most`, rounded or not, they are beyond the arrays. `of_arrays`: nor do numbers that follow from
/// no array, which are Python's.
const Node* inexact_integer(const std::vector<NodePtr>& roots, double most, bool of_arrays = false);

}  // namespace rewriter

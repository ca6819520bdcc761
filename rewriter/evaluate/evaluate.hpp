// Plain evaluation: what NumPy does with the tree, by value, on npmat. It is the check on the
// statements and shares no code with their making.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "npmat/array.hpp"
#include "rewriter/expr/node.hpp"

namespace rewriter {

/// Data of the named inputs.
template <class T>
using Values = std::map<std::string, npmat::Array<T>>;

/// The values of the roots, T is float, double or long double.
///
/// Every node that the roots need is computed once, in the order of ids, which is the order in
/// which NumPy computed them; each value is a matrix of its own, freed after its last use. Operands
/// are broadcast by copying them to the common shape; element-wise operations, products and
/// reductions are the engine's, in T throughout (numbers and data are rounded to T first);
/// reductions over all elements of an (r, c) array add up by columns. Booleans are 1 and 0. Draws
/// continue the engine's stream, which starts with seed(`seed`) where there are any; an array of
/// random numbers is filled in the column-major order of its matrix ((r, c): r x c, (n,): 1 x n,
/// (): 1 x 1). A Seed node starts the stream anew; as a root its value is an empty array.
///
/// Throws CUDAMatException, with the name and the shapes, for an input that is missing or has
/// another shape than it was declared with; OutOfMemory. Values of names that no node has are
/// ignored (the roots may be a part of a program). The body of a loop is computed once for each of
/// its numbers; a root inside of it has the value of the last iteration. Print nodes print nothing
/// here.
template <class T>
std::vector<npmat::Array<T>> evaluate(const std::vector<NodePtr>& roots, const Values<T>& inputs,
                                      std::uint64_t seed = 0);

extern template std::vector<npmat::Array<float>> evaluate(const std::vector<NodePtr>&,
                                                          const Values<float>&, std::uint64_t);
extern template std::vector<npmat::Array<double>> evaluate(const std::vector<NodePtr>&,
                                                           const Values<double>&, std::uint64_t);
extern template std::vector<npmat::Array<long double>> evaluate(const std::vector<NodePtr>&,
                                                                const Values<long double>&,
                                                                std::uint64_t);

}  // namespace rewriter

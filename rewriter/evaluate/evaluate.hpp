// Direct evaluation of the tree with value semantics, on npmat, as NumPy would compute it. It is
// used to check the statements, and shares no code with lowering.
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

/// The values of the roots. T is float, double or long double.
///
/// Every node that the roots need is computed once, in the order of ids, which is the order in
/// which NumPy computes them. Each value is a separate matrix, which is freed after its last use.
/// Operands are broadcast by copying them to the common shape. Element-wise operations, products
/// and reductions are those of the engine, in T (numbers and data are rounded to T first); if T is
/// float, what follows from numbers alone is computed in double. Reductions over all elements of an
/// (r, c) array add up by columns. Booleans are 1 and 0. Draws continue the engine's stream, which
/// is seeded with `seed` if there are any; an array of random numbers is filled in the column-major
/// order of its matrix ((r, c): r x c, (n,): 1 x n,
/// (): 1 x 1). A Seed node restarts the stream; as a root its value is an empty array.
///
/// Throws CUDAMatException, with the name and the shapes, for an input that is missing or has
/// another shape than declared; OutOfMemory. Values of names that no node has are ignored, because
/// the roots may be a part of a program. The body of a loop is computed once for each of its
/// iterations; a root inside a loop has the value of the last iteration. Print nodes print nothing.
template <class T>
std::vector<npmat::Array<T>> evaluate(const std::vector<NodePtr>& roots, const Values<T>& inputs,
                                      std::uint64_t seed = 0);

/// The nodes that the roots need whose integers T may have rounded (is_exact_integer()), in the
/// order of their ids: a line of the program each, the first of its nodes.
template <class T>
std::vector<const Node*> rounded_integers(const std::vector<NodePtr>& roots,
                                          const Values<T>& inputs, std::uint64_t seed = 0);

extern template std::vector<const Node*> rounded_integers(const std::vector<NodePtr>&,
                                                          const Values<float>&, std::uint64_t);
extern template std::vector<const Node*> rounded_integers(const std::vector<NodePtr>&,
                                                          const Values<double>&, std::uint64_t);
extern template std::vector<const Node*> rounded_integers(const std::vector<NodePtr>&,
                                                          const Values<long double>&,
                                                          std::uint64_t);

extern template std::vector<npmat::Array<float>> evaluate(const std::vector<NodePtr>&,
                                                          const Values<float>&, std::uint64_t);
extern template std::vector<npmat::Array<double>> evaluate(const std::vector<NodePtr>&,
                                                           const Values<double>&, std::uint64_t);
extern template std::vector<npmat::Array<long double>> evaluate(const std::vector<NodePtr>&,
                                                                const Values<long double>&,
                                                                std::uint64_t);

}  // namespace rewriter

// How NumPy, CuPy and PyTorch write the statements of a list: the data of print_array_module().
#pragma once

#include <span>
#include <string_view>

#include "rewriter/emit/print.hpp"

namespace rewriter::emit {

/// A statement of the module with places for what it is about:
///
///     {a} {b} {c}       the operands, with their .T
///     {x} {y}           the second operand or the number; {y} is an array in either case
///     {t} {n0} {n1}     the target, the numbers
///     {axis}            of a reduction
///     {first} {last}    of a slice
///     {rng}             the generator of random numbers
///
/// np is the module of the library. Empty if the library has no such operation.
std::string_view call_of(Op op, ArrayLibrary library);

/// The same for the product with -1.
std::string_view negation(ArrayLibrary library);

/// A function that the module defines if its statements call it.
struct Helper {
  std::string_view name;  ///< "_sigmoid"
  std::string_view numpy;
  std::string_view torch;  ///< empty: as in NumPy
  std::string_view cupy;   ///< empty: as in NumPy
  [[nodiscard]] std::string_view text(ArrayLibrary library) const;
};
/// In the order in which a module defines them.
std::span<const Helper> helpers();

/// "np", "cp", "torch"
std::string_view module_of(ArrayLibrary library);
/// The text, which is written for NumPy, with the library's module.
std::string with_module(std::string_view text, ArrayLibrary library);

/// The same list with vectors as operands of element-wise calls, which array libraries broadcast,
/// instead of matrices that are filled with them. It is not a list that verify() accepts.
StatementList with_broadcasts(const StatementList& list);

/// The same list without the calls that do several things at once, which these libraries have no
/// functions for: t.add_mult(a, 2) becomes a multiplication into a temporary and an addition.
StatementList one_operation_each(const StatementList& list, ArrayLibrary library);

}  // namespace rewriter::emit

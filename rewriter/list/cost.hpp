// The cost of a statement list: bytes of memory, kernel launches, statements.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "rewriter/list/iterations.hpp"

namespace rewriter {

/// The bytes of a variable's own memory; 0 for a view.
Index bytes_of(const StatementList& list, Var var, int bytes_per_element);
/// The bytes that a statement adds to the memory in use.
Index bytes_added(const StatementList& list, const Statement& statement, int bytes_per_element);

/// The memory in use after each statement, and its maximum. Sizes beyond 64 bits count as the
/// largest 64-bit number.
struct MemoryUse {
  Index inputs = 0;
  std::vector<Index> after;  ///< one for each statement
  Index peak = 0;
  std::ptrdiff_t peak_statement = -1;  ///< the first to reach it; -1: the inputs alone
};
MemoryUse memory_use(const StatementList& list, int bytes_per_element);

/// The most elements of a statement that compiled loops compute in place (regions): for more the
/// engine has more threads, and the pass fuse_large takes them.
inline constexpr Index kMostInPlace = 8192;

/// The cost of a list, for comparisons.
struct ListCost {
  Index statements = 0;
  Index calls = 0;        ///< statements that compute, a seed among them
  Index temporaries = 0;  ///< matrices with memory of their own that are neither input nor output
  Index allocated_bytes = 0;  ///< by all allocations together
  Index peak_bytes = 0;       ///< inputs included
  Index launches = 0;         ///< of kernels: launches() of each statement
};
ListCost cost_of(const StatementList& list, int bytes_per_element);

/// The number of kernels that a statement launches on a device; this is the only definition. A call
/// launches one: element-wise operations, fills, reductions over an axis, products, transposes and
/// copies of slices, whatever the libraries of an engine do. A fused statement launches one, or one
/// for each of its passes if it uses its own reductions. A reduction of a whole matrix launches
/// two: the reduction, and the fill of the target with its result. Running sums and sorts count as
/// one, although they launch several for long rows or columns. Views, allocations, frees, data from
/// the host and seeds launch none.
int launches(const Statement& statement);

/// The minimum work of a call, on any machine.
struct Work {
  /// The bytes that it reads or writes: each element that it needs counts once for each matrix, or
  /// twice if it is both read and written. An operand that is named twice counts once; views of the
  /// same memory count separately.
  Index bytes = 0;
  /// The multiplications and additions of a product: 2mnk.
  std::optional<Index> flops{};
};
/// The work in the iteration `at`. Memory that a fused statement reads several times counts once.
/// For slices and calls with indices only the moved elements count, not the whole source or target.
/// None for statements whose time does not depend on this: equations, factorisations and sorts, and
/// statements that are not calls.
std::optional<Work> work_of(const StatementList& list, const Statement& statement,
                            const LoopVariables& at, int bytes_per_element);

}  // namespace rewriter

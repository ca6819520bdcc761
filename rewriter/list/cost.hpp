// What a statement list costs: bytes of memory, kernel launches, statements.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "rewriter/list/iterations.hpp"

namespace rewriter {

/// Bytes of its own memory; 0 for a view.
Index bytes_of(const StatementList& list, Var var, int bytes_per_element);
/// What a statement adds to the memory in use.
Index bytes_added(const StatementList& list, const Statement& statement, int bytes_per_element);

/// Memory in use after each statement, and its largest value. What 64 bits do not hold counts as
/// the most that they do.
struct MemoryUse {
  Index inputs = 0;
  std::vector<Index> after;  ///< one for each statement
  Index peak = 0;
  std::ptrdiff_t peak_statement = -1;  ///< the first to reach it; -1: the inputs alone
};
MemoryUse memory_use(const StatementList& list, int bytes_per_element);

/// What a list takes, as comparisons count it.
struct ListCost {
  Index statements = 0;
  Index calls = 0;        ///< statements that compute, a seed among them
  Index temporaries = 0;  ///< matrices with memory of their own that are neither input nor output
  Index allocated_bytes = 0;  ///< by all allocations together
  Index peak_bytes = 0;       ///< inputs included
  Index launches = 0;         ///< of kernels: launches() of each statement
};
ListCost cost_of(const StatementList& list, int bytes_per_element);

/// Kernels that a statement starts on a device; the one place that says so. A call starts one:
/// element-wise operations, fills, reductions over an axis, products, transposes and copies of
/// slices alike, whatever an engine's library makes of it inside; a fused statement starts one,
/// or one for each of its parts where it uses its own reductions. A
/// number from a whole matrix is two: the reduction, and the fill of the target with its result.
/// Running sums and sorting are counted as one as well, though they take several where rows or
/// columns are long. Views, allocations and frees, data from the host and seeds start none.
int launches(const Statement& statement);

/// What a call must do at least, on any machine.
struct Work {
  /// That it reads or writes: of each matrix every element that it needs once, twice if it reads
  /// and writes it. An operand that it names twice counts once; views of the same memory are
  /// matrices of their own.
  Index bytes = 0;
  /// Of a product, its multiplications and additions: 2mnk.
  std::optional<Index> flops{};
};
/// In the iteration that `at` has. What a fused statement reads of one memory counts once. Of
/// slices and of calls with indices only what is moved counts, not all that it is taken from or put
/// into. None for what says nothing about its time: equations, factorisations and sorts, and
/// statements that are no calls.
std::optional<Work> work_of(const StatementList& list, const Statement& statement,
                            const LoopVariables& at, int bytes_per_element);

}  // namespace rewriter

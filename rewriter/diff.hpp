// Two statement lists side by side, and what each costs.
#pragma once

#include <string>

#include "rewriter/statement.hpp"

namespace rewriter {

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
/// slices alike, whatever an engine's library makes of it inside. A number from a whole matrix is
/// two: the reduction, and the fill of the target with its result. Running sums and sorting are
/// counted as one as well, though they take several where rows or columns are long. Views,
/// allocations and frees, data from the host and seeds start none.
int launches(const Statement& statement);

struct DiffOptions {
  int bytes_per_element = 4;
  int width = 123;  ///< columns of the text, at least 20
};

// clang-format off
/// The lists, lines aligned by their longest common subsequence, then a table of costs:
///
///     a.txt                                  b.txt
///     t1 = cm.empty((128, 784))              t1 = cm.empty((128, 784))
///     x.subtract(z, target=t1)             | x.subtract(z, target=delta_o)
///     t1.free_device_memory()              <
///                                          > y.add(1)
///
///                             a.txt       b.txt  difference
///     statements                  5           4          -1
///
/// `<` and `>` stand only on one side, `|` takes the place of another. What does not fit is cut.
// clang-format on
std::string print_diff(const StatementList& a, const std::string& name_a, const StatementList& b,
                       const std::string& name_b, const DiffOptions& options = {});

}  // namespace rewriter

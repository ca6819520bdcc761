// Two statement lists side by side, and the cost of each (list/cost.hpp).
#pragma once

#include <string>

#include "rewriter/list/cost.hpp"

namespace rewriter {

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
/// `<` and `>` mark lines of one side only, `|` lines that differ. What does not fit is cut.
// clang-format on
std::string print_diff(const StatementList& a, const std::string& name_a, const StatementList& b,
                       const std::string& name_b, const DiffOptions& options = {});

}  // namespace rewriter

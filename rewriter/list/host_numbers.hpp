// What a list computes of numbers alone: Python's floats and ints, which are doubles whatever the
// arrays of the run are.
#pragma once

#include <vector>

#include "rewriter/list/statement.hpp"
#include "rewriter/list/table.hpp"

namespace rewriter {

/// A number is the value of a matrix of one element that follows from numbers of the statements
/// alone, also from one iteration to the next: t after `t.assign(1)` and, in a loop, after
/// `t.mult(0.999)`. A run in 32 bits computes it on the host, in double, and gives it to the engine
/// rounded.
struct HostNumbers {
  Table<bool> computes;            ///< by statement: whether its results are numbers
  Table<std::vector<bool>> reads;  ///< by Loop, End and Print: which operands hold numbers
  Table<bool> to_engine;  ///< by variable: whether the engine or an output reads a number from it
  std::vector<bool> outputs;  ///< by output: whether it is one at the end
  bool any = false;           ///< whether a statement computes one

  /// Whether the statement computes numbers that only the host reads.
  [[nodiscard]] bool stays(const StatementList& list, std::size_t statement) const;
};

/// Of a list that verify() accepts. `given`: by input, whether the caller has it as a number;
/// empty: none.
HostNumbers host_numbers(const StatementList& list, const std::vector<bool>& given = {});

}  // namespace rewriter

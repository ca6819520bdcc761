// Shows and counts the statements of expressions.
//
// With GNUMPY_TRACE=1 in the environment, every statement is printed to standard error when it
// runs, below the line of the program that it comes from: the list of an expression, and single
// statements for immediate operations (filling, drawing, subscripts, transfers). In these the
// operand is called x and the result t.
//
// On a GPU, an expression that is repeated with the same memory and the same numbers is launched as
// one CUDA graph, with the same bits; GNUMPY_REPLAY=off disables this (plan_replay.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gnumpy {

class garray;

/// The statements that would compute the expression, each with its shape; empty for a value that is
/// computed already.
std::string explain(const garray& a);

/// Sets the rewriter's passes for expressions from now on, in all threads: "default,fuse" keeps
/// every bit of NumPy's order of operations and fuses element-wise operations; "default" is the
/// same without fusion; "fast" and "all" may change rounding (a product is added to its target by
/// one call, without a temporary); "none" is literal; or names separated by commas. The initial
/// value is GNUMPY_PASSES of the environment, or "default,fuse". While acceptable_number_types()
/// requires checks, nothing is fused. Throws CUDAMatException for an unknown name.
void passes(std::string_view names);
std::string passes();

/// Totals since the start of the program, of all threads.
struct Work {
  std::int64_t expressions = 0;  ///< that were computed
  std::int64_t statements = 0;   ///< run for them, as explain() prints them, and at once
  std::int64_t launches = 0;     ///< of kernels, that these need on a GPU
  std::int64_t allocations = 0;  ///< asked of the engine: memory that is used again is none
};
Work work_done();

}  // namespace gnumpy

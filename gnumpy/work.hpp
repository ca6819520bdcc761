// What becomes of expressions, shown and counted.
//
// With GNUMPY_TRACE=1 in the environment every statement is printed to standard error as it is
// run, below the line of the program that it comes from: the list of an expression, and single
// statements for what is done at once (filling, drawing, subscripts, transfers). What such a
// statement reads is called x there, what it makes t.
//
// On a GPU an expression that comes again in the same memory with the same numbers is queued as one
// CUDA graph, with the same bits; GNUMPY_REPLAY=off queues its calls one by one (plan_replay.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gnumpy {

class garray;

/// The statements that materializing the expression would run, each with its shape; empty for a
/// value that is computed already.
std::string explain(const garray& a);

/// Which of the rewriter's passes expressions go through from now on, in all threads:
/// "default,fuse", with which every bit is as NumPy's order of operations has it, and runs of
/// element-wise operations are one statement; "default", the same with each operation a statement;
/// "fast" and "all", which may round in other places (a product is added to its target by one call,
/// without a temporary); "none", literally; or names separated by commas. Before the first call it
/// is GNUMPY_PASSES of the environment, or else "default,fuse". While acceptable_number_types()
/// asks for checks, nothing is fused. Throws CUDAMatException for an unknown name.
void passes(std::string_view names);
std::string passes();

/// Totals since the program's start, of all threads.
struct Work {
  std::int64_t expressions = 0;  ///< that were computed
  std::int64_t statements = 0;   ///< run for them, as explain() prints them, and at once
  std::int64_t launches = 0;     ///< of kernels, that these need on a GPU
  std::int64_t allocations = 0;  ///< asked of the engine: memory that is used again is none
};
Work work_done();

}  // namespace gnumpy

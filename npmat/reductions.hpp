// The reductions of reduce.cpp without their types, for code that makes what they reduce a tile at
// a time and may run several of them side by side.
#pragma once

#include "cudamat/engine.hpp"

namespace npmat {

using cudamat::Index;

/// What becomes of the values of a reduction: target = beta * target + mult * value.
template <class T>
struct ReduceResults {
  Index mean_of;  ///< what a mean divides by; -1 for another reduction
  T mult, beta;
  T* target;
};

/// A reduction; its accumulators have `bytes` each. See reduce_lanes.hpp, and there reduce_rows:
/// the functions are those of a plan.
template <class T>
struct Reduction {
  std::size_t bytes;
  void (*clear)(void* acc, Index lanes);
  void (*join)(void* acc, const void* other, Index lanes);
  void (*fold)(void* acc, Index rows, Index fold);
  void (*take)(const T* a, Index ld, Index lanes, Index steps, void* acc);
  /// acc[j] = the reduction of column j, of short_columns(rows) columns at most.
  void (*columns)(const T* a, Index rows, Index cols, void* acc);
  void (*finish)(const ReduceResults<T>& results, Index first, Index some, const void* acc);
};

/// How many shorter columns are reduced at a time.
Index short_columns(Index rows);

/// The reduction of a target of a fused statement.
template <class T>
const Reduction<T>& reduction(cudamat::Op op);

}  // namespace npmat

// What a compiled region of a list calls and reads: the engine's loops and calls, and the runner of
// the list (rewriter/regions/regions.hpp). Included by the regions' own sources.
#pragma once

#include "cudamat/index.hpp"

namespace npmat {

using cudamat::Index;

struct RegionCalls;

/// The engine's functions in T, without the checks before them. `op` is a cudamat::Op. What may
/// fail returns 1 then, as callbacks do.
template <class T>
struct RegionEngine {
  /// An operation that runs in blocks (map_tiles.hpp), with a number or an array as its second
  /// operand; out is aligned to 64 bytes and has room for a whole last block.
  void (*map)(int op, const T* a, T b, T* out, Index n);
  void (*map_arrays)(int op, const T* a, const T* b, T* out, Index n);
  /// c (m x n) = beta * c + alpha * a @ b; flags: 1, a is transposed, and 2, b is.
  int (*product)(RegionCalls*, int flags, Index m, Index n, Index k, const T* a, const T* b, T beta,
                 T alpha, T* c);
  int (*reduce)(RegionCalls*, int op, int axis, Index rows, Index cols, const T* a, T beta, T mult,
                T* target);
  int (*reduce_all)(RegionCalls*, int op, Index n, const T* a, const T* b, T beta, T mult,
                    T* target);
  /// A number as T has it.
  T (*rounded)(double number);
};

/// Iterations of a loop that are apart: those of a variable from start to before end, in steps.
struct SharedIterations {
  /// Runs some of them, the last one among them or not, with `room` bytes of its own.
  void (*run)(RegionCalls*, Index start, Index end, char* room, bool is_last);
  Index start, end, step;
  Index cost;  ///< about how many nanoseconds an iteration takes
  Index room;
};

/// A callback that fails keeps the exception and returns 1; the region's function then returns.
struct RegionCalls {
  void** data;      ///< by variable: its memory; the function sets that of its views before calls
  Index* loops;     ///< by loop: its variable, which the function sets before calls
  double* numbers;  ///< by variable: those that the host holds
  const void* engine;   ///< a RegionEngine<T>
  const void* doubles;  ///< a RegionEngine<double>, for numbers
  int (*call)(RegionCalls*, Index statement);
  /// An index of the statement, a Select, which does not select from `size` columns. Fails.
  void (*bad_index)(RegionCalls*, Index statement, double index, Index size);
  /// Called at least every few milliseconds, by all threads.
  int (*look)(RegionCalls*, Index statement);
  /// Runs all of them, on several threads if that is worth it.
  void (*share)(RegionCalls*, const SharedIterations& iterations);
};

}  // namespace npmat

// The runner: a statement list on an engine.
//
//   auto result = rewriter::run<npmat::CUDAMatrix<float>>(list, {{"X", data}});
//   result.outputs.at("grad_W")                     // the NumPy array
//
// Any cudamat::Matrix will do. The runs on npmat are compiled once, in run.cpp; for another engine
// include rewriter/run/runner.hpp where the run is instantiated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "npmat/array.hpp"
#include "npmat/npmat.hpp"
#include "rewriter/list/iterations.hpp"
#include "rewriter/list/statement.hpp"
#include "rewriter/run/replay_plan.hpp"

namespace rewriter {

struct RunOptions {
  /// The seed of the engine's random numbers.
  std::uint64_t seed = 0;
  /// The maximum of bytes for the matrices of the run; 0: as many as the device has.
  std::int64_t memory_limit = 0;
  /// Called before each statement with its index (in loops, in every iteration), and once at the
  /// end with the number of statements. Use it to show progress, or to stop a run by an exception.
  /// While a loop runs compiled, it is called every few milliseconds, with the index of a Loop.
  std::function<void(std::size_t)> before_statement{};
  /// Called after each statement with its index and the loop variables of its iteration, before the
  /// loop decides whether to continue. With it, no loop runs compiled.
  std::function<void(std::size_t, const LoopVariables&)> after_statement{};
  /// Whether sequences of calls in loops are recorded as graphs and replayed, if the engine
  /// supports it (cudamat's does). There is no replay with after_statement.
  bool replay = true;
  /// By input, the number that its one element is rounded from, as Python has it; empty: none.
  std::span<const std::optional<double>> numbers{};
  /// Receives by output the number that its element is rounded from, where statements compute it of
  /// numbers alone: a run in 32 bits does that in double, on the host. Null: not wanted.
  std::vector<std::optional<double>>* results{};
  /// Receives what the program prints, including line ends; without it, standard output does, at
  /// once.
  std::function<void(const std::string&)> print{};
};

/// A statement `raise TYPE("text")` was run.
struct Raised : std::runtime_error {
  Raised(std::string kind, std::string told, SourceLocation place);

  std::string type;      ///< as Python names it
  std::string text;      ///< empty: none was given
  SourceLocation where;  ///< of the program
};

template <class T>
struct RunResult {
  std::map<std::string, npmat::Array<T>> outputs;  ///< by the user's names
  std::int64_t peak_bytes = 0;  ///< the most that matrices held at once, inputs included
  /// The bytes that were allocated for the matrices: memory_plan()'s peak, and what its placement
  /// needs in addition.
  std::int64_t arena_bytes = 0;
  /// The loops that were replayed and those that were not, in the order of the statements; empty if
  /// replay was off.
  std::vector<ReplayRemark> replay{};
};

/// Runs the list. Data and numbers are rounded to M's value type; if that is float, what follows
/// from numbers alone (host_numbers.hpp) is computed on the host, in double, and rounded then.
/// `inputs` are given by the user's names, in row-major order, and are not changed, even if the
/// list overwrites the matrix of an input; names that the list does not have are ignored.
///
/// Memory: one block is allocated before anything is copied or computed. All inputs, constants,
/// results and temporaries are in it, as arena.hpp places them; results are copied out of it. An
/// Empty only says where its matrix begins. A call that allocates memory for a matrix is an
/// InternalError. Not in the plan are: constants that no statement writes to, which all runs of a
/// PreparedList share, up to 64 MiB; an input or output, one at a time, while a GPU transposes it
/// (the host does so if there is no memory); an engine's partial sums of a reduction, which it
/// frees within the call; workspaces of its libraries; and the memory of graphs, which is such
/// partial sums and columns that are copied for them.
///
/// Replay: on cudamat, sequences of calls in loops that are the same in every iteration
/// (replay_plan.hpp) run normally in the first iteration, are recorded in the second, and are
/// launched as one graph from then on, with the same bits and without allocations.
///
/// Compiled loops: on npmat, loops of statements that take little time each are compiled
/// (regions.hpp) as CUDAMAT_COMPILE says: off, auto (the default: in the background, once a loop
/// has taken long) or now. They have the same bits.
///
/// Throws CUDAMatException for an input that is missing or has another shape, and InternalError for
/// a list that verify() rejects. Errors of a statement have its place, `prog.py:5:3: [dot] ...`. An
/// OutOfMemory also names the statement (the one with the peak, if the block cannot be allocated),
/// the bytes asked for, in use and allowed, and the largest matrices with the lines that made them.
/// Exceptions from the hooks, and Raised from a `raise` of the list, pass unchanged; statements
/// after it are not run. In all cases the memory of the run is freed.
template <class M>
RunResult<typename M::value_type> run(
    const StatementList& list,
    const std::map<std::string, npmat::Array<typename M::value_type>>& inputs,
    const RunOptions& options = {});

#define CUDAMAT_EXTERN_RUN(T)                             \
  extern template RunResult<T> run<npmat::CUDAMatrix<T>>( \
      const StatementList&, const std::map<std::string, npmat::Array<T>>&, const RunOptions&);
CUDAMAT_EXTERN_RUN(float)
CUDAMAT_EXTERN_RUN(double)
CUDAMAT_EXTERN_RUN(long double)
#undef CUDAMAT_EXTERN_RUN

}  // namespace rewriter

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
  /// The engine's random numbers start with it.
  std::uint64_t seed = 0;
  /// Bytes that the run may take for its matrices; 0: as many as the device has.
  std::int64_t memory_limit = 0;
  /// Called before each statement with its index (in a loop in every iteration), and once after the
  /// last with their number: for progress, and to stop a run, by an exception.
  std::function<void(std::size_t)> before_statement{};
  /// Called after each statement with its index and the loops' variables in its iteration. What
  /// decides whether a loop goes on comes after it.
  std::function<void(std::size_t, const LoopVariables&)> after_statement{};
  /// Whether runs of calls in loops are recorded as graphs and replayed, where the engine does that
  /// (cudamat's). Not where after_statement watches.
  bool replay = true;
  /// Takes what the program prints, line ends included; without it, standard output does, at once.
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
  /// What was taken from the engine for them: memory_plan()'s peak, and what its placement needs
  /// beside it.
  std::int64_t arena_bytes = 0;
  /// What of its loops was replayed and what was not, in the order of the statements; empty where
  /// nothing was to be.
  std::vector<ReplayRemark> replay{};
};

/// Runs the list. Data and numbers are rounded to M's value type. `inputs` are by the user's names,
/// in row-major order, and stay as they are, even where the list overwrites an input's matrix;
/// values for names that the list does not have are ignored.
///
/// Memory: one block is taken before anything is copied or computed, in which all inputs,
/// constants, results and temporaries lie as arena.hpp places them; results are copied out of it.
/// An Empty, in a loop or not, only says where its matrix begins. A call that takes memory for a
/// matrix of its own is an InternalError. Not in the plan are an input or output, one at a time,
/// while a GPU turns it into the other order (the host does where there is no room), an engine's
/// partial sums of a reduction, which it gives back within the call, its libraries' workspaces, and
/// what graphs need: such partial sums, and columns that are copied for them.
///
/// Replay: on cudamat, runs of calls in loops that are the same in every iteration
/// (replay_plan.hpp) run as they are in the first, are recorded in the second, and are queued as
/// one graph from then on, with the same bits; in such iterations nothing is allocated.
///
/// Throws CUDAMatException for an input that is missing or has another shape; InternalError for a
/// list that verify() refuses. What a statement throws comes with its place, `prog.py:5:3: [dot]
/// ...`; an OutOfMemory also with the statement (that of the peak where the block cannot be had),
/// the bytes asked for, in use and allowed, and the largest matrices with the lines that made them.
/// Exceptions from the hooks pass unchanged, and so does Raised, which a `raise` of the list
/// throws; what comes after it is not run. However it ends, all memory of the run is given
/// back.
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

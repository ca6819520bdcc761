// The pipeline of passes, and the driver that runs a selection of it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/passes/pass.hpp"

namespace rewriter {

struct Pass {
  std::string_view name;
  PassFunction function;
  std::string_view summary;     ///< one line
  std::string_view alias = {};  ///< an older name, which is understood, too
  /// The pipelines that contain the pass, if it is not named.
  enum class In : std::uint8_t { DefaultAndAll, All, None } in = In::DefaultAndAll;
};

/// All passes, in the order of `default` and `all`, except those that run only if they are named; a
/// pass may occur more than once.
std::span<const Pass> pipeline();

/// Each pass once, in the order of the pipeline.
std::vector<const Pass*> known_passes();

/// The first pass with this name or alias. Throws CUDAMatException with the known names if there is
/// none.
const Pass& find_pass(std::string_view name);

/// The passes to run.
struct PassChoice {
  std::vector<const Pass*> passes;
  PassOptions options;
};

/// "none", "default" (the pipeline, rounding unchanged), "all" (with rewrites that change
/// rounding), "fast" (short for "all,fuse"), or names separated by commas, which run in that order.
/// The first may be "default" or "all", for the pipeline; then passes that run only if they are
/// named run at their place in it, other passes after it. Without "all" rounding is unchanged.
/// Throws CUDAMatException for an unknown name, with the known names.
PassChoice parse_pass_names(std::string_view text);

/// Removes the passes after the first run of this pass. Throws CUDAMatException if it is not
/// chosen.
void stop_after(PassChoice& choice, std::string_view name);

/// The result of one pass.
struct PassRun {
  const Pass* pass = nullptr;
  std::vector<Remark> remarks;
  bool changed = false;
  double seconds = 0;
};

struct PipelineResult {
  StatementList list;
  std::vector<PassRun> runs;
};

/// Runs the passes, removes empty loops, and calls verify() after each; an InternalError names the
/// pass that made a bad list. `after` is called after each pass with its result and the list.
PipelineResult run_passes(
    StatementList list, const PassChoice& choice,
    const std::function<void(const PassRun&, const StatementList&)>& after = {});

/// "  10: t2 is written over t1, whose last use this is"; rejected rewrites and changed rounding
/// are marked. `source`: of the lines, which may be those of several files.
std::string print_remarks(const std::vector<Remark>& remarks, const Source* source = nullptr);

}  // namespace rewriter

// The pipeline of passes, and the driver that runs some of it.
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
  /// Which pipelines have it, if it is not named.
  enum class In : std::uint8_t { DefaultAndAll, All, None } in = In::DefaultAndAll;
};

/// All passes, in the order in which `default` and `all` run them, but for those that run only if
/// they are named; a pass may stand more than once.
std::span<const Pass> pipeline();

/// Each pass once, in the order of the pipeline.
std::vector<const Pass*> known_passes();

/// The first of that name or alias. CUDAMatException if there is none, with those that there are.
const Pass& find_pass(std::string_view name);

/// What to run.
struct PassChoice {
  std::vector<const Pass*> passes;
  PassOptions options;
};

/// "none", "default" (the pipeline, rounding unchanged), "all" (with rewrites that change
/// rounding), "fast" (that is "all,fuse"), or names separated by commas, which run in that order.
/// The first may be "default" or "all", for the pipeline; passes that run only if they are named
/// run at their place in it then, others behind it. Without "all" rounding is unchanged.
/// CUDAMatException for an unknown name, with those that there are.
PassChoice parse_pass_names(std::string_view text);

/// Leaves out what comes after the first run of the pass. CUDAMatException if it is not chosen.
void stop_after(PassChoice& choice, std::string_view name);

/// What one pass did.
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

/// Runs the passes, loops without statements left out, and verify() after each; an InternalError
/// names the pass that made a bad list. `after` is called after each pass with what it did and the
/// list that it left.
PipelineResult run_passes(
    StatementList list, const PassChoice& choice,
    const std::function<void(const PassRun&, const StatementList&)>& after = {});

/// "  10: t2 is written over t1, whose last use this is"; refusals and changed rounding are marked.
std::string print_remarks(const std::vector<Remark>& remarks);

}  // namespace rewriter

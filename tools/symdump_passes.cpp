#include "tools/symdump_passes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>
#include <utility>

#include "cudamat/error.hpp"
#include "rewriter/emit/print.hpp"
#include "rewriter/listing/print_text.hpp"
#include "rewriter/passes/pipeline.hpp"
#include "rewriter/plan/memory_plan.hpp"
#include "tools/symdump_compute.hpp"

namespace symdump {

using rewriter::PassRun;
using rewriter::Remark;
using rewriter::StatementList;

namespace {

rewriter::PassChoice choice_of(const Options& options) {
  rewriter::PassChoice choice = rewriter::parse_pass_names(options.passes);
  if (!options.stop_after.empty()) rewriter::stop_after(choice, options.stop_after);
  return choice;
}

std::string counts(const PassRun& run) {
  const auto count = [&](Remark::Kind kind) {
    return std::count_if(run.remarks.begin(), run.remarks.end(),
                         [&](const Remark& remark) { return remark.kind == kind; });
  };
  if (!run.changed && run.remarks.empty()) return "nothing to do";
  if (!run.changed)
    return fmt::format("nothing changed, {} not done", count(Remark::Kind::Refused));
  std::string text =
      fmt::format("{} made", count(Remark::Kind::Made) + count(Remark::Kind::Rounding));
  if (const auto rounding = count(Remark::Kind::Rounding); rounding > 0)
    text += fmt::format(" ({} of them change rounding)", rounding);
  return text + fmt::format(", {} not done", count(Remark::Kind::Refused));
}

std::string bytes_text(rewriter::Index bytes) {
  const std::string size = rewriter::print::binary_size(bytes);
  return rewriter::print::grouped(bytes) + (bytes == 1 ? " byte" : " bytes") +
         (size.empty() ? "" : " (" + size + ")");
}

rewriter::MemoryPlan plan_of(const StatementList& list, const Options& options) {
  return rewriter::memory_plan(list, bytes_per_element(options.precision));
}

/// "--passes inplace would need 12 bytes", for the first choice that fits: one pass more than were
/// asked for, else all that keep every bit, else all.
std::string way_out(const Options& options,
                    const std::function<StatementList(const Options&)>& literal) {
  std::vector<std::string> choices;
  const bool some =
      options.passes != "none" && options.passes != "default" && options.passes != "all";
  for (const rewriter::Pass& pass : rewriter::pipeline())
    choices.push_back((some ? options.passes + "," : "") + std::string(pass.name));
  choices.insert(choices.end(), {"default", "all"});
  rewriter::Index least = 0;
  for (const std::string& passes : choices) {
    Options tried = options;
    tried.passes = passes;
    tried.stop_after.clear();
    const rewriter::Index needed = plan_of(rewrite(literal(tried), tried).list, tried).arena.bytes;
    if (needed <= options.limit)
      return fmt::format("--passes {} would need {} and fit", passes, bytes_text(needed));
    least = least == 0 ? needed : std::min(least, needed);
  }
  return "no passes make it fit; the least that they need is " + bytes_text(least);
}

/// The names, and for a length known only at run time the name of the length.
std::vector<std::string> with_lengths(const rewriter::Program& program,
                                      std::vector<std::string> names) {
  const auto has = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const auto& [name, length] : program.lengths)
    if (has(name) && !has(length.result)) names.push_back(length.result);
  return names;
}

}  // namespace

std::vector<std::string> surviving(const rewriter::Program& program, const Options& options) {
  const bool all = options.passes == "none" || !options.function.empty();
  if (!options.outputs.empty() || all) return with_lengths(program, options.outputs);
  std::vector<rewriter::NodePtr> roots = program.steps;
  for (const auto& result : program.results) roots.push_back(result.node);
  std::unordered_set<const rewriter::Node*> read;
  for (const rewriter::NodePtr& node : rewriter::in_order(roots))
    for (const rewriter::NodePtr& operand : node->args) read.insert(operand.get());
  std::vector<std::string> names;
  for (const auto& [name, node] : program.results) {
    const bool saved =
        std::any_of(options.saves.begin(), options.saves.end(),
                    [&, wanted = name](const auto& save) { return save.first == wanted; });
    if (saved || !(read.contains(node.get()) || program.read_again.contains(name)))
      names.push_back(name);
  }
  return with_lengths(program, std::move(names));
}

std::string pass_list() {
  std::string text;
  for (const rewriter::Pass* pass : rewriter::known_passes())
    text += fmt::format("{:<12}{}{}\n", pass->name, pass->summary,
                        pass->alias.empty() ? "" : fmt::format("; once {}", pass->alias));
  return text;
}

Rewritten rewrite(StatementList list, const Options& options) {
  Rewritten result;
  const rewriter::PrintOptions how{.bytes_per_element = bytes_per_element(options.precision),
                                   .colour = false};
  const auto tell = [&](const PassRun& run, const StatementList& after) {
    const bool dumped = options.print_after == "all" || options.print_after == run.pass->name;
    result.times += fmt::format("{:<12}{:>10.3f} ms\n", run.pass->name, 1000 * run.seconds);
    if (!options.remarks && !dumped) return;
    result.story += fmt::format("# {}: {}: {}\n", run.pass->name, run.pass->summary, counts(run));
    result.story += rewriter::print_remarks(run.remarks, after.source ? &*after.source : nullptr);
    if (dumped && run.changed) result.story += "\n" + rewriter::print_statements(after, how);
    result.story += "\n";
  };
  result.list = rewriter::run_passes(std::move(list), choice_of(options), tell).list;
  return result;
}

void check_limit(const StatementList& list, const Options& options,
                 const std::function<StatementList(const Options&)>& literal) {
  if (options.limit < 0) return;
  const rewriter::MemoryPlan plan = plan_of(list, options);
  const rewriter::Index needed = plan.arena.bytes;
  if (needed <= options.limit) return;
  throw cudamat::OutOfMemory(
      fmt::format("--limit: the program needs {} at {}, {} more than allowed; {}",
                  bytes_text(needed), rewriter::statement_with_place(list, plan.peak_at),
                  bytes_text(needed - options.limit), way_out(options, literal)));
}

}  // namespace symdump

#include "rewriter/passes/pipeline.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "cudamat/error.hpp"
#include "rewriter/list/edit.hpp"
#include "rewriter/list/fusion.hpp"
#include "rewriter/list/verify.hpp"
#include "rewriter/listing/compare.hpp"
#include "rewriter/listing/print_text.hpp"
#include "rewriter/passes/combine.hpp"
#include "rewriter/passes/cse.hpp"
#include "rewriter/passes/dead.hpp"
#include "rewriter/passes/exchange.hpp"
#include "rewriter/passes/fuse.hpp"
#include "rewriter/passes/hoist.hpp"
#include "rewriter/passes/inplace.hpp"
#include "rewriter/passes/layout.hpp"
#include "rewriter/passes/order.hpp"
#include "rewriter/passes/reuse.hpp"
#include "rewriter/passes/simplify.hpp"
#include "rewriter/passes/unroll.hpp"

namespace rewriter {

namespace {

using In = Pass::In;

constexpr Pass kDead{"dead", dead, "removes statements whose results nothing reads"};

// The list of passes: whatever names them elsewhere is read from here, or compared with it.
constexpr auto kPipeline = std::to_array<Pass>({
    {"unroll", unroll, "unrolls loops of few iterations; only if it is named", "", In::None},
    {"layout", layout, "stores matrices transposed where that is cheaper; not in default", "",
     In::All},
    {"simplify", simplify, "folds constants and chains of numbers", "fold"},
    {"cse", cse, "computes equal expressions once"},
    kDead,
    {"combine", combine, "combines several statements into one Cudamat call", "accumulate"},
    {"exchange", exchange, "exchanges matrices in loops without copies"},
    kDead,
    {"hoist", hoist, "moves allocations and loop-invariant statements out of loops"},
    {"fuse", fuse, "fuses runs of element-wise statements; only if it is named", "", In::None},
    {"fuse_large", fuse_large, "the same for more than 8192 elements; only if it is named", "",
     In::None},
    {"inplace", inplace, "writes a result over an operand at its last use"},
    {"order", order, "orders independent statements so that they need the least memory"},
    {"reuse", reuse, "shares memory between matrices whose lifetimes do not overlap"},
    {"unfuse", unfuse, "turns fused statements back into calls; only if it is named", "", In::None},
});

}  // namespace

std::span<const Pass> pipeline() {
  return kPipeline;
}

std::vector<const Pass*> known_passes() {
  std::vector<const Pass*> passes;
  for (const Pass& pass : kPipeline)
    if (&find_pass(pass.name) == &pass) passes.push_back(&pass);
  return passes;
}

const Pass& find_pass(std::string_view name) {
  const auto* const found = std::find_if(kPipeline.begin(), kPipeline.end(), [&](const Pass& pass) {
    return pass.name == name || (!pass.alias.empty() && pass.alias == name);
  });
  if (found != kPipeline.end()) return *found;
  std::string names;
  for (const Pass* pass : known_passes())
    names += (names.empty() ? "" : ", ") + std::string(pass->name);
  cudamat::misuse("passes", "there is no pass '{}'; there are {}, and none, default, all, fast",
                  name, names);
}

PassChoice parse_pass_names(std::string_view text) {
  PassChoice choice;
  if (text == "none") return choice;
  if (text == "fast") text = "all,fuse";
  std::vector<const Pass*> named;
  bool has_pipeline = false;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view name = text.substr(begin, end - begin);
    const bool is_pipeline = begin == 0 && (name == "default" || name == "all");
    if (!is_pipeline) named.push_back(&find_pass(name));
    has_pipeline = has_pipeline || is_pipeline;
    choice.options.may_round = choice.options.may_round || (is_pipeline && name == "all");
    begin = end + 1;
  }
  const auto is_in = [&](const Pass& pass) {
    return pass.in == In::DefaultAndAll || (pass.in == In::All && choice.options.may_round);
  };
  if (has_pipeline)
    for (const Pass& pass : kPipeline)
      if (is_in(pass) || (pass.in != In::DefaultAndAll && std::erase(named, &pass) > 0))
        choice.passes.push_back(&pass);
  choice.passes.insert(choice.passes.end(), named.begin(), named.end());
  return choice;
}

void stop_after(PassChoice& choice, std::string_view name) {
  const Pass& wanted = find_pass(name);
  const auto found = std::find_if(choice.passes.begin(), choice.passes.end(),
                                  [&](const Pass* pass) { return pass->name == wanted.name; });
  if (found == choice.passes.end())
    cudamat::misuse("passes", "'{}' is not among the passes that run", name);
  choice.passes.erase(found + 1, choice.passes.end());
}

std::string Remark::text() const {
  if (result.empty()) return what;
  std::string text =
      fmt::format("{} {} {}", what, kind == Kind::Refused ? "would become" : "becomes", result);
  if (reason.empty()) return text;
  return fmt::format("{}, {}{}", text, kind == Kind::Made ? "" : "but ", reason);
}

namespace {

/// What reads another variable now, or writes over one, may read otherwise as text.
void put_fused_in_text_order(StatementList& list) {
  if (!has_fused(list)) return;
  const print::ListNames names(list);
  for (Statement& s : list.statements)
    if (s.kind == Statement::Kind::Fused) s = print::in_text_order(s, names);
}

}  // namespace

PipelineResult run_passes(StatementList list, const PassChoice& choice,
                          const std::function<void(const PassRun&, const StatementList&)>& after) {
  PipelineResult result{std::move(list), {}};
  if (!choice.passes.empty()) number_anew(result.list);
  for (const Pass* pass : choice.passes) {
    const auto start = std::chrono::steady_clock::now();
    PassResult made = pass->function(result.list, choice.options);
    put_fused_in_text_order(made.list);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    try {
      verify(made.list);
    } catch (const cudamat::InternalError& error) {
      throw cudamat::InternalError(fmt::format("after the pass {}: {}", pass->name, error.what()));
    }
    PassRun run{pass, std::move(made.remarks), !same_list(result.list, made.list), taken.count()};
    result.list = std::move(made.list);
    if (after) after(run, result.list);
    result.runs.push_back(std::move(run));
  }
  return result;
}

std::string print_remarks(const std::vector<Remark>& remarks, const Source* source) {
  std::string text;
  const auto number_of = [source](int line) {
    return source != nullptr ? source->label(line) : fmt::format("{}", line);
  };
  int digits = 1;
  for (const Remark& remark : remarks)
    digits = std::max(digits, static_cast<int>(number_of(remark.where.line).size()));
  for (const Remark& remark : remarks) {
    const std::string line =
        remark.where.line > 0 ? number_of(remark.where.line) : std::string("-");
    const char* const mark = remark.kind == Remark::Kind::Refused    ? "not done: "
                             : remark.kind == Remark::Kind::Rounding ? "rounds: "
                                                                     : "";
    text += fmt::format("#   {:>{}}: {}{}\n", line, digits, mark, print::safe(remark.text()));
  }
  return text;
}

}  // namespace rewriter

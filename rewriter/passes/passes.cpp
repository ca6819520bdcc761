#include "rewriter/passes/passes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "cudamat/error.hpp"
#include "rewriter/list/edit.hpp"
#include "rewriter/list/verify.hpp"
#include "rewriter/listing/print_text.hpp"
#include "rewriter/passes/accumulate.hpp"
#include "rewriter/passes/cse.hpp"
#include "rewriter/passes/dead.hpp"
#include "rewriter/passes/fold.hpp"
#include "rewriter/passes/hoist.hpp"
#include "rewriter/passes/inplace.hpp"
#include "rewriter/passes/order.hpp"
#include "rewriter/passes/reuse.hpp"

namespace rewriter {

namespace {

constexpr const char* kDead = "leaves out what nothing reads";

constexpr auto kPipeline = std::to_array<Pass>({
    {"fold", fold, "computes constants and chains of numbers"},
    {"cse", cse, "computes equal things once"},
    {"dead", dead, kDead},
    {"accumulate", accumulate, "puts several statements into one of Cudamat's richer calls"},
    {"dead", dead, kDead},
    {"hoist", hoist, "takes allocations, and what every iteration repeats, out of loops"},
    {"inplace", inplace, "writes over an operand at its last use"},
    {"order", order, "computes independent things in the order that needs the least memory"},
    {"reuse", reuse, "lets matrices whose lives do not overlap share memory"},
});

std::string known_names() {
  std::string names;
  for (std::size_t i = 0; i < kPipeline.size(); ++i) {
    const bool again = std::any_of(kPipeline.begin(), kPipeline.begin() + i, [&](const Pass& pass) {
      return pass.name == kPipeline[i].name;
    });
    if (!again) names += (names.empty() ? "" : ", ") + std::string(kPipeline[i].name);
  }
  return names;
}

const Pass& find_pass(std::string_view name) {
  const auto* const found = std::find_if(kPipeline.begin(), kPipeline.end(),
                                         [&](const Pass& pass) { return pass.name == name; });
  if (found == kPipeline.end())
    cudamat::misuse("passes", "there is no pass '{}'; there are {}, and none, default, all", name,
                    known_names());
  return *found;
}

bool same_statement(const Statement& a, const Statement& b) {
  return a.kind == b.kind && (a.kind != Statement::Kind::Call || a.op == b.op) &&
         a.target == b.target && a.operands == b.operands &&
         std::equal(a.numbers.begin(), a.numbers.end(), b.numbers.begin(), b.numbers.end(),
                    [](const Number& x, const Number& y) {
                      return std::bit_cast<std::uint64_t>(x.value()) ==
                             std::bit_cast<std::uint64_t>(y.value());
                    }) &&
         a.integers == b.integers && a.terms == b.terms && a.loop == b.loop && a.parts == b.parts &&
         a.data == b.data && a.text == b.text && a.where.line == b.where.line &&
         a.where.column == b.where.column;
}

}  // namespace

std::span<const Pass> pipeline() {
  return kPipeline;
}

PassChoice parse_pass_names(std::string_view text) {
  PassChoice choice;
  if (text == "none") return choice;
  if (text == "default" || text == "all") {
    choice.options.may_round = text == "all";
    for (const Pass& pass : kPipeline) choice.passes.push_back(&pass);
    return choice;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    choice.passes.push_back(&find_pass(text.substr(begin, end - begin)));
    begin = end + 1;
  }
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

PipelineResult run_passes(StatementList list, const PassChoice& choice,
                          const std::function<void(const PassRun&, const StatementList&)>& after) {
  PipelineResult result{std::move(list), {}};
  if (!choice.passes.empty()) number_anew(result.list);
  for (const Pass* pass : choice.passes) {
    const auto start = std::chrono::steady_clock::now();
    PassResult made = pass->function(result.list, choice.options);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    try {
      verify(made.list);
    } catch (const cudamat::InternalError& error) {
      throw cudamat::InternalError(fmt::format("after the pass {}: {}", pass->name, error.what()));
    }
    PassRun run{pass, std::move(made.receipts), !same_list(result.list, made.list), taken.count()};
    result.list = std::move(made.list);
    if (after) after(run, result.list);
    result.runs.push_back(std::move(run));
  }
  return result;
}

bool same_list(const StatementList& a, const StatementList& b) {
  const auto same_variable = [](const Variable& x, const Variable& y) {
    return x.name == y.name && x.shape == y.shape && x.view_of == y.view_of;
  };
  const auto same_binding = [](const Binding& x, const Binding& y) {
    return x.name == y.name && x.var == y.var && x.dims == y.dims;
  };
  const auto same = [](const auto& x, const auto& y, const auto& equal) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), equal);
  };
  const auto same_loop = [](const Loop& x, const Loop& y) {
    return x.name == y.name && x.start == y.start && x.stop == y.stop && x.step == y.step;
  };
  return same(a.loops, b.loops, same_loop) && same(a.variables, b.variables, same_variable) &&
         same(a.inputs, b.inputs, same_binding) &&
         same(a.statements, b.statements, same_statement) &&
         same(a.outputs, b.outputs, same_binding);
}

std::string print_receipts(const std::vector<Receipt>& receipts) {
  std::string text;
  int digits = 1;
  for (const Receipt& receipt : receipts)
    digits = std::max(digits, static_cast<int>(fmt::format("{}", receipt.where.line).size()));
  for (const Receipt& receipt : receipts) {
    const std::string line =
        receipt.where.line > 0 ? fmt::format("{}", receipt.where.line) : std::string("-");
    const char* const mark = receipt.kind == Receipt::Kind::Refused    ? "refused: "
                             : receipt.kind == Receipt::Kind::Rounding ? "rounds: "
                                                                       : "";
    text += fmt::format("#   {:>{}}: {}{}\n", line, digits, mark, print::safe(receipt.text));
  }
  return text;
}

}  // namespace rewriter

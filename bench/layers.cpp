#include "bench/layers.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "rewriter/diff.hpp"
#include "rewriter/lower.hpp"
#include "rewriter/passes.hpp"
#include "rewriter/reader.hpp"

namespace bench {

namespace {

constexpr int kTurns = 12;

}  // namespace

std::vector<Result> race(const std::vector<Layer>& layers) {
  std::vector<std::vector<double>> seconds(layers.size());
  for (int turn = 0; turn < kTurns; ++turn)
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const std::size_t layer = turn % 2 == 0 ? i : layers.size() - 1 - i;
      std::vector<double> steps;
      layers[layer].time(steps);
      seconds[layer].insert(seconds[layer].end(), steps.begin() + 1, steps.end());
    }
  std::vector<Result> results;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    std::vector<double>& times = seconds[i];
    std::sort(times.begin(), times.end());
    results.push_back({times.front(), times[times.size() / 2], layers[i].cost()});
  }
  return results;
}

rewriter::StatementList list_of(const Training& training, const std::string& passes) {
  rewriter::ReadOptions options{training.shapes, training.numbers, training.function};
  const rewriter::Program program =
      rewriter::read(rewriter::Source(training.file, training.text), options);
  return rewriter::run_passes(rewriter::lower(program), rewriter::parse_pass_names(passes)).list;
}

Body last_loop(const rewriter::StatementList& list) {
  using Kind = rewriter::Statement::Kind;
  const auto loop = std::find_if(list.statements.rbegin(), list.statements.rend(),
                                 [](const auto& s) { return s.kind == Kind::Loop; });
  const auto start = static_cast<std::size_t>(list.statements.rend() - loop) - 1;
  return {start + 1, rewriter::loop_nesting(list).partner.at(start)};
}

Cost cost_of_step(const rewriter::StatementList& list) {
  using Kind = rewriter::Statement::Kind;
  Cost cost;
  const Body body = last_loop(list);
  for (std::size_t i = body.first; i < body.end; ++i) {
    const rewriter::Statement& s = list.statements[i];
    cost.statements += s.kind == Kind::Call;
    cost.launches += rewriter::launches(s);
    cost.allocations += s.kind == Kind::Empty || s.kind == Kind::Constant;
  }
  return cost;
}

}  // namespace bench

#include "bench/layers.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>
#include <variant>

#include "rewriter/list/cost.hpp"
#include "rewriter/lower/lower.hpp"
#include "rewriter/passes/pipeline.hpp"
#include "rewriter/reader/reader.hpp"

namespace bench {

namespace {

constexpr int kTurns = 16;      // at least
constexpr double kSeconds = 8;  // of a race, at least

double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

/// The steps that a layer ran, by turn.
using Turns = std::vector<std::vector<Seconds>>;

struct Times {
  double best, median, ratio;
};
Times times_of(const Turns& turns, const Turns& first, double Seconds::*which) {
  const auto best_of = [&](const std::vector<Seconds>& steps) {
    const auto less = [&](const Seconds& a, const Seconds& b) { return a.*which < b.*which; };
    return (*std::min_element(steps.begin(), steps.end(), less)).*which;
  };
  Times times{best_of(turns[0]), 0, 0};
  std::vector<double> all, ratios;
  for (std::size_t turn = 0; turn < turns.size(); ++turn) {
    for (const Seconds& step : turns[turn]) all.push_back(step.*which);
    times.best = std::min(times.best, best_of(turns[turn]));
    ratios.push_back(best_of(turns[turn]) / best_of(first[turn]));
  }
  times.median = median(all);
  times.ratio = median(ratios);
  return times;
}

}  // namespace

Seconds now() {
  timespec processor{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &processor);
  const std::chrono::duration<double> clock = std::chrono::steady_clock::now().time_since_epoch();
  return {clock.count(),
          static_cast<double>(processor.tv_sec) + static_cast<double>(processor.tv_nsec) * 1e-9};
}

Seconds operator-(Seconds a, Seconds b) {
  return {a.clock - b.clock, a.processor - b.processor};
}

std::vector<Result> race(const std::vector<Layer>& layers) {
  std::vector<Turns> turns(layers.size());
  const Seconds start = now();
  for (int turn = 0; turn < kTurns || (now() - start).clock < kSeconds; ++turn)
    for (std::size_t i = 0; i < layers.size(); ++i) {
      std::vector<Seconds> steps;
      layers[i].time(steps);
      steps.erase(steps.begin());
      turns[i].push_back(std::move(steps));
    }
  std::vector<Result> results;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Times clock = times_of(turns[i], turns[0], &Seconds::clock);
    const Times processor = times_of(turns[i], turns[0], &Seconds::processor);
    results.push_back({{clock.best, processor.best},
                       {clock.median, processor.median},
                       {clock.ratio, processor.ratio},
                       layers[i].cost()});
  }
  return results;
}

rewriter::StatementList list_of(const Training& training, const std::string& passes) {
  const rewriter::ReadOptions options{
      .shapes = training.shapes, .values = training.numbers, .function = training.function};
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
  cost.statements = static_cast<double>(body.end - body.first);
  for (std::size_t i = body.first; i < body.end; ++i) {
    const rewriter::Statement& s = list.statements[i];
    cost.launches += rewriter::launches(s);
    cost.allocations += s.kind == Kind::Empty || s.kind == Kind::Constant;
  }
  return cost;
}

}  // namespace bench

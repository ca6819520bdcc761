// How a measurement becomes a benchmark: its time beside the floor that the machine sets for it.
#pragma once

#include <algorithm>
#include <benchmark/benchmark.h>
#include <functional>
#include <string>
#include <utility>

namespace bench {

/// Registers workload/layer/engine/size. `time` measures the workload, `floor` what the machine's
/// limits allow, before and after it; both in seconds. The counter `fraction` is floor / time,
/// `target` what the project asks of it.
inline void add(const std::string& name, double target, std::function<double()> floor,
                std::function<double()> time) {
  const auto run = [=](benchmark::State& state) {
    double best_floor = floor();
    double best = 0;
    for ([[maybe_unused]] auto iteration : state) {
      best = time();
      state.SetIterationTime(best);
    }
    best_floor = std::min(best_floor, floor());
    state.counters["fraction"] = best_floor / best;
    state.counters["target"] = target;
    state.counters["floor_us"] = best_floor * 1e6;
  };
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMicrosecond);
}

/// Registers a small call: `overhead` and `time` in seconds a call, the first of them judged, in
/// microseconds.
inline void add_small_call(const std::string& name, double target_us,
                           std::function<std::pair<double, double>()> time_and_overhead) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 const auto [time, overhead] = time_and_overhead();
                                 for ([[maybe_unused]] auto iteration : state)
                                   state.SetIterationTime(time);
                                 state.counters["overhead_us"] = overhead * 1e6;
                                 state.counters["target"] = target_us;
                               })
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMicrosecond);
}

/// Runs what was registered; main's result.
inline int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

/// The bytes that a step of the report's machine must move: the weights and their updates are read
/// and written, the batch is read, h and r and v are written.
inline double rbm_bytes(double vis, double hid, double batch, double element) {
  return element * (4 * vis * hid + 2 * hid * batch + 2 * vis * batch);
}

}  // namespace bench

// Plans whose calls are queued as a whole: on an engine that records calls (a GPU), a plan that
// runs again on the same memory with the same numbers becomes a graph, which is one call for the
// host. Internal to gnumpy; for the holder of a Lock.
//
// In the loops of a program the same memory comes back: what a statement freed is used again by the
// same statement one or two iterations later. The first kTimes runs on the same memory are normal
// runs, then they are recorded. With GNUMPY_REPLAY=off all runs are normal.
#pragma once

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "cudamat/error.hpp"
#include "cudamat/unless_off.hpp"
#include "gnumpy/plan.hpp"

namespace gnumpy::detail {

/// Whether plans are replayed where they can be. Throws CUDAMatException for an unknown value.
inline bool replays() {
  static const bool on = cudamat::unless_off("GNUMPY_REPLAY");
  return on;
}

/// The graphs of one plan, by the memory and the numbers that they are for.
template <class Recorder>
class PlanReplay {
 public:
  /// Plans of fewer launches gain nothing.
  static constexpr int kLaunches = 2;

  /// Runs the plan once; `execute` makes its calls. `settings` is what graphs depend on besides.
  template <class Execute>
  static void run(const Plan& plan, std::span<void* const> memory, int settings,
                  const Execute& execute) {
    if (plan.replay == nullptr) plan.replay = std::make_shared<PlanReplay>();
    static_cast<PlanReplay*>(plan.replay.get())->run_one(plan, memory, settings, execute);
  }

 private:
  static constexpr int kTimes = 2;
  static constexpr std::size_t kRuns = 4;  ///< on other memory, that are told apart
  static constexpr long kGraphs = 256;     ///< of all plans: what they need stays allocated

  struct Run {
    int settings = 0;
    std::vector<void*> memory;
    std::vector<double> numbers;
    int times = 0;                       ///< as it is
    std::shared_ptr<Recorder> recorder;  ///< of the graph, once there is one
    typename Recorder::Graph graph;
  };

  template <class Execute>
  void run_one(const Plan& plan, std::span<void* const> memory, int settings,
               const Execute& execute) {
    Run* const run = found(plan, memory, settings);
    if (run == nullptr) return execute();
    if (run->recorder == nullptr) {
      if (run->times < kTimes) {
        ++run->times;
        return execute();
      }
      std::shared_ptr<Recorder> on = recorder(settings);
      if (on.use_count() > kGraphs) return execute();
      try {
        run->graph = on->record(execute);
      } catch (const cudamat::OutOfMemory&) {  // nothing was computed
        run->times = 0;
        return execute();
      } catch (const cudamat::CUDAMatException&) {  // a call of it cannot be recorded
        can_be_ = false;
        return execute();
      }
      run->recorder = std::move(on);
    }
    run->graph.launch();
  }

  /// The run like this one, which may be new; nullptr if there is no room for it.
  Run* found(const Plan& plan, std::span<void* const> memory, int settings) {
    if (!can_be_) return nullptr;
    numbers_.clear();
    for (const std::size_t call : plan.calls)
      for (const rewriter::Number& number : plan.list.statements[call].numbers)
        numbers_.push_back(number.value());
    for (Run& run : runs_)
      if (run.settings == settings &&
          std::equal(memory.begin(), memory.end(), run.memory.begin(), run.memory.end()) &&
          run.numbers.size() == numbers_.size() &&
          (numbers_.empty() ||
           std::memcmp(run.numbers.data(), numbers_.data(), numbers_.size() * sizeof(double)) == 0))
        return &run;
    // In turn, but for those that have a graph: to end one waits for the device.
    for (std::size_t tries = 0; tries < kRuns; ++tries) {
      Run& run = runs_[next_++ % kRuns];
      if (run.recorder != nullptr) continue;
      run.settings = settings;
      run.memory.assign(memory.begin(), memory.end());
      run.numbers = numbers_;
      run.times = 0;
      return &run;
    }
    return nullptr;
  }

  /// One for all plans, so that they share the memory that calls need in passing; it goes with the
  /// last graph.
  static std::shared_ptr<Recorder> recorder(int settings) {
    static auto* const recorders = new std::map<int, std::weak_ptr<Recorder>>;
    std::weak_ptr<Recorder>& known = (*recorders)[settings];
    std::shared_ptr<Recorder> recorder = known.lock();
    if (recorder == nullptr) known = recorder = std::make_shared<Recorder>();
    return recorder;
  }

  std::array<Run, kRuns> runs_;
  std::size_t next_ = 0;
  bool can_be_ = true;
  std::vector<double> numbers_;  ///< of the run at hand
};

}  // namespace gnumpy::detail

// A run's graphs: what of its loops the engine is given once and then replays. Internal to the
// runner.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cudamat/error.hpp"
#include "rewriter/run/replay_plan.hpp"

namespace rewriter::detail {

/// Whether an engine can record calls (cudamat/cuda/graph.hpp). Its Recorder has record(calls),
/// which gives a graph with launch(), and memory(bytes).
template <class E>
inline constexpr bool kRecords = requires {
  typename E::Recorder;
};

/// The regions of a list on an engine that records. A region runs once as it is, is recorded when
/// it comes again, and is launched from then on.
template <class M>
class Replay {
 public:
  using T = typename M::value_type;
  using Recorder = typename M::engine::Recorder;
  using Graph = typename Recorder::Graph;

  Replay(const StatementList& list, ReplayPlan plan)
      : list_(list),
        plan_(std::move(plan)),
        starts_(list.statements.size(), -1),
        state_(plan_.regions.size()) {
    for (std::size_t k = 0; k < plan_.regions.size(); ++k)
      starts_[plan_.regions[k].first] = static_cast<int>(k);
  }

  /// Whether a region begins at the statement.
  [[nodiscard]] bool begins(std::size_t at) const { return starts_[at] >= 0; }

  /// Runs that region. begin(i) is called before each statement, execute(i) for those that are
  /// executed, at(i, work) calls work() for statement i. Returns where the list goes on.
  template <class Begin, class Execute, class At>
  std::size_t run(std::size_t first, const Begin& begin, const Execute& execute, const At& at) {
    const auto number = static_cast<std::size_t>(starts_[first]);
    const ReplayRegion& region = plan_.regions[number];
    State& state = state_[number];
    ++state.times;
    const bool as_it_is = state.times == 1 || state.failed;
    const bool to_record = state.times == 2 && !state.failed;
    for (std::size_t i = region.first; i < region.last; ++i) {
      begin(i);
      if (as_it_is || (!to_record && !is_call(i))) execute(i);
    }
    if (to_record) record(region, state, execute);
    if (state.times > 1 && !state.failed) at(first, [&] { state.graph.launch(); });
    return region.last;
  }

  /// Whether that region has run more than once.
  [[nodiscard]] bool repeats(std::size_t at) const {
    return state_[static_cast<std::size_t>(starts_[at])].times > 1;
  }

  [[nodiscard]] bool is_staged(std::size_t at) const { return plan_.staged[at]; }
  /// The copy of a staged slice's columns, queued; the same memory each time.
  M stage(std::size_t at, const M& columns) {
    T*& memory = staged_[at];
    if (memory == nullptr)
      memory =
          static_cast<T*>(recorder().memory(static_cast<std::size_t>(columns.size()) * sizeof(T)));
    M::engine::copy(columns.data(), memory, columns.size());
    return M::borrow(memory, columns.shape());
  }

  /// What became of it, with the plan's remarks.
  [[nodiscard]] std::vector<ReplayRemark> remarks() const {
    std::vector<ReplayRemark> all = plan_.remarks;
    for (std::size_t k = 0; k < plan_.regions.size(); ++k) {
      const ReplayRegion& region = plan_.regions[k];
      const State& state = state_[k];
      if (state.failed)
        all.push_back({region.first, true, fmt::format("{} calls: {}", region.calls, state.why)});
      else if (state.times > 1)
        all.push_back(
            {region.first, false,
             fmt::format("{} calls are one graph of {} kernels and copies, launched {} {}",
                         region.calls, state.graph.size(), state.times - 1,
                         state.times == 2 ? "time" : "times")});
    }
    std::stable_sort(all.begin(), all.end(), [](const ReplayRemark& a, const ReplayRemark& b) {
      return a.statement < b.statement;
    });
    return all;
  }

 private:
  struct State {
    std::int64_t times = 0;
    bool failed = false;
    std::string why{};
    Graph graph{};
  };

  bool is_call(std::size_t at) const {
    return computes(list_.statements[at]) && !plan_.on_host[at];
  }
  bool is_free(std::size_t at) const { return list_.statements[at].kind == Statement::Kind::Free; }

  Recorder& recorder() {
    if (!recorder_) recorder_.emplace();
    return *recorder_;
  }

  /// Where a call turns out not to be recordable, the region runs as it is, now and later. So
  /// nothing is freed before that is known.
  template <class F>
  void record(const ReplayRegion& region, State& state, const F& execute) {
    std::size_t i = region.first;
    try {
      state.graph = recorder().record([&] {
        for (; i < region.last; ++i)
          if (!is_free(i)) execute(i);
      });
    } catch (const cudamat::CUDAMatException& error) {
      state.failed = true;
      state.why = error.what();
    }
    const std::size_t made = i;
    for (i = region.first; i < region.last; ++i)
      if (is_free(i) || (state.failed && (is_call(i) || i >= made))) execute(i);
  }

  const StatementList& list_;
  ReplayPlan plan_;
  std::vector<int> starts_;  // by statement: the region that begins there, or -1
  std::optional<Recorder> recorder_;
  std::vector<State> state_;  // of the regions; ends before the recorder
  std::map<std::size_t, T*> staged_;
};

/// In the place of the above on an engine that does not record.
struct NoReplay {};

}  // namespace rewriter::detail

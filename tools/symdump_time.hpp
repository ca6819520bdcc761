// What the statements of a run take, compared with the limits of this machine: symdump --time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rewriter/list/cost.hpp"
#include "rewriter/list/statement.hpp"

namespace symdump {

/// The clock of runs of a list, called for every statement by the runner's hooks: two looks at the
/// clock a statement, and nothing allocated between them.
class StatementTimes {
 public:
  using Clock = std::chrono::steady_clock;
  using Nanoseconds = std::int64_t;

  struct Run {
    /// By statement, of all its executions together; of a Loop from its start to its end, with all
    /// that lies between its statements, and of an End nothing.
    std::vector<Nanoseconds> spent;
    /// By statement: how many executions were a fused statement's compiled loop.
    std::vector<std::int64_t> compiled;
    Nanoseconds wall = 0;  ///< from the first statement to the end of the last, if it is not whole
                           ///< so far
    bool whole = false;
  };
  /// What each run does, counted in the first.
  struct Done {
    std::int64_t times = 0;  ///< executions, of a Loop iterations
    rewriter::Index bytes = 0;
    rewriter::Index flops = 0;
    /// What of the work counts in bytes, and what in flops: see Work.
    bool has_work = false, is_product = false;
  };

  /// The list must outlive this.
  StatementTimes(const rewriter::StatementList& list, int bytes_per_element);

  /// The next run begins; call before run().
  void start_run();
  /// Before a statement; of the list's number of statements: the run is over.
  void begin(std::size_t statement);
  /// After it; its work counts in this iteration of the loops.
  void end(std::size_t statement, const rewriter::LoopVariables& at);
  /// When the last statement ended.
  [[nodiscard]] Clock::time_point last() const { return end_; }

  [[nodiscard]] const rewriter::StatementList& list() const { return list_; }
  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }
  [[nodiscard]] const Done& done(std::size_t statement) const { return done_[statement]; }
  [[nodiscard]] bool has_products() const;

 private:
  void count(std::size_t statement, const rewriter::LoopVariables& at);
  void look_at_loop(std::size_t statement);

  const rewriter::StatementList& list_;
  int bytes_per_element_;
  rewriter::LoopNesting nesting_;
  std::vector<Run> runs_;
  std::vector<Done> done_;
  std::vector<rewriter::Work> work_;        // by statement, of one execution, where all are alike
  std::vector<bool> varies_;                // where they are not
  std::vector<Clock::time_point> started_;  // by loop: its last iteration
  bool is_first_ = false;                   // of a run's statements
  std::int64_t compiled_before_ = 0;
  Clock::time_point start_;
  Clock::time_point begin_;
  Clock::time_point end_;
};

/// What this machine allows, measured in the run that it judges.
struct Limits {
  double seconds_per_byte = 0;  ///< of a copy, reads and writes both counted
  double seconds_per_flop = 0;  ///< of the best large product; 0 where products were not asked for

  /// Keeps the best of all measurements; each takes a fraction of a second.
  void measure(bool on_gpu, int precision, bool products);
};

/// What the table's heading says of the runs.
struct TimeReport {
  std::string engine;         ///< "npmat float32"
  std::string interrupted{};  ///< where the runs were, if they were interrupted
  bool waits = false;         ///< each statement was waited for: it is a GPU's
};

// clang-format off
/// The limits; a row for each statement, in the list's order; the sums of each line of the source;
/// and those of the whole, with the host's share:
///
///     statement                       times  total ms  each us      bytes       flops           rate  of limit
///
///     # 3: h = X @ W
///     h = cm.empty((128, 256))            1    0.0006     0.61
///     cm.dot(X, W, target=h)              1    0.2041   204.10  1,335,296  51,380,224  251.9 GFLOP/s       88%
///
/// Times are the medians of the runs that are whole, or of the only run as far as it came; a
/// statement that has not run has none. A loop's times are its iterations, its time is that from its
/// start to its end and in no sum. `of limit` is the part of the time that a copy of the bytes
/// would take, or of a product the best product of as many flops if that takes longer. Where fused
/// statements were compiled loops (npmat/fused_loops.hpp) in a run, a last column says so.
// clang-format on
std::string print_times(const StatementTimes& times, const Limits& limits,
                        const TimeReport& report);

}  // namespace symdump

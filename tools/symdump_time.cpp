#include "tools/symdump_time.hpp"

#include <algorithm>
#include <utility>

#include "npmat/fused_loops.hpp"
#include "rewriter/text/saturating.hpp"
#include "tools/limits.hpp"

#ifdef TOOLS_CUDA
#include "tools/cuda_limits.hpp"
#endif

namespace symdump {

using rewriter::LoopVariables;
using rewriter::Statement;
using rewriter::Var;

namespace {

StatementTimes::Nanoseconds nanoseconds(StatementTimes::Clock::duration duration) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
}

/// Whether the shapes of what the statement works on differ between iterations.
bool shapes_vary(const rewriter::StatementList& list, const Statement& s) {
  const auto varies = [&](Var var) {
    return var != rewriter::kNoVar && list.variables[var].varying.has_value();
  };
  return varies(s.target) || std::any_of(s.operands.begin(), s.operands.end(),
                                         [&](const auto& operand) { return varies(operand.var); });
}

}  // namespace

StatementTimes::StatementTimes(const rewriter::StatementList& list, int bytes_per_element)
    : list_(list),
      bytes_per_element_(bytes_per_element),
      nesting_(rewriter::loop_nesting(list)),
      done_(list.statements.size()),
      work_(list.statements.size()),
      varies_(list.statements.size()),
      started_(list.loops.size()) {
  const LoopVariables anywhere(list.loops.size());
  for (std::size_t i = 0; i < list.statements.size(); ++i) {
    const Statement& s = list.statements[i];
    varies_[i] = shapes_vary(list, s);
    const auto work = rewriter::work_of(list, s, anywhere, bytes_per_element);
    if (!work) continue;
    done_[i].has_work = true;
    done_[i].is_product = work->flops.has_value();
    work_[i] = *work;
  }
}

bool StatementTimes::has_products() const {
  return std::any_of(done_.begin(), done_.end(), [](const Done& done) { return done.is_product; });
}

void StatementTimes::start_run() {
  runs_.push_back({.spent = std::vector<Nanoseconds>(list_.statements.size()),
                   .compiled = std::vector<std::int64_t>(list_.statements.size())});
  end_ = Clock::now();
  is_first_ = true;
}

void StatementTimes::begin(std::size_t statement) {
  Run& run = runs_.back();
  if (statement == list_.statements.size()) {
    run.whole = true;
    if (statement > 0) run.wall = nanoseconds(Clock::now() - start_);
    return;
  }
  compiled_before_ = npmat::fused::compiled_runs();
  begin_ = Clock::now();
  if (std::exchange(is_first_, false)) start_ = begin_;
}

void StatementTimes::end(std::size_t statement, const LoopVariables& at) {
  end_ = Clock::now();
  const Statement::Kind kind = list_.statements[statement].kind;
  if (kind == Statement::Kind::Loop || kind == Statement::Kind::End)
    look_at_loop(statement);
  else
    runs_.back().spent[statement] += nanoseconds(end_ - begin_);
  // Of one that is computed some columns at a time, loops run many times.
  runs_.back().compiled[statement] += npmat::fused::compiled_runs() > compiled_before_;
  runs_.back().wall = nanoseconds(end_ - start_);  // so far
  if (runs_.size() == 1) count(statement, at);
}

void StatementTimes::look_at_loop(std::size_t statement) {
  const Statement& s = list_.statements[statement];
  Clock::time_point& started = started_[static_cast<std::size_t>(s.loop)];
  if (s.kind == Statement::Kind::End)
    runs_.back().spent[nesting_.partner[statement]] += nanoseconds(end_ - started);
  started = end_;
}

void StatementTimes::count(std::size_t statement, const LoopVariables& at) {
  const Statement& s = list_.statements[statement];
  if (s.kind == Statement::Kind::Loop) return;
  if (s.kind == Statement::Kind::End) {
    ++done_[nesting_.partner[statement]].times;
    return;
  }
  Done& done = done_[statement];
  ++done.times;
  if (!done.has_work) return;
  if (varies_[statement]) work_[statement] = *rewriter::work_of(list_, s, at, bytes_per_element_);
  const rewriter::Work& work = work_[statement];
  done.bytes = rewriter::saturating_add(done.bytes, work.bytes);
  done.flops = rewriter::saturating_add(done.flops, work.flops.value_or(0));
}

namespace {

/// Measurements of the products that make up a limit, together.
const std::chrono::milliseconds kProducts{tools::roughly() ? 0 : 100};

/// Rows, columns and inner extent of the product whose speed is the limit: large enough to be among
/// the fastest, small enough to find a moment in which nothing else works.
rewriter::Index side_of_product(bool on_gpu, int precision) {
  if (on_gpu) return 4096;
  if (tools::roughly()) return 64;
  return precision == 32 ? 768 : precision == 64 ? 512 : 192;
}

double product_time(bool on_gpu, int precision, rewriter::Index n) {
#ifdef TOOLS_CUDA
  if (on_gpu)
    return precision == 32 ? tools::gpu::product_floor<float>(false, false, n, n, n)
                           : tools::gpu::product_floor<double>(false, false, n, n, n);
#endif
  (void)on_gpu;
  switch (precision) {
    case 32:
      return tools::product_floor<float>(false, false, n, n, n);
    case 64:
      return tools::product_floor<double>(false, false, n, n, n);
    default:
      return tools::product_floor<long double>(false, false, n, n, n);
  }
}

double copy_time(bool on_gpu) {
#ifdef TOOLS_CUDA
  if (on_gpu) return tools::gpu::copy_floor(1);
#endif
  (void)on_gpu;
  return tools::copy_floor(1);
}

}  // namespace

void Limits::measure(bool on_gpu, int precision, bool products) {
  const auto improve = [](double& best, double now) {
    best = best == 0 ? now : std::min(best, now);
  };
  improve(seconds_per_byte, copy_time(on_gpu));
  if (!products) return;
  const rewriter::Index n = side_of_product(on_gpu, precision);
  const auto side = static_cast<double>(n);
  const auto begun = std::chrono::steady_clock::now();
  do {
    improve(seconds_per_flop, product_time(on_gpu, precision, n) / (2 * side * side * side));
  } while (std::chrono::steady_clock::now() - begun < kProducts);
}

}  // namespace symdump

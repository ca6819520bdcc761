// The reader: loops whose body is read once per iteration, its variable known.
#include <algorithm>
#include <bit>
#include <exception>

#include "rewriter/reader/operators/perhaps.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/decisions.hpp"
#include "rewriter/reader/values/known_values.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/interpreter.hpp"
#include "rewriter/reader/walk/scopes.hpp"

namespace rewriter {
namespace {

constexpr std::uint64_t kMostNodes = 500'000;  // operations, as docs/notation.md says
constexpr std::uint64_t kMostStatements = 2'000'000;
constexpr std::uint64_t kMostDecided = 30'000;  // statements, by values
constexpr std::uint64_t kSurely = 4;  // iterations may become shorter, as triangular loops' do

/// What an error says, without its place.
std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const ProgramError& refused) {
    return refused.message();
  } catch (const cudamat::CUDAMatException& refused) {
    return std::string(refused.message());
  }
}

/// What an error says: what is wrong, and what would be right; where.
struct Reason {
  std::string what;
  std::string advice;
  int line = 0;
};

Reason reason_of(const std::exception_ptr& why) {
  Reason reason;
  if (!why) return reason;
  const std::string message = message_of(why);
  const std::size_t end = std::min(message.find(';'), message.find(". "));
  reason.what = message.substr(0, end);
  if (end != std::string::npos)
    reason.advice = message.substr(message.find_first_not_of(' ', end + 1));
  try {
    std::rethrow_exception(why);
  } catch (const ProgramError& refused) {
    reason.line = refused.line();
  } catch (const cudamat::CUDAMatException&) {
  }
  return reason;
}

}  // namespace

const std::string& Interpreter::row_name() {
  const auto taken = [&] {
    return std::find(tree_.strings.begin(), tree_.strings.end(), row_) != tree_.strings.end();
  };
  if (!row_.empty()) return row_;
  row_ = "row";
  for (int i = 2; taken(); ++i) row_ = fmt::format("row_{}", i);
  return row_;
}

Work Interpreter::work_done() const {
  return {newest_node(), executed_};
}

void Pace::iterated(const Work& now) {
  last = now - before;
  before = now;
  ++iterations;
  is_steady = false;
  if (!std::has_single_bit(static_cast<std::uint64_t>(iterations))) return;
  const Work first_half = half - begin;
  const Work second_half = now - half;
  half = now;
  if (iterations < 4) return;
  is_steady =
      second_half.nodes >= first_half.nodes && second_half.statements >= first_half.statements;
  const auto count = static_cast<std::uint64_t>(iterations / 2);
  if (is_steady) last = {second_half.nodes / count, second_half.statements / count};
}

void Interpreter::check_length(const ast::Statement& statement, const Pace& pace,
                               const std::exception_ptr& why, Index left) {
  const Work done = pace.before - pace.begin;
  // Far too long it is as soon as it would be with iterations of a fraction of the last one's work.
  const auto many = [&](std::uint64_t so_far, std::uint64_t one, std::uint64_t most) {
    const auto to_come = static_cast<std::uint64_t>(std::max<Index>(left, 0));
    if (so_far > most) return true;
    const std::uint64_t room = pace.is_steady ? most - so_far : kSurely * most;
    return to_come > 0 && one > room / to_come;
  };
  const bool many_nodes = many(done.nodes, pace.last.nodes, kMostNodes);
  const std::uint64_t most_statements =
      deciding == Deciding::AtRun ? kMostStatements : kMostDecided;
  if (!many_nodes && !many(done.statements, pace.last.statements, most_statements)) return;
  const std::uint64_t most = many_nodes ? kMostNodes : most_statements;
  const std::string what = many_nodes ? "operations" : "statements";
  const std::uint64_t one = many_nodes ? pace.last.nodes : pace.last.statements;
  const std::string much =
      (many_nodes ? done.nodes : done.statements) > most
          ? fmt::format("more than {} {} after {} iterations", most, what, pace.iterations)
          : fmt::format("{} iterations of about {} {}, more than {} in all", pace.iterations + left,
                        one, what, most);
  too_long_ = true;
  const Reason reason = reason_of(why);
  const std::string where = reason.line == 0 || reason.line == statement.line
                                ? ""
                                : fmt::format("line {}: ", tree_.source.label(reason.line));
  fail(statement.span,
       fmt::format("this loop is unrolled, which is too long: {}{}{}{}. "
                   "Let it run fewer times, or make its body the same in every iteration{}{}",
                   much, why ? "; unrolled since " : "", where, reason.what,
                   reason.advice.empty() ? "" : ": ", reason.advice));
}

void Interpreter::note_unrolled(const ast::Statement& statement, const Pace& pace,
                                const std::exception_ptr& why) {
  auto [found, is_new] = result_.unrolled.try_emplace(statement.line);
  unrolled_.emplace_back(statement.line, is_new ? std::nullopt : std::optional(found->second));
  Program::Unrolled& unrolled = found->second;
  ++unrolled.loops;
  unrolled.iterations += pace.iterations;
  unrolled.operations += (pace.before - pace.begin).nodes;
  if (!is_new || !why) return;
  Reason reason = reason_of(why);
  unrolled.why = std::move(reason.what);
  unrolled.advice = std::move(reason.advice);
  unrolled.line = reason.line;
}

void Interpreter::forget_unrolled(std::size_t changes) {
  for (; unrolled_.size() > changes; unrolled_.pop_back()) {
    auto& [line, before] = unrolled_.back();
    if (before)
      result_.unrolled[line] = std::move(*before);
    else
      result_.unrolled.erase(line);
  }
}

/// The loop's variable where it counts, else the places of its elements.
Loop Interpreter::variable_of(const ast::Statement& statement, const Value& iterated) {
  const ast::ExprId target = tree_.targets(statement)[0];
  const auto* range = iterated.as<RangeValue>();
  const bool counts = range != nullptr && tree_[target].kind == ast::ExprKind::Name;
  if (!counts) return {row_name(), 0, *iteration_length(iterated), 1};
  return {printed_name(tree_.string(target)), range->start, range->stop, range->step};
}

void Interpreter::note_written(Program::Written written, Index first) {
  const auto ran = static_cast<Index>(written.nodes.size());
  const bool all = first + ran == written.range.count();
  written.range.start += first * written.range.step;
  if (!all) written.range.stop = written.range.start + ran * written.range.step;
  written.nodes.push_back(work_done().nodes);
  result_.written.push_back(std::move(written));
}

Flow Interpreter::unroll(const ast::Statement& statement, std::uint32_t index,
                         const Value& iterated, Index first, const std::exception_ptr& why,
                         JumpLevel& level, bool selects) {
  const ast::ExprId target = tree_.targets(statement)[0];
  const Index count = *iteration_length(iterated);
  Pace pace(work_done());
  Flow flow = Flow::Next;
  Index i = first;
  Program::Written written{variable_of(statement, iterated), statement.line, {}};
  const auto iterate = [&] {
    written.nodes.push_back(work_done().nodes);
    statement_place_ = place(statement.span);
    {
      const At at(statement_place_);
      level.begin_iteration();
      if (selects) {
        run_selected(statement, index, iterated, {i, {}});
        return level.jumps().any() ? Flow::Perhaps : Flow::Next;
      }
      located(statement.span, [&] { assign(target, iteration_element(iterated, {i, {}})); });
    }
    return execute_block(index + 1, statement.end);
  };
  const auto iterate_if_it_goes_on = [&] {
    const Value goes_on = scope().names.at(level.go());
    if (truth_of(goes_on)) return iterate();
    run_if(to_array(goes_on, "a condition").node(), statement.span, index, statement.end, iterate);
    return Flow::Perhaps;
  };
  level.begin();
  while (i < count && flow != Flow::Break && flow != Flow::Return) {
    const bool may_leave = level.may_be_left();
    flow = may_leave ? iterate_if_it_goes_on() : iterate();
    ++i;
    if (iteration_length(iterated) != count)
      fail(statement.span, "the list changes while a loop runs over it; let it run over a copy");
    pace.iterated(work_done());
    check_length(statement, pace, why, may_leave ? 0 : count - i);
  }
  note_unrolled(statement, pace, why);
  note_written(std::move(written), first);
  if (flow == Flow::Return) return flow;
  return flow == Flow::Break ? Flow::Next : leave_loop(statement, level);
}

Flow Interpreter::run_while(const ast::Statement& statement, std::uint32_t index) {
  JumpLevel level(*this, jumps_in(index + 1, statement.end), true);
  Pace pace(work_done());
  const std::size_t returns = scope().returns;
  const auto iterate = [&] {
    level.begin_iteration();
    return execute_block(index + 1, statement.end);
  };
  std::exception_ptr why;
  for (Index i = 0;; ++i) {
    const At at(place(statement.span));
    Value condition;
    std::optional<bool> truth;
    located(statement.span, [&] {
      condition = while_condition(statement);
      truth = truth_of(condition);
    });
    if (truth && !*truth) {
      if (i == 0) note_skipped(index + 1, statement.end);
      note_unrolled(statement, pace, why);
      return leave_loop(statement, level);
    }
    bool leaves_at_once = false;
    // What is left to do in a list follows from what is known, in most programs.
    if (!why && contents_are_known && condition.as<Sequence>() != nullptr)
      why = std::make_exception_ptr(cudamat::CUDAMatException("it runs while a list has items"));
    if (!why && deciding == Deciding::WithoutLoops && truth)
      why = std::make_exception_ptr(
          cudamat::CUDAMatException("its condition is known when the program is read"));
    if (!why) try {
        run_while_loop(statement, index, condition, level, leaves_at_once);
      } catch (const ProgramError&) {
        const bool is_literal =
            tree_[statement.value].kind == ast::ExprKind::True && deciding == Deciding::AtRun;
        if (too_long_ || ((!truth || is_literal) && !leaves_at_once)) throw;
        why = std::current_exception();
        scope().returns = returns;
        level.begin();
      }
    if (!why) return leave_loop(statement, level);
    if (!truth && !leaves_at_once) {
      could_not_decide = deciding == Deciding::WithoutLoops;
      located(statement.span, [&] { std::rethrow_exception(why); });
    }
    if (!truth) {
      run_if(condition_node(condition, statement.span), statement.span, index + 1, statement.end,
             iterate);
      return leave_loop(statement, level);
    }
    const Flow flow = iterate();
    pace.iterated(work_done());
    check_length(statement, pace, why, 0);
    if (!truth_of(scope().names.at(level.go()))) std::rethrow_exception(why);
    if (flow != Flow::Break && flow != Flow::Return) continue;
    note_unrolled(statement, pace, why);
    return flow == Flow::Return ? flow : Flow::Next;
  }
}

}  // namespace rewriter

// How reductions are cut: `lanes` accumulators side by side take `steps` rows of numbers,
// consecutive rows `ld` apart. A contiguous run is dealt out to lanes; the sums along the rows of a
// matrix are lanes already. The order of the operations depends on the shape alone.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>

#include "npmat/parallel.hpp"
#include "npmat/reducers.hpp"

namespace npmat {

inline constexpr Index kMaxLanes = 2048;  ///< accumulators that stay in the first-level cache
inline constexpr Index kPieces = 64;      ///< at most so many pieces a call
inline constexpr Index kPiece = 65536;    ///< no pieces smaller than this, in elements

/// Memory for `count` accumulators.
template <class Acc>
class Workspace {
 public:
  explicit Workspace(Index count) {
    if (count > kSmall) large_.reset(new Acc[std::size_t(count)]);
  }
  Acc* lanes() { return large_ ? large_.get() : small_; }

 private:
  static constexpr Index kSmall = 2048;
  std::unique_ptr<Acc[]> large_;
  alignas(64) Acc small_[kSmall];
};

/// The accumulators of one reduction, for the functions below: Lanes are where they are, `+` gives
/// the next ones.
template <class R>
struct Accumulators {
  using Lanes = typename R::Acc*;
  using Memory = Workspace<typename R::Acc>;
  [[nodiscard]] static Memory memory(Index count) { return Memory(count); }
  static void clear(Lanes acc, Index lanes) { std::fill_n(acc, lanes, R::identity()); }
  static void copy(Lanes from, Index lanes, Lanes to) { std::copy_n(from, lanes, to); }
  static void join(Lanes acc, Lanes other, Index lanes) { join_lanes<R>(acc, other, lanes); }
  static void fold(Lanes acc, Index rows, Index fold) { fold_lanes<R>(acc, rows, fold); }
};

/// Sets acc to the reduction of the steps [first, first + steps), runs of kRun steps joined in
/// pairs; take(step, steps, acc) makes the accumulators take a run. `spare` has room for `lanes`
/// more accumulators at each halving.
template <class Group, class Take>
void reduce_steps(const Group& group, const Take& take, Index lanes, Index first, Index steps,
                  typename Group::Lanes acc, typename Group::Lanes spare) {
  if (steps <= kRun) {
    group.clear(acc, lanes);
    return take(first, steps, acc);
  }
  const Index half = (steps / 2 + kRun - 1) / kRun * kRun;
  reduce_steps(group, take, lanes, first, half, acc, spare + lanes);
  reduce_steps(group, take, lanes, first + half, steps - half, spare, spare + lanes);
  group.join(acc, spare, lanes);
}

/// How many accumulators reduce_steps uses, the spare ones with them.
inline Index accumulators_for(Index lanes, Index steps) {
  const Index halvings = steps <= kRun ? 0 : std::bit_width(std::uint64_t(steps / kRun)) + 1;
  return lanes * (halvings + 1);
}

/// How the reduction along the rows of a rows x cols matrix is cut: blocks of lanes, pieces of
/// steps. A matrix with few rows is taken `fold` columns at a time, which makes it one of many rows
/// and few columns in the same memory.
struct Plan {
  Index rows, fold, lanes, steps, rest, block, blocks, piece, pieces;

  Plan(Index rows_, Index cols)
      : Plan(rows_, cols,
             rows_ == 1 && cols < 512 ? kNarrowLanes
             : rows_ <= 4             ? 64
             : rows_ < kLanes         ? 16
                                      : 1) {}
  Plan(Index rows_, Index cols, Index fold_) : rows(rows_), fold(fold_) {
    lanes = rows * fold;
    steps = cols / fold;
    rest = rows * (cols % fold);
    blocks = (lanes + kMaxLanes - 1) / kMaxLanes;
    block = ((lanes + blocks - 1) / blocks + 15) / 16 * 16;
    blocks = (lanes + block - 1) / block;
    const Index wanted = std::clamp(lanes * steps / kPiece, Index(1), kPieces) / blocks;
    piece = steps / std::max(Index(1), wanted);
    piece = std::max(kRun, (piece + kRun - 1) / kRun * kRun);
    pieces = std::max(Index(1), (steps + piece - 1) / piece);
  }

  /// Of `some` of the rows, for which it keeps the order.
  [[nodiscard]] Plan of_rows(Index some) const {
    Plan plan = *this;
    plan.rest = rest / rows * some;
    plan.rows = some;
    plan.lanes = plan.block = some * fold;
    plan.blocks = 1;
    return plan;
  }
};

/// What reduce_rows reduces: the elements of a, with those of b at the same places if R reads two.
template <class R>
struct Elements {
  const typename R::Value* a;
  const typename R::Value* b;

  /// Accumulators `lane`, lane + 1 ... of a plan take `steps` steps from `step` on.
  void take(const Plan& plan, Index lane, Index lanes, Index step, Index steps,
            typename R::Acc* acc) const {
    const Index at = lane + plan.lanes * step;
    accumulate_lanes<R>(a + at, b == nullptr ? b : b + at, plan.lanes, lanes, steps, acc);
  }
  /// Accumulator i takes number i of those that no step has taken.
  void take_rest(const Plan& plan, typename R::Acc* acc) const {
    const Index at = plan.lanes * plan.steps;
    for (Index i = 0; i < plan.rest; ++i) acc[i] = R::join(acc[i], R::load(a, b, at + i));
  }
};

/// The source for one thread, if it makes one for each.
template <class Source>
decltype(auto) on_thread(const Source& source) {
  if constexpr (requires { source.on_thread(); })
    return source.on_thread();
  else
    return (source);
}

/// Reduces block `task % blocks`, piece `task / blocks` of a plan into acc.
template <class Group, class Source>
Index reduce_part(const Group& group, const Plan& plan, Source&& source, Index task,
                  typename Group::Lanes acc) {
  const Index first = task % plan.blocks * plan.block;
  const Index step = task / plan.blocks * plan.piece;
  const Index lanes = std::min(plan.block, plan.lanes - first);
  const auto take = [&](Index from, Index steps, typename Group::Lanes to) {
    source.take(plan, first, lanes, from, steps, to);
  };
  reduce_steps(group, take, lanes, step, std::min(plan.piece, plan.steps - step), acc,
               acc + plan.block);
  return lanes;
}

/// Adds the columns that no step has taken, and folds.
template <class Group, class Source>
void finish_lanes(const Group& group, const Plan& plan, Source&& source,
                  typename Group::Lanes acc) {
  source.take_rest(plan, acc);
  if (plan.fold > 1) group.fold(acc, plan.rows, plan.fold);
}

/// Calls sink(i, count, values) with the reductions of rows i, i + 1 ... of the source, a matrix of
/// the plan's extents, until all rows are done; on several threads if `parallel`.
template <class Group, class Source, class Sink>
void reduce_rows(const Group& group, const Plan& plan, const Source& source, bool parallel,
                 const Sink& sink) {
  const Index tasks = plan.blocks * plan.pieces;
  const Index grain = parallel ? 1 : tasks;
  if (plan.pieces == 1) {
    parallel_for(tasks, grain, [&](Index begin, Index end) {
      auto&& own = on_thread(source);
      auto memory = group.memory(accumulators_for(plan.block, plan.steps));
      const auto acc = memory.lanes();
      for (Index task = begin; task < end; ++task) {
        const Index lanes = reduce_part(group, plan, own, task, acc);
        if (plan.fold > 1) finish_lanes(group, plan, own, acc);
        sink(task * plan.block, plan.fold > 1 ? plan.rows : lanes, acc);
      }
    });
    return;
  }
  auto parts_memory = group.memory(plan.lanes * plan.pieces);
  const auto parts = parts_memory.lanes();
  parallel_for(tasks, grain, [&](Index begin, Index end) {
    auto&& own = on_thread(source);
    auto memory = group.memory(accumulators_for(plan.block, plan.piece));
    for (Index task = begin; task < end; ++task) {
      const Index lanes = reduce_part(group, plan, own, task, memory.lanes());
      const Index first = task % plan.blocks * plan.block;
      group.copy(memory.lanes(), lanes, parts + (plan.lanes * (task / plan.blocks) + first));
    }
  });
  for (Index gap = 1; gap < plan.pieces; gap *= 2)
    for (Index i = 0; i + gap < plan.pieces; i += 2 * gap)
      group.join(parts + plan.lanes * i, parts + plan.lanes * (i + gap), plan.lanes);
  auto&& own = on_thread(source);
  finish_lanes(group, plan, own, parts);
  sink(Index(0), plan.rows, parts);
}

/// The same of one reduction.
template <class R, class Source, class Sink>
void reduce_rows(const Plan& plan, const Source& source, bool parallel, const Sink& sink) {
  reduce_rows(Accumulators<R>{}, plan, source, parallel, sink);
}

}  // namespace npmat

// Makes the plans of reduce_plan.hpp, on the host.
#pragma once

#include <algorithm>

#include "cudamat/cuda/launch.hpp"
#include "cudamat/cuda/reduce_plan.hpp"
#include "cudamat/engine.hpp"

namespace cudamat::cuda {

/// Those of a reduction over an axis. Rows of one number are columns of one number, too, and these
/// are faster.
template <class T>
Segments segments(const ReduceCall<T>& call) {
  if (call.axis == 0) return {1, call.rows, call.cols};
  if (call.cols == 1) return {1, 1, call.rows};
  return {call.rows, call.cols, 1};
}

/// Steps of a piece of a segment of `steps`, of which there are `outers`: so many that all blocks
/// have work and no thread too much.
inline Index piece_steps(Index steps, Index outers) {
  if (steps <= kUncut * kWarps) return std::max<Index>(1, steps);
  const Index fewest = (steps + kLongest * kWarps - 1) / (kLongest * kWarps);
  const Index most = steps / (kShortest * kWarps);
  const Index pieces = std::clamp(kBlocks / std::max<Index>(1, outers), fewest, most);
  constexpr Index kRound = kBatch * kWarps;
  return ((steps + pieces - 1) / pieces + kRound - 1) / kRound * kRound;
}

/// aligned: packs of the operand may be read.
template <class Item>
LanePlan plan_lanes(const Segments& shape, bool aligned) {
  constexpr Index kAll = kLanes<Item>;
  LanePlan plan{};
  plan.before = shape.before;
  Index fold = std::max<Index>(1, kAll / shape.before);
  if (fold > kItems<Item>) fold -= fold % kItems<Item>;  // so that steps stay aligned
  plan.fold = int(fold);
  plan.step = shape.before * fold;
  plan.steps = shape.length / fold;
  plan.rest = int(shape.length % fold * shape.before);
  const bool columns = shape.before == 1;
  plan.outers = columns ? shape.after : (shape.before + kAll - 1) / kAll;
  plan.pitch = columns ? shape.length : kAll;
  const Index all_steps = plan.steps + (plan.rest > 0);
  plan.piece = piece_steps(all_steps, plan.outers);
  plan.pieces = unsigned(std::max<Index>(1, (all_steps + plan.piece - 1) / plan.piece));
  plan.results_pitch = columns ? plan.pieces : kAll;
  plan.warps = 1;
  while (plan.warps < kWarps && plan.warps * kShortest < all_steps) plan.warps *= 2;
  plan.packed = aligned && plan.step % kItems<Item> == 0 &&
                (plan.outers == 1 || plan.pitch % kItems<Item> == 0);
  return plan;
}

/// Whether tiles reduce it.
template <class Item>
bool is_short(const Segments& shape) {
  return shape.before == 1 && shape.length > 0 && shape.length <= kShortColumn<Item>;
}

template <class Item>
TilePlan plan_tiles(const Segments& shape, bool aligned) {
  // Few columns are spread over more blocks than full tiles would need.
  Index columns = std::min(kTile<Item> / shape.length, (shape.after + 511) / 512);
  if (columns > kItems<Item>) columns -= columns % kItems<Item>;
  // A column has no more threads than numbers, if that many join them in the same order.
  Index threads = std::max<Index>(1, kThreads / columns);
  while (threads > 1 && shape.length <= (threads + 1) / 2) threads = (threads + 1) / 2;
  return {shape.after, int(shape.length), int(columns), int(threads),
          aligned && columns * shape.length % kItems<Item> == 0};
}

/// The launch of a plan of lanes, of which each has acc_bytes.
template <class Item>
Grid grid_of(const LanePlan& plan, const char* name, std::size_t acc_bytes) {
  const Index segments = std::min<Index>(kWarps / plan.warps, std::max<Index>(1, plan.outers));
  return {name, static_cast<unsigned>((plan.outers + segments - 1) / segments * plan.pieces),
          dim3(kWarp, unsigned(plan.warps), unsigned(segments)),
          acc_bytes * kLanes<Item> * std::size_t(plan.warps * segments)};
}

/// The launch of a plan of tiles: so many in the block's shared memory, and an accumulator a
/// thread. Where columns have a thread a number, the block has no more threads than that.
template <class Item>
Grid grid_of(const TilePlan& plan, const char* name, std::size_t acc_bytes, int tiles = 1) {
  const Index blocks = (plan.count + plan.columns - 1) / plan.columns;
  const Index wanted = Index{plan.columns} * plan.threads;
  const bool few = plan.length <= plan.threads && wanted < kThreads;
  const unsigned threads = few ? unsigned((wanted + kWarp - 1) / kWarp * kWarp) : kThreads;
  return {name, static_cast<unsigned>(blocks), threads,
          std::size_t(tiles) * in_tile<Item>(kTile<Item>) * sizeof(Item) + kThreads * acc_bytes};
}

}  // namespace cudamat::cuda

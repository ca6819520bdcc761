// How reductions are cut into work for blocks, warps and threads (reduce.cuh says for whom). Plans
// depend on the shape and the type of the operand, never on the device; only `packed` depends on
// its alignment, and it changes who reads a number, not which numbers meet when.
#pragma once

#include "cudamat/cuda/launch.cuh"

namespace cudamat::cuda {

/// What is reduced: there are before * after results, and number j of the `length` numbers of
/// result (i, k) lies at i + before * (j + length * k). before or after is 1: axis 0 of a matrix is
/// {1, rows, cols}, axis 1 is {rows, cols, 1}, a whole matrix {1, size, 1}.
struct Segments {
  Index before, length, after;
};

/// Those of a reduction over an axis. Rows of one number are columns of one number, too, and these
/// are faster.
template <class T>
Segments segments(const ReduceCall<T>& call) {
  if (call.axis == 0) return {1, call.rows, call.cols};
  if (call.cols == 1) return {1, 1, call.rows};
  return {call.rows, call.cols, 1};
}

/// Numbers of a thread's 16 bytes.
template <class Item>
inline constexpr int kItems = Pack<Item>::kSize;

// ---- lanes ----

/// Numbers that a warp takes at a step, at most.
template <class Item>
inline constexpr int kLanes = kWarp* kItems<Item>;
inline constexpr int kWarps = kThreads / kWarp;
inline constexpr Index kLongest = 64;   ///< steps of a thread, at most
inline constexpr Index kShortest = 8;   ///< and at least, where segments are cut into pieces
inline constexpr Index kUncut = 32;     ///< up to so many steps of a thread segments stay whole
inline constexpr Index kBlocks = 2048;  ///< blocks wanted, which fill any GPU
inline constexpr int kBatch = 4;        ///< loads that a thread has under way

/// Who does what in reduce_lanes.
struct LanePlan {
  Index before;
  Index outers;         ///< tiles of up to kLanes rows, or columns
  Index pitch;          ///< from one of them to the next, in the operand
  Index results_pitch;  ///< and in the results, which are before x pieces x after
  int fold;             ///< columns taken at a step
  Index step;           ///< numbers from step to step: before * fold
  Index steps;          ///< whole ones
  int rest;             ///< numbers that they leave
  Index piece;          ///< steps of a piece
  unsigned pieces;      ///< of a segment
  int warps;            ///< that share a piece
  bool packed;          ///< every thread's numbers at a step are an aligned pack

  [[nodiscard]] Grid grid(const char* name, std::size_t acc_bytes, int lanes) const {
    const Index segments = kWarps / warps;
    return {name, static_cast<unsigned>((outers + segments - 1) / segments * pieces),
            dim3(kWarp, unsigned(warps), unsigned(segments)), acc_bytes * lanes * kWarps};
  }
};

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

// ---- tiles of short columns ----

inline constexpr int kTileBytes = 16384;
template <class Item>
inline constexpr int kTile = kTileBytes / int(sizeof(Item));

/// Where number e of a tile is kept: a gap after every 128 bytes, so that threads at the same place
/// of neighbouring columns use different banks.
template <class Item>
__host__ __device__ constexpr int in_tile(int e) {
  return e + e / (128 / int(sizeof(Item)));
}

/// Columns longer than this have lanes.
template <class Item>
inline constexpr Index kShortColumn = kTile<Item> / 4;

/// Who does what in reduce_tiles.
struct TilePlan {
  Index count;  ///< columns
  int length;
  int columns;  ///< of a tile
  int threads;  ///< a column
  bool packed;  ///< tiles begin at aligned packs
};

template <class Item>
TilePlan plan_tiles(const Segments& shape, bool aligned) {
  // Few columns are spread over more blocks than full tiles would need.
  Index columns = std::min(kTile<Item> / shape.length, (shape.after + 511) / 512);
  if (columns > kItems<Item>) columns -= columns % kItems<Item>;
  const Index threads = std::max<Index>(1, kThreads / columns);
  return {shape.after, int(shape.length), int(columns), int(threads),
          aligned && columns * shape.length % kItems<Item> == 0};
}

}  // namespace cudamat::cuda

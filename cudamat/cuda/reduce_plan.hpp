// How reductions are cut into work for blocks, warps and threads (reduce.cuh says for whom), for
// the host and for kernels. Plans depend on the shape and the type of the operand, never on the
// device; only `packed` depends on its alignment, and it changes who reads a number, not which
// numbers meet when.
#pragma once

#include "cudamat/cuda/threads.hpp"
#include "cudamat/host_device.hpp"
#include "cudamat/index.hpp"

namespace cudamat::cuda {

/// What is reduced: there are before * after results, and number j of the `length` numbers of
/// result (i, k) lies at i + before * (j + length * k). before or after is 1: axis 0 of a matrix is
/// {1, rows, cols}, axis 1 is {rows, cols, 1}, a whole matrix {1, size, 1}.
struct Segments {
  Index before, length, after;
};

/// Numbers of a thread's 16 bytes.
template <class Item>
inline constexpr int kItems = 16 / int(sizeof(Item));

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
};

// ---- tiles of short columns ----

inline constexpr int kTileBytes = 16384;
template <class Item>
inline constexpr int kTile = kTileBytes / int(sizeof(Item));

/// Where number e of a tile is kept: a gap after every 128 bytes, so that threads at the same place
/// of neighbouring columns use different banks.
template <class Item>
CUDAMAT_HD constexpr int in_tile(int e) {
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

// ---- results ----

/// target = beta * target + mult * value, by the rules of ReduceCall.
template <class T>
struct Update {
  T* target;
  T mult, beta;
  T divisor;  ///< of means
  bool mean;

  CUDAMAT_HD void operator()(Index i, T value) const {
    if (mean) value = value / divisor;
    if (mult != T(1)) value = mult * value;
    target[i] = beta == T(0) ? value : beta * target[i] + value;
  }
};

}  // namespace cudamat::cuda

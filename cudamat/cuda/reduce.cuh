// What every reduction is made of: two kernels over segments (reduce_plan.hpp).
//
//   reduce_tiles   short columns (before is 1). A block copies a tile of whole columns to shared
//                  memory and reduces them there, some threads a column.
//   reduce_lanes   everything else. A warp takes `lanes` consecutive numbers at a step, a thread 16
//                  bytes of them, and keeps an accumulator a lane. Where there are fewer rows than
//                  lanes, `fold` columns are taken at a step: the memory is read as it lies, and
//                  each lane stays on one row. Several warps share a segment, several blocks too
//                  if it is long: their results are in turn segments to reduce.
//
// Order. Lanes, steps and pieces depend on the shape and the type alone; neither the device nor the
// alignment of the operands changes a bit. A lane joins at most kLongest numbers, four at a time,
// everything above it is a binary tree: sums are as accurate as pairwise ones, in the type itself,
// because double is slow on many GPUs.
//
// A reduction is a class R of static functions over R::Item, what lies in memory, and R::Acc:
//   identity()      joined with x gives x
//   term(x, j)      what number j contributes
//   placed(x, first, apart): x, where j was the number first + apart * j
//   take(x, y)      of neighbours: all elements of y come after those of x
//   join(x, y)      of any two
// and R::Parts, the reduction of R::Acc to R::Acc that joins intermediate results.
#pragma once

#include "cudamat/cuda/launch.cuh"
#include "cudamat/cuda/memory.hpp"
#include "cudamat/cuda/reduce_parts.cuh"
#include "cudamat/cuda/reduce_planner.hpp"

namespace cudamat::cuda {

/// The rows of CUDAMAT_ARG_OPS, in reduce_arg.cu.
template <class F, class T>
void reduce_to_index(const ReduceCall<T>& call);

// ---- reductions and what they read ----

/// Numbers in memory.
template <class T>
struct Numbers {
  using Item = T;
  const T* a;

  [[nodiscard]] bool aligned() const { return aligned_for_packs(a); }
  __device__ T operator[](Index i) const { return a[i]; }
  __device__ Pack<T> pack(Index i) const { return *reinterpret_cast<const Pack<T>*>(a + i); }
};

/// Numbers in memory, number j of each segment times weights[j].
template <class T>
struct Weighted : Numbers<T> {
  const T* weights;

  [[nodiscard]] bool aligned() const { return Numbers<T>::aligned() && aligned_for_packs(weights); }
};

/// Where intermediate results go.
template <class Acc>
struct Store {
  Acc* target;
  __device__ void operator()(Index i, Acc value) const { target[i] = value; }
};

// ---- lanes ----

/// This thread's numbers of a step, those of its lanes, and what they are multiplied by, not yet
/// multiplied: so the loads of several steps can be under way.
template <class Source, bool = kHasWeights<Source>>
struct LoadedLanes {
  Pack<typename Source::Item> items;
};
template <class Source>
struct LoadedLanes<Source, true> {
  Pack<typename Source::Item> items, weights;
};

/// From `at` on, where number j of the segment is.
template <bool kPacked, class Source, int kSize>
__device__ void load_lanes(const Source& source, const LanePlan& plan, Index at, Index j,
                           const int (&lane)[kSize], LoadedLanes<Source>& loaded) {
  if constexpr (kPacked) {
    loaded.items = source.pack(at + lane[0]);
  } else {
    for (int p = 0; p < kSize; ++p) loaded.items.v[p] = source[at + lane[p]];
  }
  if constexpr (kHasWeights<Source>) {
    if (kPacked && plan.before == 1) {
      loaded.weights = Numbers<typename Source::Item>{source.weights}.pack(j + lane[0]);
    } else if (plan.fold == 1) {
      loaded.weights.v[0] = source.weights[j];
      for (int p = 1; p < kSize; ++p) loaded.weights.v[p] = loaded.weights.v[0];
    } else {
      for (int p = 0; p < kSize; ++p)
        loaded.weights.v[p] = source.weights[j + column_of(lane[p], plan)];
    }
  }
}

template <class Source>
__device__ typename Source::Item weighed(const LoadedLanes<Source>& loaded, int p) {
  if constexpr (kHasWeights<Source>)
    return loaded.items.v[p] * loaded.weights.v[p];
  else
    return loaded.items.v[p];
}

/// What one warp does of a piece: steps threadIdx.y, threadIdx.y + blockDim.y ... of `steps` from
/// `at` on, number `first` of the segment being the first one there. Sets acc, lane by lane.
template <class R, bool kPacked, class Source, int kSize>
__device__ void walk_lanes(const Source& source, const LanePlan& plan, Index at, Index first,
                           Index steps, int rest, const int (&lane)[kSize],
                           typename R::Acc (&acc)[kSize]) {
  const Index apart = blockDim.y;
  using Loaded = LoadedLanes<Source>;
  // Registers are for one or the other: the next batch is under way while one is joined, or what is
  // kept of a number is more than it.
  constexpr bool kAhead =
      !kHasWeights<Source> && sizeof(typename R::Acc) == sizeof(typename R::Item);
  Loaded x[kBatch];
  const auto load = [&](Index from, Loaded& to) {
    load_lanes<kPacked>(source, plan, at + plan.step * from, first + plan.fold * from, lane, to);
  };
  const auto fetch = [&](Index from) {
#pragma unroll
    for (int b = 0; b < kBatch; ++b)
      if (from + b * apart < steps) load(from + b * apart, x[b]);
  };
  for (int p = 0; p < kSize; ++p) acc[p] = R::identity();
  Index s = threadIdx.y;
  if (s < steps) {
    Loaded start;
    load(s, start);
    if (kAhead) fetch(s + apart);
    for (int p = 0; p < kSize; ++p) acc[p] = R::term(weighed<Source>(start, p), s);
    s += apart;
  }
  for (; s + (kBatch - 1) * apart < steps; s += kBatch * apart) {
    if (!kAhead) fetch(s);
    Loaded now[kBatch];
#pragma unroll
    for (int b = 0; b < kBatch; ++b) now[b] = x[b];
    if (kAhead) fetch(s + kBatch * apart);
    for (int p = 0; p < kSize; ++p) {
      const auto term = [&](int b) { return R::term(weighed<Source>(now[b], p), s + b * apart); };
      static_assert(kBatch == 4);
      acc[p] = R::take(acc[p], R::take(R::take(term(0), term(1)), R::take(term(2), term(3))));
    }
  }
  if (!kAhead) fetch(s);
#pragma unroll
  for (int b = 0; b < kBatch - 1; ++b, s += apart) {
    if (s >= steps) break;
    for (int p = 0; p < kSize; ++p) acc[p] = R::take(acc[p], R::term(weighed<Source>(x[b], p), s));
  }
  if (s == steps)
    for (int p = 0; p < kSize; ++p)
      if (lane[p] < rest) {
        const Index j = first + plan.fold * s + column_of(lane[p], plan);
        const auto last = weighed(source, source[at + plan.step * s + lane[p]], j);
        acc[p] = R::join(acc[p], R::term(last, s));
      }
  for (int p = 0; p < kSize; ++p)
    acc[p] = R::placed(acc[p], first + column_of(lane[p], plan), plan.fold);
}

/// Blocks a multiprocessor that are enough: with fewer registers the loads of a batch would wait
/// for each other.
template <class Source>
constexpr int kEnough = kHasWeights<Source> ? 3 : 4;

/// Block (32, warps, segments); see the top of the file.
template <class R, class Source, class Sink>
__global__ void __launch_bounds__(kThreads, kEnough<Source>)
    reduce_lanes(Source source, Sink sink, LanePlan plan) {
  constexpr int kSize = kItems<typename R::Item>;
  constexpr int kAll = kLanes<typename R::Item>;
  using Acc = typename R::Acc;
  const unsigned piece = blockIdx.x % plan.pieces;
  const Index outer = Index(blockIdx.x / plan.pieces) * blockDim.z + threadIdx.z;
  Acc* const parts = shared_memory<Acc>() + kAll * blockDim.y * threadIdx.z;
  int width = 0;  // results of this segment, 0 where there is none
  if (outer < plan.outers) {
    const Index rows_left = plan.before == 1 ? 1 : plan.before - outer * kAll;
    width = rows_left < kAll ? int(rows_left) : kAll;
    const int lanes = width * plan.fold;
    const Index first_step = piece * plan.piece;
    const bool last = piece == plan.pieces - 1;
    const Index steps = last ? plan.steps - first_step : plan.piece;
    const Index at = plan.pitch * outer + plan.step * first_step;
    // Lanes that do not exist repeat others, so that nothing outside is read.
    int lane[kSize];
    Acc acc[kSize];
    const int thread = threadIdx.x;
    if (plan.packed) {
      const int own = kSize * thread < lanes ? kSize * thread : lanes - kSize;
      for (int p = 0; p < kSize; ++p) lane[p] = own + p;
      walk_lanes<R, true>(source, plan, at, plan.fold * first_step, steps, last ? plan.rest : 0,
                          lane, acc);
    } else {
      for (int p = 0; p < kSize; ++p)
        lane[p] = thread + kWarp * p < lanes ? thread + kWarp * p : lanes - 1;
      walk_lanes<R, false>(source, plan, at, plan.fold * first_step, steps, last ? plan.rest : 0,
                           lane, acc);
    }
    for (int p = 0; p < kSize; ++p)
      if ((plan.packed ? kSize * thread + p : thread + kWarp * p) < lanes)
        parts[lanes * int(threadIdx.y) + lane[p]] = acc[p];
  }
  join_lanes<R>(parts, plan, width, outer, piece, sink);
}

// ---- tiles of short columns ----

/// Copies the n numbers from `at` on to a tile, all loads of a thread under way at once.
template <class Source>
__device__ void fill_tile(const Source& source, Index at, int n, bool packed,
                          typename Source::Item* tile) {
  using Item = typename Source::Item;
  constexpr int kSize = kItems<Item>;
  constexpr int kOfThread = kTile<Item> / kThreads;
  const int thread = threadIdx.x;
  if (packed) {
    const int packs = n / kSize;
    Pack<Item> x[kOfThread / kSize];
#pragma unroll
    for (int k = 0; k < kOfThread / kSize; ++k)
      if (thread + kThreads * k < packs) x[k] = source.pack(at + kSize * (thread + kThreads * k));
#pragma unroll
    for (int k = 0; k < kOfThread / kSize; ++k)
      if (thread + kThreads * k < packs)
        for (int p = 0; p < kSize; ++p)
          tile[in_tile<Item>(kSize * (thread + kThreads * k) + p)] = x[k].v[p];
    const int rest = packs * kSize + thread;  // at the end of all columns
    if (rest < n) tile[in_tile<Item>(rest)] = source[at + rest];
    return;
  }
  Item x[kOfThread];
#pragma unroll
  for (int k = 0; k < kOfThread; ++k)
    if (thread + kThreads * k < n) x[k] = source[at + thread + kThreads * k];
#pragma unroll
  for (int k = 0; k < kOfThread; ++k)
    if (thread + kThreads * k < n) tile[in_tile<Item>(thread + kThreads * k)] = x[k];
}

/// A block a tile, of kThreads threads, or of fewer that have a number of the tile each.
template <class R, class Source, class Sink>
__global__ void reduce_tiles(Source source, Sink sink, TilePlan plan) {
  using Item = typename R::Item;
  auto* const tile = shared_memory<Item>();
  auto* const parts = reinterpret_cast<typename R::Acc*>(tile + in_tile<Item>(kTile<Item>));
  const Index first = Index(blockIdx.x) * plan.columns;
  const Index left = plan.count - first;
  const int columns = left < plan.columns ? int(left) : plan.columns;
  fill_tile(source, first * plan.length, columns * plan.length, plan.packed, tile);
  __syncthreads();
  reduce_tile<R>(source, tile, parts, plan, first, columns, sink);
}

// ---- both ----

/// Queues the first pass of a plan of lanes; the results, before x pieces x after, go to `sink`.
template <class R, class Source, class Sink>
void launch_lanes(const char* name, const Source& source, const Sink& sink, const LanePlan& plan) {
  launch(grid_of<typename R::Item>(plan, name, sizeof(typename R::Acc)),
         reduce_lanes<R, Source, Sink>, source, sink, plan);
}

/// Queues the reduction of all segments; sink(i + before * k, acc) takes the results. Empty
/// segments give the identity.
template <class R, class Source, class Sink>
void reduce_segments(const char* name, const Source& source, const Segments& shape,
                     const Sink& sink) {
  using Item = typename R::Item;
  using Acc = typename R::Acc;
  if (is_short<Item>(shape)) {
    const TilePlan plan = plan_tiles<Item>(shape, source.aligned());
    launch(grid_of<Item>(plan, name, sizeof(Acc)), reduce_tiles<R, Source, Sink>, source, sink,
           plan);
    return;
  }
  const LanePlan plan = plan_lanes<Item>(shape, source.aligned());
  if (plan.pieces == 1) return launch_lanes<R>(name, source, sink, plan);
  const Workspace<Acc> parts(shape.before * plan.pieces * shape.after);
  launch_lanes<R>(name, source, Store<Acc>{parts.data()}, plan);
  reduce_segments<typename R::Parts>(name, Numbers<Acc>{parts.data()},
                                     {shape.before, plan.pieces, shape.after}, sink);
}

}  // namespace cudamat::cuda

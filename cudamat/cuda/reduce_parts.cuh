// What reductions of memory (reduce.cuh) and of values that are computed in passing
// (fused_reduce.cuh) share. Includes nothing of CUDA's, because kernels that are compiled at run
// time include it too.
#pragma once

#include "cudamat/cuda/reduce_plan.hpp"
#include "cudamat/cuda/threads.cuh"
#include "cudamat/functors.hpp"

namespace cudamat::cuda {

// ---- reductions and what they read ----

/// F (a reducer of functors.hpp) of the numbers themselves.
template <class T, class F>
struct Fold {
  using Item = T;
  using Acc = T;
  using Parts = Fold;
  __device__ static T identity() { return F::template identity<T>(); }
  __device__ static T term(T x, Index) { return F::term(x); }
  __device__ static T placed(T x, Index, Index) { return x; }
  __device__ static T take(T x, T y) { return F{}(x, y); }
  __device__ static T join(T x, T y) { return F{}(x, y); }
};

/// Whether a source has weights, as those that multiply the numbers of each segment.
template <class Source, class = int>
inline constexpr bool kHasWeights = false;
template <class Source>
inline constexpr bool kHasWeights<Source, decltype(void(Source::weights), 0)> = true;

struct NoWeights {};

/// What number j of a segment counts, x being what the source holds of it.
template <class Source, class Item>
__device__ Item weighed(const Source& source, Item x, Index j) {
  if constexpr (kHasWeights<Source>)
    return x * source.weights[j];
  else
    return x;
}

// ---- what the kernels share ----

/// parts[i] becomes the join of parts[i + width * g] over all groups g, for i < width, by `threads`
/// threads, of which this is number `thread`. Every thread of the block calls it with the same
/// number of groups; they meet before and after.
template <class R>
__device__ void join_groups(typename R::Acc* parts, int groups, int width, int thread,
                            int threads) {
  __syncthreads();
  while (groups > 1) {
    const int half = (groups + 1) / 2;
    for (int i = thread; i < (groups - half) * width; i += threads)
      parts[i] = R::join(parts[i], parts[i + half * width]);
    groups = half;
    __syncthreads();
  }
}

/// The result, which begins with the identity: sums of negative zeros are 0, as in NumPy.
template <class R>
__device__ typename R::Acc finished(typename R::Acc acc) {
  return R::join(R::identity(), acc);
}

// ---- lanes ----

/// In which of the columns that a step takes a lane is.
__device__ inline int column_of(int lane, const LanePlan& plan) {
  return plan.fold == 1 ? 0 : lane / int(plan.before);
}

/// Of a piece of a segment: what the lanes of its warps have put into `parts` is joined, and goes
/// to `sink`. width: results, 0 where there is no segment.
template <class R, class Sink>
__device__ void join_lanes(typename R::Acc* parts, const LanePlan& plan, int width, Index outer,
                           unsigned piece, const Sink& sink) {
  const int thread = threadIdx.x + kWarp * threadIdx.y;
  const int threads = kWarp * blockDim.y;
  join_groups<R>(parts, plan.fold * int(blockDim.y), width, thread, threads);
  const Index result = plan.results_pitch * outer + plan.before * piece;
  for (int i = thread; i < width; i += threads) sink(result + i, finished<R>(parts[i]));
}

// ---- tiles of short columns ----

/// The numbers begin, begin + apart ... of the `length` ones from `column` on, in a tile.
template <class R, class Source>
__device__ typename R::Acc reduce_column(const Source& source, const typename R::Item* tile,
                                         int column, int length, int begin, int apart) {
  using Item = typename R::Item;
  const auto term = [&](int i) {
    return R::term(weighed(source, tile[in_tile<Item>(column + i)], i), i);
  };
  auto even = begin < length ? term(begin) : R::identity();
  auto odd = begin + apart < length ? term(begin + apart) : R::identity();
  for (int i = begin + 2 * apart; i < length; i += 2 * apart) {
    even = R::take(even, term(i));
    if (i + apart < length) odd = R::take(odd, term(i + apart));
  }
  return R::join(even, odd);
}

/// Reduces the `columns` columns of a tile that is there, column `first` of all being the first
/// one.
template <class R, class Source, class Sink>
__device__ void reduce_tile(const Source& source, const typename R::Item* tile,
                            typename R::Acc* parts, const TilePlan& plan, Index first, int columns,
                            const Sink& sink) {
  const int thread = threadIdx.x;
  if (plan.threads == 1) {
    for (int c = thread; c < columns; c += kThreads)
      sink(first + c,
           finished<R>(reduce_column<R>(source, tile, c * plan.length, plan.length, 0, 1)));
    return;
  }
  const int c = thread / plan.threads, own = thread % plan.threads;
  if (c < columns)
    parts[own * columns + c] =
        reduce_column<R>(source, tile, c * plan.length, plan.length, own, plan.threads);
  join_groups<R>(parts, plan.threads, columns, thread, kThreads);
  if (thread < columns) sink(first + thread, finished<R>(parts[thread]));
}

}  // namespace cudamat::cuda

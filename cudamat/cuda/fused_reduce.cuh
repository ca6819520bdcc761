// The kernels of fused statements that reduce: values are reduced as they are computed, in the
// order in which the engine's reductions take them from memory. A block does what it would do there
// (reduce.cuh), by the same plan; only where it would load a number it computes it. What is stored
// is stored on the way: each element is computed once, by one thread.
//
// Besides what fused.cuh asks for a Body has
//   kFlat       whether the space is one column: nothing is a Row or a Column, all is contiguous
//   Reducers    FusedReducers of the reductions
// Its packs are those of the plan: kPack is more than 1 where the plan says `packed`.
//
// A statement that uses its own reductions over columns is cut into parts (detail/fused_cut.hpp).
// Where a block reduces its columns from end to end, one kernel computes all parts of them, one
// after the other: what a part reads again is still in the cache.
#pragma once

#include "cudamat/cuda/fused.cuh"
#include "cudamat/cuda/reduce_parts.cuh"

namespace cudamat::cuda {

/// A reduction by F of a value of a body.
template <class F, int kOf>
struct FusedReducer {
  template <class T>
  using Reduction = Fold<T, F>;
  static constexpr int kValue = kOf;  ///< which
};

template <class... Reducer>
struct FusedReducers {
  static constexpr int kCount = sizeof...(Reducer);

  /// use(a reducer, its number) for each.
  template <class Use>
  __device__ static void each(const Use& use) {
    int r = 0;
    (use(Reducer{}, r++), ...);
  }
};

/// As FusedArguments, with numbers of the type at the end.
template <class Body, class Plan>
struct FusedReduceArguments {
  Plan plan;
  Update<typename Body::Value> results[Body::Reducers::kCount];
  FusedArguments<Body> call;
};

/// What a thread takes at once of a space that is counted column by column: a pack, or, where there
/// are none, kItems elements anywhere.
template <class Body>
struct FusedItems {
  using T = typename Body::Value;
  using Kernel = FusedKernel<Body>;
  static constexpr int kSize = kItems<T>;
  static constexpr int kPieces = kSize / Body::kPack;

  struct Loaded {
    typename Kernel::Values own[kPieces], shared[kPieces];
  };
  struct Results {
    Pack<T, Body::kPack> of[kPieces][Body::kValues];

    __device__ T value(int v, int p) const { return of[p / Body::kPack][v].v[p % Body::kPack]; }
  };

  const FusedArguments<Body>& call;
  Index column = -1;  ///< that all items are of, where that is known: a division takes longer
                      ///< than most bodies

  struct Place {
    Index i, j;
  };
  __device__ Place place(Index k) const {
    if constexpr (Body::kFlat) return {k, 0};
    if (column >= 0) return {k - column * call.rows, column};
    const Index j = k / call.rows;
    return {k - j * call.rows, j};
  }

  /// exists(p) says whether element p is there; elements of a pack are there all or none.
  template <class At, class Exists>
  __device__ void load(Loaded& loaded, const At& at, const Exists& exists) const {
#pragma unroll
    for (int q = 0; q < kPieces; ++q) {
      if (!exists(q * Body::kPack)) continue;
      const Place p = place(at(q * Body::kPack));
      Kernel{call}.load_shared(loaded.shared[q], p.i);
      Kernel{call}.load(loaded.own[q], p.i, p.j);
    }
  }
  template <class At, class Exists>
  __device__ void compute(const Loaded& loaded, const At& at, const Exists& exists,
                          Results& results) const {
#pragma unroll
    for (int q = 0; q < kPieces; ++q) {
      if (!exists(q * Body::kPack)) continue;
      const Place p = place(at(q * Body::kPack));
      Kernel{call}.compute(loaded.own[q], loaded.shared[q], p.i, p.j, results.of[q]);
    }
  }
  __device__ void compute_one(Index k, T (&out)[Body::kValues]) const {
    const Place p = place(k);
    Kernel{call}.compute_element(p.i, p.j, out);
  }
};

// ---- lanes ----

/// A block of reduce_lanes.
template <class Body>
struct FusedLanes {
  using T = typename Body::Value;
  using Items = FusedItems<Body>;
  using Reducers = typename Body::Reducers;
  static constexpr int kSize = Items::kSize;

  /// For each reduction and lane of the thread.
  struct Lanes {
    T of[Reducers::kCount][kSize];
  };

  const FusedReduceArguments<Body, LanePlan>& all;

  /// sum = x and then y, of each.
  __device__ static void take(Lanes& sum, const Lanes& x, const Lanes& y) {
    Reducers::each([&](auto reducer, int r) {
#pragma unroll
      for (int p = 0; p < kSize; ++p)
        sum.of[r][p] = decltype(reducer)::template Reduction<T>::take(x.of[r][p], y.of[r][p]);
    });
  }

  /// What walk_lanes of reduce.cuh does, in the same order. Pairs of steps and single ones each
  /// have their code once: a body may be long.
  __device__ void walk(Index outer, Index first_step, Index steps, int rest, int lanes,
                       const int (&lane)[kSize], Lanes& acc) const {
    const LanePlan& plan = all.plan;
    const Index at = plan.pitch * outer + plan.step * first_step;
    const bool of_one_column = plan.before == 1 && plan.outers == all.call.cols;
    const Items items{all.call, of_one_column ? outer : -1};
    const Index apart = blockDim.y;
    const auto exists = [&](int p) { return lane[p] < lanes; };
    const auto of_step = [&](Index s) {
      return [&lane, begin = at + plan.step * s](int p) { return begin + lane[p]; };
    };
    const auto terms = [&](const typename Items::Loaded& loaded, Index s, Lanes& made) {
      typename Items::Results results;
      items.compute(loaded, of_step(s), exists, results);
      Reducers::each([&](auto reducer, int r) {
        using Reducer = decltype(reducer);
#pragma unroll
        for (int p = 0; p < kSize; ++p)
          made.of[r][p] =
              Reducer::template Reduction<T>::term(results.value(Reducer::kValue, p), s);
      });
    };
    Reducers::each([&](auto reducer, int r) {
#pragma unroll
      for (int p = 0; p < kSize; ++p)
        acc.of[r][p] = decltype(reducer)::template Reduction<T>::identity();
    });
    Index s = threadIdx.y;
    bool has_begun = false, holds = false;
    Lanes held;  // half of four steps
#pragma unroll 1
    while (s < steps) {
      typename Items::Loaded first;
      Lanes x;
      items.load(first, of_step(s), exists);
      static_assert(kBatch == 4);
      if (has_begun && (holds || s + 3 * apart < steps)) {
        typename Items::Loaded second;
        Lanes y;
        items.load(second, of_step(s + apart), exists);
        terms(first, s, x);
        terms(second, s + apart, y);
        take(x, x, y);
        if (holds) {
          take(x, held, x);
          take(acc, acc, x);
        }
        held = x;
        holds = !holds;
        s += 2 * apart;
      } else {
        terms(first, s, x);
        if (has_begun)
          take(acc, acc, x);
        else
          acc = x;
        has_begun = true;
        s += apart;
      }
    }
    if (s == steps && rest > 0) take_rest(items, at + plan.step * s, s, rest, lane, acc);
  }

  __device__ void take_rest(const Items& items, Index at, Index s, int rest,
                            const int (&lane)[kSize], Lanes& acc) const {
#pragma unroll 1
    for (int p = 0; p < kSize; ++p) {
      int own = lane[0];
#pragma unroll
      for (int q = 1; q < kSize; ++q)
        if (q == p) own = lane[q];
      if (own >= rest) continue;
      T out[Body::kValues];
      items.compute_one(at + own, out);
      Reducers::each([&](auto reducer, int r) {
        using Reducer = decltype(reducer);
        using Reduction = typename Reducer::template Reduction<T>;
#pragma unroll
        for (int q = 0; q < kSize; ++q)
          if (q == p)
            acc.of[r][q] = Reduction::join(acc.of[r][q], Reduction::term(out[Reducer::kValue], s));
      });
    }
  }

  __device__ void run() const {
    const LanePlan& plan = all.plan;
    constexpr int kAll = kLanes<T>;
    const unsigned piece = blockIdx.x % plan.pieces;
    const Index outer = Index(blockIdx.x / plan.pieces) * blockDim.z + threadIdx.z;
    T* const parts = shared_memory<T>() + kAll * blockDim.y * threadIdx.z;
    int width = 0, lanes = 0;  // 0 where there is no segment
    int lane[kSize];
#pragma unroll
    for (int p = 0; p < kSize; ++p)
      lane[p] = Body::kPack > 1 ? kSize * int(threadIdx.x) + p : int(threadIdx.x) + kWarp * p;
    Lanes acc;
    if (outer < plan.outers) {
      const Index rows_left = plan.before == 1 ? 1 : plan.before - outer * kAll;
      width = rows_left < kAll ? int(rows_left) : kAll;
      lanes = width * plan.fold;
      const Index first_step = piece * plan.piece;
      const bool last = piece == plan.pieces - 1;
      walk(outer, first_step, last ? plan.steps - first_step : plan.piece, last ? plan.rest : 0,
           lanes, lane, acc);
    }
    Reducers::each([&](auto reducer, int r) {
      if (r > 0) __syncthreads();  // the parts of the reduction before it have been read
#pragma unroll
      for (int p = 0; p < kSize; ++p)
        if (lane[p] < lanes) parts[lanes * int(threadIdx.y) + lane[p]] = acc.of[r][p];
      join_lanes<typename decltype(reducer)::template Reduction<T>>(parts, plan, width, outer,
                                                                    piece, all.results[r]);
    });
  }
};

// ---- tiles of short columns ----

/// A block of reduce_tiles, with a tile for each value that is reduced.
template <class Body>
struct FusedTiles {
  using T = typename Body::Value;
  using Items = FusedItems<Body>;
  using Reducers = typename Body::Reducers;
  static constexpr int kSize = Items::kSize;

  const FusedReduceArguments<Body, TilePlan>& all;

  static constexpr int kRoom = in_tile<T>(kTile<T>);

  __device__ void keep(T* tiles, int e, int v, T value) const {
    tiles[Body::tile_of(v) * kRoom + in_tile<T>(e)] = value;
  }

  /// As fill_tile: what a thread takes is the same.
  __device__ void fill(Index at, int n, T* tiles) const {
    const Items items{all.call};
    constexpr int kTogether = 2;
    constexpr bool kPacked = Body::kPack > 1;
#pragma unroll 1
    for (int k = 0; k < kTile<T> / (kThreads * kSize); k += kTogether) {
      typename Items::Loaded loaded[kTogether];
      const auto place = [&](int u, int p) {
        const int thread = threadIdx.x;
        return kPacked ? kSize * (thread + kThreads * (k + u)) + p
                       : thread + kThreads * (kSize * (k + u) + p);
      };
#pragma unroll
      for (int u = 0; u < kTogether; ++u)
        items.load(
            loaded[u], [&](int p) { return at + place(u, p); },
            [&](int p) { return place(u, p + Body::kPack - 1) < n; });
#pragma unroll
      for (int u = 0; u < kTogether; ++u) {
        typename Items::Results results;
        const auto exists = [&](int p) {
          return place(u, p / Body::kPack * Body::kPack + Body::kPack - 1) < n;
        };
        items.compute(
            loaded[u], [&](int p) { return at + place(u, p); }, exists, results);
#pragma unroll
        for (int v = 0; v < Body::kValues; ++v) {
          if (Body::tile_of(v) < 0) continue;
#pragma unroll
          for (int p = 0; p < kSize; ++p)
            if (exists(p)) keep(tiles, place(u, p), v, results.value(v, p));
        }
      }
    }
    if constexpr (kPacked) {
      const int e = n / kSize * kSize + int(threadIdx.x);  // of a pack that is there in part
      if (e >= n) return;
      T out[Body::kValues];
      items.compute_one(at + e, out);
#pragma unroll
      for (int v = 0; v < Body::kValues; ++v)
        if (Body::tile_of(v) >= 0) keep(tiles, e, v, out[v]);
    }
  }

  __device__ void run() const {
    const TilePlan& plan = all.plan;
    T* const tiles = shared_memory<T>();
    T* const parts = tiles + Body::kTiles * kRoom;
    const Index first = Index(blockIdx.x) * plan.columns;
    const Index left = plan.count - first;
    const int columns = left < plan.columns ? int(left) : plan.columns;
    fill(first * plan.length, columns * plan.length, tiles);
    __syncthreads();
    Reducers::each([&](auto reducer, int r) {
      using Reducer = decltype(reducer);
      using Reduction = typename Reducer::template Reduction<T>;
      if (r > 0 && plan.threads > 1) __syncthreads();  // parts of the reduction before were read
      reduce_tile<Reduction>(NoWeights{}, tiles + Body::tile_of(Reducer::kValue) * kRoom, parts,
                             plan, first, columns, all.results[r]);
    });
  }
};

// ---- columns that a block has to itself ----

/// The columns whose reductions a block computes, if pieces are whole segments.
struct BlockColumns {
  Index begin, end;
};
__device__ inline BlockColumns columns_of_block(const LanePlan& plan) {
  const Index begin = Index(blockIdx.x) * blockDim.z;
  const Index end = begin + blockDim.z;
  return {begin, end < plan.outers ? end : plan.outers};
}
__device__ inline BlockColumns columns_of_block(const TilePlan& plan) {
  const Index begin = Index(blockIdx.x) * plan.columns;
  const Index end = begin + plan.columns;
  return {begin, end < plan.count ? end : plan.count};
}

}  // namespace cudamat::cuda

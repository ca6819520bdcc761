// Transposes, through tiles in shared memory, so that reads and writes are both of neighbouring
// addresses.
#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/packs.cuh"

namespace cudamat::cuda {
namespace {

constexpr int kSide = 32;                    // of a tile
constexpr int kTileCols = kThreads / kSide;  // columns of a tile that a block moves at once
constexpr Index kThin = 64;                  // rows or columns up to which a matrix is thin
constexpr Index kThinBytes = 16 * 1024;      // of a piece of a thin matrix
constexpr Index kShortRun = 16;              // a run shorter than this is moved in tiles of runs
constexpr int kRunSide = 16;                 // of such a tile

/// k = quotient * divisor + remainder for a k that grows by a fixed step, divided only once.
class Divided {
 public:
  int quotient, remainder;

  __device__ Divided(int k, int step, int divisor)
      : quotient(k / divisor),
        remainder(k % divisor),
        divisor_(divisor),
        step_quotient_(step / divisor),
        step_remainder_(step % divisor) {}

  __device__ void advance() {
    quotient += step_quotient_;
    remainder += step_remainder_;
    if (remainder >= divisor_) {
      remainder -= divisor_;
      ++quotient;
    }
  }

 private:
  int divisor_, step_quotient_, step_remainder_;
};

/// target is cols x rows. Columns of the tile are an odd number of elements apart, so that its rows
/// lie in different banks.
template <class T>
__global__ void tiled_kernel(const T* __restrict__ source, T* __restrict__ target, Index rows,
                             Index cols) {
  constexpr int kPitch = kSide + 1;
  T* const tile = shared_memory<T>();
  const int x = threadIdx.x % kSide, y = threadIdx.x / kSide;
  for (Index j0 = Index(blockIdx.y) * kSide; j0 < cols; j0 += stride_y() * kSide)
    for (Index i0 = Index(blockIdx.x) * kSide; i0 < rows; i0 += stride_x() * kSide) {
#pragma unroll
      for (int k = y; k < kSide; k += kTileCols)
        if (i0 + x < rows && j0 + k < cols) tile[x + kPitch * k] = source[i0 + x + rows * (j0 + k)];
      __syncthreads();
#pragma unroll
      for (int k = y; k < kSide; k += kTileCols)
        if (j0 + x < cols && i0 + k < rows) target[j0 + x + cols * (i0 + k)] = tile[k + kPitch * x];
      __syncthreads();
    }
}

/// Blocks of as many rows and columns as a pack has numbers, along a side of a tile of them.
constexpr int kPacksAside = 16;

/// The same where all columns of both matrices are whole packs: a thread turns a block around in
/// its registers, so that all that it loads and stores, in shared memory too, are packs. Tiles are
/// of kPacksAside x kPacksAside such blocks. What a row of the tile keeps is rotated by the block
/// it belongs to (by exclusive or), so that neighbouring threads use different banks either way.
template <class T>
__global__ void packed_tiles_kernel(const T* __restrict__ source, T* __restrict__ target,
                                    Index rows, Index cols) {
  constexpr int kSize = Pack<T>::kSize, kPackedSide = kPacksAside * kSize;
  static_assert(kPacksAside * kPacksAside == kThreads);
  auto* const tile = shared_memory<Pack<T>>();
  const int x = threadIdx.x % kPacksAside, y = threadIdx.x / kPacksAside;
  const auto place = [](int row, int pack) { return row * kPacksAside + (pack ^ (row / kSize)); };
  for (Index j0 = Index(blockIdx.y) * kPackedSide; j0 < cols; j0 += stride_y() * kPackedSide)
    for (Index i0 = Index(blockIdx.x) * kPackedSide; i0 < rows; i0 += stride_x() * kPackedSide) {
      const Index i = i0 + kSize * x, j = j0 + kSize * y;
      if (i < rows && j < cols) {
        Pack<T> columns[kSize];
#pragma unroll
        for (int c = 0; c < kSize; ++c)
          columns[c] = *reinterpret_cast<const Pack<T>*>(source + i + rows * (j + c));
#pragma unroll
        for (int r = 0; r < kSize; ++r) {
          Pack<T> row;
#pragma unroll
          for (int c = 0; c < kSize; ++c) row.v[c] = columns[c].v[r];
          tile[place(kSize * x + r, y)] = row;
        }
      }
      __syncthreads();
#pragma unroll
      for (int r = 0; r < kSize; ++r) {
        const int row = y + kPacksAside * r;
        if (i0 + row < rows && j0 + kSize * x < cols)
          *reinterpret_cast<Pack<T>*>(target + j0 + kSize * x + cols * (i0 + row)) =
              tile[place(row, x)];
      }
      __syncthreads();
    }
}

/// A matrix with one small extent, `thin`, in pieces of 2^shift of the other extent, `length`. On
/// one side a piece is one stretch of memory, on the other `thin` stretches: of the source if
/// kGather.
template <bool kGather, class T>
__global__ void thin_kernel(const T* __restrict__ source, T* __restrict__ target, int thin,
                            Index length, int shift) {
  T* const tile = shared_memory<T>();
  const int count = 1 << shift;
  const int pitch = thin | 1;  // odd: neighbours in a stretch lie in different banks
  for (Index first = Index(blockIdx.x) << shift; first < length; first += stride_x() << shift) {
    const int here = length - first < count ? static_cast<int>(length - first) : count;
    const auto stretches = [&](auto move) {
#pragma unroll 4
      for (int k = threadIdx.x; k < thin << shift; k += kThreads) {
        const int i = k >> shift, j = k & (count - 1);
        if (j < here) move(first + j + length * i, i + pitch * j);
      }
    };
    const auto whole = [&](auto move) {
      Divided at(threadIdx.x, kThreads, thin);
#pragma unroll 4
      for (int k = threadIdx.x; k < thin * here; k += kThreads, at.advance())
        move(thin * first + k, at.remainder + pitch * at.quotient);
    };
    const auto read = [&](Index from, int place) { tile[place] = source[from]; };
    const auto write = [&](Index to, int place) { target[to] = tile[place]; };
    if constexpr (kGather)
      stretches(read);
    else
      whole(read);
    __syncthreads();
    if constexpr (kGather)
      whole(write);
    else
      stretches(write);
    __syncthreads();
  }
}

/// Runs of `inner` elements, long enough to be moved by themselves: by 2^shift lanes each.
template <class Element>
__global__ void long_runs_kernel(const Element* __restrict__ source, Element* __restrict__ target,
                                 Index rows, Index cols, Index inner, int shift) {
  const Index lanes = Index(1) << shift, lane = threadIdx.x & (lanes - 1);
  for (Index run = first_item() >> shift; run < rows * cols; run += stride() >> shift) {
    const Index i = run / cols, j = run - i * cols;  // the target's order
    const Element* const from = source + inner * (i + rows * j);
    Element* const to = target + inner * run;
#pragma unroll 4
    for (Index b = lane; b < inner; b += lanes) to[b] = from[b];
  }
}

/// Short runs: square tiles of them, in which a warp takes a column at a time, then a row. Columns
/// of the tile are an odd number of runs apart.
template <class T>
__global__ void short_runs_kernel(const T* __restrict__ source, T* __restrict__ target, Index rows,
                                  Index cols, int inner) {
  T* const tile = shared_memory<T>();
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const int pitch = (kRunSide + 1) * inner;
  const auto numbers = [&](Index first, Index extent) {
    return inner * static_cast<int>(extent - first < kRunSide ? extent - first : kRunSide);
  };
  for (Index j0 = Index(blockIdx.y) * kRunSide; j0 < cols; j0 += stride_y() * kRunSide)
    for (Index i0 = Index(blockIdx.x) * kRunSide; i0 < rows; i0 += stride_x() * kRunSide) {
      for (int j = warp; j < kRunSide && j0 + j < cols; j += kThreads / kWarp)
#pragma unroll 4
        for (int k = lane; k < numbers(i0, rows); k += kWarp)
          tile[k + pitch * j] = source[inner * (i0 + rows * (j0 + j)) + k];
      __syncthreads();
      for (int i = warp; i < kRunSide && i0 + i < rows; i += kThreads / kWarp) {
        Divided at(lane, kWarp, inner);
#pragma unroll 4
        for (int k = lane; k < numbers(j0, cols); k += kWarp, at.advance())
          target[inner * (j0 + cols * (i0 + i)) + k] =
              tile[at.remainder + inner * i + pitch * at.quotient];
      }
      __syncthreads();
    }
}

/// Blocks over the tiles of a matrix.
dim3 tile_blocks(Index rows, Index cols, Index side) {
  return {blocks_for(rows, side), blocks_for(cols, side), 1};
}

template <class T>
void transpose_thin(const T* source, T* target, Index rows, Index cols) {
  const bool gather = cols < rows;
  const Index thin = gather ? cols : rows, length = gather ? rows : cols;
  int shift = 5;
  while ((thin << (shift + 1)) * Index(sizeof(T)) <= kThinBytes) ++shift;
  const Grid grid{"transpose of a thin matrix", dim3(blocks_for(length, Index(1) << shift)),
                  dim3(kThreads), std::size_t((thin | 1) << shift) * sizeof(T)};
  launch(grid, gather ? thin_kernel<true, T> : thin_kernel<false, T>, source, target, thin, length,
         shift);
}

template <class Element>
void transpose_long_runs(const Element* source, Element* target, Index rows, Index cols,
                         Index inner) {
  int shift = 0;
  while ((1 << shift) < kWarp && (1 << shift) < inner) ++shift;
  launch({"transpose of runs", dim3(blocks_for(rows * cols, kThreads >> shift))},
         long_runs_kernel<Element>, source, target, rows, cols, inner, shift);
}

template <class T>
void transpose_runs(const T* source, T* target, Index rows, Index cols, Index inner) {
  if (inner < kShortRun) {
    const auto bytes = std::size_t(kRunSide * (kRunSide + 1) * inner) * sizeof(T);
    launch({"transpose of short runs", tile_blocks(rows, cols, kRunSide), dim3(kThreads), bytes},
           short_runs_kernel<T>, source, target, rows, cols, inner);
  } else if (whole_packs<T>(inner) && all_aligned(source, target)) {
    transpose_long_runs(as_packs(source), as_packs(target), rows, cols, inner / Pack<T>::kSize);
  } else {
    transpose_long_runs(source, target, rows, cols, inner);
  }
}

}  // namespace

template <class T>
void Engine<T>::transpose(const T* source, T* target, Index rows, Index cols, Index inner) {
  if (rows == 0 || cols == 0 || inner == 0) return;
  if (rows == 1 || cols == 1) return copy(source, target, rows * cols * inner);
  if (inner > 1) return transpose_runs(source, target, rows, cols, inner);
  if (rows <= kThin || cols <= kThin) return transpose_thin(source, target, rows, cols);
  if (whole_packs<T>(rows, cols) && all_aligned(source, target)) {
    constexpr Index kPackedSide = kPacksAside * Pack<T>::kSize;
    launch({"transpose", tile_blocks(rows, cols, kPackedSide), dim3(kThreads),
            sizeof(T) * kPackedSide * kPackedSide},
           packed_tiles_kernel<T>, source, target, rows, cols);
  } else {
    launch({"transpose", tile_blocks(rows, cols, kSide), dim3(kThreads),
            sizeof(T) * kSide * (kSide + 1)},
           tiled_kernel<T>, source, target, rows, cols);
  }
}

template void Engine<float>::transpose(const float*, float*, Index, Index, Index);
template void Engine<double>::transpose(const double*, double*, Index, Index, Index);

}  // namespace cudamat::cuda

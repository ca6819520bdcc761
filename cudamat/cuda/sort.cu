// Columns in ascending order, by a bitonic sorting network: K. E. Batcher, "Sorting networks and
// their applications", AFIPS Spring Joint Computer Conference 32 (1968), 307-314, in the form whose
// comparators all put the lesser number first.
//
// Blocks of 2, 4, 8, ... numbers are sorted in turn, each from two sorted halves: the first step
// compares the halves' numbers in mirrored order, so that no number of the first half is greater
// than one of the second; the others compare numbers that are 1/4, 1/8, ... of the block apart. A
// column that is no power of two long is thought to go on with numbers that come after all others.
// These never move, since a comparator would only move them backwards; so a comparator with one of
// them is omitted, and neither room nor time is spent on them.
//
// A column of up to kPlaces numbers is sorted in shared memory, short ones many at a time. A longer
// one is sorted by tiles first; of the blocks after that, the steps that reach over more than a
// tile run in the device's memory, a launch each, the rest in shared memory again.
// Few and long columns are sorted by their digits instead, one by one (sort_radix.cu).
#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/launch.cuh"
#include "cudamat/cuda/memory.hpp"
#include "cudamat/cuda/sort_radix.hpp"

namespace cudamat::cuda {
namespace {

constexpr int kPlaces = 2048;         // places of a tile, at most
constexpr int kSmall = 2 * kThreads;  // and at least: a comparator for each thread

/// The places of a tile in shared memory: 2^shift rows of each of its columns.
struct Tiles {
  Index rows, cols;
  int shift;
  int places;
};

/// One step of the network: comparators between places that are `apart` apart within blocks of
/// 2 * apart places, or mirrored in them.
template <class I>
struct Step {
  I apart;
  bool mirrored;

  /// Calls compare(first, second) for the places of a comparator.
  template <class Compare>
  __device__ void visit(I comparator, const Compare& compare) const {
    const I within = comparator & (apart - 1);
    const I first = 2 * comparator - within;
    compare(first, first + (mirrored ? 2 * (apart - within) - 1 : apart));
  }
};

/// The lesser number comes first; NaN is greater than any number.
template <class T>
__device__ void put_in_order(T& first, T& second) {
  const T a = first, b = second;
  if (b == b && !(a <= b)) {
    first = b;
    second = a;
  }
}

/// Sorts what a tile has of each column; if kMerge, of places that only steps within tiles are left
/// to do for.
template <bool kMerge, class T>
__global__ void tiles_kernel(T* data, Tiles tiles) {
  T* const tile = shared_memory<T>();
  const int height = 1 << tiles.shift, width = tiles.places >> tiles.shift;
  for (Index j0 = Index(blockIdx.y) * width; j0 < tiles.cols; j0 += stride_y() * width)
    for (Index i0 = Index(blockIdx.x) * height; i0 < tiles.rows; i0 += stride_x() * height) {
      const auto row = [&](int place) { return i0 + (place & (height - 1)); };
      const auto column = [&](int place) { return j0 + (place >> tiles.shift); };
      const auto is_there = [&](int place) {
        return row(place) < tiles.rows && column(place) < tiles.cols;
      };
      for (int place = threadIdx.x; place < tiles.places; place += kThreads)
        if (is_there(place)) tile[place] = data[row(place) + tiles.rows * column(place)];
      __syncthreads();
      for (int block = kMerge ? height : 2; block <= height; block *= 2)
        for (int apart = block / 2; apart > 0; apart /= 2) {
          const Step<int> step{apart, !kMerge && apart == block / 2};
          for (int k = threadIdx.x; k < tiles.places / 2; k += kThreads)
            step.visit(k, [&](int first, int second) {
              if (is_there(second)) put_in_order(tile[first], tile[second]);
            });
          __syncthreads();
        }
      for (int place = threadIdx.x; place < tiles.places; place += kThreads)
        if (is_there(place)) data[row(place) + tiles.rows * column(place)] = tile[place];
      __syncthreads();
    }
}

/// One step over all columns, in the device's memory. `comparators` of each column have a first
/// place in it.
template <class T>
__global__ void step_kernel(T* data, Index rows, Index cols, Step<Index> step, Index comparators) {
  for (Index j = blockIdx.y; j < cols; j += stride_y())
    for (Index k = first_item(); k < comparators; k += stride())
      step.visit(k, [&](Index first, Index second) {
        if (second < rows) put_in_order(data[first + rows * j], data[second + rows * j]);
      });
}

template <bool kMerge, class T>
void sort_tiles(const char* name, T* data, const Tiles& tiles) {
  const dim3 blocks(blocks_for(tiles.rows, Index(1) << tiles.shift),
                    blocks_for(tiles.cols, tiles.places >> tiles.shift));
  launch({name, blocks, dim3(kThreads), sizeof(T) * std::size_t(tiles.places)},
         tiles_kernel<kMerge, T>, data, tiles);
}

/// The comparators of the blocks that have a second half in a column.
Index comparators_in(Index rows, Index apart) {
  return (rows / (2 * apart) + (rows % (2 * apart) > apart ? 1 : 0)) * apart;
}

template <class T>
void run_step(const char* name, T* data, Index rows, Index cols, const Step<Index>& step) {
  const Index comparators = comparators_in(rows, step.apart);
  launch({name, dim3(blocks_for(comparators, kThreads), blocks_for(cols, 1))}, step_kernel<T>, data,
         rows, cols, step, comparators);
}

/// Each column's places, in order.
template <class T>
__global__ void places_kernel(T* target, Index rows, Index size) {
  for (Index k = first_item(); k < size; k += stride()) target[k] = static_cast<T>(k % rows);
}

/// One step over the places of all columns. Places whose numbers are equal compare by themselves.
template <class T>
__global__ void place_step_kernel(const T* source, T* target, Index rows, Index cols,
                                  Step<Index> step, Index comparators) {
  for (Index j = blockIdx.y; j < cols; j += stride_y()) {
    const T* const column = source + rows * j;
    T* const places = target + rows * j;
    for (Index k = first_item(); k < comparators; k += stride())
      step.visit(k, [&](Index first, Index second) {
        if (second >= rows) return;
        const T before = places[first], after = places[second];
        const T a = column[static_cast<Index>(before)], b = column[static_cast<Index>(after)];
        const bool less = b < a || (b == b && a != a);
        const bool same = a == b || (a != a && b != b);
        if (less || (same && after < before)) {
          places[first] = after;
          places[second] = before;
        }
      });
  }
}

/// False where there was no memory for it: the network needs none, and does not mind columns that
/// are sorted.
template <class Sort>
bool each_column(Index cols, const Sort& sort) {
  return memory_suffices([&] {
    for (Index j = 0; j < cols; ++j) sort(j);
  });
}

}  // namespace

template <class T>
void Engine<T>::argsort(const T* source, T* target, Index rows, Index cols) {
  if (rows == 0 || cols == 0) return;
  const char* const name = cudamat::name(Op::argsort).data();
  launch({name, dim3(blocks_for(rows * cols, kThreads))}, places_kernel<T>, target, rows,
         rows * cols);
  const auto radix = [&](Index j) {
    argsort_column(name, source + rows * j, target + rows * j, rows);
  };
  if (radix_is_faster(rows, cols, true) && each_column(cols, radix)) return;
  for (Index block = 2; block < 2 * rows; block *= 2)
    for (Index apart = block / 2; apart > 0; apart /= 2) {
      const Index comparators = comparators_in(rows, apart);
      launch({name, dim3(blocks_for(comparators, kThreads), blocks_for(cols, 1))},
             place_step_kernel<T>, source, target, rows, cols,
             Step<Index>{apart, apart == block / 2}, comparators);
    }
}

template void Engine<float>::argsort(const float*, float*, Index, Index);
template void Engine<double>::argsort(const double*, double*, Index, Index);

template <class T>
void Engine<T>::sort(T* data, Index rows, Index cols) {
  if (rows < 2 || cols == 0) return;
  const char* const name = cudamat::name(Op::sort).data();
  const auto radix = [&](Index j) { sort_column(name, data + rows * j, rows); };
  if (radix_is_faster(rows, cols, false) && each_column(cols, radix)) return;
  int shift = 1;
  while (1 << shift < std::min<Index>(rows, kPlaces)) ++shift;
  const Tiles tiles{rows, cols, shift, std::max(kSmall, 1 << shift)};
  sort_tiles<false>(name, data, tiles);
  for (Index block = 2 * kPlaces; block < 2 * rows; block *= 2) {
    for (Index apart = block / 2; apart >= kPlaces; apart /= 2)
      run_step(name, data, rows, cols, {apart, apart == block / 2});
    sort_tiles<true>(name, data, tiles);
  }
}

template void Engine<float>::sort(float*, Index, Index);
template void Engine<double>::sort(double*, Index, Index);

}  // namespace cudamat::cuda

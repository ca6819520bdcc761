// Counts and sums by key: the keys are sorted (sort_radix.hpp) as whole numbers of as many bits as
// they have, with the weights beside them; a binary search finds where each key begins. CUB's own
// sums by key are of no use here, since their order is a matter of timing.
//
// Sums have the order of detail/bins.hpp. On each level a key has a run of numbers, on the first
// one its weights, and each piece of a run becomes a number of the next level's run. A run that
// begins at b is followed by one that begins at b / kPiece + key on the next level: that leaves
// room for its pieces, whatever runs are beside it, so that no level needs a scan over the keys.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "cudamat/cuda/context.hpp"
#include "cudamat/cuda/count.hpp"
#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/launch.cuh"
#include "cudamat/cuda/memory.hpp"
#include "cudamat/cuda/sort_radix.hpp"
#include "cudamat/detail/bins.hpp"

namespace cudamat::cuda {
namespace {

using detail::kPiece;

constexpr const char* kName = "bincount";

using Place = unsigned long long;  // what atomicMin knows

constexpr Place kNone = ~Place(0);

template <class T>
__global__ void check_kernel(const T* a, Index n, Index size, Place* first) {
  Place mine = kNone;
  for (Index k = first_item(); k < n; k += stride())
    if (mine == kNone && !detail::is_place(a[k], size)) mine = Place(k);
  if (mine != kNone) atomicMin(first, mine);
}

template <class Key, class T>
__global__ void keys_kernel(const T* a, Index n, Key* keys) {
  for (Index k = first_item(); k < n; k += stride()) keys[k] = static_cast<Key>(a[k]);
}

/// Where the keys j and greater begin, for j <= size.
template <class Key>
__global__ void starts_kernel(const Key* keys, Index n, Index* starts, Index size) {
  for (Index j = first_item(); j <= size; j += stride()) {
    Index begin = 0;
    for (Index rest = n; rest > 0;) {
      const Index half = rest / 2;
      if (static_cast<Index>(keys[begin + half]) < j) {
        begin += half + 1;
        rest -= half + 1;
      } else {
        rest = half;
      }
    }
    starts[j] = begin;
  }
}

template <class T>
__global__ void counts_kernel(const Index* starts, T* target, Index size) {
  for (Index j = first_item(); j < size; j += stride())
    target[j] = static_cast<T>(starts[j + 1] - starts[j]);
}

/// The numbers of a key on a level.
struct Run {
  Index begin, count;
};

__device__ Run run_of(const Index* starts, Index key, int level) {
  Run run{starts[key], starts[key + 1] - starts[key]};
  for (; level > 0; --level) run = {run.begin / kPiece + key, (run.count + kPiece - 1) / kPiece};
  return run;
}

/// The last key whose run begins at `at` or before.
__device__ Index key_at(const Index* starts, Index size, int level, Index at) {
  Index key = 0;
  for (Index rest = size - 1; rest > 0;) {
    const Index half = (rest + 1) / 2;
    if (run_of(starts, key + half, level).begin <= at) {
      key += half;
      rest -= half;
    } else {
      rest = half - 1;
    }
  }
  return key;
}

template <class T>
__device__ T sum_of(const T* numbers, Index count) {
  T sum = 0;
  for (Index i = 0; i < count; ++i) sum += numbers[i];
  return sum;
}

/// The sums of a level's pieces, in the `room` places of the next level, of which some are
/// nobody's.
template <class T>
__global__ void pieces_kernel(const T* numbers, const Index* starts, Index size, int level, T* sums,
                              Index room) {
  for (Index at = first_item(); at < room; at += stride()) {
    const Index key = key_at(starts, size, level + 1, at);
    const Run to = run_of(starts, key, level + 1), from = run_of(starts, key, level);
    const Index piece = at - to.begin;
    if (piece < 0 || piece >= to.count) continue;
    const Index left = from.count - piece * kPiece;
    sums[at] = sum_of(numbers + from.begin + piece * kPiece, left < kPiece ? left : kPiece);
  }
}

/// Of the last level, where no key has more than a piece.
template <class T>
__global__ void sums_kernel(const T* numbers, const Index* starts, Index size, int level,
                            T* target) {
  for (Index j = first_item(); j < size; j += stride()) {
    const Run run = run_of(starts, j, level);
    target[j] = sum_of(numbers + run.begin, run.count);
  }
}

dim3 blocks(Index items) {
  return dim3(blocks_for(items, kThreads));
}

/// The places of the levels after the first: what each needs, and the most that one does.
struct Levels {
  int count = 0;
  Index most = 0;

  Levels(Index n, Index size) {
    Index room = n;
    for (Index longest = n; longest > kPiece; longest = (longest + kPiece - 1) / kPiece) {
      room = next(room, size);
      most = std::max(most, room);
      ++count;
    }
  }
  static Index next(Index room, Index size) { return room / kPiece + size; }
};

template <class T>
void add_up(const T* weights, const Index* starts, Index n, T* target, Index size,
            const Levels& levels, T* some, T* others) {
  const T* from = weights;
  Index room = n;
  for (int level = 0; level < levels.count; ++level) {
    room = Levels::next(room, size);
    T* const to = level % 2 == 0 ? some : others;
    launch({kName, blocks(room)}, pieces_kernel<T>, from, starts, size, level, to, room);
    from = to;
  }
  launch({kName, blocks(size)}, sums_kernel<T>, from, starts, size, levels.count, target);
}

}  // namespace

template <class T>
Index first_without_place(const T* a, Index n, Index size) {
  State& current = state();
  const Workspace<Place> first(1);
  CUDAMAT_CUDA(cudaMemsetAsync(first.data(), 0xFF, sizeof(Place), current.stream));
  launch({kName, blocks(n)}, check_kernel<T>, a, n, size, first.data());
  Place found = kNone;
  bytes_to_host(current, first.data(), &found, sizeof found);
  return found == kNone ? n : static_cast<Index>(found);
}

template <class T>
void count_by_key(const T* a, const T* weights, Index n, T* target, Index size) {
  using Key = Bits<T>;
  if (size == 0) return;
  if (n == 0) return Engine<T>::fill(target, size, T(0));
  const int bits = std::max(1, int(std::bit_width(static_cast<std::uint64_t>(size - 1))));
  const bool weighed = weights != nullptr;
  const Levels levels(weighed ? n : 0, size);
  const Workspace<Key> keys(n), other_keys(n);
  const Workspace<T> numbers(weighed ? n : 0), other_numbers(weighed ? n : 0);
  const Workspace<T> sums(levels.most), more(levels.count > 1 ? levels.most : 0);
  const Workspace<Index> starts(size + 1);
  RadixSort<Key> sort({keys.data(), other_keys.data()},
                      {as_bits(numbers.data()), as_bits(other_numbers.data())}, n, bits);
  launch({kName, blocks(n)}, keys_kernel<Key, T>, a, n, keys.data());
  if (weighed) Engine<T>::copy(weights, numbers.data(), n);
  sort.run();
  launch({kName, blocks(size + 1)}, starts_kernel<Key>, sort.keys(), n, starts.data(), size);
  if (weighed)
    add_up<T>(reinterpret_cast<const T*>(sort.beside()), starts.data(), n, target, size, levels,
              sums.data(), more.data());
  else
    launch({kName, blocks(size)}, counts_kernel<T>, starts.data(), target, size);
}

#define INSTANTIATE(T)                                        \
  template Index first_without_place(const T*, Index, Index); \
  template void count_by_key(const T*, const T*, Index, T*, Index);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace cudamat::cuda

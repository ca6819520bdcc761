// What values choose, by CUB's selections: in the order of the elements, and how many are known
// when it is done, which the host waits for. No sum of numbers is in it, so that what comes out is
// the same whatever the device and the timing.
//
// Distinct numbers are the last ones of each run of equal ones in the sorted numbers. (CUB's
// encoding of run lengths would give both at once, but takes no more than 2^31 elements.)
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "cudamat/cuda/context.hpp"
#include "cudamat/cuda/elementwise.cuh"
#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/memory.hpp"
#include "cudamat/cuda/sort_radix.hpp"
#include "cudamat/detail/bins.hpp"

namespace cudamat::cuda {
namespace {

using Flag = unsigned char;
using Places = thrust::counting_iterator<Index>;

/// flags[k] = whether the element is chosen.
template <class T, class Chosen>
__global__ void flags_kernel(const T* source, Index n, Chosen chosen, Flag* flags) {
  for (Index k = first_item(); k < n; k += stride()) flags[k] = chosen(source, k, n) ? 1 : 0;
}

struct NotZero {
  template <class T>
  __device__ bool operator()(const T* source, Index k, Index) const {
    return source[k] != T(0);
  }
};

/// In ascending order, NaNs last, which are equal here.
struct LastOfEqual {
  template <class T>
  __device__ bool operator()(const T* source, Index k, Index n) const {
    return k + 1 == n || detail::precedes(source[k], source[k + 1]);
  }
};

template <class T>
__global__ void numbers_kernel(const Index* places, T* target, Index n) {
  for (Index k = first_item(); k < n; k += stride()) target[k] = static_cast<T>(places[k]);
}

/// How long runs are that end at these places.
template <class T>
__global__ void lengths_kernel(const Index* ends, T* target, Index n) {
  for (Index k = first_item(); k < n; k += stride())
    target[k] = static_cast<T>(k == 0 ? ends[0] + 1 : ends[k] - ends[k - 1]);
}

template <class T, class Chosen>
void flag(const char* name, const T* source, Index n, const Chosen& chosen, Flag* flags) {
  launch({name, dim3(blocks_for(n, kThreads))}, flags_kernel<T, Chosen>, source, n, chosen, flags);
}

/// The items whose flags are set. All memory is there from the beginning: n items' in `to`, too.
template <class From, class Item>
class Selection {
 public:
  Selection(From from, const Flag* flags, Item* to, Index n)
      : from_(from), flags_(flags), to_(to), n_(n), count_(1), memory_(bytes_needed()) {}

  /// How many there are, when it is done.
  Index run() {
    select(memory_.data());
    Index count = 0;
    bytes_to_host(state(), count_.data(), &count, sizeof count);
    return count;
  }

 private:
  void select(void* memory) {
    CUDAMAT_CUDA(cub::DeviceSelect::Flagged(memory, bytes_, from_, flags_, to_, count_.data(), n_,
                                            state().stream));
  }
  Index bytes_needed() {
    select(nullptr);
    return static_cast<Index>(bytes_);
  }

  From from_;
  const Flag* flags_;
  Item* to_;
  Index n_;
  std::size_t bytes_ = 0;
  Workspace<Index> count_;
  Workspace<char> memory_;
};

template <class T>
__global__ void search_kernel(Side side, const T* edges, Index count, const T* source, T* target,
                              Index n) {
  for (Index k = first_item(); k < n; k += stride())
    target[k] = static_cast<T>(detail::edges_before(side, edges, count, source[k]));
}

}  // namespace

template <class T>
Index Engine<T>::select(const T* source, const T* mask, T* target, Index n) {
  if (n == 0) return 0;
  const Workspace<Flag> flags(n);
  Selection<const T*, T> selection(source, flags.data(), target, n);
  flag("select", mask, n, NotZero{}, flags.data());
  return selection.run();
}

template <class T>
Index Engine<T>::nonzero(const T* source, T* target, Index n) {
  if (n == 0) return 0;
  const char* const name = "nonzero";
  const Workspace<Flag> flags(n);
  const Workspace<Index> places(n);
  Selection<Places, Index> selection(Places(0), flags.data(), places.data(), n);
  flag(name, source, n, NotZero{}, flags.data());
  const Index count = selection.run();
  launch({name, dim3(blocks_for(count, kThreads))}, numbers_kernel<T>, places.data(), target,
         count);
  return count;
}

template <class T>
Index Engine<T>::unique(const T* source, T* target, T* counts, Index n) {
  if (n == 0) return 0;
  const char* const name = "unique";
  const Workspace<T> sorted(n);
  const Workspace<Flag> flags(n);
  const Workspace<Index> ends(counts != nullptr ? n : 0);
  Selection<const T*, T> selection(sorted.data(), flags.data(), target, n);
  Selection<Places, Index> of_ends(Places(0), flags.data(), ends.data(), n);
  copy(source, sorted.data(), n);
  sort_column(name, sorted.data(), n);
  flag(name, sorted.data(), n, LastOfEqual{}, flags.data());
  if (counts != nullptr) {
    const Index count = of_ends.run();
    launch({name, dim3(blocks_for(count, kThreads))}, lengths_kernel<T>, ends.data(), counts,
           count);
  }
  return selection.run();
}

template <class T>
void Engine<T>::search(Side side, const T* edges, Index count, const T* source, T* target,
                       Index n) {
  launch({"searchsorted", dim3(blocks_for(n, kThreads))}, search_kernel<T>, side, edges, count,
         source, target, n);
}

#define INSTANTIATE(T)                                             \
  template Index Engine<T>::select(const T*, const T*, T*, Index); \
  template Index Engine<T>::nonzero(const T*, T*, Index);          \
  template Index Engine<T>::unique(const T*, T*, T*, Index);       \
  template void Engine<T>::search(Side, const T*, Index, const T*, T*, Index);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace cudamat::cuda

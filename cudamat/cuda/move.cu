// Moving data: blocks, columns and elements by index.
#include <cmath>
#include <limits>

#include "cudamat/cuda/columns.cuh"
#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/memory.hpp"

namespace cudamat::cuda {
namespace {

/// The index that a number means among `count`: whole, negative from the end; -1 for none.
template <class T>
__device__ Index resolve(T number, Index count) {
  const T limit = T(count);
  if (!(number >= -limit && number < limit) || number != std::trunc(number)) return -1;
  const auto index = static_cast<Index>(number);
  return index < 0 ? index + count : index;
}

template <class T>
__device__ void set_to_nan(T& x) {
  x = std::numeric_limits<T>::quiet_NaN();
}
template <class T>
__device__ void set_to_nan(Pack<T>& x) {
  for (T& element : x.v) set_to_nan(element);
}

template <class ElementOf>
struct CopyBlock {
  using Element = ElementOf;
  const Element* source;
  Index source_ld;
  Element* target;
  Index target_ld;

  __device__ NoRow row(Index) const { return {}; }
  __device__ Element load(Index i, Index j) const { return source[i + source_ld * j]; }
  __device__ void store(Index i, Index j, const Element& x, NoRow) const {
    target[i + target_ld * j] = x;
  }
};

template <class ElementOf, class T>
struct GatherColumns {
  using Element = ElementOf;
  const Element* source;
  const T* indices;
  Element* target;
  Index height, cols;

  __device__ NoRow row(Index) const { return {}; }
  __device__ Element load(Index i, Index k) const {
    const Index j = resolve(indices[k], cols);
    Element x;
    if (j < 0)
      set_to_nan(x);
    else
      x = source[i + height * j];
    return x;
  }
  __device__ void store(Index i, Index k, const Element& x, NoRow) const {
    target[i + height * k] = x;
  }
};

using Last = unsigned long long;  // 1 + the number of the column that is copied

/// Of the columns for one place the last is copied, and only that one.
template <class ElementOf, class T>
struct ScatterColumns {
  using Element = ElementOf;
  const Element* source;
  const T* indices;
  const Last* lasts;
  Element* target;
  Index height, cols;

  struct Loaded {
    Element x;
    Index j;  // where it goes; -1: nowhere
  };
  __device__ NoRow row(Index) const { return {}; }
  __device__ Loaded load(Index i, Index k) const {
    const Index j = resolve(indices[k], cols);
    return {source[i + height * k], j >= 0 && lasts[j] == Last(k) + 1 ? j : -1};
  }
  __device__ void store(Index i, Index, const Loaded& loaded, NoRow) const {
    if (loaded.j >= 0) target[i + height * loaded.j] = loaded.x;
  }
};

/// Only the places that are named get a last; the others are never looked at.
template <class T>
__global__ void clear_lasts_kernel(const T* indices, Index count, Index cols, Last* lasts) {
  for (Index k = first_item(); k < count; k += stride())
    if (const Index j = resolve(indices[k], cols); j >= 0) lasts[j] = 0;
}

template <class T>
__global__ void find_lasts_kernel(const T* indices, Index count, Index cols, Last* lasts) {
  for (Index k = first_item(); k < count; k += stride())
    if (const Index j = resolve(indices[k], cols); j >= 0) atomicMax(&lasts[j], Last(k) + 1);
}

/// vec may be the indices themselves.
template <class T>
__global__ void per_row_kernel(PerRowCall<T> call) {
  const Index count = call.along_rows ? call.rows : call.cols;
  const Index length = call.along_rows ? call.cols : call.rows;
  for (Index i = first_item(); i < count; i += stride()) {
    const Index j = resolve(call.indices[i], length);
    T* const element =
        j < 0 ? nullptr : call.mat + (call.along_rows ? i + call.rows * j : j + call.rows * i);
    switch (call.what) {
      case PerRow::Get:
        if (element != nullptr)
          call.vec[i] = *element;
        else
          set_to_nan(call.vec[i]);
        break;
      case PerRow::Set:
        if (element != nullptr) *element = call.vec != nullptr ? call.vec[i] : call.scalar;
        break;
      case PerRow::Increment:
        if (element != nullptr) *element += T(1);
        break;
    }
  }
}

}  // namespace

template <class T>
void Engine<T>::copy_block(const BlockCall<T>& call) {
  constexpr Index kSize = Pack<T>::kSize;
  const auto& [rows, cols, source, source_ld, target, target_ld] = call;
  if (rows == 0 || cols == 0) return;
  const bool contiguous = source_ld == rows && target_ld == rows;
  if (contiguous || cols == 1) return copy(source, target, rows * cols);
  if (whole_packs<T>(rows, source_ld, target_ld) && all_aligned(source, target))
    for_columns("copy_block",
                CopyBlock<Pack<T>>{as_packs(source), source_ld / kSize, as_packs(target),
                                   target_ld / kSize},
                rows / kSize, cols);
  else
    for_columns("copy_block", CopyBlock<T>{source, source_ld, target, target_ld}, rows, cols);
}

template <class T>
void Engine<T>::gather_columns(const SelectCall<T>& call) {
  const char* const op = cudamat::name(Op::select_columns).data();
  const auto& [rows, cols, count, source, indices, target] = call;
  if (whole_packs<T>(rows) && all_aligned(source, target)) {
    const Index height = rows / Pack<T>::kSize;
    for_columns(
        op, GatherColumns<Pack<T>, T>{as_packs(source), indices, as_packs(target), height, cols},
        height, count);
  } else {
    for_columns(op, GatherColumns<T, T>{source, indices, target, rows, cols}, rows, count);
  }
}

template <class T>
void Engine<T>::scatter_columns(const SelectCall<T>& call) {
  const char* const op = cudamat::name(Op::set_selected_columns).data();
  const auto& [rows, cols, count, source, indices, target] = call;
  if (rows == 0 || cols == 0 || count == 0) return;
  const Workspace<Last> lasts(cols);
  const Grid grid{op, dim3(blocks_for(count, kThreads))};
  launch(grid, clear_lasts_kernel<T>, indices, count, cols, lasts.data());
  launch(grid, find_lasts_kernel<T>, indices, count, cols, lasts.data());
  if (whole_packs<T>(rows) && all_aligned(source, target)) {
    const Index height = rows / Pack<T>::kSize;
    for_columns(op,
                ScatterColumns<Pack<T>, T>{as_packs(source), indices, lasts.data(),
                                           as_packs(target), height, cols},
                height, count);
  } else {
    for_columns(op, ScatterColumns<T, T>{source, indices, lasts.data(), target, rows, cols}, rows,
                count);
  }
}

template <class T>
void Engine<T>::per_row(const PerRowCall<T>& call) {
  const Index count = call.along_rows ? call.rows : call.cols;
  launch({"per_row", dim3(blocks_for(count, kThreads))}, per_row_kernel<T>, call);
}

#define INSTANTIATE(T)                                            \
  template void Engine<T>::copy_block(const BlockCall<T>&);       \
  template void Engine<T>::gather_columns(const SelectCall<T>&);  \
  template void Engine<T>::scatter_columns(const SelectCall<T>&); \
  template void Engine<T>::per_row(const PerRowCall<T>&);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace cudamat::cuda

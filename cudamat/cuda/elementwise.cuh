// Functions of corresponding elements of up to three matrices: fill, where and most of map.
//
// The matrices are cut into chunks, one for a block at a time, and these into parts, of which every
// thread has 16 bytes. Where all operands lie equally to a 16-byte boundary (they nearly always
// do), a thread's elements are neighbours and travel in one access; otherwise they lie a block's
// width apart, and a warp's accesses are still of neighbouring addresses. What no whole chunk
// covers is done element by element.
#pragma once

#include <algorithm>

#include "cudamat/cuda/launch.cuh"

namespace cudamat::cuda {

/// Elements of a part.
template <class T>
inline constexpr Index kPart = Index(kThreads) * Pack<T>::kSize;

/// Parts of a chunk: loads of one operand that a thread has under way at once.
inline constexpr int kParts = 2;

template <class T>
inline constexpr Index kChunk = Index(kParts) * kPart<T>;

/// The N operands, or what one thread has of each.
template <class Operand, int N>
struct Operands {
  Operand at[N == 0 ? 1 : N];
};

/// f of element e of each part.
template <class F, class T, int N>
__device__ T evaluate(const F& f, const Operands<Pack<T>, N>& parts, int e) {
  if constexpr (N == 0)
    return f();
  else if constexpr (N == 1)
    return f(parts.at[0].v[e]);
  else if constexpr (N == 2)
    return f(parts.at[0].v[e], parts.at[1].v[e]);
  else
    return f(parts.at[0].v[e], parts.at[1].v[e], parts.at[2].v[e]);
}

/// This thread's 16 bytes of the part at `start` of each operand.
template <class T, int N>
__device__ Operands<Pack<T>, N> load_parts(const Operands<const T*, N>& from, Index start,
                                           bool packs) {
  Operands<Pack<T>, N> parts{};
#pragma unroll
  for (int s = 0; s < N; ++s) {
    const T* const part = from.at[s] + start;
    if (packs) {
      parts.at[s] = reinterpret_cast<const Pack<T>*>(part)[threadIdx.x];
    } else {
#pragma unroll
      for (int e = 0; e < Pack<T>::kSize; ++e) parts.at[s].v[e] = part[threadIdx.x + e * kThreads];
    }
  }
  return parts;
}

template <class T>
__device__ void store_part(T* part, const Pack<T>& value, bool packs) {
  if (packs) {
    reinterpret_cast<Pack<T>*>(part)[threadIdx.x] = value;
  } else {
#pragma unroll
    for (int e = 0; e < Pack<T>::kSize; ++e) part[threadIdx.x + e * kThreads] = value.v[e];
  }
}

/// target[k] = f(operands[k]...) for k < n; the chunks begin at `head`. The target may be an
/// operand: no thread reads what another writes.
template <class F, class T, int N>
__global__ void elementwise_kernel(F f, Operands<const T*, N> from, T* target, Index n, Index head,
                                   bool packs) {
  const Index covered = (n - head) / kChunk<T> * kChunk<T>;
  for (Index start = blockIdx.x * kChunk<T>; start < covered; start += stride_x() * kChunk<T>) {
    Operands<Pack<T>, N> parts[kParts];
#pragma unroll
    for (int p = 0; p < kParts; ++p)
      parts[p] = load_parts(from, head + start + p * kPart<T>, packs);
#pragma unroll
    for (int p = 0; p < kParts; ++p) {
      Pack<T> result;
#pragma unroll
      for (int e = 0; e < Pack<T>::kSize; ++e) result.v[e] = evaluate<F, T, N>(f, parts[p], e);
      store_part(target + head + start + p * kPart<T>, result, packs);
    }
  }
#pragma unroll 1  // counting the turns beforehand would take a division of 64 bits
  for (Index k = first_item(); k < n - covered; k += stride()) {
    const Index at = k < head ? k : k + covered;
    Operands<Pack<T>, N> element{};
#pragma unroll
    for (int s = 0; s < N; ++s) element.at[s].v[0] = from.at[s][at];
    target[at] = evaluate<F, T, N>(f, element, 0);
  }
}

/// Queues target[k] = f(operands[k]...) for k < n.
template <class F, class T, class... Sources>
void elementwise(const char* name, const F& f, T* target, Index n, const Sources*... sources) {
  constexpr int kCount = sizeof...(Sources);
  const auto phase = [](const T* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(Pack<T>);
  };
  const bool packs = ((phase(sources) == phase(target)) && ...);
  const auto missing = Index(sizeof(Pack<T>) - phase(target)) / Index(sizeof(T));
  // Where chunks would leave multiprocessors idle, all of it is done element by element.
  const bool small = n < kChunk<T> * known_state().multiprocessors;
  const Index head = small ? n : packs ? missing % Pack<T>::kSize : 0;
  launch({name, dim3(blocks_for(n, small ? kThreads : kChunk<T>))},
         elementwise_kernel<F, T, kCount>, f, Operands<const T*, kCount>{{sources...}}, target, n,
         head, packs);
}

}  // namespace cudamat::cuda

// Random numbers by a kernel of ours: every thread computes what it stores from the seed and the
// position alone, so nothing is kept between draws and a draw from anywhere costs the same.
#include <algorithm>

#include "cudamat/box_muller.hpp"
#include "cudamat/cuda/packs.cuh"
#include "cudamat/cuda/random.hpp"
#include "cudamat/philox.hpp"

namespace cudamat::cuda {
namespace {

/// Packs that a thread computes side by side: Philox is one long chain of dependent products.
constexpr int kPacks = 2;

/// Values that a block draws at a time.
template <class T>
constexpr Index kDraws = Index(kPacks) * kThreads* Pack<T>::kSize;

/// kWhole: the values begin with a counter, and are all that it gives.
template <bool kWhole, Distribution kWhich, class T, int kCount>
__device__ void make(const Drawn& drawn, Index k, T (&values)[kCount]) {
  const std::uint64_t position = drawn.position + static_cast<std::uint64_t>(k);
  if constexpr (kWhich == Distribution::Uniform && kWhole)
    philox_uniforms_of_counter(drawn.seed, position, values);
  else if constexpr (kWhich == Distribution::Uniform)
    philox_uniforms(drawn.seed, position, values);
  else if constexpr (kWhole)
    philox_normals_of_counter(drawn.seed, position, values);
  else
    philox_normals(drawn.seed, position, values);
}

/// target[k], k < n; what a block draws at a time begins at `head`. kWhole: its packs are those of
/// a counter; otherwise two counters are computed for each. The rest is drawn value by value.
template <Distribution kWhich, bool kWhole, class T>
__device__ void draw(const Drawn& drawn, T* target, Index n, Index head) {
  constexpr int kSize = Pack<T>::kSize;
  const Index covered = (n - head) / kDraws<T> * kDraws<T>;
  for (Index start = blockIdx.x * kDraws<T>; start < covered; start += stride_x() * kDraws<T>) {
    Pack<T> made[kPacks];
    const Index first = head + start + kSize * Index(threadIdx.x);
#pragma unroll
    for (int p = 0; p < kPacks; ++p)
      make<kWhole, kWhich>(drawn, first + p * kSize * kThreads, made[p].v);
#pragma unroll
    for (int p = 0; p < kPacks; ++p)
      *reinterpret_cast<Pack<T>*>(target + first + p * kSize * kThreads) = made[p];
  }
#pragma unroll 1  // counting the turns beforehand would take a division of 64 bits
  for (Index k = first_item(); k < n - covered; k += stride()) {
    const Index at = k < head ? k : k + covered;
    T value[1];
    make<false, kWhich>(drawn, at, value);
    target[at] = value[0];
  }
}

template <class T>
CUDAMAT_HD bool is_whole(const Drawn& drawn, Index head) {
  return (drawn.position + std::uint64_t(head)) % Pack<T>::kSize == 0;
}

template <Distribution kWhich, bool kWhole, class T>
__global__ void draw_kernel(Drawn drawn, T* target, Index n, Index head) {
  draw<kWhich, kWhole>(drawn, target, n, head);
}

/// The same from a place that is not known before.
template <Distribution kWhich, class T>
__global__ void draw_since_kernel(Drawn drawn, T* target, Index n, Index head) {
  const Drawn place = drawn.place();
  if (is_whole<T>(place, head))
    draw<kWhich, true>(place, target, n, head);
  else
    draw<kWhich, false>(place, target, n, head);
}

template <Distribution kWhich, class T>
auto kernel_of(const Drawn& drawn, Index head) {
  if (drawn.since != nullptr) return draw_since_kernel<kWhich, T>;
  return is_whole<T>(drawn, head) ? draw_kernel<kWhich, true, T> : draw_kernel<kWhich, false, T>;
}

__global__ void store_place_kernel(Drawn drawn, Drawn* place) {
  *place = drawn;
}

}  // namespace

template <class T>
void draw_at(const Drawn& drawn, Distribution which, T* target, Index n) {
  const auto address = reinterpret_cast<std::uintptr_t>(target);
  const Index head = std::min<Index>(n, Index(-address % sizeof(Pack<T>) / sizeof(T)));
  const bool uniform = which == Distribution::Uniform;
  launch({uniform ? "fill_with_rand" : "fill_with_randn",
          dim3(blocks_for(n, n < kDraws<T> ? kThreads : kDraws<T>))},
         uniform ? kernel_of<Distribution::Uniform, T>(drawn, head)
                 : kernel_of<Distribution::Normal, T>(drawn, head),
         drawn, target, n, head);
}

void store_place(const Drawn& drawn, Drawn* place) {
  launch({"place in the random numbers", dim3(1), dim3(1)}, store_place_kernel, drawn, place);
}

template void draw_at(const Drawn&, Distribution, float*, Index);
template void draw_at(const Drawn&, Distribution, double*, Index);

}  // namespace cudamat::cuda

// The kernels of fused statements: what is the same for all of them. What is not, the Body, is text
// that cudamat/code/fused_source.hpp makes; the compiler at run time sees both.
//
// A thread's item is kPack neighbouring elements of a column, which travel in one access, or, where
// a column begins or ends inside them, element by element; with packs of 16 bytes `shift` is where
// the first element of every column lies after a 16-byte boundary. Loads of several items are
// under way at once.
//
// A Body has
//   Value                          float or double
//   kPack, kBatch                  elements of an item; items whose loads are under way at once
//   kInputs, kUniforms,
//   kNumbers, kTargets, kValues    how many; the first values are those of the targets
//   spread(s)                      how input s lies
//   compute(in, drawn, number, out)  the values, of the inputs and draws of one element
//
// Uniforms are drawn where they are used: that of element k of the space, counted column by column,
// is number k of the draw. A pack is what one counter of the generator gives, or parts of two.
#pragma once

#include "cudamat/cuda/threads.cuh"
#include "cudamat/functors.hpp"
#include "cudamat/philox.hpp"
#include "cudamat/spread.hpp"

namespace cudamat::cuda {

__host__ __device__ constexpr int at_least_one(int count) {
  return count == 0 ? 1 : count;
}

/// What a launch computes of, as in FusedCall: every member is of words of 8 bytes, or numbers of
/// the type at the end.
template <class Body>
struct FusedArguments {
  Index rows;
  Index cols;
  Index shift;
  Index groups;  ///< a thread goes on to the same place in every groups-th column
  const typename Body::Value* inputs[at_least_one(Body::kInputs)];
  Index input_ld[at_least_one(Body::kInputs)];
  typename Body::Value* targets[at_least_one(Body::kTargets)];
  Index target_ld[at_least_one(Body::kTargets)];
  Drawn draws[at_least_one(Body::kUniforms)];
  typename Body::Value numbers[at_least_one(Body::kNumbers)];
};

/// Stores in one access: what is held in registers compilers may store in four.
template <class T, int kCount>
__device__ void store(T* at, const Pack<T, kCount>& pack) {
#ifdef __CUDACC__
  if constexpr (kCount == 4)
    asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(at)),
                 "f"(pack.v[0]), "f"(pack.v[1]), "f"(pack.v[2]), "f"(pack.v[3])
                 : "memory");
  else if constexpr (kCount == 2)
    asm volatile("st.global.v2.f64 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(at)),
                 "d"(pack.v[0]), "d"(pack.v[1])
                 : "memory");
  else
    at[0] = pack.v[0];
#else
  *reinterpret_cast<Pack<T, kCount>*>(at) = pack;
#endif
}

template <class Body>
struct FusedKernel {
  using T = typename Body::Value;
  static constexpr int kPack = Body::kPack;
  static constexpr int kInputs = at_least_one(Body::kInputs);
  static constexpr int kUniforms = at_least_one(Body::kUniforms);
  using Item = Pack<T, kPack>;

  /// What an item has of each input.
  struct Values {
    Item of[kInputs];
  };

  const FusedArguments<Body>& call;

  // ---- items of which all elements are there, the first one at row `first` ----

  __device__ bool is_full(Index first) const { return first >= 0 && first + kPack <= call.rows; }

  /// What is the same in all columns.
  __device__ void load_shared(Values& values, Index first) const {
#pragma unroll
    for (int s = 0; s < Body::kInputs; ++s) {
      if (Body::spread(s) == Spread::One) values.of[s].v[0] = call.inputs[s][0];
      if (Body::spread(s) != Spread::Column) continue;
#pragma unroll
      for (int e = 0; e < kPack; ++e) values.of[s].v[e] = call.inputs[s][first + e];
    }
  }

  __device__ void load(Values& values, Index first, Index j) const {
#pragma unroll
    for (int s = 0; s < Body::kInputs; ++s) {
      const T* const column = call.inputs[s] + call.input_ld[s] * j;
      if (Body::spread(s) == Spread::Row) values.of[s].v[0] = column[0];
      if (Body::spread(s) == Spread::Whole)
        values.of[s] = *reinterpret_cast<const Item*>(column + first);
    }
  }

  /// Element (i, j) of the draws, and those that follow it in an item.
  template <int kCount>
  __device__ void draw(T (&drawn)[kUniforms][kCount], Index i, Index j) const {
#pragma unroll
    for (int d = 0; d < Body::kUniforms; ++d) {
      const Drawn place = call.draws[d].place();
      philox_uniforms(place.seed, place.position + i + call.rows * j, drawn[d]);
    }
  }

  /// And stores what targets hold.
  __device__ void compute(const Values& values, const Values& shared, Index first, Index j,
                          Item (&results)[Body::kValues]) const {
    T drawn[kUniforms][kPack];
    draw(drawn, first, j);
#pragma unroll
    for (int e = 0; e < kPack; ++e) {
      T in[kInputs];
      T uniforms[kUniforms];
      T out[Body::kValues];
#pragma unroll
      for (int d = 0; d < Body::kUniforms; ++d) uniforms[d] = drawn[d][e];
#pragma unroll
      for (int s = 0; s < Body::kInputs; ++s)
        in[s] = Body::spread(s) == Spread::Whole    ? values.of[s].v[e]
                : Body::spread(s) == Spread::Row    ? values.of[s].v[0]
                : Body::spread(s) == Spread::Column ? shared.of[s].v[e]
                                                    : shared.of[s].v[0];
      Body::compute(in, uniforms, call.numbers, out);
#pragma unroll
      for (int t = 0; t < Body::kValues; ++t) results[t].v[e] = out[t];
    }
#pragma unroll
    for (int t = 0; t < Body::kTargets; ++t)
      store(call.targets[t] + call.target_ld[t] * j + first, results[t]);
  }

  __device__ void compute(const Values& values, const Values& shared, Index first, Index j) const {
    Item results[Body::kValues];
    compute(values, shared, first, j, results);
  }

  // ---- other items, element by element ----

  __device__ void compute_element(Index i, Index j, T (&out)[Body::kValues]) const {
    T in[kInputs];
    T drawn[kUniforms][1];
    draw(drawn, i, j);
#pragma unroll
    for (int s = 0; s < Body::kInputs; ++s) {
      const Spread spread = Body::spread(s);
      const Index row = spread == Spread::Whole || spread == Spread::Column ? i : 0;
      const Index column = spread == Spread::Whole || spread == Spread::Row ? j : 0;
      in[s] = call.inputs[s][row + call.input_ld[s] * column];
    }
    Body::compute(in, &drawn[0][0], call.numbers, out);
#pragma unroll
    for (int t = 0; t < Body::kTargets; ++t) call.targets[t][i + call.target_ld[t] * j] = out[t];
  }

  /// Of the item that begins at row `first`, in a column.
  __device__ void compute_some(Index first, Index j) const {
#pragma unroll 1
    for (Index i = first < 0 ? 0 : first; i < first + kPack && i < call.rows; ++i) {
      T out[Body::kValues];
      compute_element(i, j, out);
    }
  }

  // ---- all of it ----

  /// Items of a column.
  __device__ Index height() const {
    return (call.shift + call.rows + kPack - 1) / kPack;
  }

  /// One column, long or not: neither Rows nor Columns are among the inputs.
  __device__ void flat() const {
    Values shared;
    load_shared(shared, 0);
    const Index items = height();
    for (Index item = (first_item() - threadIdx.x) * Body::kBatch + threadIdx.x; item < items;
         item += Body::kBatch * stride()) {
      const Index first = item * kPack - call.shift;
      constexpr Index kApart = kThreads * kPack;
      Values values[Body::kBatch];
#pragma unroll
      for (int u = 0; u < Body::kBatch; ++u)
        if (is_full(first + u * kApart)) load(values[u], first + u * kApart, 0);
#pragma unroll
      for (int u = 0; u < Body::kBatch; ++u)
        if (is_full(first + u * kApart)) compute(values[u], shared, first + u * kApart, 0);
#pragma unroll 1
      for (int u = 0; u < Body::kBatch; ++u)
        if (!is_full(first + u * kApart)) compute_some(first + u * kApart, 0);
    }
  }

  /// Columns begin to end, by the threads of a block.
  __device__ void of_block(Index begin, Index end) const {
    const Index threads = Index(blockDim.x) * blockDim.y * blockDim.z;
    const Index thread = threadIdx.x + Index(blockDim.x) * (threadIdx.y + blockDim.y * threadIdx.z);
    for (Index j = begin; j < end; ++j)
      for (Index item = thread; item < height(); item += Body::kBatch * threads) {
        const Index first = item * kPack - call.shift;
        const Index apart = threads * kPack;
        Values values[Body::kBatch], shared[Body::kBatch];
#pragma unroll
        for (int u = 0; u < Body::kBatch; ++u)
          if (is_full(first + u * apart)) {
            load_shared(shared[u], first + u * apart);
            load(values[u], first + u * apart, j);
          }
#pragma unroll
        for (int u = 0; u < Body::kBatch; ++u)
          if (is_full(first + u * apart)) compute(values[u], shared[u], first + u * apart, j);
#pragma unroll 1
        for (int u = 0; u < Body::kBatch; ++u)
          if (!is_full(first + u * apart)) compute_some(first + u * apart, j);
      }
  }

  /// As in columns.cuh.
  __device__ void columns() const {
    const Index groups = call.groups;
    for (Index item = first_item(); item < height() * groups; item += stride()) {
      const Index begin = groups == 1 ? 0 : item / height();
      const Index first = (item - begin * height()) * kPack - call.shift;
      if (is_full(first))
        full_items(first, begin);
      else
        for (Index j = begin; j < call.cols; j += groups) compute_some(first, j);
    }
  }

  __device__ void full_items(Index first, Index begin) const {
    const Index groups = call.groups;
    Values shared;
    load_shared(shared, first);
    for (Index j = begin; j < call.cols; j += Body::kBatch * groups) {
      Values values[Body::kBatch];
#pragma unroll
      for (int u = 0; u < Body::kBatch; ++u)
        if (j + u * groups < call.cols) load(values[u], first, j + u * groups);
#pragma unroll
      for (int u = 0; u < Body::kBatch; ++u)
        if (j + u * groups < call.cols) compute(values[u], shared, first, j + u * groups);
    }
  }
};

}  // namespace cudamat::cuda

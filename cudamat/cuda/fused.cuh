// The kernels of fused statements: what is the same for all of them. What is not, the Body, is text
// that cudamat/code/fused_source.hpp makes; the compiler at run time sees both.
//
// A thread's item is kPack neighbouring elements of a column, which travel in one access, or, where
// a column begins or ends inside them, element by element; with packs of 16 bytes `shift` is where
// the first element of every column lies behind a 16-byte boundary. Loads of several items are
// under way at once.
//
// A Body has
//   Value                          float or double
//   kPack, kBatch                  elements of an item; items whose loads are under way at once
//   kInputs, kNumbers, kTargets    how many
//   spread(s)                      how input s lies
//   compute(in, number, out)       the values to store, of the inputs of one element
#pragma once

#include "cudamat/cuda/threads.cuh"
#include "cudamat/functors.hpp"
#include "cudamat/spread.hpp"

namespace cudamat::cuda {

__host__ __device__ constexpr int at_least_one(int count) {
  return count == 0 ? 1 : count;
}

/// What a launch computes of, as in FusedCall: every member is 8 bytes, or numbers of the type at
/// the end.
template <class Body>
struct FusedArguments {
  Index rows;
  Index cols;
  Index shift;
  Index groups;  ///< a thread goes on to the same place in every groups-th column
  const typename Body::Value* inputs[at_least_one(Body::kInputs)];
  Index input_ld[at_least_one(Body::kInputs)];
  typename Body::Value* targets[Body::kTargets];
  Index target_ld[Body::kTargets];
  typename Body::Value numbers[at_least_one(Body::kNumbers)];
};

template <class Body>
struct FusedKernel {
  using T = typename Body::Value;
  static constexpr int kPack = Body::kPack;
  static constexpr int kInputs = at_least_one(Body::kInputs);

  /// What an item has of each input.
  struct Values {
    Pack<T, kPack> of[kInputs];
  };

  const FusedArguments<Body>& call;

  /// Whether all elements of the item that begins at row `first` are there.
  __device__ bool is_full(Index first) const {
    return kPack == 1 || (first >= 0 && first + kPack <= call.rows);
  }
  __device__ bool has(Index row) const { return kPack == 1 || (row >= 0 && row < call.rows); }

  /// What is the same in all columns.
  __device__ void load_shared(Values& values, Index first) const {
#pragma unroll
    for (int s = 0; s < Body::kInputs; ++s) {
      if (Body::spread(s) == Spread::One) values.of[s].v[0] = call.inputs[s][0];
      if (Body::spread(s) == Spread::Column) {
#pragma unroll
        for (int e = 0; e < kPack; ++e)
          if (has(first + e)) values.of[s].v[e] = call.inputs[s][first + e];
      }
    }
  }

  __device__ void load(Values& values, Index first, Index j) const {
#pragma unroll
    for (int s = 0; s < Body::kInputs; ++s) {
      const T* const column = call.inputs[s] + call.input_ld[s] * j;
      if (Body::spread(s) == Spread::Row) values.of[s].v[0] = column[0];
      if (Body::spread(s) != Spread::Whole) continue;
      if (is_full(first)) {
        values.of[s] = *reinterpret_cast<const Pack<T, kPack>*>(column + first);
      } else {
#pragma unroll
        for (int e = 0; e < kPack; ++e)
          if (has(first + e)) values.of[s].v[e] = column[first + e];
      }
    }
  }

  __device__ void compute_and_store(const Values& values, const Values& shared, Index first,
                                    Index j) const {
    Pack<T, kPack> results[Body::kTargets];
#pragma unroll
    for (int e = 0; e < kPack; ++e) {
      T in[kInputs];
      T out[Body::kTargets];
#pragma unroll
      for (int s = 0; s < Body::kInputs; ++s)
        in[s] = Body::spread(s) == Spread::Whole    ? values.of[s].v[e]
                : Body::spread(s) == Spread::Row    ? values.of[s].v[0]
                : Body::spread(s) == Spread::Column ? shared.of[s].v[e]
                                                    : shared.of[s].v[0];
      Body::compute(in, call.numbers, out);
#pragma unroll
      for (int t = 0; t < Body::kTargets; ++t) results[t].v[e] = out[t];
    }
#pragma unroll
    for (int t = 0; t < Body::kTargets; ++t) {
      T* const column = call.targets[t] + call.target_ld[t] * j;
      if (is_full(first)) {
        *reinterpret_cast<Pack<T, kPack>*>(column + first) = results[t];
      } else {
#pragma unroll
        for (int e = 0; e < kPack; ++e)
          if (has(first + e)) column[first + e] = results[t].v[e];
      }
    }
  }

  /// Items of a column.
  __device__ Index height() const {
    return (call.shift + call.rows + kPack - 1) / kPack;
  }

  /// One column, long or not: neither Rows nor Columns are among the inputs.
  __device__ void flat() const {
    Values shared{};
    load_shared(shared, 0);
    const Index items = height();
    for (Index item = (first_item() - threadIdx.x) * Body::kBatch + threadIdx.x; item < items;
         item += Body::kBatch * stride()) {
      Values values[Body::kBatch]{};
#pragma unroll
      for (int u = 0; u < Body::kBatch; ++u)
        if (item + u * kThreads < items)
          load(values[u], (item + u * kThreads) * kPack - call.shift, 0);
#pragma unroll
      for (int u = 0; u < Body::kBatch; ++u)
        if (item + u * kThreads < items)
          compute_and_store(values[u], shared, (item + u * kThreads) * kPack - call.shift, 0);
    }
  }

  /// As in columns.cuh.
  __device__ void columns() const {
    const Index groups = call.groups;
    for (Index item = first_item(); item < height() * groups; item += stride()) {
      const Index begin = groups == 1 ? 0 : item / height();
      const Index first = (item - begin * height()) * kPack - call.shift;
      Values shared{};
      load_shared(shared, first);
      for (Index j = begin; j < call.cols; j += Body::kBatch * groups) {
        Values values[Body::kBatch]{};
#pragma unroll
        for (int u = 0; u < Body::kBatch; ++u)
          if (j + u * groups < call.cols) load(values[u], first, j + u * groups);
#pragma unroll
        for (int u = 0; u < Body::kBatch; ++u)
          if (j + u * groups < call.cols)
            compute_and_store(values[u], shared, first, j + u * groups);
      }
    }
  }
};

}  // namespace cudamat::cuda

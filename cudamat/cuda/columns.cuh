// Work on matrices column by column: broadcasts, blocks with leading dimensions, columns by index.
//
// An item is one element (or pack) of a column in the first `groups` columns; its thread goes on to
// the same place in every groups-th column. So a thread stays in its row, divides at most once an
// item, and neighbouring threads have neighbouring addresses whether columns are long or short.
#pragma once

#include <algorithm>

#include "cudamat/cuda/packs.cuh"

namespace cudamat::cuda {

/// A body has
///   Element     what is moved at a time: T or Pack<T>
///   row(i)      what all columns share, read once an item
///   load(i, j)  all that store needs besides, read for several columns before the first store
///   store(i, j, loaded, row)
/// It may write what it reads, element by element.
template <class Body>
__global__ void columns_kernel(Body body, Index height, Index cols, Index groups) {
  constexpr int kBatch = sizeof(typename Body::Element) == 16 ? 2 : 4;
  for (Index item = first_item(); item < height * groups; item += stride()) {
    const Index first = groups == 1 ? 0 : item / height;
    const Index i = item - first * height;
    const auto row = body.row(i);
    for (Index j = first; j < cols; j += kBatch * groups) {
      decltype(body.load(i, j)) loaded[kBatch]{};
#pragma unroll
      for (int u = 0; u < kBatch; ++u)
        if (j + u * groups < cols) loaded[u] = body.load(i, j + u * groups);
#pragma unroll
      for (int u = 0; u < kBatch; ++u)
        if (j + u * groups < cols) body.store(i, j + u * groups, loaded[u], row);
    }
  }
}

/// Runs the body over cols columns of `height` elements.
template <class Body>
void for_columns(const char* name, const Body& body, Index height, Index cols) {
  if (height == 0 || cols == 0) return;
  const Index threads = Index(kThreads) * blocks_for(height * cols, kThreads);
  const Index groups = std::clamp(threads / height, Index(1), cols);
  launch({name, dim3(blocks_for(height * groups, kThreads))}, columns_kernel<Body>, body, height,
         cols, groups);
}

/// Where all columns share nothing.
struct NoRow {};

}  // namespace cudamat::cuda

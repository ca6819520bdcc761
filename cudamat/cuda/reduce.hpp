// Reductions that other kernels have begun, by the plans of reduce_planner.hpp.
#pragma once

#include "cudamat/cuda/reduce_plan.hpp"
#include "cudamat/op_table.hpp"

namespace cudamat::cuda {

/// Queues the rest of a reduction over an axis, none of CUDAMAT_ARG_OPS: `parts` are what its
/// pieces gave, before x pieces x after.
template <class T>
void reduce_parts(Op op, const Segments& shape, const T* parts, const Update<T>& result);

}  // namespace cudamat::cuda

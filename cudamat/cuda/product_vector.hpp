// Products of a matrix and a vector.
#pragma once

#include "cudamat/engine.hpp"

namespace cudamat::cuda {

/// Queues the product `call`, where m or n is 1 and none of its extents 0: summed as reductions
/// are, in an order that depends on the extents and flags alone.
template <class T>
void vector_product(const GemmCall<T>& call);

}  // namespace cudamat::cuda

// Products of a matrix and a vector.
#pragma once

#include "cudamat/engine.hpp"

namespace npmat {

/// The product `call` where m or n is 1, none of its extents 0: summed as reductions are, in double
/// for float, in an order that depends on the extents and flags alone. It is rounded to T before
/// alpha, and then beta * c, come to it.
template <class T>
void vector_product(const cudamat::GemmCall<T>& call);

}  // namespace npmat

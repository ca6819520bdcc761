// Products of a matrix and a vector: sums over the matrix's rows or columns, its numbers weighted.
#include "cudamat/cuda/product_vector.hpp"
#include "cudamat/cuda/reduce.cuh"

namespace cudamat::cuda {

template <class T>
void vector_product(const GemmCall<T>& call) {
  const bool column = call.n == 1;
  const Index count = column ? call.m : call.n;
  const bool along_rows = column ? !call.trans_a : call.trans_b;
  const Weighted<T> numbers{{column ? call.a : call.b}, column ? call.b : call.a};
  reduce_segments<Fold<T, functors::Sum>>(
      cudamat::name(Op::dot).data(), numbers,
      along_rows ? Segments{count, call.k, 1} : Segments{1, call.k, count},
      Update<T>{call.c, call.alpha, call.beta, T(1), false});
}

template void vector_product(const GemmCall<float>&);
template void vector_product(const GemmCall<double>&);

}  // namespace cudamat::cuda

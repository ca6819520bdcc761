// Numbers from a whole matrix.
#include <cmath>
#include <stdexcept>

#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/reduce.cuh"

namespace cudamat::cuda {
namespace {

/// A sum, in A, of what Term makes of each T.
template <class T, class A, class Term>
struct SumOf {
  using Item = T;
  using Acc = A;
  using Parts = Fold<A, functors::Sum>;
  __device__ static A identity() { return A(0); }
  __device__ static A term(T x, Index) { return Term{}(A(x)); }
  __device__ static A placed(A x, Index, Index) { return x; }
  __device__ static A take(A x, A y) { return x + y; }
  __device__ static A join(A x, A y) { return x + y; }
};

struct Square {
  template <class A>
  __device__ A operator()(A x) const {
    return x * x;
  }
};

/// Zero for finite numbers, NaN for the others: the sum tells.
struct Finiteness {
  template <class A>
  __device__ A operator()(A x) const {
    return x - x;
  }
};

/// Squares are of double always: those of floats overflow, or vanish, where the norm does not. It
/// is the one reduction that GPUs without fast doubles may feel.
template <class T>
using SumOfSquares = SumOf<T, double, Square>;

/// The products of two matrices, element by element, which are nowhere stored.
template <class T>
struct Products {
  using Item = T;
  const T* a;
  const T* b;

  [[nodiscard]] bool aligned() const { return aligned_for_packs(a) && aligned_for_packs(b); }
  __device__ T operator[](Index i) const { return a[i] * b[i]; }
  __device__ Pack<T> pack(Index i) const {
    Pack<T> x = Numbers<T>{a}.pack(i);
    const Pack<T> y = Numbers<T>{b}.pack(i);
#pragma unroll
    for (int p = 0; p < Pack<T>::kSize; ++p) x.v[p] *= y.v[p];
    return x;
  }
};

/// Waits for the result.
template <class R, class Source>
typename R::Acc reduce_whole(Op op, const Source& source, Index n) {
  using Acc = typename R::Acc;
  const Workspace<Acc> result(1);
  reduce_segments<R>(cudamat::name(op).data(), source, {1, n, 1}, Store<Acc>{result.data()});
  Acc value{};
  Engine<Acc>::copy_to_host(result.data(), &value, 1);
  return value;
}

}  // namespace

template <class T>
T Engine<T>::reduce_all(Op op, const T* a, const T* b, Index n) {
  using Total = Fold<T, functors::Sum>;
  const Numbers<T> numbers{a};
  switch (op) {
    case Op::euclid_norm:
      return T(std::sqrt(reduce_whole<SumOfSquares<T>>(op, numbers, n)));
    case Op::manhattan_norm:
      return reduce_whole<SumOf<T, T, functors::Abs>>(op, numbers, n);
    case Op::vdot:
      return reduce_whole<Total>(op, Products<T>{a, b}, n);
    case Op::allfinite:
      return T(reduce_whole<SumOf<T, T, Finiteness>>(op, numbers, n) == T(0));
    case Op::total_sum:
      return reduce_whole<Total>(op, numbers, n);
    case Op::total_mean:
      return reduce_whole<Total>(op, numbers, n) / T(n);
    case Op::total_max:
      return reduce_whole<Fold<T, functors::Max>>(op, numbers, n);
#define ROW(op, family, style, functor, numpy, facts) case Op::op:
      CUDAMAT_MAP_OPS(ROW)
      CUDAMAT_REDUCTION_OPS(ROW)
      CUDAMAT_OTHER_OPS(ROW)
#undef ROW
      break;
  }
  throw std::logic_error("reduce_all: not a reduction");
}

template float Engine<float>::reduce_all(Op, const float*, const float*, Index);
template double Engine<double>::reduce_all(Op, const double*, const double*, Index);

}  // namespace cudamat::cuda

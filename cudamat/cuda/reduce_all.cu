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

// What a sum becomes.
struct Itself {
  template <class A>
  __device__ A operator()(A x) const {
    return x;
  }
};
struct Root {
  __device__ double operator()(double x) const { return std::sqrt(x); }
};
struct IsZero {
  template <class A>
  __device__ A operator()(A x) const {
    return x == A(0) ? A(1) : A(0);
  }
};

/// The end of a reduction in another type, or of which something else is wanted.
template <class T, class Finish>
struct Finished {
  Update<T> update;
  template <class Acc>
  __device__ void operator()(Index i, Acc value) const {
    update(i, T(Finish{}(value)));
  }
};

template <class R, class Finish = Itself, class Source, class T>
void reduce_whole(const WholeCall<T>& call, const Source& source) {
  const bool mean = call.op == Op::total_mean;
  const Finished<T, Finish> sink{{call.target, call.mult, call.beta, T(call.n), mean}};
  reduce_segments<R>(cudamat::name(call.op).data(), source, {1, call.n, 1}, sink);
}

}  // namespace

template <class T>
void Engine<T>::reduce_all(const WholeCall<T>& call) {
  using Total = Fold<T, functors::Sum>;
  const Numbers<T> numbers{call.a};
  switch (call.op) {
    case Op::euclid_norm:
      return reduce_whole<SumOfSquares<T>, Root>(call, numbers);
    case Op::manhattan_norm:
      return reduce_whole<SumOf<T, T, functors::Abs>>(call, numbers);
    case Op::vdot:
      return reduce_whole<Total>(call, Products<T>{call.a, call.b});
    case Op::allfinite:
      return reduce_whole<SumOf<T, T, Finiteness>, IsZero>(call, numbers);
    case Op::total_sum:
    case Op::total_mean:
      return reduce_whole<Total>(call, numbers);
    case Op::total_max:
      return reduce_whole<Fold<T, functors::Max>>(call, numbers);
#define ROW(op, family, style, functor, numpy, facts) case Op::op:
      CUDAMAT_MAP_OPS(ROW)
      CUDAMAT_REDUCTION_OPS(ROW)
      CUDAMAT_OTHER_OPS(ROW)
#undef ROW
      break;
  }
  throw std::logic_error("reduce_all: not a reduction");
}

template <class T>
T Engine<T>::reduce_all(Op op, const T* a, const T* b, Index n) {
  const Workspace<T> target(1);
  reduce_all({op, n, a, b, T(1), T(0), target.data()});
  T value{};
  copy_to_host(target.data(), &value, 1);
  return value;
}

#define INSTANTIATE(T)                                      \
  template void Engine<T>::reduce_all(const WholeCall<T>&); \
  template T Engine<T>::reduce_all(Op, const T*, const T*, Index);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace cudamat::cuda

// argmax and argmin over an axis.
#include "cudamat/cuda/reduce.cuh"

namespace cudamat::cuda {
namespace {

template <class T>
struct Winner {
  T value;
  Index place;
};

/// F decides who wins: functors::Max or Min. Of equal ones it is the first.
template <class T, class F>
struct Winners {
  using Item = Winner<T>;
  using Acc = Winner<T>;
  using Parts = Winners;

  static constexpr Index kNowhere = std::numeric_limits<Index>::max();

  __device__ static Acc identity() { return {F::template identity<T>(), kNowhere}; }
  __device__ static Acc term(Acc x, Index) { return x; }
  __device__ static Acc placed(Acc x, Index, Index) { return x; }
  __device__ static Acc join(Acc x, Acc y) {
    if (F::displaces(x.value, y.value)) return y;
    if (F::displaces(y.value, x.value)) return x;
    return x.place <= y.place ? x : y;
  }
  __device__ static Acc take(Acc x, Acc y) { return join(x, y); }
};

/// Of plain numbers. Neighbours come in order, which leaves less to decide.
template <class T, class F>
struct WinningNumbers : Winners<T, F> {
  using Item = T;
  using typename Winners<T, F>::Acc;

  __device__ static Acc term(T x, Index place) { return {x, place}; }
  __device__ static Acc placed(Acc x, Index first, Index apart) {
    return {x.value, x.place == Winners<T, F>::kNowhere ? x.place : first + apart * x.place};
  }
  __device__ static Acc take(Acc x, Acc y) {
    const bool wins = F::displaces(x.value, y.value);
    return {wins ? y.value : x.value, wins ? y.place : x.place};
  }
};

/// The index goes to a matrix, as a number.
template <class T>
struct Place {
  T* target;
  __device__ void operator()(Index i, Winner<T> winner) const { target[i] = T(winner.place); }
};

}  // namespace

template <class F, class T>
void reduce_to_index(const ReduceCall<T>& call) {
  reduce_segments<WinningNumbers<T, F>>(cudamat::name(call.op).data(), Numbers<T>{call.a},
                                        segments(call), Place<T>{call.target});
}

#define ROW(op, family, style, functor, numpy, facts)                         \
  template void reduce_to_index<functors::functor>(const ReduceCall<float>&); \
  template void reduce_to_index<functors::functor>(const ReduceCall<double>&);
CUDAMAT_ARG_OPS(ROW)
#undef ROW

}  // namespace cudamat::cuda

// argmax and argmin over an axis.
#include <cstdint>
#include <limits>

#include "cudamat/cuda/reduce.cuh"

namespace cudamat::cuda {
namespace {

/// Place counts the numbers of a segment: 32 bits wherever they suffice, which halves what a winner
/// of floats takes.
template <class T, class Place>
struct Winner {
  T value;
  Place place;
};

/// F decides who wins: functors::Max or Min. Of equal ones it is the first.
template <class T, class F, class Place>
struct Winners {
  using Item = Winner<T, Place>;
  using Acc = Winner<T, Place>;
  using Parts = Winners;

  static constexpr Place kNowhere = std::numeric_limits<Place>::max();

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
template <class T, class F, class Place>
struct WinningNumbers : Winners<T, F, Place> {
  using Item = T;
  using Base = Winners<T, F, Place>;
  using typename Base::Acc;

  __device__ static Acc term(T x, Index place) { return {x, Place(place)}; }
  __device__ static Acc placed(Acc x, Index first, Index apart) {
    const bool nowhere = x.place == Base::kNowhere;
    return {x.value, nowhere ? x.place : Place(first) + Place(apart) * x.place};
  }
  __device__ static Acc take(Acc x, Acc y) {
    const bool wins = F::displaces(x.value, y.value);
    return {wins ? y.value : x.value, wins ? y.place : x.place};
  }
};

/// The index goes to a matrix, as a number.
template <class T>
struct Places {
  T* target;
  template <class Place>
  __device__ void operator()(Index i, Winner<T, Place> winner) const {
    target[i] = T(winner.place);
  }
};

template <class F, class Place, class T>
void reduce_to_place(const ReduceCall<T>& call) {
  reduce_segments<WinningNumbers<T, F, Place>>(cudamat::name(call.op).data(), Numbers<T>{call.a},
                                               segments(call), Places<T>{call.target});
}

}  // namespace

template <class F, class T>
void reduce_to_index(const ReduceCall<T>& call) {
  if (segments(call).length < std::numeric_limits<std::int32_t>::max())
    reduce_to_place<F, std::int32_t>(call);
  else
    reduce_to_place<F, Index>(call);
}

#define ROW(op, family, style, functor, numpy, facts)                         \
  template void reduce_to_index<functors::functor>(const ReduceCall<float>&); \
  template void reduce_to_index<functors::functor>(const ReduceCall<double>&);
CUDAMAT_ARG_OPS(ROW)
#undef ROW

}  // namespace cudamat::cuda

// Element-wise operations: the dispatch from the op table's rows to kernels. For the map_*.cu
// files, which instantiate it for a part of the rows each.
#pragma once

#include <type_traits>

#include "cudamat/cuda/columns.cuh"
#include "cudamat/cuda/elementwise.cuh"
#include "cudamat/cuda/map.hpp"
#include "cudamat/functors.hpp"

namespace cudamat::cuda {

/// The functor of a row, with its numbers.
template <class F, Second kSecond, class T>
struct Bound {
  T scalar;
  T alpha;

  __device__ T operator()(T x) const {
    if constexpr (kSecond == Second::None)
      return F{}(x);
    else
      return F{}(x, scalar);
  }
  __device__ T operator()(T x, T y) const {
    if constexpr (std::is_invocable_v<F, T, T>)
      return F{}(x, y);
    else
      return F{}(x, y, alpha);
  }
};

template <class F, class T>
__device__ T apply(const F& f, T x, T y) {
  return f(x, y);
}

template <class F, class T>
__device__ Pack<T> apply(const F& f, const Pack<T>& x, const Pack<T>& y) {
  Pack<T> result;
#pragma unroll
  for (int e = 0; e < Pack<T>::kSize; ++e) result.v[e] = f(x.v[e], y.v[e]);
  return result;
}

template <class F, class T>
__device__ Pack<T> apply(const F& f, const Pack<T>& x, T y) {
  Pack<T> result;
#pragma unroll
  for (int e = 0; e < Pack<T>::kSize; ++e) result.v[e] = f(x.v[e], y);
  return result;
}

/// f(a[i, j], b[i]); b is as long as a column.
template <class F, class ElementOf>
struct ColumnBroadcast {
  using Element = ElementOf;
  F f;
  const Element* a;
  const Element* b;
  Element* target;
  Index height;

  __device__ Element row(Index i) const { return b[i]; }
  __device__ Element load(Index i, Index j) const { return a[i + height * j]; }
  __device__ void store(Index i, Index j, const Element& x, const Element& y) const {
    target[i + height * j] = apply(f, x, y);
  }
};

/// f(a[i, j], b[j]).
template <class F, class ElementOf, class T>
struct RowBroadcast {
  using Element = ElementOf;
  F f;
  const Element* a;
  const T* b;
  Element* target;
  Index height;

  struct Loaded {
    Element x;
    T y;
  };
  __device__ NoRow row(Index) const { return {}; }
  __device__ Loaded load(Index i, Index j) const { return {a[i + height * j], b[j]}; }
  __device__ void store(Index i, Index j, const Loaded& loaded, NoRow) const {
    target[i + height * j] = apply(f, loaded.x, loaded.y);
  }
};

template <class F, class T>
void broadcast_column(const MapCall<T>& call, const F& f) {
  const char* const op = name(call.op).data();
  if (whole_packs<T>(call.rows) && all_aligned(call.a, call.b, call.target)) {
    const Index height = call.rows / Pack<T>::kSize;
    for_columns(op,
                ColumnBroadcast<F, Pack<T>>{f, as_packs(call.a), as_packs(call.b),
                                            as_packs(call.target), height},
                height, call.cols);
  } else {
    for_columns(op, ColumnBroadcast<F, T>{f, call.a, call.b, call.target, call.rows}, call.rows,
                call.cols);
  }
}

template <class F, class T>
void broadcast_row(const MapCall<T>& call, const F& f) {
  const char* const op = name(call.op).data();
  if (whole_packs<T>(call.rows) && all_aligned(call.a, call.target)) {
    const Index height = call.rows / Pack<T>::kSize;
    for_columns(
        op, RowBroadcast<F, Pack<T>, T>{f, as_packs(call.a), call.b, as_packs(call.target), height},
        height, call.cols);
  } else {
    for_columns(op, RowBroadcast<F, T, T>{f, call.a, call.b, call.target, call.rows}, call.rows,
                call.cols);
  }
}

/// Whether calls of the family have a second operand of this kind. A broadcast over a matrix of one
/// vector has a matrix.
constexpr bool occurs(Family family, Second second) {
  switch (family) {
    case Family::Unary:
      return second == Second::None;
    case Family::UnaryScalar:
      return second == Second::Scalar;
    case Family::Binary:
      return second == Second::Matrix || second == Second::Scalar;
    case Family::ColBroadcast:
    case Family::ColScaled:
      return second == Second::Column || second == Second::Matrix;
    case Family::RowBroadcast:
      return second == Second::Row || second == Second::Matrix;
    default:
      return second == Second::Matrix;
  }
}

template <class F, Second kSecond, class T>
void map_second(const MapCall<T>& call) {
  const Bound<F, kSecond, T> f{call.scalar, call.alpha};
  const char* const op = name(call.op).data();
  const Index n = call.rows * call.cols;
  if constexpr (kSecond == Second::Column)
    broadcast_column(call, f);
  else if constexpr (kSecond == Second::Row)
    broadcast_row(call, f);
  else if constexpr (kSecond == Second::Matrix)
    elementwise(op, f, call.target, n, call.a, call.b);
  else
    elementwise(op, f, call.target, n, call.a);
}

/// Runs a row of the table. False where its family has no such second operand.
template <Family kFamily, class F, class T>
bool map_row(const MapCall<T>& call) {
  const auto run = [&]<Second kSecond>() {
    if constexpr (occurs(kFamily, kSecond)) map_second<F, kSecond>(call);
    return occurs(kFamily, kSecond);
  };
  switch (call.second) {
    case Second::None:
      return run.template operator()<Second::None>();
    case Second::Matrix:
      return run.template operator()<Second::Matrix>();
    case Second::Scalar:
      return run.template operator()<Second::Scalar>();
    case Second::Column:
      return run.template operator()<Second::Column>();
    case Second::Row:
      return run.template operator()<Second::Row>();
  }
  return false;
}

}  // namespace cudamat::cuda

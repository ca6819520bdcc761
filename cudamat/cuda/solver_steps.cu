// What equations and factorisations need in addition to cuSOLVER's routines.
#include <cmath>
#include <limits>

#include "cudamat/cuda/columns.cuh"
#include "cudamat/cuda/solver_steps.hpp"

namespace cudamat::cuda {
namespace {

template <class T>
struct Take {
  using Element = T;
  Part part;
  BlockCall<T> call;
  int* special;

  __device__ NoRow row(Index) const { return {}; }
  __device__ T load(Index i, Index j) const {
    const bool outside = (part == Part::Lower && i < j) || (part == Part::Upper && i > j);
    return outside ? T(0) : call.source[i + call.source_ld * j];
  }
  __device__ void store(Index i, Index j, T x, NoRow) const {
    if (special != nullptr && !(x - x == T(0))) {
      atomicMax(special, 1);
      x = 0;
    }
    call.target[i + call.target_ld * j] = x;
  }
};

template <class T>
__global__ void find_nan_kernel(const T* data, Index n, int* found) {
  for (Index k = first_item(); k < n; k += stride())
    if (data[k] != data[k]) atomicMax(found, 1);
}

template <class T>
__global__ void spread_nan_kernel(const int* found, T* number) {
  if (*found != 0) *number = std::numeric_limits<T>::quiet_NaN();
}

template <class T>
struct Unit {
  using Element = T;
  T* target;
  Index rows;

  __device__ NoRow row(Index) const { return {}; }
  __device__ NoRow load(Index, Index) const { return {}; }
  __device__ void store(Index i, Index j, NoRow, NoRow) const {
    target[i + rows * j] = i == j ? T(1) : T(0);
  }
};

/// mantissa * 2^exponent, negated `turns` times. The mantissa is in [1/2, 1), or no finite number;
/// it is 0 where a factor was.
struct Factor {
  double mantissa;
  std::int64_t exponent;
  int turns;
};

__device__ void normalize(Factor& x) {
  if (x.mantissa == 0 || !(x.mantissa - x.mantissa == 0)) return;
  int exponent = 0;
  x.mantissa = std::frexp(x.mantissa, &exponent);
  x.exponent += exponent;
}

__device__ Factor product(const Factor& x, const Factor& y) {
  Factor result{x.mantissa * y.mantissa, x.exponent + y.exponent, x.turns + y.turns};
  if (x.mantissa == 0 || y.mantissa == 0) result.mantissa = 0;  // whatever the other one is
  normalize(result);
  return result;
}

/// One block: each thread multiplies what is kThreads apart, then pairs of threads.
template <class T>
__global__ void determinant_kernel(const T* lu, const std::int64_t* pivots, Index n, bool logarithm,
                                   T* target) {
  Factor mine{0.5, 1, 0};
  for (Index k = first_item(); k < n; k += stride()) {
    const T x = lu[k + n * k];
    Factor factor{double(x < 0 ? -x : x), 0, int(x < 0) + int(pivots[k] != k + 1)};
    normalize(factor);
    mine = product(mine, factor);
    mine.turns &= 1;
  }
  Factor* const all = shared_memory<Factor>();
  const int thread = int(threadIdx.x);
  all[thread] = mine;
  __syncthreads();
  for (int apart = kThreads / 2; apart > 0; apart /= 2) {
    if (thread < apart) all[thread] = product(all[thread], all[thread + apart]);
    __syncthreads();
  }
  if (thread != 0) return;
  Factor whole = all[0];
  if (whole.mantissa < 0.7071067811865476) {  // near 1, so that the logarithm of 1 is 0
    whole.mantissa *= 2;
    whole.exponent -= 1;
  }
  const double sign = whole.mantissa == 0 ? 0.0 : whole.turns % 2 == 0 ? 1.0 : -1.0;
  if (logarithm) {
    constexpr double kLogarithmOf2 = 0.6931471805599453;
    target[0] = T(sign);
    target[1] = T(std::log(whole.mantissa) + double(whole.exponent) * kLogarithmOf2);
  } else {
    constexpr std::int64_t kFar = 10000;  // beyond all of double's exponents
    const std::int64_t exponent = whole.exponent < -kFar  ? -kFar
                                  : whole.exponent > kFar ? kFar
                                                          : whole.exponent;
    target[0] = T(sign * std::ldexp(whole.mantissa, int(exponent)));
  }
}

template <class T>
struct DivideByValues {
  using Element = T;
  const T* values;
  Index k;
  T limit;
  T* c;

  __device__ T row(Index i) const { return values[i] > limit * values[0] ? values[i] : T(0); }
  __device__ T load(Index i, Index j) const { return c[i + k * j]; }
  __device__ void store(Index i, Index j, T x, T value) const {
    c[i + k * j] = value == T(0) ? T(0) : x / value;
  }
};

/// One thread. The values descend: it halves what may hold the first that does not count.
template <class T>
__global__ void rank_kernel(const T* values, Index k, T limit, T* rank) {
  const T least = limit * values[0];
  Index count = 0;
  for (Index rest = k; rest > 0;) {
    const Index half = rest / 2;
    if (values[count + half] > least) {
      count += half + 1;
      rest -= half + 1;
    } else {
      rest = half;
    }
  }
  *rank = T(count);
}

}  // namespace

template <class T>
void take(Part part, const BlockCall<T>& call, int* special) {
  for_columns("take", Take<T>{part, call, special}, call.rows, call.cols);
}

template <class T>
void find_nan(const T* data, Index n, int* found) {
  launch({"NaN in a matrix", dim3(blocks_for(n, kThreads))}, find_nan_kernel<T>, data, n, found);
}

template <class T>
void spread_nan(const int* found, T* number) {
  launch({"NaN of a matrix", dim3(1), dim3(1)}, spread_nan_kernel<T>, found, number);
}

template <class T>
void unit(T* target, Index rows, Index cols) {
  for_columns("unit", Unit<T>{target, rows}, rows, cols);
}

template <class T>
void determinant(const T* lu, const std::int64_t* pivots, Index n, bool logarithm, T* target) {
  launch({"determinant", dim3(1), dim3(kThreads), kThreads * sizeof(Factor)}, determinant_kernel<T>,
         lu, pivots, n, logarithm, target);
}

template <class T>
void divide_by_values(const T* values, Index k, T limit, T* c, Index right, T* rank) {
  launch({"rank", dim3(1), dim3(1)}, rank_kernel<T>, values, k, limit, rank);
  for_columns("divide_by_values", DivideByValues<T>{values, k, limit, c}, k, right);
}

#define INSTANTIATE(T)                                                       \
  template void take(Part, const BlockCall<T>&, int*);                       \
  template void find_nan(const T*, Index, int*);                             \
  template void spread_nan(const int*, T*);                                  \
  template void unit(T*, Index, Index);                                      \
  template void determinant(const T*, const std::int64_t*, Index, bool, T*); \
  template void divide_by_values(const T*, Index, T, T*, Index, T*);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace cudamat::cuda

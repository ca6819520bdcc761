// Equations and factorisations: LAPACK's routines that NumPy calls, too. float is computed in
// double and rounded, so that signs, which are free, are those of float64; long double by the
// textbook, with the signs of float64.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "cudamat/detail/bincount.hpp"
#include "npmat/engine.hpp"
#include "npmat/lapack_calls.hpp"
#include "npmat/library_room.hpp"
#include "npmat/textbook.hpp"
#include "npmat/threads.hpp"

namespace npmat {
namespace {

using cudamat::misuse;
using cudamat::Op;
using cudamat::Parts;
using cudamat::Reason;
using cudamat::Shape;
using cudamat::SolverCall;

#ifdef __SANITIZE_THREAD__  // which does not know OpenBLAS's threads
constexpr bool kHasLibrary = false;
#else
constexpr bool kHasLibrary = true;
#endif

void in_double(const SolverCall<double>& call) {
  if constexpr (kHasLibrary) {
    constexpr Index kMost = std::numeric_limits<int>::max();
    if (std::max({call.rows, call.cols, call.right, call.size}) > kMost)
      misuse(Reason::Unsupported, cudamat::name(call.op),
             "LAPACK's extents are below 2^31; got {}, and a target of {}",
             Shape{call.rows, call.cols}, call.size);
    const LibraryRoom room(LibraryRoom::For::Blas, 1);
    const OneThread one;
    Lapack(call).run();
  } else {
    textbook::solver<double>(call);
  }
}

/// The call in double: its result, to be rounded, or to take signs from.
template <class T>
std::vector<double> computed_in_double(const SolverCall<T>& call) {
  const std::vector<double> a(call.a, call.a + call.rows * call.cols);
  std::vector<double> b;
  if (call.b != nullptr) b.assign(call.b, call.b + call.rows * call.right);
  std::vector<double> result(static_cast<std::size_t>(call.size));
  in_double({call.op, call.rows, call.cols, a.data(), call.right, b.data(),
             static_cast<double>(call.number), call.size, result.data()});
  return result;
}

/// Turns the sign of a vector of n elements, `step` apart, and says whether it did, if it points
/// the other way than `like`.
bool turn_towards(const double* like, long double* vector, Index n, Index step) {
  long double product = 0;
  for (Index i = 0; i < n; ++i) product += vector[i * step] * like[i * step];
  if (product < 0)
    for (Index i = 0; i < n; ++i) vector[i * step] = -vector[i * step];
  return product < 0;
}

/// The signs of eigenvectors and singular vectors that LAPACK gives in double.
void take_signs(const SolverCall<long double>& call) {
  const bool pairs = call.op == Op::svd;
  const Shape shape{call.rows, call.cols};
  const Parts parts =
      pairs ? svd_parts(shape, call.size) : cudamat::eigh_parts(call.rows, call.size);
  if (parts.size() == parts.values) return;
  const std::vector<double> like = computed_in_double(call);
  const Index u = parts.values, v = u + parts.second.size();
  for (Index j = 0; j < parts.second.cols; ++j) {
    const Index at = u + parts.second.rows * j;
    const bool turned =
        turn_towards(&like[static_cast<std::size_t>(at)], call.target + at, parts.second.rows, 1);
    if (pairs && turned && j < parts.values)
      for (Index i = 0; i < parts.third.cols; ++i) {
        long double& x = call.target[v + j + parts.third.rows * i];
        x = -x;
      }
  }
  for (Index j = parts.values; pairs && j < parts.third.rows; ++j)
    turn_towards(&like[static_cast<std::size_t>(v + j)], call.target + v + j, parts.third.cols,
                 parts.third.rows);
}

}  // namespace

template <class T>
void Engine<T>::solver(const SolverCall<T>& call) {
  if (call.op == Op::bincount) return cudamat::detail::bincount(call);
  if constexpr (std::is_same_v<T, long double>) {
    textbook::solver<T>(call);
    if (call.op == Op::eigh || call.op == Op::svd) take_signs(call);
  } else {
    SolverCall<T> in_units = call;
    if (call.op == Op::lstsq && call.number < 0)
      in_units.number = -call.number * std::numeric_limits<T>::epsilon();
    const std::vector<double> result = computed_in_double(in_units);
    std::copy(result.begin(), result.end(), call.target);
  }
}

template void Engine<float>::solver(const SolverCall<float>&);
template void Engine<double>::solver(const SolverCall<double>&);
template void Engine<long double>::solver(const SolverCall<long double>&);

}  // namespace npmat

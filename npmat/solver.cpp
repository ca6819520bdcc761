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
#include "npmat/lapack.hpp"
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
using textbook::Dense;

#ifdef __SANITIZE_THREAD__  // which does not know OpenBLAS's threads
constexpr bool kHasLibrary = false;
#else
constexpr bool kHasLibrary = true;
#endif

constexpr std::size_t kLetter = 1;

[[noreturn]] void fail(Op op, const char* text) {
  misuse(Reason::Unsupported, cudamat::name(op), "{}", text);
}

/// Calls work(size, block of that size) twice: the first time it says which size is best.
template <class Call>
void with_workspace(const Call& call) {
  double best = 0;
  call(&best, -1);
  std::vector<double> work(static_cast<std::size_t>(best) + 1);
  call(work.data(), static_cast<int>(best));
}

class Lapack {
 public:
  explicit Lapack(const SolverCall<double>& call)
      : call_(call),
        m_(static_cast<int>(call.rows)),
        n_(static_cast<int>(call.cols)),
        k_(std::min(m_, n_)),
        ld_(std::max(m_, 1)),
        a_({call.rows, call.cols}, call.a) {}

  void run() {
    switch (call_.op) {
      case Op::solve:
        return solve(Dense<double>({call_.rows, call_.right}, call_.b));
      case Op::inv:
        return solve(Dense<double>::identity(call_.rows, call_.rows));
      case Op::cholesky:
        return cholesky();
      case Op::det:
      case Op::slogdet:
        return determinant();
      case Op::lstsq:
        return least_squares();
      case Op::eigh:
        return eigen();
      case Op::svd:
        return singular();
      default:
        return qr();
    }
  }

 private:
  double* a() { return a_.data.data(); }
  void give(const double* from, Index n) { call_.target = std::copy_n(from, n, call_.target); }

  void solve(Dense<double> b) {
    std::vector<int> pivots(static_cast<std::size_t>(n_));
    const int right = static_cast<int>(b.shape.cols);
    int info = 0;
    dgesv_(&n_, &right, a(), &ld_, pivots.data(), b.data.data(), &ld_, &info);
    if (info > 0) fail(call_.op, "Singular matrix");
    give(b.data.data(), b.shape.size());
  }

  void cholesky() {
    int info = 0;
    dpotrf_("L", &n_, a(), &ld_, &info, kLetter);
    if (info > 0) fail(call_.op, "Matrix is not positive definite");
    for (Index j = 0; j < n_; ++j) std::fill_n(a_.column(j), j, 0.0);
    give(a(), a_.shape.size());
  }

  /// Logarithms are added up, as NumPy does it.
  void determinant() {
    std::vector<int> pivots(static_cast<std::size_t>(n_));
    int info = 0;
    dgetrf_(&n_, &n_, a(), &ld_, pivots.data(), &info);
    double sign = info > 0 ? 0 : 1;
    double logarithm = info > 0 ? -std::numeric_limits<double>::infinity() : 0;
    for (int k = 0; k < n_ && info == 0; ++k) {
      if (pivots[static_cast<std::size_t>(k)] != k + 1) sign = -sign;
      if (a_(k, k) < 0) sign = -sign;
      logarithm += std::log(std::abs(a_(k, k)));
    }
    const double both[] = {sign, logarithm}, product = sign * std::exp(logarithm);
    if (call_.op == Op::det)
      give(&product, 1);
    else
      give(both, 2);
  }

  void least_squares() {
    constexpr const char* kDiverged = "SVD did not converge in Linear Least Squares";
    if (!a_.is_finite()) fail(call_.op, kDiverged);  // dgelsd may make no end
    const int right = std::max(static_cast<int>(call_.right), 1), rows = std::max({m_, n_, 1});
    Dense<double> b({rows, right});
    for (Index j = 0; j < call_.right; ++j) std::copy_n(call_.b + m_ * j, m_, b.column(j));
    std::vector<double> s(static_cast<std::size_t>(k_));
    std::vector<int> integers(1);
    int rank = 0, info = 0;
    const auto run = [&](double* work, int size) {
      dgelsd_(&m_, &n_, &right, a(), &ld_, b.data.data(), &rows, s.data(), &call_.number, &rank,
              work, &size, integers.data(), &info);
      integers.resize(static_cast<std::size_t>(integers[0]) + 1);
    };
    if (k_ > 0) with_workspace(run);
    if (info > 0) fail(call_.op, kDiverged);
    for (Index j = 0; j < call_.right; ++j) give(b.column(j), n_);
    give(s.data(), k_);
    const double as_number = rank;
    give(&as_number, 1);
  }

  void eigen() {
    const bool vectors = call_.size > n_;
    std::vector<double> values(static_cast<std::size_t>(n_));
    std::vector<int> integers(1);
    int info = 0;
    with_workspace([&](double* work, int size) {
      const int integer_size = size < 0 ? -1 : static_cast<int>(integers.size());
      dsyevd_(vectors ? "V" : "N", "L", &n_, a(), &ld_, values.data(), work, &size, integers.data(),
              &integer_size, &info, kLetter, kLetter);
      if (size < 0) integers.resize(static_cast<std::size_t>(std::max(integers[0], 1)));
    });
    if (info > 0) fail(call_.op, "Eigenvalues did not converge");
    give(values.data(), n_);
    if (vectors) give(a(), a_.shape.size());
  }

  void singular() {
    if (!a_.is_finite()) fail(call_.op, "SVD did not converge");  // dgesdd may make no end
    const Parts parts = svd_parts(Shape{m_, n_}, call_.size);
    const bool vectors = parts.size() > parts.values;
    const bool full = std::max(parts.second.cols, parts.third.rows) > k_;
    Dense<double> u(parts.second), v(parts.third);
    if (k_ == 0) {
      u = Dense<double>::identity(u.shape.rows, u.shape.cols);
      v = Dense<double>::identity(v.shape.rows, v.shape.cols);
    }
    std::vector<double> values(static_cast<std::size_t>(k_));
    std::vector<int> integers(static_cast<std::size_t>(8 * k_));
    const int u_rows = std::max(m_, 1), v_rows = std::max<int>(1, static_cast<int>(v.shape.rows));
    int info = 0;
    const auto run = [&](double* work, int size) {
      dgesdd_(!vectors ? "N"
              : full   ? "A"
                       : "S",
              &m_, &n_, a(), &ld_, values.data(), u.data.data(), &u_rows, v.data.data(), &v_rows,
              work, &size, integers.data(), &info, kLetter);
    };
    if (k_ > 0) with_workspace(run);
    if (info > 0) fail(call_.op, "SVD did not converge");
    give(values.data(), k_);
    give(u.data.data(), u.shape.size());
    give(v.data.data(), v.shape.size());
  }

  void qr() {
    const Parts parts = qr_parts(Shape{m_, n_}, call_.size);
    const bool with_q = parts.second.size() > 0;
    const Index columns = with_q ? parts.second.cols : k_;
    std::vector<double> tau(static_cast<std::size_t>(k_) + 1);
    int info = 0;
    if (k_ > 0)
      with_workspace([&](double* work, int size) {
        dgeqrf_(&m_, &n_, a(), &ld_, tau.data(), work, &size, &info);
      });
    Dense<double> r({columns, n_});
    for (Index j = 0; j < n_; ++j)
      std::copy_n(a_.column(j), std::min<Index>(j + 1, k_), r.column(j));
    give(r.data.data(), r.shape.size());
    if (!with_q) return;
    Dense<double> q = Dense<double>::identity(m_, columns);
    if (k_ > 0) {
      std::copy_n(a(), Index(m_) * k_, q.data.begin());
      const int wide = static_cast<int>(columns);
      with_workspace([&](double* work, int size) {
        dorgqr_(&m_, &wide, &k_, q.data.data(), &ld_, tau.data(), work, &size, &info);
      });
    }
    give(q.data.data(), q.shape.size());
  }

  SolverCall<double> call_;
  int m_, n_, k_, ld_;
  Dense<double> a_;
};

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

// Equations and factorisations: cuSOLVER, whose routines are LAPACK's. Counts: count.cu.
//
// cuSOLVER's LU does not pass NaN on as LAPACK's does (CUDA 13.0): a matrix with NaN is found by a
// kernel of ours, and makes NaN of a solution and of a determinant.
//
// The routines write over their operand, so each gets a copy; those that iterate, syevd and gesvd,
// one without NaN and infinities, of which they might make no end. Whether a call raises an error
// is known when its routine is done: the host waits for that, and only then is the target written.
// det, slogdet and qr never raise an error and do not wait, unless a routine asks for memory of the
// host. Extents have 64 bits, but for those of orgqr.
#include "cudamat/solver.hpp"

#include <algorithm>
#include <cusolverDn.h>
#include <limits>
#include <string>

#include "cudamat/cuda/context.hpp"
#include "cudamat/cuda/count.hpp"
#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/memory.hpp"
#include "cudamat/cuda/solver_steps.hpp"
#include "cudamat/detail/bincount.hpp"

namespace cudamat::cuda {
namespace {

template <class T>
constexpr cudaDataType kType = sizeof(T) == sizeof(float) ? CUDA_R_32F : CUDA_R_64F;

cusolverStatus_t orgqr_size(cusolverDnHandle_t handle, int m, int n, int k, const float* a,
                            const float* tau, int* size) {
  return cusolverDnSorgqr_bufferSize(handle, m, n, k, a, m, tau, size);
}
cusolverStatus_t orgqr_size(cusolverDnHandle_t handle, int m, int n, int k, const double* a,
                            const double* tau, int* size) {
  return cusolverDnDorgqr_bufferSize(handle, m, n, k, a, m, tau, size);
}
cusolverStatus_t orgqr(cusolverDnHandle_t handle, int m, int n, int k, float* a, const float* tau,
                       float* work, int size, int* info) {
  return cusolverDnSorgqr(handle, m, n, k, a, m, tau, work, size, info);
}
cusolverStatus_t orgqr(cusolverDnHandle_t handle, int m, int n, int k, double* a, const double* tau,
                       double* work, int size, int* info) {
  return cusolverDnDorgqr(handle, m, n, k, a, m, tau, work, size, info);
}

/// What a routine and take() have to say.
struct Verdict {
  int info;     ///< of the routine; above 0: the matrix has no such factorisation
  int special;  ///< whether the matrix has NaN or infinities
};

/// One call.
template <class T>
class Solver {
 public:
  explicit Solver(const SolverCall<T>& call)
      : call_(call), m_(call.rows), n_(call.cols), k_(std::min(m_, n_)), verdict_(1) {
    CUDAMAT_CUDA(cudaMemsetAsync(verdict_.data(), 0, sizeof(Verdict), state_.stream));
  }

  void run() {
    switch (call_.op) {
      case Op::solve:
      case Op::inv:
        return equations();
      case Op::det:
      case Op::slogdet:
        return determinant_of_a();
      case Op::cholesky:
        return cholesky();
      case Op::qr:
        return qr();
      case Op::eigh:
        return eigen();
      case Op::svd:
        return singular();
      default:
        return least_squares();
    }
  }

 private:
  /// Calls size(cuSOLVER, bytes...) for the memory that a routine wants on the device and on the
  /// host, then routine(cuSOLVER, memory, bytes...).
  template <class Size, class Routine>
  void with_buffers(const Size& size, const Routine& routine) {
    const std::lock_guard lock(state_.mutex);
    const Cusolver& cusolver = state_.cusolver_handle();
    std::size_t on_device = 0, on_host = 0;
    size(cusolver, &on_device, &on_host);
    const Workspace<std::byte> device(static_cast<Index>(on_device));
    std::vector<std::byte> host(on_host);
    routine(cusolver, device.data(), on_device, host.data(), on_host);
    // It is not documented when the host's memory has been used.
    if (on_host > 0) CUDAMAT_CUDA(cudaStreamSynchronize(state_.stream));
  }

  int* info() const { return &verdict_.data()->info; }
  int* special() const { return &verdict_.data()->special; }

  /// Waits for what is queued.
  [[nodiscard]] Verdict verdict() const {
    Verdict result{};
    bytes_to_host(state_, verdict_.data(), &result, sizeof result);
    if (result.info < 0)
      throw InternalError("argument " + std::to_string(-result.info) + " of cuSOLVER's " +
                          std::string(name(call_.op)));
    return result;
  }

  [[noreturn]] void refuse(const char* text) const {
    misuse(Reason::Unsupported, name(call_.op), "{}", text);
  }

  void fill_with_nan() const {
    Engine<T>::fill(call_.target, call_.size, std::numeric_limits<T>::quiet_NaN());
  }

  /// The elements of the result of which the earlier ones have been given.
  T* next(Index size) { return std::exchange(call_.target, call_.target + size); }

  void copy_of_a(T* to) const { Engine<T>::copy(call_.a, to, m_ * n_); }

  // ---- LU ----

  void factor(T* lu, std::int64_t* pivots) {
    with_buffers(
        [&](const Cusolver& c, auto... bytes) {
          CUDAMAT_CUDA(cusolverDnXgetrf_bufferSize(c.handle, c.params, n_, n_, kType<T>, lu, n_,
                                                   kType<T>, bytes...));
        },
        [&](const Cusolver& c, auto... memory) {
          CUDAMAT_CUDA(cusolverDnXgetrf(c.handle, c.params, n_, n_, kType<T>, lu, n_, pivots,
                                        kType<T>, memory..., info()));
        });
  }

  void equations() {
    const Workspace<T> lu(n_ * n_);
    const Workspace<std::int64_t> pivots(n_);
    copy_of_a(lu.data());
    find_nan(call_.a, n_ * n_, special());
    factor(lu.data(), pivots.data());
    const Verdict result = verdict();
    if (result.special != 0) return fill_with_nan();
    if (result.info > 0) refuse("Singular matrix");
    const Index right = call_.op == Op::inv ? n_ : call_.right;
    if (call_.op == Op::inv)
      unit(call_.target, n_, n_);
    else
      Engine<T>::copy(call_.b, call_.target, n_ * right);
    const std::lock_guard lock(state_.mutex);
    const Cusolver& c = state_.cusolver_handle();
    CUDAMAT_CUDA(cusolverDnXgetrs(c.handle, c.params, CUBLAS_OP_N, n_, right, kType<T>, lu.data(),
                                  n_, pivots.data(), kType<T>, call_.target, n_, info()));
  }

  void determinant_of_a() {
    const Workspace<T> lu(n_ * n_);
    const Workspace<std::int64_t> pivots(n_);
    copy_of_a(lu.data());
    if (n_ > 0) factor(lu.data(), pivots.data());
    determinant(lu.data(), pivots.data(), n_, call_.op == Op::slogdet, call_.target);
    find_nan(call_.a, n_ * n_, special());
    spread_nan(special(), call_.target + call_.size - 1);  // of slogdet the logarithm
  }

  // ---- triangles ----

  void cholesky() {
    const Workspace<T> l(n_ * n_);
    copy_of_a(l.data());
    with_buffers(
        [&](const Cusolver& c, auto... bytes) {
          CUDAMAT_CUDA(cusolverDnXpotrf_bufferSize(c.handle, c.params, CUBLAS_FILL_MODE_LOWER, n_,
                                                   kType<T>, l.data(), n_, kType<T>, bytes...));
        },
        [&](const Cusolver& c, auto... memory) {
          CUDAMAT_CUDA(cusolverDnXpotrf(c.handle, c.params, CUBLAS_FILL_MODE_LOWER, n_, kType<T>,
                                        l.data(), n_, kType<T>, memory..., info()));
        });
    if (verdict().info > 0) refuse("Matrix is not positive definite");
    take<T>(Part::Lower, {n_, n_, l.data(), n_, call_.target, n_});
  }

  void qr() {
    const Parts parts = qr_parts(Shape{m_, n_}, call_.size);
    const Shape shape_of_q = parts.second;
    constexpr Index kMost = std::numeric_limits<int>::max();
    if (shape_of_q.size() > 0 && std::max(m_, shape_of_q.cols) > kMost)
      misuse(Reason::Unsupported, name(call_.op),
             "the extents of cuSOLVER's Q are below 2^31; got {}", shape_of_q);
    const Workspace<T> a(m_ * n_), tau(k_);
    copy_of_a(a.data());
    if (k_ > 0) reflect(a.data(), tau.data());
    if (n_ > 0) {
      const Index rows = parts.values / n_;
      T* const r = next(parts.values);
      if (rows > k_) Engine<T>::fill(r, parts.values, T(0));
      take<T>(Part::Upper, {k_, n_, a.data(), m_, r, rows});
    }
    if (shape_of_q.size() == 0) return;
    T* const q = next(shape_of_q.size());
    unit(q, m_, shape_of_q.cols);
    if (k_ == 0) return;
    Engine<T>::copy(a.data(), q, m_ * k_);
    make_q(q, shape_of_q.cols, tau.data());
  }

  void reflect(T* a, T* tau) {
    with_buffers(
        [&](const Cusolver& c, auto... bytes) {
          CUDAMAT_CUDA(cusolverDnXgeqrf_bufferSize(c.handle, c.params, m_, n_, kType<T>, a, m_,
                                                   kType<T>, tau, kType<T>, bytes...));
        },
        [&](const Cusolver& c, auto... memory) {
          CUDAMAT_CUDA(cusolverDnXgeqrf(c.handle, c.params, m_, n_, kType<T>, a, m_, kType<T>, tau,
                                        kType<T>, memory..., info()));
        });
  }

  void make_q(T* q, Index columns, const T* tau) {
    const std::lock_guard lock(state_.mutex);
    const Cusolver& c = state_.cusolver_handle();
    const int m = static_cast<int>(m_), n = static_cast<int>(columns), k = static_cast<int>(k_);
    int size = 0;
    CUDAMAT_CUDA(orgqr_size(c.handle, m, n, k, q, tau, &size));
    const Workspace<T> work(size);
    CUDAMAT_CUDA(orgqr(c.handle, m, n, k, q, tau, work.data(), size, info()));
  }

  // ---- values and vectors ----

  void eigen() {
    const bool vectors = call_.size > n_;
    const cusolverEigMode_t mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const Workspace<T> a(n_ * n_), values(n_);
    take<T>(Part::Lower, {n_, n_, call_.a, n_, a.data(), n_}, special());
    with_buffers(
        [&](const Cusolver& c, auto... bytes) {
          CUDAMAT_CUDA(cusolverDnXsyevd_bufferSize(c.handle, c.params, mode, CUBLAS_FILL_MODE_LOWER,
                                                   n_, kType<T>, a.data(), n_, kType<T>,
                                                   values.data(), kType<T>, bytes...));
        },
        [&](const Cusolver& c, auto... memory) {
          CUDAMAT_CUDA(cusolverDnXsyevd(c.handle, c.params, mode, CUBLAS_FILL_MODE_LOWER, n_,
                                        kType<T>, a.data(), n_, kType<T>, values.data(), kType<T>,
                                        memory..., info()));
        });
    const Verdict result = verdict();
    if (result.info > 0) refuse("Eigenvalues did not converge");
    if (result.special != 0) return fill_with_nan();
    Engine<T>::copy(values.data(), next(n_), n_);
    if (vectors) Engine<T>::copy(a.data(), next(n_ * n_), n_ * n_);
  }

  /// gesvd's result. It takes matrices that are at least as tall as wide: a wide one is transposed,
  /// and a = V' S U' then.
  struct Factors {
    Factors(Index tall, Index wide, Index columns)
        : columns_of_u(columns),
          values(wide),
          u(tall * columns),
          vt(columns == 0 ? 0 : wide * wide) {}

    Index columns_of_u;  ///< 0: the values are all that is wanted
    Workspace<T> values, u, vt;
  };

  bool is_wide() const { return m_ < n_; }
  Index tall() const { return std::max(m_, n_); }

  Verdict decompose(const Factors& to) {
    const Workspace<T> a(m_ * n_);
    if (is_wide()) Engine<T>::transpose(call_.a, a.data(), m_, n_, 1);
    const Index rows = tall();
    take<T>(Part::All, {rows, k_, is_wide() ? a.data() : call_.a, rows, a.data(), rows}, special());
    const auto job = static_cast<signed char>(to.columns_of_u == 0      ? 'N'
                                              : to.columns_of_u == rows ? 'A'
                                                                        : 'S');
    with_buffers(
        [&](const Cusolver& c, auto... bytes) {
          CUDAMAT_CUDA(cusolverDnXgesvd_bufferSize(c.handle, c.params, job, job, rows, k_, kType<T>,
                                                   a.data(), rows, kType<T>, to.values.data(),
                                                   kType<T>, to.u.data(), rows, kType<T>,
                                                   to.vt.data(), k_, kType<T>, bytes...));
        },
        [&](const Cusolver& c, auto... memory) {
          CUDAMAT_CUDA(cusolverDnXgesvd(c.handle, c.params, job, job, rows, k_, kType<T>, a.data(),
                                        rows, kType<T>, to.values.data(), kType<T>, to.u.data(),
                                        rows, kType<T>, to.vt.data(), k_, kType<T>, memory...,
                                        info()));
        });
    return verdict();
  }

  void singular() {
    const Parts parts = svd_parts(Shape{m_, n_}, call_.size);
    const Shape u = parts.second, vt = parts.third;
    if (k_ == 0) {
      unit(next(u.size()), u.rows, u.cols);
      return unit(next(vt.size()), vt.rows, vt.cols);
    }
    const bool vectors = parts.size() > parts.values;
    const Factors factors(tall(), k_, vectors ? (is_wide() ? vt.rows : u.cols) : 0);
    const Verdict result = decompose(factors);
    if (result.info > 0 || result.special != 0) refuse("SVD did not converge");
    Engine<T>::copy(factors.values.data(), next(k_), k_);
    if (!vectors) return;
    if (is_wide()) {
      Engine<T>::transpose(factors.vt.data(), next(u.size()), k_, k_, 1);
      Engine<T>::transpose(factors.u.data(), next(vt.size()), n_, vt.rows, 1);
    } else {
      Engine<T>::copy(factors.u.data(), next(u.size()), u.size());
      Engine<T>::copy(factors.vt.data(), next(vt.size()), vt.size());
    }
  }

  /// x = V (U' b / values).
  void least_squares() {
    const Index right = call_.right;
    if (k_ == 0) return Engine<T>::fill(call_.target, call_.size, T(0));
    const Factors factors(tall(), k_, k_);
    const Verdict result = decompose(factors);
    if (result.info > 0 || result.special != 0)
      refuse("SVD did not converge in Linear Least Squares");
    const T limit =
        call_.number < 0 ? -call_.number * std::numeric_limits<T>::epsilon() : call_.number;
    const T* const u = factors.u.data();
    const T* const vt = factors.vt.data();
    const Workspace<T> c(k_ * right);
    T* const x = next(n_ * right);
    T* const values = next(k_);
    Engine<T>::gemm(
        {!is_wide(), false, k_, right, m_, T(1), is_wide() ? vt : u, call_.b, T(0), c.data()});
    divide_by_values(factors.values.data(), k_, limit, c.data(), right, next(1));
    Engine<T>::gemm(
        {!is_wide(), false, n_, right, k_, T(1), is_wide() ? u : vt, c.data(), T(0), x});
    Engine<T>::copy(factors.values.data(), values, k_);
  }

  SolverCall<T> call_;
  State& state_ = state();
  Index m_, n_, k_;
  Workspace<Verdict> verdict_;
};

/// What raises an error is known before anything is written.
template <class T>
void count(const SolverCall<T>& call) {
  const Index n = call.rows * call.cols;
  if (sizeof(T) == 4 && call.size > (Index{1} << 32))
    misuse(Reason::Unsupported, "bincount", "a GPU counts at most 2^32 numbers in float32; got {}",
           call.size);
  if (n > 0) {
    const Index wrong = first_without_place(call.a, n, call.size);
    if (wrong < n) {
      T element = 0;
      Engine<T>::copy_to_host(call.a + wrong, &element, 1);
      detail::check_place(element, wrong, call.size);
    }
  }
  count_by_key(call.a, call.b, n, call.target, call.size);
}

}  // namespace

template <class T>
void Engine<T>::solver(const SolverCall<T>& call) {
  if (call.op == Op::bincount) return count(call);
  if (call.size > 0) Solver<T>(call).run();
}

template void Engine<float>::solver(const SolverCall<float>&);
template void Engine<double>::solver(const SolverCall<double>&);

}  // namespace cudamat::cuda

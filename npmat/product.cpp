// Matrix products: oneDNN for float, OpenBLAS for double, a blocked loop of ours for long double
// and for what the libraries cannot take. Long sums with a vector: product_vector.cpp. Sums that
// are one number, and tiny products: reducers.hpp.
#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "npmat/engine.hpp"
#include "npmat/library_room.hpp"
#include "npmat/machine.hpp"
#include "npmat/parallel.hpp"
#include "npmat/product_panels.hpp"
#include "npmat/product_vector.hpp"
#include "npmat/reducers.hpp"
#include "npmat/signals.hpp"
#include "npmat/target_clones.hpp"

#ifndef __SANITIZE_THREAD__
#define NPMAT_LIBRARY_PRODUCTS 1
#include <cblas.h>
#ifdef NPMAT_DNNL
#include <oneapi/dnnl/dnnl.h>
#endif
#endif

namespace npmat {
namespace {

using cudamat::GemmCall;

/// c = beta * c; a 0 clears.
template <class T>
void scale(T beta, T* c, Index n) {
  if (beta == T(0)) return Engine<T>::fill(c, n, T(0));
  if (beta == T(1)) return;
  parallel_for(n, 65536, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) c[i] = beta * c[i];
  });
}

// ---- ours

constexpr Index kTileRows = 32;    ///< of c, for one packed piece of a
constexpr Index kTileCols = 32;    ///< of c, for one packed piece of b
constexpr Index kTileInner = 128;  ///< products added up one after the other

/// packed[p + inner * i] = op(a)[i, p]: the pieces of dot products, consecutive.
template <class T>
void pack(const T* a, Index ld, bool inner_is_contiguous, Index count, Index inner, T* packed) {
  for (Index i = 0; i < count; ++i)
    for (Index p = 0; p < inner; ++p)
      packed[p + inner * i] = inner_is_contiguous ? a[p + ld * i] : a[i + ld * p];
}

/// sums[i + kTileRows * j] += dot product of packed rows i and columns j.
template <class T>
void multiply_tile(const T* a, const T* b, Index rows, Index cols, Index inner, T* sums) {
  for (Index j = 0; j < cols; ++j) {
    const T* const y = b + inner * j;
    Index i = 0;
    for (; i + 4 <= rows; i += 4) {
      const T* const x = a + inner * i;
      T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
      for (Index p = 0; p < inner; ++p) {
        s0 += x[p] * y[p];
        s1 += x[p + inner] * y[p];
        s2 += x[p + 2 * inner] * y[p];
        s3 += x[p + 3 * inner] * y[p];
      }
      T* const to = sums + i + kTileRows * j;
      to[0] += s0, to[1] += s1, to[2] += s2, to[3] += s3;
    }
    for (; i < rows; ++i) {
      T s = 0;
      for (Index p = 0; p < inner; ++p) s += a[p + inner * i] * y[p];
      sums[i + kTileRows * j] += s;
    }
  }
}

template <class T>
void blocked_gemm(const Panel<T>& call) {
  const Index lda = call.lda, ldb = call.ldb;
  const Index row_tiles = (call.m + kTileRows - 1) / kTileRows;
  const Index col_tiles = (call.n + kTileCols - 1) / kTileCols;
  const bool small = double(call.m) * double(call.n) * double(call.k) < 32768;
  parallel_for(
      row_tiles * col_tiles, small ? row_tiles * col_tiles : 1, [&](Index begin, Index end) {
        alignas(64) T a[kTileRows * kTileInner], b[kTileCols * kTileInner];
        alignas(64) T sums[kTileRows * kTileCols];
        for (Index tile = begin; tile < end; ++tile) {
          const Index i = tile % row_tiles * kTileRows, rows = std::min(kTileRows, call.m - i);
          const Index j = tile / row_tiles * kTileCols, cols = std::min(kTileCols, call.n - j);
          std::fill_n(sums, kTileRows * kTileCols, T(0));
          for (Index p = 0; p < call.k; p += kTileInner) {
            const Index inner = std::min(kTileInner, call.k - p);
            pack(call.a + (call.trans_a ? p + lda * i : i + lda * p), lda, call.trans_a, rows,
                 inner, a);
            pack(call.b + (call.trans_b ? j + ldb * p : p + ldb * j), ldb, !call.trans_b, cols,
                 inner, b);
            multiply_tile(a, b, rows, cols, inner, sums);
          }
          for (Index y = 0; y < cols; ++y)
            for (Index x = 0; x < rows; ++x) {
              T& c = call.c[i + x + call.ldc * (j + y)];
              const T product = call.alpha * sums[x + kTileRows * y];
              c = call.beta == T(0) ? product : call.beta * c + product;
            }
        }
      });
}

// ---- the libraries'

#ifdef NPMAT_LIBRARY_PRODUCTS

template <class T>
void blas_gemm(const Panel<T>& call) {
  const auto m = blasint(call.m), n = blasint(call.n), k = blasint(call.k);
  const auto lda = blasint(call.lda), ldb = blasint(call.ldb), ldc = blasint(call.ldc);
  const auto trans_a = call.trans_a ? CblasTrans : CblasNoTrans;
  const auto trans_b = call.trans_b ? CblasTrans : CblasNoTrans;
  if constexpr (std::is_same_v<T, float>)
    cblas_sgemm(CblasColMajor, trans_a, trans_b, m, n, k, call.alpha, call.a, lda, call.b, ldb,
                call.beta, call.c, ldc);
  else
    cblas_dgemm(CblasColMajor, trans_a, trans_b, m, n, k, call.alpha, call.a, lda, call.b, ldb,
                call.beta, call.c, ldc);
}

#ifdef NPMAT_DNNL
/// oneDNN's is row-major: the transposed product, with the operands exchanged, is ours. On one
/// thread its AVX-512 kernel has the stack pointer point into a block of the heap meanwhile, where
/// the frame of a signal's handler would overwrite other blocks.
bool dnnl_gemm(const Panel<float>& call) {
  const HeldSignals held;
  return dnnl_sgemm(call.trans_b ? 'T' : 'N', call.trans_a ? 'T' : 'N', call.n, call.m, call.k,
                    call.alpha, call.b, call.ldb, call.a, call.lda, call.beta, call.c,
                    call.ldc) == dnnl_success;
}
#endif

#ifdef NPMAT_DNNL
constexpr double kSmall = 8192;  ///< multiplications

/// Where OpenBLAS is the faster one for float. It starts sooner, which shows in small products, and
/// is a few per cent faster in products that are large in every extent. And oneDNN reads its
/// operands at half speed where columns a multiple of 1 KiB apart meet few others: they fall on the
/// same cache lines. With AVX-512, which OpenBLAS may not know to use, oneDNN still wins then.
bool prefers_blas(const Panel<float>& call) {
  if (panel_work<float>(call) <= kSmall) return true;
  constexpr Index kStride = 256, kFew = 256;
  const bool a_collides = !call.trans_a && call.lda % kStride == 0 && call.n <= kFew;
  const bool b_collides = call.trans_b && call.ldb % kStride == 0 && call.m <= kFew;
  const bool vector = call.m == 1 || call.n == 1;
  if (machine().vectors == Vectors::Avx512) return false;
  const bool large = std::min({call.m, call.n, call.k}) >= 1024;
  return large || ((a_collides || b_collides) && !vector);
}
#endif

/// A product with one column or row, as OpenBLAS's matrix by vector.
void blas_gemv(const Panel<double>& call) {
  const bool column = call.n == 1;
  const double* const matrix = column ? call.a : call.b;
  const double* const vector = column ? call.b : call.a;
  const bool as_stored = column ? !call.trans_a : call.trans_b;
  const auto outer = blasint(column ? call.m : call.n), inner = blasint(call.k);
  const auto rows = as_stored ? outer : inner, cols = as_stored ? inner : outer;
  if (call.beta == 0) std::fill_n(call.c, outer, 0.0);
  cblas_dgemv(CblasColMajor, as_stored ? CblasNoTrans : CblasTrans, rows, cols, call.alpha, matrix,
              blasint(column ? call.lda : call.ldb), vector, 1, call.beta, call.c, 1);
}

/// What library_gemm calls for panels of this product.
template <class T>
LibraryRoom::For libraries([[maybe_unused]] const cudamat::GemmCall<T>& call) {
#ifdef NPMAT_DNNL
  if constexpr (std::is_same_v<T, float>)
    if (panel_work(call) > kSmall)
      return machine().vectors == Vectors::Avx512 ? LibraryRoom::For::OneDnn
                                                  : LibraryRoom::For::Both;
#endif
  return LibraryRoom::For::Blas;
}

/// Whether a library did it, on this thread; if not, `call` is what is left to do.
template <class T>
bool library_gemm(Panel<T>& call) {
  const bool fits_blas = std::max({call.m, call.n, call.k, call.lda, call.ldb, call.ldc}) <=
                         std::numeric_limits<blasint>::max();
#ifdef NPMAT_DNNL
  if constexpr (std::is_same_v<T, float>)
    if (!(fits_blas && prefers_blas(call))) {
      // A beta that is neither 0 nor 1 takes oneDNN longer than this.
      if (call.beta != 0) {
        const T beta = std::exchange(call.beta, T(1));
        for (Index j = 0; j < call.n; ++j) scale(beta, call.c + call.ldc * j, call.m);
      }
      return dnnl_gemm(call);
    }
#endif
  if (!fits_blas) return false;
  if constexpr (std::is_same_v<T, double>)
    if (call.m == 1 || call.n == 1) {
      blas_gemv(call);
      return true;
    }
  blas_gemm(call);
  return true;
}

template <class T>
constexpr bool kHasLibrary = !std::is_same_v<T, long double>;

#else

template <class T>
constexpr bool kHasLibrary = false;

template <class T>
LibraryRoom::For libraries(const cudamat::GemmCall<T>&) {
  return LibraryRoom::For::Blas;
}

template <class T>
bool library_gemm(const Panel<T>&) {
  return false;
}

#endif

/// Adds kernel times the shifted column to sums.
template <class T>
CUDAMAT_TARGET_CLONES void add_shifted(const T* column, T factor, T* sums, Index n) {
#pragma GCC ivdep
  for (Index i = 0; i < n; ++i) sums[i] += column[i] * factor;
}

}  // namespace

template <class T>
void Engine<T>::gemm(const cudamat::GemmCall<T>& call) {
  if (call.m == 0 || call.n == 0) return;
  if (call.k == 0) return scale(call.beta, call.c, call.m * call.n);
  // Short sums are as accurate in the libraries as in pairs.
  if ((call.m == 1 || call.n == 1) && call.k > kShortSum) return vector_product(call);
  if (call.m == 1 && call.n == 1) {
    *call.c = short_product(call.a, call.b, call.k, *call.c, call.beta, call.alpha);
    return;
  }
  if (std::max({call.m, call.n, call.k}) <= kTinyProduct)
    return tiny_product(call.trans_a, call.trans_b, call.m, call.n, call.k, call.a, call.b, call.c,
                        call.beta, call.alpha);
  if constexpr (kHasLibrary<T>) {
    // What is wrong with the environment and with memory is said here, not by a panel's thread.
    (void)machine();
    const PanelGrid grid = panel_grid(call);
    const LibraryRoom room(libraries(call), grid.count());
    for_panels(call, grid, room.callers(), [](Panel<T>& panel) {
      if (!library_gemm(panel)) blocked_gemm(panel);
    });
  } else {
    blocked_gemm(Panel<T>(call));
  }
}

template <class T>
void Engine<T>::correlate(const T* mat, Index rows, Index cols, const T* kernel, Index kernel_rows,
                          Index kernel_cols, T* target) {
  if (rows == 0 || cols == 0) return;
  const Index up = kernel_rows / 2, left = kernel_cols / 2;
  const Index work = std::max(Index(1), rows * kernel_rows * kernel_cols);
  parallel_for(cols, std::max(Index(1), 65536 / work), [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      T* const sums = target + rows * j;
      std::fill_n(sums, rows, T(0));
      for (Index q = std::max(Index(0), left - j); q < std::min(kernel_cols, cols + left - j); ++q)
        for (Index p = 0; p < kernel_rows; ++p) {
          const Index first = std::max(Index(0), up - p);
          const Index last = std::min(rows, rows + up - p);
          if (first < last)
            add_shifted(mat + first + p - up + rows * (j + q - left), kernel[p + kernel_rows * q],
                        sums + first, last - first);
        }
    }
  });
}

#define INSTANTIATE(T)                                        \
  template void Engine<T>::gemm(const cudamat::GemmCall<T>&); \
  template void Engine<T>::correlate(const T*, Index, Index, const T*, Index, Index, T*);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(long double)
#undef INSTANTIATE

}  // namespace npmat

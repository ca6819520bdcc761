// The interface of an engine: what the checked front end (matrix.hpp) requires of the code that
// computes.
//
// An engine is a class of static functions over raw memory. The front end has checked everything
// before it calls: operands are on the engine's device, shapes agree, vectors are long enough, and
// a target overlaps an operand only if the op table permits it (and then exactly, never partly). An
// engine therefore checks nothing and reports no misuse. It may throw OutOfMemory and, for calls of
// its libraries, an error with the failing expression.
//
// Memory. Every matrix is contiguous and column-major: element (i, j) of a rows x cols matrix is at
// data[i + rows * j]. Extents are 64-bit; any of them may be 0, and then nothing is read or
// written, except where a function defines the empty result. Pointers are the engine's own (device
// pointers on a GPU). allocate() returns uninitialised memory.
//
// Order. Calls take effect in order, as if one after the other; an engine may run them later (a GPU
// does). Only copy_to_host, copy_to_device, reduce_all to the host, solver, select, nonzero, unique
// and synchronize may wait for the device.
//
// Arithmetic. map() applies the functors of functors.hpp, or, for rows of the op table that are
// within() some units in the last place, the engine's own function of that accuracy. Everything
// else, including + - * / sqrt and comparisons, has the same bits on all engines. Reductions have a
// fixed order, which does not depend on the number of threads, and are as accurate as pairwise
// sums; so are products with a vector.
#pragma once

#include <concepts>
#include <cstdint>

#include "cudamat/detail/bins.hpp"
#include "cudamat/fused.hpp"
#include "cudamat/index.hpp"
#include "cudamat/op_table.hpp"

namespace cudamat {

/// How the second operand of an element-wise call meets the first.
enum class Second : std::uint8_t {
  None,    ///< there is none: f(a)
  Matrix,  ///< element by element
  Scalar,  ///< `scalar`
  Column,  ///< b[i] for every element of row i (b is rows x 1)
  Row,     ///< b[j] for every element of column j (b is 1 x cols)
};

/// target[i, j] = f(a[i, j], second, alpha), over rows x cols. `f` is the functor of op's row:
/// f(a), f(a, b) or, for add_mult and similar rows, f(a, b, alpha). target may be a, or b if second
/// is Matrix.
template <class T>
struct MapCall {
  Op op;
  Index rows, cols;
  const T* a;
  Second second;
  const T* b;
  T scalar;
  T alpha;
  T* target;
};

/// target = beta * target + mult * reduce(a) over `axis` of the rows x cols matrix a: axis 0 gives
/// one value a column, axis 1 one a row. op is a row of CUDAMAT_REDUCTION_OPS; `mean` divides the
/// sum by the length before mult. With beta == 0 target is not read; with mult == 1 the result is
/// not multiplied. Without elements a sum is 0, a product 1, a mean NaN, `any` 0 and `all` 1; the
/// front raises an error for the others. argmax and argmin return the index of the first extreme
/// element, or of the first NaN if there is one, as a T.
template <class T>
struct ReduceCall {
  Op op;
  int axis;
  Index rows, cols;
  const T* a;
  T mult;
  T beta;
  T* target;
};

/// target[0] = beta * target[0] + mult * op(a), with op, a row of CUDAMAT_WHOLE_OPS, over the n
/// elements of a, and of b for vdot, by the rules of ReduceCall. The front raises an error for a
/// total_max without elements; allfinite is 1 or 0. The target may be one of the elements that
/// are read.
template <class T>
struct WholeCall {
  Op op;
  Index n;
  const T* a;
  const T* b;
  T mult;
  T beta;
  T* target;
};

/// c = beta * c + alpha * op(a) * op(b), c m x n, inner extent k; trans_a says that a is stored k x
/// m, trans_b that b is stored n x k. With beta == 0 c is not read. With k == 0 the result is beta
/// * c.
template <class T>
struct GemmCall {
  bool trans_a, trans_b;
  Index m, n, k;
  T alpha;
  const T* a;
  const T* b;
  T beta;
  T* c;
};

/// rows x cols elements between two column-major blocks with leading dimensions of their own.
template <class T>
struct BlockCall {
  Index rows, cols;
  const T* source;
  Index source_ld;
  T* target;
  Index target_ld;
};

/// Columns by index, `count` of them, each of `rows` elements. indices[k] is a whole number held as
/// a T; a negative one counts from the end of the `cols` columns of the indexed matrix. Gather:
/// target column k = source column indices[k], NaN where the index is out of range or not a number.
/// Scatter: target column indices[k] = source column k, in the order of k; an index out of range
/// writes nothing.
template <class T>
struct SelectCall {
  Index rows, cols, count;
  const T* source;
  const T* indices;
  T* target;
};

/// The operation on the one element of each row that indices[i] selects (negative: from the end of
/// the row).
enum class PerRow : std::uint8_t {
  Get,        ///< vec[i] = mat[i, indices[i]]; NaN where the index is out of range
  Set,        ///< mat[i, indices[i]] = vec[i], or `scalar` without a vec
  Increment,  ///< mat[i, indices[i]] += 1
};

/// `along_rows`: one element of each row, rows indices; otherwise one element of each column, cols
/// indices.
template <class T>
struct PerRowCall {
  PerRow what;
  bool along_rows;
  Index rows, cols;
  T* mat;  ///< not written by Get
  const T* indices;
  T* vec;  ///< not written by Set
  T scalar;
};

/// Equations, factorisations and counts, a row of CUDAMAT_SOLVER_OPS: solver.hpp says what the
/// target holds. a is rows x cols, b, where the operation has one, rows x right (bincount: a weight
/// for each element of a, or null: 1); number is the limit of lstsq; size counts the target's
/// elements.
template <class T>
struct SolverCall {
  Op op;
  Index rows, cols;
  const T* a;
  Index right;
  const T* b;
  T number;
  Index size;
  T* target;
};

template <class E>
concept Engine = requires(typename E::value_type* data, const typename E::value_type* source,
                          typename E::value_type number, Index n, std::uint64_t seed,
                          const MapCall<typename E::value_type>& map,
                          const ReduceCall<typename E::value_type>& reduce,
                          const WholeCall<typename E::value_type>& whole,
                          const GemmCall<typename E::value_type>& gemm,
                          const BlockCall<typename E::value_type>& block,
                          const SelectCall<typename E::value_type>& select,
                          const PerRowCall<typename E::value_type>& per_row,
                          const SolverCall<typename E::value_type>& solver,
                          const FusedCall<typename E::value_type>& fused) {
  // clang-format off
  // ---- who it is: "npmat float32", for messages
  { E::name() } -> std::convertible_to<const char*>;

  // ---- memory, n elements of it; copies between host and device, and on the device between ranges
  //      that are equal or disjoint
  { E::allocate(n) } -> std::same_as<typename E::value_type*>;
  { E::deallocate(data, n) } noexcept;
  E::copy_to_host(source, data, n);
  E::copy_to_device(source, data, n);
  E::copy(source, data, n);
  E::synchronize();

  // ---- element-wise; where(cond, if, else, target, n), the target may be any of the operands
  E::map(map);
  E::fill(data, n, number);
  E::where(source, source, source, data, n);

  // ---- several of these, with draws before and reductions after them, in one pass: fused.hpp
  E::fused(fused);

  // ---- reductions; reduce_all(op, a, b, n) gives a number of a row of CUDAMAT_WHOLE_OPS (b only for
  //      vdot) to the host, reduce_all(whole) puts it where the engine computes;
  //      cumsum(source, target, rows, cols) sums along each row, in place too
  E::reduce(reduce);
  E::reduce_all(whole);
  { E::reduce_all(Op::euclid_norm, source, source, n) } -> std::same_as<typename E::value_type>;
  E::cumsum(source, data, n, n);

  // ---- sort(data, rows, cols): each column ascending, in place; NaNs, whatever their sign, after
  //      all numbers; -0.0 and 0.0 are equal, and which of two equals comes first is not said
  E::sort(data, n, n);
  //      argsort(source, target, rows, cols): of each column the places of its elements in that
  //      order, of equal ones the first one first
  E::argsort(source, data, n, n);

  // ---- what values choose, of n elements. The first three give how many there are, write as many,
  //      and may write no more. select(source, mask, target, n): the elements where the mask is not
  //      0, in order. nonzero(source, target, n): the places, from 0 on, of those that are not 0.
  //      unique(source, target, counts, n): the distinct numbers in ascending order, NaNs as one
  //      last; of -0 and 0, which are equal, 0 if it is there; counts, if not null: how often each.
  //      search(side, edges, count, source, target, n): how many of the edges, which ascend, are
  //      before each element, as `side` says (detail/bins.hpp); NaN is after all numbers, but in no
  //      bin. The target may be the source.
  { E::select(source, source, data, n) } -> std::same_as<Index>;
  { E::nonzero(source, data, n) } -> std::same_as<Index>;
  { E::unique(source, data, data, n) } -> std::same_as<Index>;
  E::search(Side::Bins, source, n, source, data, n);

  // ---- equations, factorisations, counts. Only here the engine finds what is wrong with values: it
  //      throws CUDAMatException, in NumPy's words, where a matrix is singular and the like, and
  //      has not written to the target then.
  E::solver(solver);

  // ---- products; correlate(mat, rows, cols, kernel, kernel_rows, kernel_cols, target), extents of
  //      the kernel odd: target[i, j] =
  //      sum over p, q of mat[i + p - kernel_rows / 2, j + q - kernel_cols / 2] * kernel[p, q],
  //      where mat is 0 outside
  E::gemm(gemm);
  E::correlate(source, n, n, source, n, n, data);

  // ---- moving data; transpose(source, target, rows, cols, inner), an element being `inner`
  //      consecutive numbers (1: an ordinary transpose):
  //      target[b + inner * (j + cols * i)] = source[b + inner * (i + rows * j)]
  E::transpose(source, data, n, n, n);
  E::copy_block(block);
  E::gather_columns(select);
  E::scatter_columns(select);
  E::per_row(per_row);

  // ---- random numbers: Philox4x32-10, one stream a value type, continued by successive calls;
  //      uniform on (0, 1], standard normal
  E::seed(seed);
  E::uniform(data, n);
  E::normal(data, n);
  // clang-format on
};

}  // namespace cudamat

// CUDAMatrix: Cudamat's matrix, whose methods write into targets, written once for all engines.
//
//   namespace cm = npmat;                       // the CPU; cudamat for the GPU
//   using CUDAMatrix = cm::CUDAMatrix<float>;
//   cm::dot(w_vh.T(), v, h);                    // h = w_vh' v
//   h.add_col_vec(w_h);                         // in place
//   h.apply_sigmoid();
//   r.less_than(h, h);                          // h = r < h
//
// Storage   Column-major, contiguous. Extents are 64-bit and may be 0.
// Targets   A call with a target writes there and returns a reference to it; do not keep the
//           reference to a temporary, such as x.slice(0, 3). Without a target, an element-wise
//           method works in place; sign, transpose, row slices, cumsum, sort, products and
//           reductions make a new matrix.
// Aliasing  The target of an element-wise call (also of softmax, cumsum and sort) may be exactly
//           one of its operands; a partial overlap throws. All other calls need a target that
//           shares no memory with their operands. Overlap is tested by address on every call.
// Views     slice(), view() and T() share memory with their matrix and keep it alive. T() only
//           toggles a flag. dot, add_dot, subtract_dot, transpose, copy, the reductions and the
//           host copies use the flag. Element-wise calls, assign and where accept flagged matrices
//           only if all have the flag. Fills, and reductions of a whole matrix to a number, ignore
//           it. All other calls throw for a flagged operand or target.
// Moves     A matrix is moved, never copied implicitly; copy() copies. A matrix that was moved from
//           may only be assigned to or destroyed.
// NaN       As in NumPy: it propagates, also through max and min; comparisons with it give 0.
// Numbers   A number `val` acts like a matrix that is filled with it.
// Indices   Indices are whole numbers stored as elements; negative ones count from the end.
// Errors    CUDAMatException before anything is written; OutOfMemory from calls that make a matrix.
// Order     Calls are queued to the engine in order. Only copy_to_host, asarray, calls that return
//           a number, and equations and factorisations may wait for it.
// Threads   Different threads may use different matrices at the same time; one matrix must be used
//           by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "cudamat/buffer.hpp"
#include "cudamat/call_rules.hpp"
#include "cudamat/check.hpp"
#include "cudamat/engine.hpp"
#include "cudamat/op_table.hpp"
#include "cudamat/shape.hpp"

namespace cudamat {

/// The target of a call: any matrix, including a temporary view such as x.slice(0, 3).
template <class M>
struct Target {
  Target(M& m) : matrix(m) {}   // NOLINT(google-explicit-constructor): a matrix is a target
  Target(M&& m) : matrix(m) {}  // NOLINT(google-explicit-constructor)
  M& matrix;
};

template <Engine E>
class Matrix {
 public:
  using engine = E;
  using T_ = typename E::value_type;
  using value_type = T_;
  using To = Target<Matrix>;
  using Host = HostMatrix<T_>;

  // ---- construction ----

  /// 0 x 0.
  Matrix() : Matrix(Shape{}) {}
  /// A copy of a host matrix.
  explicit Matrix(const Host& host);
  Matrix(Matrix&&) noexcept = default;
  Matrix& operator=(Matrix&&) noexcept = default;
  ~Matrix() = default;

  /// Uninitialised memory.
  static Matrix empty(Shape shape) { return Matrix(shape); }
  static Matrix zeros(Shape shape);
  /// Standard normal numbers.
  static Matrix randn(Shape shape);
  /// A matrix over memory of the engine that belongs to the caller, who must keep it as long as
  /// this matrix or a view of it is used. `stored` is the shape without the flag. This matrix never
  /// frees the memory: free_device_memory() only drops the reference, and resize() and assignment
  /// allocate other memory.
  static Matrix borrow(T_* data, Shape stored, bool transposed = false);
  /// The same over memory that `owner` keeps alive; it is released with the last matrix or view.
  static Matrix borrow(T_* data, Shape stored, bool transposed, std::shared_ptr<void> owner);
  /// The number of times that the calling thread has allocated matrices of this engine so far.
  /// Memory that an engine needs within a call does not count.
  [[nodiscard]] static std::uint64_t allocations() { return Buffer<E>::made(); }
  /// Seeds the engine's stream of random numbers and restarts it.
  static void init_random(std::uint64_t seed = 0) { E::seed(seed); }

  // ---- shape and memory ----

  /// Rows and columns, transposed if the flag is set.
  [[nodiscard]] Shape shape() const { return transposed_ ? stored_.transposed() : stored_; }
  [[nodiscard]] Index rows() const { return shape().rows; }
  [[nodiscard]] Index cols() const { return shape().cols; }
  [[nodiscard]] Index size() const { return stored_.size(); }
  [[nodiscard]] bool is_transposed() const { return transposed_; }
  [[nodiscard]] bool on_device() const { return buffer_ != nullptr; }
  /// Device memory: element (i, j) is at data()[i + rows() * j], or with the transposed flag at
  /// data()[j + cols() * i].
  [[nodiscard]] T_* data() const { return data_; }
  /// The object that keeps the memory alive; null for memory that its caller keeps.
  [[nodiscard]] std::shared_ptr<void> owner() const {
    return buffer_.use_count() == 0 ? nullptr : buffer_;
  }

  /// Reinterprets the same memory with other extents of the same product (column-major order);
  /// returns *this.
  Matrix& reshape(Shape shape);
  /// Sets the shape and clears the flag. If the number of elements changes, the matrix gets new,
  /// uninitialised memory. The host copy is dropped.
  Matrix& resize(Shape shape);
  /// Sets or clears the transposed flag of this object; shape() changes with it.
  Matrix& set_trans(bool transposed);
  /// A view of this memory with the flag toggled.
  [[nodiscard]] Matrix T() const;
  /// A view of the columns [first_col, last_col).
  [[nodiscard]] Matrix slice(Index first_col, Index last_col) const;
  /// A view of this memory with another shape of the same size.
  [[nodiscard]] Matrix view(Shape shape) const;
  /// A new matrix with the same contents (and flag).
  [[nodiscard]] Matrix copy() const;
  /// Releases the device memory (when no view uses it). After that, only copy_to_device, resize and
  /// queries of the shape are possible; the host copy, if any, is kept.
  void free_device_memory();

  // ---- host and device ----

  /// Waits for the device and copies into numpy_array(), which has the shape of shape().
  void copy_to_host();
  /// Copies numpy_array() to the device, into the existing memory if the size fits; throws if there
  /// is no host copy. The matrix takes the shape of the host copy, and the flag is cleared.
  void copy_to_device();
  /// copy_to_host(), then numpy_array().
  const Host& asarray();
  /// The host copy; made by copy_to_host() if there is none.
  Host& numpy_array();

  // ---- assignment, random numbers ----

  Matrix& assign(const Matrix& val);
  Matrix& assign(T_ val);
  /// Uniform on (0, 1], in storage order; Philox4x32-10, seeded by init_random.
  Matrix& fill_with_rand();
  /// Standard normal.
  Matrix& fill_with_randn();

  // ---- slices ----

  /// slice(first_col, last_col), or with a target a copy of it.
  [[nodiscard]] Matrix get_col_slice(Index first_col, Index last_col) const;
  /// The target may be part of this matrix, outside the slice.
  Matrix& get_col_slice(Index first_col, Index last_col, To target) const;
  /// self[:, first_col:last_col] = mat, which may be part of this matrix, outside the slice.
  Matrix& set_col_slice(Index first_col, Index last_col, const Matrix& mat);
  /// The rows [start, end): a copy, (end - start) x n.
  [[nodiscard]] Matrix get_row_slice(Index start, Index end) const;
  Matrix& get_row_slice(Index start, Index end, To target) const;
  /// self[start:end, :] = mat.
  Matrix& set_row_slice(Index start, Index end, const Matrix& mat);
  /// target[:, k] = self[:, indices[k]]. indices is a row or column vector; an index out of range
  /// (or NaN) gives a column of NaN.
  Matrix& select_columns(const Matrix& indices, To target) const;
  /// self[:, indices[k]] = source[:, k], in the order of k; an index out of range writes nothing.
  Matrix& set_selected_columns(const Matrix& indices, const Matrix& source);
  [[nodiscard]] Matrix transpose() const;
  Matrix& transpose(To target) const;

  // ---- element-wise: exp, log, tanh, ... (CUDAMAT_UNARY_OPS) ----
  //   name()        self = f(self), in place; sign makes a new matrix
  //   name(target)  target = f(self)

#define ROW(op, family, style, functor, numpy, facts)               \
  Matrix& op() requires(((facts)&kFresh) == 0) {                    \
    return unary(Op::op, *this);                                    \
  }                                                                 \
  [[nodiscard]] Matrix op() const requires(((facts)&kFresh) != 0) { \
    return fresh(Op::op);                                           \
  }                                                                 \
  Matrix& op(To target) const {                                     \
    return unary(Op::op, target.matrix);                            \
  }
  CUDAMAT_UNARY_OPS(ROW)
#undef ROW
  Matrix& gammaln() {
    return lgamma();
  }
  Matrix& gammaln(To target) const {
    return lgamma(target);
  }
  Matrix& apply_sigmoid() {
    return sigmoid();
  }
  Matrix& apply_sigmoid(To target) const {
    return sigmoid(target);
  }
  Matrix& apply_tanh() {
    return tanh();
  }
  Matrix& apply_tanh(To target) const {
    return tanh(target);
  }
  Matrix& apply_soft_threshold(T_ alpha) {
    return soft_threshold(alpha);
  }
  Matrix& apply_soft_threshold(T_ alpha, To target) const {
    return soft_threshold(alpha, target);
  }
  /// sign(x) * max(|x| - alpha, 0).
  Matrix& soft_threshold(T_ alpha) {
    return binary(Op::soft_threshold, alpha, *this);
  }
  Matrix& soft_threshold(T_ alpha, To target) const {
    return binary(Op::soft_threshold, alpha, target.matrix);
  }

  // ---- element-wise with a matrix or a number: add, less_than, pow, ... (CUDAMAT_BINARY_OPS) --
  //   name(val)          self = f(self, val), in place
  //   name(val, target)  target = f(self, val)

#define ROW(op, family, style, functor, numpy, facts) \
  Matrix& op(const Matrix& val) {                     \
    return binary(Op::op, val, *this);                \
  }                                                   \
  Matrix& op(T_ val) {                                \
    return binary(Op::op, val, *this);                \
  }                                                   \
  Matrix& op(const Matrix& val, To target) const {    \
    return binary(Op::op, val, target.matrix);        \
  }                                                   \
  Matrix& op(T_ val, To target) const {               \
    return binary(Op::op, val, target.matrix);        \
  }
  CUDAMAT_BINARY_OPS(ROW)
#undef ROW

  // ---- element-wise with a vector: add_col_vec, mult_by_row, ... (CUDAMAT_BROADCAST_OPS) ----
  //   name(vec)          in place; vec is m x 1 for _col, 1 x n for _row
  //   name(vec, target)  target[i, j] = f(self[i, j], vec[i] or vec[j])

#define ROW(op, family, style, functor, numpy, facts)    \
  Matrix& op(const Matrix& vec) {                        \
    return broadcast(Op::op, vec, T_(1), *this);         \
  }                                                      \
  Matrix& op(const Matrix& vec, To target) const {       \
    return broadcast(Op::op, vec, T_(1), target.matrix); \
  }
  CUDAMAT_BROADCAST_OPS(ROW)
#undef ROW
  /// target = self + mult * vec, vec m x 1.
  Matrix& add_col_mult(const Matrix& vec, T_ mult) {
    return broadcast(Op::add_col_mult, vec, mult, *this);
  }
  Matrix& add_col_mult(const Matrix& vec, T_ mult, To target) const {
    return broadcast(Op::add_col_mult, vec, mult, target.matrix);
  }

  /// self += alpha * mat2
  Matrix& add_mult(const Matrix& mat2, T_ alpha = 1) {
    return scaled(Op::add_mult, "mat2", mat2, alpha);
  }
  /// self -= alpha * mat2
  Matrix& subtract_mult(const Matrix& mat2, T_ alpha = 1) {
    return scaled(Op::subtract_mult, "mat2", mat2, alpha);
  }
  /// self *= acts * (1 - acts)
  Matrix& mult_by_sigmoid_deriv(const Matrix& acts) {
    return scaled(Op::mult_by_sigmoid_deriv, "acts", acts, T_(1));
  }

  // ---- reductions over an axis (CUDAMAT_REDUCTION_OPS) ----
  // axis 0: down the columns, the result is 1 x n; axis 1: along the rows, m x 1. The flag of T()
  // is used. An empty sum is 0, an empty prod 1, an empty mean NaN, an empty any 0, an empty all 1;
  // max, min, argmax and argmin throw for an empty axis. any and all are 1 or 0; NaN counts as not
  // 0. argmax and argmin give the index of the first extreme, or of the first NaN if there is one.
  //   name(axis)          a new matrix
  //   name(axis, target)

#define ROW(op, family, style, functor, numpy, facts)                \
  [[nodiscard]] Matrix op(int axis) const {                          \
    return reduced(Op::op, axis);                                    \
  }                                                                  \
  Matrix& op(int axis, To target) const {                            \
    return reduce(Op::op, *this, axis, target.matrix, T_(1), T_(0)); \
  }
  CUDAMAT_REDUCTION_OPS(ROW)
#undef ROW
  /// mult * sum
  [[nodiscard]] Matrix sum(int axis, T_ mult) const {
    return reduced(Op::sum, axis, mult);
  }
  Matrix& sum(int axis, To target, T_ mult) const {
    return reduce(Op::sum, *this, axis, target.matrix, mult, T_(0));
  }
  /// self = beta * self + mult * (sum of mat over axis)
  Matrix& add_sums(const Matrix& mat, int axis, T_ mult = 1, T_ beta = 1) {
    return reduce(Op::add_sums, mat, axis, *this, mult, beta);
  }
  /// Running sums along each row, left to right.
  Matrix& cumsum(To target) const;
  [[nodiscard]] Matrix cumsum() const;
  /// Sorts each column in ascending order. NaN, of either sign, comes last, as in np.sort; the
  /// order of -0.0 and 0.0, which are equal, is unspecified. Bits are kept.
  Matrix& sort(To target) const;
  [[nodiscard]] Matrix sort() const;
  /// For each column, the row numbers of its elements in that order; the order of equal elements is
  /// kept. The target needs separate memory.
  Matrix& argsort(To target) const;
  [[nodiscard]] Matrix argsort() const;
  /// exp(x - max) divided by its sum, in place: with axis 0 each column sums to 1, with axis 1 each
  /// row.
  Matrix& softmax(int axis) {
    return softmax(axis, *this);
  }
  Matrix& softmax(int axis, To target) const;

  // ---- numbers from a whole matrix ----
  //   name()        returns the number to the host: waits for the device
  //   name(target)  writes it to a 1x1 target without waiting; the target may be an element of self

  /// The square root of the sum of squares; 0 if empty.
  [[nodiscard]] T_ euclid_norm() const {
    return whole(Op::euclid_norm);
  }
  Matrix& euclid_norm(To target) const {
    return whole(Op::euclid_norm, target);
  }
  /// The sum of absolute values.
  [[nodiscard]] T_ manhattan_norm() const {
    return whole(Op::manhattan_norm);
  }
  Matrix& manhattan_norm(To target) const {
    return whole(Op::manhattan_norm, target);
  }
  /// Whether all elements are finite, as a number, 1 or 0.
  [[nodiscard]] bool allfinite() const {
    return whole(Op::allfinite) != 0;
  }
  Matrix& allfinite(To target) const {
    return whole(Op::allfinite, target);
  }
  [[nodiscard]] T_ total_sum() const {
    return whole(Op::total_sum);
  }
  Matrix& total_sum(To target) const {
    return whole(Op::total_sum, target);
  }
  /// NaN if an element is NaN; throws for an empty matrix.
  [[nodiscard]] T_ total_max() const;
  Matrix& total_max(To target) const {
    return whole(Op::total_max, target);
  }
  /// NaN if empty.
  [[nodiscard]] T_ total_mean() const {
    return whole(Op::total_mean);
  }
  Matrix& total_mean(To target) const {
    return whole(Op::total_mean, target);
  }

  // ---- products (contracts at dot in functions.hpp) ----

  [[nodiscard]] Matrix dot(const Matrix& mat2) const;
  Matrix& dot(const Matrix& mat2, To target) const;
  /// self = beta * self + mult * (m1 @ m2)
  Matrix& add_dot(const Matrix& m1, const Matrix& m2, T_ mult = 1, T_ beta = 1) {
    return product(Op::add_dot, m1, m2, *this, beta, mult);
  }
  /// self = beta * self - mult * (m1 @ m2)
  Matrix& subtract_dot(const Matrix& m1, const Matrix& m2, T_ mult = 1, T_ beta = 1) {
    return product(Op::subtract_dot, m1, m2, *this, beta, -mult);
  }

  // ---- one element of each row: indices is a row or column vector of m elements ----

  /// target[i] = self[i, indices[i]], m x 1; NaN where the index is out of range.
  [[nodiscard]] Matrix get_item_from_each_row(const Matrix& indices) const;
  Matrix& get_item_from_each_row(const Matrix& indices, To target) const;
  /// self[i, indices[i]] = val, or val[i] of an m x 1 vector; an index out of range writes nothing.
  Matrix& set_item_to_each_row(const Matrix& indices, T_ val);
  Matrix& set_item_to_each_row(const Matrix& indices, const Matrix& val);

  // ---- deprecated in the original, too ----

  [[deprecated("use assign")]] Matrix& assign_scalar(T_ val) {
    return assign(val);
  }
  [[deprecated("use mult")]] Matrix& mult_by_scalar(T_ val) {
    return mult(val);
  }
  [[deprecated("use mult")]] Matrix& mult_by_scalar(T_ val, To target) const {
    return mult(val, target);
  }
  [[deprecated("use divide")]] Matrix& div_by_scalar(T_ val) {
    return divide(val);
  }
  [[deprecated("use divide")]] Matrix& div_by_scalar(T_ val, To target) const {
    return divide(val, target);
  }
  [[deprecated("use add")]] Matrix& add_scalar(T_ val) {
    return add(val);
  }
  [[deprecated("use add")]] Matrix& add_scalar(T_ val, To target) const {
    return add(val, target);
  }

  // ---- used by functions.hpp ----

  /// A row of CUDAMAT_SOLVER_OPS; b is null if there is no second operand.
  static Matrix& solver(Op op, const Matrix& a, const Matrix* b, T_ number, Matrix& target);

  /// target = beta * target + alpha * (m1 @ m2)
  static Matrix& product(Op op, const Matrix& m1, const Matrix& m2, Matrix& target, T_ beta,
                         T_ alpha);
  /// target = beta * target + mult * reduce(mat)
  static Matrix& reduce(Op op, const Matrix& mat, int axis, Matrix& target, T_ mult, T_ beta);

 private:
  explicit Matrix(Shape shape);
  /// A view.
  Matrix(std::shared_ptr<Buffer<E>> buffer, T_* data, Shape stored, bool transposed)
      : buffer_(std::move(buffer)), data_(data), stored_(stored), transposed_(transposed) {}

  Matrix& unary(Op op, Matrix& target) const;
  Matrix fresh(Op op) const;
  Matrix& binary(Op op, const Matrix& val, Matrix& target) const;
  Matrix& binary(Op op, T_ val, Matrix& target) const;
  Matrix& broadcast(Op op, const Matrix& vec, T_ mult, Matrix& target) const;
  Matrix& scaled(Op op, std::string_view what, const Matrix& mat2, T_ alpha);
  [[nodiscard]] Matrix reduced(Op op, int axis, T_ mult = 1) const;
  [[nodiscard]] T_ whole(Op op) const;
  Matrix& whole(Op op, To target) const;
  Matrix& set_per_row(const Matrix& indices, const Matrix* val, T_ number);

  std::shared_ptr<Buffer<E>> buffer_;
  T_* data_ = nullptr;
  Shape stored_;
  bool transposed_ = false;
  std::unique_ptr<Host> host_;
};

}  // namespace cudamat

#include "cudamat/detail/elementwise.hpp"
#include "cudamat/detail/memory.hpp"
#include "cudamat/detail/reduce_product.hpp"
#include "cudamat/detail/slices.hpp"

// Symbolic arrays: NumPy's notation in C++. Expressions build a tree and compute nothing.
//
//   namespace sym = rewriter;
//   auto W = sym::array(data);                          // bound to data
//   auto X = sym::input("X", {128, 784});               // bound when it is evaluated
//   auto delta_o = -(x - z);
//   auto delta_h = sym::dot(delta_o, W) * h * (1.0 - h);
//   auto grad_W = sym::dot(X.T(), delta_h);
//   auto by_value = grad_W.as_numpy<double>();          // direct evaluation (evaluate.hpp)
//   auto by_statements = grad_W.as_cuda<float>();       // through Cudamat statements (run.hpp)
//
// Every function is NumPy 1.24's function of the same name. Shapes, broadcasting and result types
// are checked at once; an error is a CUDAMatException in NumPy's terms. A tree is immutable:
// assigning to a name again does not change the trees that use its old value.
//
// Types    Values are floating-point numbers of the engine's precision; DType is the type that
//          NumPy would use. 64-bit integers do not overflow or wrap. Operations that NumPy computes
//          in another type throw, with the spelling to use instead: float16 (np.exp of booleans),
//          integer division (np.reciprocal of integers), and operations that NumPy itself rejects
//          (-mask, mask - mask).
// Numbers  Arithmetic of two Python numbers is done at once and gives a number.
// Empty    Extents may be 0; max, min, argmax and argmin over an axis without elements throw.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "npmat/array.hpp"
#include "rewriter/expr/node.hpp"

namespace rewriter {

class Array {
 public:
  /// A Python number, as in `x * 2`: a float, an int or a bool.
  Array(double value);  // NOLINT(google-explicit-constructor): numbers mix with arrays as in NumPy
  Array(float value) : Array(static_cast<double>(value)) {}  // NOLINT(google-explicit-constructor)
  template <std::integral N>
  Array(N value)  // NOLINT(google-explicit-constructor)
      : Array(
            number(static_cast<double>(value), std::same_as<N, bool> ? DType::Bool : DType::Int)) {}
  explicit Array(NodePtr node) : node_(std::move(node)) {}
  /// A Python number of the given type.
  static Array number(double value, DType dtype = DType::Float);

  [[nodiscard]] const NodePtr& node() const { return node_; }
  [[nodiscard]] const Dims& shape() const { return node_->dims; }
  /// shape[axis]; negative axes count from the end.
  [[nodiscard]] Index shape(int axis) const;
  [[nodiscard]] DType dtype() const { return node_->dtype; }
  [[nodiscard]] int ndim() const { return node_->ndim(); }
  [[nodiscard]] Index size() const { return node_->size(); }
  [[nodiscard]] bool is_number() const { return node_->kind == Kind::Number; }

  /// Reverses all axes; a 0-d or 1-D array is its own transpose.
  [[nodiscard]] Array T() const;
  /// Axis k of the result is axis axes[k]; negative axes count from the end.
  [[nodiscard]] Array transpose(std::vector<int> axes) const;
  [[nodiscard]] Array reshape(Dims dims) const;  ///< one extent may be -1
  [[nodiscard]] Array ravel() const { return reshape({-1}); }
  /// The same elements in Fortran order (NumPy's order='F'): a view of the matrix's memory, no
  /// statement that computes.
  [[nodiscard]] Array reshape_columns(Dims dims) const;
  /// The same values as floats: booleans become 1.0 and 0.0, and are numbers from here on.
  [[nodiscard]] Array as_float() const;
  /// The same values in a type that can represent them; the array itself, if it has that type.
  [[nodiscard]] Array as_type(DType dtype) const;
  [[nodiscard]] Array copy() const;
  [[nodiscard]] Array sum(std::optional<int> axis = {}, bool keepdims = false) const;
  [[nodiscard]] Array mean(std::optional<int> axis = {}, bool keepdims = false) const;
  [[nodiscard]] Array max(std::optional<int> axis = {}, bool keepdims = false) const;
  [[nodiscard]] Array min(std::optional<int> axis = {}, bool keepdims = false) const;
  [[nodiscard]] Array logistic() const;
  [[nodiscard]] Array euclid_norm() const;
  [[nodiscard]] Array rand() const;  ///< uniform numbers of the same shape
  /// Basic indexing: ranges of the first axes, within the extents (see Range, slice_range,
  /// index_range); the other axes are taken completely.
  [[nodiscard]] Array slice(std::vector<Range> ranges) const;
  /// Elements of one axis, with a step.
  [[nodiscard]] Array stepped(int axis, const Steps& steps) const;
  /// Rows [start, stop), with NumPy's rules for negative and too large bounds.
  [[nodiscard]] Array rows(Index start, Index stop) const;
  [[nodiscard]] Array cols(Index start, Index stop) const;

  /// Evaluates the tree directly on npmat; only for trees without named inputs (evaluate.hpp
  /// supports these). Draws start at the beginning of the stream of seed 0.
  template <class T>
  [[nodiscard]] npmat::Array<T> as_numpy() const;
  /// The value through statements on npmat::CUDAMatrix<T> (run.hpp runs them on any engine).
  template <class T>
  [[nodiscard]] npmat::Array<T> as_cuda() const;

 private:
  NodePtr node_;
};

// ---- leaves ----

/// `contents`: the elements, in C order, if they are known.
Array input(std::string name, Dims dims, DType dtype = DType::Float,
            const std::vector<double>* contents = nullptr);
/// T: float, double, long double.
template <class T>
Array array(npmat::Array<T> data);
/// An array that a program contains literally; `spelling` is the NumPy text that makes it.
Array constant(npmat::Array<double> data, std::string spelling, DType dtype = DType::Float);
Array full(Dims dims, double value, DType dtype = DType::Float);
/// An integer that depends on loop variables, as a 0-d array of integers.
Array loop_value(const Affine& value);
inline Array zeros(Dims dims) {
  return full(std::move(dims), 0);
}
inline Array ones(Dims dims) {
  return full(std::move(dims), 1);
}
Array eye(Index n, std::optional<Index> m = {}, Index k = 0);
/// np.arange and np.linspace of numbers, with NumPy's rounding.
Array arange(double start, double stop, double step = 1, DType dtype = DType::Int);
Array linspace(double start, double stop, Index count, bool endpoint = true);
/// Ones on the diagonal `k` and below it.
Array tri(Index n, std::optional<Index> m = {}, Index k = 0);
/// Numbers of the engine's Philox stream: uniform on (0, 1], standard normal.
Array rand(Dims dims);
Array randn(Dims dims);
/// np.random.seed, 0 to 2^32 - 1: draws that are built after it restart the stream. It has no value
/// and no node depends on it, so it takes effect only as one of the roots that are evaluated.
Array seed(std::uint64_t seed);

// ---- element-wise: op is a row of family Unary or Binary ----

Array map(Op op, const Array& a);
Array map(Op op, const Array& a, const Array& b);
/// NaN counts as true, as in NumPy. `is_scalar`: Python's choice between two scalars, which is one.
Array where(const Array& condition, const Array& a, const Array& b, bool is_scalar = false);
Array logical_not(const Array& a);
/// minimum(maximum(a, low), high); one bound may be absent (None), but not both.
Array clip(const Array& a, const std::optional<Array>& low, const std::optional<Array>& high);
Array square(const Array& a);
/// Rounds to `decimals` places after the point, or before it if negative; halves go to the even
/// number.
Array round(const Array& a, int decimals = 0);
/// Python's `%` and `//`: the remainder has the sign of the divisor. Integers divided by 0 give 0,
/// as in NumPy.
Array mod(const Array& a, const Array& b);
Array floor_divide(const Array& a, const Array& b);
/// NumPy's `**`. For an array and a Python number as exponent, NumPy computes 2 as a product with
/// itself, 0.5 as a square root, -1 as a reciprocal and 1 as a copy; everything else, and a NumPy
/// scalar to any power, is np.power, which is map(Op::pow, a, b). A negative integer power of
/// integers throws, if it is known before the program runs.
Array power_operator(const Array& a, const Array& b);

Array operator+(const Array& a, const Array& b);
Array operator-(const Array& a, const Array& b);
Array operator*(const Array& a, const Array& b);
Array operator/(const Array& a, const Array& b);
Array operator-(const Array& a);
Array operator<(const Array& a, const Array& b);
/// (a < b) or (a == b): false where either is NaN.
Array operator<=(const Array& a, const Array& b);
Array operator>(const Array& a, const Array& b);
Array operator>=(const Array& a, const Array& b);
Array equal(const Array& a, const Array& b);
Array not_equal(const Array& a, const Array& b);
Array logical_and(const Array& a, const Array& b);
Array logical_or(const Array& a, const Array& b);

Array exp(const Array& a);
Array log(const Array& a);
Array sqrt(const Array& a);
Array abs(const Array& a);
Array tanh(const Array& a);
Array logistic(const Array& a);
Array maximum(const Array& a, const Array& b);
Array minimum(const Array& a, const Array& b);

// ---- reductions, products, moving ----

/// op: sum, mean, max, min, prod, argmax, argmin. Negative axes count from the end; without one,
/// all elements (argmax: the index in C order). Sums and products of booleans count them.
Array reduce(Op op, const Array& a, std::optional<int> axis = {}, bool keepdims = false);
/// The same over several axes (not argmax and argmin); over no axes it is a copy. Adjacent axes are
/// reduced together, other groups one after the other, starting with the last.
Array reduce_over(Op op, const Array& a, std::vector<int> axes, bool keepdims = false);
/// The sum of squared differences from the mean, divided by max(count - ddof, 0).
Array variance(const Array& a, std::optional<int> axis = {}, bool keepdims = false,
               double ddof = 0);
Array deviation(const Array& a, std::optional<int> axis = {}, bool keepdims = false,
                double ddof = 0);
/// op: euclid_norm, manhattan_norm.
Array whole(Op op, const Array& a);
// ---- sorting ----

/// Sorts along an axis, NaN last; without an axis, all elements, ravelled.
Array sort(const Array& a, std::optional<int> axis);
/// The indices that sort; the order of equal elements is kept.
Array argsort(const Array& a, std::optional<int> axis);
/// The value at a fraction of the way from the first to the last element in order, by NumPy's
/// method `linear`; NaN if an element is NaN, or if there are no elements.
Array quantile(const Array& a, double fraction, std::optional<int> axis, bool keepdims,
               std::string_view method = "linear");
/// Whether quantile() knows NumPy's method of that name.
bool is_quantile_method(std::string_view method);
/// The mean of the one or two middle elements; NaN if an element is NaN.
Array median(const Array& a, std::optional<int> axis, bool keepdims);
/// For each element of v, the number of elements of the sorted array `a` that come before it; with
/// `right` also those that are equal. All numbers come before NaN.
Array searchsorted(const Array& a, const Array& v, bool right);
/// The number of bins before each element; bins may descend.
Array digitize(const Array& x, const Array& bins, bool right);
/// counts[k] is the number of elements in [edges[k], edges[k + 1]); the last bin includes its right
/// edge.
Array histogram(const Array& x, const Array& edges, const std::optional<Array>& weights);
/// How often each of 0, 1, ... length - 1 is in x, or the sums of their weights. Other elements are
/// an error at run time.
Array bincount(const Array& x, const std::optional<Array>& weights, Index length);

// ---- equations and factorisations of 2-D arrays ----

/// b of one or two dimensions.
Array solve(const Array& a, const Array& b);
Array inv(const Array& a);
Array cholesky(const Array& a);
Array det(const Array& a);
/// Sign and logarithm.
std::vector<Array> slogdet(const Array& a);
/// Solution, singular values, rank. A negative rcond is in units of the epsilon of the precision.
std::vector<Array> lstsq(const Array& a, const Array& b, double rcond);
/// Eigenvalues, and with `vectors` the eigenvectors.
std::vector<Array> eigh(const Array& a, bool vectors);
/// The singular values; with `vectors` U, singular values and Vh.
std::vector<Array> svd(const Array& a, bool vectors, bool full);
/// R, or Q and R.
std::vector<Array> qr(const Array& a, bool with_q, bool complete);
/// np.linalg.norm with an order; `order` as text: "1", "-inf", "fro".
Array vector_norm(const Array& a, double order, std::optional<int> axis, bool keepdims);

/// np.dot: sums over the last axis of a and the last but one of b (its only one, if it is 1-D); `*`
/// if either is 0-d.
Array dot(const Array& a, const Array& b);
/// `@`: products of matrices, or of stacks of matrices whose other axes are broadcast. 0-d arrays
/// throw.
Array matmul(const Array& a, const Array& b);
/// The ravelled a as a column times the ravelled b as a row.
Array outer(const Array& a, const Array& b);
/// Running sums along an axis.
Array cumsum(const Array& a, int axis);
/// Joins arrays that agree in all extents except that of the axis.
Array concatenate(const std::vector<Array>& parts, int axis = 0);
/// `a` after `a[ranges] = value`, where value is broadcast and ranges are those of Array::slice;
/// marked as done in place. Floats that are assigned to an array of integers are truncated.
Array set_slice(const Array& a, std::vector<Range> ranges, const Array& value);
/// The same for the elements of a.stepped(axis, steps); `value` has its shape.
Array set_stepped(const Array& a, int axis, const Steps& steps, const Array& value);
/// set_slice() of all of `a`, which is not read where that can be avoided.
Array overwritten(const Array& a, const Array& value);
/// The elements of an axis at the indices in a 1-D array of integers. An index out of bounds is an
/// error at run time.
Array take(const Array& a, const Array& indices, int axis = 0);
/// `a` with `value`, broadcast, at the elements that take() returns, marked as done in place; of
/// equal indices the last one wins.
Array put(const Array& a, const Array& indices, const Array& value, int axis = 0);
/// The integers start, start + step, ... as a literal array.
Array counting(Index start, Index step, Index count);
/// `a` repeated along missing axes and axes of extent 1.
Array broadcast_to(const Array& a, Dims dims);

/// The same operation, marked as one that NumPy does in place on its first operand (`a += b`). The
/// result must have that operand's shape, and a type that NumPy can write to it. A NumPy scalar
/// (see is_numpy_scalar) is immutable: `s += b` is `s = s + b`, and the result is returned
/// unmarked. The target is the first operand; for a product of integers, that of the product.
Array in_place(const Array& result);
Array in_place(const Array& result, const Array& target);
/// Whether the value is an immutable scalar in NumPy (np.float64), as 0-d results of ufuncs,
/// reductions, products and indexing are. Inputs, np.where and reshape give 0-d arrays.
bool is_numpy_scalar(const Array& a);

/// `start:stop` on an axis, with NumPy's rules for missing, negative and too large bounds.
Range slice_range(std::optional<Index> start, std::optional<Index> stop, Index extent);
/// An integer index on an axis, negative from the end; throws if it is out of bounds.
Range index_range(Index index, Index extent, int axis = 0);

/// While it exists, nodes that this thread builds have this place in the source.
class At {
 public:
  explicit At(SourceLocation where);
  ~At();
  At(const At&) = delete;
  At& operator=(const At&) = delete;

 private:
  SourceLocation previous_;
};

/// The current place.
SourceLocation current_place();

/// The broadcast of two shapes, or nothing if they are incompatible.
std::optional<Dims> broadcast(const Dims& a, const Dims& b);

/// The id of the node that was made last, in any thread; 0 if there is none.
std::uint64_t newest_node();

}  // namespace rewriter

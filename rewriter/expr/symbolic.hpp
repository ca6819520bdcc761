// Symbolic arrays: NumPy's notation in C++, building a tree and nothing else.
//
//   namespace sym = rewriter;
//   auto W = sym::array(data);                          // bound to data
//   auto X = sym::input("X", {128, 784});               // bound when it is evaluated
//   auto delta_o = -(x - z);
//   auto delta_h = sym::dot(delta_o, W) * h * (1.0 - h);
//   auto grad_W = sym::dot(X.T(), delta_h);
//   auto by_value = grad_W.as_numpy<double>();          // plain evaluation (evaluate.hpp)
//   auto by_statements = grad_W.as_cuda<float>();       // through Cudamat statements (run.hpp)
//
// Every function is NumPy 1.24's of the same name: shapes, broadcasting and result
// types are known and checked at once; a CUDAMatException says what does not fit, in NumPy's terms.
// A tree is immutable: a name that is assigned again leaves the trees that use it alone.
//
// Types    Values are floating-point numbers of the engine's precision; DType says what NumPy would
//          hold. Integers neither overflow nor wrap. What NumPy computes in another type is refused
//          with the spelling to use: float16 (np.exp of booleans), integer division (np.reciprocal
//          of integers), a sum or difference that NumPy refuses itself (-mask, mask - mask).
// Numbers  Arithmetic of two Python numbers is done at once and gives a number.
// Empty    Extents may be 0; max, min, argmax and argmin over an axis without elements are refused.
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

  /// All axes in reverse; a 0-d or 1-D array is its own transpose.
  [[nodiscard]] Array T() const;
  /// Axis k of the result is axis axes[k]; negative ones count from the end.
  [[nodiscard]] Array transpose(std::vector<int> axes) const;
  [[nodiscard]] Array reshape(Dims dims) const;  ///< one extent may be -1
  [[nodiscard]] Array ravel() const { return reshape({-1}); }
  /// The same elements in Fortran order (NumPy's order='F'): a view of the matrix's memory, no
  /// statement that computes.
  [[nodiscard]] Array reshape_columns(Dims dims) const;
  /// The same values as floats: booleans are 1.0 and 0.0 and count as numbers from here on.
  [[nodiscard]] Array as_float() const;
  /// The same in a type that holds them; the array itself, if it has that type.
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
  /// index_range); the other axes are taken whole.
  [[nodiscard]] Array slice(std::vector<Range> ranges) const;
  /// Elements of one axis, with a step.
  [[nodiscard]] Array stepped(int axis, const Steps& steps) const;
  /// Rows [start, stop), NumPy's rules for negative and too large bounds.
  [[nodiscard]] Array rows(Index start, Index stop) const;
  [[nodiscard]] Array cols(Index start, Index stop) const;

  /// The value, by plain evaluation on npmat; only for trees without named inputs (evaluate.hpp
  /// takes those). Draws start at the beginning of the stream of seed 0.
  template <class T>
  [[nodiscard]] npmat::Array<T> as_numpy() const;
  /// The value through statements on npmat::CUDAMatrix<T> (run.hpp runs them on any engine).
  template <class T>
  [[nodiscard]] npmat::Array<T> as_cuda() const;

 private:
  NodePtr node_;
};

// ---- leaves ----

/// `contents`: what it holds, in C order, where that is known.
Array input(std::string name, Dims dims, DType dtype = DType::Float,
            const std::vector<double>* contents = nullptr);
/// T: float, double, long double.
template <class T>
Array array(npmat::Array<T> data);
/// An array written out in a program; `spelling` is the NumPy text that makes it.
Array constant(npmat::Array<double> data, std::string spelling, DType dtype = DType::Float);
Array full(Dims dims, double value, DType dtype = DType::Float);
/// An integer of a loop's iteration, as a 0-d array of integers.
Array loop_value(const Affine& value);
inline Array zeros(Dims dims) {
  return full(std::move(dims), 0);
}
inline Array ones(Dims dims) {
  return full(std::move(dims), 1);
}
Array eye(Index n, std::optional<Index> m = {}, Index k = 0);
/// np.arange of numbers, np.linspace: with NumPy's roundings.
Array arange(double start, double stop, double step = 1, DType dtype = DType::Int);
Array linspace(double start, double stop, Index count, bool endpoint = true);
/// Ones on the diagonal `k` and below it.
Array tri(Index n, std::optional<Index> m = {}, Index k = 0);
/// Numbers of the engine's Philox stream: uniform on (0, 1], standard normal.
Array rand(Dims dims);
Array randn(Dims dims);
/// np.random.seed, 0 to 2^32 - 1: draws that are built after it start the stream anew. It has no
/// value and no node depends on it, so it acts where it is one of the roots that are evaluated.
Array seed(std::uint64_t seed);

// ---- element-wise: op is a row of family Unary or Binary ----

Array map(Op op, const Array& a);
Array map(Op op, const Array& a, const Array& b);
/// NaN counts as true, as in NumPy. `is_scalar`: Python's choice between two scalars, which is one.
Array where(const Array& condition, const Array& a, const Array& b, bool is_scalar = false);
Array logical_not(const Array& a);
/// minimum(maximum(a, low), high); a bound that is None is left out, but not both.
Array clip(const Array& a, const std::optional<Array>& low, const std::optional<Array>& high);
Array square(const Array& a);
/// To `decimals` places after the point, or before it where negative; halves to the even number.
Array round(const Array& a, int decimals = 0);
/// Python's `%` and `//`: the remainder has the divisor's sign. Of integers that are divided by 0
/// NumPy makes 0.
Array mod(const Array& a, const Array& b);
Array floor_divide(const Array& a, const Array& b);
/// NumPy's `**`. For an array and a Python number as exponent, NumPy computes 2 as a product with
/// itself, 0.5 as a square root, -1 as a reciprocal and 1 as a copy; everything else, and a NumPy
/// scalar to any power, is np.power, which map(Op::pow, a, b) is always. A negative integer power
/// of integers is refused, as far as it is known before the program runs.
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
/// The same over several axes (not argmax and argmin); over none at all it is a copy. Neighbouring
/// axes are reduced as one; groups that stand apart one after the other, from the last.
Array reduce_over(Op op, const Array& a, std::vector<int> axes, bool keepdims = false);
/// The sum of squared differences from the mean, divided by max(count - ddof, 0).
Array variance(const Array& a, std::optional<int> axis = {}, bool keepdims = false,
               double ddof = 0);
Array deviation(const Array& a, std::optional<int> axis = {}, bool keepdims = false,
                double ddof = 0);
/// op: euclid_norm, manhattan_norm.
Array whole(Op op, const Array& a);
// ---- sorting ----

/// Along an axis, NaNs last; without one of all elements, ravelled.
Array sort(const Array& a, std::optional<int> axis);
/// The places that sort: of equal elements the first comes first.
Array argsort(const Array& a, std::optional<int> axis);
/// The elements at a fraction of the way from the first to the last in order, as NumPy's `linear`
/// method interpolates; NaN where there is one. Of no elements NaN.
Array quantile(const Array& a, double fraction, std::optional<int> axis, bool keepdims);
/// The mean of the one or two elements in the middle; NaN where there is one.
Array median(const Array& a, std::optional<int> axis, bool keepdims);
/// How many elements of `a`, which is in order, come before each of v; with `right` also those
/// that are equal. Whatever compares with NaN comes before it.
Array searchsorted(const Array& a, const Array& v, bool right);
/// Of each element the number of bins before it; bins may descend.
Array digitize(const Array& x, const Array& bins, bool right);
/// counts[k] of the elements in [edges[k], edges[k + 1]), the last bin with its right edge.
Array histogram(const Array& x, const Array& edges, const std::optional<Array>& weights);
/// How often each of 0, 1, ... length - 1 is in x, or the sums of their weights. The run refuses
/// what is outside.
Array bincount(const Array& x, const std::optional<Array>& weights, Index length);

// ---- equations and factorisations of 2-D arrays ----

/// b of one or two dimensions.
Array solve(const Array& a, const Array& b);
Array inv(const Array& a);
Array cholesky(const Array& a);
Array det(const Array& a);
/// Sign and logarithm.
std::vector<Array> slogdet(const Array& a);
/// Solution, singular values, rank. A negative rcond counts units of the precision's epsilon.
std::vector<Array> lstsq(const Array& a, const Array& b, double rcond);
/// Values, and with `vectors` these.
std::vector<Array> eigh(const Array& a, bool vectors);
/// Values, or U, values and Vh.
std::vector<Array> svd(const Array& a, bool vectors, bool full);
/// R, or Q and R.
std::vector<Array> qr(const Array& a, bool with_q, bool complete);
/// np.linalg.norm with an order; `order` as text: "1", "-inf", "fro".
Array vector_norm(const Array& a, double order, std::optional<int> axis, bool keepdims);

/// np.dot: over the last axis of a and the last but one of b (its only one, if 1-D); `*` if either
/// is 0-d.
Array dot(const Array& a, const Array& b);
/// `@`: of matrices, or of as many as the axes before the last two, broadcast, have. No 0-d arrays.
Array matmul(const Array& a, const Array& b);
/// The ravelled a as a column times the ravelled b as a row.
Array outer(const Array& a, const Array& b);
/// Sums of the elements up to each, along an axis.
Array cumsum(const Array& a, int axis);
/// Arrays that agree in all extents but that of the axis.
Array concatenate(const std::vector<Array>& parts, int axis = 0);
/// `a` with `value`, broadcast, at `ranges` (as Array::slice takes them): what `a[ranges] = value`
/// leaves in a, marked as done in place. Floats are truncated into an array of integers.
Array set_slice(const Array& a, std::vector<Range> ranges, const Array& value);
/// The same of what a.stepped(axis, steps) shows; `value` has its shape.
Array set_stepped(const Array& a, int axis, const Steps& steps, const Array& value);
/// The elements of an axis that a 1-D array of integers names. Where one is out of bounds, the run
/// fails.
Array take(const Array& a, const Array& indices, int axis = 0);
/// `a` with `value`, broadcast, at what take() gives, marked as done in place; of equal indices the
/// last one counts.
Array put(const Array& a, const Array& indices, const Array& value, int axis = 0);
/// The integers start, start + step, ... as an array written out.
Array counting(Index start, Index step, Index count);
/// `a` repeated along the axes that it lacks, or of which it has one element.
Array broadcast_to(const Array& a, Dims dims);

/// The same operation, marked as one that NumPy does in place on its first operand (`a += b`). The
/// result must have that operand's shape, and a type that NumPy writes into it. A NumPy scalar (see
/// is_numpy_scalar) is immutable: `s += b` is `s = s + b`, and the result is given back unmarked.
/// The target is the first operand; of a product of integers, that of the product.
Array in_place(const Array& result);
Array in_place(const Array& result, const Array& target);
/// Whether NumPy holds the value as an immutable scalar (np.float64): what ufuncs, reductions,
/// products and indexing make of 0-d results. Inputs, np.where and reshape make 0-d arrays.
bool is_numpy_scalar(const Array& a);

/// `start:stop` on an axis, NumPy's rules for missing, negative and too large bounds.
Range slice_range(std::optional<Index> start, std::optional<Index> stop, Index extent);
/// An integer index on an axis, negative from the end; refused out of bounds.
Range index_range(Index index, Index extent, int axis = 0);

/// While it lives, nodes that this thread builds carry this place of the source.
class At {
 public:
  explicit At(SourceLocation where);
  ~At();
  At(const At&) = delete;
  At& operator=(const At&) = delete;

 private:
  SourceLocation previous_;
};

/// That place.
SourceLocation current_place();

/// The broadcast of two shapes, or nothing if they do not fit.
std::optional<Dims> broadcast(const Dims& a, const Dims& b);

/// The id of the node that was made last, in whichever thread; 0: there was none.
std::uint64_t newest_node();

}  // namespace rewriter

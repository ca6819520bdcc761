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
// Every function is NumPy's of the same name: shapes (0-d, 1-D, 2-D), broadcasting and result types
// are known and checked at once; a CUDAMatException says what does not fit, in NumPy's terms.
// Python numbers are doubles here. A tree is immutable: a name that is assigned again leaves the
// trees that use it alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "npmat/npy.hpp"
#include "rewriter/node.hpp"

namespace rewriter {

class Array {
 public:
  /// A number, as in `x * 2`.
  Array(double number);  // NOLINT(google-explicit-constructor): numbers mix with arrays as in NumPy
  Array(int number) : Array(static_cast<double>(number)) {}  // NOLINT(google-explicit-constructor)
  explicit Array(NodePtr node) : node_(std::move(node)) {}

  [[nodiscard]] const NodePtr& node() const { return node_; }
  [[nodiscard]] const Dims& shape() const { return node_->dims; }
  [[nodiscard]] Index shape(int axis) const {
    return node_->dims.at(static_cast<std::size_t>(axis));
  }
  [[nodiscard]] int ndim() const { return node_->ndim(); }
  [[nodiscard]] Index size() const { return node_->size(); }
  [[nodiscard]] bool is_number() const { return node_->kind == Kind::Number; }

  [[nodiscard]] Array T() const;
  [[nodiscard]] Array reshape(Dims dims) const;  ///< one extent may be -1
  [[nodiscard]] Array ravel() const { return reshape({-1}); }
  [[nodiscard]] Array copy() const;
  [[nodiscard]] Array sum(std::optional<int> axis = {}, bool keepdims = false) const;
  [[nodiscard]] Array mean(std::optional<int> axis = {}, bool keepdims = false) const;
  [[nodiscard]] Array max(std::optional<int> axis = {}, bool keepdims = false) const;
  [[nodiscard]] Array min(std::optional<int> axis = {}, bool keepdims = false) const;
  [[nodiscard]] Array logistic() const;
  [[nodiscard]] Array euclid_norm() const;
  [[nodiscard]] Array rand() const;  ///< uniform numbers of the same shape
  /// Basic indexing: a range for each axis, within the extents (see Range).
  [[nodiscard]] Array slice(std::vector<Range> ranges) const;
  /// Rows [start, stop), NumPy's rules for negative and too large bounds.
  [[nodiscard]] Array rows(Index start, Index stop) const;
  [[nodiscard]] Array cols(Index start, Index stop) const;

  /// The value, by plain evaluation on npmat; only for trees without named inputs (evaluate.hpp
  /// takes those).
  template <class T>
  [[nodiscard]] npmat::Array<T> as_numpy() const;
  /// The value through statements on npmat::CUDAMatrix<T> (run.hpp runs them on any engine).
  template <class T>
  [[nodiscard]] npmat::Array<T> as_cuda() const;

 private:
  NodePtr node_;
};

// ---- leaves
// --------------------------------------------------------------------------------------------------

Array input(std::string name, Dims dims);
template <class T>
Array array(npmat::Array<T> data);
/// An array written out in a program; `spelling` is the NumPy text that makes it.
Array constant(npmat::Array<double> data, std::string spelling, DType dtype = DType::Float);
Array full(Dims dims, double value);
inline Array zeros(Dims dims) {
  return full(std::move(dims), 0);
}
inline Array ones(Dims dims) {
  return full(std::move(dims), 1);
}
Array eye(Index n, std::optional<Index> m = {}, Index k = 0);
/// Numbers of the engine's Philox stream: uniform on (0, 1], standard normal.
Array rand(Dims dims);
Array randn(Dims dims);
/// np.random.seed: the draws that are built after it start the stream anew.
Array seed(std::uint64_t seed);

// ---- element-wise: op is a row of family Unary or Binary
// ---------------------------------------------------------

Array map(Op op, const Array& a);
Array map(Op op, const Array& a, const Array& b);
Array where(const Array& condition, const Array& a, const Array& b);
Array logical_not(const Array& a);
Array clip(const Array& a, const Array& low, const Array& high);
/// NumPy's `**`: 2 is a product with itself, 0.5 a square root, -1 a reciprocal, as NumPy computes
/// them.
Array power_operator(const Array& a, const Array& b);

Array operator+(const Array& a, const Array& b);
Array operator-(const Array& a, const Array& b);
Array operator*(const Array& a, const Array& b);
Array operator/(const Array& a, const Array& b);
Array operator-(const Array& a);
Array operator<(const Array& a, const Array& b);
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

// ---- reductions, products, moving
// ----------------------------------------------------------------------------------

/// op: sum, mean, max, min, prod, argmax, argmin. Negative axes count from the end; without one,
/// all.
Array reduce(Op op, const Array& a, std::optional<int> axis = {}, bool keepdims = false);
Array variance(const Array& a, std::optional<int> axis = {}, bool keepdims = false,
               double ddof = 0);
Array deviation(const Array& a, std::optional<int> axis = {}, bool keepdims = false,
                double ddof = 0);
/// op: euclid_norm, manhattan_norm.
Array whole(Op op, const Array& a);
Array dot(const Array& a, const Array& b);
Array outer(const Array& a, const Array& b);
Array concatenate(const std::vector<Array>& parts, int axis = 0);
/// `a` with `value`, broadcast, at `ranges`: what `a[ranges] = value` leaves in a.
Array set_slice(const Array& a, std::vector<Range> ranges, const Array& value);

/// The same operation, marked as one that NumPy does in place on its first operand (`a += b`).
Array in_place(const Array& result);
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

/// The broadcast of two shapes, or nothing if they do not fit.
std::optional<Dims> broadcast(const Dims& a, const Dims& b);

}  // namespace rewriter

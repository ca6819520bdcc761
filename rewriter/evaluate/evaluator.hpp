// Direct evaluation, node by node. Internal to evaluate.cpp.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "npmat/npmat.hpp"
#include "rewriter/evaluate/evaluate.hpp"
#include "rewriter/expr/custom.hpp"
#include "rewriter/expr/inexact.hpp"
#include "rewriter/expr/number_in.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {
namespace detail {

using cudamat::misuse;
using cudamat::Shape;

/// An array of up to two dimensions is its matrix; one of more lies in C order.
Shape shape_of(const Dims& dims) {
  if (dims.size() > 2) return {dims.back(), npmat::element_count({dims.data(), dims.size() - 1})};
  return {dims.size() == 2 ? dims[0] : 1, dims.empty() ? 1 : dims.back()};
}

/// Where in the memory of an array its k-th element in C order is.
Index place_of(const Dims& dims, Index k) {
  return dims.size() == 2 ? k / dims[1] + dims[0] * (k % dims[1]) : k;
}

template <class T>
T element(const npmat::CUDAMatrix<T>& a, Index i, Index j) {
  return a.data()[i + a.rows() * j];
}

/// The matrix whose element (i, j) is f(i, j).
template <class T, class F>
npmat::CUDAMatrix<T> generate(Shape shape, const F& f) {
  auto result = npmat::CUDAMatrix<T>::empty(shape);
  for (Index j = 0; j < shape.cols; ++j)
    for (Index i = 0; i < shape.rows; ++i) result.data()[i + shape.rows * j] = f(i, j);
  return result;
}

template <class T, class U>
npmat::CUDAMatrix<T> from_array(const npmat::Array<U>& array) {
  auto result = npmat::CUDAMatrix<T>::empty(shape_of(array.shape));
  for (Index k = 0; k < result.size(); ++k)
    result.data()[place_of(array.shape, k)] =
        static_cast<T>(array.data[static_cast<std::size_t>(k)]);
  return result;
}

template <class T>
npmat::Array<T> to_array(const npmat::CUDAMatrix<T>& a, const Dims& dims) {
  npmat::Array<T> array{dims, {}};
  array.data.reserve(static_cast<std::size_t>(a.size()));
  for (Index k = 0; k < a.size(); ++k) array.data.push_back(a.data()[place_of(dims, k)]);
  return array;
}

/// The array whose k-th element in C order is the source(k)-th of `a`.
template <class T, class F>
npmat::CUDAMatrix<T> gathered(const npmat::CUDAMatrix<T>& a, const Dims& from, const Dims& to,
                              const F& source) {
  auto result = npmat::CUDAMatrix<T>::empty(shape_of(to));
  for (Index k = 0; k < result.size(); ++k)
    result.data()[place_of(to, k)] = a.data()[place_of(from, source(k))];
  return result;
}

/// The array whose element (i, j, ...) is number first + i * strides[0] + j * strides[1] + ... of
/// `a` in C order.
template <class T>
npmat::CUDAMatrix<T> strided(const npmat::CUDAMatrix<T>& a, const Dims& from, const Dims& to,
                             const std::vector<Index>& strides, Index first = 0) {
  return gathered(a, from, to, [&](Index k) {
    Index source = first;
    for (std::size_t axis = to.size(); axis-- > 0; k /= to[axis])
      source += k % to[axis] * strides[axis];
    return source;
  });
}

std::vector<Index> strides_of(const Dims& dims) {
  std::vector<Index> strides(dims.size(), 1);
  for (std::size_t axis = dims.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * dims[axis];
  return strides;
}

/// The strides of an array of shape `from` in its broadcast to `to`.
std::vector<Index> broadcast_strides(const Dims& from, const Dims& to) {
  std::vector<Index> strides = strides_of(from);
  for (std::size_t axis = 0; axis < from.size(); ++axis)
    if (from[axis] == 1) strides[axis] = 0;
  strides.insert(strides.begin(), to.size() - from.size(), 0);
  return strides;
}

template <class T>
npmat::CUDAMatrix<T> filled(const Dims& dims, double number) {
  auto result = npmat::CUDAMatrix<T>::empty(shape_of(dims));
  result.assign(number_in<T>(number));
  return result;
}

/// Values of nodes, one at a time: each function gives the value of a node from its operands'.
/// In 32 bits what follows from Python's numbers alone is computed in double, and rounded. Values
/// that are the same share one matrix, which a write copies unless it is the last to need it.
template <class T>
class Evaluator {
 public:
  using Matrix = npmat::CUDAMatrix<T>;
  struct Value {
    std::shared_ptr<Matrix> matrix;
    std::optional<double> number{};  ///< as Python has it
  };

  Evaluator(const std::vector<NodePtr>& order, const Values<T>& inputs)
      : inputs_(inputs), values_(order.size()) {
    for (std::size_t i = 0; i < order.size(); ++i) positions_[order[i].get()] = i;
    if constexpr (kHasNumbers) numbers_.emplace(order, no_inputs_);
  }

  /// `takes_first`: the value of the first operand is not needed any more.
  void compute(const Node& node, bool takes_first = false) {
    if constexpr (kHasNumbers) {
      if (is_number(node)) {
        numbers_->compute(node);
        keep(node, filled<T>({}, numbers_->value(node).data()[0]));
        return;
      }
      numbers_->forget(node);
    }
    if (node.kind == Kind::Custom) results_[&node] = custom(node);
    if (is_same_array(node)) {
      values_[positions_.at(&node)] = values_[positions_.at(node.args[0].get())];
    } else if (writes_part(node)) {
      const Value first = takes_first ? take(*node.args[0]) : copy(*node.args[0]);
      Matrix written =
          first.matrix.use_count() == 1 ? std::move(*first.matrix) : first.matrix->copy();
      keep(node, node.kind == Kind::SetSlice ? set_slice(node, std::move(written))
                                             : with_put(node, std::move(written)));
    } else {
      keep(node, value_of(node));
    }
  }
  /// Whether the value is that of the first operand with some elements replaced.
  static bool writes_part(const Node& node) {
    return node.kind == Kind::SetSlice || node.kind == Kind::Put;
  }
  /// The value, which is gone then.
  Value take(const Node& node) {
    return {std::exchange(values_[positions_.at(&node)], nullptr), number(node)};
  }
  Value copy(const Node& node) const { return {values_[positions_.at(&node)], number(node)}; }
  void set(const Node& node, Value value) {
    values_[positions_.at(&node)] = std::move(value.matrix);
    if constexpr (kHasNumbers) {
      numbers_->forget(node);
      if (value.number)
        numbers_->set(
            node, {std::make_shared<npmat::CUDAMatrix<double>>(filled<double>({}, *value.number))});
    }
  }
  /// The value of a loop's variable.
  void enter(const LoopPtr& loop, Index value) {
    variables_[loop.get()] = value;
    if constexpr (kHasNumbers) numbers_->enter(loop, value);
  }
  bool has(const Node& node) const { return values_[positions_.at(&node)] != nullptr; }
  void forget(const Node& node) {
    values_[positions_.at(&node)].reset();
    if (node.kind == Kind::Custom) results_.erase(&node);
  }
  bool has_number(const Node& node) const { return number(node).has_value(); }
  const Matrix& value(const Node& node) const { return *values_[positions_.at(&node)]; }
  /// Whether the value, a condition, is not 0.
  bool holds(const Node& node) const {
    if (const auto exact = number(node)) return *exact != 0;
    return value(node).data()[0] != T(0);
  }

 private:
  static constexpr bool kHasNumbers = std::is_same_v<T, float>;

  std::optional<double> number(const Node& node) const {
    if constexpr (kHasNumbers)
      if (numbers_->has(node)) return numbers_->value(node).data()[0];
    return std::nullopt;
  }
  /// Whether it follows from numbers alone.
  bool is_number(const Node& node) const {
    return keeps_numbers(node) &&
           std::all_of(node.args.begin(), node.args.end(),
                       [&](const NodePtr& arg) { return number(*arg).has_value(); });
  }

  const Matrix& operand(const Node& node, std::size_t i) const { return value(*node.args[i]); }
  /// The operand broadcast to the node's shape.
  Matrix broadcast(const Node& node, std::size_t i) const;
  void keep(const Node& node, Matrix value) {
    values_[positions_.at(&node)] = std::make_shared<Matrix>(std::move(value));
  }
  static bool is_n_d(const Node& node) { return node.ndim() > 2 || node.args[0]->ndim() > 2; }

  /// Whether the value is that of the operand, element by element in memory.
  static bool is_same_array(const Node& node) {
    if (node.kind == Kind::Copy) return true;
    if (node.kind != Kind::Reshape) return false;
    const Dims& from = node.args[0]->dims;
    return shape_of(from) == shape_of(node.dims) && (from.size() > 2) == (node.ndim() > 2);
  }

  Matrix value_of(const Node& node) const;
  Matrix input(const Node& node) const;
  Matrix random(const Node& node) const;
  Matrix map(const Node& node) const;
  Matrix where(const Node& node) const;
  struct Reducible;
  Reducible reducible(const Node& node) const;
  static Matrix shaped(Matrix result, const Node& node);
  Matrix reduced(const Node& node) const;
  Matrix variance(const Node& node) const;
  Matrix product(const Node& node) const;
  Matrix transposed(const Node& node) const;
  Matrix slice(const Node& node) const;
  Matrix set_slice(const Node& node, Matrix result) const;
  Matrix taken(const Node& node) const;
  Matrix with_put(const Node& node, Matrix result) const;
  Matrix concatenated(const Node& node) const;
  std::vector<Matrix> custom(const Node& node) const;
  Index shift(const LoopTerms& terms) const;
  std::vector<Range> ranges(const Node& node) const;

  const Values<T>& inputs_;
  std::unordered_map<const Node*, std::size_t> positions_;
  std::vector<std::shared_ptr<Matrix>> values_;
  std::unordered_map<const Node*, std::vector<Matrix>> results_;  // by Custom
  std::unordered_map<const Loop*, Index> variables_;
  const Values<double> no_inputs_{};
  struct None {};
  std::conditional_t<kHasNumbers, std::optional<Evaluator<double>>, None> numbers_{};
};

/// Rows and columns repeated as NumPy's broadcasting does.
template <class T>
npmat::CUDAMatrix<T> expanded(const npmat::CUDAMatrix<T>& a, Shape shape) {
  if (a.shape() == shape) return a.copy();
  return generate<T>(shape, [&](Index i, Index j) {
    return element(a, a.rows() == 1 ? 0 : i, a.cols() == 1 ? 0 : j);
  });
}

/// The same elements in C order.
template <class T>
npmat::CUDAMatrix<T> reshaped(const npmat::CUDAMatrix<T>& a, Shape shape) {
  return generate<T>(shape, [&](Index i, Index j) {
    const Index at = i * shape.cols + j;
    return element(a, at / a.cols(), at % a.cols());
  });
}

template <class T>
npmat::CUDAMatrix<T> Evaluator<T>::value_of(const Node& node) const {
  switch (node.kind) {
    case Kind::Number:
    case Kind::Fill:
      return filled<T>(node.dims, node.number);
    case Kind::Input:
      return input(node);
    case Kind::Data:
    case Kind::Constant:
      return std::visit([](const auto& array) { return from_array<T>(array); }, *node.data);
    case Kind::Random:
      return random(node);
    case Kind::Seed:
      Matrix::init_random(static_cast<std::uint64_t>(node.number) +
                          static_cast<std::uint64_t>(shift(node.terms)));
      return Matrix();
    case Kind::Map:
      return map(node);
    case Kind::LogicalNot: {
      Matrix result = operand(node, 0).copy();
      result.equals(T(0));
      return result;
    }
    case Kind::Where:
      return where(node);
    case Kind::Reduce:
      return reduced(node);
    case Kind::Variance:
      return variance(node);
    case Kind::Deviation: {
      Matrix result = variance(node);
      result.sqrt();
      return result;
    }
    case Kind::Whole: {
      const Matrix& a = operand(node, 0);
      const bool euclid = node.op == Op::euclid_norm;
      Matrix result = Matrix::empty({1, 1});
      euclid ? a.euclid_norm(result) : a.manhattan_norm(result);
      return result;
    }
    case Kind::Sort:
      return node.op == Op::sort ? operand(node, 0).sort() : operand(node, 0).argsort();
    case Kind::Solver: {
      Matrix result = Matrix::empty(shape_of(node.dims));
      Matrix::solver(node.op, operand(node, 0), node.args.size() == 2 ? &operand(node, 1) : nullptr,
                     static_cast<T>(node.number), result);
      return result;
    }
    case Kind::Scan:
      return operand(node, 0).cumsum();
    case Kind::Dot:
      return product(node);
    case Kind::Transpose:
      return transposed(node);
    case Kind::Broadcast:
      return broadcast(node, 0);
    case Kind::Reshape: {
      if (is_n_d(node))
        return gathered(operand(node, 0), node.args[0]->dims, node.dims, [](Index k) { return k; });
      if (!node.by_columns) return reshaped(operand(node, 0), shape_of(node.dims));
      Matrix result = operand(node, 0).copy();
      result.reshape(shape_of(node.dims));
      return result;
    }
    case Kind::Slice:
      return slice(node);
    case Kind::Take:
      return taken(node);
    case Kind::Concatenate:
      return concatenated(node);
    case Kind::LoopValue: {
      Matrix result = Matrix::empty({1, 1});
      result.assign(static_cast<T>(node.number + static_cast<double>(shift(node.terms))));
      return result;
    }
    case Kind::CustomResult:
      return results_.at(node.args[0].get())[node.slot].copy();
    case Kind::Custom:
    case Kind::Print:
      return Matrix();
    case Kind::SetSlice:
    case Kind::Put:
    case Kind::Copy:
    case Kind::LoopBegin:
    case Kind::Carried:
    case Kind::LoopEnd:
    case Kind::After:
      break;
  }
  throw cudamat::InternalError("evaluate: unknown node kind");
}

template <class T>
npmat::CUDAMatrix<T> Evaluator<T>::input(const Node& node) const {
  const auto found = inputs_.find(node.text);
  if (found == inputs_.end()) {
    std::string given;
    for (const auto& [name, array] : inputs_) given += (given.empty() ? "" : ", ") + name;
    misuse("evaluate", "input {} of shape {} has no value; values were given for: {}", node.text,
           to_string(node.dims), given.empty() ? "none" : given);
  }
  const npmat::Array<T>& array = found->second;
  if (array.shape != node.dims)
    misuse("evaluate", "input {} must have shape {}; got {}", node.text, to_string(node.dims),
           to_string(array.shape));
  (void)array.size();  // raises an error for data that do not match their shape
  return from_array<T>(array);
}

template <class T>
npmat::CUDAMatrix<T> Evaluator<T>::random(const Node& node) const {
  Matrix result = Matrix::empty(shape_of(node.dims));
  if (node.op == Op::fill_with_randn)
    result.fill_with_randn();
  else
    result.fill_with_rand();
  return result;
}

template <class T>
npmat::CUDAMatrix<T> Evaluator<T>::broadcast(const Node& node, std::size_t i) const {
  const Dims& from = node.args[i]->dims;
  if (node.ndim() < 3) return expanded(operand(node, i), shape_of(node.dims));
  return strided(operand(node, i), from, node.dims, broadcast_strides(from, node.dims));
}

template <class T>
npmat::CUDAMatrix<T> Evaluator<T>::transposed(const Node& node) const {
  if (node.axes.empty()) return operand(node, 0).transpose();
  const Dims& from = node.args[0]->dims;
  const std::vector<Index> strides = strides_of(from);
  std::vector<Index> turned;
  for (const int axis : node.axes) turned.push_back(strides[static_cast<std::size_t>(axis)]);
  return strided(operand(node, 0), from, node.dims, turned);
}

template <class T>
npmat::CUDAMatrix<T> Evaluator<T>::map(const Node& node) const {
  Matrix a = broadcast(node, 0);
  switch (node.op) {
#define ROW(op, family, style, functor, numpy, facts) \
  case Op::op:                                        \
    a.op(a);                                          \
    break;
    CUDAMAT_UNARY_OPS(ROW)
#undef ROW
#define ROW(op, family, style, functor, numpy, facts) \
  case Op::op:                                        \
    a.op(broadcast(node, 1));                         \
    break;
    CUDAMAT_BINARY_OPS(ROW)
#undef ROW
    default:
      throw cudamat::InternalError("evaluate: a map that is neither unary nor binary");
  }
  return a;
}

template <class T>
npmat::CUDAMatrix<T> Evaluator<T>::where(const Node& node) const {
  Matrix result = broadcast(node, 0);
  npmat::where(result, broadcast(node, 1), broadcast(node, 2));
  return result;
}

/// How a reduction over an axis of an array runs over its matrix.
struct Axis {
  bool all;  ///< over all elements as one row, whose order is C's where an index tells it
  int matrix_axis;
};

Axis axis_of(const Node& node) {
  const bool vector = node.args[0]->ndim() < 2;
  return {node.axis < 0, node.axis < 0 || vector ? 1 : node.axis};
}

template <class T>
npmat::CUDAMatrix<T> reduced_over(Op op, const npmat::CUDAMatrix<T>& a, Axis axis) {
  const npmat::CUDAMatrix<T>* source = &a;
  npmat::CUDAMatrix<T> flat;
  if (axis.all) {
    const bool finds_index = cudamat::row(op).family == cudamat::Family::ArgReduction;
    flat = finds_index ? reshaped(a, {1, a.size()}) : a.view({1, a.size()});
    source = &flat;
  }
  switch (op) {
#define ROW(op, family, style, functor, numpy, facts) \
  case Op::op:                                        \
    return source->op(axis.matrix_axis);
    CUDAMAT_REDUCTION_OPS(ROW)
#undef ROW
    default:
      throw cudamat::InternalError("evaluate: not a reduction");
  }
}

/// A matrix, and how to reduce it.
template <class T>
struct Evaluator<T>::Reducible {
  Matrix a;
  Axis axis;
};

/// Of more than two dimensions one of two: with the axis as columns or, if it is the first one, as
/// rows.
template <class T>
typename Evaluator<T>::Reducible Evaluator<T>::reducible(const Node& node) const {
  const Dims& dims = node.args[0]->dims;
  const Matrix& a = operand(node, 0);
  if (dims.size() < 3) return {a.view(a.shape()), axis_of(node)};
  if (node.axis < 0) return {a.view({a.size(), 1}), {false, 0}};
  const auto at = dims.begin() + node.axis;
  const Index before = npmat::element_count({dims.begin(), at});
  const Index after = npmat::element_count({at + 1, dims.end()});
  if (before == 1 && after != 1) return {a.view({after, *at}), {false, 1}};
  Matrix columns = strided(a, dims, {before, after, *at}, {*at * after, 1, after});
  columns.reshape({*at, before * after});
  return {std::move(columns), {false, 0}};
}

/// The result of reducing that, in C order if it was of more than two dimensions.
template <class T>
npmat::CUDAMatrix<T> Evaluator<T>::shaped(Matrix result, const Node& node) {
  if (node.args[0]->ndim() > 2)
    return gathered(result, {result.size()}, node.dims, [](Index k) { return k; });
  result.reshape(shape_of(node.dims));
  return result;
}

template <class T>
npmat::CUDAMatrix<T> Evaluator<T>::reduced(const Node& node) const {
  const auto [a, axis] = reducible(node);
  return shaped(reduced_over(node.op, a, axis), node);
}

template <class T>
npmat::CUDAMatrix<T> Evaluator<T>::variance(const Node& node) const {
  const auto [a, axis] = reducible(node);
  Matrix mean = reduced_over(Op::mean, a, axis);
  Matrix difference = a.copy();
  difference.subtract(expanded(mean, a.shape()));
  difference.mult(difference);
  Matrix result = reduced_over(Op::sum, difference, axis);
  const Index count = axis.all ? a.size() : axis.matrix_axis == 0 ? a.rows() : a.cols();
  result.divide(std::max(static_cast<T>(count) - static_cast<T>(node.number), T(0)));
  return shaped(std::move(result), node);
}

template <class T>
npmat::CUDAMatrix<T> Evaluator<T>::product(const Node& node) const {
  const Matrix& a = operand(node, 0);
  const Matrix& b = operand(node, 1);
  const bool row_a = node.args[0]->ndim() == 1;
  const bool row_b = node.args[1]->ndim() == 1;
  if (node.args[0]->ndim() > 2) {  // its rows are columns
    const Index inner = node.args[0]->dims.back();
    const Matrix columns = a.view(
        {inner, npmat::element_count({node.args[0]->dims.data(), node.args[0]->dims.size() - 1})});
    const Matrix result = row_b ? b.dot(columns) : b.T().dot(columns);
    return gathered(result, {result.size()}, node.dims, [](Index k) { return k; });
  }
  // A 1-D array is a row: the product of a matrix and a vector is that vector's with the transpose.
  Matrix result = !row_b ? a.dot(b) : row_a ? a.dot(b.T()) : b.dot(a.T());
  result.reshape(shape_of(node.dims));
  return result;
}

/// The part of an array's matrix that ranges take: rows and columns from `first`.
struct Block {
  Index first_row = 0;
  Index first_col = 0;
  Shape shape{1, 1};
};

Block block_of(const std::vector<Range>& ranges) {
  Block block;
  if (ranges.size() == 2) {
    block.first_row = ranges[0].start;
    block.shape.rows = ranges[0].stop - ranges[0].start;
  }
  if (!ranges.empty()) {
    block.first_col = ranges.back().start;
    block.shape.cols = ranges.back().stop - ranges.back().start;
  }
  return block;
}

/// Calls act(place in the matrix, place in the block, count) for each run of elements that lie side
/// by side in both; the matrix has that many rows.
template <class Act>
void for_each_run(const Block& block, Index rows, const Act& act) {
  const bool is_whole = block.shape.rows == rows;
  const Index count = is_whole ? block.shape.size() : block.shape.rows;
  for (Index j = 0; j < (is_whole ? 1 : block.shape.cols); ++j)
    act(block.first_row + rows * (block.first_col + j), block.shape.rows * j, count);
}

template <class T>
Index Evaluator<T>::shift(const LoopTerms& terms) const {
  Index sum = 0;
  for (const auto& [loop, factor] : terms) sum += factor * variables_.at(loop.get());
  return sum;
}

/// The node's ranges in this iteration.
template <class T>
std::vector<Range> Evaluator<T>::ranges(const Node& node) const {
  std::vector<Range> result = node.ranges;
  for (Range& range : result) {
    const Index by = shift(range.shift);
    range.start += by;
    range.stop += by;
  }
  return result;
}

template <class T>
npmat::CUDAMatrix<T> Evaluator<T>::slice(const Node& node) const {
  const Matrix& a = operand(node, 0);
  if (node.args[0]->ndim() > 2) {
    const std::vector<Index> all = strides_of(node.args[0]->dims);
    std::vector<Index> strides;
    Index first = 0;
    const std::vector<Range> now = ranges(node);
    for (std::size_t axis = 0; axis < all.size(); ++axis) {
      first += now[axis].start * all[axis];
      if (!node.ranges[axis].drops_axis) strides.push_back(all[axis]);
    }
    return strided(a, node.args[0]->dims, node.dims, strides, first);
  }
  const Block block = block_of(ranges(node));
  auto result = Matrix::empty(block.shape);
  for_each_run(block, a.rows(), [&](Index whole, Index part, Index count) {
    std::copy_n(a.data() + whole, count, result.data() + part);
  });
  result.reshape(shape_of(node.dims));
  return result;
}

template <class T>
npmat::CUDAMatrix<T> Evaluator<T>::set_slice(const Node& node, Matrix result) const {
  if (node.ndim() > 2 || node.args[1]->ndim() > 2) {
    const std::vector<Range> now = ranges(node);
    const std::vector<Index> all = strides_of(node.dims);
    Index first = 0;
    Dims region;
    std::vector<Index> strides;
    for (std::size_t axis = 0; axis < all.size(); ++axis) {
      first += now[axis].start * all[axis];
      if (now[axis].drops_axis) continue;
      strides.push_back(all[axis]);
      region.push_back(now[axis].extent());
    }
    const Dims& from = node.args[1]->dims;
    const std::vector<Index> value = broadcast_strides(from, region);
    for (Index k = 0; k < npmat::element_count(region); ++k) {
      Index to = first, source = 0, rest = k;
      for (std::size_t axis = region.size(); axis-- > 0; rest /= region[axis]) {
        to += rest % region[axis] * strides[axis];
        source += rest % region[axis] * value[axis];
      }
      result.data()[place_of(node.dims, to)] = operand(node, 1).data()[place_of(from, source)];
    }
    return result;
  }
  const Block block = block_of(ranges(node));
  Dims dims;
  for (const Range& range : node.ranges)
    if (!range.drops_axis) dims.push_back(range.stop - range.start);
  Matrix value = expanded(operand(node, 1), shape_of(dims));
  value.reshape(block.shape);
  for_each_run(block, result.rows(), [&](Index whole, Index part, Index count) {
    std::copy_n(value.data() + part, count, result.data() + whole);
  });
  return result;
}

/// Which elements of an array's C order the elements of a take from it are.
template <class T>
std::vector<Index> taken_places(const Dims& dims, int axis, const npmat::CUDAMatrix<T>& indices) {
  const auto at = dims.begin() + axis;
  const Index before = npmat::element_count({dims.begin(), at});
  const Index after = npmat::element_count({at + 1, dims.end()});
  std::vector<Index> places;
  for (Index b = 0; b < before; ++b)
    for (Index k = 0; k < indices.size(); ++k) {
      const T index = indices.data()[k];
      if (!(index >= static_cast<T>(-*at) && index < static_cast<T>(*at)))
        misuse(Exception::IndexError, "index", "index {} is out of bounds for axis {} with size {}",
               static_cast<double>(index), axis, *at);
      const Index from_start = static_cast<Index>(index) + (index < 0 ? *at : 0);
      for (Index a = 0; a < after; ++a) places.push_back((b * *at + from_start) * after + a);
    }
  return places;
}

template <class T>
npmat::CUDAMatrix<T> Evaluator<T>::taken(const Node& node) const {
  const Dims& dims = node.args[0]->dims;
  const std::vector<Index> places = taken_places(dims, node.axis, operand(node, 1));
  return gathered(operand(node, 0), dims, node.dims,
                  [&](Index k) { return places[static_cast<std::size_t>(k)]; });
}

template <class T>
npmat::CUDAMatrix<T> Evaluator<T>::with_put(const Node& node, Matrix result) const {
  const std::vector<Index> places = taken_places(node.dims, node.axis, operand(node, 1));
  for (std::size_t k = 0; k < places.size(); ++k)
    result.data()[place_of(node.dims, places[k])] =
        operand(node, 2).data()[place_of(node.args[2]->dims, static_cast<Index>(k))];
  return result;
}

template <class T>
npmat::CUDAMatrix<T> Evaluator<T>::concatenated(const Node& node) const {
  Matrix result = Matrix::empty(shape_of(node.dims));
  if (node.ndim() > 2) {
    const auto at = node.dims.begin() + node.axis;
    const Index after = npmat::element_count({at + 1, node.dims.end()});
    Index from = 0;
    for (const NodePtr& part : node.args) {
      const Matrix& a = value(*part);
      const Index piece = part->dims[static_cast<std::size_t>(node.axis)] * after;
      for (Index k = 0; k < a.size(); ++k)
        result.data()[k / piece * *at * after + from + k % piece] = a.data()[k];
      from += piece;
    }
    return result;
  }
  const bool below = node.dims.size() == 2 && node.axis == 0;
  Index offset = 0;
  for (const NodePtr& part : node.args) {
    const Matrix& a = value(*part);
    for (Index j = 0; j < a.cols(); ++j)
      for (Index i = 0; i < a.rows(); ++i)
        result.data()[i + (below ? offset : 0) + result.rows() * (j + (below ? 0 : offset))] =
            element(a, i, j);
    offset += below ? a.rows() : a.cols();
  }
  return result;
}

/// The results of the user's operation, by what it means in NumPy.
template <class T>
std::vector<npmat::CUDAMatrix<T>> Evaluator<T>::custom(const Node& node) const {
  const CustomUse& use = *node.custom;
  const std::string& name = use.operation->name;
  std::vector<npmat::Array<T>> arrays;
  for (std::size_t i = 0; i < use.operands.size(); ++i) {
    const CustomUse::Operand& shown = use.operands[i];
    const Matrix& a = operand(node, i);
    const Index first = shown.is_part ? shown.rows.start + shift(shown.rows.shift) : 0;
    const Index cols = shape_of(shown.dims).cols;
    npmat::Array<T>& array = arrays.emplace_back(npmat::Array<T>{shown.dims, {}});
    for (Index k = 0; k < npmat::element_count(shown.dims); ++k)
      array.data.push_back(shown.transposed ? element(a, first + k % cols, k / cols)
                                            : element(a, first + k / cols, k % cols));
  }
  const std::vector<npmat::Array<T>> found =
      use.operation->numpy.template in<T>()(arrays, use.numbers);
  if (found.size() != use.results.size())
    misuse(name, "its NumPy function returns {} results; its shapes function declares {}",
           found.size(), use.results.size());
  std::vector<Matrix> results;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (found[k].shape != use.results[k])
      misuse(name,
             "result {} of its NumPy function has the shape {}; its shapes function declares {}", k,
             to_string(found[k].shape), to_string(use.results[k]));
    (void)found[k].size();  // raises an error for data that do not match their shape
    results.push_back(from_array<T>(found[k]));
  }
  return results;
}

}  // namespace detail
}  // namespace rewriter

// Symbolic arrays: reductions and products.
#include "rewriter/expr/build.hpp"

namespace rewriter {
namespace {

using cudamat::Family;
using cudamat::misuse;
using cudamat::numpy_name;
using detail::make_node;
using detail::promote;
using detail::to_array;

bool is_index(Op op) {
  return cudamat::row(op).family == Family::ArgReduction;
}

DType reduced_type(Op op, DType operand) {
  const cudamat::OpRow& row = cudamat::row(op);
  if (row.has(cudamat::kIndex)) return DType::Int;
  if (row.has(cudamat::kTruth)) return DType::Bool;
  if (row.has(cudamat::kSame)) return operand;
  return row.has(cudamat::kSums) ? promote(DType::Int, operand) : DType::Float;
}

/// -1 for all elements, else an axis of the operand. NumPy takes axis 0 and -1 of a 0-d array in
/// its ufuncs' reductions, not in mean and var.
int reduced_axis(std::string_view op, const Array& a, std::optional<int> axis, bool scalar_axis) {
  if (!axis) return -1;
  if (a.ndim() == 0 && scalar_axis && (*axis == 0 || *axis == -1)) return -1;
  return detail::normalize_axis(op, *axis, a.ndim());
}

Dims reduced_dims(const Dims& dims, int axis, bool keepdims) {
  if (axis < 0) return keepdims ? Dims(dims.size(), 1) : Dims{};
  Dims result = dims;
  const auto at = result.begin() + axis;
  if (keepdims)
    *at = 1;
  else
    result.erase(at);
  return result;
}

void refuse_empty(Op op, const Array& a, int axis) {
  const Index count = axis < 0 ? a.size() : a.shape(axis);
  if (count > 0 || !cudamat::row(op).has(cudamat::kNoEmpty)) return;
  if (is_index(op))
    misuse(numpy_name(op), "attempt to get {} of an empty sequence; the shape is {}",
           numpy_name(op), to_string(a.shape()));
  misuse(numpy_name(op),
         "zero-size array to reduction operation {} which has no identity; the shape is {}",
         op == Op::max ? "maximum" : "minimum", to_string(a.shape()));
}

Array moment(Kind kind, std::string_view op, const Array& a, std::optional<int> axis, bool keepdims,
             double ddof) {
  const int over = reduced_axis(op, a, axis, false);
  auto node =
      make_node(op, kind, DType::Float, reduced_dims(a.shape(), over, keepdims), {a.node()});
  node->axis = over;
  node->keepdims = keepdims;
  node->number = ddof;
  return to_array(std::move(node));
}

/// The product of 1-D and 2-D operands.
Array product(std::string_view op, const Array& a, const Array& b) {
  const int inner_of_b = b.ndim() == 2 ? 0 : b.ndim() - 1;
  if (a.shape(-1) != b.shape(inner_of_b))
    misuse(op, "shapes {} and {} not aligned: {} (dim {}) != {} (dim {})", to_string(a.shape()),
           to_string(b.shape()), a.shape(-1), a.ndim() - 1, b.shape(inner_of_b), inner_of_b);
  Dims dims;
  if (a.ndim() == 2) dims.push_back(a.shape(0));
  if (b.ndim() == 2) dims.push_back(b.shape(1));
  const DType dtype = promote(a.dtype(), b.dtype());
  detail::refuse_narrow(op, dtype);
  const Array result = to_array(
      make_node(op, Kind::Dot, promote(DType::Int, dtype), std::move(dims), {a.node(), b.node()}));
  return dtype == DType::Bool ? detail::truth(result) : detail::whole_product(result, a, b);
}

}  // namespace

Array reduce(Op op, const Array& a, std::optional<int> axis, bool keepdims) {
  if (cudamat::row(op).family != Family::Reduction && !is_index(op))
    throw cudamat::InternalError(fmt::format("reduce with {}", cudamat::name(op)));
  const std::string_view name = numpy_name(op);
  const int over = reduced_axis(name, a, axis, op != Op::mean);
  if (cudamat::row(op).has(cudamat::kSums)) detail::refuse_narrow(name, a.dtype());
  refuse_empty(op, a, over);
  auto node = make_node(name, Kind::Reduce, reduced_type(op, a.dtype()),
                        reduced_dims(a.shape(), over, keepdims), {a.node()});
  node->op = op;
  node->axis = over;
  node->keepdims = keepdims;
  const Array result = to_array(std::move(node));
  return op == Op::prod ? detail::whole_product(result, a, a) : result;
}

Array variance(const Array& a, std::optional<int> axis, bool keepdims, double ddof) {
  return moment(Kind::Variance, "var", a, axis, keepdims, ddof);
}

Array deviation(const Array& a, std::optional<int> axis, bool keepdims, double ddof) {
  return moment(Kind::Deviation, "std", a, axis, keepdims, ddof);
}

Array whole(Op op, const Array& a) {
  if (op != Op::euclid_norm && op != Op::manhattan_norm)
    throw cudamat::InternalError(fmt::format("whole of {}", cudamat::name(op)));
  auto node = make_node(numpy_name(op), Kind::Whole, DType::Float, {}, {a.node()});
  node->op = op;
  return to_array(std::move(node));
}

Array dot(const Array& a, const Array& b) {
  if (a.ndim() == 0 || b.ndim() == 0) return a * b;
  return product("dot", a, b);
}

Array matmul(const Array& a, const Array& b) {
  if (a.ndim() == 0 || b.ndim() == 0)
    misuse("matmul",
           "operand {} does not have enough dimensions: @ has no 0-d operands; write * instead",
           a.ndim() == 0 ? 0 : 1);
  return product("matmul", a, b);
}

Array outer(const Array& a, const Array& b) {
  return map(Op::mult, a.reshape({-1, 1}), b.reshape({1, -1}));
}

Array Array::sum(std::optional<int> axis, bool keepdims) const {
  return reduce(Op::sum, *this, axis, keepdims);
}

Array Array::mean(std::optional<int> axis, bool keepdims) const {
  return reduce(Op::mean, *this, axis, keepdims);
}

Array Array::max(std::optional<int> axis, bool keepdims) const {
  return reduce(Op::max, *this, axis, keepdims);
}

Array Array::min(std::optional<int> axis, bool keepdims) const {
  return reduce(Op::min, *this, axis, keepdims);
}

Array Array::euclid_norm() const {
  return whole(Op::euclid_norm, *this);
}

}  // namespace rewriter

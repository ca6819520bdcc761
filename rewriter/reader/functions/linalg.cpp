// np.linalg.
#include <algorithm>
#include <cmath>
#include <limits>

#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/table/table.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

/// A named tuple.
Value tuple_of(const std::vector<Array>& arrays, std::string fields) {
  Sequence tuple;
  tuple.fields = std::move(fields);
  for (const Array& array : arrays) tuple.items.push_back(new_array(array));
  return {std::move(tuple)};
}

Value of_one(const Call& call, Array (*build)(const Array&)) {
  return new_array(build(array_argument(call, call.bind()[0], "a")));
}

std::string text_argument(const Call& call, const Value* value, std::string_view parameter) {
  const auto* text = value->as<std::string>();
  if (text == nullptr)
    misuse(call.name, "{} must be a string; got {}", parameter, value->description());
  return *text;
}

Value np_solve(const Call& call) {
  const auto bound = call.bind();
  return new_array(solve(array_argument(call, bound[0], "a"), array_argument(call, bound[1], "b")));
}

/// rcond=None counts units of epsilon by the longer extent, and no rcond one, as in NumPy 1.24.
Value np_lstsq(const Call& call) {
  const auto bound = call.bind();
  const Array a = array_argument(call, bound[0], "a"), b = array_argument(call, bound[1], "b");
  double rcond = -1;
  if (bound[2] != nullptr)
    rcond = std::max(number_argument(call, bound[2], "rcond", 0), -1.0);
  else if (call.is_none("rcond") && a.ndim() == 2)
    rcond = -static_cast<double>(std::max(a.shape(0), a.shape(1)));
  const std::vector<Array> parts = lstsq(a, b, rcond);
  Value residuals{
      Function{"np.linalg.lstsq's residuals (NumPy returns none where a is rank-deficient; "
               "np.sum((b - a @ x) ** 2, axis=0) computes them)",
               nullptr}};
  if (a.shape(0) <= a.shape(1)) residuals = new_array(zeros({0}));
  return {
      Sequence{false, {new_array(parts[0]), residuals, new_array(parts[2]), new_array(parts[1])}}};
}

void check_lower(const Call& call, const Value* uplo) {
  const std::string text = text_argument(call, uplo, "UPLO");
  if (text != "L" && text != "l")
    misuse(call.name, "the lower triangle is read; for the upper one write a.T");
}

Value np_eigh(const Call& call, bool vectors) {
  const auto bound = call.bind();
  check_lower(call, bound[1]);
  const Array a = array_argument(call, bound[0], "a");
  if (!vectors) return new_array(eigh(a, false)[0]);
  return tuple_of(eigh(a, true), "eigenvalues eigenvectors");
}

void refuse_hermitian(const Call& call, const Value* hermitian) {
  if (flag(hermitian)) misuse(call.name, "hermitian=True is not supported; omit it");
}

Value np_svd(const Call& call) {
  const auto bound = call.bind();
  refuse_hermitian(call, bound[3]);
  const Array a = array_argument(call, bound[0], "a");
  if (!flag(bound[2])) return new_array(svd(a, false, false)[0]);
  return tuple_of(svd(a, true, flag(bound[1])), "U S Vh");
}

Value np_qr(const Call& call) {
  const auto bound = call.bind();
  const Array a = array_argument(call, bound[0], "a");
  const std::string mode = text_argument(call, bound[1], "mode");
  if (mode == "r") return new_array(qr(a, false, false)[0]);
  if (mode != "reduced" && mode != "complete")
    misuse(Exception::ValueError, call.name, "mode must be 'reduced', 'complete' or 'r'; got '{}'",
           mode);
  return tuple_of(qr(a, true, mode == "complete"), "Q R");
}

// ---- norms ----

/// An order as NumPy writes it: a number, a text, or none.
struct Order {
  bool given = false;
  std::string text;
  double number = 2;
};

Order order_argument(const Call& call, const Value* value) {
  if (value == nullptr) return {};
  if (const auto* text = value->as<std::string>()) return {true, *text, 0};
  return {true, "", number_argument(call, value, "ord", 0)};
}

Array matrix_norm(const Call& call, const Array& x, const Order& order) {
  if (!order.given || order.text == "fro") return sqrt(reduce(Op::sum, square(x)));
  if (order.text == "nuc") return reduce(Op::sum, svd(x, false, false)[0]);
  const double p = order.number;
  if (order.text.empty() && (std::abs(p) == 1 || std::isinf(p)))
    return reduce(p > 0 ? Op::max : Op::min, reduce(Op::sum, abs(x), std::isinf(p) ? 1 : 0));
  if (order.text.empty() && std::abs(p) == 2) {
    const Array s = svd(x, false, false)[0];
    return s.slice({index_range(p > 0 ? 0 : -1, s.size())});
  }
  misuse(Exception::ValueError, call.name,
         "invalid norm order for matrices: 'fro', 'nuc', inf, -inf, 1, -1, 2, -2");
}

Value np_norm(const Call& call) {
  const auto bound = call.bind();
  const Array x = array_argument(call, bound[0], "x");
  const Order order = order_argument(call, bound[1]);
  const bool keepdims = flag(bound[3]);
  const auto shaped = [&](const Array& norm) {
    return new_array(keepdims ? norm.reshape(Dims(x.shape().size(), 1)) : norm);
  };
  const Value* axis = bound[2];
  const auto* axes = axis == nullptr ? nullptr : axis->as<Sequence>();
  if (axes != nullptr && axes->list)
    misuse(Exception::TypeError, call.name,
           "'axis' must be None, an integer or a tuple of integers");
  if (axes != nullptr && axes->items.size() == 1) axis = &axes->items[0];
  if (axes != nullptr && axes->items.size() == 2) {
    if (!order.given || order.text == "fro") {
      std::vector<int> both;
      for (const Value& item : axes->items)
        both.push_back(static_cast<int>(item.integer("an axis")));
      return new_array(sqrt(reduce_over(Op::sum, square(x.as_float()), both, keepdims)));
    }
    if (x.ndim() != 2)
      misuse(call.name, "a norm of matrices takes a two-dimensional array; got {}",
             to_string(x.shape()));
    const Index first = axes->items[0].integer("an axis"),
                second = axes->items[1].integer("an axis");
    const auto row = first < 0 ? first + 2 : first, column = second < 0 ? second + 2 : second;
    if (row + column != 1 || row * column != 0) misuse(call.name, "axes must be 0 and 1");
    return shaped(matrix_norm(call, row == 0 ? x.as_float() : x.as_float().T(), order));
  }
  if (axis == nullptr) {
    if (!order.given) return shaped(whole(Op::euclid_norm, x));
    if (x.ndim() == 2) return shaped(matrix_norm(call, x.as_float(), order));
    if (x.ndim() != 1)
      misuse(Exception::ValueError, call.name,
             "improper number of dimensions to norm: ord needs a vector or a matrix");
  } else if (x.ndim() == 0) {
    misuse(Exception::AxisError, call.name, "axis {} is out of bounds for array of dimension 0",
           axis->integer("the axis"));
  }
  if (!order.text.empty())
    misuse(Exception::ValueError, call.name, "invalid norm order '{}' for vectors", order.text);
  if (!order.given)
    return new_array(
        map(Op::sqrt, reduce(Op::sum, square(x.as_float()), axis_argument(call, axis), keepdims)));
  return new_array(vector_norm(x, order.number, axis_argument(call, axis), keepdims));
}

Value np_slogdet(const Call& call) {
  return tuple_of(slogdet(array_argument(call, call.bind()[0], "a")), "sign logabsdet");
}

}  // namespace

void enter_linalg(FunctionTable& table) {
  enter(table, Topic::LinearAlgebra,
        {{"np.linalg.solve", "a, b", np_solve, kInOrder},
         {"np.linalg.inv", "a", with(of_one, inv), kInOrder},
         {"np.linalg.cholesky", "a", with(of_one, cholesky)},
         {"np.linalg.det", "a", with(of_one, det)},
         {"np.linalg.slogdet", "a", np_slogdet},
         {"np.linalg.lstsq", "a, b, rcond=None", np_lstsq},
         {"np.linalg.eigh", "a, UPLO='L'", with(np_eigh, true)},
         {"np.linalg.eigvalsh", "a, UPLO='L'", with(np_eigh, false)},
         {"np.linalg.svd", "a, full_matrices=True, compute_uv=True, hermitian=False", np_svd},
         {"np.linalg.qr", "a, mode='reduced'", np_qr},
         {"np.linalg.norm", "x, ord=None, axis=None, keepdims=False", np_norm, kAlongAxis}});
}

}  // namespace rewriter

// np.linalg.
#include <algorithm>
#include <cmath>
#include <limits>

#include "rewriter/reader/table.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

Value tuple_of(const std::vector<Array>& arrays) {
  Sequence tuple;
  for (const Array& array : arrays) tuple.items.push_back(new_array(array));
  return {std::move(tuple)};
}

Handler of_one(Array (*build)(const Array&)) {
  return [build](const Call& call) {
    const auto bound = call.bind({"a"}, 1);
    return new_array(build(array_argument(call, bound[0], "a")));
  };
}

/// A text argument, or what it is without one.
std::string text_argument(const Call& call, const Value* value, std::string_view parameter,
                          const char* otherwise) {
  if (value == nullptr) return otherwise;
  const auto* text = value->as<std::string>();
  if (text == nullptr)
    misuse(call.name, "{} must be a text; got {}", parameter, value->description());
  return *text;
}

double number_argument(const Call& call, const Value* value, std::string_view parameter) {
  if (!value->is_number())
    misuse(call.name, "{} must be a number known when the program is read; got {}", parameter,
           value->description());
  return value->real();
}

bool flag_or(const Value* value, bool otherwise) {
  return value == nullptr ? otherwise : flag(value);
}

Value np_solve(const Call& call) {
  const auto bound = call.bind({"a", "b"}, 2);
  return new_array(solve(array_argument(call, bound[0], "a"), array_argument(call, bound[1], "b")));
}

/// rcond=None counts units of epsilon by the longer extent, and no rcond one, as in NumPy 1.24.
Value np_lstsq(const Call& call) {
  const auto bound = call.bind({"a", "b", "rcond"}, 2);
  const Array a = array_argument(call, bound[0], "a"), b = array_argument(call, bound[1], "b");
  const bool is_given = call.arguments.size() > 2 ||
                        std::any_of(call.keywords.begin(), call.keywords.end(),
                                    [](const auto& keyword) { return keyword.first == "rcond"; });
  double rcond = -1;
  if (bound[2] != nullptr)
    rcond = number_argument(call, bound[2], "rcond");
  else if (is_given && a.ndim() == 2)
    rcond = -static_cast<double>(std::max(a.shape(0), a.shape(1)));
  const std::vector<Array> parts = lstsq(a, b, rcond < 0 && bound[2] != nullptr ? -1 : rcond);
  Value residuals{
      Function{"np.linalg.lstsq's residuals (of which there are none where the rank is "
               "short: np.sum((b - a @ x) ** 2, axis=0) has them)",
               nullptr}};
  if (a.shape(0) <= a.shape(1)) residuals = new_array(zeros({0}));
  return {
      Sequence{false, {new_array(parts[0]), residuals, new_array(parts[2]), new_array(parts[1])}}};
}

void check_lower(const Call& call, const Value* uplo) {
  const std::string text = text_argument(call, uplo, "UPLO", "L");
  if (text != "L" && text != "l")
    misuse(call.name, "the lower triangle is read; for the upper one write a.T");
}

Value np_eigh(const Call& call) {
  const auto bound = call.bind({"a", "UPLO"}, 1);
  check_lower(call, bound[1]);
  const Array a = array_argument(call, bound[0], "a");
  if (call.name == "np.linalg.eigh") return tuple_of(eigh(a, true));
  return new_array(eigh(a, false)[0]);
}

void refuse_hermitian(const Call& call, const Value* hermitian) {
  if (flag(hermitian)) misuse(call.name, "hermitian=True is outside the notation; leave it out");
}

Value np_svd(const Call& call) {
  const auto bound = call.bind({"a", "full_matrices", "compute_uv", "hermitian"}, 1);
  refuse_hermitian(call, bound[3]);
  const Array a = array_argument(call, bound[0], "a");
  if (!flag_or(bound[2], true)) return new_array(svd(a, false, false)[0]);
  return tuple_of(svd(a, true, flag_or(bound[1], true)));
}

Value np_qr(const Call& call) {
  const auto bound = call.bind({"a", "mode"}, 1);
  const Array a = array_argument(call, bound[0], "a");
  const std::string mode = text_argument(call, bound[1], "mode", "reduced");
  if (mode == "r") return new_array(qr(a, false, false)[0]);
  if (mode != "reduced" && mode != "complete")
    misuse(call.name, "mode must be 'reduced', 'complete' or 'r'; got '{}'", mode);
  return tuple_of(qr(a, true, mode == "complete"));
}

Value np_matrix_power(const Call& call) {
  const auto bound = call.bind({"a", "n"}, 2);
  const Array a = array_argument(call, bound[0], "a");
  Index n = bound[1]->integer("the exponent of a matrix");
  if (a.ndim() != 2 || a.shape(0) != a.shape(1))
    misuse(call.name, "last 2 dimensions of the array must be square; the shape is {}",
           to_string(a.shape()));
  if (n == 0) return new_array(eye(a.shape(0)).as_type(a.dtype()));
  if (n == 1) return bound[0]->as<ObjectPtr>() != nullptr ? *bound[0] : new_array(a);  // no copy
  Array power = n < 0 ? inv(a) : a;
  n = std::abs(n);
  if (n == 3) return new_array(matmul(matmul(power, power), power));
  std::optional<Array> result;
  for (bool first = true; n > 0; n /= 2, first = false) {
    if (!first) power = matmul(power, power);
    if (n % 2 == 1) result = result ? matmul(*result, power) : power;
  }
  return new_array(*result);
}

/// In the order with the fewest multiplications. T. H. Cormen et al., "Introduction to Algorithms",
/// 15.2.
Value np_multi_dot(const Call& call) {
  const auto bound = call.bind({"arrays"}, 1);
  const auto* sequence = bound[0]->as<Sequence>();
  if (sequence == nullptr || sequence->items.size() < 2)
    misuse(call.name, "expects a list of two arrays or more; got {}", bound[0]->description());
  std::vector<Array> arrays;
  for (const Value& item : sequence->items) arrays.push_back(array_argument(call, &item, "arrays"));
  const std::size_t n = arrays.size();
  const bool is_row = arrays.front().ndim() == 1, is_column = arrays.back().ndim() == 1;
  if (is_row) arrays.front() = arrays.front().reshape({1, -1});
  if (is_column) arrays.back() = arrays.back().reshape({-1, 1});
  std::vector<double> extents;
  for (const Array& array : arrays) {
    if (array.ndim() != 2)
      misuse(call.name, "{}-dimensional array given; array must be two-dimensional", array.ndim());
    extents.push_back(static_cast<double>(array.shape(0)));
  }
  extents.push_back(static_cast<double>(arrays.back().shape(1)));
  std::vector<std::vector<double>> cost(n, std::vector<double>(n, 0));
  std::vector<std::vector<std::size_t>> split(n, std::vector<std::size_t>(n, 0));
  for (std::size_t length = 1; length < n; ++length)
    for (std::size_t i = 0; i + length < n; ++i) {
      const std::size_t j = i + length;
      cost[i][j] = std::numeric_limits<double>::infinity();
      for (std::size_t k = i; k < j; ++k) {
        const double all =
            cost[i][k] + cost[k + 1][j] + extents[i] * extents[k + 1] * extents[j + 1];
        if (all >= cost[i][j]) continue;
        cost[i][j] = all;
        split[i][j] = k;
      }
    }
  const auto product = [&](const auto& self, std::size_t i, std::size_t j) -> Array {
    if (i == j) return arrays[i];
    return dot(self(self, i, split[i][j]), self(self, split[i][j] + 1, j));
  };
  const Array result = product(product, 0, n - 1);
  if (is_row && is_column) return new_array(result.slice({index_range(0, 1), index_range(0, 1)}));
  return new_array(is_row || is_column ? result.reshape({-1}) : result);
}

Value np_pinv(const Call& call) {
  const auto bound = call.bind({"a", "rcond", "hermitian"}, 1);
  refuse_hermitian(call, bound[2]);
  const Array a = array_argument(call, bound[0], "a");
  const double rcond = bound[1] == nullptr ? 1e-15 : number_argument(call, bound[1], "rcond");
  if (a.size() == 0) return new_array(zeros({a.shape(-1), a.shape(0)}));
  const std::vector<Array> usv = svd(a, true, false);
  const Array& s = usv[1];
  const Array inverse = where(s > Array(rcond) * reduce(Op::max, s), Array(1.0) / s, Array(0.0));
  return new_array(matmul(usv[2].T(), inverse.reshape({-1, 1}) * usv[0].T()));
}

Value np_matrix_rank(const Call& call) {
  const auto bound = call.bind({"A", "tol", "hermitian"}, 1);
  refuse_hermitian(call, bound[2]);
  const Array a = array_argument(call, bound[0], "A");
  if (a.ndim() < 2) return new_array(reduce(Op::any, not_equal(a, 0)).as_type(DType::Int));
  if (bound[1] != nullptr)
    return new_array(
        reduce(Op::sum, svd(a, false, false)[0] > array_argument(call, bound[1], "tol")));
  const auto longer = static_cast<double>(std::max(a.shape(0), a.shape(1)));
  return new_array(lstsq(a, zeros({a.shape(0)}), -longer)[2]);
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
  return {true, "", number_argument(call, value, "ord")};
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
  misuse(call.name, "invalid norm order for matrices: 'fro', 'nuc', inf, -inf, 1, -1, 2, -2");
}

Value np_norm(const Call& call) {
  const auto bound = call.bind({"x", "ord", "axis", "keepdims"}, 1);
  const Array x = array_argument(call, bound[0], "x");
  const Order order = order_argument(call, bound[1]);
  const bool keepdims = flag(bound[3]);
  const auto shaped = [&](const Array& norm) {
    return new_array(keepdims ? norm.reshape(Dims(x.shape().size(), 1)) : norm);
  };
  const Value* axis = bound[2];
  const auto* axes = axis == nullptr ? nullptr : axis->as<Sequence>();
  if (axes != nullptr && axes->list)
    misuse(call.name, "'axis' must be None, an integer or a tuple of integers");
  if (axes != nullptr && axes->items.size() == 1) axis = &axes->items[0];
  if (axes != nullptr && axes->items.size() == 2) {
    if (!order.given || order.text == "fro") {
      std::vector<int> both;
      for (const Value& item : axes->items)
        both.push_back(static_cast<int>(item.integer("an axis")));
      return new_array(sqrt(reduce_over(Op::sum, square(x.as_float()), both, keepdims)));
    }
    if (x.ndim() != 2)
      misuse(call.name, "norms of matrices are of two-dimensional arrays here; got {}",
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
      misuse(call.name, "improper number of dimensions to norm: ord needs a vector or a matrix");
  } else if (x.ndim() == 0) {
    misuse(call.name, "axis {} is out of bounds for array of dimension 0",
           axis->integer("the axis"));
  }
  if (!order.text.empty()) misuse(call.name, "invalid norm order '{}' for vectors", order.text);
  if (!order.given)
    return new_array(
        map(Op::sqrt, reduce(Op::sum, square(x.as_float()), axis_argument(call, axis), keepdims)));
  return new_array(vector_norm(x, order.number, axis_argument(call, axis), keepdims));
}

/// The condition of a matrix.
Value np_cond(const Call& call) {
  const auto bound = call.bind({"x", "p"}, 1);
  const Array x = array_argument(call, bound[0], "x");
  const Order order = order_argument(call, bound[1]);
  const bool by_values = !order.given || (order.text.empty() && std::abs(order.number) == 2);
  if (!by_values)
    return new_array(matrix_norm(call, x.as_float(), order) * matrix_norm(call, inv(x), order));
  const Array s = svd(x, false, false)[0];
  if (s.size() == 0) misuse(call.name, "is not defined on empty arrays");
  const Array first = s.slice({index_range(0, s.size())}),
              last = s.slice({index_range(-1, s.size())});
  const Array ratio = order.number > 0 ? first / last : last / first;
  return new_array(
      where(equal(ratio, ratio), ratio, Array(std::numeric_limits<double>::infinity()), true));
}

}  // namespace

void enter_linalg(Handlers& table) {
  enter(table, "np.linalg.solve", np_solve);
  enter(table, "np.linalg.inv", of_one(inv));
  enter(table, "np.linalg.cholesky", of_one(cholesky));
  enter(table, "np.linalg.det", of_one(det));
  enter(table, "np.linalg.slogdet", [](const Call& call) {
    const auto bound = call.bind({"a"}, 1);
    return tuple_of(slogdet(array_argument(call, bound[0], "a")));
  });
  enter(table, "np.linalg.lstsq", np_lstsq);
  enter(table, "np.linalg.eigh np.linalg.eigvalsh", np_eigh);
  enter(table, "np.linalg.svd", np_svd);
  enter(table, "np.linalg.qr", np_qr);
  enter(table, "np.linalg.pinv", np_pinv);
  enter(table, "np.linalg.matrix_rank", np_matrix_rank);
  enter(table, "np.linalg.matrix_power", np_matrix_power);
  enter(table, "np.linalg.multi_dot", np_multi_dot);
  enter(table, "np.linalg.cond", np_cond);
  enter(table, "np.linalg.norm", np_norm);
}

}  // namespace rewriter

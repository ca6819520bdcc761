// A list with every call that a statement can have, and what NumPy makes of it.
#pragma once

#include <cmath>
#include <limits>

#include "tests/numpy_text.hpp"
#include "tests/print_samples.hpp"

namespace samples {

/// A list, and Python text that computes each output, by its name, from the inputs a, b (3, 4),
/// row (4,), col (3,), number (), none (0, 4).
struct Checked {
  StatementList list;
  std::string expected;
};

class Calls {
 public:
  explicit Calls(bool extensions) : extensions_(extensions) {
    leaves();
    elementwise();
    with_vectors();
    updates();
    reductions();
    products();
    slices();
    constants();
    random();
    if (extensions) added_by_npmat();
  }
  Checked done() { return {b_.done(), std::move(expected_)}; }

 private:
  using Operands = std::vector<Statement::Operand>;

  /// A matrix of its own, an output; `expected` is its value in NumPy.
  Var fresh(cudamat::Shape shape, const std::string& expected) {
    const std::string name = "o" + std::to_string(++count_);
    const Var var = b_.empty(name, shape);
    b_.output(name, var, {shape.rows, shape.cols});
    expected_ += name + " = " + expected + "\n";
    return var;
  }
  void shown(Var var, Dims dims, const std::string& expected) {
    const std::string name = "o" + std::to_string(++count_);
    b_.output(name, var, std::move(dims));
    expected_ += name + " = " + expected + "\n";
  }
  void call(Op op, cudamat::Shape shape, const std::string& expected, Operands operands,
            std::vector<rewriter::Number> numbers = {}, std::vector<Index> integers = {}) {
    const Var t = fresh(shape, expected);
    b_.call(op, t, std::move(operands), std::move(numbers), std::move(integers));
  }
  /// The call writes over `start`, a number.
  void over(double start, Op op, cudamat::Shape shape, const std::string& expected,
            Operands operands, std::vector<rewriter::Number> numbers = {},
            std::vector<Index> integers = {}) {
    const Var t = fresh(shape, expected);
    b_.call(Op::assign, t, {}, {start});
    b_.call(op, t, std::move(operands), std::move(numbers), std::move(integers));
  }

  void leaves();
  void elementwise();
  void with_vectors();
  void updates();
  void reductions();
  void products();
  void slices();
  void constants();
  void random();
  void added_by_npmat();

  [[nodiscard]] bool printed(const cudamat::OpRow& row) const {
    return extensions_ || !row.has(cudamat::kExtension);
  }

  static constexpr cudamat::Shape kShape{3, 4};
  bool extensions_;
  Builder b_;
  std::string expected_;
  int count_ = 0;
  Var A_ = 0, B_ = 0, row_ = 0, col_ = 0, number_ = 0, none_ = 0, C_ = 0;
};

inline void Calls::leaves() {
  A_ = b_.input("a", {3, 4});
  B_ = b_.input("b", {3, 4});
  row_ = b_.input("row", {4});
  col_ = b_.input("col", {3});
  number_ = b_.input("number", {});
  none_ = b_.input("none", {0, 4});
  C_ = b_.reshape("column", col_, {3, 1});
  shown(A_, {3, 4}, "a");
  shown(row_, {4}, "row");
  shown(number_, {}, "number");
  shown(none_, {0, 4}, "none");
  shown(C_, {3, 1}, "col.reshape(3, 1)");
  const Var part = b_.slice("part", A_, 1, 3);
  const Var part_of_part = b_.slice("part_of_part", part, 1, 2);
  shown(part, {3, 2}, "a[:, 1:3]");
  shown(part_of_part, {3, 1}, "a[:, 2:3]");
  shown(b_.reshape("flat", part, {1, 6}), {6}, "a[:, 1:3].T.ravel()");
  const Var temporary = b_.empty("temporary", kShape);
  b_.call(Op::assign, temporary, {{A_}});
  const Var view = b_.slice("view", temporary, 0, 2);
  call(Op::exp, {3, 2}, "np.exp(a[:, :2])", {{view}});
  b_.free(temporary);
}

inline void Calls::elementwise() {
  for (const cudamat::OpRow& row : cudamat::kOpTable) {
    const bool is_unary = row.family == cudamat::Family::Unary;
    if (!is_unary && row.family != cudamat::Family::Binary) continue;
    const std::string expected = tests::numpy_text(row.op, is_unary ? "a" : "a, b");
    if (!printed(row) || expected.empty()) continue;
    const Operands operands = is_unary ? Operands{{A_}} : Operands{{A_}, {B_}};
    call(row.op, kShape, expected, operands);
    Var t = fresh(kShape, expected);
    b_.call(Op::assign, t, {{A_}}).call(row.op, t, is_unary ? Operands{{t}} : Operands{{t}, {B_}});
    if (is_unary) continue;
    t = fresh(kShape, expected);
    b_.call(Op::assign, t, {{B_}}).call(row.op, t, {{A_}, {t}});
    call(row.op, kShape, tests::numpy_text(row.op, "a, 0.75"), {{A_}}, {0.75});
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  call(Op::minimum, kShape, "a", {{A_}}, {kInfinity});
  call(Op::maximum, kShape, "a", {{A_}}, {-kInfinity});
  call(Op::add, kShape, "a + np.nan", {{A_}}, {std::nan("")});
  call(Op::mult, kShape, "a * -0.0", {{A_}}, {-0.0});
  call(Op::mult, kShape, "a * 1.5e-9", {{A_}}, {1.5e-9});
  call(Op::mult, kShape, "a * 1e16", {{A_}}, {1e16});
  call(Op::soft_threshold, kShape, "np.sign(a) * np.maximum(np.abs(a) - 0.5, 0)", {{A_}}, {0.5});
  call(Op::where, kShape, "np.where(a - 1, a, b)", {{A_}, {A_}, {B_}});
}

inline void Calls::with_vectors() {
  call(Op::add_row_vec, kShape, "a + row", {{A_}, {row_}});
  call(Op::mult_by_row, kShape, "a * row", {{A_}, {row_}});
  call(Op::div_by_row, kShape, "a / row", {{A_}, {row_}});
  call(Op::add_col_vec, kShape, "a + col[:, None]", {{A_}, {C_}});
  call(Op::mult_by_col, kShape, "a * col[:, None]", {{A_}, {C_}});
  call(Op::div_by_col, kShape, "a / col[:, None]", {{A_}, {C_}});
  call(Op::add_col_mult, kShape, "a + 0.25 * col[:, None]", {{A_}, {C_}}, {0.25});
  const Var t = fresh(kShape, "a + row");
  b_.call(Op::assign, t, {{A_}}).call(Op::add_row_vec, t, {{t}, {row_}});
}

inline void Calls::updates() {
  over(2, Op::add_mult, kShape, "2 + a", {{A_}}, {1});
  over(2, Op::add_mult, kShape, "2 + 0.5 * a", {{A_}}, {0.5});
  over(2, Op::subtract_mult, kShape, "2 - 0.5 * a", {{A_}}, {0.5});
  over(2, Op::mult_by_sigmoid_deriv, kShape, "2 * a * (1 - a)", {{A_}});
  over(2, Op::add_sums, {1, 4}, "2 + a.sum(0, keepdims=True)", {{A_}}, {1, 1}, {0});
  over(2, Op::add_sums, {3, 1}, "1 + 3 * a.sum(1, keepdims=True)", {{A_}}, {3, 0.5}, {1});
  over(2, Op::add_sums, {3, 1}, "1 + a.sum(1, keepdims=True)", {{A_}}, {1, 0.5}, {1});
  over(2, Op::add_sums, {1, 3}, "2 + a.T.sum(0, keepdims=True)", {{A_, true}}, {1, 1}, {0});
}

inline void Calls::reductions() {
  for (const cudamat::OpRow& row : cudamat::kOpTable) {
    const bool is_reduction =
        row.family == cudamat::Family::Reduction || row.family == cudamat::Family::ArgReduction;
    if (!is_reduction || !printed(row)) continue;
    for (const Index axis : {0, 1})
      for (const bool transposed : {false, true}) {
        const cudamat::Shape shape = transposed ? kShape.transposed() : kShape;
        call(row.op, axis == 0 ? cudamat::Shape{1, shape.cols} : cudamat::Shape{shape.rows, 1},
             fmt::format(
                 "np.expand_dims({0}, {1})",
                 tests::numpy_text(row.op, fmt::format("{}, {}", transposed ? "a.T" : "a", axis)),
                 axis),
             {{A_, transposed}}, {}, {axis});
      }
  }
  call(Op::sum, {1, 4}, "0.5 * a.sum(0, keepdims=True)", {{A_}}, {0.5}, {0});
  call(Op::sum, {1, 4}, "none.sum(0, keepdims=True)", {{none_}}, {}, {0});
  call(Op::euclid_norm, {1, 1}, "np.sqrt(np.sum(a * a, keepdims=True))", {{A_}});
  call(Op::manhattan_norm, {1, 1}, "np.sum(np.abs(a), keepdims=True)", {{A_}});
  call(Op::allfinite, {1, 1}, "np.ones((1, 1))", {{A_}});
  call(Op::vdot, {1, 1}, "np.sum(a * b, keepdims=True)", {{A_}, {B_}});
}

inline void Calls::products() {
  call(Op::dot, {4, 4}, "a.T @ b", {{A_, true}, {B_}});
  call(Op::dot, {3, 3}, "a @ b.T", {{A_}, {B_, true}});
  over(2, Op::dot, {4, 4}, "1 + 3 * a.T @ b", {{A_, true}, {B_}}, {0.5, 3});
  over(2, Op::add_dot, {3, 3}, "2 + a @ b.T", {{A_}, {B_, true}}, {1, 1});
  over(2, Op::add_dot, {3, 3}, "1 + a @ b.T", {{A_}, {B_, true}}, {1, 0.5});
  over(2, Op::subtract_dot, {3, 3}, "2 - 3 * a @ b.T", {{A_}, {B_, true}}, {3, 1});
}

inline void Calls::slices() {
  call(Op::transpose, {4, 3}, "a.T", {{A_}});
  call(Op::get_row_slice, {2, 4}, "a[1:3]", {{A_}}, {}, {1, 3});
  call(Op::get_col_slice, {3, 2}, "a[:, 1:3]", {{A_}}, {}, {1, 3});
  const Var rows = b_.empty("rows", {2, 4});
  b_.call(Op::get_row_slice, rows, {{A_}}, {}, {0, 2});
  const Var cols = b_.slice("cols", A_, 0, 2);
  over(2, Op::set_row_slice, kShape, "np.vstack([2 + 0 * a[:1], a[:2]])", {{rows}}, {}, {1, 3});
  over(2, Op::set_col_slice, kShape, "np.hstack([2 + 0 * a[:, :2], a[:, :2]])", {{cols}}, {},
       {2, 4});
  b_.free(rows);
}

inline void Calls::constants() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  shown(
      b_.constant("matrix", {2, 2}, {1, 2, 3.5, -0.0}, "np.array([[1, 2],  # hash\n [3.5, -0.0]])"),
      {2, 2}, "np.array([[1, 2], [3.5, -0.0]])");
  shown(b_.constant("special", {1, 4}, {std::nan(""), kInfinity, -kInfinity, 1e-30}), {4},
        "np.array([np.nan, np.inf, -np.inf, 1e-30])");
  shown(b_.constant("upper", {3, 4}, {0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, "np.eye(3, 4, 1)"),
        {3, 4}, "np.eye(3, 4, 1)");
  shown(b_.constant("lower", {3, 2}, {0, 0, 1, 0, 0, 1}), {3, 2}, "np.eye(3, 2, -1)");
  shown(b_.constant("zeros", {2, 3}, std::vector<double>(6, 0.0)), {2, 3}, "np.zeros((2, 3))");
  shown(b_.constant("nothing", {0, 3}, {}), {0, 3}, "np.zeros((0, 3))");
}

/// What no one can predict is checked by its range.
inline void Calls::random() {
  b_.seed(7);
  const Var uniform = b_.empty("uniform", kShape);
  b_.call(Op::fill_with_rand, uniform, {});
  const Var normal = b_.empty("normal", kShape);
  b_.call(Op::fill_with_randn, normal, {});
  const Var above = fresh(kShape, "np.ones((3, 4))");
  b_.call(Op::greater_than, above, {{uniform}}, {0});
  const Var finite = fresh({1, 1}, "np.ones((1, 1))");
  b_.call(Op::allfinite, finite, {{normal}}).free(uniform).free(normal);
}

inline void Calls::added_by_npmat() {
  call(Op::cumsum, kShape, "a.cumsum(1)", {{A_}});
  call(Op::sort, kShape, "np.sort(a, 0)", {{A_}});
  call(Op::argsort, kShape, "np.argsort(a, 0)", {{A_}});
  call(Op::total_sum, {1, 1}, "a.sum(keepdims=True)", {{A_}});
  call(Op::total_max, {1, 1}, "a.max(keepdims=True)", {{A_}});
  call(Op::total_mean, {1, 1}, "a.mean(keepdims=True)", {{A_}});
}

inline Checked calls(bool extensions) {
  return Calls(extensions).done();
}

/// Names that Python, C++, the C library or the printed programs use themselves.
inline const std::vector<std::string>& awkward_names() {
  static const std::vector<std::string> names = {
      "lambda",   "class",  "None",     "print",    "sum",    "max",      "float",    "inputs",
      "outputs",  "cm",     "np",       "program",  "start",  "learn",    "INPUTS",   "_upload",
      "_started", "self",   "t1",       "t1_",      "delete", "template", "int",      "double",
      "auto",     "Matrix", "T",        "std",      "npmat",  "cudamat",  "upload",   "download",
      "EOF",      "NULL",   "INT_MAX",  "errno",    "EDOM",   "stdout",   "assert",   "and",
      "xor",      "__x",    "_X",       "__init__", "Arrays", "exp",      "log",      "y1",
      "gamma",    "main",   "requires", "match",    "case",   "type",     "co_await", "NAN",
      "INFINITY", "M_PI",   "array",    "name",     "found",  "dims",     "shape",    "host",
      "i",        "j",      "_",        "x",        "x_",     "W_",       "T_",       "t__",
      "__",       "W_1",    "class_",   "\xce\xb1"};
  return names;
}

/// Each input, 1x1, plus 1.
inline StatementList awkward() {
  Builder b;
  std::vector<Var> vars;
  for (const std::string& name : awkward_names()) vars.push_back(b.input(name, {}));
  for (std::size_t i = 0; i < vars.size(); ++i) {
    b.call(Op::add, vars[i], {{vars[i]}}, {1});
    b.output(awkward_names()[i], vars[i], {});
  }
  return b.done();
}

}  // namespace samples

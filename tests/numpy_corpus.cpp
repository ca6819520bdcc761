#include "tests/numpy_corpus.hpp"

#include "tests/numpy_text.hpp"

namespace tests {
namespace {

using namespace rewriter;  // NOLINT(google-build-using-namespace): the corpus reads as NumPy does

#define EXPRESSION(python, cpp)                                                            \
  Expression {                                                                             \
    python, [](const Array& a, [[maybe_unused]] const Array& b) -> Array { return (cpp); } \
  }

Array add_in_place(const Array& a, const Array& b) {
  return in_place(a.copy() + b);
}

Array item(const Array& a, Index i) {
  return a.slice({index_range(i, a.ndim() == 0 ? 0 : a.shape(0))});
}

Array assign(const Array& a, Range rows, const Array& value) {
  return set_slice(a.copy(), {rows}, value);
}

Range part(const Array& a, std::optional<Index> start, std::optional<Index> stop, int axis = 0) {
  return slice_range(start, stop, a.shape(axis));
}

// The rows of the op table that NumPy or SciPy have.
#define OF_ONE(op, ...)               \
  Expression{numpy_text(Op::op, "a"), \
             [](const Array& a, const Array&) -> Array { return map(Op::op, a); }},
#define OF_TWO(op, ...)                  \
  Expression{numpy_text(Op::op, "a, b"), \
             [](const Array& a, const Array& b) -> Array { return map(Op::op, a, b); }},
#define REDUCTION(op, ...)                                                                    \
  Expression{numpy_text(Op::op, "a"),                                                         \
             [](const Array& a, const Array&) -> Array { return reduce(Op::op, a); }},        \
      Expression{numpy_text(Op::op, "a, axis=0"),                                             \
                 [](const Array& a, const Array&) -> Array { return reduce(Op::op, a, 0); }}, \
      Expression{                                                                             \
          numpy_text(Op::op, "a, axis=-1, keepdims=True"),                                    \
          [](const Array& a, const Array&) -> Array { return reduce(Op::op, a, -1, true); }}, \
      Expression{numpy_text(Op::op, "a > 0, axis=1"),                                         \
                 [](const Array& a, const Array&) -> Array { return reduce(Op::op, a > 0, 1); }},

/// Those of rows, where NumPy has them, and those that are written by hand.
std::vector<Expression> corpus_of(std::vector<Expression> rows,
                                  const std::vector<Expression>& others) {
  std::erase_if(rows, [](const Expression& row) { return row.python.empty(); });
  rows.insert(rows.end(), others.begin(), others.end());
  return rows;
}

}  // namespace

const std::vector<Expression>& unary_corpus() {
  static const std::vector<Expression> written{
      // functions
      EXPRESSION("abs(a)", abs(a)),
      EXPRESSION("np.floor(a > 0)", map(Op::floor, a > 0)),
      EXPRESSION("np.floor(2 * (a > 0))", map(Op::floor, 2 * (a > 0))),
      EXPRESSION("np.round(a)", round(a)),
      EXPRESSION("np.round(a * 10, -1)", round(a * 10, -1)),
      EXPRESSION("np.round(a / 3, 2)", round(a / 3, 2)),
      EXPRESSION("np.round(2 * (a > 0), 1)", round(2 * (a > 0), 1)),
      EXPRESSION("a % 0.75", mod(a, 0.75)),
      EXPRESSION("a % -0.75", mod(a, -0.75)),
      EXPRESSION("2 % a", mod(2, a)),
      EXPRESSION("a % np.inf", mod(a, std::numeric_limits<double>::infinity())),
      EXPRESSION("a % 0.0", mod(a, 0.0)),
      EXPRESSION("a // 0.75", floor_divide(a, 0.75)),
      EXPRESSION("a // -2", floor_divide(a, -2)),
      EXPRESSION("-3 // a", floor_divide(-3, a)),
      EXPRESSION("(3 * (a > 0) - 1) % 2", mod(3 * (a > 0) - 1, 2)),
      EXPRESSION("(3 * (a > 0) - 1) // 2", floor_divide(3 * (a > 0) - 1, 2)),
      EXPRESSION("(a > 0) % 2", mod(a > 0, 2)),
      EXPRESSION("(a > 0) % 2.5", mod(a > 0, 2.5)),
      EXPRESSION("np.square(a)", square(a)),
      EXPRESSION("-a", -a),
      EXPRESSION("np.logical_not(a)", logical_not(a)),
      // numbers
      EXPRESSION("2 * a - 1.5", 2 * a - 1.5),
      EXPRESSION("1 / a", 1 / a),
      EXPRESSION("a / 0", a / 0),
      EXPRESSION("0.5 < a", 0.5 < a),
      EXPRESSION("1 <= a", 1 <= a),
      EXPRESSION("a >= 1", a >= 1),
      EXPRESSION("np.maximum(a, 0.25)", maximum(a, 0.25)),
      EXPRESSION("np.minimum(1, a)", minimum(1, a)),
      EXPRESSION("np.where(a, 1, 0)", where(a, 1, 0)),
      EXPRESSION("np.where(a > 0, a, -1.5)", where(a > 0, a, -1.5)),
      EXPRESSION("np.clip(a, -0.5, 1)", clip(a, -0.5, 1)),
      EXPRESSION("np.clip(a, 1, -0.5)", clip(a, 1, -0.5)),
      EXPRESSION("np.clip(a, None, 1)", clip(a, {}, 1)),
      EXPRESSION("np.clip(a, 0.5, None)", clip(a, 0.5, {})),
      EXPRESSION("np.clip(a, None, None)", clip(a, {}, {})),
      // powers
      EXPRESSION("a ** 2", power_operator(a, 2)),
      EXPRESSION("a ** 2.0", power_operator(a, 2.0)),
      EXPRESSION("a ** 0.5", power_operator(a, 0.5)),
      EXPRESSION("a ** -1", power_operator(a, -1)),
      EXPRESSION("a ** 1", power_operator(a, 1)),
      EXPRESSION("a ** 0", power_operator(a, 0)),
      EXPRESSION("a ** 3", power_operator(a, 3)),
      EXPRESSION("a ** -2.5", power_operator(a, -2.5)),
      EXPRESSION("2 ** a", power_operator(2, a)),
      EXPRESSION("np.power(a, 0.5)", map(Op::pow, a, 0.5)),
      EXPRESSION("(a + 0) ** 0.5", power_operator(a + 0, 0.5)),
      EXPRESSION("np.where(a > 0, a, a) ** 0.5", power_operator(where(a > 0, a, a), 0.5)),
      EXPRESSION("np.sum(a) ** 0.5", power_operator(a.sum(), 0.5)),
      // booleans and integers
      EXPRESSION("(a > 0) + (a < 1)", (a > 0) + (a < 1)),
      EXPRESSION("(a > 0) * (a < 1)", (a > 0) * (a < 1)),
      EXPRESSION("(a > 0) - (a < 1)", (a > 0) - (a < 1)),
      EXPRESSION("(a > 0) / (a < 1)", (a > 0) / (a < 1)),
      EXPRESSION("(a > 0) + 1", (a > 0) + 1),
      EXPRESSION("(a > 0) + True", (a > 0) + true),
      EXPRESSION("(a > 0) - 1", (a > 0) - 1),
      EXPRESSION("(a > 0) - True", (a > 0) - true),
      EXPRESSION("(a > 0) * 1.0", (a > 0) * 1.0),
      EXPRESSION("-(a > 0)", -(a > 0)),
      EXPRESSION("-(1 * (a > 0))", -(1 * (a > 0))),
      EXPRESSION("(a > 0) ** 2", power_operator(a > 0, 2)),
      EXPRESSION("(a > 0) ** 0.5", power_operator(a > 0, 0.5)),
      EXPRESSION("(a > 0) ** (a < 1)", power_operator(a > 0, a < 1)),
      EXPRESSION("(1 * (a > 0)) ** -1", power_operator(1 * (a > 0), -1)),
      EXPRESSION("(1 * (a > 0)) ** -1.0", power_operator(1 * (a > 0), -1.0)),
      EXPRESSION("(3 * (a > 0)) ** 2.0", power_operator(3 * (a > 0), 2.0)),
      EXPRESSION("(3 * (a > 0)) ** 2", power_operator(3 * (a > 0), 2)),
      EXPRESSION("np.square(a > 0)", square(a > 0)),
      EXPRESSION("abs(a > 0)", abs(a > 0)),
      EXPRESSION("abs(1 * (a > 0))", abs(1 * (a > 0))),
      EXPRESSION("np.sign(a > 0)", map(Op::sign, a > 0)),
      EXPRESSION("np.sign((a > 0) - 1)", map(Op::sign, (a > 0) - 1)),
      EXPRESSION("np.exp(a > 0)", exp(a > 0)),
      EXPRESSION("np.exp(1 * (a > 0))", exp(1 * (a > 0))),
      EXPRESSION("np.maximum(a > 0, a < 1)", maximum(a > 0, a < 1)),
      EXPRESSION("np.maximum(a > 0, 0.5)", maximum(a > 0, 0.5)),
      EXPRESSION("np.logical_not(a > 0)", logical_not(a > 0)),
      EXPRESSION("np.clip(a > 0, 0, 1)", clip(a > 0, 0, 1)),
      EXPRESSION("np.clip(a > 0, False, True)", clip(a > 0, false, true)),
      EXPRESSION("np.where(a > 0, a > 0, 2)", where(a > 0, a > 0, 2)),
      EXPRESSION("np.sum(a > 0)", (a > 0).sum()),
      EXPRESSION("np.sum(a > 0, axis=0)", (a > 0).sum(0)),
      EXPRESSION("np.mean(a > 0)", (a > 0).mean()),
      EXPRESSION("np.prod(a > 0)", reduce(Op::prod, a > 0)),
      EXPRESSION("np.max(a > 0)", (a > 0).max()),
      EXPRESSION("np.var(a > 0)", variance(a > 0)),
      EXPRESSION("np.dot(a > 0, (a > 0).T)", dot(a > 0, (a > 0).T())),
      EXPRESSION("np.dot(1 * (a > 0), a.T)", dot(1 * (a > 0), a.T())),
      // reductions
      EXPRESSION("np.sum(a)", a.sum()),
      EXPRESSION("a.sum(axis=0)", a.sum(0)),
      EXPRESSION("a.sum(axis=1)", a.sum(1)),
      EXPRESSION("a.sum(axis=-1)", a.sum(-1)),
      EXPRESSION("a.sum(axis=-2)", a.sum(-2)),
      EXPRESSION("a.sum(axis=2)", a.sum(2)),
      EXPRESSION("a.sum(axis=1, keepdims=True)", a.sum(1, true)),
      EXPRESSION("a.sum(keepdims=True)", a.sum({}, true)),
      EXPRESSION("a.mean()", a.mean()),
      EXPRESSION("a.mean(axis=0)", a.mean(0)),
      EXPRESSION("a.mean(axis=1, keepdims=True)", a.mean(1, true)),
      EXPRESSION("a.max()", a.max()),
      EXPRESSION("a.max(axis=0)", a.max(0)),
      EXPRESSION("a.max(axis=1)", a.max(1)),
      EXPRESSION("a.min()", a.min()),
      EXPRESSION("a.min(axis=0, keepdims=True)", a.min(0, true)),
      EXPRESSION("a.min(axis=-1)", a.min(-1)),
      EXPRESSION("np.argmin(a, axis=-1, keepdims=True)", reduce(Op::argmin, a, -1, true)),
      EXPRESSION("np.argmin(a, keepdims=True)", reduce(Op::argmin, a, {}, true)),
      EXPRESSION("np.var(a)", variance(a)),
      EXPRESSION("np.var(a, axis=0)", variance(a, 0)),
      EXPRESSION("np.var(a, axis=1, keepdims=True, ddof=1)", variance(a, 1, true, 1)),
      EXPRESSION("np.std(a)", deviation(a)),
      EXPRESSION("np.std(a, axis=-1, ddof=1)", deviation(a, -1, false, 1)),
      EXPRESSION("np.std(a, axis=0, ddof=9)", deviation(a, 0, false, 9)),
      EXPRESSION("np.linalg.norm(a)", a.euclid_norm()),
      EXPRESSION("np.sum(np.abs(a))", whole(Op::manhattan_norm, a)),
      // moving
      EXPRESSION("a.T", a.T()),
      EXPRESSION("a.copy()", a.copy()),
      EXPRESSION("a.ravel()", a.ravel()),
      EXPRESSION("a.reshape(-1, 1)", a.reshape({-1, 1})),
      EXPRESSION("a.reshape(2, -1)", a.reshape({2, -1})),
      EXPRESSION("a.reshape(5, 4)", a.reshape({5, 4})),
      EXPRESSION("a.reshape(-1, -1)", a.reshape({-1, -1})),
      EXPRESSION("a.reshape(-1, 0)", a.reshape({-1, 0})),
      EXPRESSION("a.reshape(())", a.reshape({})),
      EXPRESSION("a.T.reshape(-1)", a.T().reshape({-1})),
      EXPRESSION("a[1:3]", a.rows(1, 3)),
      EXPRESSION("a[-2:9]", a.rows(-2, 9)),
      EXPRESSION("a[3:1]", a.rows(3, 1)),
      EXPRESSION("a[:, -3:-1]", a.cols(-3, -1)),
      EXPRESSION("a[0]", item(a, 0)),
      EXPRESSION("a[-4]", item(a, -4)),
      EXPRESSION("a[:, 0]", a.slice({part(a, {}, {}), index_range(0, a.shape(1), 1)})),
      EXPRESSION("a[-1, 1:]", a.slice({index_range(-1, a.shape(0)), part(a, 1, {}, 1)})),
      EXPRESSION("a[0, -1]", a.slice({index_range(0, a.shape(0)), index_range(-1, a.shape(1), 1)})),
      EXPRESSION("assigned(a, slice(1, None), 7)", assign(a, part(a, 1, {}), 7)),
      EXPRESSION("assigned(a, 0, -a[0])", assign(a, index_range(0, a.shape(0)), -item(a, 0))),
      EXPRESSION("assigned(a > 0, 0, np.nan)",
                 assign(a > 0, index_range(0, a.shape(0)), std::nan(""))),
      EXPRESSION("assigned(a, (slice(None), 0), a[:, -1])",
                 set_slice(a.copy(), {part(a, {}, {}), index_range(0, a.shape(1), 1)},
                           a.slice({part(a, {}, {}), index_range(-1, a.shape(1), 1)}))),
      EXPRESSION("np.concatenate([a, 2 * a, a])", concatenate({a, 2 * a, a})),
      EXPRESSION("np.concatenate([a, a > 0], axis=1)", concatenate({a, a > 0}, 1)),
      EXPRESSION("np.concatenate([a, a], axis=-1)", concatenate({a, a}, -1)),
      // products
      EXPRESSION("np.dot(a, a)", dot(a, a)),
      EXPRESSION("a @ a.T", matmul(a, a.T())),
      EXPRESSION("np.dot(a.T, a)", dot(a.T(), a)),
      EXPRESSION("np.dot(2, a)", dot(2, a)),
      EXPRESSION("np.outer(a, a)", outer(a, a)),
      // in place
      EXPRESSION("updated(a, '+', 1)", in_place(a.copy() + 1)),
      EXPRESSION("updated(a, '-', a.mean(axis=0))", in_place(a.copy() - a.mean(0))),
      EXPRESSION("updated(a, '**', 2)", in_place(power_operator(a.copy(), 2))),
      EXPRESSION("updated(a, '**', 0)", in_place(power_operator(a.copy(), 0))),
      EXPRESSION("updated(a, '**', 1)", in_place(power_operator(a.copy(), 1))),
      EXPRESSION("updated(1 * (a > 0), '+', 0.5)", in_place((1 * (a > 0)).copy() + 0.5)),
      EXPRESSION("updated(1 * (a > 0), '/', 2)", in_place((1 * (a > 0)).copy() / 2)),
      EXPRESSION("updated(a > 0, '+', 1)", in_place((a > 0).copy() + 1)),
      EXPRESSION("updated(a > 0, '+', a < 1)", in_place((a > 0).copy() + (a < 1))),
      EXPRESSION("updated(a, '+', a > 0)", in_place(a.copy() + (a > 0))),
      EXPRESSION("updated(np.sum(a), '+', a)", in_place(a.sum() + a)),
  };
  static const std::vector<Expression> corpus =
      corpus_of({CUDAMAT_UNARY_OPS(OF_ONE) CUDAMAT_REDUCTION_OPS(REDUCTION)}, written);
  return corpus;
}

const std::vector<Expression>& binary_corpus() {
  static const std::vector<Expression> written{
      EXPRESSION("a + b", a + b),
      EXPRESSION("a - b", a - b),
      EXPRESSION("a * b", a * b),
      EXPRESSION("a / b", a / b),
      EXPRESSION("a ** b", power_operator(a, b)),
      EXPRESSION("a < b", a < b),
      EXPRESSION("a <= b", a <= b),
      EXPRESSION("a > b", a > b),
      EXPRESSION("a >= b", a >= b),
      EXPRESSION("np.not_equal(a, b)", not_equal(a, b)),
      EXPRESSION("np.logical_and(a, b)", logical_and(a, b)),
      EXPRESSION("np.logical_or(a, b)", logical_or(a, b)),
      EXPRESSION("np.where(a > 0, a, b)", where(a > 0, a, b)),
      EXPRESSION("np.where(b > 0, a, 1)", where(b > 0, a, 1)),
      EXPRESSION("np.clip(a, b, None)", clip(a, b, {})),
      EXPRESSION("np.clip(a, 0, b)", clip(a, 0, b)),
      EXPRESSION("np.dot(a, b)", dot(a, b)),
      EXPRESSION("np.dot(a.T, b)", dot(a.T(), b)),
      EXPRESSION("np.dot(a, b.T)", dot(a, b.T())),
      EXPRESSION("a @ b", matmul(a, b)),
      EXPRESSION("np.dot(a > 0, b > 0)", dot(a > 0, b > 0)),
      EXPRESSION("np.outer(a, b)", outer(a, b)),
      EXPRESSION("np.concatenate([a, b])", concatenate({a, b})),
      EXPRESSION("np.concatenate([a, b], axis=1)", concatenate({a, b}, 1)),
      EXPRESSION("updated(a, '+', b)", add_in_place(a, b)),
      EXPRESSION("updated(a, '*', b)", in_place(a.copy() * b)),
      EXPRESSION("assigned(a, slice(None, 2), b)", assign(a, part(a, {}, 2), b)),
      EXPRESSION("assigned(a, -1, b)", assign(a, index_range(-1, a.shape(0)), b)),
  };
  static const std::vector<Expression> corpus = corpus_of({CUDAMAT_BINARY_OPS(OF_TWO)}, written);
  return corpus;
}

}  // namespace tests

// The calls of the original, with its names, in every form: what works in place, what makes a new
// matrix, and what the deprecated names do. Values are checked by the op table's tests; here each
// call is tried once on numbers whose result one sees.
#pragma once

#include <concepts>

#include "tests/conformance/harness.hpp"

template <class E>
class Calls : public ::testing::Test {
 protected:
  static conformance::Mat<E> two_by_two() {
    return conformance::Mat<E>(conformance::Host<conformance::Value<E>>{{1, -2}, {3, 4}});
  }

  /// `call` gave back `self`, which now holds `wanted`.
  static void in_place(conformance::Mat<E>& self, conformance::Mat<E>& result,
                       const conformance::Host<conformance::Value<E>>& wanted) {
    EXPECT_EQ(&result, &self) << "the call returns its target";
    conformance::expect_same(self.asarray(), wanted);
  }
};
TYPED_TEST_SUITE_P(Calls);

// Inside a test: the shorthand that users write.
#define CONFORMANCE_NAMES                                   \
  namespace cm = cudamat;                                   \
  using M [[maybe_unused]] = conformance::Mat<TypeParam>;   \
  using T [[maybe_unused]] = conformance::Value<TypeParam>; \
  using Host [[maybe_unused]] = conformance::Host<T>;       \
  using conformance::expect_same

TYPED_TEST_P(Calls, ElementWiseFunctionsWorkInPlaceOrOnATarget) {
  CONFORMANCE_NAMES;
  const M source(Host{{0, 1}});
  M t = M::empty({1, 2});
  using InPlace = M& (*)(M&);
  using WithTarget = M& (*)(const M&, M&);
  const auto check = [&](InPlace function, WithTarget to_target) {
    M x = source.copy();
    EXPECT_EQ(&function(x), &x);
    EXPECT_EQ(&to_target(source, t), &t);
    expect_same(x.asarray(), t.asarray());
    t.assign(T(-77));
  };
#define CHECK_FUNCTION(name)                                              \
  check([](M& x) -> M& { return cm::name(x); },                           \
        [](const M& x, M& target) -> M& { return cm::name(x, target); }); \
  check([](M& x) -> M& { return x.name(); },                              \
        [](const M& x, M& target) -> M& { return x.name(target); })
#define ROW(op, family, style, functor, numpy, facts)   \
  if constexpr (!cm::row(cm::Op::op).has(cm::kFresh)) { \
    CHECK_FUNCTION(op);                                 \
  }
  CUDAMAT_UNARY_OPS(ROW)
#undef ROW
  CHECK_FUNCTION(gammaln);
#undef CHECK_FUNCTION
}

TYPED_TEST_P(Calls, AppliedFunctionsAreTheSame) {
  CONFORMANCE_NAMES;
  const M source(Host{{-2, T(0.5)}, {3, 0}});
  const auto check = [&](auto apply, auto apply_to, auto function) {
    M x = source.copy(), y = source.copy(), t = M::empty({2, 2});
    EXPECT_EQ(&apply(x), &x);
    EXPECT_EQ(&apply_to(source, t), &t);
    function(y);
    expect_same(x.asarray(), y.asarray());
    expect_same(t.asarray(), y.asarray());
  };
  check([](M& x) -> M& { return x.apply_sigmoid(); },
        [](const M& x, M& t) -> M& { return x.apply_sigmoid(t); }, [](M& x) { cm::sigmoid(x); });
  check([](M& x) -> M& { return x.apply_tanh(); },
        [](const M& x, M& t) -> M& { return x.apply_tanh(t); }, [](M& x) { cm::tanh(x); });
  check([](M& x) -> M& { return x.apply_soft_threshold(1); },
        [](const M& x, M& t) -> M& { return x.apply_soft_threshold(1, t); },
        [](M& x) { cm::soft_threshold(x, 1); });
  M t = M::empty({2, 2});
  EXPECT_EQ(&cm::soft_threshold(source, 1, t), &t);
  expect_same(t.asarray(), Host{{-1, 0}, {2, 0}});
}

TYPED_TEST_P(Calls, SignMakesANewMatrix) {
  CONFORMANCE_NAMES;
  M x = this->two_by_two();
  M s = x.sign();
  static_assert(std::same_as<decltype(x.sign()), M>);
  static_assert(std::same_as<decltype(cm::sign(x)), M>);
  expect_same(s.asarray(), Host{{1, -1}, {1, 1}});
  expect_same(x.asarray(), Host{{1, -2}, {3, 4}});
  EXPECT_EQ(&x.sign(s), &s);
  EXPECT_EQ(&x.sign(x), &x);
  expect_same(x.asarray(), Host{{1, -1}, {1, 1}});
}

TYPED_TEST_P(Calls, BinaryMethodsTakeAMatrixOrANumber) {
  CONFORMANCE_NAMES;
  M t = M::empty({2, 2});
  const M other(Host{{2, 2}, {3, -1}});
#define CHECK_METHOD(name, matrix, number)                      \
  {                                                             \
    M x = this->two_by_two();                                   \
    expect_same(x.name(other, t).asarray(), Host matrix);       \
    expect_same(x.asarray(), Host{{1, -2}, {3, 4}}, "operand"); \
    this->in_place(x, x.name(other), Host matrix);              \
    x = this->two_by_two();                                     \
    expect_same(x.name(2, t).asarray(), Host number);           \
    this->in_place(x, x.name(2), Host number);                  \
  }
#define H(...) __VA_ARGS__
  CHECK_METHOD(add, H({{3, 0}, {6, 3}}), H({{3, 0}, {5, 6}}))
  CHECK_METHOD(subtract, H({{-1, -4}, {0, 5}}), H({{-1, -4}, {1, 2}}))
  CHECK_METHOD(mult, H({{2, -4}, {9, -4}}), H({{2, -4}, {6, 8}}))
  CHECK_METHOD(mod, H({{1, 0}, {0, -0.0}}), H({{1, 0}, {1, 0}}))
  CHECK_METHOD(floor_divide, H({{0, -1}, {1, -4}}), H({{0, -1}, {1, 2}}))
  CHECK_METHOD(divide, H({{T(0.5), -1}, {1, -4}}), H({{T(0.5), -1}, {T(1.5), 2}}))
  CHECK_METHOD(less_than, H({{1, 1}, {0, 0}}), H({{1, 1}, {0, 0}}))
  CHECK_METHOD(greater_than, H({{0, 0}, {0, 1}}), H({{0, 0}, {1, 1}}))
  CHECK_METHOD(equals, H({{0, 0}, {1, 0}}), H({{0, 0}, {0, 0}}))
  CHECK_METHOD(minimum, H({{1, -2}, {3, -1}}), H({{1, -2}, {2, 2}}))
  CHECK_METHOD(maximum, H({{2, 2}, {3, 4}}), H({{2, 2}, {3, 4}}))
  CHECK_METHOD(pow, H({{1, 4}, {27, T(0.25)}}), H({{1, 4}, {9, 16}}))
#undef H
#undef CHECK_METHOD
#define ROW(op, family, style, functor, numpy, facts)  \
  {                                                    \
    M x = this->two_by_two();                          \
    const Host with_matrix = x.op(other, t).asarray(); \
    this->in_place(x, x.op(other), with_matrix);       \
    x = this->two_by_two();                            \
    const M twos(Host{{2, 2}, {2, 2}});                \
    const Host with_number = x.op(2, t).asarray();     \
    expect_same(x.op(twos, t).asarray(), with_number); \
    this->in_place(x, x.op(2), with_number);           \
  }
  CUDAMAT_BINARY_OPS(ROW)
#undef ROW
  M x = this->two_by_two();
  this->in_place(x, cm::pow(x, 2), Host{{1, 4}, {9, 16}});
  EXPECT_EQ(&cm::pow(x, T(0.5), t), &t);
  expect_same(t.asarray(), Host{{1, 2}, {3, 4}});
  EXPECT_EQ(&cm::pow(t, other, x), &x);
  expect_same(x.asarray(), Host{{1, 4}, {27, T(0.25)}});
  M twos(Host{{2, 2}, {2, 2}});
  this->in_place(t, cm::pow(t, twos), Host{{1, 4}, {9, 16}});
}

TYPED_TEST_P(Calls, BroadcastMethods) {
  CONFORMANCE_NAMES;
  const M col(Host{{1}, {2}}), row(Host{{10, 20, 40}}), x(Host{{1, 2, 3}, {4, 5, 6}});
  M t = M::empty({2, 3});
#define CHECK_METHOD(call, call_to, wanted)    \
  {                                            \
    M y = x.copy();                            \
    this->in_place(y, y.call, Host wanted);    \
    this->in_place(t, x.call_to, Host wanted); \
  }
#define H(...) __VA_ARGS__
  CHECK_METHOD(add_col_vec(col), add_col_vec(col, t), H({{2, 3, 4}, {6, 7, 8}}))
  CHECK_METHOD(add_col_mult(col, 3), add_col_mult(col, 3, t), H({{4, 5, 6}, {10, 11, 12}}))
  CHECK_METHOD(add_row_vec(row), add_row_vec(row, t), H({{11, 22, 43}, {14, 25, 46}}))
  CHECK_METHOD(mult_by_col(col), mult_by_col(col, t), H({{1, 2, 3}, {8, 10, 12}}))
  CHECK_METHOD(mult_by_row(row), mult_by_row(row, t), H({{10, 40, 120}, {40, 100, 240}}))
  CHECK_METHOD(div_by_col(col), div_by_col(col, t), H({{1, 2, 3}, {2, T(2.5), 3}}))
  CHECK_METHOD(div_by_row(row), div_by_row(row, t),
               H({{T(1) / 10, T(2) / 20, T(3) / 40}, {T(4) / 10, T(5) / 20, T(6) / 40}}))
#undef CHECK_METHOD
}

TYPED_TEST_P(Calls, ReductionsMakeANewMatrixOrWriteATarget) {
  CONFORMANCE_NAMES;
  const M x(Host{{1, 8, 3}, {4, 5, 6}});
#define CHECK_REDUCTION(name, down, along)                                    \
  {                                                                           \
    M row = M::empty({1, 3}), col = M::empty({2, 1});                         \
    expect_same(x.name(0).asarray(), Host down);                              \
    expect_same(x.name(1).asarray(), Host along);                             \
    expect_same(x.T().name(1).asarray(), conformance::transposed(Host down)); \
    expect_same(cm::name(x, 0).asarray(), Host down);                         \
    this->in_place(row, x.name(0, row), Host down);                           \
    this->in_place(col, cm::name(x, 1, col), Host along);                     \
  }
  CHECK_REDUCTION(sum, H({{5, 13, 9}}), H({{12}, {15}}))
  CHECK_REDUCTION(mean, H({{T(2.5), T(6.5), T(4.5)}}), H({{4}, {5}}))
  CHECK_REDUCTION(max, H({{4, 8, 6}}), H({{8}, {6}}))
  CHECK_REDUCTION(min, H({{1, 5, 3}}), H({{1}, {4}}))
  CHECK_REDUCTION(prod, H({{4, 40, 18}}), H({{24}, {120}}))
  CHECK_REDUCTION(argmax, H({{1, 0, 1}}), H({{1}, {2}}))
  CHECK_REDUCTION(argmin, H({{0, 1, 0}}), H({{0}, {0}}))
#undef CHECK_REDUCTION
#define ROW(op, family, style, functor, numpy, facts)                  \
  {                                                                    \
    M row = M::empty({1, 3}), col = M::empty({2, 1});                  \
    const Host down = x.op(0).asarray(), along = x.op(1).asarray();    \
    expect_same(x.T().op(1).asarray(), conformance::transposed(down)); \
    expect_same(cm::op(x, 0).asarray(), down);                         \
    this->in_place(row, x.op(0, row), down);                           \
    this->in_place(col, cm::op(x, 1, col), along);                     \
  }
  CUDAMAT_REDUCTION_OPS(ROW)
#undef ROW
  M row = M::empty({1, 3}), col(Host{{100}, {200}});
  expect_same(x.sum(0, 2).asarray(), Host{{10, 26, 18}});
  expect_same(cm::sum(x, 1, 2).asarray(), Host{{24}, {30}});
  this->in_place(row, x.sum(0, row, 2), Host{{10, 26, 18}});
  this->in_place(row, cm::sum(x, 0, row, 3), Host{{15, 39, 27}});
  this->in_place(col, col.add_sums(x, 1), Host{{112}, {215}});
  this->in_place(col, col.add_sums(x, 1, 2), Host{{136}, {245}});
  this->in_place(col, col.add_sums(x, 1, -1, 2), Host{{260}, {475}});
}

TYPED_TEST_P(Calls, WholeMatrixNumbers) {
  CONFORMANCE_NAMES;
  const M x(Host{{3, -4}});
  static_assert(std::same_as<decltype(x.euclid_norm()), T>);
  static_assert(std::same_as<decltype(x.allfinite()), bool>);
  EXPECT_EQ(x.euclid_norm(), 5);
  EXPECT_EQ(x.manhattan_norm(), 7);
  EXPECT_EQ(x.total_sum(), -1);
  EXPECT_EQ(x.total_max(), 3);
  EXPECT_EQ(x.total_mean(), T(-0.5));
  EXPECT_EQ(cm::vdot(x, x), 25);
  EXPECT_TRUE(x.allfinite());
}

TYPED_TEST_P(Calls, Products) {
  CONFORMANCE_NAMES;
  const M a(Host{{1, 2}, {3, 4}}), b(Host{{5}, {6}});
  M t(Host{{1}, {1}});
  expect_same(cm::dot(a, b).asarray(), Host{{17}, {39}});
  expect_same(a.dot(b).asarray(), Host{{17}, {39}});
  expect_same(cm::dot(b.T(), a).asarray(), Host{{23, 34}});
  this->in_place(t, cm::dot(a, b, t), Host{{17}, {39}});
  this->in_place(t, a.dot(b, t), Host{{17}, {39}});
  this->in_place(t, cm::dot(a, b, t, 2), Host{{51}, {117}});
  this->in_place(t, cm::dot(a, b, t, 0, 10), Host{{170}, {390}});
  this->in_place(t, t.add_dot(a, b), Host{{187}, {429}});
  this->in_place(t, t.add_dot(a, b, 2, -1), Host{{-153}, {-351}});
  this->in_place(t, t.subtract_dot(a, b), Host{{-170}, {-390}});
  this->in_place(t, t.subtract_dot(a, b, 2, 3), Host{{-544}, {-1248}});
}

TYPED_TEST_P(Calls, Updates) {
  CONFORMANCE_NAMES;
  M x = this->two_by_two();
  const M ones(Host{{1, 1}, {1, 1}}), halves(Host{{T(0.5), T(0.5)}, {0, 1}});
  this->in_place(x, x.add_mult(ones), Host{{2, -1}, {4, 5}});
  this->in_place(x, x.add_mult(ones, 2), Host{{4, 1}, {6, 7}});
  this->in_place(x, x.subtract_mult(ones), Host{{3, 0}, {5, 6}});
  this->in_place(x, x.subtract_mult(ones, 2), Host{{1, -2}, {3, 4}});
  this->in_place(x, x.mult_by_sigmoid_deriv(halves), Host{{T(0.25), T(-0.5)}, {0, 0}});
  x = this->two_by_two();
  this->in_place(x, cm::mult_by_sigmoid_deriv(x, halves), Host{{T(0.25), T(-0.5)}, {0, 0}});
}

TYPED_TEST_P(Calls, SlicesAndSelections) {
  CONFORMANCE_NAMES;
  M x(Host{{1, 2, 3}, {4, 5, 6}});
  const M two(Host{{8, 8}, {9, 9}}), row(Host{{7, 7, 7}});
  M t = M::empty({2, 2});
  expect_same(x.slice(1, 3).asarray(), Host{{2, 3}, {5, 6}});
  expect_same(x.get_col_slice(0, 1).asarray(), Host{{1}, {4}});
  this->in_place(t, x.get_col_slice(1, 3, t), Host{{2, 3}, {5, 6}});
  expect_same(x.get_row_slice(1, 2).asarray(), Host{{4, 5, 6}});
  M u = M::empty({1, 3});
  this->in_place(u, x.get_row_slice(0, 1, u), Host{{1, 2, 3}});
  this->in_place(x, x.set_row_slice(0, 1, row), Host{{7, 7, 7}, {4, 5, 6}});
  this->in_place(x, x.set_col_slice(1, 3, two), Host{{7, 8, 8}, {4, 9, 9}});
  const M indices(Host{{-1, 0}});
  this->in_place(t, x.select_columns(indices, t), Host{{8, 7}, {9, 4}});
  this->in_place(x, x.set_selected_columns(indices, two), Host{{8, 8, 8}, {9, 9, 9}});
  expect_same(x.transpose().asarray(), Host{{8, 9}, {8, 9}, {8, 9}});
  M w = M::empty({3, 2});
  this->in_place(w, x.transpose(w), Host{{8, 9}, {8, 9}, {8, 9}});
}

TYPED_TEST_P(Calls, WhereCorrelateAssign) {
  CONFORMANCE_NAMES;
  M cond(Host{{1, 0}}), t = M::empty({1, 2});
  const M yes(Host{{10, 20}}), no(Host{{30, 40}});
  this->in_place(t, cm::where(cond, yes, no, t), Host{{10, 40}});
  this->in_place(cond, cm::where(cond, yes, no), Host{{10, 40}});
  this->in_place(t, cm::correlate(yes, M(Host{{0, 1, 0}}), t), Host{{10, 20}});
  expect_same(cm::correlate(yes, M(Host{{1, 0, 0}})).asarray(), Host{{0, 10}});
  this->in_place(t, t.assign(no), Host{{30, 40}});
  this->in_place(t, t.assign(3), Host{{3, 3}});
}

TYPED_TEST_P(Calls, AdditionsOfNpmat) {
  CONFORMANCE_NAMES;
  expect_same(M::zeros({2, 1}).asarray(), Host{{0}, {0}});
  EXPECT_EQ(M::randn({2, 3}).shape(), (cm::Shape{2, 3}));
  M x(Host{{1, 2, 3}, {4, 5, 6}}), t = M::empty({2, 3});
  expect_same(x.cumsum().asarray(), Host{{1, 3, 6}, {4, 9, 15}});
  this->in_place(t, x.cumsum(t), Host{{1, 3, 6}, {4, 9, 15}});
  const M unsorted(Host{{2, -1, 5}, {-3, 0, 5}});
  expect_same(unsorted.sort().asarray(), Host{{-3, -1, 5}, {2, 0, 5}});
  this->in_place(t, unsorted.sort(t), Host{{-3, -1, 5}, {2, 0, 5}});
  this->in_place(t, M::zeros({2, 3}).softmax(0, t),
                 Host{{T(0.5), T(0.5), T(0.5)}, {T(0.5), T(0.5), T(0.5)}});
  M s = M::zeros({1, 4});
  this->in_place(s, s.softmax(1), Host{{T(0.25), T(0.25), T(0.25), T(0.25)}});
  const M indices(Host{{2}, {-3}});
  M item = M::empty({2, 1});
  expect_same(x.get_item_from_each_row(indices).asarray(), Host{{3}, {4}});
  this->in_place(item, x.get_item_from_each_row(indices, item), Host{{3}, {4}});
  this->in_place(x, x.set_item_to_each_row(indices, 0), Host{{1, 2, 0}, {0, 5, 6}});
  this->in_place(x, x.set_item_to_each_row(indices, item), Host{{1, 2, 3}, {4, 5, 6}});
  this->in_place(x, cm::ind_incr(x, indices, 1), Host{{1, 2, 4}, {5, 5, 6}});
  this->in_place(x, cm::ind_incr(x, M(Host{{0, 1, -1}}), 0), Host{{2, 2, 4}, {5, 6, 7}});
  const M image(Host{{1, 2, 3, 4, 5, 6}});
  M out = M::empty({1, 6});
  this->in_place(out, cm::multi_transpose(image, out, 3, 2, 1), Host{{1, 4, 2, 5, 3, 6}});
  const M certain(Host{{0, 1}, {3, 0}});
  M drawn = M::empty({2, 2});
  expect_same(cm::sample_multinomial(certain).asarray(), Host{{0, 1}, {1, 0}});
  this->in_place(drawn, cm::sample_multinomial(certain, drawn), Host{{0, 1}, {1, 0}});
}

TYPED_TEST_P(Calls, DeprecatedNamesStillWork) {
  CONFORMANCE_NAMES;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  M x = this->two_by_two(), t = M::empty({2, 2});
  this->in_place(t, x.mult_by_scalar(2, t), Host{{2, -4}, {6, 8}});
  this->in_place(t, x.div_by_scalar(2, t), Host{{T(0.5), -1}, {T(1.5), 2}});
  this->in_place(t, x.add_scalar(2, t), Host{{3, 0}, {5, 6}});
  this->in_place(x, x.mult_by_scalar(2), Host{{2, -4}, {6, 8}});
  this->in_place(x, x.div_by_scalar(2), Host{{1, -2}, {3, 4}});
  this->in_place(x, x.add_scalar(2), Host{{3, 0}, {5, 6}});
  this->in_place(x, x.assign_scalar(2), Host{{2, 2}, {2, 2}});
#pragma GCC diagnostic pop
}

TYPED_TEST_P(Calls, TemporariesMayBeTargets) {
  CONFORMANCE_NAMES;
  M x(Host{{1, 2, 3}, {4, 5, 6}});
  const M two(Host{{1, 1}, {1, 1}});
  two.add(two, x.slice(0, 2));
  cm::exp(M::zeros({2, 1}), x.slice(2, 3));
  expect_same(x.asarray(), Host{{2, 2, 1}, {2, 2, 1}});
  x.slice(0, 1).add(5);
  cm::sqrt(x.slice(1, 3).assign(4));
  cm::log2(x.slice(2, 3));
  expect_same(x.asarray(), Host{{7, 2, 1}, {7, 2, 1}});
  cm::dot(two, two, x.slice(1, 3));
  expect_same(x.asarray(), Host{{7, 2, 2}, {7, 2, 2}});
}
#undef H

REGISTER_TYPED_TEST_SUITE_P(Calls, ElementWiseFunctionsWorkInPlaceOrOnATarget,
                            AppliedFunctionsAreTheSame, SignMakesANewMatrix,
                            BinaryMethodsTakeAMatrixOrANumber, BroadcastMethods,
                            ReductionsMakeANewMatrixOrWriteATarget, WholeMatrixNumbers, Products,
                            Updates, SlicesAndSelections, WhereCorrelateAssign, AdditionsOfNpmat,
                            DeprecatedNamesStillWork, TemporariesMayBeTargets);

// Misuse: every check of the front, with the exact text, and nothing written.
#pragma once

#include "tests/conformance/calls.hpp"

template <class E>
class Misuse : public ::testing::Test {
 protected:
  using Matrices = std::vector<conformance::Mat<E>*>;

  /// `call` throws a CUDAMatException with this text, and the matrices keep their shapes and bits.
  template <class Call>
  static void refuses(const std::string& text, const Matrices& matrices, Call call) {
    refuses(
        text, matrices, [](void* what) { (*static_cast<Call*>(what))(); }, &call);
  }

  /// The same of call(what), compiled once for all of them.
  static void refuses(const std::string& text, const Matrices& matrices, void (*call)(void*),
                      void* what) {
    std::vector<conformance::Host<conformance::Value<E>>> before;
    for (auto* mat : matrices) before.push_back(mat->asarray());
    try {
      call(what);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const cudamat::CUDAMatException& error) {
      EXPECT_EQ(error.what(), text);
    }
    for (std::size_t k = 0; k < matrices.size(); ++k)
      EXPECT_TRUE(conformance::same_contents(matrices[k]->asarray(), before[k]))
          << "matrix " << k << " was written: " << text;
  }

  /// A matrix of distinct numbers.
  static conformance::Mat<E> made(cudamat::Index rows, cudamat::Index cols) {
    conformance::Host<conformance::Value<E>> host(cudamat::Shape{rows, cols});
    for (cudamat::Index k = 0; k < rows * cols; ++k)
      host.data()[k] = static_cast<conformance::Value<E>>(k + 1);
    return conformance::Mat<E>(host);
  }
};
TYPED_TEST_SUITE_P(Misuse);

#define REFUSES(text, matrices, ...) this->refuses(text, matrices, [&] { (void)(__VA_ARGS__); })
#define MATRICES(...) (typename TestFixture::Matrices{__VA_ARGS__})

TYPED_TEST_P(Misuse, ElementWiseShapes) {
  CONFORMANCE_NAMES;
  M a = this->made(4, 5), b = this->made(5, 4), t = this->made(4, 5);
  REFUSES("[exp] target must be 4x5 to match mat; got 5x4", MATRICES(&a, &b), cm::exp(a, b));
  REFUSES("[sign] target must be 4x5 to match mat; got 5x4", MATRICES(&a, &b), a.sign(b));
  REFUSES("[add] val must be 4x5 to match mat; got 5x4", MATRICES(&a, &b, &t), a.add(b, t));
  REFUSES("[add] val must be 4x5 to match mat; got 5x4", MATRICES(&a, &b), a.add(b));
  REFUSES("[less_than] target must be 4x5 to match mat; got 5x4", MATRICES(&a, &b, &t),
          a.less_than(t, b));
  REFUSES("[mult] target must be 4x5 to match mat; got 5x4", MATRICES(&a, &b), a.mult(2, b));
  REFUSES("[pow] val must be 4x5 to match mat; got 5x4", MATRICES(&a, &b), cm::pow(a, b));
  REFUSES("[soft_threshold] target must be 4x5 to match mat; got 5x4", MATRICES(&a, &b),
          cm::soft_threshold(a, 1, b));
  REFUSES("[add_mult] mat2 must be 4x5 to match self; got 5x4", MATRICES(&a, &b), a.add_mult(b));
  REFUSES("[subtract_mult] mat2 must be 4x5 to match self; got 5x4", MATRICES(&a, &b),
          a.subtract_mult(b, 2));
  REFUSES("[mult_by_sigmoid_deriv] acts must be 4x5 to match self; got 5x4", MATRICES(&a, &b),
          cm::mult_by_sigmoid_deriv(a, b));
  REFUSES("[where] if_mat must be 4x5 to match condition_mat; got 5x4", MATRICES(&a, &b, &t),
          cm::where(a, b, t));
  REFUSES("[where] else_mat must be 4x5 to match condition_mat; got 5x4", MATRICES(&a, &b, &t),
          cm::where(a, t, b));
  REFUSES("[where] target must be 4x5 to match condition_mat; got 5x4", MATRICES(&a, &b, &t),
          cm::where(a, t, t, b));
  REFUSES("[assign] val must be 4x5 to match self; got 5x4", MATRICES(&a, &b), a.assign(b));
  REFUSES("[vdot] m2 must be 4x5 to match m1; got 5x4", MATRICES(&a, &b), cm::vdot(a, b));
  REFUSES("[vdot] target must be 1x1, for one number; got 4x5", MATRICES(&a, &t),
          cm::vdot(a, a, t));
  REFUSES("[euclid_norm] target must be 1x1, for one number; got 4x5", MATRICES(&a, &t),
          a.euclid_norm(t));
}

TYPED_TEST_P(Misuse, BroadcastVectors) {
  CONFORMANCE_NAMES;
  M a = this->made(4, 5), row = this->made(1, 5), col = this->made(4, 1), b = this->made(5, 4);
  REFUSES("[add_col_vec] vec must be 4x1 to match mat 4x5; got 1x5", MATRICES(&a, &row),
          a.add_col_vec(row));
  REFUSES("[mult_by_col] vec must be 4x1 to match mat 4x5; got 1x5", MATRICES(&a, &row),
          a.mult_by_col(row));
  REFUSES("[div_by_col] vec must be 4x1 to match mat 4x5; got 4x5", MATRICES(&a), a.div_by_col(a));
  REFUSES("[add_col_mult] vec must be 4x1 to match mat 4x5; got 1x5", MATRICES(&a, &row),
          a.add_col_mult(row, 2));
  REFUSES("[add_row_vec] vec must be 1x5 to match mat 4x5; got 4x1", MATRICES(&a, &col),
          a.add_row_vec(col));
  REFUSES("[mult_by_row] vec must be 1x5 to match mat 4x5; got 4x1", MATRICES(&a, &col),
          a.mult_by_row(col));
  REFUSES("[div_by_row] vec must be 1x5 to match mat 4x5; got 4x1", MATRICES(&a, &col),
          a.div_by_row(col));
  REFUSES("[add_col_vec] target must be 4x5 to match mat 4x5; got 5x4", MATRICES(&a, &b, &col),
          a.add_col_vec(col, b));
  M first = a.slice(0, 1);
  REFUSES(
      "[add_col_vec] target 4x5 overlaps vec 4x1, which is read while it is written; use another "
      "target",
      MATRICES(&a), a.add_col_vec(first));
}

TYPED_TEST_P(Misuse, ReductionAxesAndTargets) {
  CONFORMANCE_NAMES;
  M a = this->made(4, 5), row = this->made(1, 5), col = this->made(4, 1);
  REFUSES("[sum] axis must be 0 or 1; got 2", MATRICES(&a), a.sum(2));
  REFUSES("[argmax] axis must be 0 or 1; got -1", MATRICES(&a, &row), a.argmax(-1, row));
  REFUSES("[softmax] axis must be 0 or 1; got 2", MATRICES(&a), a.softmax(2));
  REFUSES("[sum] target must be 1x5 to match (axis 0) mat 4x5; got 4x1", MATRICES(&a, &col),
          a.sum(0, col));
  REFUSES("[max] target must be 4x1 to match (axis 1) mat 4x5; got 1x5", MATRICES(&a, &row),
          a.max(1, row));
  REFUSES("[sum] target must be 1x4 to match (axis 0) mat 5x4; got 1x5", MATRICES(&a, &row),
          a.T().sum(0, row));
  REFUSES("[add_sums] self must be 4x1 to match (axis 1) mat 4x5; got 1x5", MATRICES(&a, &row),
          row.add_sums(a, 1));
  REFUSES(
      "[sum] target 4x1 overlaps mat 4x5, which is read while it is written; use another target",
      MATRICES(&a), a.sum(1, a.slice(0, 1)));
  REFUSES("[cumsum] target must be 4x5 to match mat 4x5; got 1x5", MATRICES(&a, &row),
          a.cumsum(row));
  REFUSES("[sort] target must be 4x5 to match mat 4x5; got 1x5", MATRICES(&a, &row), a.sort(row));
  for (const int axis : {0, 1}) {
    M none = axis == 0 ? this->made(0, 3) : this->made(3, 0);
    const std::string shape = axis == 0 ? "0x3" : "3x0";
#define ROW(op, family, style, functor, numpy, facts)                                             \
  if (cm::row(cm::Op::op).has(cm::kNoEmpty))                                                      \
    this->refuses(                                                                                \
        fmt::format("[" #op "] mat {} is empty along axis {}, and an empty " #op " has no value", \
                    shape, axis),                                                                 \
        MATRICES(&none), [&] { (void)none.op(axis); });
    CUDAMAT_REDUCTION_OPS(ROW)
#undef ROW
    EXPECT_EQ(none.max(1 - axis).size(), 0);
  }
  M none = this->made(0, 3);
  REFUSES("[total_max] mat 0x3 is empty, and an empty max has no value", MATRICES(&none),
          none.total_max());
  M one = this->made(1, 1);
  REFUSES("[total_max] mat 0x3 is empty, and an empty max has no value", MATRICES(&none, &one),
          none.total_max(one));
}

TYPED_TEST_P(Misuse, Products) {
  CONFORMANCE_NAMES;
  M a = this->made(4, 5), b = this->made(5, 3), t = this->made(3, 4), u = this->made(4, 3);
  REFUSES("[dot] m1 4x5 and m2 4x5: the columns of m1 must be as many as the rows of m2",
          MATRICES(&a), cm::dot(a, a));
  REFUSES("[dot] m1 4x5 and m2 4x3: the columns of m1 must be as many as the rows of m2",
          MATRICES(&a, &u, &t), cm::dot(a, u, t));
  REFUSES("[dot] target must be 4x3 for m1 4x5 and m2 5x3; got 3x4", MATRICES(&a, &b, &t),
          cm::dot(a, b, t));
  REFUSES("[add_dot] self must be 4x3 for m1 4x5 and m2 5x3; got 3x4", MATRICES(&a, &b, &t),
          t.add_dot(a, b));
  REFUSES("[subtract_dot] m1 5x3 and m2 4x5: the columns of m1 must be as many as the rows of m2",
          MATRICES(&a, &b, &t), t.subtract_dot(b, a));
  REFUSES(
      "[dot] target 4x3 is a transposed view, which this operation does not accept; use a "
      "transposed copy",
      MATRICES(&a, &b, &t), cm::dot(a, b, t.T()));
  M square = this->made(4, 4);
  REFUSES("[dot] target 4x4 overlaps m1 4x4, which is read while it is written; use another target",
          MATRICES(&square), cm::dot(square, this->made(4, 4), square));
  REFUSES(
      "[add_dot] self 4x4 overlaps m2 4x4, which is read while it is written; use another target",
      MATRICES(&square), square.add_dot(this->made(4, 4), square));
  REFUSES("[correlate] kernel must have odd extents; got 2x3", MATRICES(&a),
          cm::correlate(a, this->made(2, 3)));
  REFUSES("[correlate] kernel must have odd extents; got 0x1", MATRICES(&a),
          cm::correlate(a, this->made(0, 1)));
  REFUSES("[correlate] target must be 4x5 to match mat 4x5; got 3x4", MATRICES(&a, &t),
          cm::correlate(a, this->made(3, 3), t));
  REFUSES(
      "[correlate] target 4x5 overlaps mat 4x5, which is read while it is written; use another "
      "target",
      MATRICES(&a), cm::correlate(a, this->made(3, 3), a));
}

TYPED_TEST_P(Misuse, SlicesAndSelections) {
  CONFORMANCE_NAMES;
  M a = this->made(4, 5), b = this->made(2, 5), c = this->made(4, 2), i = this->made(1, 5);
  REFUSES("[slice] columns 2:6 do not lie within 0:5", MATRICES(&a), a.slice(2, 6));
  REFUSES("[slice] columns -1:3 do not lie within 0:5", MATRICES(&a), a.slice(-1, 3));
  REFUSES("[slice] columns 3:2 do not lie within 0:5", MATRICES(&a), a.slice(3, 2));
  REFUSES("[get_col_slice] columns 2:6 do not lie within 0:5", MATRICES(&a, &c),
          a.get_col_slice(2, 6, c));
  REFUSES("[get_col_slice] target must be 4x3 to match the columns of mat 4x5; got 4x2",
          MATRICES(&a, &c), a.get_col_slice(0, 3, c));
  REFUSES(
      "[get_col_slice] target 4x2 partly overlaps the slice of mat 4x2; give it memory of its "
      "own or all of the slice of mat",
      MATRICES(&a), a.get_col_slice(0, 2, a.slice(1, 3)));
  REFUSES("[set_col_slice] mat must be 4x3 to match the columns of self 4x5; got 4x2",
          MATRICES(&a, &c), a.set_col_slice(0, 3, c));
  REFUSES(
      "[set_col_slice] the slice of self 4x2 partly overlaps mat 4x2; give it memory of its own "
      "or all of mat",
      MATRICES(&a), a.set_col_slice(0, 2, a.slice(1, 3)));
  REFUSES("[get_row_slice] rows 1:5 do not lie within 0:4", MATRICES(&a), a.get_row_slice(1, 5));
  REFUSES("[get_row_slice] target must be 3x5 to match the rows of mat 4x5; got 2x5",
          MATRICES(&a, &b), a.get_row_slice(0, 3, b));
  REFUSES("[set_row_slice] mat must be 1x5 to match the rows of self 4x5; got 2x5",
          MATRICES(&a, &b), a.set_row_slice(1, 2, b));
  REFUSES(
      "[set_row_slice] self 4x5 overlaps mat 4x5, which is read while it is written; use another "
      "target",
      MATRICES(&a), a.set_row_slice(0, 4, a));
  REFUSES("[select_columns] indices must be a vector of 2, one for each column of target; got 1x5",
          MATRICES(&a, &i, &c), a.select_columns(i, c));
  REFUSES("[select_columns] target must be 4x5 to match the rows of mat 4x5; got 2x5",
          MATRICES(&a, &i, &b), a.select_columns(i, b));
  REFUSES(
      "[select_columns] target 4x5 overlaps mat 4x5, which is read while it is written; use "
      "another target",
      MATRICES(&a, &i), a.select_columns(i, a));
  REFUSES(
      "[set_selected_columns] indices must be a vector of 2, one for each column of source; got "
      "1x5",
      MATRICES(&a, &i, &c), a.set_selected_columns(i, c));
  REFUSES("[set_selected_columns] source must be 4x5 to match the rows of self 4x5; got 2x5",
          MATRICES(&a, &i, &b), a.set_selected_columns(i, b));
  REFUSES("[transpose] target must be 5x4 to match mat 4x5; got 4x5", MATRICES(&a), a.transpose(a));
  REFUSES(
      "[transpose] target 5x4 overlaps mat 4x5, which is read while it is written; use another "
      "target",
      MATRICES(&a), a.transpose(a.view({5, 4})));
  REFUSES(
      "[get_item_from_each_row] indices must be a vector of 4, one for each row of mat; got 1x5",
      MATRICES(&a, &i), a.get_item_from_each_row(i));
  REFUSES("[set_item_to_each_row] indices must be a vector of 4, one for each row of self; got 1x5",
          MATRICES(&a, &i), a.set_item_to_each_row(i, 3));
  REFUSES("[set_item_to_each_row] val must be 4x1 to match self 4x5; got 1x5", MATRICES(&a, &i),
          a.set_item_to_each_row(this->made(4, 1), i));
  REFUSES("[ind_incr] indices must be a vector of 4, one for each row of target; got 1x5",
          MATRICES(&a, &i), cm::ind_incr(a, i, 1));
  REFUSES("[ind_incr] axis must be 0 or 1; got 3", MATRICES(&a, &i), cm::ind_incr(a, i, 3));
  REFUSES("[sample_multinomial] target must be 4x5 to match probs 4x5; got 4x2", MATRICES(&a, &c),
          cm::sample_multinomial(a, c));
  REFUSES("[multi_transpose] in must be batch x w*h, 4x6; got 4x5", MATRICES(&a),
          cm::multi_transpose(a, a, 2, 3, 4));
  REFUSES("[multi_transpose] w, h and batch cannot be negative; got -1, -5, 4", MATRICES(&a),
          cm::multi_transpose(a, a, -1, -5, 4));
  REFUSES(
      "[multi_transpose] out 4x5 overlaps in 4x5, which is read while it is written; use another "
      "target",
      MATRICES(&a), cm::multi_transpose(a, a, 1, 5, 4));
}

TYPED_TEST_P(Misuse, PartialOverlaps) {
  CONFORMANCE_NAMES;
  M a = this->made(4, 6), other = this->made(4, 3);
  M left = a.slice(0, 3), middle = a.slice(1, 4);
  const std::string target = " 4x3 partly overlaps ";
  const auto own = [](const std::string& name) {
    return name + " 4x3; give it memory of its own or all of " + name;
  };
  REFUSES("[exp] target" + target + own("mat"), MATRICES(&a), cm::exp(left, middle));
  REFUSES("[add] target" + target + own("mat"), MATRICES(&a, &other), left.add(other, middle));
  REFUSES("[add] target" + target + own("val"), MATRICES(&a, &other), other.add(left, middle));
  REFUSES("[add] target" + target + own("val"), MATRICES(&a), left.add(middle));
  REFUSES("[add] target" + target + own("mat"), MATRICES(&a), left.add(1, middle));
  REFUSES("[add_mult] self" + target + own("mat2"), MATRICES(&a), left.add_mult(middle));
  REFUSES("[assign] self" + target + own("val"), MATRICES(&a), left.assign(middle));
  REFUSES("[cumsum] target" + target + own("mat"), MATRICES(&a), left.cumsum(middle));
  REFUSES("[sort] target" + target + own("mat"), MATRICES(&a), left.sort(middle));
  REFUSES("[softmax] target" + target + own("mat"), MATRICES(&a), left.softmax(0, middle));
  REFUSES("[where] target" + target + own("if_mat"), MATRICES(&a, &other),
          cm::where(other, left, other, middle));
  REFUSES("[where] target" + target + own("else_mat"), MATRICES(&a, &other),
          cm::where(other, other, left, middle));
  REFUSES("[sample_multinomial] target" + target + own("probs"), MATRICES(&a),
          cm::sample_multinomial(left, middle));
  // One element in common is enough, at either end.
  M row = this->made(1, 7);
  M first = row.slice(0, 4), second = row.slice(3, 7);
  const std::string one =
      "[exp] target 1x4 partly overlaps mat 1x4; give it memory of its own or all of mat";
  REFUSES(one, MATRICES(&row), cm::exp(first, second));
  REFUSES(one, MATRICES(&row), cm::exp(second, first));
  // Neighbours do not overlap.
  M right = a.slice(3, 6);
  right.add(left);
  cm::exp(left, right);
}

TYPED_TEST_P(Misuse, TransposedFlags) {
  CONFORMANCE_NAMES;
  M a = this->made(4, 5), b = this->made(5, 4), col = this->made(4, 1);
  const std::string rest =
      " is a transposed view, which this operation does not accept; use a transposed copy";
  REFUSES("[add] val 4x5 and mat differ in the transposed flag; transpose() makes a copy",
          MATRICES(&a, &b), a.add(b.T()));
  REFUSES("[exp] target 4x5 and mat differ in the transposed flag; transpose() makes a copy",
          MATRICES(&a, &b), cm::exp(a, b.T()));
  REFUSES("[add_col_vec] mat 4x5" + rest, MATRICES(&b, &col), b.T().add_col_vec(col));
  REFUSES("[add_row_vec] vec 1x4" + rest, MATRICES(&b, &col), b.add_row_vec(col.T()));
  REFUSES("[slice] mat 4x5" + rest, MATRICES(&b), b.T().slice(0, 1));
  REFUSES("[view] mat 4x5" + rest, MATRICES(&b), b.T().view({2, 10}));
  REFUSES("[reshape] mat 4x5" + rest, MATRICES(&b), b.T().reshape({2, 10}));
  REFUSES("[get_row_slice] mat 4x5" + rest, MATRICES(&b), b.T().get_row_slice(0, 1));
  REFUSES("[sum] target 1x4" + rest, MATRICES(&b, &col), b.sum(0, col.T()));
  REFUSES("[cumsum] mat 4x5" + rest, MATRICES(&b), b.T().cumsum());
  REFUSES("[sort] mat 4x5" + rest, MATRICES(&b), b.T().sort());
  REFUSES("[softmax] mat 4x5" + rest, MATRICES(&b), b.T().softmax(0));
  REFUSES("[correlate] mat 4x5" + rest, MATRICES(&b), cm::correlate(b.T(), this->made(1, 1)));
  REFUSES("[transpose] target 5x4" + rest, MATRICES(&a), a.transpose(M::empty({4, 5}).T()));
}

TYPED_TEST_P(Misuse, FreedMatrices) {
  CONFORMANCE_NAMES;
  M a = this->made(2, 2), freed = this->made(2, 2);
  freed.free_device_memory();
  const std::string rest = " 2x2 is not on the device; copy_to_device() puts it there";
  REFUSES("[add] val" + rest, MATRICES(&a), a.add(freed));
  REFUSES("[add] target" + rest, MATRICES(&a), a.add(a, freed));
  REFUSES("[exp] target" + rest, MATRICES(&a), cm::exp(a, freed));
  REFUSES("[dot] m1" + rest, MATRICES(&a), cm::dot(freed, a));
  REFUSES("[dot] m2" + rest, MATRICES(&a), cm::dot(a, freed));
  REFUSES("[dot] target" + rest, MATRICES(&a), cm::dot(a, a, freed));
  REFUSES("[vdot] m2" + rest, MATRICES(&a), cm::vdot(a, freed));
  REFUSES("[euclid_norm] mat" + rest, MATRICES(), freed.euclid_norm());
  REFUSES("[total_max] mat" + rest, MATRICES(), freed.total_max());
  REFUSES("[sum] mat" + rest, MATRICES(), freed.sum(0));
  REFUSES("[cumsum] mat" + rest, MATRICES(), freed.cumsum());
  REFUSES("[sort] mat" + rest, MATRICES(), freed.sort());
  REFUSES("[sign] mat" + rest, MATRICES(), freed.sign());
  REFUSES("[slice] mat" + rest, MATRICES(), freed.slice(0, 1));
  REFUSES("[T] mat" + rest, MATRICES(), freed.T());
  REFUSES("[copy] mat" + rest, MATRICES(), freed.copy());
  REFUSES("[transpose] mat" + rest, MATRICES(), freed.transpose());
  REFUSES("[assign] self" + rest, MATRICES(), freed.assign(1));
  REFUSES("[fill_with_rand] self" + rest, MATRICES(), freed.fill_with_rand());
  REFUSES("[fill_with_randn] self" + rest, MATRICES(), freed.fill_with_randn());
  REFUSES("[copy_to_host] mat" + rest, MATRICES(), freed.asarray());
  REFUSES("[copy_to_device] there is no host copy; numpy_array() or copy_to_host() makes one",
          MATRICES(), freed.copy_to_device());
  REFUSES("[where] if_mat" + rest, MATRICES(&a), cm::where(a, freed, a));
  REFUSES("[select_columns] mat" + rest, MATRICES(&a), freed.select_columns(this->made(1, 2), a));
  REFUSES("[set_row_slice] mat" + rest, MATRICES(&a), a.set_row_slice(0, 2, freed));
  REFUSES("[reshape] mat" + rest, MATRICES(), freed.reshape({1, 4}));
  M from = this->made(2, 2);
  M to = std::move(from);
  REFUSES("[add] val" + rest, MATRICES(&a), a.add(from));  // NOLINT(bugprone-use-after-move)
}

TYPED_TEST_P(Misuse, ShapesAndMemory) {
  CONFORMANCE_NAMES;
  M a = this->made(2, 3);
  REFUSES("[empty] a shape cannot be negative; got -1x3", MATRICES(), M::empty({-1, 3}));
  REFUSES("[reshape] a shape cannot be negative; got -2x-3", MATRICES(&a), a.reshape({-2, -3}));
  REFUSES("[resize] a shape cannot be negative; got 1x-1", MATRICES(&a), a.resize({1, -1}));
  REFUSES("[reshape] 2x3 has 6 elements, 2x4 would have 8", MATRICES(&a), a.reshape({2, 4}));
  REFUSES("[reshape] 2x3 has 6 elements, 5x5 would have 25", MATRICES(&a), a.view({5, 5}));
  const cm::Index large = cm::Index(1) << 32;
  REFUSES("[empty] a matrix of 4294967296x4294967296 has more than 2^63 elements", MATRICES(),
          M::empty({large, large}));
  REFUSES("[reshape] a matrix of 4294967296x4294967296 has more than 2^63 elements", MATRICES(&a),
          a.reshape({large, large}));
  REFUSES("[reformat] row 1 has 1 elements, row 0 has 2", MATRICES(), Host{{1, 2}, {3}});
  const std::vector<float> three(3);
  REFUSES("[reformat] 2x2 has 4 elements; got 3", MATRICES(),
          cm::reformat<T>(std::span<const float>(three), {2, 2}));
}

TYPED_TEST_P(Misuse, OutOfMemoryNamesTheBytes) {
  CONFORMANCE_NAMES;
  M a = this->made(2, 3);
  const auto refuses_memory = [&](auto call, cm::Index bytes_if_they_fit) {
    try {
      call();
      ADD_FAILURE() << "allocated";
    } catch (const cm::OutOfMemory& error) {
      const std::string text = error.what();
      if (bytes_if_they_fit == 0) return;
      EXPECT_NE(text.find(std::to_string(bytes_if_they_fit)), std::string::npos) << text;
    }
  };
  const cm::Index much = cm::Index(1) << 50;
  refuses_memory([&] { (void)M::empty({much, 1}); }, much * cm::Index(sizeof(T)));
  // The number of elements fits 64 bits, the number of bytes does not.
  refuses_memory([&] { (void)M::empty({cm::Index(1) << 31, (cm::Index(1) << 31) + 5}); }, 0);
  refuses_memory([&] { (void)M::zeros({1, (cm::Index(1) << 62) + 1}); }, 0);
  refuses_memory([&] { a.resize({much, 1}); }, 0);
  expect_same(a.asarray(), Host{{1, 3, 5}, {2, 4, 6}});
  M wide = M::empty({0, cm::Index(1) << 30});
  refuses_memory([&] { (void)cm::dot(wide.T(), wide); }, 0);
  EXPECT_EQ(M::empty({0, cm::Index(1) << 40}).cols(), cm::Index(1) << 40);
}

#undef REFUSES
#undef MATRICES

REGISTER_TYPED_TEST_SUITE_P(Misuse, ElementWiseShapes, BroadcastVectors, ReductionAxesAndTargets,
                            Products, SlicesAndSelections, PartialOverlaps, TransposedFlags,
                            FreedMatrices, ShapesAndMemory, OutOfMemoryNamesTheBytes);

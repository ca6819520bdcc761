// The life of matrices and views: host copies, shapes, lifetimes, moves.
#pragma once

#include "tests/conformance/calls.hpp"

template <class E>
class Life : public Calls<E> {};
TYPED_TEST_SUITE_P(Life);

TYPED_TEST_P(Life, ShapesMayBeEmpty) {
  CONFORMANCE_NAMES;
  EXPECT_EQ(M().shape(), (cm::Shape{0, 0}));
  for (const cm::Shape shape : {cm::Shape{0, 0}, {0, 5}, {5, 0}}) {
    M x = M::empty(shape);
    EXPECT_EQ(x.shape(), shape);
    EXPECT_EQ(x.asarray().shape(), shape);
    EXPECT_EQ(x.T().shape(), shape.transposed());
    EXPECT_EQ(x.copy().shape(), shape);
    EXPECT_TRUE(x.on_device());
  }
}

TYPED_TEST_P(Life, HostCopyIsMadeOnDemandAndKept) {
  CONFORMANCE_NAMES;
  M x(Host{{1, 2}, {3, 4}});
  expect_same(x.numpy_array(), Host{{1, 2}, {3, 4}});
  x.mult(10);
  expect_same(x.numpy_array(), Host{{1, 2}, {3, 4}}, "the host copy waits for copy_to_host");
  x.copy_to_host();
  expect_same(x.numpy_array(), Host{{10, 20}, {30, 40}});
  x.numpy_array()(0, 1) = 7;
  expect_same(M(Host{{0, 0}}).assign(5).asarray(), Host{{5, 5}});
  x.copy_to_device();
  x.add(1);
  expect_same(x.asarray(), Host{{11, 8}, {31, 41}});
}

TYPED_TEST_P(Life, FreedMatrixComesBackFromItsHostCopy) {
  CONFORMANCE_NAMES;
  M x(Host{{1, 2}, {3, 4}});
  x.copy_to_host();
  x.free_device_memory();
  x.free_device_memory();
  EXPECT_FALSE(x.on_device());
  EXPECT_EQ(x.shape(), (cm::Shape{2, 2}));
  expect_same(x.numpy_array(), Host{{1, 2}, {3, 4}});
  x.copy_to_device();
  EXPECT_TRUE(x.on_device());
  expect_same(x.copy().asarray(), Host{{1, 2}, {3, 4}});
}

TYPED_TEST_P(Life, CopyToDeviceWritesThroughAView) {
  CONFORMANCE_NAMES;
  M x(Host{{1, 2, 3}, {4, 5, 6}});
  M view = x.slice(1, 2);
  view.numpy_array() = Host{{20}, {50}};
  view.copy_to_device();
  expect_same(x.asarray(), Host{{1, 20, 3}, {4, 50, 6}});
  view.numpy_array() = Host{{1, 1}, {1, 1}};  // another size: memory of its own
  view.copy_to_device();
  expect_same(view.asarray(), Host{{1, 1}, {1, 1}});
  expect_same(x.asarray(), Host{{1, 20, 3}, {4, 50, 6}});
}

TYPED_TEST_P(Life, FlaggedMatrixIsReadTransposed) {
  CONFORMANCE_NAMES;
  M x(Host{{1, 2, 3}, {4, 5, 6}});
  const Host turned{{1, 4}, {2, 5}, {3, 6}};
  M t = x.T();
  EXPECT_TRUE(t.is_transposed());
  EXPECT_FALSE(t.T().is_transposed());
  expect_same(t.asarray(), turned);
  expect_same(t.copy().asarray(), turned);
  expect_same(t.transpose().asarray(), Host{{1, 2, 3}, {4, 5, 6}});
  EXPECT_FALSE(t.transpose().is_transposed());
  x.set_trans(true);
  EXPECT_EQ(x.shape(), (cm::Shape{3, 2}));
  EXPECT_EQ(x.rows(), 3);
  EXPECT_EQ(x.cols(), 2);
  x.copy_to_host();
  x.copy_to_device();
  EXPECT_FALSE(x.is_transposed()) << "the copy is no longer flagged";
  expect_same(x.asarray(), turned);
}

TYPED_TEST_P(Life, ReshapeKeepsColumnMajorOrder) {
  CONFORMANCE_NAMES;
  M x(Host{{1, 2, 3}, {4, 5, 6}});
  M view = x.view({1, 6});
  EXPECT_EQ(&x.reshape({3, 2}), &x);
  expect_same(x.asarray(), Host{{1, 5}, {4, 3}, {2, 6}});
  expect_same(view.asarray(), Host{{1, 4, 2, 5, 3, 6}});
  view.assign(0);
  expect_same(x.asarray(), Host{{0, 0}, {0, 0}, {0, 0}});
}

TYPED_TEST_P(Life, ResizeKeepsMemoryOfTheSameSize) {
  CONFORMANCE_NAMES;
  M x(Host{{1, 2, 3}, {4, 5, 6}});
  M view = x.view({6, 1});
  EXPECT_EQ(&x.resize({3, 2}), &x);
  expect_same(x.asarray(), Host{{1, 5}, {4, 3}, {2, 6}});
  x.resize({2, 2});
  EXPECT_EQ(x.shape(), (cm::Shape{2, 2}));
  x.assign(0);
  expect_same(view.asarray(), Host{{1}, {4}, {2}, {5}, {3}, {6}});
  expect_same(x.numpy_array(), Host{{0, 0}, {0, 0}}, "the old host copy is gone");
  x.set_trans(true).resize({4, 1});
  EXPECT_FALSE(x.is_transposed());
  x.free_device_memory();
  x.resize({1, 2}).assign(3);
  expect_same(x.asarray(), Host{{3, 3}});
}

TYPED_TEST_P(Life, AViewOutlivesItsMatrix) {
  CONFORMANCE_NAMES;
  M view, flagged;
  {
    M x(Host{{1, 2, 3}, {4, 5, 6}});
    view = x.slice(1, 3);
    flagged = x.T();
    x.free_device_memory();
    M elsewhere = M::zeros({2, 3});  // would take the place of freed memory
    EXPECT_EQ(elsewhere.total_sum(), 0);
  }
  expect_same(view.asarray(), Host{{2, 3}, {5, 6}});
  view.assign(9);
  expect_same(flagged.asarray(), Host{{1, 4}, {9, 9}, {9, 9}});
}

TYPED_TEST_P(Life, SlicesOfSlicesWriteThrough) {
  CONFORMANCE_NAMES;
  M x = M::zeros({2, 6});
  x.slice(1, 5).slice(1, 3).assign(1);
  x.slice(3, 3).assign(7);
  expect_same(x.asarray(), Host{{0, 0, 1, 1, 0, 0}, {0, 0, 1, 1, 0, 0}});
}

TYPED_TEST_P(Life, MatricesAreMovedNotCopied) {
  CONFORMANCE_NAMES;
  static_assert(!std::is_copy_constructible_v<M> && !std::is_copy_assignable_v<M>);
  static_assert(std::is_nothrow_move_constructible_v<M> && std::is_nothrow_move_assignable_v<M>);
  M x(Host{{1, 2}});
  const T* const memory = x.data();
  M y = std::move(x);
  EXPECT_EQ(y.data(), memory);
  M z(Host{{3}});
  z = std::move(y);
  EXPECT_EQ(z.data(), memory);
  expect_same(z.asarray(), Host{{1, 2}});
  y = M(Host{{5}});
  expect_same(y.asarray(), Host{{5}});
  M copy = z.copy();
  copy.assign(0);
  expect_same(z.asarray(), Host{{1, 2}});
}

TYPED_TEST_P(Life, HostMatricesFromRowsAndFromRowMajorData) {
  CONFORMANCE_NAMES;
  const std::vector<int> row_major{1, 2, 3, 4, 5, 6};
  expect_same(cm::reformat<T>(std::span<const int>(row_major), {2, 3}), Host{{1, 2, 3}, {4, 5, 6}});
  const Host h{{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(h.data()[1], 4) << "column-major";
  EXPECT_EQ(h(1, 2), 6);
  expect_same(Host(cm::Shape{1, 2}, 3), Host{{3, 3}});
}

REGISTER_TYPED_TEST_SUITE_P(Life, ShapesMayBeEmpty, HostCopyIsMadeOnDemandAndKept,
                            FreedMatrixComesBackFromItsHostCopy, CopyToDeviceWritesThroughAView,
                            FlaggedMatrixIsReadTransposed, ReshapeKeepsColumnMajorOrder,
                            ResizeKeepsMemoryOfTheSameSize, AViewOutlivesItsMatrix,
                            SlicesOfSlicesWriteThrough, MatricesAreMovedNotCopied,
                            HostMatricesFromRowsAndFromRowMajorData);

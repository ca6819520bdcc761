// One typed test for each row of the op table, named after it: OpTable/npmat_float.add_col_vec.
#pragma once

#include "tests/conformance/rows_elementwise.hpp"
#include "tests/conformance/rows_moving.hpp"
#include "tests/conformance/rows_product.hpp"
#include "tests/conformance/rows_random.hpp"
#include "tests/conformance/rows_reduction.hpp"
#include "tests/conformance/rows_solver.hpp"
#include "tests/conformance/rows_sort.hpp"
#include "tests/conformance/rows_whole.hpp"

template <class E>
class OpTable : public ::testing::Test {};
TYPED_TEST_SUITE_P(OpTable);

#define ROW(op, family, style, functor, numpy, facts)                 \
  TYPED_TEST_P(OpTable, op) {                                         \
    conformance::RowTest<cudamat::Op::op>::template run<TypeParam>(); \
  }
CUDAMAT_OPS(ROW)
#undef ROW

TYPED_TEST_P(OpTable, every_row_has_a_name) {
  for (const auto& row : cudamat::kOpTable) EXPECT_FALSE(row.name.empty());
}

#define ROW(op, family, style, functor, numpy, facts) op,
#define CONFORMANCE_REGISTER(suite, ...) REGISTER_TYPED_TEST_SUITE_P(suite, __VA_ARGS__)
CONFORMANCE_REGISTER(OpTable, CUDAMAT_OPS(ROW) every_row_has_a_name);
#undef ROW

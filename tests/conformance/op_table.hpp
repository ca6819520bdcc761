// One test for each row of the op table, named after it: npmat_float/OpTable/0.add_col_vec.
#pragma once

#include "tests/conformance/rows_elementwise.hpp"
#include "tests/conformance/rows_moving.hpp"
#include "tests/conformance/rows_product.hpp"
#include "tests/conformance/rows_random.hpp"
#include "tests/conformance/rows_reduction.hpp"
#include "tests/conformance/rows_solver.hpp"
#include "tests/conformance/rows_sort.hpp"
#include "tests/conformance/rows_whole.hpp"

/// Registered one by one: GoogleTest's typed tests would be a third of what a suite compiles to.
class OpTable : public ::testing::Test {
 public:
  using Run = void (*)();
  explicit OpTable(Run run) : run_(run) {}
  void TestBody() override { run_(); }

  template <class E>
  static bool add(const std::string& suite, const char* type) {
    const auto add_row = [&](const char* name, Run run) {
      ::testing::RegisterTest((suite + "/OpTable/0").c_str(), name, type, nullptr, __FILE__,
                              __LINE__, [run]() -> ::testing::Test* { return new OpTable(run); });
    };
#define ROW(op, family, style, functor, numpy, facts) \
  add_row(#op, conformance::RowTest<cudamat::Op::op>::template run<E>);
    CUDAMAT_OPS(ROW)
#undef ROW
    add_row("every_row_has_a_name", [] {
      for (const auto& row : cudamat::kOpTable) EXPECT_FALSE(row.name.empty());
    });
    return true;
  }

 private:
  Run run_;
};

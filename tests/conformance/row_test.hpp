// RowTest<op>::run<E>() is the test of one row of the op table. There is no general one: a row
// without a RowTest, or an element-wise row without a case in reference.cpp, does not compile.
#pragma once

#include "tests/conformance/harness.hpp"

namespace conformance {

using cudamat::Family;

template <Op op>
struct RowTest;

template <Op op>
constexpr Family kFamily = cudamat::row(op).family;

}  // namespace conformance

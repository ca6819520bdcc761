// The conformance suite of an engine. A test program instantiates it in one line:
//
//   #include "npmat/npmat.hpp"
//   #include "tests/conformance/suite.hpp"
//   CONFORMANCE_SUITE(npmat_float, npmat::Engine<float>)
//
// and links conformance_reference. What it demands is the contract of cudamat/matrix.hpp and
// cudamat/functions.hpp, no more: an engine that passes computes what every other one computes.
#pragma once

#include "tests/conformance/calls.hpp"
#include "tests/conformance/choices.hpp"
#include "tests/conformance/life.hpp"
#include "tests/conformance/misuse.hpp"
#include "tests/conformance/numpy_semantics.hpp"
#include "tests/conformance/op_table.hpp"

#define CONFORMANCE_SUITE(name, ...)                                                  \
  static const bool name##_op_table = OpTable::add<__VA_ARGS__>(#name, #__VA_ARGS__); \
  INSTANTIATE_TYPED_TEST_SUITE_P(name, Calls, ::testing::Types<__VA_ARGS__>);         \
  INSTANTIATE_TYPED_TEST_SUITE_P(name, Choices, ::testing::Types<__VA_ARGS__>);       \
  INSTANTIATE_TYPED_TEST_SUITE_P(name, Life, ::testing::Types<__VA_ARGS__>);          \
  INSTANTIATE_TYPED_TEST_SUITE_P(name, Misuse, ::testing::Types<__VA_ARGS__>);        \
  INSTANTIATE_TYPED_TEST_SUITE_P(name, NumPySemantics, ::testing::Types<__VA_ARGS__>)

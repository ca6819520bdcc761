// The conformance suite over npmat's float engine.
#include "npmat/npmat.hpp"
#include "tests/conformance/op_table.hpp"

INSTANTIATE_TYPED_TEST_SUITE_P(npmat_float, OpTable, ::testing::Types<npmat::Engine<float>>);

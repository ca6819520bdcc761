// The conformance suite over npmat's double engine.
#include "npmat/npmat.hpp"
#include "tests/conformance/op_table.hpp"

INSTANTIATE_TYPED_TEST_SUITE_P(npmat_double, OpTable, ::testing::Types<npmat::Engine<double>>);

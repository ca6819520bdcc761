// The conformance suite over npmat's long double engine.
#include "npmat/npmat.hpp"
#include "tests/conformance/op_table.hpp"

INSTANTIATE_TYPED_TEST_SUITE_P(npmat_long_double, OpTable, ::testing::Types<npmat::Engine<long double>>);

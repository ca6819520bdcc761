// The conformance suite over the CPU engine, long double.
#include "npmat/npmat.hpp"
#include "tests/conformance/suite.hpp"

CONFORMANCE_SUITE(npmat_long_double, npmat::Engine<long double>);

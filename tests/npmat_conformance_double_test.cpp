// The conformance suite over the CPU engine, double.
#include "npmat/npmat.hpp"
#include "tests/conformance/suite.hpp"

CONFORMANCE_SUITE(npmat_double, npmat::Engine<double>);

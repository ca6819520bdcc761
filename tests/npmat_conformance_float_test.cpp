// The conformance suite over the CPU engine, float.
#include "npmat/npmat.hpp"
#include "tests/conformance/suite.hpp"

CONFORMANCE_SUITE(npmat_float, npmat::Engine<float>);

// The conformance suite over the CUDA engine, float: on a GPU and on the execution on the CPU.
#include "cudamat/cudamat.hpp"
#include "tests/conformance/suite.hpp"

CONFORMANCE_SUITE(cuda_float, cudamat::cuda::Engine<float>);

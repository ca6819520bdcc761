// The GPU engine of garrays, where the CUDA engine was built. Internal to gnumpy.
#pragma once

#include <memory>

#include "cudamat/cuda/device.hpp"
#include "gnumpy/engine.hpp"

namespace gnumpy::detail {

/// cudamat, in float as the original.
std::unique_ptr<Engine> make_cuda();

}  // namespace gnumpy::detail

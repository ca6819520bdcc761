// The CPU engines of garrays. Internal to gnumpy.
#pragma once

#include <memory>

#include "gnumpy/engine.hpp"

namespace gnumpy::detail {

/// npmat of 32, 64 or 128 bits (the last is long double).
std::unique_ptr<Engine> make_npmat(int bits);

}  // namespace gnumpy::detail

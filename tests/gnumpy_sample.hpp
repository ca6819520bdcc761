// What tests of garrays write often.
#pragma once

#include <vector>

#include "gnumpy/gnumpy.hpp"

namespace gnumpy_sample {

/// The elements in C order.
inline std::vector<double> v(const gnumpy::garray& a) {
  return a.to_vector();
}

}  // namespace gnumpy_sample

// The types of the elements of NumPy's arrays.
#pragma once

#include <cstdint>

#include "cudamat/error.hpp"
#include "rewriter/module/buffer.hpp"

namespace rewriter::module {

/// Calls f with a null pointer to the type of `code`, which is not complex.
template <class F>
void with_type(Code code, const F& f) {
  switch (code) {
    case '?':
      return f(static_cast<bool*>(nullptr));
    case 'b':
      return f(static_cast<std::int8_t*>(nullptr));
    case 'B':
      return f(static_cast<std::uint8_t*>(nullptr));
    case 'h':
      return f(static_cast<std::int16_t*>(nullptr));
    case 'H':
      return f(static_cast<std::uint16_t*>(nullptr));
    case 'i':
      return f(static_cast<std::int32_t*>(nullptr));
    case 'I':
      return f(static_cast<std::uint32_t*>(nullptr));
    case 'q':
      return f(static_cast<std::int64_t*>(nullptr));
    case 'Q':
      return f(static_cast<std::uint64_t*>(nullptr));
    case 'f':
      return f(static_cast<float*>(nullptr));
    case 'd':
      return f(static_cast<double*>(nullptr));
    case 'g':
      return f(static_cast<long double*>(nullptr));
    default:
      throw cudamat::InternalError("an element type that is not known");
  }
}

}  // namespace rewriter::module

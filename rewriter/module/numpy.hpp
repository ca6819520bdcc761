// NumPy's own objects. All of it needs the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

#include "rewriter/module/buffer.hpp"

namespace rewriter::module {

namespace nb = nanobind;

/// numpy.NAME.
nb::object numpy(const char* name);

/// An array of this shape, a tuple, of `size` elements, that holds anything. A large one lies in
/// npmat's memory, whose pages are not new each time (and so does not own it: flags.owndata).
/// Throws Python's error.
nb::object new_array(nb::handle shape, Code code, std::int64_t size);

}  // namespace rewriter::module
